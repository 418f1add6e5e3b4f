//! Expressions of a policy, compiled as an API server does before it stores it.
//!
//! In: a document, an expression with its role. Out: the server's words where it does not compile.

use super::words::of_expression;
use crate::compile::{Wanted, compile};
use crate::environment::{Environment, Kind, Offered};
use engine::load::Kubernetes;
use engine_cel::types::Type;
use engine_json::{Value, quote};

/// In which part of a policy an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A condition: it does not know the variables of the policy.
    Condition,
    /// A variable, a validation or an annotation.
    General,
    /// A message: it may not ask who may do what.
    Message,
    /// A change.
    Change,
}

const PARTS: [Part; 4] = [Part::Condition, Part::General, Part::Message, Part::Change];

/// What the expressions of a policy may use so far.
pub(super) struct Expressions {
    parts: [(Part, Environment); 4],
    release: Kubernetes,
}

impl Expressions {
    pub(super) fn of(document: &Value, release: Kubernetes) -> Result<Self, String> {
        let spec = |field: &str| document.find(&["spec", field]);
        let params = spec("paramKind").is_some_and(|kind| !kind.is_null());
        // Kubernetes: where a policy that validates has no variables, it is compiled without the name of all.
        let mutates = document.find_str(&["kind"]) == "MutatingAdmissionPolicy";
        let variables =
            mutates || spec("variables").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        let environment = |part: Part| {
            let offered = Offered {
                params,
                authorizer: part != Part::Message,
                variables: variables && part != Part::Condition,
                patches: part == Part::Change,
                libraries: release.before(),
            };
            Environment::new(Kind::ApiServer(offered), false)
        };
        let [condition, general, message, change] = PARTS;
        let parts = [
            (condition, environment(condition)?),
            (general, environment(general)?),
            (message, environment(message)?),
            (change, environment(change)?),
        ];
        Ok(Expressions { parts, release })
    }

    /// What is wrong with an expression of which the server shows this.
    pub(super) fn fault(&self, part: Part, text: &str, shown: &str, wanted: Wanted) -> Option<String> {
        self.type_of(part, text, shown, wanted).err()
    }

    /// Knows a variable from now on; what is wrong with it.
    pub(super) fn declare(&mut self, name: &str, text: &str) -> Option<String> {
        let of = self.type_of(Part::General, text, text, Wanted::Any);
        let declared = of.as_ref().map_or(Type::Dyn, Clone::clone);
        for (part, environment) in &mut self.parts {
            if *part != Part::Condition {
                *environment = environment.clone().with_policy_variable(name, declared.clone());
            }
        }
        of.err()
    }

    fn type_of(&self, part: Part, text: &str, shown: &str, wanted: Wanted) -> Result<Type, String> {
        let Some((_, environment)) = self.parts.iter().find(|(of, _)| *of == part) else {
            return Ok(Type::Dyn);
        };
        compile(text, environment, wanted).map(|made| made.of).map_err(|fault| {
            let words = of_expression(fault.in_admission(wanted), self.release);
            if fault.is_internal() {
                format!("Internal error: {words}")
            } else {
                format!("Invalid value: {}: {words}", quote(shown))
            }
        })
    }
}
