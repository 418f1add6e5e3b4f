//! The index held against the walk of the original; references in texts, keys and beside escaped ones; their bound.

use super::{Index, Trail, resolve};
use crate::pattern::anchor;
use engine_json::{Map, Str, Value};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn value(&mut self, depth: usize) -> Value {
        const KEYS: [&str; 9] = ["a", "b", "=(a)", "(a)", "..", ".", "", "a/b", "^(b)/../a"];
        let kinds = if depth == 0 { 1 } else { 3 };
        match self.roll(kinds) {
            0 => Value::from(i64::try_from(self.roll(100)).unwrap()),
            1 => Value::array((0..self.roll(4)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let entry = |dice: &mut Dice| (Str::new(KEYS[dice.roll(9)]), dice.value(depth - 1));
                Value::object((0..self.roll(5)).map(|_| entry(self)).collect::<Map>())
            }
        }
    }
}

/// The walk of the original.
// Kyverno: getValueFromReference.
fn walk(value: &Value, wanted: &str, path: &str, found: &mut Value) {
    let without_anchors = |path: &str| {
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').map(anchor::plain_key).collect();
        clean(&format!("/{}", parts.join("/")))
    };
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter() {
                if without_anchors(path) == wanted {
                    *found = Value::String(key.clone());
                }
                walk(item, wanted, &format!("{path}/{}", key.replace('/', "\\/")), found);
            }
        }
        Value::Array(list) => {
            for (at, item) in list.iter().enumerate() {
                walk(item, wanted, &format!("{path}/{at}"), found);
            }
        }
        leaf => {
            if without_anchors(path) == wanted {
                *found = leaf.clone();
            }
        }
    }
}

fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[test]
fn the_index_finds_what_a_walk_over_the_document_finds() {
    let mut dice = Dice(7);
    let (mut asked, mut there) = (0, 0);
    for _ in 0..400 {
        let document = dice.value(5);
        let index = Index::new(&document);
        let mut trail = Trail::new(&index);
        for _ in 0..20 {
            const PARTS: [&str; 9] = ["a", "b", "..", ".", "", "0", "1", "a\\", "(a)"];
            let path = |dice: &mut Dice| -> String {
                (0..dice.roll(5)).flat_map(|_| ["/", PARTS[dice.roll(9)]]).collect()
            };
            let (here, further) = (path(&mut dice), path(&mut dice));
            let mut expected = Value::Null;
            walk(&document, &clean(&format!("{here}/{further}")), "", &mut expected);
            let step = trail.along(0, &here);
            let step = trail.along(step, &further);
            assert_eq!(trail.value(step), expected, "{here} {further} in {document:?}");
            asked += 1;
            there += usize::from(!expected.is_null());
        }
    }
    assert!(there * 20 > asked, "{there} of {asked}");
}

#[track_caller]
fn check(document: &str, expected: &str) {
    let document = engine_json::parse(document).unwrap();
    assert_eq!(resolve(&document).unwrap(), engine_json::parse(expected).unwrap());
}

#[test]
fn references_are_resolved() {
    check(
        r#"{"=(a)": "1", "b": "$(./../a) \\$(x) \\\\$(y)", "$(/a)": 1, "c": ["$(../../a)- $(/a)"]}"#,
        r#"{"=(a)": "1", "b": "1 $(x) \\$(y)", "1": 1, "c": ["1- 1"]}"#,
    );
}

#[test]
fn references_write_no_more_than_a_bounded_text() {
    let long = "x".repeat(1 << 20);
    let text = |count: usize| "$(../long) ".repeat(count);
    let of = |count: usize| {
        let entries = [("long", Value::from(long.as_str())), ("of", Value::from(text(count)))];
        resolve(&entries.into_iter().collect::<Map>().into())
    };
    assert!(of(15).is_ok());
    assert_eq!(
        of(17).unwrap_err().message,
        "failed to resolve $(../long) at path /of: the references of one document write more than 16777216 bytes; use \
         fewer or shorter texts"
    );
}
