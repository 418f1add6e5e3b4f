//! Reports for machines, one file a format, and what their results have in common.
//!
//! In: responses. Out: text. A result is `{policy, rule, result, scored, source, category, severity, timestamp,
//! resources, message, properties}`; the formats put it under different roofs.
//!
//! Mirrors: pkg/utils/report/results.go (ToPolicyReportResult), cmd/cli/kubectl-kyverno/report/report.go.

pub(crate) mod exceptions;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod openreports;
pub(crate) mod sarif;
pub(crate) mod table;
pub(crate) mod wgpolicy;

use crate::response::{Counts, Response, annotation, is_scored};
use engine::Bundle;
use engine::apply::{RuleResult, Status};
use engine::json::{Map, Value};
use engine::policy::Policy;
use engine::resource::Resource;
use engine::yaml::emit::to_yaml;

/// What every report needs to know.
pub(crate) struct Context<'a> {
    pub(crate) bundle: &'a Bundle,
    /// Now, in seconds since 1970.
    pub(crate) seconds: i64,
    /// Whether JSON is asked for instead of YAML.
    pub(crate) is_json: bool,
}

impl Context<'_> {
    /// A document as text.
    fn text(&self, document: &Value) -> String {
        if self.is_json { json::text(document) } else { to_yaml(document) }
    }
}

/// A map in written order, without the entries whose value is null.
pub(crate) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map>().into()
}

/// The text, or null for none, which leaves the field out.
fn optional(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

/// One result; `resources` is left out where it is null.
fn result(context: &Context<'_>, response: &Response<'_>, rule: &RuleResult, resources: Value) -> Value {
    let policy = response.policy;
    let status = response.told_status(rule);
    let properties = properties(policy, rule);
    object([
        ("source", Value::from("kyverno")),
        ("policy", Value::from(policy.key())),
        ("rule", optional(&rule.rule)),
        ("category", optional(annotation(policy, "policies.kyverno.io/category"))),
        ("severity", optional(severity(policy))),
        ("timestamp", object([("seconds", Value::from(context.seconds)), ("nanos", Value::from(0_i64))])),
        ("result", Value::from(status.as_str())),
        ("scored", Value::Bool(is_scored(policy))),
        ("resources", resources),
        ("message", optional(message(rule, status))),
        ("properties", Value::object(properties)),
    ])
}

/// Of the severities only these five are told.
fn severity(policy: &Policy) -> &str {
    match annotation(policy, "policies.kyverno.io/severity") {
        known @ ("critical" | "high" | "medium" | "low" | "info") => known,
        _ => "",
    }
}

/// The message, unless a report property replaces it.
// Kyverno: the property of the verdict first, then `message`, which wins.
pub(crate) fn message(rule: &RuleResult, status: Status) -> &str {
    let property = |name: &str| {
        let found = rule.properties.iter().rfind(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    };
    // A failure that is told as a warning has already been given its message as a failure.
    let verdict = if rule.status == Status::Fail { Status::Fail } else { status };
    let of_verdict = property(match verdict {
        Status::Pass => "passMessage",
        Status::Fail => "failMessage",
        Status::Warn => "warnMessage",
        Status::Error => "errorMessage",
        Status::Skip => "skipMessage",
    });
    property("message").or(of_verdict).unwrap_or(&rule.message)
}

fn properties(policy: &Policy, rule: &RuleResult) -> Map {
    let mut properties: Map =
        rule.properties.iter().map(|(key, value)| (key.as_str(), Value::from(value.as_str()))).collect();
    let process = match (policy.background, policy.admission) {
        (true, _) => "background scan",
        (false, true) => "admission review",
        (false, false) => "",
    };
    properties.insert("process", Value::from(process));
    if !rule.exceptions.is_empty() {
        let names: Vec<&str> =
            rule.exceptions.iter().map(|key| key.rsplit('/').next().unwrap_or(key)).collect();
        properties.insert("exceptions", Value::from(names.join(",")));
    }
    for (name, value) in &rule.report_properties {
        properties.insert(name.as_str(), Value::from(value.as_str()));
    }
    // Go: a map prints in the order of its keys.
    properties.sorted().into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A reference to a resource, in the order in which Kubernetes writes one.
fn reference(resource: &Resource) -> Value {
    object([
        ("kind", optional(resource.kind())),
        ("namespace", optional(resource.namespace())),
        ("name", optional(resource.name())),
        ("uid", optional(resource.value.find_str(&["metadata", "uid"]))),
        ("apiVersion", optional(resource.api_version())),
        ("resourceVersion", optional(resource.value.find_str(&["metadata", "resourceVersion"]))),
    ])
}

/// The numbers of these results.
fn summary<'a>(results: impl Iterator<Item = &'a Value>) -> Value {
    let mut counts = Counts::default();
    let statuses = [Status::Pass, Status::Fail, Status::Warn, Status::Error, Status::Skip];
    for result in results {
        let word = result.find_str(&["result"]);
        statuses.iter().filter(|status| status.as_str() == word).for_each(|status| counts.count(*status));
    }
    numbers(&counts)
}

/// The numbers of results as a report tells them.
fn numbers(counts: &Counts) -> Value {
    let number = |n: usize| Value::from(i64::try_from(n).unwrap_or(i64::MAX));
    object([
        ("pass", number(counts.pass)),
        ("fail", number(counts.fail)),
        ("warn", number(counts.warn)),
        ("error", number(counts.error)),
        ("skip", number(counts.skip)),
    ])
}
