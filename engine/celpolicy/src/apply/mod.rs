//! A policy in CEL applied to a resource.
//!
//! In: a policy, compiled, and a resource. Out: what the policy says of it, if it matches. Mirrors: `pkg/cel/policies/vpol/engine/engine.go` and `vpol/compiler/policy.go` of Kyverno 1.19, and what
//! its CLI lays around them (`cmd/cli/kubectl-kyverno/processor`).

mod admission;
mod beside;
mod cluster;
mod cluster_world;
mod delete;
mod equivalent;
mod evaluate;
mod extract;
mod frame;
mod generate;
mod images;
mod known;
mod labels;
mod matching;
mod mutate;
mod mutate_admission;
mod outside;
mod params;
mod registry;
mod requests;
mod subject;
mod unmatched;
mod verified;
mod verifying;

pub(crate) use admission::{Asking, broken_annotations, decisions};
pub use admission::{Decision, Objects, decide};
pub use cluster_world::ClusterWorld;
pub use delete::deletes;
pub(crate) use equivalent::Place;
pub use evaluate::{Beside, Exceptions, Explaining, evaluate, evaluate_each};
pub use generate::generate;
pub(crate) use images::{Around, look, look_at_payload, look_at_templates};
pub(crate) use known::mapping;
pub use labels::select;
pub use matching::matches;
pub(crate) use matching::{Served, Unknown, depends_on_namespace, served};
pub use mutate::{Conditions, mutate, mutate_target, targets};
pub(crate) use mutate_admission::Changing;
pub use mutate_admission::{Patched, Patcher, Patching, patch};
pub use outside::CliWorld;
pub(crate) use params::unknown_kind;
pub use params::{Found, Wanted, parameters};
pub use requests::answered;
pub use subject::{Subject, bindings};
pub(crate) use verified::Verified;

use crate::policy::{Deleting, Generating, Mutating};
use crate::why::Steps;
pub(crate) use crate::why::{Branches, Sentences};
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::function::Outside;
use engine_json::{Path, Str, Value};
use frame::Frame;
use std::cell::OnceCell;

/// What makes the steps to a verdict. Bodies have it or not, so that a module without it carries nothing of it.
#[derive(Debug)]
pub(crate) struct Explainers {
    policy: fn(&evaluate::Work<'_>, &Subject, &Path, &Row) -> Vec<Step>,
    pub(crate) admission: fn(Asking<'_>, &Objects<'_>, &Decision) -> Vec<Step>,
    pub(crate) deletion: fn(&Deleting, &Subject, &dyn Outside, &Path) -> Vec<Step>,
    mutation: OfMutation,
    generation: for<'w> fn(&'w Generating, &'w Frame<'w>, &'w Value, &Path) -> Vec<Step>,
    images: for<'w> fn(images::Said<'w>, &'w Frame<'w>, &'w Value, &Path) -> Vec<Step>,
    pub(crate) patching: fn(Changing<'_>, &Objects<'_>, &Patched) -> Vec<Step>,
    pub(crate) unmatched: fn(Option<&Value>, &Subject, &Path) -> Vec<Step>,
    pub(crate) unbound: OfBindings,
}

/// Of bindings, by their names, what they select, and the object.
type OfBindings = fn(&[(&Str, &Value)], &Subject) -> Vec<Step>;

/// Of a mutation: the policy, what it was evaluated with, the object as it met it, and as each mutation has left it.
type OfMutation =
    for<'w> fn(&'w Mutating, &'w Frame<'w>, &'w Value, &'w [OnceCell<Value>], &Path) -> Vec<Step>;

impl Explainers {
    const fn of<W: Steps>() -> Self {
        Explainers {
            policy: evaluate::explained::<W>,
            admission: admission::explained::<W>,
            deletion: delete::explained::<W>,
            mutation: mutate::explained::<W>,
            generation: generate::explained::<W>,
            images: images::explained::<W>,
            patching: mutate_admission::explained::<W>,
            unmatched: unmatched::steps,
            unbound: unmatched::of_bindings,
        }
    }
}

static SENTENCES: Explainers = Explainers::of::<Sentences>();
static BRANCHES: Explainers = Explainers::of::<Branches>();

/// Which steps a body can make.
pub(crate) trait Why: 'static {
    /// What makes them, where they are wanted.
    const EXPLAINERS: Option<&'static Explainers>;
}

/// None.
pub(crate) struct NoSteps;

impl Why for NoSteps {
    const EXPLAINERS: Option<&'static Explainers> = None;
}

impl Why for Sentences {
    const EXPLAINERS: Option<&'static Explainers> = Some(&SENTENCES);
}

impl Why for Branches {
    const EXPLAINERS: Option<&'static Explainers> = Some(&BRANCHES);
}

/// What a policy says of a resource.
#[derive(Clone, Debug)]
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
    /// The place of the validation that decided.
    pub validation: Option<usize>,
    /// What happened on the way; empty unless asked for.
    pub steps: Vec<Step>,
}

impl Row {
    pub(crate) fn new(rule: &'static str, status: Status, message: impl Into<String>) -> Self {
        let (properties, exceptions, steps) = Default::default();
        Row { rule, status, message: message.into(), properties, exceptions, validation: None, steps }
    }
}
