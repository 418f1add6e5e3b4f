//! PolicyExceptions: whom they are for, and whether they can have any effect.

use super::{Exemption, ExemptionSelector, Kind, On, filters, listed, pod_security, texts};
use crate::sieve::runner::TrialRunner;
use engine::policy::Exception;
use engine::value::time::Time;
use engine_json::{Path, Value};

pub(super) fn find(runner: &TrialRunner<'_>, found: &mut Vec<Exemption>) {
    for exception in runner.bundle.exceptions.iter() {
        let Some(document) = runner.document(exception.document) else { continue };
        found.push(one(exception, document, runner));
    }
}

fn one(exception: &Exception, document: &Value, runner: &TrialRunner<'_>) -> Exemption {
    let root = Path::root();
    let spec = root.join("spec");
    let mut exemption = Exemption::new(Kind::Exception, exception.document, root.clone());
    let mut written = Vec::new();
    for key in ["any", "all"] {
        let items = document.find(&["spec", "match", key]).and_then(Value::as_array).unwrap_or_default();
        for (at, filter) in items.iter().enumerate() {
            let path = spec.join("match").join(key).join(at);
            exemption.selectors.extend(filters::selectors(document, &path, &path));
            exemption.filters.push(path);
            written.push(filter);
        }
    }
    let entries = document.find(&["spec", "podSecurity"]).and_then(Value::as_array).unwrap_or_default();
    let mut controls = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        exemption.selectors.extend(pod_security::selectors(entry, &spec.join("podSecurity").join(at)));
        controls.push(pod_security::text(entry));
        exemption.controls.push(pod_security::control(entry));
    }
    exemption.selectors.extend(conditions(document));
    let rules: Vec<String> = exception.targets.iter().flat_map(rule_names).collect();
    exemption.rule = rules.join(", ");
    let what = if controls.is_empty() {
        format!("rules {}", listed(rules.iter().map(String::as_str)))
    } else {
        controls.join("; ")
    };
    exemption.text = format!("{what} for {}", filters::text(&written));
    let policies = exception.targets.iter().map(|target| target.policy.to_string());
    exemption.policies =
        policies.filter(|key| runner.bundle.policies.iter().any(|policy| policy.key() == *key)).collect();
    exemption.idle =
        exception.exempts_nothing(|key| runner.bundle.policies.iter().find(|policy| policy.key() == key));
    exemption.notes.extend(expired(document, runner));
    exemption
}

fn rule_names(target: &engine::policy::ExceptionTarget) -> Vec<String> {
    target.rules.iter().map(|rule| rule.pattern().to_owned()).collect()
}

/// The images that the conditions of an exception want.
fn conditions(document: &Value) -> Vec<ExemptionSelector> {
    let mut selectors = Vec::new();
    for key in ["any", "all"] {
        let items = document.find(&["spec", "conditions", key]).and_then(Value::as_array).unwrap_or_default();
        for (at, condition) in items.iter().enumerate() {
            let is_positive =
                matches!(condition.find_str(&["operator"]), "Equals" | "Equal" | "In" | "AnyIn" | "AllIn");
            if !is_positive || !condition.find_str(&["key"]).contains("image") {
                continue;
            }
            let path = Path::from_keys(&["spec", "conditions", key]).join(at).join("value");
            let value = condition.get("value").unwrap_or(&Value::Null);
            let found = texts(value, &path).into_iter().filter(|(_, text)| !text.contains("{{"));
            selectors.extend(found.map(|(path, text)| ExemptionSelector::new(On::Image, path, text)));
        }
    }
    selectors
}

/// The label by which Kyverno's cleanup controller ends an object.
pub(in crate::sieve) const TTL: &str = "cleanup.kyverno.io/ttl";

/// Whether the time of an exception is over; it counts all the same until somebody deletes it.
fn expired(document: &Value, runner: &TrialRunner<'_>) -> Option<String> {
    let ends = document.find(&["metadata", "labels", TTL]).and_then(Value::as_str)?;
    let date = ends.split('T').next()?;
    let full = if ends.contains('T') { ends.to_owned() } else { format!("{date}T00:00:00Z") };
    let end = Time::parse_rfc3339(&full).ok()?.utc().to_rfc3339();
    let now = Time::from_unix(runner.now() / 1_000_000_000, 0).to_rfc3339();
    (end < now).then(|| format!("it expired on {date}, and it still counts: the label `{TTL}` only makes Kyverno delete it in a cluster"))
}
