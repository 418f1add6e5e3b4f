//! What is asked of each place of an object: the footprint of policies inside the fragment.
//!
//! In: tests, as they are found in policies. Out: a tree of keys and elements with the tests at each node, and at each list how many elements
//! a verdict can hang on.

use crate::exact::language::TextTest;
use crate::reads::field_path::Step;
use engine_json::{Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A test on one value. What it means depends on what may stand at the place: see `cells`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// A scalar of a classic pattern.
    Pattern(Value),
    /// In CEL the value is equal to this scalar, or not.
    Equals(Value),
    /// The form of a text.
    Text(TextTest),
    /// In CEL the number is before, at or behind this one.
    Order(i64),
    /// The value is a truth.
    Truth,
    /// In JMESPath something else stands for the value where it is empty or false.
    Falsy,
    /// In CEL the size of a text or of a list is before, at or behind this one.
    Size(usize),
    /// This text is in the list, or is a key of the map.
    Has(Str),
}

/// What is asked of a place and below.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Below each key.
    pub(crate) fields: BTreeMap<Str, Asked>,
    /// Of each element of the list.
    pub(crate) each: Option<Box<Asked>>,
    /// The tests on the value itself.
    pub(crate) tests: Vec<Test>,
    /// The sub-formulas that say something of all elements or of one, each by its words: for each of them one element can decide.
    pub(crate) quantifiers: BTreeSet<String>,
    /// The sub-formulas that count elements, each by its words, and how many elements it tells apart.
    pub(crate) counted: BTreeMap<String, usize>,
}

/// How many steps a place may have; longer ones are outside of the fragment.
pub(crate) const MAX_STEPS: usize = 24;

impl Asked {
    /// The node of a place, made where it is not there.
    pub(crate) fn at(&mut self, path: &[Step]) -> &mut Asked {
        let mut node = self;
        for step in path.iter().take(MAX_STEPS) {
            node = match step {
                Step::Key(key) => node.fields.entry(key.clone()).or_default(),
                Step::Each => &mut **node.each.get_or_insert_default(),
            };
        }
        node
    }

    /// Adds a test at a place.
    pub(crate) fn test(&mut self, path: &[Step], test: Test) {
        let node = self.at(path);
        if !node.tests.contains(&test) {
            node.tests.push(test);
        }
    }

    /// Notes that a formula says something of all elements of the lists on a path, or of one of them.
    pub(crate) fn quantify(&mut self, path: &[Step], formula: &str) {
        for (at, step) in path.iter().enumerate() {
            if *step == Step::Each {
                let list = self.at(path.get(..at).unwrap_or_default());
                list.quantifiers.insert(formula.to_owned());
            }
        }
    }

    /// Notes that a formula counts the elements of the lists on a path up to a bound.
    pub(crate) fn count(&mut self, path: &[Step], formula: &str, bound: usize) {
        for (at, step) in path.iter().enumerate() {
            if *step == Step::Each {
                let list = self.at(path.get(..at).unwrap_or_default());
                let most = list.counted.entry(formula.to_owned()).or_default();
                *most = (*most).max(bound.saturating_add(1));
            }
        }
    }
}

/// Why a policy is outside of the fragment.
pub(crate) type Outside = &'static str;
