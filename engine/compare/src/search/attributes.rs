//! Requests that differ in what is done with an object, who does it and where.
//!
//! In: the objects that a search has kept, and what policies name. Out: further requests: updates from one object to another, deletions,
//! other users, labels of Namespaces.

use crate::objects::admissible::{plain_ephemeral, without_ephemeral};
use crate::objects::kinds::{EPHEMERAL_LIST, is_pod};
use crate::reads::field_path::{Elements, Step, put};
use crate::request::{Attributes, Operation, Request};
use crate::search::Search;
use crate::search::asking::named_attributes;
use crate::search::cells::Cells;
use engine_json::{Path, Str, Value};

/// How many updates are tried that take one field away.
const MAX_REMOVALS: usize = 300;
/// How many kept objects are changed and deleted by each user whom a policy names.
const MAX_ASKED: usize = 12;
/// How many kept objects such updates begin with.
const MAX_OLD: usize = 40;

impl Search<'_, '_> {
    /// The kept requests as updates and deletions, by other users, in other Namespaces.
    pub(crate) fn vary_attributes(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let all = named_attributes(self.reads);
        let kept: Vec<Value> = self.found.kept_of(kind).take(120).cloned().collect();
        if self.operations.contains(&Operation::Update) {
            if kind == "Pod" && self.reads.asks_operation {
                self.additions(&kept, &all, until);
            }
            self.removals(&kept, cells, until);
        }
        let others: Vec<Operation> =
            self.operations.iter().copied().filter(|operation| *operation != Operation::Create).collect();
        for (number, object) in kept.iter().enumerate() {
            // Who asks may only matter for what is already there.
            let others = if number < MAX_ASKED { others.as_slice() } else { &[] };
            for attributes in &all {
                let changed = others.iter().map(|operation| Attributes {
                    operation: *operation,
                    old: Some(object.clone()),
                    ..attributes.clone()
                });
                for attributes in [attributes.clone()].into_iter().chain(changed) {
                    if self.is_over(until) {
                        return;
                    }
                    self.try_one(Request { object: object.clone(), attributes });
                }
            }
            for operation in self.operations.iter().filter(|operation| **operation != Operation::Create) {
                let plain =
                    Attributes { operation: *operation, old: Some(object.clone()), ..Attributes::creation() };
                let mut before = vec![plain.clone()];
                if *operation == Operation::Update {
                    let old = same_name(self.changed(object.clone(), cells, 2), object);
                    self.try_one(Request {
                        object: old.clone(),
                        attributes: Attributes { old: Some(object.clone()), ..plain.clone() },
                    });
                    before.push(Attributes { old: Some(old), ..plain.clone() });
                    if let Some(other) = kept.first() {
                        before.push(Attributes { old: Some(same_name(other.clone(), object)), ..plain });
                    }
                }
                for attributes in before {
                    if self.is_over(until) {
                        return;
                    }
                    self.try_one(Request { object: object.clone(), attributes });
                }
            }
        }
    }

    /// Updates that add an ephemeral container to what was kept: a policy that asks what is done need read no container for that, and is asked
    /// about the subresource where it is a ClusterPolicy, or names it.
    fn additions(&mut self, kept: &[Value], by: &[Attributes], until: usize) {
        let path = Path::from_keys(&["spec", EPHEMERAL_LIST]);
        let of_pods = |object: &&Value| is_pod(object) && without_ephemeral(object).is_none();
        for pod in kept.iter().filter(of_pods).take(MAX_ASKED) {
            let mut object = pod.clone();
            object.put(&path, Some(Value::array(vec![plain_ephemeral(pod, self.schema)])));
            for attributes in std::iter::once(&Attributes::creation()).chain(by) {
                if self.is_over(until) {
                    return;
                }
                let old = Some(pod.clone());
                let attributes = Attributes { operation: Operation::Update, old, ..attributes.clone() };
                self.try_one(Request { object: object.clone(), attributes });
            }
        }
    }

    /// Updates that take one field away from what was kept: a policy may go by the object as it was.
    fn removals(&mut self, kept: &[Value], cells: &[Cells], until: usize) {
        let is_pod = kept.first().is_some_and(|object| object.find_str(&["kind"]) == "Pod");
        // Of the spec of a Pod nothing is taken away.
        let may_go =
            |cells: &&Cells| !is_pod || cells.path.first() != Some(&Step::Key(Str::new_static("spec")));
        let optional: Vec<&Cells> =
            cells.iter().filter(|cells| cells.values.contains(&None)).filter(may_go).collect();
        let old: Vec<&Value> = kept.iter().take(MAX_OLD).collect();
        let all = optional.len() * old.len();
        for at in 0..all.min(MAX_REMOVALS) {
            let at = if all > MAX_REMOVALS { self.random.below(all) } else { at };
            let Some(cells) = optional.get(at % optional.len().max(1)) else { return };
            let Some(before) = old.get(at / optional.len().max(1)) else { return };
            if self.is_over(until) {
                return;
            }
            let mut object = (*before).clone();
            put(&mut object, &cells.path, None, Elements::All, self.schema);
            if object != **before {
                let attributes = Attributes {
                    operation: Operation::Update,
                    old: Some((*before).clone()),
                    ..Attributes::creation()
                };
                self.try_one(Request { object, attributes });
            }
        }
    }
}

/// An object under the name of another, as an update does not change it.
pub(super) fn same_name(mut object: Value, like: &Value) -> Value {
    for field in ["name", "namespace"] {
        let value = like.find(&["metadata", field]).cloned();
        let path = Path::from_keys(&["metadata", field]);
        object.put(&path, value);
    }
    object
}
