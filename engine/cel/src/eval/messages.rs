//! Protobuf's well-known messages as they are made: each becomes the value that it stands for.

use crate::error::{Error, Outcome};
use crate::value::{Map, Timestamp, Value};

/// The value of an object that was written: a well-known message is what it stands for, anything else a map with a type.
// cel-go: common/types/provider.go NewValue, and ConvertToNative of each type for the errors.
pub(super) fn made(map: Map<'_>) -> Outcome<'_> {
    let Some(name) = map.type_name.clone().filter(|name| name.starts_with("google.protobuf.")) else {
        return Ok(Value::map(map));
    };
    let short = name.strip_prefix("google.protobuf.").unwrap_or("");
    let field = |field: &str| map.get_str(field).cloned();
    let refuse = |field: &str, why: String| {
        Error::text(format!("field type conversion error for {name}.{field} value type: {why}"))
    };
    let whole = |field_name: &str, go: &str| match field(field_name) {
        None => Ok(0),
        Some(Value::Int(i)) => Ok(i),
        Some(other) => Err(refuse(field_name, misfit(&other, go))),
    };
    Ok(match short {
        "Timestamp" => {
            let nanoseconds = u32::try_from(whole("nanos", "int32")?).unwrap_or(0);
            Value::Timestamp(Timestamp { seconds: whole("seconds", "int64")?, nanoseconds, offset: 0 })
        }
        "Duration" => {
            let seconds = whole("seconds", "int64")?.saturating_mul(1_000_000_000);
            Value::Duration(seconds.saturating_add(whole("nanos", "int32")?))
        }
        "Struct" => field("fields").unwrap_or_else(|| Value::map(Map::default())),
        "ListValue" => field("values").unwrap_or_else(|| Value::list(Vec::new())),
        "Value" => map.iter().next().map_or(Value::Null, |(key, value)| match key.as_str() {
            Some("null_value") => Value::Null,
            _ => value.clone(),
        }),
        wrapper => wrapped(wrapper, field("value")).map_err(|why| refuse("value", why))?,
    })
}

/// The value of a message that wraps one.
fn wrapped<'v>(name: &str, value: Option<Value<'v>>) -> Result<Value<'v>, String> {
    let overflow = |signed: bool| {
        let sign = if signed { "" } else { "unsigned " };
        Err(format!("{sign}integer overflow"))
    };
    let (zero, go) = match name {
        "BoolValue" => (Value::Bool(false), "bool"),
        "Int32Value" => (Value::Int(0), "int32"),
        "Int64Value" => (Value::Int(0), "int64"),
        "UInt32Value" => (Value::Uint(0), "uint32"),
        "UInt64Value" => (Value::Uint(0), "uint64"),
        "FloatValue" => (Value::Double(0.0), "float32"),
        "DoubleValue" => (Value::Double(0.0), "float64"),
        "StringValue" => (Value::Str(""), "string"),
        _ => (Value::Bytes(&[]), "[]uint8"),
    };
    let Some(value) = value else { return Ok(zero) };
    match (&value, go) {
        (Value::Int(i), "int32") if i32::try_from(*i).is_err() => overflow(true),
        (Value::Uint(u), "uint32") if u32::try_from(*u).is_err() => overflow(false),
        #[expect(clippy::cast_possible_truncation, reason = "the message holds a float32")]
        (Value::Double(d), "float32") => Ok(Value::Double(f64::from(*d as f32))),
        _ if value.type_name() == zero.type_name() => Ok(value),
        _ => Err(misfit(&value, go)),
    }
}

/// The words of a type for what Go cannot have of it.
fn misfit(value: &Value<'_>, go: &str) -> String {
    match value {
        Value::Int(_) => format!("unsupported type conversion from 'int' to {go}"),
        Value::Uint(_) => format!("unsupported type conversion from 'uint' to {go}"),
        Value::Str(_) | Value::Text(_) => format!("unsupported native conversion from string to '{go}'"),
        Value::Double(_) => format!("type conversion error from Double to '{go}'"),
        Value::Bytes(_) | Value::Octets(_) => format!("type conversion error from Bytes to '{go}'"),
        Value::Duration(_) => format!("type conversion error from 'Duration' to '{go}'"),
        Value::Timestamp(_) => format!("type conversion error from 'Timestamp' to '{go}'"),
        Value::Null => format!("type conversion error from 'null_type' to '{go}'"),
        other => format!("type conversion error from {} to '{go}'", other.type_name()),
    }
}
