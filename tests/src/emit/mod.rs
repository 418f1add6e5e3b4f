//! Answers to recorded cases, in the recorded formats.
//!
//! In: a suite's name and one case as JSON. Out: the answer as JSON. Only the engine's public functions are called.

mod admission;
mod cel;
mod podsecurity;
mod psp;

use engine::apply::{self, Host, Locations, Mutation, Options, Phase, PolicyResult, Recording, Status};
use engine::json::{Map, Value, parse};
use engine::load::{Bundle, Refused, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};

/// The suites that can be answered.
pub const SUITES: &[&str] = &[
    "apply",
    "playground",
    "cel",
    "jmespath",
    "wildcard",
    "yaml",
    "psa",
    "psa-order",
    "psa-admission",
    "psa-config",
    "kyverno-pss",
    "psp",
];

/// The answer to one case; an answer with `error` where the case cannot be read.
pub fn answer(suite: &str, line: &str) -> Value {
    let case = match parse(line) {
        Ok(case) => case,
        Err(error) => return failed(&Value::Null, &format!("the case is not JSON: {error}")),
    };
    let id = case.get("id").cloned().unwrap_or_default();
    match suite {
        "apply" => apply_case(&case, &id),
        "playground" => playground_case(&case, &id),
        "cel" => cel::answer(&case),
        "jmespath" => jmespath_case(&case, &id),
        "wildcard" => wildcard_case(&case, &id),
        "yaml" => yaml_case(&case, &id),
        "psa" => podsecurity::psa(&case),
        "psa-order" => podsecurity::order(&case),
        "psa-admission" => admission::decide(&case).unwrap_or_else(|error| failed(&id, &error)),
        "psa-config" => admission::read_config(&case),
        "kyverno-pss" => podsecurity::kyverno(&case),
        "psp" => psp::decide(&case),
        other => failed(&id, &format!("no such suite: {other}")),
    }
}

fn failed(id: &Value, error: &str) -> Value {
    object([("id", id.clone()), ("error", Value::from(error))])
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().collect::<Map>().into()
}

fn apply_case(case: &Value, id: &Value) -> Value {
    let roles = [
        ("policies", Role::Policies),
        ("resources", Role::Resources),
        ("targetResources", Role::ClusterResources),
        ("parameterResources", Role::Parameters),
        ("json", Role::Payloads),
        ("context", Role::ImageData),
        ("exceptions", Role::Exceptions),
        ("values", Role::Values),
        ("userInfo", Role::UserInfo),
        ("crds", Role::CustomResourceDefinitions),
    ];
    let mut sources = Vec::new();
    for (field, role) in roles {
        let texts = match case.get(field) {
            Some(Value::Array(list)) => list.to_vec(),
            Some(text @ Value::String(_)) => vec![text.clone()],
            _ => Vec::new(),
        };
        for (at, text) in texts.iter().enumerate() {
            let text = text.as_str().unwrap_or("");
            // Recorded was each payload under the name of its form.
            let is_json = field == "json" && text.trim_start().starts_with(['{', '[']);
            let name = format!("{field}/{at}.{}", if is_json { "json" } else { "yaml" });
            sources.push((role, Source { id: SourceId(0), name, text: text.into() }));
        }
    }
    decide(sources, Host::Cli, id)
}

fn playground_case(case: &Value, id: &Value) -> Value {
    let roles = [
        ("policy", Role::Policies),
        ("resource", Role::Resources),
        ("oldResource", Role::OldResources),
        ("context", Role::Context),
        ("config", Role::Config),
        ("clusterResources", Role::ClusterResources),
        ("customResourceDefinitions", Role::CustomResourceDefinitions),
        ("exceptions", Role::Exceptions),
    ];
    let mut sources = Vec::new();
    for (field, role) in roles {
        let text = case.find_str(&["state", field]);
        if !text.trim().is_empty() {
            sources
                .push((role, Source { id: SourceId(0), name: format!("{field}.yaml"), text: text.into() }));
        }
    }
    let mut answer = decide(sources, Host::Playground, id);
    if let Some(map) = answer.object_mut() {
        map.remove("counts");
    }
    answer
}

