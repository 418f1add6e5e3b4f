//! Policies in CEL applied to resources.
//!
//! In: a bundle and the policies in it. Out: a row for each policy and resource that it matches, and the policies that do
//! not compile. Mirrors: `pkg/cel/policies/vpol/engine/engine.go` and `vpol/compiler/policy.go` of Kyverno 1.19, and what
//! its CLI lays around them (`cmd/cli/kubectl-kyverno/processor`).

mod evaluate;
mod matching;
mod outside;
mod subject;

pub use evaluate::evaluate;
pub use outside::CliWorld;
pub use subject::{Subject, bindings};

use crate::policy::{Evaluation, Exception, Policy, Program, Refused, exceptions, policies};
use engine::apply::Status;
use engine::load::Bundle;
use engine::world::World;

/// What a policy says of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rule, as Kyverno names it: often empty.
    pub rule: &'static str,
    /// What was decided.
    pub status: Status,
    /// Kyverno's words.
    pub message: String,
    /// Further properties.
    pub properties: Vec<(String, String)>,
    /// The keys of the exceptions that decided.
    pub exceptions: Vec<String>,
}

impl Row {
    pub(crate) fn new(rule: &'static str, status: Status, message: impl Into<String>) -> Self {
        Row { rule, status, message: message.into(), properties: Vec::new(), exceptions: Vec::new() }
    }
}

/// A row with its policy and resource.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The place of the policy among those of the outcome.
    pub policy: usize,
    /// The place of the resource in the bundle.
    pub resource: usize,
    /// What was decided.
    pub row: Row,
}

/// What came of all policies in CEL.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The policies, in the order of the documents.
    pub policies: Vec<Policy>,
    /// What was decided, by resource and then by policy.
    pub verdicts: Vec<Verdict>,
    /// The policies that do not compile: their places, and why.
    pub refused: Vec<(usize, Refused)>,
}

/// Applies all policies in CEL of a bundle to all its resources.
pub fn apply(bundle: &Bundle, world: &dyn World) -> Outcome {
    let policies = policies(bundle);
    let exceptions: Vec<Exception> = exceptions(bundle);
    let mut refused = Vec::new();
    let mut ready = Vec::new();
    for (at, policy) in policies.iter().enumerate() {
        if policy.evaluation == Evaluation::Requests {
            continue;
        }
        match Program::new(policy, &exceptions) {
            Ok(program) => ready.push((at, policy, program)),
            Err(why) => refused.push((at, why)),
        }
    }
    let outside = CliWorld { world };
    let mut verdicts = Vec::new();
    for (at, resource) in bundle.resources.iter().enumerate() {
        let subject = Subject::of(resource, &bundle.settings);
        for (place, policy, program) in &ready {
            let row = evaluate(policy, program, &exceptions, &subject, &outside);
            verdicts.extend(row.map(|row| Verdict { policy: *place, resource: at, row }));
        }
    }
    Outcome { policies, verdicts, refused }
}
