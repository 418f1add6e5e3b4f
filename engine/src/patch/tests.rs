//! Any patch on any resource: an answer in bounded time and no panic.

use super::{apply_json6902, apply_strategic};
use engine_json::{Map, Value, to_json};

/// A small generator: the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Keys that mean something to Kubernetes, with and without anchors, and values that clash.
    fn value(&mut self, depth: usize, keys: &[&str]) -> Value {
        match self.below(if depth == 0 { 6 } else { 14 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::from(80),
            3 => Value::from(1.5),
            4 | 5 => Value::from(self.pick(&["a", "80", "*", "(a)", "<(a)", "delete", "replace", ""])),
            6..=10 => {
                let n = self.below(5);
                Value::object((0..n).map(|_| (self.pick(keys), self.value(depth - 1, keys))).collect::<Map>())
            }
            _ => {
                let n = self.below(4);
                Value::array((0..n).map(|_| self.value(depth - 1, keys)).collect())
            }
        }
    }

    fn object(&mut self, keys: &[&str]) -> Value {
        let mut object = self.value(6, keys);
        let map = object.make_object();
        map.insert("apiVersion", Value::from("v1"));
        map.insert("kind", Value::from(self.pick(&["Pod", "Foo", "Service"])));
        map.insert("spec", self.value(5, keys));
        object
    }

    fn path(&mut self) -> String {
        let parts = self.below(5);
        let keys = ["/spec", "/containers", "/0", "/-", "/-1", "/7", "/", "/~1", "/a"];
        (0..parts).map(|_| self.pick(&keys)).collect()
    }

    fn operation(&mut self, keys: &[&str]) -> Value {
        let mut map = Map::new();
        map.insert(
            "op",
            Value::from(self.pick(&["add", "add", "remove", "replace", "move", "copy", "test"])),
        );
        map.insert("path", Value::from(self.path()));
        map.insert("from", Value::from(self.path()));
        map.insert("value", self.value(3, keys));
        Value::object(map)
    }
}

const KEYS: &[&str] =
    &["spec", "metadata", "name", "containers", "ports", "env", "containerPort", "protocol", "finalizers"];
const PATCH_KEYS: &[&str] = &[
    "spec",
    "metadata",
    "name",
    "containers",
    "ports",
    "env",
    "containerPort",
    "(name)",
    "(containers)",
    "+(name)",
    "+(containers)",
    "<(name)",
    "(ports)",
    "+(spec)",
    "(env)",
    "$patch",
    "X(name)",
    " (name) ",
    "()",
    "finalizers",
];

#[test]
fn no_strategic_patch_panics() {
    let mut random = Random(1);
    for _ in 0..10_000 {
        let (resource, patch) = (random.object(KEYS), random.value(7, PATCH_KEYS));
        if let Ok(Some(patched)) = apply_strategic(&resource, &patch) {
            assert_ne!(to_json(&patched), to_json(&resource));
        }
    }
}

#[test]
fn no_json_patch_panics() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let resource = random.object(KEYS);
        let n = random.below(5);
        let patch = Value::array((0..n).map(|_| random.operation(KEYS)).collect());
        let _ = apply_json6902(&resource, &to_json(&patch));
    }
}
