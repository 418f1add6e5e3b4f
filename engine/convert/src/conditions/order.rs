//! Numbers, amounts and durations in their order, and numbers of elements.
//!
//! In: two sides and an operator. Out: a formula.

use crate::conditions::single;
use crate::expressions::expr::{Elements, Expr};
use crate::expressions::formula::{Formula, Quantifier, operand, quoted};
use crate::expressions::functions::double;
use crate::refusal::{Class, Converted, refuse};
use crate::rules::leaf::opposite;
use engine::value::{Duration, Quantity};
use engine_compare::schema::Shape;
use engine_json::{Path, Value};

/// The number of elements, held against another number: where it is asked whether there are any, no one counts.
pub(super) fn counted(elements: &Elements, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let Expr::Count(other) = value {
        let (left, right) = (elements.size(path)?, other.size(path)?);
        return Ok(numbers(&left, operator, &right));
    }
    let number = match value {
        Expr::Literal(value @ Value::Number(_)) => engine_json::to_json(value),
        Expr::Literal(Value::String(text)) => text.to_string(),
        _ => {
            return refuse(
                Class::Condition,
                &path.join("value"),
                "a number of elements is compared with a value that is not a number",
            );
        }
    };
    let is_any = || elements.each(Quantifier::Exists, &mut |_| Ok(Formula::True));
    match (operator, number.as_str()) {
        (">" | "!=", "0") | (">=", "1") => is_any(),
        ("==" | "<=", "0") | ("<", "1") => Ok(is_any()?.negated()),
        _ if number.parse::<i64>().is_err() => refuse(
            Class::Condition,
            &path.join("value"),
            format!("a number of elements is compared with `{number}`, which is not a number"),
        ),
        _ => Ok(numbers(&elements.size(path)?, operator, &number)),
    }
}

/// What a duration looks like.
// Go: time.ParseDuration.
const DURATION: &str = r"^[-+]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$";

/// A number, and what is a number or a string: a string is the number that it is written as.
// Kyverno: equal.go validateValueWithFloatPattern.
pub(super) fn is_number(number: &str, other: &str) -> Formula {
    let other = format!("string({other})");
    let is_written = Formula::test(format!(
        "{other}.matches({})",
        quoted(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$")
    ));
    Formula::and([is_written, Formula::equal(&format!("double({number})"), &format!("double({other})"))])
}

/// Two numbers under an operator.
fn numbers(left: &str, operator: &str, right: &str) -> Formula {
    let contrary = opposite(operator).map(|operator| format!("{left} {operator} {right}"));
    Formula::Test(format!("{left} {operator} {right}"), contrary)
}

/// Two values under an operator that orders them.
pub(super) fn ordered(key: &Expr, operator: &str, value: &Expr, path: &Path) -> Converted<Formula> {
    if let Expr::Count(elements) = key {
        return counted(elements, operator, value, path);
    }
    if let (Expr::Double(left), Expr::Literal(number @ Value::Number(_))) = (key, value) {
        return Ok(numbers(left, operator, &double(&engine_json::to_json(number))));
    }
    let Some((left, shape)) = single(key) else {
        return refuse(Class::Condition, &path.join("key"), "the order of this key is not converted");
    };
    let compare = |left: &str, right: &str| Ok(numbers(left, operator, right));
    let is_text = matches!(value, Expr::Literal(Value::String(_)));
    let written = match value {
        Expr::Literal(value @ Value::Number(_)) => engine_json::to_json(value),
        Expr::Literal(Value::String(text)) => text.to_string(),
        other => {
            return match (single(other), &shape) {
                (Some((right, Some(Shape::Number))), Some(Shape::Number)) => compare(&left, &right),
                _ => {
                    refuse(Class::Condition, &path.join("value"), "the order of this value is not converted")
                }
            };
        }
    };
    match shape {
        Some(Shape::Number) if written.parse::<i64>().is_ok() => compare(&left, &written),
        // Of a custom kind it is taken to be what it is held against.
        Some(Shape::Any) | None if !is_text && written.parse::<i64>().is_ok() => compare(&left, &written),
        // Kyverno: parseQuantity reads texts alone, and a number has no order beside an amount with a unit.
        Some(Shape::Either)
            if is_text && Quantity::parse(&written).is_ok() && Duration::parse(&written).is_err() =>
        {
            let test = numbers(
                &format!("quantity(string({left})).compareTo(quantity({}))", quoted(&written)),
                operator,
                "0",
            );
            let is_amount = Formula::test(format!("isQuantity(string({left}))"));
            let is_string = Formula::equal(&format!("type({left})"), "string");
            let has_unit = written.parse::<f64>().is_err();
            Ok(Formula::and([if has_unit { is_string } else { Formula::True }, is_amount, test]))
        }
        // What is not a duration has no order beside one; a number is that many seconds.
        Some(Shape::Text)
            if Quantity::parse(&written).is_err()
                && let Ok(duration) = Duration::parse(&written) =>
        {
            let left = operand(&left);
            let is_duration = Formula::test(format!("{left}.matches({})", quoted(DURATION)));
            let longer =
                numbers(&format!("duration({left})"), operator, &format!("duration({})", quoted(&written)));
            let is_number =
                Formula::test(format!("{left}.matches('^[-+]?[0-9]+(\\\\.[0-9]*)?([eE][-+]?[0-9]+)?$')"));
            // The fraction is cut off.
            let seconds = duration.seconds().to_string();
            let number = if seconds.contains('.') {
                format!("double(int(double({left})))")
            } else {
                format!("int(double({left}))")
            };
            let more = numbers(&number, operator, &seconds);
            Ok(Formula::or([Formula::and([is_duration, longer]), Formula::and([is_number, more])]))
        }
        _ => refuse(Class::Condition, path, format!("`{written}` ordered with a value of unknown form")),
    }
}
