//! Two lists of objects as one map (Kyverno: `libs/transform`).

use super::many;
use super::native::string;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Map, Value, native_type};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "listObjToMap",
        overloads: &[many(
            "list_of_object_to_map_non_prefixed",
            "(list(dyn), list(dyn), string, string) -> map(dyn, dyn)",
            to_map,
        )],
        note: "A map: its keys are a field of the objects of one list, its values a field of those of the other.",
        examples: &[("listObjToMap([{'k': 'a'}], [{'v': 1}], 'k', 'v')", "{\"a\":1}")],
    },
    Function {
        name: "transform.listObjToMap",
        overloads: &[many(
            "list_of_object_to_map_prefixed",
            "(list(dyn), list(dyn), string, string) -> map(dyn, dyn)",
            to_map,
        )],
        note: "A map: its keys are a field of the objects of one list, its values a field of those of the other.",
        examples: &[("transform.listObjToMap([{'k': 'a'}], [{'v': 1}], 'k', 'v')", "{\"a\":1}")],
    },
];

fn to_map<'v>(_: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [keys, values, key, value] = args else { return Err(Error::no_overload()) };
    let (Some(keys), Some(values)) = (keys.as_list(), values.as_list()) else {
        return Err(Error::no_overload());
    };
    let (key, value) = (string(key).map_err(Error::text)?, string(value).map_err(Error::text)?);
    if keys.len() != values.len() {
        let lengths = format!("list1: {}, list2: {}", keys.len(), values.len());
        return Err(Error::text(format!("listObjToMap must take lists of equal length. {lengths}")));
    }
    let mut made = Map::with_capacity(keys.len());
    for (of_key, of_value) in keys.iter().zip(values.iter()) {
        let name = field(&of_key, &key)?.filter(|name| name.as_str().is_some()).ok_or_else(|| {
            Error::text("the passed key name cannot be handled as a string in the key object list")
        })?;
        let wrong = "object cannot be handled as a map string to any in the value object list";
        let found = match field(&of_value, &value) {
            Err(error) if error.to_string().starts_with("failed to ") => return Err(Error::text(wrong)),
            found => found?,
        };
        made.insert(name, found.unwrap_or(Value::Null));
    }
    // Go: what comes out is a map of Go's own, not one of an expression.
    made.is_document = true;
    Ok(Value::map(made))
}

/// A field of an object that has texts as keys.
fn field<'v>(object: &Value<'v>, name: &str) -> Result<Option<Value<'v>>, Box<Error>> {
    let Some(map) = object.as_map() else {
        let of = go_name(object);
        let panicked =
            format!("interface conversion: interface {{}} is {of}, not map[interface {{}}]interface {{}}");
        return Err(Error::internal(panicked));
    };
    if let Some((key, _)) = map.iter().find(|(key, _)| key.as_str().is_none()) {
        return Err(Error::text(format!("failed to convert key to a string, {}", go_name(&key))));
    }
    Ok(map.get(&Value::Str(name)))
}

/// What Go's `%T` says of what cel-go makes of a value for Go.
fn go_name(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::Str(_) | Value::Text(_) => "string",
        Value::Bytes(_) | Value::Octets(_) => "[]uint8",
        Value::Duration(_) => "time.Duration",
        Value::Timestamp(_) => "time.Time",
        Value::JsonList(..) | Value::List(_) => "[]interface {}",
        other => native_type(other),
    }
}
