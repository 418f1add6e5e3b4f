//! Policies as plain data: what a `ClusterPolicy` or `Policy` says, compiled once, without behaviour.
//!
//! In: the decoders of `load`. Out: [`Policy`] and its parts, read by everything below.
//! Mirrors: api/kyverno/v1.

mod cleanup;
mod condition;
mod context_entry;
mod exception;
mod generate;
mod images;
mod mutate;
mod rule;
mod selector;

pub use cleanup::Cleanup;
pub use condition::{Condition, Conditions};
pub use context_entry::{ContextEntry, Source};
pub(crate) use exception::NO_EXCEPTIONS;
pub use exception::{Exception, ExceptionTarget, Exceptions};
pub use generate::{Generate, GenerateForeach};
pub use images::{ImageConditions, VerifyImages};
pub use mutate::{Mutate, MutateForeach, MutateStep, MutateTarget};
pub use rule::{Body, Check, Foreach, Origin, PatternSource, Rule, Validate};
pub use selector::{Filter, KindSelector, LabelSelector, Match, Requirement, Subject};

use crate::body::PolicyBody;
use crate::resource::DocumentId;
use crate::value::wildcard::Wildcard;
use engine_json::{Map, Path, Str, Value};
use std::sync::{Arc, OnceLock};

/// What a trace says of a part of a policy that is in use: made when it is first asked for, once for all resources.
#[derive(Clone, Debug, Default)]
pub struct Sentence(OnceLock<Arc<str>>);

impl Sentence {
    /// The sentence; `make` makes it where nobody has asked before, and every caller makes the same.
    pub fn get(&self, make: impl FnOnce() -> String) -> Arc<str> {
        self.0.get_or_init(|| make().into()).clone()
    }
}

/// `ClusterPolicy` or `Policy`, one that cleans up, or one of a kind that a crate above the engine evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// For the whole cluster.
    ClusterPolicy,
    /// For the resources of its own namespace.
    Policy,
    /// Deletes objects of the whole cluster.
    ClusterCleanupPolicy,
    /// Deletes objects of its own namespace.
    CleanupPolicy,
    /// Evaluated by its body, by the name of the kind.
    Extension(&'static str),
}

impl PolicyKind {
    /// The kind as text.
    pub fn as_str(self) -> &'static str {
        match self {
            PolicyKind::ClusterPolicy => "ClusterPolicy",
            PolicyKind::Policy => "Policy",
            PolicyKind::ClusterCleanupPolicy => "ClusterCleanupPolicy",
            PolicyKind::CleanupPolicy => "CleanupPolicy",
            PolicyKind::Extension(name) => name,
        }
    }
}

/// What a cluster does with a request that fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Let it pass and report it.
    #[default]
    Audit,
    /// Refuse it.
    Enforce,
}

impl Action {
    /// `Enforce` and the old spelling `enforce` enforce; anything else audits.
    // Kyverno: ValidationFailureAction.Enforce.
    pub fn from_text(text: &str) -> Self {
        if text == "Enforce" || text == "enforce" { Action::Enforce } else { Action::Audit }
    }
}

/// Another action for some namespaces.
#[derive(Clone, Debug)]
pub struct ActionOverride {
    /// What to do there.
    pub action: Action,
    /// Namespaces by wildcard; `None` for any, where an empty list is for none.
    pub namespaces: Option<Vec<Wildcard>>,
    /// Namespaces by label; `None` for any.
    pub namespace_selector: Option<LabelSelector>,
}

