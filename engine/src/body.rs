//! A policy of a kind that a crate above the engine evaluates.
//!
//! In: a resource, and what verdicts on it may depend on. Out: what the policy says of it. The engine knows of such a policy what
//! reports and links need of any policy (`policy::Policy`), and asks its [`PolicyBody`] for the rest.

use crate::context::Directory;
use crate::diag::Diagnostic;
use crate::load::{ApiServer, Bundle, DocumentPath, Host, Settings};
use crate::matching::UserInfo;
pub use crate::outcome::{Difference, Phase};
use crate::outcome::{Options, PolicyResult};
use crate::policy::{Action, Policy};
use crate::resource::{Gvk, Protocol, Resource, Shelf};
use crate::rules::{RuleResult, Status};
use crate::trace::{Recording, Step};
use crate::world::World;
use engine_json::arrange::Arrange as _;
use engine_json::{Path, Str, Value};
use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// What evaluates a policy: made once when the policy is loaded, and shared by all threads.
pub trait PolicyBody: Send + Sync {
    /// What the policy says of a resource; nothing where the original has no answer for it either.
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>>;

    /// Whether the verdict on a resource is the same whatever other resources there are.
    fn is_independent(&self) -> bool;

    /// In which part of a run the policy is asked: images are looked at as they were given, once all resources went through the other
    /// parts, and deletion comes last.
    fn phase(&self) -> Phase {
        Phase::Validate
    }

    /// What a policy of [`Phase::Mutate`] says of a resource and makes of it: one answer for each of its variants that the
    /// original has an answer of. `_met` is the resource as it was before the first policy of this turn.
    fn mutate(&self, _asked: &Asked<'_>, _met: &Resource) -> Vec<Mutated> {
        Vec::new()
    }

    /// What a policy of [`Turn::MutatingAdmission`] makes of a resource once more, after all of its turn: by these of its applications.
    /// `_met` is the resource as the turn has left it.
    fn mutate_again(
        &self,
        _asked: &Asked<'_>,
        _met: &Resource,
        _applications: &[Application],
    ) -> Vec<Mutated> {
        Vec::new()
    }

    /// What a policy of [`Phase::Mutate`] makes of other objects because this resource was asked about: answers with the place of
    /// the object in `_targets`. `_met` is the resource as it was before the first policy of this turn.
    fn mutate_targets(
        &self,
        _asked: &Asked<'_>,
        _met: &Resource,
        _targets: &[Resource],
    ) -> Vec<(usize, Mutated)> {
        Vec::new()
    }

    /// When the policy is asked, among the policies of its phase.
    fn turn(&self) -> Turn {
        Turn::Resources
    }

    /// The body as it is beside the exceptions of its group: whole documents, in the order in which they were given.
    fn with_exceptions(&self, _given: &[&Value]) -> WithExceptions {
        WithExceptions::Same
    }

    /// What is wrong with the expressions of an exception beside which the policy has a fault: each problem at its place in the text.
    fn faults_of_exception(
        &self,
        _bundle: &Bundle,
        _place: &DocumentPath<'_>,
        _exception: &Value,
    ) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// The body as it is beside the bindings of its group: whole documents; nothing where none of them is for the policy.
    fn with_bindings(&self, _given: &[&Value]) -> Option<Arc<dyn PolicyBody>> {
        None
    }

    /// Why the policy is not for the resource, where its constraints say so: steps that did not hold. It is asked about policies
    /// that said nothing, where such steps are wanted.
    fn why_unmatched(&self, _asked: &Asked<'_>) -> Vec<Step> {
        Vec::new()
    }

    /// How often a verdict of the policy is counted.
    fn counted(&self, _status: Status) -> usize {
        1
    }

    /// Whose requests the policy answers; nothing for one that is asked about resources.
    fn protocol(&self) -> Option<Protocol> {
        None
    }

    /// Whether the policy is asked about documents of any form.
    fn takes_payloads(&self) -> bool {
        false
    }

    /// When the policy is due, as its schedule says; nothing for one that has none.
    fn schedule(&self) -> Option<&str> {
        None
    }

    /// What a cluster would say of a resource, where its verdict is another than that of the CLI: the same question for each host.
    fn difference(&self, _here: &Asked<'_>, _there: &Asked<'_>) -> Option<Difference> {
        None
    }

