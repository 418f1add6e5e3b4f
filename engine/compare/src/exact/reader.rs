//! What expressions in CEL are the values of, and where the tests that they make are noted.
//!
//! In: places and tests, as `expression` finds them. Out: the same in [`Asked`], also where autogen looks for them.

use crate::exact::asked::{Asked, Outside, Test};
use crate::reads::field_path::{FieldPath, Step};
use engine_json::{Str, Value as Json};
use std::collections::BTreeMap;

/// What an expression is the value of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A truth that hangs on the tests that were noted.
    Truth,
    /// A scalar.
    Constant(Json),
    /// A list of scalars.
    Constants(Vec<Json>),
    /// What stands at one of these places, or a constant where it is not there.
    Place(Vec<FieldPath>),
    /// A list of the values at these places.
    Elements(Vec<FieldPath>),
    /// How long a text is, or how many elements the list at a place has.
    Size(Vec<FieldPath>),
    /// How many elements a list has that an expression makes; the expression, as equal ones have equal words.
    Count(Vec<FieldPath>, String),
    /// The operation of the request.
    Operation,
}

/// Why most is outside.
pub(super) const NOT_INSIDE: Outside = "a function or an operator in CEL outside of the fragment";

/// Reads the expressions of one policy.
pub(crate) struct Reader<'a> {
    asked: &'a mut Asked,
    /// Where autogen looks for what the policy says of Pods.
    template: FieldPath,
    /// What names stand for.
    pub(super) variables: BTreeMap<Str, Value>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(asked: &'a mut Asked, template: FieldPath) -> Self {
        Reader { asked, template, variables: BTreeMap::new() }
    }

    /// Names a value.
    pub(crate) fn name(&mut self, name: Str, value: Value) {
        self.variables.insert(name, value);
    }

    /// A value that is asked for its truth.
    pub(crate) fn as_truth(&mut self, value: &Value) -> Result<(), Outside> {
        match value {
            Value::Truth | Value::Constant(Json::Bool(_)) => Ok(()),
            Value::Place(paths) => {
                self.test(paths, &Test::Truth);
                Ok(())
            }
            Value::Constant(_)
            | Value::Constants(_)
            | Value::Elements(_)
            | Value::Size(_)
            | Value::Count(..)
            | Value::Operation => Err(NOT_INSIDE),
        }
    }

    /// The places in objects of the kind at hand: where autogen looks, and where it does not.
    fn places(&self, path: &FieldPath) -> Vec<FieldPath> {
        let mut all = vec![path.clone()];
        let is_moved = matches!(path.first(), Some(Step::Key(key)) if key == "spec" || key == "metadata");
        if is_moved && !self.template.is_empty() {
            all.push(self.template.iter().chain(path).cloned().collect());
        }
        all
    }

    pub(super) fn test(&mut self, paths: &[FieldPath], test: &Test) {
        for path in paths {
            for place in self.places(path) {
                self.asked.test(&place, test.clone());
            }
        }
    }

    pub(super) fn touch(&mut self, path: &FieldPath) {
        for place in self.places(path) {
            self.asked.at(&place);
        }
    }

    pub(super) fn quantify(&mut self, paths: &[FieldPath], formula: &str) {
        for path in paths {
            for place in self.places(path) {
                self.asked.quantify(&place, formula);
            }
        }
    }

    pub(super) fn count(&mut self, paths: &[FieldPath], formula: &str, bound: usize) {
        for path in paths {
            for place in self.places(path) {
                self.asked.count(&place, formula, bound);
            }
        }
    }
}
