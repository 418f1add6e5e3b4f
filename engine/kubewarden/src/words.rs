//! The messages of a response: those of Kyverno's webhooks, and those of the API server about policies of its own.
//!
//! In: what the rules said. Out: why the request is refused, one text for each webhook that would refuse it; warnings; what goes into
//! the audit log. Example: `policy labels.team: validation error: …` is a warning.
//! Mirrors: pkg/webhooks/utils/{block,warning}.go, pkg/webhooks/resource/{mutation,mpol,vpol} of Kyverno 1.19.

use crate::answer::{BAD_REQUEST, FORBIDDEN};
use crate::request::Request;
use engine::Bundle;
use engine::apply::{Effect, PolicyResult, RuleResult, Status, round, rule_effect};
use engine::policy::{Action, Policy, PolicyKind};
use engine_json::{Map, Segment, Value};

/// What came of policies.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Why the request is refused.
    pub(crate) denials: Vec<Denial>,
    /// What the user is warned of.
    pub(crate) warnings: Vec<String>,
    /// What goes into the audit log: a name, and a text.
    pub(crate) annotations: Vec<(String, String)>,
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) struct Denial {
    /// The message.
    pub(crate) text: String,
    /// The code of HTTP.
    pub(crate) code: u16,
}

impl Denial {
    /// That of a webhook, which names no code.
    fn of_webhook(text: String) -> Self {
        Denial { text, code: BAD_REQUEST }
    }
}

/// One thing that was said: the policy, and its rule.
struct Said<'a> {
    policy: &'a Policy,
    rule: &'a RuleResult,
    effect: Effect,
}

/// What was said, with what came of it.
fn all<'a>(bundle: &'a Bundle, request: &'a Request, results: &'a [PolicyResult]) -> Vec<Said<'a>> {
    let of_result = |result: &'a PolicyResult| {
        let policy = bundle.policies.get(result.policy)?;
        Some(result.rules.iter().map(move |rule| {
            let effect = rule_effect(bundle, policy, &request.namespace, rule);
            Said { policy, rule, effect }
        }))
    };
    results.iter().filter_map(of_result).flatten().collect()
}

/// What comes of the policies that change objects.
pub(crate) fn mutation(bundle: &Bundle, request: &Request, results: &[PolicyResult]) -> Verdict {
    let said = all(bundle, request, results);
    let mut verdict = Verdict::default();
    let is_classic = |said: &&Said<'_>| said.policy.body.is_none();
    // Kyverno: the first policy that cannot be applied ends the run.
    if let Some(first) = said.iter().filter(is_classic).find(|said| said.effect == Effect::Deny) {
        let name = &first.policy.name;
        let of_policy = said.iter().filter(|said| std::ptr::eq(said.policy, first.policy));
        let bad = of_policy.filter(|said| matches!(said.rule.status, Status::Fail | Status::Error));
        let rules: Vec<String> =
            bad.map(|said| format!("{}: {}", said.rule.rule, said.rule.message)).collect();
        let rules = rules.join(" ");
        let text = format!("mutation policy {name} error: failed to apply policy {name} rules [{rules}]");
        verdict.denials.push(Denial::of_webhook(text));
    }
    let mut errors = Vec::new();
    for said in said.iter().filter(|said| !is_classic(said)) {
        let (name, message) = (&said.policy.name, &said.rule.message);
        match (said.policy.kind, said.effect) {
            (PolicyKind::Extension("MutatingAdmissionPolicy"), Effect::Deny) => {
                let text = format!("policy \"{name}\" denied request: {message}");
                // Kubernetes: policy/generic/policy_dispatcher.go changes the reason of a Forbidden, and not its code.
                verdict.denials.push(Denial { text, code: FORBIDDEN });
            }
            (_, Effect::Deny) => errors.push(format!("Policy {name}: {message}")),
            (_, Effect::Allow | Effect::Report | Effect::Warn | Effect::Unknown) => {}
        }
    }
    if !errors.is_empty() {
        let (namespace, name) = (&request.namespace, request.sent.find_str(&["name"]));
        let (kind, errors) = (request.resource.kind(), errors.join(" "));
        let text = format!("Resource: {namespace}/{name}, Kind: {kind}, Errors: [{errors}]");
        verdict.denials.push(Denial::of_webhook(text));
    }
    let warned = said.iter().filter(|said| said.effect == Effect::Warn);
    verdict.warnings.extend(warned.map(warning));
    verdict
}