    /// What a cluster would do with the request because of what the policy said.
    // Kyverno: pkg/webhooks/resource/vpol/handler.go: an error refuses too, whatever the failure policy.
    fn effect(&self, policy: &Policy, said: &RuleResult) -> Effect {
        match (said.status, policy.failure_action) {
            (Status::Pass | Status::Skip, _) => Effect::Allow,
            (Status::Error, _) if policy.ignores_errors => Effect::Warn,
            (_, Action::Enforce) => Effect::Deny,
            (_, Action::Audit) if policy.emit_warning => Effect::Warn,
            (_, Action::Audit) => Effect::Report,
        }
    }

    /// The name of the engine that reports give as the source of a result.
    fn source(&self) -> &'static str;
}

/// What a cluster would do with a request, from the mildest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Let it in; there is nothing to say.
    Allow,
    /// Let it in, and report what failed.
    Report,
    /// Let it in with a warning, and report what failed.
    Warn,
    /// It cannot be said here: a rule that matches is of a kind that is not evaluated.
    Unknown,
    /// Refuse it.
    Deny,
}

impl Effect {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Allow => "allow",
            Effect::Report => "report",
            Effect::Warn => "warn",
            Effect::Unknown => "unknown",
            Effect::Deny => "deny",
        }
    }
}

/// What a policy is asked about: policies of a phase are asked in this order, and those of one turn in the order in which they
/// were loaded.
// Kyverno: cmd/cli/kubectl-kyverno/processor/policy_processor.go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// Kubernetes' own policies that mutate. Each sees what the one before it has left, and shows what it has left itself.
    MutatingAdmission,
    /// Resources.
    Resources,
    /// Documents of any form.
    Payloads,
    /// Resources, by Kubernetes' own policies that validate.
    ValidatingAdmission,
    /// HTTP requests.
    Http,
    /// Requests that Envoy asks about.
    Envoy,
}

/// The policies with a body of a phase and their places among all policies, in the order in which they are asked.
pub fn of_phase(bundle: &Bundle, phase: Phase) -> Vec<(usize, &dyn PolicyBody)> {
    let policies = bundle.policies.iter().enumerate();
    let bodies = policies.filter_map(|(at, policy)| Some((at, policy.body.as_deref()?)));
    let mut all: Vec<_> = bodies.filter(|(_, body)| body.phase() == phase).collect();
    all.arrange_by_key(|(_, body)| body.turn());
    all
}

/// What brings resources to the policies that do not only validate: it comes with the table of kinds, so that an engine without
/// such kinds carries none of it.
pub trait PhaseRunner: Sync {
    /// Applies the policies of [`Phase::Mutate`] to a resource that was given at this place, as it is now.
    fn mutate<'r>(
        &self,
        run: &Run<'_>,
        place: (usize, &Resource),
        resource: Cow<'r, Resource>,
        results: &mut Vec<PolicyResult>,
    ) -> Cow<'r, Resource>;

    /// Asks those of [`Phase::Mutate`] that change other objects because of a resource, given with its place: `met` as it was
    /// when they were first asked, `resource` as they left it.
    fn mutate_targets(
        &self,
        run: &Run<'_>,
        at: usize,
        met: &Resource,
        resource: &Resource,
        targets: &[Resource],
    ) -> Vec<PolicyResult>;

    /// Asks those of [`Phase::Generate`].
    fn generate(
        &self,
        run: &Run<'_>,
        place: (usize, &Resource),
        resource: &Resource,
        results: &mut Vec<PolicyResult>,
    );

    /// Asks those of [`Phase::VerifyImages`] and [`Phase::Cleanup`] about all resources.
    fn afterwards(&self, run: &Run<'_>, take: &mut dyn FnMut(PolicyResult));
}

/// A run, as [`PhaseRunner`] see it.
pub struct Run<'a> {
    /// Policies and settings.
    pub bundle: &'a Bundle,
    /// The objects of the run.
    pub objects: &'a Directory<'a>,
    /// What lies outside.
    pub world: &'a dyn World,
    /// How to decide.
    pub options: &'a Options,
}

