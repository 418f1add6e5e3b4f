//! A map of JSON that keeps the order in which its keys were written.

use crate::arrange::Arrange as _;
use crate::{Str, Value};

/// Above this many keys a map keeps a sorted index beside its entries.
const INDEX_FROM: usize = 16;

/// Keys and values in written order; looking up a key costs a scan of a few entries, or a binary search in a
/// large map. Two maps are equal when they hold equal values under equal keys, whatever the order.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<(Str, Value)>,
    /// Positions of `entries` sorted by key; empty unless there are more than `INDEX_FROM` entries.
    // INVARIANT: a permutation of 0..entries.len() sorted by key, or empty with at most INDEX_FROM entries.
    index: Vec<u32>,
}

impl Map {
    /// A map without entries.
    pub fn new() -> Self {
        Map::default()
    }

    /// A map of these entries; of two entries with one key the later value stands at the earlier place.
    pub fn from_entries(entries: Vec<(Str, Value)>) -> Self {
        let mut map = Map { entries, index: Vec::new() };
        if map.has_duplicates() {
            let mut merged = Map::new();
            for (key, value) in map.entries {
                merged.insert(key, value);
            }
            return merged;
        }
        map.reindex();
        map
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).and_then(|at| self.entries.get(at)).map(|(_, value)| value)
    }

    /// The value at a place of the written order, if the key there is this one.
    #[inline]
    pub fn get_at(&self, at: usize, key: &str) -> Option<&Value> {
        self.entries.get(at).filter(|(known, _)| is_same(known, key)).map(|(_, value)| value)
    }

    /// The value under `key`, to change in place.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.position(key)?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether `key` is there, even with a null value.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets `key`, at its place if it is there and at the end if not; returns the value it had.
    pub fn insert(&mut self, key: impl Into<Str>, value: Value) -> Option<Value> {
        let key = key.into();
        if let Some(entry) = self.position(&key).and_then(|at| self.entries.get_mut(at)) {
            return Some(std::mem::replace(&mut entry.1, value));
        }
        if !self.index.is_empty() {
            let at = self.search(&key).unwrap_or_else(|at| at);
            self.index.insert(at, u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        }
        self.entries.push((key, value));
        if self.index.is_empty() {
            self.reindex();
        }
        None
    }

    /// Takes `key` out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key)?;
        let (_, value) = self.entries.remove(at);
        self.reindex();
        Some(value)
    }

    /// Keeps the entries for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
        self.reindex();
    }

    /// The entries in written order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Str, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries in written order, values to change in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Str, &mut Value)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The entries in the byte order of their keys, as Go prints a map.
    pub fn sorted(&self) -> Vec<(&Str, &Value)> {
        let mut entries: Vec<_> = self.iter().collect();
        entries.arrange_by(|a, b| a.0.cmp(b.0));
        entries
    }

    /// The places of the entries sorted by key, where they are kept: in maps of more than a few entries.
    pub fn sorted_places(&self) -> &[u32] {
        &self.index
    }

    /// The keys in written order.
    pub fn keys(&self) -> impl Iterator<Item = &Str> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in written order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The entry at place `at` of the written order.
    pub fn at(&self, at: usize) -> Option<(&Str, &Value)> {
        self.entries.get(at).map(|(key, value)| (key, value))
    }

    /// The place of `key` in the written order.
    pub fn position(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|(known, _)| is_same(known, key));
        }
        let found = self.search(key).ok()?;
        self.index.get(found).map(|&at| at as usize)
    }

    fn search(&self, key: &str) -> Result<usize, usize> {
        self.index.binary_search_by(|&at| self.entries.get(at as usize).map_or("", |e| e.0.as_str()).cmp(key))
    }

    fn reindex(&mut self) {
        self.index.clear();
        if self.entries.len() > INDEX_FROM {
            self.index.extend(0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
            let entries = &self.entries;
            let key = |at: &u32| entries.get(*at as usize).map_or("", |e| e.0.as_str());
            self.index.arrange_by(|a, b| key(a).cmp(key(b)));
        }
    }

    fn has_duplicates(&self) -> bool {
        if self.entries.len() <= INDEX_FROM {
            let seen = |at: usize, key: &Str| self.entries.iter().take(at).any(|(k, _)| k == key);
            return self.entries.iter().enumerate().any(|(at, (key, _))| seen(at, key));
        }
        let mut keys: Vec<&str> = self.entries.iter().map(|(key, _)| key.as_str()).collect();
        keys.arrange();
        keys.windows(2).any(|pair| pair.first() == pair.last())
    }
}

/// Whether two keys are the same. Most are so short that calling for a comparison would take longer than it does.
#[inline]
fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // The first and the last bytes overlap where there are fewer than twice as many.
    match a.len() {
        8..=16 => a.first_chunk::<8>() == b.first_chunk() && a.last_chunk::<8>() == b.last_chunk(),
        4..=7 => a.first_chunk::<4>() == b.first_chunk() && a.last_chunk::<4>() == b.last_chunk(),
        0..=3 => a.iter().zip(b).all(|(a, b)| a == b),
        _ => a == b,
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Into<Str>> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        Map::from_entries(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl IntoIterator for Map {
    type Item = (Str, Value);
    type IntoIter = std::vec::IntoIter<(Str, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_all_of_its_bytes() {
        for length in 0..40 {
            let key = "a".repeat(length);
            let map: Map = [(key.as_str(), Value::Null)].into_iter().collect();
            assert_eq!((map.position(&key), map.get_at(0, &key)), (Some(0), Some(&Value::Null)));
            for at in 0..length {
                let mut other = key.clone();
                other.replace_range(at..=at, "b");
                assert_eq!((map.position(&other), map.get_at(0, &other)), (None, None), "{other}");
            }
            assert_eq!(map.position(&format!("{key}a")), None);
            assert_eq!(map.get_at(1, &key), None);
        }
    }
}