/// What comes of the policies that validate them.
pub(crate) fn validation(bundle: &Bundle, request: &Request, results: &[PolicyResult]) -> Verdict {
    let said = all(bundle, request, results);
    let mut verdict = Verdict::default();
    // Kubernetes: the API server asks its own policies before it calls webhooks.
    let of_server = |said: &&Said<'_>| said.policy.kind == PolicyKind::Extension("ValidatingAdmissionPolicy");
    said.iter().filter(of_server).for_each(|said| of_api_server(said, &mut verdict));
    // Kyverno: policies that ignore errors have a webhook of their own.
    for ignores in [false, true] {
        let of_webhook =
            |said: &&Said<'_>| said.policy.body.is_none() && said.policy.ignores_errors == ignores;
        let of_webhook: Vec<&Said<'_>> = said.iter().filter(of_webhook).collect();
        if of_webhook.iter().any(|said| said.effect == Effect::Deny) {
            verdict.denials.push(Denial::of_webhook(blocked(bundle, request, &of_webhook)));
        } else {
            let warned = of_webhook.iter().filter(|said| said.effect == Effect::Warn);
            verdict.warnings.extend(warned.map(|said| warning(said)));
        }
    }
    let with_body: Vec<&Said<'_>> = said.iter().filter(|said| said.policy.body.is_some()).collect();
    let mut refused = Vec::new();
    for said in with_body.into_iter().filter(|said| !of_server(said)) {
        of_kyverno(said, &mut refused, &mut verdict);
    }
    // Go: multierr.Combine.
    if !refused.is_empty() {
        verdict.denials.push(Denial::of_webhook(refused.join("; ")));
    }
    let reported = said.iter().filter(|said| said.effect == Effect::Report);
    verdict.annotations.extend(reported.map(annotation));
    not_decided(bundle, request, results, &mut verdict);
    verdict
}

