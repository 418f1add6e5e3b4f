//! `format` as `ext.Strings` has it since version 4: doubles as Go writes them, in no language (cel-go:
//! `ext/formatting_v2.go`). The specification's cases ask for it, and whoever declares the newest libraries.
//!
//! In: a text with clauses and a list of values. Out: the text with the values in it.

use super::format::{filled, hex, whole};
use crate::cost;
use crate::error::Outcome;
use crate::function::{Function, Host, Overload, Run};
use crate::value::{ListRef, MapRef, Timestamp, Value, duration_text};
use engine_json::arrange::Arrange as _;
use engine_values::go_text::{self, FloatFormat};

/// The row.
pub(super) const ROWS: &[Function] = &[Function {
    name: "format",
    overloads: &[Overload::new("string_format", "string.(list(dyn)) -> string")
        .run(Run::Two(format))
        .cost(cost::TEXT)],
    note: "The text with `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` replaced by the arguments.",
    examples: &[("'%s: %.1e'.format(['a', 20])", "\"a: 2.0e+01\"")],
}];

fn format<'v>(host: &mut Host<'_>, text: Value<'v>, args: Value<'v>) -> Outcome<'v> {
    filled(host, &text, &args, clause)
}

fn clause(
    _: &mut Host<'_>,
    letter: char,
    precision: Option<usize>,
    arg: &Value<'_>,
) -> Result<String, String> {
    let precision = precision.unwrap_or(6);
    let refuse = |what: &str| Err(format!("{what}, was given {}", arg.type_name()));
    match letter {
        's' => string(arg),
        'd' => match arg {
            Value::Int(i) => Ok(i.to_string()),
            Value::Uint(u) => Ok(u.to_string()),
            Value::Double(d) => Ok(double(*d, FloatFormat::Fixed, None)),
            _ => refuse("decimal clause can only be used on ints, uints, and doubles"),
        },
        'f' => match number(arg) {
            Some(value) => Ok(double(value, FloatFormat::Fixed, Some(precision))),
            None => refuse("fixed-point clause can only be used on ints, uints, and doubles"),
        },
        'e' => match number(arg) {
            Some(value) => Ok(double(value, FloatFormat::LowerExponent, Some(precision))),
            None => refuse("scientific clause can only be used on ints, uints, and doubles"),
        },
        'b' => match arg {
            Value::Bool(b) => Ok(u8::from(*b).to_string()),
            _ => whole(arg, "only ints, uints, and bools can be formatted as binary", |n| format!("{n:b}")),
        },
        'o' => whole(arg, "octal clause can only be used on ints and uints", |n| format!("{n:o}")),
        upper => hex(arg, "only ints, uints, bytes, and strings can be formatted as hex", upper == 'X'),
    }
}

fn number(arg: &Value<'_>) -> Option<f64> {
    match arg {
        Value::Int(i) => Some(*i as f64),
        Value::Uint(u) => Some(*u as f64),
        Value::Double(d) => Some(*d),
        _ => None,
    }
}

fn double(value: f64, format: FloatFormat, precision: Option<usize>) -> String {
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        _ => go_text::format_float(value, format, precision),
    }
}

/// A value as it is, also within a list or a map. The depth is that of the value.
fn string(value: &Value<'_>) -> Result<String, String> {
    if let Some(list) = value.as_list() {
        return elements(list);
    }
    if let Some(map) = value.as_map() {
        return entries(map);
    }
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Uint(u) => u.to_string(),
        Value::Double(d) => double(*d, FloatFormat::Fixed, None),
        Value::Str(text) => (*text).to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Bytes(_) | Value::Octets(_) => {
            String::from_utf8_lossy(value.as_bytes().unwrap_or_default()).into_owned()
        }
        Value::Duration(nanoseconds) => duration_text(*nanoseconds),
        Value::Timestamp(at) => Timestamp { offset: 0, ..*at }.to_rfc3339(),
        Value::Type(name) => (*name).to_string(),
        other => {
            let what = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
            return Err(format!("{what}, was given {}", other.type_name()));
        }
    })
}

fn elements(list: ListRef<'_, '_>) -> Result<String, String> {
    let parts = list.iter().map(|element| string(&element)).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[{}]", parts.join(", ")))
}

fn entries(map: MapRef<'_, '_>) -> Result<String, String> {
    let parts = map.iter().map(|(key, value)| Ok((string(&key)?, string(&value)?)));
    let mut parts = parts.collect::<Result<Vec<_>, String>>()?;
    parts.arrange_by(|a, b| a.0.cmp(&b.0));
    let parts: Vec<String> = parts.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
    Ok(format!("{{{}}}", parts.join(", ")))
}
