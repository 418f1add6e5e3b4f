//! Requests for subresources: an object of each, and what policies read of it.
//!
//! In: a subresource that a policy names. Out: requests as an API server sends them, with each value of each field, and several at once.

use crate::objects::kinds::{NAME, map};
use crate::objects::subresources::Subresource;
use crate::reads::field_path::{Elements, put};
use crate::request::{Attributes, Operation, Request};
use crate::search::Search;
use crate::search::asking::named_attributes;
use crate::search::cells::{CellInputs, Cells, cells};
use engine_json::{Path, Value};

/// How many requests are made for one subresource at most, and where kinds of objects are tried too.
const MAX_REQUESTS: usize = 2_000;
const MAX_BESIDE_KINDS: usize = 400;
/// How many objects that took a branch which none before has taken are changed further.
const MAX_BASES: usize = 40;

impl Search<'_, '_> {
    /// Requests for each of these.
    pub(crate) fn subresources(&mut self, all: &[&'static Subresource], has_kinds: bool) {
        let most = if has_kinds { MAX_BESIDE_KINDS } else { MAX_REQUESTS };
        for of in all {
            let until = self.found.tried + self.found.impossible / 4 + most;
            self.subresource(of, until);
        }
    }

    fn subresource(&mut self, of: &'static Subresource, until: usize) {
        let (version, kind) = of.object;
        let inputs = CellInputs { schema: self.schema, pool: &self.reads.pool };
        let cells = cells(&self.reads.object, version, kind, &inputs);
        let base = smallest(of);
        let attributes = named_attributes(self.reads);
        let mut bases = vec![base.clone()];
        self.try_of(of, base.clone(), &base, Attributes::creation());
        for attributes in &attributes {
            self.try_of(of, base.clone(), &base, attributes.clone());
        }
        for cells in &cells {
            for value in &cells.values {
                for which in [Elements::First, Elements::Further, Elements::All] {
                    if self.is_over(until) {
                        return;
                    }
                    let mut object = base.clone();
                    put(&mut object, &cells.path, value.as_ref(), which, self.schema);
                    if self.try_of(of, object.clone(), &base, Attributes::creation()) {
                        bases.push(object);
                    }
                }
            }
        }
        if cells.is_empty() {
            return;
        }
        while !self.is_over(until) {
            // What needs several values at once is met step by step.
            let from = self.random.of(&bases).unwrap_or(&base).clone();
            let (object, old) = (self.several_of(&from, &cells), self.several_of(&from, &cells));
            let attributes = match self.random.below(2) {
                0 => self.random.of(&attributes).cloned(),
                _ => None,
            };
            let is_new =
                self.try_of(of, object.clone(), &old, attributes.unwrap_or_else(Attributes::creation));
            if is_new && bases.len() < MAX_BASES {
                bases.push(object);
            }
        }
    }

    fn several_of(&mut self, base: &Value, cells: &[Cells]) -> Value {
        let mut object = base.clone();
        // Few of them: what an object took its branch by stays mostly as it is.
        let often = 2 + cells.len() / 2;
        for cells in cells {
            if self.random.below(often) == 0 {
                self.change(&mut object, cells);
            }
        }
        object
    }

    /// Whether it took a branch which none before has taken.
    fn try_of(
        &mut self,
        of: &'static Subresource,
        object: Value,
        old: &Value,
        attributes: Attributes,
    ) -> bool {
        let old = (of.operation == Operation::Update).then(|| called_as(old, &object));
        let attributes = Attributes { operation: of.operation, old, of: Some(of), ..attributes };
        self.try_one(Request { object, attributes })
    }
}

/// The object as it was has the name that it has.
fn called_as(old: &Value, object: &Value) -> Value {
    let mut old = old.clone();
    for field in ["name", "namespace"] {
        old.put(&Path::from_keys(&["metadata", field]), object.find(&["metadata", field]).cloned());
    }
    old
}

/// The smallest object of a request.
fn smallest(of: &Subresource) -> Value {
    let (version, kind) = of.object;
    let mut object = map([("apiVersion", Value::from(version)), ("kind", Value::from(kind))]);
    if of.has_metadata() {
        let metadata = map([("name", Value::from(NAME)), ("namespace", Value::from("default"))]);
        object.insert("metadata", Value::object(metadata));
    }
    match kind {
        "Scale" => drop(object.insert("spec", Value::object(map([("replicas", Value::from(1_i64))])))),
        "Binding" => {
            let node = map([("kind", Value::from("Node")), ("name", Value::from(NAME))]);
            drop(object.insert("target", Value::object(node)));
        }
        "TokenRequest" => {
            let audiences = Value::array(vec![Value::from("x")]);
            drop(object.insert("spec", Value::object(map([("audiences", audiences)]))));
        }
        "PodExecOptions" => {
            drop(object.insert("command", Value::array(vec![Value::from("x")])));
        }
        _ => {}
    }
    Value::object(object)
}
