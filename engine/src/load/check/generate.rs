//! `generate`.
//! Mirrors: Generation.Validate in api/kyverno/v1/common_types.go, pkg/policy/generate/validate.go.

use super::refusal::{FieldError, FieldPath, Refusal};
use super::validate::check_anchors;
use super::{field, given, has_generate, items, text, texts};
use crate::policy::Rule;
use crate::value::wildcard;
use engine_json::{Path, Segment, Value};

/// Kinds without a namespace that policies generate, for the hint alone.
const CLUSTER_SCOPED: &[&str] =
    &["Namespace", "ClusterRole", "ClusterRoleBinding", "ClusterPolicy", "PriorityClass"];
const OFFLINE: &str = "the Kyverno CLI takes every kind for a namespaced one; a cluster accepts this";

/// The fields of a `generate`; `own` is the namespace of a namespaced policy.
// Kyverno: the words leave `generate` out. Offline no kind is known to be cluster-scoped.
pub(super) fn check_fields(
    generate: &Value,
    rule: &FieldPath,
    own: Option<&str>,
    errors: &mut Vec<FieldError>,
) {
    let place = rule.really(&[Segment::from("generate")]);
    let loops = given(generate, "foreach");
    let clones = ["name", "namespace"].iter().any(|key| !text(field(generate, "clone"), key).is_empty());
    let lists = given(field(generate, "cloneList"), "kinds").is_some();
    let ways = [given(generate, "data").is_some(), clones, lists, loops.is_some()];
    if ways.iter().filter(|way| **way).count() > 1 {
        let detail = "only one of generate patterns(data, clone, cloneList and foreach) can be specified";
        errors.push(place.forbidden(detail));
        return;
    }
    if loops.is_none() {
        check_pattern(generate, &place, own, errors);
    }
    for (at, each) in items(generate, "foreach").iter().enumerate() {
        check_pattern(each, &place.child("foreach").index(at), own, errors);
    }
}

// Kyverno: GeneratePattern.Validate.
fn check_pattern(pattern: &Value, place: &FieldPath, own: Option<&str>, errors: &mut Vec<FieldError>) {
    let (kind, namespace) = (text(pattern, "kind"), text(pattern, "namespace"));
    if let Some(words) = own.and_then(|own| other_namespace(pattern, own)) {
        let detail = format!("target resource scope mismatched: {words} ");
        errors.push(place.child("namespace").forbidden(detail));
    }
    if !kind.is_empty() && namespace.is_empty() {
        let error =
            place.child("namespace").forbidden("target namespace must be set for a namespaced resource");
        errors.push(if CLUSTER_SCOPED.contains(&kind) { error.hint(OFFLINE) } else { error });
    }
    let list = field(pattern, "cloneList");
    if items(list, "kinds").is_empty() {
        for (key, detail) in [
            ("kind", "kind can not be empty"),
            ("name", "name can not be empty"),
            ("apiVersion", "apiVersion can not be empty"),
        ] {
            if text(pattern, key).is_empty() {
                errors.push(place.child(key).forbidden(detail));
            }
        }
        return;
    }
    let place = place.child("cloneList").child("namespace");
    let received = text(list, "namespace");
    if let Some(own) = own.filter(|own| received != *own) {
        for _ in items(list, "kinds") {
            let detail = format!(
                "a namespaced policy cannot clone resources from other namespace, expected: {own}, received: {received}"
            );
            errors.push(place.forbidden(detail));
        }
    }
    if received.is_empty() {
        errors.push(place.forbidden("namespace is required for namespaced target resources"));
    }
}

// Kyverno: validateNamespacedTargetsScope.
fn other_namespace(pattern: &Value, own: &str) -> Option<String> {
    let received = text(pattern, "namespace");
    if received != own {
        return Some(format!(
            "a namespaced policy cannot generate resources in other namespaces, expected: {own}, received: {received}"
        ));
    }
    let clone = field(pattern, "clone");
    let received = text(clone, "namespace");
    (!text(clone, "name").is_empty() && received != own).then(|| {
        format!("a namespaced policy cannot clone resources from other namespaces, expected: {own}, received: {received}")
    })
}

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize) -> Result<(), Refusal> {
    if !has_generate(&rule.raw) {
        return Ok(());
    }
    let generate = field(&rule.raw, "generate");
    let path = rule.path.join("generate");
    let refuse = |part: &str, words: &str, path: Path| {
        Err(Refusal::new(format!("path: spec.rules[{at}].generate.{part}.: {words}"), path))
    };
    let selector = field(field(generate, "cloneList"), "selector");
    if has_wildcard(selector) {
        let path = path.join("cloneList").join("selector");
        return refuse("selector", "wildcard characters `*/?` not supported", path);
    }
    if let Err(bad) = check_anchors(field(generate, "data"), "/", &Path::root(), |_| false) {
        let words = format!("anchors not supported on generate resources: {}", bad.words);
        let path = path.join("data").concat(&bad.path);
        return refuse(&format!("data.{}", bad.named), &words, path);
    }
    let kinds = texts(field(field(&rule.raw, "match"), "resources"), "kinds");
    if kinds.contains(&text(generate, "kind")) {
        let reason = "generation kind and match resource kind should not be the same";
        return Err(Refusal::new(reason, path.join("kind")));
    }
    Ok(())
}

fn has_wildcard(value: &Value) -> bool {
    match value {
        Value::String(text) => wildcard::contains_wildcard(text),
        Value::Array(list) => list.iter().any(has_wildcard),
        Value::Object(map) => {
            map.iter().any(|(key, item)| wildcard::contains_wildcard(key) || has_wildcard(item))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