/// `\n\nresource KIND/NAMESPACE/NAME was blocked …`, and each policy with its rules as YAML.
// Kyverno: GetBlockedMessages.
fn blocked(bundle: &Bundle, request: &Request, said: &[&Said<'_>]) -> String {
    let mut failures = Map::new();
    for said in said {
        let is_asked = round(bundle, said.policy, &request.namespace, said.rule) == Some(Action::Enforce);
        if !is_asked || matches!(said.rule.status, Status::Pass | Status::Skip) {
            continue;
        }
        let name = &said.policy.name;
        let message = Value::from(said.rule.message.as_str());
        if let Some(rules) = failures.get_mut(name).and_then(Value::object_mut) {
            rules.insert(said.rule.rule.clone(), message);
        } else {
            let rules: Map = [(said.rule.rule.clone(), message)].into_iter().collect();
            failures.insert(name.clone(), Value::object(rules));
        }
    }
    let resource = &request.resource;
    let (kind, namespace, name) = (resource.kind(), resource.namespace(), resource.name());
    let failures = engine_yaml::emit::to_yaml4_by_two(&Value::object(failures));
    format!("\n\nresource {kind}/{namespace}/{name} was blocked due to the following policies \n\n{failures}")
}

// Kyverno: GetWarningMessages.
fn warning(said: &Said<'_>) -> String {
    format!("policy {}.{}: {}", said.policy.name, said.rule.rule, said.rule.message)
}

/// A finding that holds up nothing.
fn annotation(said: &Said<'_>) -> (String, String) {
    let rule = &said.rule.rule;
    let name = match said.policy.body {
        None => format!("{}.{rule}", said.policy.name),
        Some(_) => said.policy.name.to_string(),
    };
    (name, format!("{}: {}", said.rule.status.as_str(), said.rule.message))
}

// Kyverno: pkg/webhooks/resource/vpol/handler.go admissionResponse.
fn of_kyverno(said: &Said<'_>, refused: &mut Vec<String>, verdict: &mut Verdict) {
    let word = match said.rule.status {
        Status::Fail => "failed",
        Status::Error => "error",
        Status::Pass | Status::Warn | Status::Skip => return,
    };
    let text = format!("Policy {} {word}: {}", said.policy.name, said.rule.message);
    if said.effect == Effect::Warn || said.policy.emit_warning {
        verdict.warnings.push(text.clone());
    }
    if said.effect == Effect::Deny {
        refused.push(text);
    }
}

// Kubernetes: apiserver/pkg/admission/plugin/policy/validating/dispatcher.go.
fn of_api_server(said: &Said<'_>, verdict: &mut Verdict) {
    let (name, message) = (&said.policy.name, &said.rule.message);
    let binding = said.rule.report_properties.iter().find(|(key, _)| key == "binding");
    let with = binding.map_or_else(String::new, |(_, binding)| format!(" with binding '{binding}'"));
    match said.effect {
        Effect::Deny => {
            let text = format!("ValidatingAdmissionPolicy '{name}'{with} denied request: {message}");
            verdict.denials.push(Denial { text, code: code_of(said) });
        }
        Effect::Warn => verdict
            .warnings
            .push(format!("Validation failed for ValidatingAdmissionPolicy '{name}'{with}: {message}")),
        Effect::Allow | Effect::Report | Effect::Unknown => {}
    }
}

/// The code of a denial: that of the reason which the validation gives.
// Kubernetes: policy/validating/policy_decision.go reasonToCode; what could not be evaluated has no reason.
fn code_of(said: &Said<'_>) -> u16 {
    let place = said.rule.policy_paths.first().map(|path| path.iter().rev().take(2).collect::<Vec<_>>());
    let at = match place.as_deref() {
        Some([_, Segment::Index(at)]) if said.rule.status == Status::Fail => Some(*at),
        _ => None,
    };
    let validations = said.policy.raw.find(&["spec", "validations"]).and_then(Value::as_array);
    let validation = at.and_then(|at| validations?.get(usize::try_from(at).ok()?));
    match validation.map_or("", |validation| validation.find_str(&["reason"])) {
        "Forbidden" => FORBIDDEN,
        "Unauthorized" => 401,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    }
}

/// What depends on an answer that was not given is not let in by a policy that would refuse.
fn not_decided(bundle: &Bundle, request: &Request, results: &[PolicyResult], verdict: &mut Verdict) {
    for result in results {
        let Some(policy) = bundle.policies.get(result.policy) else { continue };
        let unknown =
            result.undecided.iter().map(|rule| (rule.as_str(), "it is not evaluated".to_owned(), None));
        let assumed = result.rules.iter().filter(|rule| !rule.assumed.is_empty());
        let assumed = assumed.map(|rule| (rule.rule.as_str(), rule.assumed.join("; "), Some(rule)));
        for (rule, why, said) in unknown.chain(assumed) {
            let enforces = match said {
                Some(said) => round(bundle, policy, &request.namespace, said),
                None => None,
            };
            let text = format!("not decided: policy {}, rule {rule}: {why}", policy.name);
            if enforces.unwrap_or(policy.failure_action) == Action::Enforce && !policy.ignores_errors {
                verdict.denials.push(Denial::of_webhook(text));
            } else {
                verdict.warnings.push(text);
            }
        }
    }
}