fn decide(sources: Vec<(Role, Source)>, host: Host, id: &Value) -> Value {
    let (bundle, _) = load_with(sources, host, engine_celpolicy::WITH_STEPS);
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    // The answers were recorded in November 2026.
    let world = StaticWorld {
        signatures: Some(engine_signature::check),
        ..StaticWorld::at(1_795_132_800_000_000_000)
    };
    let outcome = apply::apply(&bundle, &world, &options);
    let mut counts: Map = ["error", "fail", "pass", "skip", "warn"]
        .map(|name| (name, Value::from(0_i64)))
        .into_iter()
        .collect();
    for result in &outcome.results {
        let policy = bundle.policies.get(result.policy).filter(|policy| policy.body.is_none());
        let scored = policy.and_then(|policy| policy.annotations.get("policies.kyverno.io/scored"));
        let is_scored = scored.and_then(Value::as_str) != Some("false");
        for rule in &result.rules {
            // Kyverno: a policy that does not score only warns in the counters.
            let status = if rule.status == Status::Fail && !is_scored { Status::Warn } else { rule.status };
            let body = bundle.policies.get(result.policy).and_then(|policy| policy.body.as_ref());
            let times = body.map_or(1, |body| body.counted(status));
            (0..times).for_each(|_| count(&mut counts, status.as_str()));
        }
    }
    let (ending, refused): (Vec<_>, Vec<_>) =
        bundle.refused.iter().partition(|one| ends_the_run(one, &bundle));
    for _ in &refused {
        count(&mut counts, "error");
    }
    let refused = refused.iter().map(|refused| {
        object([
            // Recorded is the name alone.
            ("policy", Value::from(refused.policy.rsplit('/').next().unwrap_or_default())),
            ("reason", Value::from(refused.reason.as_str())),
        ])
    });
    let refused: Vec<Value> = refused.collect();
    let results = outcome.results.iter().filter_map(|result| policy_result(result, &bundle, host));
    let results = results.collect();
    let mut answer: Map =
        [("id", id.clone()), ("counts", Value::object(counts)), ("results", Value::array(results))]
            .into_iter()
            .collect();
    let unread = bundle.unread_exceptions.first();
    let unread =
        unread.map(|words| format!("Error: failed to load exceptions (unable to load exceptions ({words}))"));
    let error = unread
        .or_else(|| ending.first().and_then(|refused| ending_words(refused, &bundle)))
        .or_else(|| outcome.results.iter().find_map(|result| ending_mutation(result, &bundle)))
        .or_else(|| outcome.results.iter().find_map(|result| ending_images(result, &bundle)))
        .or_else(|| outcome.results.iter().find_map(|result| ending_deletion(result, &bundle)));
    if let Some(error) = error {
        answer.insert("error", Value::from(error));
    }
    if !refused.is_empty() {
        answer.insert("refusedPolicies", Value::array(refused));
    }
    Value::object(answer)
}

/// Whether the original ends its run where this policy is refused: one that does not compile.
fn ends_the_run(refused: &Refused, bundle: &Bundle) -> bool {
    policy_of(refused, bundle)
        .is_some_and(|value| value.find_str(&["apiVersion"]).starts_with("policies.kyverno.io/"))
}

/// The policy that is refused: its own document, or an item of a list.
fn policy_of<'a>(refused: &Refused, bundle: &'a Bundle) -> Option<&'a Value> {
    let document = bundle.document(refused.document)?;
    let is_list = document.value.find_str(&["kind"]) == "List";
    document.value.at_path(refused.path.iter().take(if is_list { 2 } else { 0 }))
}

/// The text with which the original ends its run where there is a policy of Kubernetes that mutates, and an object of a kind that
/// the CLI does not know.
fn ending_mutation(result: &PolicyResult, bundle: &Bundle) -> Option<String> {
    let policy = bundle.policies.get(result.policy)?;
    let error = result.rules.iter().find(|rule| rule.status == Status::Error)?;
    let resource = bundle.resources.get(result.resource)?;
    let words = format!("failed to apply policies on resource {} ({})", resource.name(), error.message);
    (policy.kind.as_str() == "MutatingAdmissionPolicy").then_some(words)
}

/// The text with which the original ends its run where a policy that deletes cannot be decided.
fn ending_deletion(result: &PolicyResult, bundle: &Bundle) -> Option<String> {
    let body = bundle.policies.get(result.policy)?.body.as_ref();
    let of_deletion = result.phase == Phase::Cleanup && body.is_some();
    let error = result.rules.iter().find(|rule| of_deletion && rule.status == Status::Error)?;
    let is_payload = bundle.resources.get(result.resource)?.is_payload;
    let what = if is_payload { "json" } else { "resource" };
    Some(format!("failed to apply deleting policies on {what}: {}", error.message))
}

/// The text with which the original ends its run where a policy of images cannot be decided over a payload.
fn ending_images(result: &PolicyResult, bundle: &Bundle) -> Option<String> {
    let is_of_images = bundle.policies.get(result.policy)?.kind.as_str().ends_with("ImageValidatingPolicy");
    let is_payload = bundle.resources.get(result.resource)?.is_payload;
    let error = result.rules.iter().find(|rule| rule.status == Status::Error)?;
    let words = format!("failed to apply image validating policies on JSON payload: {}", error.message);
    (is_of_images && is_payload).then_some(words)
}

