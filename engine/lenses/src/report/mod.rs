//! Reports as clusters and the terminal write them, and what their results have in common.
//!
//! In: responses. Out: text. A result is `{policy, rule, result, scored, source, category, severity, timestamp,
//! resources, message, properties}`; the formats put it under different roofs.
//!
//! [`run`] evaluates an input and writes its reports, for the page and npm.
//!
//! Mirrors: pkg/utils/report/results.go (ToPolicyReportResult), cmd/cli/kubectl-kyverno/report/report.go.

pub mod as_test;
pub mod json;
pub mod openreports;
mod response;
pub mod wgpolicy;

pub use response::{Counts, Response, annotation, is_scored};

use crate::wire::{ReportInput, ReportOutput};
use engine::apply::{self, Phase, RuleResult, Status};
use engine::load::Bundle;
use engine::policy::Policy;
use engine::resource::Resource;
use engine::world::World;
use engine_json::{Map, Value};
use engine_yaml::emit::to_yaml;

/// What every report needs to know.
pub struct Context<'a> {
    /// The texts that were evaluated.
    pub bundle: &'a Bundle,
    /// Now, in seconds since 1970.
    pub seconds: i64,
    /// Whether JSON is asked for instead of YAML.
    pub is_json: bool,
}

impl Context<'_> {
    /// A document as text.
    pub fn text(&self, document: &Value) -> String {
        if self.is_json { json::text(document) } else { to_yaml(document) }
    }
}

/// The reports of everything in the input, as YAML.
///
/// # Errors
///
/// The name of a form that is none.
pub fn run(input: &ReportInput, world: &dyn World) -> Result<ReportOutput, String> {
    let print = match input.form.as_str() {
        "" | "wgpolicy" => wgpolicy::print,
        "openreports" => openreports::print,
        other => return Err(format!("`{other}` is not a form of report: `wgpolicy` and `openreports` are")),
    };
    let (bundle, host, complete) = crate::run::bundle(&input.input, world);
    let options = apply::Options { host, trace: apply::Recording::Off, places: apply::Locations::Omit };
    let results = apply::apply(&bundle, world, &options).results.into_iter();
    // The cleanup controller writes events, not reports.
    let reported = results.filter(|result| result.phase != Phase::Cleanup);
    let responses: Vec<Response<'_>> =
        reported.filter_map(|result| Response::new(&bundle, &bundle.resources, result, false)).collect();
    let context = Context { bundle: &bundle, seconds: world.now() / 1_000_000_000, is_json: false };
    let text = print(&context, &responses);
    // What the terminal prints of the other form is the original's, byte for byte.
    let head = if complete || input.form == "openreports" { "" } else { INCOMPLETE };
    Ok(ReportOutput { text: format!("{head}{text}"), complete })
}

/// Begins reports where not everything was read or evaluated: without a word of it, what is left would look like all.
pub const INCOMPLETE: &str = "# Not complete: something that was given could not be read or is not evaluated; `podsieve apply` names it.\n";

/// A map in written order, without the entries whose value is null.
pub fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map>().into()
}

/// The text, or null for none, which leaves the field out.
fn optional(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

/// One result; `resources` is left out where it is null.
fn result(context: &Context<'_>, response: &Response<'_>, rule: &RuleResult, resources: Value) -> Value {
    let policy = response.policy;
    let status = response.described_status(rule);
    let properties = properties(policy, rule);
    object([
        ("source", Value::from(policy.body.as_ref().map_or("kyverno", |body| body.source()))),
        ("policy", Value::from(policy.key())),
        ("rule", optional(&rule.rule)),
        ("category", optional(annotation(policy, "policies.kyverno.io/category"))),
        ("severity", optional(severity(policy))),
        ("timestamp", object([("seconds", Value::from(context.seconds)), ("nanos", Value::from(0_i64))])),
        ("result", Value::from(status.as_str())),
        // Go: `scored,omitempty`.
        ("scored", if is_scored(policy) { Value::Bool(true) } else { Value::Null }),
        ("resources", resources),
        ("message", optional(message(rule, status))),
        ("properties", Value::object(properties)),
    ])
}

/// Of the severities only these five are said.
pub fn severity(policy: &Policy) -> &str {
    match annotation(policy, "policies.kyverno.io/severity") {
        known @ ("critical" | "high" | "medium" | "low" | "info") => known,
        _ => "",
    }
}

/// The message, unless a report property replaces it.
// Kyverno: the property of the verdict first, then `message`, which wins.
pub fn message(rule: &RuleResult, status: Status) -> &str {
    let property = |name: &str| {
        let found = rule.properties.iter().rfind(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    };
    // A failure that is said as a warning has already been given its message as a failure.
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

/// The numbers of results as a report says them.
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

#[cfg(test)]
mod tests;
