//! Values: what expressions are evaluated over and what they give.
//!
//! In: JSON documents, constants of a program, results of functions. Out: one small type that borrows from documents and
//! programs and shares what was made while evaluating: no document is copied, and a clone copies 24 bytes.

pub mod convert;
mod equal;
mod json;
mod map;
mod names;
mod opaque;
mod order;
mod show;
mod turns;

pub use equal::{Equality, contains, equal};
pub use map::Map;
pub use names::{go_type, native_type};
pub use opaque::Opaque;
pub use order::{NotOrdered, compare, is_ordered};
pub use show::duration_text;
pub(crate) use turns::Turns;

use engine_json as json_crate;
use json_crate::Number;
use std::sync::Arc;

/// Which type the numbers of a document have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As they stand there: whole numbers are `int`. So a cluster has them.
    AsWritten,
    /// All of them `double`. So the Kyverno CLI has what it read from YAML.
    Doubles,
    /// A `double` whose text in JSON is a whole number is an `int`. So apimachinery has what was written and read once more.
    Whole,
}

impl Numbers {
    /// The number as an `int`, where it is one.
    pub fn int(self, number: Number) -> Option<i64> {
        match (number, self) {
            (Number::Int(i), Numbers::AsWritten | Numbers::Whole) => Some(i),
            (Number::Float(f), Numbers::Whole) => json_crate::float_text(f).parse().ok(),
            _ => None,
        }
    }
}

/// A point in time, with the offset in which it is shown. Two are equal when they are the same instant.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since the start of 1970 in UTC.
    pub seconds: i64,
    /// Nanoseconds behind that second, below 10^9.
    pub nanoseconds: u32,
    /// The distance to UTC in seconds, east is positive.
    pub offset: i32,
}

