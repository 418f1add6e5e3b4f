//! Both against the maps of the standard library, after thousands of changes.

use super::{OrderedMap, OrderedSet};
use std::collections::BTreeMap;

fn numbers() -> impl Iterator<Item = u32> {
    let mut state = 7_u32;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    })
}

#[test]
fn a_map_is_what_the_standard_library_makes_of_the_same_changes() {
    for keys in [3, 50, 1_500, 40_000] {
        let (mut map, mut expected) = (OrderedMap::new(), BTreeMap::new());
        let mut numbers = numbers();
        for step in 0..20_000_u32 {
            let key = numbers.next().unwrap() % keys;
            match numbers.next().unwrap() % 5 {
                0 => assert_eq!(map.remove(&key), expected.remove(&key)),
                1 => assert_eq!(map.get(&key), expected.get(&key)),
                2 => {
                    *map.entry(key).or_insert(0) += step;
                    *expected.entry(key).or_insert(0) += step;
                }
                _ => assert_eq!(map.insert(key, step), expected.insert(key, step)),
            }
            assert_eq!(map.len(), expected.len());
        }
        assert!(map.iter().eq(&expected) && map.iter().rev().eq(expected.iter().rev()));
        assert!(map.keys().eq(expected.keys()) && map.values().eq(expected.values()));
        assert_eq!(format!("{map:?}"), format!("{expected:?}"));
        assert!(map.into_iter().eq(expected));
    }
}

#[test]
fn entries_in_order_and_against_it_are_found() {
    for reversed in [false, true] {
        let mut map = OrderedMap::new();
        for at in 0..5_000_u32 {
            map.insert(if reversed { 5_000 - at } else { at }, at);
        }
        assert!(map.keys().zip(map.keys().skip(1)).all(|(a, b)| a < b));
        let (mut front, mut back) = (map.iter(), map.iter());
        let mut seen = 0;
        while front.next().is_some() && back.next_back().is_some() {
            seen += 1;
        }
        assert_eq!(seen, 5_000);
    }
}

#[test]
fn a_set_holds_each_element_once() {
    let mut set: OrderedSet<String> = ["b", "a", "b"].into_iter().map(str::to_owned).collect();
    assert!(set.insert("c".to_owned()) && !set.insert("a".to_owned()));
    assert!(set.contains("b") && set.remove("b") && !set.remove("b"));
    assert_eq!(
        (set.first().map(String::as_str), set.last().map(String::as_str), set.len()),
        (Some("a"), Some("c"), 2)
    );
    assert_eq!(set.iter().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(set.into_iter().collect::<Vec<_>>(), ["a", "c"]);
}
