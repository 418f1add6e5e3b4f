//! Policies, made ready for one request after another.
//!
//! In: settings. Out: the policies that change objects and those that validate them, each as a bundle of their own, or the reasons why
//! the settings cannot be used, each with its line. What can decide nothing here is named, never passed over.

use crate::part::Part;
use crate::reasons::{hindrances, left_out, listed, sentence, unanswered};
use crate::settings::{FailurePolicy, LabelsByName, NOTHING_DECIDES, Settings};
use engine::Bundle;
use engine::body::Phase;
use engine::diag::{Code, Severity};
use engine::load::{Cluster, Host, Role, load_with};
use engine::policy::{Action, Body, Policy, Rule};
use engine_lenses::run::Positions;
use engine_podsecurity::admission::Config;
use std::sync::Arc;

/// Settings, ready to decide.
#[derive(Default)]
pub(crate) struct Loaded {
    /// The policies that change objects; nothing where there are none.
    pub(crate) mutating: Option<Bundle>,
    /// The policies that validate them.
    pub(crate) validating: Option<Bundle>,
    /// What policies do that look at the Namespace of a request, where it cannot be had; nothing where none looks at it.
    pub(crate) without_namespace: Option<FailurePolicy>,
    /// The same of policies that ask for the roles of the user.
    pub(crate) without_roles: Option<FailurePolicy>,
    /// What each policy asks for, those that change objects first: it is in their texts, and settings change nothing about it.
    asks: Vec<Asks>,
    /// Pod Security Admission, where it is asked for.
    pub(crate) pod_security: Option<Config>,
    /// The labels of namespaces, by name.
    pub(crate) namespace_labels: LabelsByName,
    /// What the author of the settings should know.
    pub(crate) notes: Vec<String>,
}

/// What a policy asks for beside the object.
#[derive(Clone, Copy)]
struct Asks {
    namespace: bool,
    roles: bool,
}

impl Loaded {
    /// Loads the policies of settings.
    pub(crate) fn new(settings: &Settings) -> Result<Self, String> {
        let of = |role: Role| move |text| (role, engine::yaml::Source::from(text));
        let policies = settings.policies.iter().map(of(Role::Policies));
        let exceptions = settings.exceptions.iter().map(of(Role::Exceptions));
        let sources = policies.chain(exceptions).collect();
        let (mut bundle, said) = load_with(sources, Host::Cluster, engine_celpolicy::OF_REQUESTS);
        let (errors, notes): (Vec<_>, Vec<_>) =
            said.into_iter().partition(|said| said.severity == Severity::Error);
        let places = Positions::new(&bundle);
        let mut reasons: Vec<String> = errors.into_iter().map(|said| sentence(&places, said)).collect();
        reasons.extend(hindrances(&bundle.policies, &places));
        // What is wrong with a text is said first: it may be why there is no policy in it.
        if reasons.is_empty() && bundle.policies.is_empty() && settings.pod_security.is_none() {
            reasons.push(NOTHING_DECIDES.to_owned());
        }
        if !reasons.is_empty() {
            return Err(listed(reasons));
        }
        // The host has what was not given with the settings.
        let notes = notes.into_iter().filter(|said| said.code != Code::MissingContext);
        let mut notes: Vec<String> = notes.map(|said| sentence(&places, said)).collect();
        notes.extend(bundle.policies.iter().filter_map(left_out));
        notes.extend(bundle.policies.iter().flat_map(|policy| unanswered(policy, &places)));
        drop(places);
        // The host has the ConfigMaps and answers calls.
        bundle.settings.answers.cluster = Cluster::Objects(Vec::new());
        // Places are not asked for any more.
        bundle.sources.clear();
        bundle.documents.clear();
        let mut loaded = Loaded {
            mutating: part(&bundle, Part::Mutates),
            validating: part(&bundle, Part::Validates),
            notes,
            ..Loaded::default()
        };
        let asks = |policy| Asks { namespace: asks_namespaces(policy), roles: asks_roles(policy) };
        loaded.asks = loaded.policies().map(asks).collect();
        loaded.settle(settings);
        Ok(loaded)
    }

