//! Values as JSON.

use super::{ListRef, MapRef, Value, duration_text};
use engine_json as json;
use engine_values::base64;
use json::{Map, Number, Str};

impl Value<'_> {
    /// The value as JSON: bytes as base64, times and durations as text, types as their names, an optional value as what
    /// it holds or null, keys as text. Numbers JSON has no word for become text.
    pub fn to_json(&self) -> json::Value {
        match self {
            Value::Null | Value::Optional(None) => json::Value::Null,
            Value::Bool(b) => json::Value::from(*b),
            Value::Int(i) => json::Value::from(*i),
            Value::Uint(u) => json::Value::from(Number::from(*u)),
            Value::Double(d) if d.is_finite() => json::Value::from(*d),
            Value::Str(text) => json::Value::from(*text),
            Value::Text(text) => json::Value::from(&**text),
            Value::Bytes(bytes) => json::Value::from(base64::encode(bytes)),
            Value::Octets(bytes) => json::Value::from(base64::encode(bytes)),
            Value::Duration(nanoseconds) => json::Value::from(duration_text(*nanoseconds)),
            Value::Timestamp(at) => json::Value::from(at.to_rfc3339()),
            Value::Optional(Some(value)) => value.to_json(),
            Value::JsonList(list, numbers) => elements(ListRef::Json(list, *numbers)),
            Value::List(list) => elements(ListRef::Made(list)),
            Value::JsonMap(map, numbers) => entries(MapRef::Json(map, *numbers)),
            Value::Map(map) => entries(MapRef::Made(map)),
            Value::Double(_) | Value::Type(_) | Value::Opaque(_) => json::Value::from(self.to_string()),
        }
    }
}

fn elements(list: ListRef<'_, '_>) -> json::Value {
    json::Value::array(list.iter().map(|element| element.to_json()).collect())
}

fn entries(map: MapRef<'_, '_>) -> json::Value {
    let entries = map.iter().map(|(key, value)| (Str::from(key.to_string()), value.to_json()));
    json::Value::object(Map::from_entries(entries.collect()))
}
