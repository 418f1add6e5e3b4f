//! Why a policy in CEL is not for a resource.
//!
//! In: its `matchConstraints`, the resource as it sees it, and its place. Out: steps that did not hold: the selector or the rule
//! that decided; of several rules the one that came nearest is the last.

use super::labels::of as labels_of;
use super::matching::{RuleField, Unmatched, rule_field, unmatched};
use super::subject::Subject;
use engine::trace::{Kind, Step};
use engine_json::{Path, Str, Value};

/// So many rules are named.
const MAX_RULES: usize = 20;

/// The steps; none where the constraints match.
pub(super) fn steps(constraints: Option<&Value>, subject: &Subject, root: &Path) -> Vec<Step> {
    let place = root.join("spec").join("matchConstraints");
    let Some(constraints) = constraints else {
        let words = "the policy has no `matchConstraints`, and matches nothing without them";
        return vec![Step::new(Kind::Match, false, words).in_policy(&root.join("spec"))];
    };
    let step = |words: String, place: &Path| Step::new(Kind::Match, false, words).in_policy(place);
    let labels_path = Path::root().join("metadata").join("labels");
    match unmatched(constraints, subject) {
        Ok(None) | Err(_) => Vec::new(),
        Ok(Some(Unmatched::NamespaceSelector)) => {
            let labels = described(&subject.namespace_labels);
            let namespace = subject.request_namespace();
            let words =
                format!("`namespaceSelector` does not select namespace `{namespace}`, which has {labels}");
            vec![step(words, &place.join("namespaceSelector"))]
        }
        Ok(Some(Unmatched::ObjectSelector)) => {
            let labels = described(&labels_of(&subject.object));
            let words = format!("`objectSelector` does not select the resource, which has {labels}");
            vec![step(words, &place.join("objectSelector")).in_resource(&labels_path)]
        }
        Ok(Some(Unmatched::Excluded(at))) => {
            let words = "a rule of `excludeResourceRules` leaves the resource out".to_owned();
            vec![step(words, &place.join("excludeResourceRules").join(at))]
        }
        Ok(Some(Unmatched::NoRule)) => rules(constraints, subject, &place.join("resourceRules")),
    }
}

/// The steps of bindings, by their names: none of them selects the resource.
pub(super) fn of_bindings(bindings: &[(&Str, &Value)], subject: &Subject) -> Vec<Step> {
    let of = |(name, constraints): &(&Str, &Value)| {
        let named = |step: Step| {
            // It stands in another document than the policy.
            let own = Step::new(Kind::Match, false, format!("binding `{name}`: {}", step.text()));
            step.resource_path.iter().fold(own, Step::in_resource)
        };
        steps(Some(constraints), subject, &Path::root()).into_iter().map(named).collect::<Vec<_>>()
    };
    bindings.iter().take(MAX_RULES).flat_map(of).collect()
}

/// What each rule wants instead.
fn rules(constraints: &Value, subject: &Subject, place: &Path) -> Vec<Step> {
    let rules = constraints.find(&["resourceRules"]).and_then(Value::as_array).unwrap_or_default();
    let mut found: Vec<(RuleField, Step)> = Vec::new();
    for (at, rule) in rules.iter().take(MAX_RULES).enumerate() {
        let Some(field) = rule_field(rule, subject, &subject.resource) else { continue };
        let (what, is, resource_path) = found_at(field, subject);
        let wanted = match rule.find(&[field.name()]) {
            Some(Value::Array(wanted)) => wanted.iter().filter_map(Value::as_str).map(quoted).collect(),
            Some(Value::String(wanted)) => vec![quoted(wanted)],
            _ => Vec::new(),
        };
        let words = match wanted.as_slice() {
            [] => format!("{what} is {is}, and the policy names no `{}`", field.name()),
            wanted => format!("{what} is {is}, the policy wants {}", wanted.join(" or ")),
        };
        let step = Step::new(Kind::Match, false, words).in_policy(&place.join(at).join(field.name()));
        found.push((field, resource_path.iter().fold(step, Step::in_resource)));
    }
    // Of all rules that which fails at the most special field says most.
    if let Some(nearest) = found.iter().enumerate().max_by_key(|(at, (field, _))| (*field, usize::MAX - at)) {
        let nearest = found.remove(nearest.0);
        found.push(nearest);
    }
    found.into_iter().map(|(_, step)| step).collect()
}

/// What the resource has where a rule asks for something else: its name, its value, and where it stands.
fn found_at(field: RuleField, subject: &Subject) -> (&'static str, String, Option<Path>) {
    let [group, version, resource] = &subject.resource;
    let at = |key: &str| Some(Path::root().join(key));
    let metadata = |key: &str| Some(Path::root().join("metadata").join(key));
    match field {
        RuleField::ApiGroups => ("the API group", quoted(group), at("apiVersion")),
        RuleField::Resources => {
            let subresource = subject.request.find_str(&["subResource"]);
            let slash = if subresource.is_empty() { "" } else { "/" };
            ("the resource", quoted(&format!("{resource}{slash}{subresource}")), at("kind"))
        }
        RuleField::ApiVersions => ("the version", quoted(version), at("apiVersion")),
        RuleField::Scope => {
            let is_cluster = subject.request_namespace().is_empty();
            ("the scope", quoted(if is_cluster { "Cluster" } else { "Namespaced" }), metadata("namespace"))
        }
        RuleField::Operations => ("the operation", quoted(&subject.operation), None),
        RuleField::ResourceNames => ("the name", quoted(subject.name()), metadata("name")),
    }
}

/// A text as it is quoted; the core group is the empty one.
fn quoted(text: &str) -> String {
    if text.is_empty() { "`\"\"`".to_owned() } else { format!("`{text}`") }
}

fn described(labels: &[(Str, Str)]) -> String {
    let mut shown: Vec<String> =
        labels.iter().take(5).map(|(key, value)| format!("`{key}={value}`")).collect();
    match labels.len() {
        0 => return "no labels".to_owned(),
        all if all > shown.len() => shown.push(format!("{} more", all - shown.len())),
        _ => {}
    }
    format!("the labels {}", shown.join(", "))
}
