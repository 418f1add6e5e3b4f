//! Policies, made ready for one request after another.
//!
//! In: settings. Out: the policies that change objects and those that validate them, each as a bundle of their own, or the reasons why
//! the settings cannot be used, each with its line. What can decide nothing here is named, never passed over.

use crate::settings::{FailurePolicy, LabelsByName, Settings};
use engine::Bundle;
use engine::body::Phase;
use engine::diag::{Diagnostic, Severity};
use engine::load::{Cluster, Host, Role, load_with};
use engine::policy::{Action, Body, Policy, Rule};
use engine::run::{Positions, diagnostic};
use engine_podsecurity::admission::Config;
use std::sync::Arc;

/// So many reasons are given why settings cannot be used.
const MAX_REASONS: usize = 20;

/// Settings, ready to decide.
pub(crate) struct Loaded {
    /// The policies that change objects; nothing where there are none.
    pub(crate) mutating: Option<Bundle>,
    /// The policies that validate them.
    pub(crate) validating: Option<Bundle>,
    /// What policies do that look at the Namespace of a request, where it cannot be had; nothing where none looks at it.
    pub(crate) without_namespace: Option<FailurePolicy>,
    /// The same of policies that ask for the roles of the user.
    pub(crate) without_roles: Option<FailurePolicy>,
    /// Pod Security Admission, where it is asked for.
    pub(crate) pod_security: Option<Config>,
    /// The labels of namespaces, by name.
    pub(crate) namespace_labels: LabelsByName,
    /// What the author of the settings should know.
    pub(crate) notes: Vec<String>,
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
        let mut reasons: Vec<String> = errors.into_iter().map(|said| sentence(&bundle, said)).collect();
        reasons.extend(bundle.policies.iter().filter_map(hindrance));
        if !reasons.is_empty() {
            return Err(listed(reasons));
        }
        let mut notes: Vec<String> = notes.into_iter().map(|said| sentence(&bundle, said)).collect();
        notes.extend(bundle.policies.iter().filter_map(left_out));
        bundle.policies.iter_mut().for_each(|policy| settle(policy, settings));
        for (name, labels) in &settings.namespace_labels {
            bundle.settings.namespace_labels.insert(name.clone(), labels.clone());
        }
        // The host has the ConfigMaps and answers calls.
        bundle.settings.answers.cluster = Cluster::Objects(Vec::new());
        let without_namespace = strictest(&bundle.policies, asks_namespaces);
        let without_roles = strictest(&bundle.policies, asks_roles);
        // Places are not asked for any more.
        bundle.sources.clear();
        bundle.documents.clear();
        Ok(Loaded {
            mutating: part(&bundle, Part::Mutates),
            validating: part(&bundle, Part::Validates),
            without_namespace,
            without_roles,
            pod_security: settings.pod_security.clone(),
            namespace_labels: settings.namespace_labels.clone(),
            notes,
        })
    }
}

/// `policies[0]:9:5: what is wrong (what to do)`.
fn sentence(bundle: &Bundle, said: Diagnostic) -> String {
    let said = diagnostic(said, &Positions::new(bundle));
    let place = said
        .range
        .map_or_else(String::new, |range| format!("{}:{}:{}: ", range.name, range.line, range.column));
    let hint = said.hints.first().map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{place}{}{hint}", said.message)
}

fn listed(mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(MAX_REASONS);
    reasons.truncate(MAX_REASONS);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons.join("\n")
}

/// Why a policy cannot decide requests here.
fn hindrance(policy: &Policy) -> Option<String> {
    let key = policy.key();
    if let Some(body) = &policy.body {
        return match body.phase() {
            _ if body.protocol().is_some() => {
                Some(format!("policy `{key}` answers requests of HTTP or Envoy, not of Kubernetes"))
            }
            Phase::VerifyImages => Some(format!(
                "policy `{key}` checks images, which needs a registry: no registry is asked here"
            )),
            Phase::Generate => {
                Some(format!("policy `{key}` generates objects: a policy of Kubewarden cannot create any"))
            }
            Phase::Cleanup => Some(format!("policy `{key}` deletes objects: a policy of Kubewarden cannot")),
            Phase::Mutate | Phase::Validate => None,
        };
    }
    for rule in &policy.rules {
        let name = &rule.name;
        if matches!(rule.body, Body::VerifyImages(_)) {
            return Some(format!(
                "policy `{key}`, rule `{name}` verifies images, which needs a registry: no registry is asked here"
            ));
        }
    }
    let decides = policy.rules.iter().any(|rule| Part::Mutates.has(rule) || Part::Validates.has(rule));
    (!decides).then(|| {
        format!("policy `{key}` decides no request: its rules generate, clean up, or change other objects")
    })
}

/// What of a policy is not done here, where the rest of it decides.
fn left_out(policy: &Policy) -> Option<String> {
    let is_left_out = |rule: &&Arc<Rule>| !(Part::Mutates.has(rule) || Part::Validates.has(rule));
    let names: Vec<&str> = policy.rules.iter().filter(is_left_out).map(|rule| rule.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let names = names.join("`, `");
        format!(
            "policy `{}`: what generates, cleans up or changes other objects is not done here: `{names}`",
            policy.key()
        )
    })
}

/// What those policies do that ask for something, where it cannot be had: the strictest of them decides.
fn strictest(policies: &[Policy], asks: fn(&Policy) -> bool) -> Option<FailurePolicy> {
    let mut asking = policies.iter().filter(|policy| asks(policy)).peekable();
    asking.peek()?;
    Some(if asking.all(|policy| policy.ignores_errors) { FailurePolicy::Ignore } else { FailurePolicy::Fail })
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

/// A part of the policies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Mutates,
    Validates,
}

impl Part {
    /// Whether a rule belongs to it.
    fn has(self, rule: &Rule) -> bool {
        match &rule.body {
            Body::Mutate(body) => self == Part::Mutates && body.targets.is_empty(),
            Body::Validate(_) => self == Part::Validates,
            Body::VerifyImages(_) | Body::Generate(_) | Body::Cleanup(_) | Body::None => false,
        }
    }
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