/// A policy.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each stands for a field of the spec, and none for a state"
)]
pub struct Policy {
    /// Its kind.
    pub kind: PolicyKind,
    /// Its `apiVersion`, as written.
    pub api_version: Str,
    /// Its namespace, as written.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// Its annotations.
    pub annotations: Map,
    /// Where it stands.
    pub document: DocumentId,
    /// The object as written, with the defaults of its schema.
    pub raw: Value,
    /// `spec.validationFailureAction`.
    pub failure_action: Action,
    /// `spec.validationFailureActionOverrides`.
    pub failure_action_overrides: Vec<ActionOverride>,
    /// `spec.background`, true unless it says otherwise.
    pub background: bool,
    /// `spec.admission`, true unless it says otherwise.
    pub admission: bool,
    /// `spec.emitWarning`: what fails is also a warning to the user.
    pub emit_warning: bool,
    /// `spec.failurePolicy: Ignore`: a rule that cannot be decided does not stop a request.
    pub ignores_errors: bool,
    /// `spec.applyRules: One`: stop after the first rule that passes or fails.
    pub apply_one: bool,
    /// The rules as written.
    pub rules: Vec<Arc<Rule>>,
    /// The rules that autogen makes of them, for all controllers.
    pub autogen: Vec<Arc<Rule>>,
    /// What evaluates a policy that has no rules.
    pub body: Option<Arc<dyn PolicyBody>>,
}

impl Policy {
    /// A policy that has no rules and no name yet.
    pub fn without_rules(kind: PolicyKind, document: DocumentId, failure_action: Action) -> Self {
        Policy {
            kind,
            api_version: Str::default(),
            namespace: Str::default(),
            name: Str::default(),
            annotations: Map::new(),
            document,
            raw: Value::Null,
            failure_action,
            failure_action_overrides: Vec::new(),
            background: false,
            admission: false,
            emit_warning: false,
            ignores_errors: false,
            apply_one: false,
            rules: Vec::new(),
            autogen: Vec::new(),
            body: None,
        }
    }

    /// The namespace whose resources the policy is for, `default` for a `Policy` that is written without one; empty for a
    /// cluster-wide policy.
    // Kyverno: pkg/engine, the gate of a policy; everything else takes its namespace as it is written.
    pub fn scope_namespace(&self) -> &str {
        match (self.kind, self.namespace.as_str()) {
            (PolicyKind::Policy, "") => "default",
            (PolicyKind::Policy, namespace) => namespace,
            (
                PolicyKind::ClusterPolicy
                | PolicyKind::ClusterCleanupPolicy
                | PolicyKind::CleanupPolicy
                | PolicyKind::Extension(_),
                _,
            ) => "",
        }
    }

    /// `name`, or `namespace/name` for what is written with a namespace.
    pub fn key(&self) -> String {
        match self.namespace.as_str() {
            "" => self.name.to_string(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }

    /// The rules with which a resource of this kind is validated: the written ones, and for a Pod controller also
    /// those that autogen makes for it.
    // Kyverno: pkg/autogen/v1 computeRules, called with the kind of the resource.
    pub fn rules_for_kind(&self, kind: &str) -> impl Iterator<Item = &Arc<Rule>> {
        let wanted = if kind == "CronJob" { Origin::AutogenCronJob } else { Origin::AutogenControllers };
        let generated = self
            .autogen
            .iter()
            .filter(move |rule| rule.origin == wanted && rule.controllers.iter().any(|c| c == kind));
        let any = generated.clone().next().is_some();
        let written = self.rules.iter().filter(move |rule| !any || !rule.name.starts_with("autogen-"));
        written.chain(generated)
    }

    /// All rules: the written ones and everything that autogen makes.
    // Kyverno: computeRules with an empty kind; the CLI counts these.
    pub fn all_rules(&self) -> impl Iterator<Item = &Arc<Rule>> {
        let any = !self.autogen.is_empty();
        self.rules.iter().filter(move |rule| !any || !rule.name.starts_with("autogen-")).chain(&self.autogen)
    }

    /// How many rules the policy counts for.
    // Kyverno: the CLI counts a policy in CEL as one.
    pub fn rule_count(&self) -> usize {
        self.all_rules().count() + usize::from(self.body.is_some())
    }

    /// The path of a rule in the document.
    pub fn rule_path(index: usize) -> Path {
        Path::root().join("spec").join("rules").join(index)
    }
}