    /// Takes over what settings say of all policies; what they do not say stays.
    pub(crate) fn settle(&mut self, settings: &Settings) {
        if let Some(labels) = &settings.namespace_labels {
            self.namespace_labels.clone_from(labels);
        }
        if let Some(config) = &settings.pod_security {
            self.pod_security = Some(config.clone());
        }
        for bundle in [&mut self.mutating, &mut self.validating].into_iter().flatten() {
            bundle.policies.iter_mut().for_each(|policy| settle(policy, settings));
            bundle.settings.namespace_labels.clear();
            for (name, labels) in &self.namespace_labels {
                bundle.settings.namespace_labels.insert(name.clone(), labels.clone());
            }
        }
        self.without_namespace = self.strictest(|asks| asks.namespace);
        self.without_roles = self.strictest(|asks| asks.roles);
    }

    /// All policies, those that change objects first.
    fn policies(&self) -> impl Iterator<Item = &Policy> {
        [&self.mutating, &self.validating].into_iter().flatten().flat_map(|bundle| &bundle.policies)
    }

    /// What those policies do that ask for something, where it cannot be had: the strictest of them decides.
    fn strictest(&self, does: fn(&Asks) -> bool) -> Option<FailurePolicy> {
        let asking = self.policies().zip(&self.asks).filter(|(_, asks)| does(asks));
        let mut asking = asking.map(|(policy, _)| policy).peekable();
        asking.peek()?;
        let ignores = asking.all(|policy| policy.ignores_errors);
        Some(if ignores { FailurePolicy::Ignore } else { FailurePolicy::Fail })
    }
}

/// Whether a policy looks at the Namespace of a request.
pub fn asks_namespaces(policy: &Policy) -> bool {
    let written = engine_json::to_json(&policy.raw);
    written.contains("\"namespaceSelector\"") || written.contains("namespaceObject")
}

/// Whether a policy asks for the roles of who asks.
pub fn asks_roles(policy: &Policy) -> bool {
    if policy.body.is_some() {
        return false;
    }
    let written = engine_json::to_json(&policy.raw);
    ["\"roles\":", "\"clusterRoles\":", "request.roles", "request.clusterRoles"]
        .iter()
        .any(|text| written.contains(text))
}

/// The policies of a part, with the rules of that part alone.
fn part(bundle: &Bundle, part: Part) -> Option<Bundle> {
    let mut bundle = bundle.clone();
    bundle.policies.retain_mut(|policy| {
        policy.rules.retain(|rule| part.has(rule));
        policy.autogen.retain(|rule| part.has(rule));
        match (policy.body.as_ref().map(|body| body.phase()), part) {
            (Some(stage), Part::Mutates) => stage == Phase::Mutate,
            (Some(stage), Part::Validates) => stage == Phase::Validate,
            (None, _) => !policy.rules.is_empty(),
        }
    });
    (!bundle.policies.is_empty()).then_some(bundle)
}

/// What the settings say replaces what a policy says.
fn settle(policy: &mut Policy, settings: &Settings) {
    if let Some(failure_policy) = settings.failure_policy {
        policy.ignores_errors = failure_policy == FailurePolicy::Ignore;
    }
    let Some(action) = settings.action else { return };
    policy.failure_action = action;
    policy.failure_action_overrides.clear();
    for rule in policy.rules.iter_mut().chain(&mut policy.autogen) {
        act(rule, action);
    }
}

fn act(rule: &mut Arc<Rule>, action: Action) {
    if let Body::Validate(body) = &mut Arc::make_mut(rule).body {
        body.failure_action = Some(action);
        body.failure_action_overrides.clear();
    }
}
