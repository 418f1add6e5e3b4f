//! Arithmetic on numbers, quantities and durations: `add`, `sum`, `subtract`, `multiply`, `divide`, `modulo`,
//! `round`.
//!
//! In: `add('1Gi', '512Mi')`. Out: `1536Mi`. A text is a quantity if it can be one, and a duration only if not:
//! `1m` is a thousandth, and `add('1m', '1h')` is refused.
//!
//! Mirrors: pkg/engine/jmespath/arithmetic.go.

use super::arguments::{exact_int, failed, number, whole_number};
use crate::value::go_text::{float_v, power_of_ten};
use crate::value::quantity::QuantityError;
use crate::value::{Duration, Quantity};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "add",
        args: &[Arg::ANY, Arg::ANY],
        returns: &[Kind::Any],
        note: "the sum of two numbers, two quantities or two durations",
        examples: &[
            ("add(`1`, `2`)", "3"),
            ("add('1Gi', '512Mi')", "\"1536Mi\""),
            ("add('1h', '90s')", "\"1h1m30s\""),
        ],
        run: |_, arguments| with_operands("add", arguments, |left, right| plus("add", left, right)),
    },
    Function {
        name: "sum",
        args: &[Arg::ARRAY],
        returns: &[Kind::Any],
        note: "the sum of a list of numbers, quantities or durations",
        examples: &[("sum(`[1,2,3]`)", "6"), ("sum(`[\"1Gi\",\"512Mi\"]`)", "\"1536Mi\"")],
        run: sum,
    },
    Function {
        name: "subtract",
        args: &[Arg::ANY, Arg::ANY],
        returns: &[Kind::Any],
        note: "the difference of two numbers, two quantities or two durations",
        examples: &[("subtract('1', '300m')", "\"700m\""), ("subtract('1h', '90s')", "\"58m30s\"")],
        run: |_, arguments| with_operands("subtract", arguments, minus),
    },
    Function {
        name: "multiply",
        args: &[Arg::ANY, Arg::ANY],
        returns: &[Kind::Any],
        note: "the product of two numbers, or of a quantity or duration with a number",
        examples: &[("multiply('1Gi', `1.5`)", "\"1536Mi\""), ("multiply(`2`, '45m')", "\"90m\"")],
        run: |_, arguments| with_operands("multiply", arguments, times),
    },
    Function {
        name: "divide",
        args: &[Arg::ANY, Arg::ANY],
        returns: &[Kind::Any],
        note: "the quotient of two of a kind, or of a quantity or duration by a number",
        examples: &[
            ("divide('1Gi', '256Mi')", "4"),
            ("divide('1Gi', `3`)", "\"357913941\""),
            ("divide('1h', `4`)", "\"15m0s\""),
        ],
        run: |_, arguments| with_operands("divide", arguments, divided_by),
    },
    Function {
        name: "modulo",
        args: &[Arg::ANY, Arg::ANY],
        returns: &[Kind::Any],
        note: "what remains of dividing whole numbers, whole quantities or durations",
        examples: &[("modulo(`-7`, `3`)", "-1"), ("modulo('10Gi', '3Gi')", "\"1Gi\"")],
        run: |_, arguments| with_operands("modulo", arguments, remainder),
    },
    Function {
        name: "round",
        args: &[Arg::NUMBER, Arg::NUMBER],
        returns: &[Kind::Number],
        note: "the number with so many decimals, half away from zero",
        examples: &[("round(`2.345`, `1`)", "2.3"), ("round(`-2.5`, `0`)", "-3")],
        run: round,
    },
];

/// What a function computes with.
enum Operand {
    Scalar(f64),
    Quantity(Quantity),
    Duration(Duration),
}