impl<'a> Run<'a> {
    /// The question to policies about a resource of the run, as its options say.
    pub fn asked(&self, resource: &'a Resource) -> Asked<'a> {
        Asked {
            resource,
            settings: &self.bundle.settings,
            host: self.options.host,
            old_objects: &self.bundle.old_resources,
            objects: self.objects,
            world: self.world,
            server: self.bundle.server,
            is_traced: self.options.trace == Recording::On,
            made: OnceCell::new(),
        }
    }
}

/// What a policy made of a resource.
#[derive(Clone, Debug)]
pub struct Mutated {
    /// What it said; empty where it was not for the resource.
    pub rules: Vec<RuleResult>,
    /// The resource, where the policy came through.
    pub resource: Option<Value>,
    /// The object that the policy was asked about, where that is another than the resource: of one that goes, nothing is left.
    pub met: Option<Value>,
    /// The resource as it was just before, where that is not the one that the policy was asked about: a policy that is applied
    /// several times says what its last application has changed.
    pub before: Option<Value>,
    /// The applications of the policy that are made once more, once all policies of the turn were applied.
    pub again: Vec<Application>,
}

/// An application of a policy: the places of the binding and of the parameters.
pub type Application = (usize, usize);

impl Mutated {
    /// What was said of a resource, and what is left of it.
    pub fn of(rules: Vec<RuleResult>, resource: Option<Value>) -> Self {
        Mutated { rules, resource, met: None, before: None, again: Vec::new() }
    }
}

/// What evaluates a `validate` rule of a language that the engine does not know.
pub trait RuleCheck: Send + Sync {
    /// What the rule says of a resource that it matches.
    fn evaluate(&self, asked: &AskedRule<'_>) -> SaidByRule;

    /// Whether the verdict on a resource is the same whatever other resources there are.
    fn is_independent(&self) -> bool;
}

// Traits that ask for `Debug` would keep the fields of whatever implements them, and what these hold, in every module.
impl fmt::Debug for dyn PolicyBody {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.source())
    }
}

impl fmt::Debug for dyn PhaseRunner {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("PhaseRunner")
    }
}

impl fmt::Debug for dyn RuleCheck {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("RuleCheck")
    }
}

/// What a rule says.
#[derive(Clone, Debug)]
pub struct SaidByRule {
    /// The verdict.
    pub status: Status,
    /// Kyverno's words.
    pub message: String,
    /// The place in the rule that decided.
    pub place: Option<Path>,
    /// What the verdict alone does not say; mostly empty.
    pub note: String,
    /// What happened on the way, its places those of the rule; empty unless asked for.
    pub steps: Vec<Step>,
}

/// What exceptions make of a body.
#[derive(Debug)]
pub enum WithExceptions {
    /// Nothing: none of them is for the policy.
    Same,
    /// A body that knows them.
    Changed(Arc<dyn PolicyBody>),
    /// A body that says of each resource that one of them, by its place, has a fault.
    Erring {
        /// The body.
        body: Arc<dyn PolicyBody>,
        /// The place of the exception.
        exception: usize,
    },
    /// The policy cannot be evaluated: one of them, by its place, has a fault, in Kyverno's words.
    Refused {
        /// The place of the exception.
        exception: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A resource that policies are asked about.
pub struct Asked<'a> {
    /// The resource, as the policies before have left it.
    pub resource: &'a Resource,
    /// Values, user, namespaces.
    pub settings: &'a Settings,
    /// Which of the originals is followed.
    pub host: Host,
    /// The objects as they were.
    pub old_objects: &'a Shelf,
    /// The objects of the run.
    pub objects: &'a Directory<'a>,
    /// What lies outside.
    pub world: &'a dyn World,
    /// What stores objects, where a cluster is followed that does.
    pub server: Option<&'static ApiServer>,
    /// Whether the steps to the verdict are asked for.
    pub is_traced: bool,
    /// What a body has made of the resource, for the bodies after it.
    pub made: OnceCell<Box<dyn Any>>,
}

impl<'a> Asked<'a> {
    /// The same question as another host would put it, without steps and with nothing made of the resource yet.
    #[must_use]
    pub fn of_host(&self, host: Host) -> Asked<'a> {
        Asked { host, is_traced: false, made: OnceCell::new(), ..*self }
    }
}

/// A request that a rule is asked about.
pub struct AskedRule<'a> {
    /// The object as it will be; nothing for one that goes.
    pub object: Option<&'a Resource>,
    /// The object as it was, where there is one.
    pub old_object: Option<&'a Resource>,
    /// The kind that rules match.
    pub gvk: &'a Gvk,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub operation: &'a str,
    /// Who asks.
    pub user: &'a UserInfo,
    /// The labels of the namespace.
    pub namespace_labels: &'a [(Str, Str)],
    /// Which of the originals is followed.
    pub host: Host,
    /// The objects of the run.
    pub objects: &'a Directory<'a>,
    /// What lies outside.
    pub world: &'a dyn World,
    /// Whether the steps to the verdict are asked for.
    pub is_traced: bool,
}
