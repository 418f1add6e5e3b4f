//! An expression by itself, for those who try one: what it gives over an object, what it costs, what is wrong with it.
//!
//! In: a [`Question`] and the environment of a kind of policy. Out: an [`Answer`]. `podsieve cel eval` and npm's `cel()` ask
//! here; [`json`] is the same with JSON text on both sides.

pub mod json;

use crate::apply::{CliWorld, Subject, bindings};
use crate::compile::{Fault, Wanted, compile};
use crate::environment::Environment;
use engine::load::Settings;
use engine::resource::{DocumentId, Resource};
use engine::world::World;
use engine_cel::eval::{Binding, Input};
use engine_cel::types::Type;
use engine_cel::value::{Numbers, Value as Cel};
use engine_json::{Str, Value};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The expression.
    pub expression: &'q str,
    /// `object`, as a policy of the CLI sees it; without one, nothing is known of a request either.
    pub object: Option<&'q Value>,
    /// Further variables.
    pub variables: &'q [(Str, Value)],
}

/// What an expression gives.
#[derive(Debug)]
pub struct Answer {
    /// The type that the checker found, where it found nothing wrong.
    pub of: Option<Type>,
    /// The value, or why there is none.
    pub outcome: Result<Value, Wrong>,
    /// What the evaluation cost.
    pub cost: u64,
}

/// Why an expression gives no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It does not compile.
    Compilation(Fault),
    /// It failed, in the words of the original.
    Evaluation(String),
}

impl Wrong {
    /// The words of the original.
    pub fn text(&self) -> &str {
        match self {
            Wrong::Compilation(fault) => &fault.text,
            Wrong::Evaluation(text) => text,
        }
    }
}

/// Whether a variable may have this name.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What an expression gives where policies of this environment stand.
pub fn evaluate(question: &Question<'_>, environment: &Environment, world: &dyn World) -> Answer {
    let variables = question.variables;
    let with = |environment: Environment, name: &Str| environment.with_variable(name);
    let environment = variables.iter().fold(environment.clone(), |made, (name, _)| with(made, name));
    let compiled = match compile(question.expression, &environment, Wanted::Any) {
        Ok(compiled) => compiled,
        Err(fault) => return Answer { of: None, outcome: Err(Wrong::Compilation(fault)), cost: 0 },
    };
    let resource = Resource::new(question.object.cloned().unwrap_or_default(), DocumentId(0));
    let settings = Settings::default();
    let subject = Subject::of(&resource, &settings);
    let mut bound = bindings(&subject, &environment.variables);
    for (name, binding) in environment.variables.iter().zip(&mut bound) {
        let is_of_request = matches!(name.as_str(), "object" | "oldObject" | "request" | "namespaceObject");
        if is_of_request && question.object.is_none() {
            *binding = Binding::Missing;
        }
        if let Some((_, value)) = variables.iter().rfind(|(known, _)| known == name) {
            *binding = Binding::Value(Cel::json(value, Numbers::AsWritten));
        }
    }
    let outside = CliWorld { world, settings: &settings, namespace: "", also: &[] };
    let input = Input { variables: &bound, lazy: None, limit: environment.limit, outside: Some(&outside) };
    let evaluated = compiled.program.evaluate(&input);
    let outcome = evaluated.outcome.map(|value| value.to_json());
    let outcome = outcome.map_err(|error| Wrong::Evaluation(error.to_string()));
    Answer { of: Some(compiled.of), outcome, cost: evaluated.cost }
}
