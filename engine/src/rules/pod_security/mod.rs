//! `validate.podSecurity`: the Pod Security Standards as Kyverno applies them, with its exclusions.
//!
//! In: level, version and exclusions of the rule, and the exceptions for it. Out: the verdict in Kyverno's words.
//! Mirrors: pkg/engine/handlers/validation/validate_pss.go; the checks are `engine_podsecurity`'s.

mod lifting;
mod steps;
mod unreadable;

pub use unreadable::why as unreadable;

use super::exceptions::applying;
use super::{Locations, RuleResult, Status, Subject, existing};
use crate::context::JsonContext;
use crate::load::exclusion;
use crate::policy::Validate;
use crate::trace::Trace;
use crate::value::image::{ImageRef, ImageSettings};
use engine_json::{Map, Value, to_json};
use engine_podsecurity::exclude::{self, Exclusion};
use engine_podsecurity::{CheckResult, Level, PodView, Version};
use lifting::Lifted;
use steps::Checks;

/// Runs a `podSecurity` rule whose preconditions hold.
pub(super) fn run<'a>(
    subject: &Subject<'a>,
    body: &'a Validate,
    written: &'a Value,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let result = evaluate(subject, written, context, trace)?;
    let again = |subject: &Subject<'a>, context: &mut JsonContext<'a>, trace: &mut Trace| {
        evaluate(subject, written, context, trace)
    };
    Some(existing::allow_existing(result, subject, body, context, trace, again))
}

fn evaluate(
    subject: &Subject<'_>,
    written: &Value,
    context: &mut JsonContext<'_>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    if subject.operation == "DELETE" {
        return None;
    }
    let exceptions = applying(subject, context, trace);
    if let Some(whole) = exceptions.iter().find(|exception| exception.pod_security.is_empty()) {
        let message = format!("rule is skipped due to policy exception {}", whole.key());
        let mut result = RuleResult::new(subject.rule, Status::Skip, message);
        result.exceptions = vec![format!("{}/{}", whole.namespace, whole.name)];
        return Some(result);
    }
    let error = |message: String| Some(RuleResult::new(subject.rule, Status::Error, message));
    let Some(pod) = exclude::pod_of(&subject.resource.typed) else {
        return error("Error while getting new resource: could not find correct resource type".to_owned());
    };
    if let Some(why) = unreadable(&pod) {
        return error(format!("Error while getting new resource: {why}"));
    }
    let (level, version) = (written.find_str(&["level"]), written.find_str(&["version"]));
    let Some(parsed) = parse_version(version) else {
        return error(r#"failed to parse pod security api version: must be "latest" or "v1.x""#.to_owned());
    };
    let policy = (Level::parse(level).unwrap_or(Level::Restricted), parsed);
    let of_rule = exclusions(written.get("exclude").and_then(Value::as_array).unwrap_or_default());
    let found = exclude::evaluate(policy, &pod);
    let before = if trace.is_on() { found.clone() } else { Vec::new() };
    let Lifted { mut failed, mut warnings } = lifting::lift(policy, &of_rule, "", found, &pod);
    let at = subject.rule.path.join("validate").join("podSecurity");
    let steps = Checks { policy, pod: &pod, path: &at };
    steps.lifted(&before, &failed, "an exclusion of the rule", trace);
    if failed.is_empty() {
        trace.record(|| steps.nothing_left());
        let message = format!("Validation rule '{}' passed.", subject.rule.name);
        return Some(RuleResult { warnings, ..RuleResult::new(subject.rule, Status::Pass, message) });
    }
    if !exceptions.is_empty() {
        for exception in &exceptions {
            let origin = format!("exception `{}`: ", exception.key());
            let before = if trace.is_on() { failed.clone() } else { Vec::new() };
            let lifted = lifting::lift(policy, &exclusions(&exception.pod_security), &origin, failed, &pod);
            failed = lifted.failed;
            steps.lifted(&before, &failed, &format!("exception `{}`", exception.key()), trace);
            warnings.extend(lifted.warnings);
        }
        if failed.is_empty() {
            let keys: Vec<String> = exceptions.iter().map(|exception| exception.key()).collect();
            let message = format!("rule is skipped due to policy exceptions {}", keys.join(", "));
            let mut result = RuleResult::new(subject.rule, Status::Skip, message);
            let key =
                |exception: &&crate::policy::Exception| format!("{}/{}", exception.namespace, exception.name);
            result.exceptions = exceptions.iter().map(key).collect();
            result.warnings = warnings;
            return Some(result);
        }
    }
    steps.failed(&failed, trace);
    Some(failure(subject, (level, version), &failed, &pod))
}

