//! Numbers rounded and asked (cel-go: `ext/math.go`).

use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.abs",
        overloads: &[
            Overload::new("math_abs_double", "(double) -> double").run(Run::One(abs)),
            Overload::new("math_abs_int", "(int) -> int").run(Run::One(abs)),
            Overload::new("math_abs_uint", "(uint) -> uint").run(Run::One(abs)),
        ],
        note: "The number without its sign.",
        examples: &[("math.abs(-1.5)", "1.5")],
    },
    Function {
        name: "math.ceil",
        overloads: &[Overload::new("math_ceil_double", "(double) -> double").run(Run::One(ceil))],
        note: "The next whole number above.",
        examples: &[("math.ceil(1.2)", "2")],
    },
    Function {
        name: "math.floor",
        overloads: &[Overload::new("math_floor_double", "(double) -> double").run(Run::One(floor))],
        note: "The next whole number below.",
        examples: &[("math.floor(-1.2)", "-2")],
    },
    Function {
        name: "math.isFinite",
        overloads: &[Overload::new("math_isFinite_double", "(double) -> bool").run(Run::One(is_finite))],
        note: "Whether it is a number and not infinite.",
        examples: &[("math.isFinite(1.0)", "true")],
    },
    Function {
        name: "math.isInf",
        overloads: &[Overload::new("math_isInf_double", "(double) -> bool").run(Run::One(is_infinite))],
        note: "Whether it is infinite.",
        examples: &[("math.isInf(1.0 / 0.0)", "true")],
    },
    Function {
        name: "math.isNaN",
        overloads: &[Overload::new("math_isNaN_double", "(double) -> bool").run(Run::One(is_nan))],
        note: "Whether it is not a number.",
        examples: &[("math.isNaN(0.0 / 0.0)", "true")],
    },
    Function {
        name: "math.round",
        overloads: &[Overload::new("math_round_double", "(double) -> double").run(Run::One(round))],
        note: "The nearest whole number, halves away from zero.",
        examples: &[("math.round(-2.5)", "-3")],
    },
    Function {
        name: "math.sign",
        overloads: &[
            Overload::new("math_sign_double", "(double) -> double").run(Run::One(sign)),
            Overload::new("math_sign_int", "(int) -> int").run(Run::One(sign)),
            Overload::new("math_sign_uint", "(uint) -> uint").run(Run::One(sign)),
        ],
        note: "-1, 0 or 1, in the type of the number.",
        examples: &[("math.sign(-3)", "-1")],
    },
    Function {
        name: "math.sqrt",
        overloads: &[
            Overload::new("math_sqrt_double", "(double) -> double").run(Run::One(sqrt)),
            Overload::new("math_sqrt_int", "(int) -> double").run(Run::One(sqrt)),
            Overload::new("math_sqrt_uint", "(uint) -> double").run(Run::One(sqrt)),
        ],
        note: "The square root.",
        examples: &[("math.sqrt(49)", "7")],
    },
    Function {
        name: "math.trunc",
        overloads: &[Overload::new("math_trunc_double", "(double) -> double").run(Run::One(trunc))],
        note: "The number without what stands behind the point.",
        examples: &[("math.trunc(-1.9)", "-1")],
    },
];

/// A double made of a double.
fn of_double<'v>(value: &Value<'v>, make: fn(f64) -> Value<'static>) -> Outcome<'v> {
    match value {
        Value::Double(d) => Ok(make(*d)),
        _ => Err(Error::no_overload()),
    }
}

fn ceil<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Double(d.ceil()))
}

fn floor<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Double(d.floor()))
}

fn round<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Double(d.round()))
}

fn trunc<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Double(d.trunc()))
}

fn is_finite<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Bool(d.is_finite()))
}

fn is_infinite<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Bool(d.is_infinite()))
}

fn is_nan<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    of_double(&value, |d| Value::Bool(d.is_nan()))
}

fn abs<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value {
        Value::Double(d) => Ok(Value::Double(d.abs())),
        Value::Int(i) => i.checked_abs().map(Value::Int).ok_or_else(|| Error::text("integer overflow")),
        other => Ok(other),
    }
}

fn sign<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(match value {
        Value::Double(d) if d > 0.0 => Value::Double(1.0),
        Value::Double(d) if d < 0.0 => Value::Double(-1.0),
        Value::Double(0.0) => Value::Double(0.0),
        Value::Int(i) => Value::Int(i.signum()),
        Value::Uint(u) => Value::Uint(u.min(1)),
        other => other,
    })
}

fn sqrt<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value {
        Value::Double(d) => Ok(Value::Double(d.sqrt())),
        Value::Int(i) => Ok(Value::Double((i as f64).sqrt())),
        Value::Uint(u) => Ok(Value::Double((u as f64).sqrt())),
        _ => Err(Error::no_overload()),
    }
}
