//! What stands at each path of a document, found by one walk over it.
//!
//! In: a document. Out: for a path the last leaf or key there, where paths are compared without anchors; the path is
//! given step by step, so that asking costs as much as the reference is long, however long the path to it is.
//! Mirrors: pkg/engine/variables/vars.go (getValueFromReference), which walks the whole document for each reference.

use crate::pattern::anchor;
use engine_json::{Str, Value};
use std::collections::BTreeMap;

/// The part of a path up to a slash means what it means in a file system.
// Go: path.Clean.
enum Part<'a> {
    Here,
    Up,
    Down(&'a str),
}

impl<'a> Part<'a> {
    fn of(text: &'a str) -> Self {
        match text {
            "" | "." => Part::Here,
            ".." => Part::Up,
            text => Part::Down(text),
        }
    }
}

/// A place of the document's paths.
struct Node {
    parent: usize,
    value: Value,
}

/// The document's places; the first is its root.
pub(super) struct Index {
    places: Vec<Node>,
    children: BTreeMap<(usize, Str), usize>,
}

impl Index {
    pub(super) fn new(document: &Value) -> Self {
        let mut index = Index { places: Vec::new(), children: BTreeMap::new() };
        index.places.push(Node { parent: 0, value: Value::Null });
        index.add(document, 0);
        index
    }

    fn add(&mut self, value: &Value, at: usize) {
        match value {
            Value::Object(map) => {
                for (key, item) in map.iter() {
                    self.set(at, Value::String(key.clone()));
                    let below = self.descend(at, key);
                    self.add(item, below);
                }
            }
            Value::Array(list) => {
                for (place, item) in list.iter().enumerate() {
                    let below = self.child(at, &place.to_string());
                    self.add(item, below);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.set(at, value.clone()),
        }
    }

    fn set(&mut self, at: usize, value: Value) {
        if let Some(place) = self.places.get_mut(at) {
            place.value = value;
        }
    }

    /// The place below this one by a key, whose slashes make it more than one step.
    // Kyverno: anchor.RemoveAnchorsFromPath takes the anchors off between slashes, escaped or not.
    fn descend(&mut self, at: usize, key: &str) -> usize {
        let escaped = key.replace('/', "\\/");
        escaped.split('/').fold(at, |at, part| match Part::of(anchor::plain_key(part)) {
            Part::Here => at,
            Part::Up => self.places.get(at).map_or(0, |place| place.parent),
            Part::Down(part) => self.child(at, part),
        })
    }

    fn child(&mut self, at: usize, part: &str) -> usize {
        let next = self.places.len();
        let child = *self.children.entry((at, Str::new(part))).or_insert(next);
        if child == next {
            self.places.push(Node { parent: at, value: Value::Null });
        }
        child
    }
}

/// Where a path has come to: a place, or nowhere; and the step before.
struct Step {
    before: usize,
    place: Option<usize>,
}

/// The paths from the root to a text, anchors and all, as a reference beside the text goes on from there.
pub(super) struct Trail<'i> {
    index: &'i Index,
    steps: Vec<Step>,
}

impl<'i> Trail<'i> {
    /// The root's trail; its step is 0.
    pub(super) fn new(index: &'i Index) -> Self {
        Trail { index, steps: vec![Step { before: 0, place: Some(0) }] }
    }

    /// The step at the end of more of a path.
    pub(super) fn along(&mut self, step: usize, path: &str) -> usize {
        path.split('/').fold(step, |step, part| match Part::of(part) {
            Part::Here => step,
            Part::Up => self.steps.get(step).map_or(0, |step| step.before),
            Part::Down(part) => {
                let place = self.steps.get(step).and_then(|step| step.place);
                let place =
                    place.and_then(|place| self.index.children.get(&(place, Str::new(part)))).copied();
                self.steps.push(Step { before: step, place });
                self.steps.len() - 1
            }
        })
    }

    /// What stands there; `null` where there is nothing.
    pub(super) fn value(&self, step: usize) -> Value {
        let place = self.steps.get(step).and_then(|step| step.place);
        place.and_then(|place| self.index.places.get(place)).map_or(Value::Null, |place| place.value.clone())
    }
}
