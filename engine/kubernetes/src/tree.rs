//! Reaching into an object and changing it there, as Go's code does with structs.

use engine_json::{Map, Str, Value};

/// A change that a function makes to an object.
pub(crate) type Change = fn(&mut Map);

/// A field that is an object, where it is there.
pub(crate) fn within<'m>(map: &'m mut Map, key: &str) -> Option<&'m mut Map> {
    map.get_mut(key).and_then(Value::object_mut)
}

/// A field that is an object, made where it is not there.
pub(crate) fn made<'m>(map: &'m mut Map, key: &'static str) -> &'m mut Map {
    if map.get(key).is_none_or(|value| value.as_object().is_none()) {
        map.insert(Str::new_static(key), Value::object(Map::new()));
    }
    // Made above.
    match map.get_mut(key) {
        Some(value) => value.make_object(),
        None => map_of_none(),
    }
}

#[expect(clippy::unreachable, reason = "the caller has just made what it looks for")]
fn map_of_none<'m>() -> &'m mut Map {
    unreachable!("made a map above")
}

/// The objects of a list.
pub(crate) fn items<'m>(map: &'m mut Map, key: &str) -> impl Iterator<Item = &'m mut Map> {
    map.get_mut(key).and_then(Value::array_mut).into_iter().flatten().filter_map(Value::object_mut)
}

/// The text of a field; empty where there is none.
pub(crate) fn text<'m>(map: &'m Map, key: &str) -> &'m str {
    map.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Gives a field a value where it has none.
pub(crate) fn fill(map: &mut Map, key: &'static str, value: impl Into<Value>) {
    if !map.contains_key(key) {
        map.insert(Str::new_static(key), value.into());
    }
}

/// Sets a field.
pub(crate) fn set(map: &mut Map, key: &'static str, value: impl Into<Value>) {
    map.insert(Str::new_static(key), value.into());
}

/// How many items a list or a map has.
pub(crate) fn count(map: &Map, key: &str) -> usize {
    match map.get(key) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(map)) => map.len(),
        _ => 0,
    }
}

/// No fields.
pub(crate) fn nothing() -> Value {
    Value::object(Map::new())
}
