//! A map whose keys are any values, in written order.

use super::convert::{double_to_int, double_to_uint};
use super::{Turns, Value};
use engine_json::Str;
use engine_json::arrange::Arrange as _;
use std::cmp::Ordering;

/// Above this many entries a map keeps a sorted index beside them.
const INDEX_FROM: usize = 16;

/// Keys and values in written order; of two equal keys the last value stays, at the place of the first.
#[derive(Clone, Debug, Default)]
pub struct Map<'v> {
    entries: Vec<(Value<'v>, Value<'v>)>,
    /// Places of the entries, sorted by key; empty unless there are more than `INDEX_FROM`.
    // INVARIANT: a permutation of 0..entries.len() sorted by `order`, or empty with at most INDEX_FROM entries.
    index: Vec<u32>,
    /// The name of its type, where it is an object: `Object.spec`.
    pub type_name: Option<Str>,
    /// Whether it was read from a text as a whole, and not made by an expression.
    pub is_document: bool,
}

impl<'v> Map<'v> {
    /// A map without entries and room for some.
    pub fn with_capacity(capacity: usize) -> Self {
        Map { entries: Vec::with_capacity(capacity), index: Vec::new(), type_name: None, is_document: false }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a place of the written order.
    pub fn at(&self, at: usize) -> Option<&(Value<'v>, Value<'v>)> {
        self.entries.get(at)
    }

    /// The entries in written order.
    pub fn iter(&self) -> impl Iterator<Item = &(Value<'v>, Value<'v>)> {
        self.entries.iter()
    }

    /// In which order its entries are iterated: that of their keys, truth values, numbers, texts.
    pub(super) fn turns(&self) -> Turns {
        let key = |at: usize| self.entries.get(at).map_or(&Value::Null, |entry| &entry.0);
        Turns::of(self.entries.len(), &self.index, |a, b| order(key(a), key(b)))
    }

    /// The value under a key; a number of another type is the same key where it is the same number.
    pub fn get(&self, key: &Value<'_>) -> Option<&Value<'v>> {
        let at = self.position(key).or_else(|| match *key {
            Value::Double(d) => double_to_int(d)
                .and_then(|i| self.position(&Value::Int(i)))
                .or_else(|| double_to_uint(d).and_then(|u| self.position(&Value::Uint(u)))),
            Value::Int(i) => u64::try_from(i).ok().and_then(|u| self.position(&Value::Uint(u))),
            Value::Uint(u) => i64::try_from(u).ok().and_then(|i| self.position(&Value::Int(i))),
            _ => None,
        })?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The value under a key that is a string.
    pub fn get_str(&self, key: &str) -> Option<&Value<'v>> {
        self.get(&Value::Str(key))
    }

    /// Sets a key, at its place if it is there, else at the end.
    pub fn insert(&mut self, key: Value<'v>, value: Value<'v>) {
        if let Some(entry) = self.position(&key).and_then(|at| self.entries.get_mut(at)) {
            entry.1 = value;
            return;
        }
        self.append(key, value);
    }

    /// Sets a key that is not there yet; says whether it was not.
    pub fn insert_new(&mut self, key: Value<'v>, value: Value<'v>) -> bool {
        if self.get(&key).is_some() {
            return false;
        }
        self.append(key, value);
        true
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &Value<'_>) {
        let Some(at) = self.position(key) else { return };
        self.entries.remove(at);
        self.index.clear();
        self.reindex();
    }

    fn append(&mut self, key: Value<'v>, value: Value<'v>) {
        if !self.index.is_empty() {
            let at = self.search(&key).unwrap_or_else(|at| at);
            self.index.insert(at, u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        }
        self.entries.push((key, value));
        if self.index.is_empty() {
            self.reindex();
        }
    }

    fn reindex(&mut self) {
        if self.entries.len() > INDEX_FROM {
            self.index.extend(0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
            let entries = &self.entries;
            let key = |at: &u32| entries.get(*at as usize).map_or(&Value::Null, |entry| &entry.0);
            self.index.arrange_by(|a, b| order(key(a), key(b)));
        }
    }

    fn search(&self, key: &Value<'_>) -> Result<usize, usize> {
        self.index.binary_search_by(|at| {
            order(self.entries.get(*at as usize).map_or(&Value::Null, |entry| &entry.0), key)
        })
    }

    /// The place of a key of the same type and value.
    fn position(&self, key: &Value<'_>) -> Option<usize> {
        if self.index.is_empty() || rank(key) == OTHER {
            return self.entries.iter().position(|(known, _)| same(known, key));
        }
        self.search(key).ok().and_then(|found| self.index.get(found)).map(|at| *at as usize)
    }
}

impl<'v> FromIterator<(Value<'v>, Value<'v>)> for Map<'v> {
    fn from_iter<I: IntoIterator<Item = (Value<'v>, Value<'v>)>>(entries: I) -> Self {
        let mut map = Map::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

const OTHER: u8 = 5;

fn rank(key: &Value<'_>) -> u8 {
    match key {
        Value::Bool(_) => 0,
        Value::Int(_) => 1,
        Value::Uint(_) => 2,
        Value::Double(_) => 3,
        Value::Str(_) | Value::Text(_) => 4,
        _ => OTHER,
    }
}

fn order(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
        (Value::Double(a), Value::Double(b)) => (a + 0.0).total_cmp(&(b + 0.0)),
        _ => match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

/// Whether Go's map holds both for one key: the same type and the same value, lists and maps never.
fn same(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Uint(a), Value::Uint(b)) => a == b,
        (Value::Double(a), Value::Double(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        _ => match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}