/// A value.
// The tag takes a word, so that values are copied by words.
#[derive(Clone, Debug)]
#[repr(u64)]
pub enum Value<'v> {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `uint`.
    Uint(u64),
    /// `double`.
    Double(f64),
    /// A string that lies in a document or a program.
    Str(&'v str),
    /// A string that was made.
    Text(Arc<str>),
    /// `bytes` of a program.
    Bytes(&'v [u8]),
    /// `bytes` that were made.
    Octets(Arc<[u8]>),
    /// `google.protobuf.Duration`, in nanoseconds.
    Duration(i64),
    /// `google.protobuf.Timestamp`.
    Timestamp(Timestamp),
    /// A type, by its name.
    Type(&'v str),
    /// `optional_type`.
    Optional(Option<Arc<Value<'v>>>),
    /// A list that lies in a document.
    JsonList(&'v Vec<json_crate::Value>, Numbers),
    /// A list that was made.
    List(Arc<Vec<Value<'v>>>),
    /// A map that lies in a document.
    JsonMap(&'v json_crate::Map, Numbers),
    /// A map that was made.
    Map(Arc<Map<'v>>),
    /// A value of a type that the user of the language brings: a quantity, an address.
    Opaque(Arc<dyn Opaque>),
}

impl<'v> Value<'v> {
    /// A part of a document.
    pub fn json(value: &'v json_crate::Value, numbers: Numbers) -> Self {
        match value {
            json_crate::Value::Null => Value::Null,
            json_crate::Value::Bool(b) => Value::Bool(*b),
            json_crate::Value::Number(number) => Value::number(*number, numbers),
            json_crate::Value::String(text) => Value::Str(text),
            json_crate::Value::Array(list) => Value::JsonList(list, numbers),
            json_crate::Value::Object(map) => Value::JsonMap(map, numbers),
        }
    }

    fn number(number: Number, numbers: Numbers) -> Self {
        match (numbers.int(number), number, numbers) {
            (Some(i), ..) => Value::Int(i),
            (None, Number::Uint(u), Numbers::AsWritten) => Value::Uint(u),
            (None, number, _) => Value::Double(number.as_f64()),
        }
    }

    /// A string that was made.
    pub fn text(text: &str) -> Self {
        Value::Text(Arc::from(text))
    }

    /// A list that was made.
    pub fn list(elements: Vec<Value<'v>>) -> Self {
        Value::List(Arc::new(elements))
    }

    /// A map that was made.
    pub fn map(map: Map<'v>) -> Self {
        Value::Map(Arc::new(map))
    }

    /// An optional value that is there.
    pub fn some(value: Value<'v>) -> Self {
        Value::Optional(Some(Arc::new(value)))
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The bytes, if this is `bytes`.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            Value::Octets(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// The elements, if this is a list.
    pub fn as_list(&self) -> Option<ListRef<'_, 'v>> {
        match self {
            Value::JsonList(list, numbers) => Some(ListRef::Json(list, *numbers)),
            Value::List(list) => Some(ListRef::Made(list)),
            _ => None,
        }
    }

    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<MapRef<'_, 'v>> {
        match self {
            Value::JsonMap(map, numbers) => Some(MapRef::Json(map, *numbers)),
            Value::Map(map) => Some(MapRef::Made(map)),
            _ => None,
        }
    }

    /// The name of the type, as cel-go has it at run time.
    pub fn type_name(&self) -> &str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::Str(_) | Value::Text(_) => "string",
            Value::Bytes(_) | Value::Octets(_) => "bytes",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::JsonList(..) | Value::List(_) => "list",
            Value::JsonMap(..) => "map",
            Value::Map(map) => map.type_name.as_deref().unwrap_or("map"),
            Value::Opaque(opaque) => opaque.type_name(),
        }
    }

    /// How many characters, bytes, elements or entries there are; `None` for what has no size.
    pub fn size(&self) -> Option<u64> {
        Some(match self {
            Value::Str(text) => characters(text),
            Value::Text(text) => characters(text),
            Value::Bytes(bytes) => bytes.len() as u64,
            Value::Octets(bytes) => bytes.len() as u64,
            Value::JsonList(list, _) => list.len() as u64,
            Value::List(list) => list.len() as u64,
            Value::JsonMap(map, _) => map.len() as u64,
            Value::Map(map) => map.len() as u64,
            Value::Opaque(opaque) => return opaque.size(),
            _ => return None,
        })
    }
}

/// How many characters a text has.
pub(crate) fn characters(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

/// The elements of a list, wherever they lie.
#[derive(Clone, Copy, Debug)]
pub enum ListRef<'a, 'v> {
    /// In a document.
    Json(&'v [json_crate::Value], Numbers),
    /// Made.
    Made(&'a [Value<'v>]),
}

impl<'a, 'v> ListRef<'a, 'v> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            ListRef::Json(list, _) => list.len(),
            ListRef::Made(list) => list.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The element at a place.
    pub fn get(self, at: usize) -> Option<Value<'v>> {
        match self {
            ListRef::Json(list, numbers) => list.get(at).map(|value| Value::json(value, numbers)),
            ListRef::Made(list) => list.get(at).cloned(),
        }
    }

    /// The elements in their order.
    pub fn iter(self) -> impl Iterator<Item = Value<'v>> + use<'a, 'v> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}

/// The entries of a map, wherever they lie.
#[derive(Clone, Copy, Debug)]
pub enum MapRef<'a, 'v> {
    /// In a document.
    Json(&'v json_crate::Map, Numbers),
    /// Made.
    Made(&'a Map<'v>),
}

impl<'a, 'v> MapRef<'a, 'v> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            MapRef::Json(map, _) => map.len(),
            MapRef::Made(map) => map.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value under a key. Numbers of different types are the same key where they are the same number.
    // cel-go: common/types/map.go, refValMapAccessor.Find.
    pub fn get(self, key: &Value<'_>) -> Option<Value<'v>> {
        match self {
            MapRef::Json(map, numbers) => map.get(key.as_str()?).map(|value| Value::json(value, numbers)),
            MapRef::Made(map) => map.get(key).cloned(),
        }
    }

    /// The entry at a place of the written order.
    pub fn at(self, at: usize) -> Option<(Value<'v>, Value<'v>)> {
        match self {
            MapRef::Json(map, numbers) => {
                map.at(at).map(|(key, value)| (Value::Str(key), Value::json(value, numbers)))
            }
            MapRef::Made(map) => map.at(at).cloned(),
        }
    }

    /// The entries in written order.
    pub fn iter(self) -> impl Iterator<Item = (Value<'v>, Value<'v>)> + use<'a, 'v> {
        (0..self.len()).filter_map(move |at| self.at(at))
    }

    /// In which order the entries are iterated: that of their keys. The original's is random.
    pub(crate) fn turns(self) -> Turns {
        match self {
            MapRef::Json(map, _) => {
                let key = |at: usize| map.at(at).map_or("", |(key, _)| key.as_str());
                Turns::of(map.len(), map.sorted_places(), |a, b| key(a).cmp(key(b)))
            }
            MapRef::Made(map) => map.turns(),
        }
    }
}