fn failure(
    subject: &Subject<'_>,
    (level, version): (&str, &str),
    failed: &[CheckResult],
    pod: &PodView<'_>,
) -> RuleResult {
    let kind = subject.resource.kind();
    let checks = exclude::failure_text(failed, &|field: &str| renamed(field, kind));
    let name = &subject.rule.name;
    let message =
        format!("Validation rule '{name}' failed. It violates PodSecurity \"{level}:{version}\": {checks}");
    let mut result = RuleResult::new(subject.rule, Status::Fail, message);
    if subject.places == Locations::Include {
        result.policy_paths.push(subject.rule.path.join("validate").join("podSecurity"));
        for violation in failed.iter().flat_map(|check| &check.violations) {
            result.resource_paths.push(pod.resolve(&violation.path));
        }
    }
    result.report_properties = report_properties(level, version, failed, pod);
    result
}

/// A field of the Pod as a field of the object that holds it.
// Kyverno: convertChecks replaces text; every `metadata` becomes that of a template, for Pods too.
fn renamed(field: &str, kind: &str) -> String {
    let field = match kind {
        "DaemonSet" | "Deployment" | "Job" | "StatefulSet" | "ReplicaSet" | "ReplicationController" => {
            field.replace("spec", "spec.template.spec")
        }
        "CronJob" => field.replace("spec", "spec.jobTemplate.spec.template.spec"),
        _ => field.to_owned(),
    };
    field.replace("metadata", "spec.template.metadata")
}

// Kyverno: pss.ParseVersion; no version is the latest.
fn parse_version(version: &str) -> Option<Version> {
    if version.is_empty() { Some(Version::Latest) } else { Version::parse(version) }
}

fn exclusions(entries: &[Value]) -> Vec<Exclusion> {
    entries.iter().map(exclusion).collect()
}

/// What only reports carry: the standard and its failed controls.
// Kyverno: addPodSecurityProperties.
fn report_properties(
    level: &str,
    version: &str,
    failed: &[CheckResult],
    pod: &PodView<'_>,
) -> Vec<(String, String)> {
    let ids: Vec<&str> = failed.iter().map(|check| check.check.id).collect();
    let controls = failed.iter().map(|check| {
        let name = exclude::control_of(check.check.id).map_or("", |control| control.name);
        let images = exclude::named_containers(&check.detail);
        let images = images.map_or(Value::Null, |names| {
            Value::array(names.iter().map(|name| Value::from(image_of(name, pod))).collect())
        });
        let entries = [("ID", Value::from(check.check.id)), ("Images", images), ("Name", Value::from(name))];
        Value::object(entries.into_iter().collect::<Map>())
    });
    // Go prints the fields of a struct in their order; `to_json` would sort them.
    let texts: Vec<String> = controls
        .map(|control| {
            let field = |key: &str| to_json(control.get(key).unwrap_or(&Value::Null));
            format!("{{\"ID\":{},\"Name\":{},\"Images\":{}}}", field("ID"), field("Name"), field("Images"))
        })
        .collect();
    vec![
        ("standard".to_owned(), level.to_owned()),
        ("version".to_owned(), version.to_owned()),
        ("controls".to_owned(), ids.join(",")),
        ("controlsJSON".to_owned(), format!("[{}]", texts.join(","))),
    ]
}

/// The image of a container, or the container's name where there is none.
fn image_of(name: &str, pod: &PodView<'_>) -> String {
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let mut containers =
        lists.iter().filter_map(|list| pod.spec.get(list)).filter_map(Value::as_array).flatten();
    let found = containers.find(|container| container.find_str(&["name"]) == name);
    let image = found.map(|container| container.find_str(&["image"])).filter(|image| !image.is_empty());
    let parsed = image.and_then(|image| ImageRef::parse(image, &ImageSettings::default()).ok());
    parsed.map_or_else(|| name.to_owned(), |image| image.to_string())
}
