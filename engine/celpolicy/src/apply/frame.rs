//! What the expressions of one policy are evaluated with, where the policy changes things.
//!
//! In: the environment of the policy, its variables, the values of names. Out: values of expressions. A variable is evaluated when it is
//! first asked for, and keeps its value though the object changes.

use super::Subject;
use super::subject::{bindings, no_entries};
use crate::compile::Compiled;
use crate::environment::Environment;
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input, Lazy};
use engine_cel::function::Outside;
use engine_cel::value::Value;
use engine_json::Str;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The evaluation of one policy over one object.
pub(super) struct Frame<'w> {
    environment: &'w Environment,
    variables: &'w [(Str, Compiled)],
    outside: &'w dyn Outside,
    bindings: Vec<Binding<'w>>,
    known: RefCell<BTreeMap<usize, Outcome<'w>>>,
}

impl<'w> Frame<'w> {
    /// A frame in which `variables` and `exceptions` are not bound yet.
    pub(super) fn new(
        environment: &'w Environment,
        variables: &'w [(Str, Compiled)],
        subject: &'w Subject,
        outside: &'w dyn Outside,
    ) -> Self {
        let bindings = bindings(subject, &environment.variables);
        Frame { environment, variables, outside, bindings, known: RefCell::default() }
    }

    /// Binds a name to a value.
    pub(super) fn bind(&mut self, name: &str, binding: Binding<'w>) {
        let place = self.environment.variables.iter().position(|known| known == name);
        if let Some(bound) = place.and_then(|place| self.bindings.get_mut(place)) {
            *bound = binding;
        }
    }

    /// The value of an expression.
    pub(super) fn run(&self, compiled: &'w Compiled) -> Outcome<'w> {
        let (limit, outside) = (self.environment.limit, Some(self.outside));
        let input = Input { variables: &self.bindings, lazy: Some(self), limit, outside };
        compiled.program.evaluate(&input).outcome
    }

    /// Whether all conditions hold: one that does not wins over errors, which are joined.
    pub(super) fn conditions(&self, conditions: &'w [Compiled]) -> Result<bool, String> {
        let mut errors: Vec<String> = Vec::new();
        for condition in conditions {
            match self.run(condition) {
                Ok(Value::Bool(true)) => {}
                Ok(Value::Bool(false)) => return Ok(false),
                Ok(_) => errors.push(Error::no_overload().to_string()),
                Err(error) => errors.push(error.to_string()),
            }
        }
        if errors.is_empty() { Ok(true) } else { Err(errors.join("; ")) }
    }
}

impl<'w> Lazy<'w> for Frame<'w> {
    fn variable(&self, _: u16) -> Outcome<'w> {
        Ok(no_entries())
    }

    fn field(&self, _: u16, name: &str) -> Option<Outcome<'w>> {
        let mut variables = self.variables.iter().enumerate();
        let (place, (_, compiled)) = variables.rfind(|(_, (known, _))| known == name)?;
        if let Some(known) = self.known.borrow().get(&place) {
            return Some(known.clone());
        }
        let outcome = self.run(compiled).map_err(Error::outside);
        self.known.borrow_mut().insert(place, outcome.clone());
        Some(outcome)
    }
}
