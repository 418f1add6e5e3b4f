//! `--generate-exceptions`: a PolicyException for each failure.
//!
//! In: responses of cluster-wide policies. Out: `kyverno.io/v2beta1` PolicyExceptions that lift exactly what failed,
//! each behind a line `---`.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/print.go, printExceptions.

use engine::apply::{RuleResult, Status};
use engine::json::{Map, Value};
use engine::value::Duration;
use engine_lenses::report::{Context, Response, object};

/// All exceptions as one text.
pub(crate) fn print(context: &Context<'_>, responses: &[Response<'_>], lifetime: &str) -> String {
    let labels = labels(lifetime);
    let mut out = String::new();
    // Kyverno: only the reports of cluster-wide policies are looked at.
    for response in responses.iter().filter(|response| response.policy.namespace.is_empty()) {
        for rule in response.rules.iter().filter(|rule| response.described_status(rule) == Status::Fail) {
            out.push_str("---\n");
            out.push_str(&context.text(&exception(response, rule, labels.clone())));
            out.push('\n');
        }
    }
    out
}

fn labels(lifetime: &str) -> Value {
    match Duration::parse(lifetime) {
        Ok(length) if length.0 > 0 => object([("cleanup.kyverno.io/ttl", Value::from(length.to_string()))]),
        _ => Value::Null,
    }
}

fn exception(response: &Response<'_>, rule: &RuleResult, labels: Value) -> Value {
    let (policy, resource) = (response.policy.key(), response.resource);
    let name = [policy.as_str(), &rule.rule, resource.namespace(), resource.name()].join("-");
    let mut kinds = vec![resource.kind().to_owned()];
    let mut names = vec![resource.name().to_owned()];
    let mut rules = vec![rule.rule.to_string()];
    if let Some(inner) = rule.rule.strip_prefix("autogen-") {
        if resource.kind() == "CronJob" {
            kinds.push("Job".to_owned());
            rules.push(rule.rule.replace("autogen-cronjob-", "autogen-"));
        }
        kinds.push("Pod".to_owned());
        let inner = if resource.kind() == "CronJob" {
            inner.strip_prefix("cronjob-").unwrap_or(inner)
        } else {
            inner
        };
        rules.push(inner.to_owned());
        names.push(format!("{}-*", resource.name()));
    }
    let texts = |list: Vec<String>| Value::array(list.into_iter().map(Value::from).collect());
    let resources = object([
        ("kinds", texts(kinds)),
        ("names", texts(names)),
        ("namespaces", texts(vec![resource.namespace().to_owned()])),
    ]);
    let lifted = object([("policyName", Value::from(policy)), ("ruleNames", texts(rules))]);
    let spec = object([
        ("match", object([("all", Value::array(vec![object([("resources", resources)])]))])),
        ("exceptions", Value::array(vec![lifted])),
        ("podSecurity", controls(rule)),
    ]);
    object([
        ("kind", Value::from("PolicyException")),
        ("apiVersion", Value::from("kyverno.io/v2beta1")),
        ("metadata", object([("name", Value::from(name)), ("labels", labels)])),
        ("spec", spec),
    ])
}

/// The pod-security controls that failed, with any tag and digest of their images.
fn controls(rule: &RuleResult) -> Value {
    let found =
        rule.report_properties.iter().chain(&rule.properties).find(|(name, _)| name == "controlsJSON");
    let Some((_, text)) = found else { return Value::Null };
    let Ok(list) = engine::json::parse(text) else { return Value::Null };
    let control = |control: &Value| {
        let images = control.get("Images").and_then(Value::as_array).map(|images| {
            let any_tag = |image: &Value| {
                let text = image.as_str().unwrap_or("");
                text.split_once([':', '@'])
                    .map_or_else(|| Value::from(text), |(name, _)| Value::from(format!("{name}*")))
            };
            Value::array(images.iter().map(any_tag).collect())
        });
        let mut entry = Map::new();
        entry.insert("controlName", Value::from(control.find_str(&["Name"])));
        if let Some(images) = images {
            entry.insert("images", images);
        }
        Value::object(entry)
    };
    Value::array(list.as_array().unwrap_or_default().iter().map(control).collect())
}