fn with_operands(
    function: &str,
    arguments: &[Argument<'_>],
    run: impl Fn(Operand, Operand) -> Result<Value, EvalError>,
) -> Result<Value, EvalError> {
    let operand = |at: usize| match arguments.get(at).and_then(Argument::value) {
        Some(value) => operand(function, value),
        None => Err(failed(function, "invalid operand")),
    };
    run(operand(0)?, operand(1)?)
}

fn operand(function: &str, value: &Value) -> Result<Operand, EvalError> {
    if let Value::Number(engine_json::Number::Float(number)) = value {
        return Ok(Operand::Scalar(*number));
    }
    let text = value.as_str().ok_or_else(|| failed(function, "invalid operand"))?;
    match Quantity::parse(text) {
        Ok(quantity) => Ok(Operand::Quantity(quantity)),
        Err(QuantityError::TooLarge) => Err(too_large()),
        Err(
            QuantityError::Format
            | QuantityError::Numeric
            | QuantityError::Suffix
            | QuantityError::ZeroDivisor,
        ) => Duration::parse(text).map(Operand::Duration).map_err(|_| failed(function, "invalid operand")),
    }
}

fn too_large() -> EvalError {
    EvalError::limit(QuantityError::TooLarge.to_string())
}

fn mismatch(function: &str) -> EvalError {
    failed(function, "Types mismatch")
}

fn zero_divisor(function: &str) -> EvalError {
    failed(function, "Zero divisor passed")
}

fn quantity(result: Result<Quantity, QuantityError>) -> Result<Value, EvalError> {
    match result {
        Ok(quantity) => Ok(Value::from(quantity.to_string())),
        Err(QuantityError::TooLarge) => Err(too_large()),
        // inf: Dec.QuoRound panics where a divisor that is not zero has become zero as a quantity.
        Err(QuantityError::ZeroDivisor) => Err(EvalError::crash("division by zero")),
        Err(error @ (QuantityError::Format | QuantityError::Numeric | QuantityError::Suffix)) => {
            Err(EvalError::other(error.to_string()))
        }
    }
}

fn duration(duration: Duration) -> Value {
    Value::from(duration.to_string())
}

/// A number as a quantity, by way of its text.
// Kyverno: arithmetic.go, `resource.ParseQuantity(fmt.Sprintf("%v", v.float64))`.
fn as_quantity(number: f64) -> Result<Quantity, QuantityError> {
    Quantity::parse(&float_v(number))
}

fn plus(function: &str, left: Operand, right: Operand) -> Result<Value, EvalError> {
    use Operand::{Duration as D, Quantity as Q, Scalar as S};
    match (left, right) {
        (S(a), S(b)) => Ok(Value::from(a + b)),
        (Q(a), Q(b)) => quantity(a.plus(&b)),
        (D(a), D(b)) => Ok(duration(a.plus(b))),
        (S(_) | Q(_) | D(_), S(_) | Q(_) | D(_)) => Err(mismatch(function)),
    }
}

fn sum(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let Some(list) = arguments.first().and_then(Argument::plain_list) else {
        return Err(mismatch("sum"));
    };
    let Some((first, rest)) = list.split_first() else {
        return Err(failed("sum", "at least one element in the array is required"));
    };
    call.charge(list.len())?;
    let mut sum = first.clone();
    for value in rest {
        sum = plus("sum", operand("sum", &sum)?, operand("sum", value)?)?;
    }
    Ok(sum)
}

fn minus(left: Operand, right: Operand) -> Result<Value, EvalError> {
    use Operand::{Duration as D, Quantity as Q, Scalar as S};
    match (left, right) {
        (S(a), S(b)) => Ok(Value::from(a - b)),
        (Q(a), Q(b)) => quantity(a.minus(&b)),
        (D(a), D(b)) => Ok(duration(a.minus(b))),
        (S(_) | Q(_) | D(_), S(_) | Q(_) | D(_)) => Err(mismatch("subtract")),
    }
}

fn times(left: Operand, right: Operand) -> Result<Value, EvalError> {
    use Operand::{Duration as D, Quantity as Q, Scalar as S};
    match (left, right) {
        (S(a), S(b)) => Ok(Value::from(a * b)),
        (Q(a), S(b)) | (S(b), Q(a)) => quantity(as_quantity(b).and_then(|b| a.times(&b))),
        (D(a), S(b)) | (S(b), D(a)) => Ok(duration(Duration::from_seconds_f64(a.seconds() * b))),
        (Q(_) | D(_), Q(_) | D(_)) => Err(mismatch("multiply")),
    }
}

fn divided_by(left: Operand, right: Operand) -> Result<Value, EvalError> {
    use Operand::{Duration as D, Quantity as Q, Scalar as S};
    let divisor = |number: f64| if number == 0.0 { Err(zero_divisor("divide")) } else { Ok(number) };
    match (left, right) {
        (S(a), S(b)) => Ok(Value::from(a / divisor(b)?)),
        (Q(a), Q(b)) => {
            let divisor = divisor(b.approximate_f64())?;
            Ok(Value::from(a.approximate_f64() / divisor))
        }
        (Q(a), S(b)) => {
            let divisor = divisor(b)?;
            quantity(as_quantity(divisor).and_then(|b| a.divided_by(&b)))
        }
        (D(a), D(b)) => Ok(Value::from(a.seconds() / divisor(b.seconds())?)),
        (D(a), S(b)) => Ok(duration(Duration::from_seconds_f64(a.seconds() / divisor(b)?))),
        (S(_) | Q(_) | D(_), Q(_) | D(_)) => Err(mismatch("divide")),
    }
}

fn remainder(left: Operand, right: Operand) -> Result<Value, EvalError> {
    use Operand::{Duration as D, Quantity as Q, Scalar as S};
    match (left, right) {
        (S(a), S(b)) => Ok(Value::from(whole_remainder(a, b)? as f64)),
        (Q(a), Q(b)) => {
            let rest = whole_remainder(a.approximate_f64(), b.approximate_f64())?;
            quantity(Ok(Quantity::from_int(rest, a.format())))
        }
        (D(a), D(b)) => Ok(duration(a.remainder(b).ok_or_else(|| zero_divisor("modulo"))?)),
        (S(_) | Q(_) | D(_), S(_) | Q(_) | D(_)) => Err(mismatch("modulo")),
    }
}

fn whole_remainder(a: f64, b: f64) -> Result<i64, EvalError> {
    let (Some(a), Some(b)) = (exact_int(a), exact_int(b)) else {
        return Err(failed("modulo", "Non-integer argument(s) passed for modulo"));
    };
    if b == 0 {
        return Err(zero_divisor("modulo"));
    }
    Ok(a.wrapping_rem(b))
}

fn round(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (number, places) = (number("round", arguments, 0)?, number("round", arguments, 1)?);
    let Ok(places) = whole_number(places) else {
        return Err(failed("round", "Non-integer argument(s) passed for round off"));
    };
    if places < 0 {
        // Kyverno: error.go is given no numbers for the places in its text.
        return Err(failed("round", "%!d(MISSING) argument is out of bounds (%!d(MISSING))"));
    }
    let shift = power_of_ten(places);
    Ok(Value::from((number * shift).round() / shift))
}
