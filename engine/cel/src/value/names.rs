//! The names of Go's types, which stand in a few errors.

use super::Value;

/// What Go's `%T` prints for the value as cel-go holds it.
pub fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::Str(_) | Value::Text(_) => "types.String",
        Value::Bytes(_) | Value::Octets(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::JsonList(..) | Value::List(_) => "*types.baseList",
        Value::JsonMap(..) | Value::Map(_) => "*types.baseMap",
        Value::Opaque(opaque) => opaque.go_type(),
    }
}

/// The same for a value that cel-go takes from a document as it lies there.
pub fn native_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::JsonList(..) => "[]interface {}",
        Value::JsonMap(..) => "map[string]interface {}",
        other => go_type(other),
    }
}
