//! Sorting and ordered sets in little code.
//!
//! In: a list, or an iterator. Out: the same list in order (stable, as `slice::sort_by`), or a set or map of the elements.
//!
//! The standard library makes a body of its own for each type and each comparison: five kilobytes, thirty times in the page's
//! module, and `collect` into a set or map brings one more of each. Here places are sorted, by one body for all, and sets are
//! filled element by element.

use crate::ordered::{OrderedMap, OrderedSet};
use std::cmp::Ordering;

/// Lists that are put in order.
pub trait Arrange {
    /// What the list holds.
    type Element;

    /// In the order that `compare` says; equal elements stay as they stand.
    fn arrange_by(&mut self, compare: impl FnMut(&Self::Element, &Self::Element) -> Ordering);

    /// In the order of the keys.
    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&Self::Element) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }

    /// In their own order.
    fn arrange(&mut self)
    where
        Self::Element: Ord,
    {
        self.arrange_by(Ord::cmp);
    }
}

impl<T> Arrange for [T] {
    type Element = T;

    fn arrange_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.is_sorted_by(|a, b| compare(a, b).is_le()) {
            return;
        }
        let mut places: Vec<usize> = (0..self.len()).collect();
        sort_places(&mut places, &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        // `places[i]` is where the element for `i` stands: each circle of places is gone through once.
        for first in 0..places.len() {
            let mut at = first;
            while let Some(place) = places.get_mut(at) {
                let from = std::mem::replace(place, at);
                if from == first || from == at {
                    break;
                }
                self.swap(at, from);
                at = from;
            }
        }
    }
}

/// The one body: runs in order are merged, each time two of them, until one is left.
#[inline(never)]
fn sort_places(places: &mut Vec<usize>, compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    let mut merged = Vec::with_capacity(places.len());
    let mut width = 1;
    while width < places.len() {
        for pair in places.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([a, others @ ..], [b, more @ ..]) = (left, right) {
                if compare(*a, *b).is_le() {
                    merged.push(*a);
                    left = others;
                } else {
                    merged.push(*b);
                    right = more;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(places, &mut merged);
        merged.clear();
        width *= 2;
    }
}

/// The elements as a set.
pub fn set<T: Ord>(elements: impl IntoIterator<Item = T>) -> OrderedSet<T> {
    let mut set = OrderedSet::new();
    for element in elements {
        set.insert(element);
    }
    set
}

/// The entries as a map; of several with one key the last one counts.
pub fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> OrderedMap<K, V> {
    let mut map = OrderedMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::Arrange as _;

    #[test]
    fn lists_are_sorted_as_the_standard_library_sorts_them() {
        let mut state = 7_u32;
        for length in 0..200_u32 {
            let mut list: Vec<(u32, u32)> = (0..length)
                .map(|at| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 27, at)
                })
                .collect();
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            list.arrange_by_key(|(key, _)| *key);
            assert_eq!(list, expected);
        }
    }
}
