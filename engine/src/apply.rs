//! The driver: every policy over every resource.
//!
//! In: a bundle, the world outside, and options. Out: for each policy and resource what its rules said, in the
//! order of the original: resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/validation.go.

use crate::admission::{self, Admission};
use crate::context::Evaluator;
use crate::functions;
use crate::load::Bundle;
use crate::matching::{self, Request};
use crate::policy::{Action, Body, Policy, PolicyKind, Rule};
use crate::resource::{Gvk, Resource};
use crate::rules::{self, Loading, Subject};
use crate::trace::{Kind, Step, Trace};
use crate::world::World;
use engine_json::{Str, Value};

pub use crate::load::Host;
pub use crate::rules::{Places, RuleResult, RuleType, Status};
pub use crate::trace::Recording;

/// How to decide.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which of the originals is followed where they differ.
    pub host: Host,
    /// Whether each rule tells its steps.
    pub trace: Recording,
    /// Whether results say where in the texts they were decided.
    pub places: Places,
}

/// What all policies said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One entry a policy and resource.
    pub results: Vec<PolicyResult>,
}

/// One policy over one resource.
#[derive(Clone, Debug)]
pub struct PolicyResult {
    /// The policy's place in the bundle.
    pub policy: usize,
    /// The resource's place in the bundle.
    pub resource: usize,
    /// What its rules said; empty where none matched.
    pub rules: Vec<RuleResult>,
    /// Why no rule matched; empty where one did, or where nobody asked.
    pub no_match: Vec<Step>,
}

/// Applies every policy to every resource.
pub fn apply(bundle: &Bundle, world: &dyn World, options: &Options) -> Outcome {
    let registry = functions::registry();
    let evaluator = Evaluator::new(&registry, world);
    let mut outcome = Outcome::default();
    for at in 0..bundle.resources.len() {
        apply_to(bundle, at, &evaluator, options, &mut outcome.results);
    }
    outcome
}

/// Applies every policy to one resource.
fn apply_to(bundle: &Bundle, at: usize, evaluator: &Evaluator<'_>, options: &Options, results: &mut Vec<PolicyResult>) {
    let Some(resource) = bundle.resources.get(at) else { return };
    for (policy_at, policy) in bundle.policies.iter().enumerate() {
        if !policy.rules.iter().any(|rule| matches!(rule.body, Body::Validate(_))) {
            continue;
        }
        let mut trace = Trace::new(options.trace);
        let rules = validate(bundle, policy, resource, evaluator, options, &mut trace);
        let no_match = if rules.is_empty() { trace.take() } else { Vec::new() };
        results.push(PolicyResult { policy: policy_at, resource: at, rules, no_match });
    }
}

fn validate(
    bundle: &Bundle,
    policy: &Policy,
    resource: &Resource,
    evaluator: &Evaluator<'_>,
    options: &Options,
    trace: &mut Trace,
) -> Vec<RuleResult> {
    let settings = &bundle.settings;
    let admission = admission::admit(bundle, policy, resource, evaluator, options.host);
    if let Some(reason) = left_alone(&admission) {
        trace.record(|| Step::new(Kind::Match, false, reason));
        return Vec::new();
    }
    let (gvk, subresource) = parent_kind(bundle, resource);
    let labels = namespace_labels(bundle, admission.resource.namespace());
    let request = Request {
        resource: &admission.resource,
        gvk: &gvk,
        subresource: &subresource,
        operation: &admission.operation,
        namespace_labels: labels,
        user: &admission.user,
        policy_namespace: if policy.kind == PolicyKind::Policy { &policy.namespace } else { "" },
    };
    let mut results = Vec::new();
    for rule in policy.rules_for_kind(&gvk.kind) {
        if !matches!(rule.body, Body::Validate(_)) || !matching::rule_matches(rule, &request, trace) {
            continue;
        }
        let values = rule_values(bundle, policy, rule);
        let mut context = admission.context(evaluator);
        let subject = Subject {
            policy,
            rule,
            resource: &admission.resource,
            old_resource: admission.old_resource.as_ref(),
            operation: &admission.operation,
            request,
            exceptions: &bundle.exceptions,
            host: options.host,
            resources: &bundle.resources,
            values: &values,
            cluster: if options.host == Host::Playground { &bundle.cluster_resources } else { &[] },
            loading: if options.host == Host::Cli || settings.deferred_loading { Loading::Deferred } else { Loading::Eager },
            places: options.places,
        };
        context.checkpoint();
        if let Some(mut result) = rules::run(&subject, &mut context, trace) {
            result.steps = trace.take();
            let decided = matches!(result.status, Status::Pass | Status::Fail);
            results.push(result);
            if policy.apply_one && decided {
                break;
            }
        }
    }
    results
}