/// The text with which the original ends its run at the first resource.
fn ending_words(refused: &Refused, bundle: &Bundle) -> Option<String> {
    let name = refused.policy.rsplit('/').next().unwrap_or(&refused.policy);
    let why = format!("failed to compile policy {name} ({})", refused.reason);
    if policy_of(refused, bundle).is_some_and(|value| value.find_str(&["kind"]).ends_with("DeletingPolicy")) {
        return Some(why);
    }
    let resource = bundle.resources.first()?;
    let resource = if resource.is_payload { "" } else { resource.name() };
    Some(format!("failed to apply policies on resource {resource} ({why})"))
}

fn count(counts: &mut Map, status: &str) {
    let n = counts.get(status).and_then(Value::as_i64).unwrap_or(0);
    counts.insert(status, Value::from(n + 1));
}

fn policy_result(result: &PolicyResult, bundle: &Bundle, host: Host) -> Option<Value> {
    let policy = bundle.policies.get(result.policy)?;
    let resource = bundle.resources.get(result.resource)?;
    let mut row: Map = [
        ("policyKind", Value::from(policy.kind.as_str())),
        ("policy", Value::String(policy.name.clone())),
        ("resource", result.renamed.clone().unwrap_or_else(|| resource.key()).into()),
    ]
    .into_iter()
    .collect();
    if !policy.namespace.is_empty() {
        row.insert("policyNamespace", Value::String(policy.namespace.clone()));
    }
    let rules = result.rules.iter().map(|rule| {
        let mut entry: Map = [
            ("rule", Value::String(rule.rule.clone())),
            ("type", Value::from(rule.rule_type.as_str())),
            ("status", Value::from(rule.status.as_str())),
            ("message", Value::from(rule.message.as_str())),
        ]
        .into_iter()
        .collect();
        if !rule.properties.is_empty() {
            let properties: Map = rule
                .properties
                .iter()
                .map(|(key, value)| (key.as_str(), Value::from(value.as_str())))
                .collect();
            entry.insert("properties", Value::object(properties));
        }
        if let Some(target) = &rule.patched_target {
            entry.insert("patchedTarget", target.clone());
        }
        if !rule.generated.is_empty() {
            entry.insert("generated", Value::array(rule.generated.clone()));
        }
        if !rule.exceptions.is_empty() {
            let list = rule.exceptions.iter().map(|key| Value::from(key.as_str())).collect();
            entry.insert("exceptions", Value::array(list));
        }
        Value::object(entry)
    });
    row.insert("rules", Value::array(rules.collect()));
    // Recorded only where the CLI answered; of policies in CEL also where a float became an integer and nothing else changed.
    let is_changed = |mutation: &Mutation| {
        mutation.changed || policy.body.is_some() && mutation.resource != mutation.original
    };
    let is_described = |mutation: &&Mutation| {
        is_changed(mutation) && (host == Host::Cli || result.phase != Phase::VerifyImages)
    };
    if let Some(mutation) = result.mutation.as_ref().filter(is_described) {
        row.insert("patched", mutation.resource.clone());
    }
    Some(Value::object(row))
}

fn jmespath_case(case: &Value, id: &Value) -> Value {
    let expression = case.find_str(&["expr"]);
    let input = case.get("input").cloned().unwrap_or_default().with_float_numbers();
    let mut answer: Map = [("id", id.clone()), ("expr", Value::from(expression))].into_iter().collect();
    match engine::query(expression, &input, &StaticWorld::default()) {
        Ok(value) => {
            answer.insert("result", value);
        }
        Err(error) => {
            let (kind, message) = match error {
                engine::QueryError::Parse(error) => ("parse", error.to_string()),
                engine::QueryError::Eval(error) => ("eval", error.to_string()),
            };
            answer.insert("error", Value::from(kind));
            answer.insert("message", Value::from(message));
        }
    }
    Value::object(answer)
}

fn wildcard_case(case: &Value, id: &Value) -> Value {
    let matches = engine::value::wildcard::matches(case.find_str(&["pattern"]), case.find_str(&["text"]));
    object([("id", id.clone()), ("result", Value::Bool(matches))])
}

fn yaml_case(case: &Value, id: &Value) -> Value {
    let text = case.find_str(&["yaml"]);
    match engine::yaml::parse_one(text) {
        Err(error) => failed(id, &error.to_string()),
        Ok(value) => {
            let mut answer: Map = [
                ("id", id.clone()),
                ("emitted", Value::from(engine::yaml::emit::to_yaml(&value))),
                ("emitted4", Value::from(engine::yaml::emit::to_yaml4(&value.with_float_numbers()))),
                ("result", value),
            ]
            .into_iter()
            .collect();
            if let Ok(Some(error)) = engine::yaml::strict_error(text) {
                answer.insert("strictError", Value::from(error));
            }
            Value::object(answer)
        }
    }
}
