//! Values as cel-go prints them in its errors (Go's `%v`).

use super::{ListRef, MapRef, Numbers, Timestamp, Value};
use engine_json as json;
use engine_values::go_text;
use engine_values::time::Time;
use std::fmt::{Display, Formatter, Result as FmtResult};

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(b) => b.fmt(f),
            Value::Int(i) => i.fmt(f),
            Value::Uint(u) => u.fmt(f),
            Value::Double(d) => f.write_str(&go_text::float_v(*d)),
            Value::Str(text) => f.write_str(text),
            Value::Text(text) => f.write_str(text),
            Value::Bytes(bytes) => octets(bytes, f),
            Value::Octets(bytes) => octets(bytes, f),
            Value::Duration(nanoseconds) => engine_values::duration::Duration(*nanoseconds).fmt(f),
            Value::Timestamp(at) => f.write_str(&at.to_rfc3339()),
            Value::Type(name) => f.write_str(name),
            Value::Optional(None) => f.write_str("optional.none()"),
            Value::Optional(Some(value)) => write!(f, "optional({value})"),
            Value::JsonList(list, numbers) => documents(list, *numbers, f),
            Value::List(list) => elements(ListRef::Made(list), f),
            Value::JsonMap(map, numbers) => entries(MapRef::Json(map, *numbers), f),
            Value::Map(map) => entries(MapRef::Made(map), f),
            Value::Opaque(opaque) => f.write_str(&opaque.show()),
        }
    }
}

fn octets(bytes: &[u8], f: &mut Formatter<'_>) -> FmtResult {
    f.write_str("[")?;
    for (at, byte) in bytes.iter().enumerate() {
        write!(f, "{}{byte}", if at == 0 { "" } else { " " })?;
    }
    f.write_str("]")
}

fn elements(list: ListRef<'_, '_>, f: &mut Formatter<'_>) -> FmtResult {
    f.write_str("[")?;
    for (at, element) in list.iter().enumerate() {
        write!(f, "{}{element}", if at == 0 { "" } else { ", " })?;
    }
    f.write_str("]")
}

/// The elements of a list in a document, which the original does not make values of its own of: as Go prints them.
// cel-go: common/types/list.go baseList.String.
fn documents(list: &[json::Value], numbers: Numbers, f: &mut Formatter<'_>) -> FmtResult {
    f.write_str("[")?;
    for (at, element) in list.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        as_go(element, numbers, f)?;
    }
    f.write_str("]")
}

/// A part of a document as Go's `%v` prints it; its depth is that of the document.
fn as_go(value: &json::Value, numbers: Numbers, f: &mut Formatter<'_>) -> FmtResult {
    match value {
        json::Value::Null => f.write_str("<nil>"),
        json::Value::Array(list) => {
            f.write_str("[")?;
            for (at, element) in list.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { " " })?;
                as_go(element, numbers, f)?;
            }
            f.write_str("]")
        }
        json::Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            f.write_str("map[")?;
            for (at, (key, value)) in entries.into_iter().enumerate() {
                write!(f, "{}{key}:", if at == 0 { "" } else { " " })?;
                as_go(value, numbers, f)?;
            }
            f.write_str("]")
        }
        json::Value::Bool(_) | json::Value::Number(_) | json::Value::String(_) => {
            Value::json(value, numbers).fmt(f)
        }
    }
}

fn entries(map: MapRef<'_, '_>, f: &mut Formatter<'_>) -> FmtResult {
    f.write_str("{")?;
    for (at, (key, value)) in map.iter().enumerate() {
        write!(f, "{}{key}: {value}", if at == 0 { "" } else { ", " })?;
    }
    f.write_str("}")
}

impl Timestamp {
    /// The text in RFC 3339, with up to nine digits of the second, in its own offset.
    pub fn to_rfc3339(self) -> String {
        let time = Time {
            unix: self.seconds,
            nanoseconds: self.nanoseconds,
            offset: self.offset,
            zone: engine_json::Str::default(),
        };
        time.format("2006-01-02T15:04:05.999999999Z07:00")
    }
}

/// A duration as `string()` gives it: seconds with the shortest digits, `5400s`.
// cel-go: duration.go ConvertToType. The seconds are a float64 there: long durations lose digits.
pub fn duration_text(nanoseconds: i64) -> String {
    let seconds = engine_values::duration::Duration(nanoseconds).seconds();
    let text = go_text::format_float(seconds, go_text::FloatFormat::Fixed, None);
    text + "s"
}