/// Why Kyverno's configuration keeps the resource out of every rule's sight.
fn left_alone(admission: &Admission) -> Option<String> {
    if let Some(filter) = admission.config.filter_of(&admission.resource) {
        return Some(format!("Kyverno's configuration leaves this resource alone: resource filter `{filter}`"));
    }
    let user = &admission.user;
    let name = &user.username;
    admission.config.excludes(user).then(|| format!("Kyverno's configuration leaves user `{name}` alone"))
}

fn namespace_labels<'a>(bundle: &'a Bundle, namespace: &str) -> &'a [(Str, Str)] {
    let settings = &bundle.settings;
    let labels = settings.namespace_labels.iter().find(|(name, _)| name == namespace);
    labels.map_or(&settings.default_namespace_labels, |(_, labels)| labels)
}

/// The values that a values file gives for a rule.
fn rule_values(bundle: &Bundle, policy: &Policy, rule: &Rule) -> Vec<(Str, Value)> {
    let fits = |(of, name, _): &&(Str, Str, Vec<(Str, Value)>)| *of == policy.name && is_rule(&rule.name, name);
    bundle.settings.rule_values.iter().filter(fits).flat_map(|(_, _, values)| values.iter().cloned()).collect()
}

/// A values file may name a rule without what autogen puts before it.
fn is_rule(rule: &str, named: &str) -> bool {
    rule == named
        || rule.strip_prefix("autogen-cronjob-") == Some(named)
        || rule.strip_prefix("autogen-") == Some(named)
}

/// The kind that rules match: that of the parent for a kind that stands for a subresource.
fn parent_kind(bundle: &Bundle, resource: &Resource) -> (Gvk, Str) {
    let gvk_of = |value: &Value| Gvk {
        group: Str::new(value.find_str(&["group"])),
        version: Str::new(value.find_str(&["version"])),
        kind: Str::new(value.find_str(&["kind"])),
    };
    let mut found = (resource.gvk.clone(), Str::default());
    for (subresource, parent) in &bundle.settings.subresources {
        if gvk_of(subresource) == found.0 {
            let name = subresource.find_str(&["name"]);
            found = (gvk_of(parent), Str::new(name.split('/').nth(1).unwrap_or("")));
        }
    }
    found
}

/// What a cluster would do with a request that the policy's rules failed.
// Kyverno: the action of the first rule that names one, then the policy's overrides, then the policy's own.
pub fn failure_action(policy: &Policy, namespace: &str, namespace_labels: &[(Str, Str)]) -> Action {
    let of_rule = policy.rules.iter().find_map(|rule| match &rule.body {
        Body::Validate(body) => body.failure_action,
        Body::Mutate | Body::Generate | Body::VerifyImages | Body::None => None,
    });
    if let Some(action) = of_rule {
        return action;
    }
    let fits = |entry: &&crate::policy::ActionOverride| {
        let by_name = entry.namespaces.is_empty() || entry.namespaces.iter().any(|name| name.matches(namespace));
        let by_label = entry
            .namespace_selector
            .as_ref()
            .is_none_or(|selector| matching::selector_matches(selector, namespace_labels).is_ok());
        by_name && by_label
    };
    policy.failure_action_overrides.iter().find(fits).map_or(policy.failure_action, |entry| entry.action)
}
