//! The footprint: places of an object that policies read, with the constants that they hold against them.
//!
//! In: places and constants, as they are found. Out: a tree of keys and elements, constants at each node.

use crate::reads::field_path::Step;
use engine_json::{Str, Value};
use std::collections::BTreeMap;

/// How many constants of one place are kept.
pub(crate) const MAX_CONSTANTS: usize = 1_000;
/// How many steps a place may have.
pub(crate) const MAX_STEPS: usize = 24;

/// What is read here and below.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Below each key.
    pub(crate) fields: BTreeMap<Str, Tree>,
    /// Below the elements of a list.
    pub(crate) each: Option<Box<Tree>>,
    /// What is held against the value.
    pub(crate) constants: Vec<Value>,
}

impl Tree {
    /// The node of a place, made where it is not there.
    pub(crate) fn at(&mut self, place: &[Step]) -> &mut Tree {
        let mut node = self;
        for step in place.iter().take(MAX_STEPS) {
            node = match step {
                Step::Key(key) => node.fields.entry(key.clone()).or_default(),
                Step::Each => &mut **node.each.get_or_insert_default(),
            };
        }
        node
    }

    /// The node of a place, where it is there.
    pub(crate) fn known(&self, place: &[Step]) -> Option<&Tree> {
        place.iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.fields.get(key),
            Step::Each => node.each.as_deref(),
        })
    }

    /// Adds a constant.
    pub(crate) fn add(&mut self, constant: &Value) {
        if self.constants.len() < MAX_CONSTANTS && !self.constants.contains(constant) {
            self.constants.push(constant.clone());
        }
    }

    /// Adds what another tree has.
    pub(crate) fn merge(&mut self, other: &Tree) {
        other.constants.iter().for_each(|constant| self.add(constant));
        for (key, below) in &other.fields {
            self.fields.entry(key.clone()).or_default().merge(below);
        }
        if let Some(each) = &other.each {
            self.each.get_or_insert_default().merge(each);
        }
    }
}
