//! The value itself.

use crate::{Map, Number, Segment, Str};
use std::sync::Arc;

/// A JSON value. Lists and maps are shared: `clone` copies a pointer, [`Value::make_object`] and
/// [`Value::make_array`] copy one level when it is shared and is about to change.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`; Go's `nil`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number with its Go type.
    Number(Number),
    /// A string.
    String(Str),
    /// A list; Go's `[]interface{}`.
    Array(Arc<Vec<Value>>),
    /// A map; Go's `map[string]interface{}`.
    Object(Arc<Map>),
}

impl Value {
    /// A list of these values.
    pub fn array(values: Vec<Value>) -> Self {
        Value::Array(Arc::new(values))
    }

    /// A map as a value.
    pub fn object(map: Map) -> Self {
        Value::Object(Arc::new(map))
    }

    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object().and_then(|map| map.get(key))
    }

    /// The value at place `at`, if this is a list that long.
    pub fn at(&self, at: usize) -> Option<&Value> {
        self.as_array().and_then(|list| list.get(at))
    }

    /// The value at the end of `path`, if every step is there.
    pub fn at_path<'a>(&self, path: impl IntoIterator<Item = &'a Segment>) -> Option<&Value> {
        path.into_iter().try_fold(self, |value, segment| match segment {
            Segment::Key(key) => value.get(key),
            Segment::Index(at) => value.at(*at as usize),
        })
    }

    /// The value under nested keys: `pod.find(&["metadata", "name"])`.
    pub fn find(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The string under nested keys, or the empty string where it is missing or no string.
    pub fn find_str(&self, keys: &[&str]) -> &str {
        self.find(keys).and_then(Value::as_str).unwrap_or("")
    }

    /// The map, if this is one.
    pub fn as_object(&self) -> Option<&Map> {
        if let Value::Object(map) = self { Some(map) } else { None }
    }

    /// The list, if this is one.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Value::Array(list) = self { Some(list) } else { None }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<Number> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }

    /// The number as `float64`, if this is one of any type.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The number, if this is an `int64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The map to change in place, copied first if it is shared; anything else becomes an empty map.
    pub fn make_object(&mut self) -> &mut Map {
        if !matches!(self, Value::Object(_)) {
            *self = Value::object(Map::new());
        }
        match self {
            Value::Object(map) => Arc::make_mut(map),
            #[expect(clippy::unreachable, reason = "the line above made it a map")]
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                unreachable!("made a map above")
            }
        }
    }

    /// The map to change in place, copied first if it is shared; `None` for anything else.
    pub fn object_mut(&mut self) -> Option<&mut Map> {
        if let Value::Object(map) = self { Some(Arc::make_mut(map)) } else { None }
    }

    /// The list to change in place, copied first if it is shared; `None` for anything else.
    pub fn array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Value::Array(list) = self { Some(Arc::make_mut(list)) } else { None }
    }

    /// The same tree with every number as `float64`, as Go's `encoding/json` reads numbers into `interface{}`.
    /// Parts without whole numbers are shared with the original.
    #[must_use]
    pub fn with_float_numbers(&self) -> Value {
        self.float_numbers().unwrap_or_else(|| self.clone())
    }

    /// The same tree as apimachinery reads it from JSON text: a `float64` whose text is a whole number that fits
    /// `int64` (`1e3` in YAML is `1000` in JSON) becomes an `int64`.
    // Go: k8s.io/apimachinery/pkg/util/json ConvertInterfaceNumbers.
    #[must_use]
    pub fn with_int_numbers(&self) -> Value {
        match self {
            Value::Number(Number::Float(f)) => {
                crate::float_text(*f).parse::<i64>().map_or_else(|_| self.clone(), Value::from)
            }
            Value::Number(Number::Uint(u)) => Value::from(*u as f64),
            Value::Array(list) if list.iter().any(Value::has_floats) => {
                Value::array(list.iter().map(Value::with_int_numbers).collect())
            }
            Value::Object(map) if map.values().any(Value::has_floats) => {
                Value::object(map.iter().map(|(key, item)| (key.clone(), item.with_int_numbers())).collect())
            }
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => self.clone(),
        }
    }

    /// Whether any number in it is not an `int64`.
    pub fn has_floats(&self) -> bool {
        match self {
            Value::Number(Number::Float(_) | Number::Uint(_)) => true,
            Value::Array(list) => list.iter().any(Value::has_floats),
            Value::Object(map) => map.values().any(Value::has_floats),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(Number::Int(_)) => false,
        }
    }

    /// `None` when nothing in the tree changes.
    fn float_numbers(&self) -> Option<Value> {
        match self {
            Value::Number(n @ (Number::Int(_) | Number::Uint(_))) => Some(Value::from(n.as_f64())),
            Value::Array(list) => {
                let mut changed: Option<Vec<Value>> = None;
                for (at, item) in list.iter().enumerate() {
                    if let Some(new) = item.float_numbers()
                        && let Some(slot) = changed.get_or_insert_with(|| list.to_vec()).get_mut(at)
                    {
                        *slot = new;
                    }
                }
                changed.map(Value::array)
            }
            Value::Object(map) => {
                let mut changed: Option<Map> = None;
                for (key, item) in map.iter() {
                    if let Some(new) = item.float_numbers() {
                        changed.get_or_insert_with(|| (**map).clone()).insert(key.clone(), new);
                    }
                }
                changed.map(Value::object)
            }
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(Number::Float(_)) => None,
        }
    }

    /// The name of the Go type that holds such a value in an `interface{}`, as `%T` prints it.
    pub fn go_type(&self) -> &'static str {
        match self {
            Value::Null => "<nil>",
            Value::Bool(_) => "bool",
            Value::Number(Number::Int(_)) => "int64",
            Value::Number(Number::Uint(_)) => "uint64",
            Value::Number(Number::Float(_)) => "float64",
            Value::String(_) => "string",
            Value::Array(_) => "[]interface {}",
            Value::Object(_) => "map[string]interface {}",
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Value::Number(Number::Int(i))
    }
}

impl From<f64> for Value {
    fn from(f: f64) -> Self {
        Value::Number(Number::Float(f))
    }
}

impl From<Number> for Value {
    fn from(n: Number) -> Self {
        Value::Number(n)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(Str::new(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(Str::new(text))
    }
}

impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Value::String(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(list: Vec<Value>) -> Self {
        Value::array(list)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Value::object(map)
    }
}
