//! Arithmetic, and quantities that are added.

use super::{Form, whole};
use crate::search::spellings::{amount, written};
use engine_json::Value;

/// A larger number makes nothing that is tried.
const MAX_NUMBER: i64 = 1 << 40;

/// What becomes the result.
pub(super) fn before(form: &Form, result: &Value) -> Vec<Value> {
    let mut found = of_quantity(form, result);
    let number = whole(result).filter(|number| number.abs() < MAX_NUMBER);
    if let Some(number) = number {
        found.extend(of_number(form, number));
    }
    found
}

fn of_number(form: &Form, result: i64) -> Vec<Value> {
    let by = form.number(0).filter(|by| by.abs() < MAX_NUMBER);
    let all = |numbers: &[i64]| numbers.iter().copied().map(Value::from).collect();
    match (form.function.as_str(), by) {
        // The constant itself is held against the result, too: it is not what is added.
        ("_+_" | "add" | "_-_" | "subtract" | "sum", Some(by)) => {
            all(&[result - by, result + by, by - result])
        }
        ("_*_" | "multiply", Some(by)) if by != 0 => all(&[result / by, result / by + 1, result / by - 1]),
        ("_/_" | "divide", Some(by)) => {
            let most = result.saturating_mul(by);
            all(&[most, most.saturating_add(by), most.saturating_sub(1)])
        }
        ("_%_" | "modulo", Some(by)) => all(&[by + result, by, 2 * by + result, by - 1]),
        ("math.abs" | "abs", _) => all(&[-result, -result - 1]),
        ("math.sqrt", _) => all(&[result.saturating_mul(result)]),
        ("math.bitAnd" | "math.bitOr" | "math.bitXor", Some(by)) => {
            all(&[by, result | by, result ^ by, result | (by + 1)])
        }
        ("math.bitNot", _) => all(&[!result]),
        ("math.bitShiftLeft" | "math.bitShiftRight", Some(by)) if (0..32).contains(&by) => {
            all(&[result >> by, result.saturating_mul(1 << by)])
        }
        ("math.ceil" | "math.floor" | "math.round" | "math.trunc" | "ceil" | "floor" | "round", _) => {
            ["-0.5", "-0.4", "0.4", "0.5"]
                .iter()
                .filter_map(|part| part.parse::<f64>().ok())
                .map(|part| Value::from((result as f64 + part).to_string()))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// What a quantity is added to, or taken from, to give another.
fn of_quantity(form: &Form, result: &Value) -> Vec<Value> {
    let by = form.arguments.iter().find_map(text_of);
    let (Some(by), Some(result)) = (by.and_then(|by| Some(amount(&by)?.0)), text_of(result)) else {
        return Vec::new();
    };
    let Some((result, _)) = amount(&result) else { return Vec::new() };
    let sum = match form.function.as_str() {
        "add" | "subtract" | "sub" | "_+_" | "_-_" => [result - by, result + by],
        _ => return Vec::new(),
    };
    sum.iter().filter_map(|nanos| written(*nanos, "")).map(Value::from).collect()
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|number| number.to_string()))
}
