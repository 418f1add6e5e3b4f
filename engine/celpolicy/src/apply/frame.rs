//! What the expressions of one policy are evaluated with.
//!
//! In: the environment of the policy, its variables, the values of names. Out: values of expressions. A variable is evaluated when it is
//! first asked for, and keeps its value though the object changes; an attestor is evaluated so, too.

use super::Subject;
use super::extract::Within;
use super::subject::bindings;
use crate::compile::Compiled;
use crate::environment::Environment;
use crate::environment::no_entries;
use crate::functions::imageverify::Attestor;
use crate::functions::native;
use crate::policy::{CompiledAttestor, Policy};
use crate::why::{Question, Questions};
use engine_cel::error::{Error, Outcome};
use engine_cel::eval::{Binding, Input, Lazy};
use engine_cel::function::Outside;
use engine_cel::value::Value;
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Str, Value as Json};
use std::cell::RefCell;
use std::sync::Arc;

/// Values by the places of what they are the values of; one that is being evaluated has none yet.
type Known<'w> = RefCell<OrderedMap<usize, Option<Outcome<'w>>>>;

/// The evaluation of one policy over one object.
pub(super) struct Frame<'w> {
    environment: &'w Environment,
    variables: &'w [(Str, Compiled)],
    outside: &'w dyn Outside,
    bindings: Vec<Binding<'w>>,
    /// Where the template of the Pod stands that is asked about, if it is that of a template.
    pub(super) within: Option<&'w Within>,
    known: Known<'w>,
    /// What `attestors` holds, each evaluated as variables are.
    attestors: &'w [CompiledAttestor],
    known_attestors: Known<'w>,
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
        let (known, known_attestors) = Default::default();
        Frame {
            environment,
            variables,
            outside,
            bindings,
            within: None,
            known,
            attestors: &[],
            known_attestors,
        }
    }

    /// Binds a name to a value.
    pub(super) fn bind(&mut self, name: &str, binding: Binding<'w>) {
        let place = self.environment.variables.iter().position(|known| known == name);
        if let Some(bound) = place.and_then(|place| self.bindings.get_mut(place)) {
            *bound = binding;
        }
    }

    /// What is asked with it, for those who want to know why: of a policy at this place, about this object. The conditions stand in the
    /// list of this name in its spec.
    pub(super) fn questions<'q>(
        &'q self,
        (policy, root): (&'q Policy, &Path),
        document: &'q Json,
        (list, conditions): (&str, &'q [Compiled]),
    ) -> Questions<'q> {
        let spec = root.join("spec");
        let question = |list: &str, written: &'q [(Str, Str)], (at, compiled): (usize, &'q Compiled)| {
            let (name, source) = written.get(at).map_or(("", ""), |(name, source)| (name, source));
            Question {
                name,
                source,
                compiled: Some(compiled),
                place: spec.join(list).join(at).join("expression"),
            }
        };
        let conditions = conditions.iter().enumerate();
        let variables = self.variables.iter().map(|(_, compiled)| compiled).enumerate();
        Questions {
            environment: self.environment,
            bindings: &self.bindings,
            document: self.within.map_or(document, |within| &within.object),
            place: self.within.map_or_else(Path::root, |within| within.place.clone()),
            outside: Some(self.outside),
            conditions: conditions.map(|made| question(list, &policy.match_conditions, made)).collect(),
            variables: variables.map(|made| question("variables", &policy.variables, made)).collect(),
            validations: Vec::new(),
        }
    }

    /// Binds `attestors`.
    pub(super) fn bind_attestors(&mut self, attestors: &'w [CompiledAttestor]) {
        self.bind("attestors", Binding::Lazy);
        self.attestors = attestors;
    }

    /// Binds `attestors` to what they are by now, for those who want to know why; whether they are something.
    pub(super) fn bind_known_attestors(&mut self) -> bool {
        let place = self.environment.variables.iter().position(|known| known == "attestors");
        let Some(slot) = place.and_then(|place| u16::try_from(place).ok()) else { return true };
        let Ok(all) = self.variable(slot) else { return false };
        self.bind("attestors", Binding::Value(all));
        true
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

    fn is_attestors(&self, slot: u16) -> bool {
        self.environment.variables.get(usize::from(slot)).is_some_and(|known| known == "attestors")
    }

    fn attestor(&self, place: usize, attestor: &'w CompiledAttestor) -> Outcome<'w> {
        let evaluate = || evaluated(attestor, self).map_err(|error| Error::text(error).outside());
        once(&self.known_attestors, place, ("attestor", &attestor.name), evaluate)
    }
}

/// The value of what stands at a place: evaluated when it is first asked for.
fn once<'w>(
    known: &Known<'w>,
    place: usize,
    (what, name): (&str, &Str),
    evaluate: impl FnOnce() -> Outcome<'w>,
) -> Outcome<'w> {
    if let Some(known) = known.borrow().get(&place) {
        // Where a name stands twice, the later one can ask for itself: the original does so until its stack ends.
        return known.clone().unwrap_or_else(|| Err(Error::text(format!("{what} {name} asks for itself"))));
    }
    known.borrow_mut().insert(place, None);
    let outcome = evaluate();
    known.borrow_mut().insert(place, Some(outcome.clone()));
    outcome
}

impl<'w> Lazy<'w> for Frame<'w> {
    fn variable(&self, slot: u16) -> Outcome<'w> {
        if !self.is_attestors(slot) {
            return Ok(no_entries());
        }
        let mut all = Vec::new();
        for (place, attestor) in self.attestors.iter().enumerate() {
            // Of several of a name the last is meant.
            if self.attestors.iter().rposition(|other| other.name == attestor.name) == Some(place) {
                all.push((Value::text(&attestor.name), self.attestor(place, attestor)?));
            }
        }
        Ok(Value::map(all.into_iter().collect()))
    }

    fn field(&self, slot: u16, name: &str) -> Option<Outcome<'w>> {
        if self.is_attestors(slot) {
            let mut attestors = self.attestors.iter().enumerate();
            let (place, attestor) = attestors.rfind(|(_, attestor)| attestor.name == name)?;
            return Some(self.attestor(place, attestor));
        }
        let mut variables = self.variables.iter().enumerate();
        let (place, (name, compiled)) = variables.rfind(|(_, (known, _))| known == name)?;
        let evaluate = || self.run(compiled).map_err(Error::outside);
        Some(once(&self.known, place, ("variable", name), evaluate))
    }
}

/// An attestor with the values of its expressions.
// Kyverno: CompiledAttestor.Evaluate.
fn evaluated<'w>(attestor: &'w CompiledAttestor, frame: &Frame<'w>) -> Result<Value<'w>, String> {
    let name = &attestor.name;
    let mut written = attestor.written.clone();
    for (given, expression) in &attestor.expressions {
        let failed = |what: &str, error: String| {
            let begin = format!("failed to convert {} in compiled attestor: {name}", given.words);
            format!("{begin}, error: failed to {what} compiled attestor: {name}, error: {error}")
        };
        let said = frame.run(expression).map_err(|error| failed("evaluate", error.to_string()))?;
        let text = native::string(&said).map_err(|error| failed("convert expression in", error))?;
        written = given.filled(&written, &text);
    }
    Ok(Value::Opaque(Arc::new(Attestor { name: name.clone(), written })))
}
