//! The driver: every policy over every resource.
//!
//! In: a bundle, the world outside, and options. Out: for each policy and resource what its rules said, in the
//! order of the original: resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/validation.go.

use crate::context::{Evaluator, JsonContext, Loader};
use crate::functions;
use crate::load::Bundle;
use crate::matching::{self, Request, UserInfo};
use crate::policy::{Action, Body, Policy, PolicyKind};
use crate::resource::{Gvk, Resource};
use crate::rules::{self, Subject};
use crate::trace::{Step, Trace};
use crate::world::World;
use engine_json::{Map, Str, Value};

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
    let mut outcome = Outcome::default();
    apply_each(bundle, world, options, 0..bundle.resources.len(), |result| outcome.results.push(result));
    outcome
}

/// Applies every policy to the resources at these places of the bundle, and gives each result away at once: a
/// host that keeps little of it can judge many resources in little memory, and several ranges side by side.
pub fn apply_each(
    bundle: &Bundle,
    world: &dyn World,
    options: &Options,
    resources: std::ops::Range<usize>,
    mut take: impl FnMut(PolicyResult),
) {
    let registry = functions::registry();
    let evaluator = Evaluator::new(&registry, world);
    let mut results = Vec::new();
    for at in resources {
        apply_to(bundle, at, &evaluator, options, &mut results);
        results.drain(..).for_each(&mut take);
    }
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

/// The request that a resource comes with, for one policy.
struct Admission {
    resource: Resource,
    operation: Str,
    values: Vec<(Str, Value)>,
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
    let admission = admission(bundle, policy, resource, evaluator);
    let user = settings.user.clone().unwrap_or_default();
    let (gvk, subresource) = parent_kind(bundle, resource);
    let namespace = admission.resource.namespace();
    let labels = settings.namespace_labels.iter().find(|(name, _)| name == namespace);
    let request = Request {
        resource: &admission.resource,
        gvk: &gvk,
        subresource: &subresource,
        operation: &admission.operation,
        namespace_labels: labels.map_or(&settings.default_namespace_labels, |(_, labels)| labels),
        user: &user,
        policy_namespace: if policy.kind == PolicyKind::Policy { &policy.namespace } else { "" },
    };
    let mut results = Vec::new();
    for rule in policy.rules_for_kind(&gvk.kind) {
        if !matches!(rule.body, Body::Validate(_)) || !matching::rule_matches(rule, &request, trace) {
            continue;
        }
        let rule_values: Vec<(Str, Value)> = settings
            .rule_values
            .iter()
            .filter(|(of, name, _)| *of == policy.name && is_rule(&rule.name, name))
            .flat_map(|(_, _, values)| values.iter().cloned())
            .collect();
        let mut context = context(settings.user.as_ref(), &admission, evaluator);
        let subject = Subject {
            policy,
            rule,
            resource: &admission.resource,
            operation: &admission.operation,
            values: &rule_values,
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

/// The request as the values make it: they can replace the operation and even fields of the object.
// Kyverno: makePolicyContext.
fn admission(bundle: &Bundle, policy: &Policy, resource: &Resource, evaluator: &Evaluator<'_>) -> Admission {
    let settings = &bundle.settings;
    let mut values = settings.global_values.clone();
    for (of, name, more) in &settings.resource_values {
        if *of == policy.name && name == resource.name() {
            values.extend(more.iter().cloned());
        }
    }
    let operation = values
        .iter()
        .rfind(|(key, _)| key == "request.operation")
        .and_then(|(_, value)| value.as_str())
        .map(Str::new)
        .or_else(|| settings.operation.clone())
        .unwrap_or_else(|| Str::new_static("CREATE"));
    let mut admission = Admission { resource: resource.clone(), operation, values };
    if admission.values.iter().any(|(key, _)| key.starts_with("request.object") || key.starts_with("request.oldObject")) {
        let mut context = context(None, &admission, evaluator);
        let from = if admission.operation == "DELETE" { "request.oldObject" } else { "request.object" };
        if let Ok(object @ Value::Object(_)) = context.query(from) {
            admission.resource = Resource::new(object, resource.document);
        }
    }
    admission
}

/// The JSON context before any rule has added to it.
fn context<'a>(user: Option<&UserInfo>, admission: &Admission, evaluator: &'a Evaluator<'a>) -> JsonContext<'a> {
    let mut context = JsonContext::new(evaluator);
    let resource = &admission.resource;
    match admission.operation.as_str() {
        "DELETE" => context.replace(&["request", "oldObject"], resource.value.clone()),
        "UPDATE" => {
            context.replace(&["request", "object"], resource.value.clone());
            context.replace(&["request", "oldObject"], resource.value.clone());
        }
        _ => context.replace(&["request", "object"], resource.value.clone()),
    }
    context.add(&["request", "namespace"], Value::from(resource.namespace()));
    context.add_loader(Str::new_static("images"), Loader::Images(resource.value.clone()));
    if let Some(user) = user {
        add_user(&mut context, user);
    }
    context.set_operation(&admission.operation);
    for (name, value) in &admission.values {
        context.add_variable(name, value.clone());
    }
    context
}

/// What the context says of the user.
// Kyverno: AddUserInfo, AddServiceAccount.
fn add_user(context: &mut JsonContext<'_>, user: &UserInfo) {
    let list = |texts: &[Str]| Value::array(texts.iter().cloned().map(Value::String).collect());
    let mut info = Map::new();
    let mut put = |key: &str, value: Value, is_empty: bool| {
        if !is_empty {
            info.insert(key, value);
        }
    };
    put("username", Value::String(user.username.clone()), user.username.is_empty());
    put("uid", Value::String(user.uid.clone()), user.uid.is_empty());
    put("groups", list(&user.groups), user.groups.is_empty());
    put("extra", Value::object(user.extra.clone()), user.extra.is_empty());
    context.add(&["request", "userInfo"], Value::object(info));
    if !user.roles.is_empty() {
        context.add(&["request", "roles"], list(&user.roles));
    }
    if !user.cluster_roles.is_empty() {
        context.add(&["request", "clusterRoles"], list(&user.cluster_roles));
    }
    let (name, namespace) = service_account(&user.username);
    context.add(&["serviceAccountName"], Value::from(name));
    context.add(&["serviceAccountNamespace"], Value::from(namespace));
}

/// Name and namespace of the service account in a user name.
// Kyverno: the first 22 bytes are cut off without a look at them.
fn service_account(username: &str) -> (&str, &str) {
    let prefix = "system:serviceaccount:".len();
    let rest = if username.len() > prefix { username.get(prefix..).unwrap_or("") } else { "" };
    let mut parts = rest.split(':');
    match (parts.next(), parts.next()) {
        (Some(namespace), Some(name)) => (name, namespace),
        _ => ("", ""),
    }
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
