//! Maps and sets in the order of their keys, in little code.
//!
//! In: keys and values. Out: the same as `BTreeMap` and `BTreeSet` give. The standard library writes its tree out anew for each type
//! of key and value, four kilobytes each, seventy times in a module. Here the entries lie in one list, and one body for all of them
//! keeps their places in order: blocks of places, so that an entry more costs little however many there are. What holds as many
//! entries as there are resources stays a `BTreeMap`.

mod places;

use places::{Order, Places};
use std::borrow::Borrow;
use std::fmt::{Debug, Formatter};
use std::iter::FusedIterator;

/// A map in the order of its keys.
#[derive(Clone)]
pub struct OrderedMap<K, V> {
    entries: Vec<(K, V)>,
    order: Order,
}

impl<K, V> OrderedMap<K, V> {
    /// The empty map.
    pub const fn new() -> Self {
        OrderedMap { entries: Vec::new(), order: Order::new() }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: &self.entries, places: self.order.places() }
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values, in no order that anybody should rely on.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        *self = OrderedMap::new();
    }

    /// The values alone, in the order of their keys.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// Where a key is among the entries, or where in the order it would stand.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, (usize, usize)>
    where
        K: Borrow<Q>,
    {
        let entries = &self.entries;
        self.order.find(&mut |at| {
            entries.get(at).map_or(std::cmp::Ordering::Less, |(known, _)| known.borrow().cmp(key))
        })
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The same, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether there is a value of this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets a value; the one that was there before. A key that is there stays as it is.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => self.entries.get_mut(at).map(|(_, known)| std::mem::replace(known, value)),
            Err(place) => {
                self.order.insert(place, self.entries.len());
                self.entries.push((key, value));
                None
            }
        }
    }

    /// Takes a value away.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        let entries = &self.entries;
        self.order.remove(at, entries.len(), &mut |place, by| match (entries.get(place), entries.get(by)) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            _ => std::cmp::Ordering::Less,
        });
        Some(self.entries.swap_remove(at).1)
    }

    /// The value of a key, made where there is none.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.find(&key) {
            Ok(at) => at,
            Err(place) => {
                let at = self.entries.len();
                self.order.insert(place, at);
                self.entries.push((key, make()));
                at
            }
        };
        #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
        let (_, value) = &mut self.entries[at];
        value
    }

    /// What stands at a key.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { map: self, key }
    }
}

/// A key and its place in a map.
pub struct Entry<'a, K, V> {
    map: &'a mut OrderedMap<K, V>,
    key: K,
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    /// The value, or this one.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.map.or_insert_with(self.key, || value)
    }

    /// The value, or one that is made.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        self.map.or_insert_with(self.key, make)
    }

    /// The value, or an empty one.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.map.or_insert_with(self.key, V::default)
    }
}

/// The entries of a map.
pub struct Iter<'a, K, V> {
    entries: &'a [(K, V)],
    places: Places<'a>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { entries: self.entries, places: self.places.clone() }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.entries.get(self.places.next()?).map(|(key, value)| (key, value))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.get(self.places.next_back()?).map(|(key, value)| (key, value))
    }
}

impl<K, V> FusedIterator for Iter<'_, K, V> {}

impl<'a, K, V> IntoIterator for &'a OrderedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The entries of a map that is no longer needed.
pub struct IntoIter<K, V> {
    entries: Vec<Option<(K, V)>>,
    places: std::vec::IntoIter<usize>,
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<Self::Item> {
        self.entries.get_mut(self.places.next()?)?.take()
    }
}

impl<K, V> DoubleEndedIterator for IntoIter<K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.get_mut(self.places.next_back()?)?.take()
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        let places = self.order.all();
        IntoIter { entries: self.entries.into_iter().map(Some).collect(), places: places.into_iter() }
    }
}

impl<K: Ord, V> Extend<(K, V)> for OrderedMap<K, V> {
    fn extend<T: IntoIterator<Item = (K, V)>>(&mut self, entries: T) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut map = OrderedMap::new();
        map.extend(entries);
        map
    }
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        OrderedMap::new()
    }
}

impl<K: Debug, V: Debug> Debug for OrderedMap<K, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for OrderedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for OrderedMap<K, V> {}

/// A set in the order of its elements.
#[derive(Clone)]
pub struct OrderedSet<T> {
    map: OrderedMap<T, ()>,
}

impl<T> OrderedSet<T> {
    /// The empty set.
    pub const fn new() -> Self {
        OrderedSet { map: OrderedMap::new() }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The elements.
    pub fn iter(&self) -> Elements<'_, T> {
        Elements { entries: self.map.iter() }
    }

    /// Forgets all elements.
    pub fn clear(&mut self) {
        self.map.clear();
    }

    /// The smallest element.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The largest element.
    pub fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }
}

impl<T: Ord> OrderedSet<T> {
    /// Adds an element; whether it is new.
    pub fn insert(&mut self, element: T) -> bool {
        let before = self.len();
        self.map.or_insert_with(element, || ());
        self.len() > before
    }

    /// Whether it is an element.
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(element)
    }

    /// Takes an element away; whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(element).is_some()
    }
}

/// The elements of a set.
pub struct Elements<'a, T> {
    entries: Iter<'a, T, ()>,
}

impl<T> Clone for Elements<'_, T> {
    fn clone(&self) -> Self {
        Elements { entries: self.entries.clone() }
    }
}

impl<'a, T> Iterator for Elements<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.entries.next().map(|(element, ())| element)
    }
}

impl<T> DoubleEndedIterator for Elements<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.next_back().map(|(element, ())| element)
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type Item = &'a T;
    type IntoIter = Elements<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<IntoIter<T, ()>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.map.into_iter().map(|(element, ())| element)
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = OrderedSet::new();
        set.extend(elements);
        set
    }
}

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        OrderedSet::new()
    }
}

impl<T: Debug> Debug for OrderedSet<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for OrderedSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<T: Eq> Eq for OrderedSet<T> {}

#[cfg(test)]
mod tests;
