//! A level as a ClusterPolicy.
//!
//! In: a source. Out: a policy with a `podSecurity` rule, and what Kyverno decides otherwise than Kubernetes; or one with rules in CEL, which
//! decide as Kubernetes does.

use super::output::{Compiled, object, policy, texts, titled, validation};
use super::source::{CONTROLLERS, Source, Standard};
use super::unit::Place;
use super::units::units;
use crate::named_kind;
use engine_json::{Map, Value};
use engine_podsecurity::exclude::{self, control_of};
use engine_podsecurity::{CHECKS, Version};

/// The versions that a `podSecurity` rule may name.
const VERSIONS: std::ops::RangeInclusive<u64> = 19..=32;

/// The checks of which Kyverno's rule runs another revision than the level has, or which only one of both runs.
fn differing(source: &Source) -> Vec<&'static str> {
    if source.standard == Standard::Kyverno {
        return Vec::new();
    }
    let policy = (source.level, source.version);
    let wanted: Vec<(&str, u64)> = engine_podsecurity::applicable(source.level, source.version)
        .map(|(check, revision)| (check.id, revision.since))
        .collect();
    let run: Vec<(&str, u64)> =
        exclude::applicable(policy).iter().map(|(check, revision)| (check.id, revision.since)).collect();
    let only =
        run.iter().filter(|one| !wanted.contains(one)).chain(wanted.iter().filter(|one| !run.contains(one)));
    let mut ids: Vec<&'static str> = Vec::new();
    for (id, _) in only {
        let known = CHECKS.iter().find(|check| check.id == *id).map(|check| check.id);
        if let Some(id) = known.filter(|id| !ids.contains(id)) {
            ids.push(id);
        }
    }
    ids
}

/// The version that is written: one that a rule may name and that has the same revisions.
fn written(source: &Source) -> Option<Version> {
    let Version::Minor(minor) = source.version else { return Some(Version::Latest) };
    let revisions = |version: Version| -> Vec<(&str, u64)> {
        let all = exclude::applicable((source.level, version));
        all.iter().map(|(check, revision)| (check.id, revision.since)).collect()
    };
    let known = Version::Minor(minor.min(*VERSIONS.end()));
    let is_same = revisions(known) == revisions(source.version);
    (VERSIONS.contains(&minor) || (minor > *VERSIONS.end() && is_same)).then_some(known)
}

/// Which requests the rules are for.
fn selected(source: &Source) -> Map {
    if !source.policy.selected.is_empty() {
        return source.policy.selected.clone();
    }
    let mut rule = Map::new();
    let resources = object([("resources", object([("kinds", texts(&["Pod"]))]))]);
    rule.insert("match", object([("any", Value::array(vec![resources]))]));
    let mut excluded = Vec::new();
    if !source.namespaces.is_empty() {
        excluded.push(object([("resources", object([("namespaces", texts(&source.namespaces))]))]));
    }
    if !source.usernames.is_empty() {
        let subjects = source
            .usernames
            .iter()
            .map(|name| object([("kind", Value::from("User")), ("name", Value::from(name.as_str()))]));
        excluded.push(object([("subjects", Value::array(subjects.collect()))]));
    }
    if !excluded.is_empty() {
        rule.insert("exclude", object([("any", Value::array(excluded))]));
    }
    if !source.runtime_classes.is_empty() {
        let condition = object([
            ("key", Value::from("{{ request.object.spec.runtimeClassName || '' }}")),
            ("operator", Value::from("AnyNotIn")),
            ("value", texts(&source.runtime_classes)),
        ]);
        rule.insert("preconditions", object([("all", Value::array(vec![condition]))]));
    }
    rule
}

/// A ClusterPolicy with a `podSecurity` rule.
pub(super) fn pod_security(source: &Source) -> Compiled {
    let mut made = Compiled { differing: differing(source), ..Compiled::default() };
    let Some(version) = written(source) else {
        made.refused = Some(format!(
            "a podSecurity rule names versions from v1.19 to v1.32, and none of them has the checks of {}: rules in CEL have",
            source.version
        ));
        return made;
    };
    let mut rule = Map::new();
    rule.insert("name", Value::from(source.level.name()));
    for (key, value) in selected(source).iter() {
        rule.insert(key.clone(), value.clone());
    }
    let mut body = Map::new();
    body.insert("level", Value::from(source.level.name()));
    body.insert("version", Value::from(version.to_string()));
    let exclusions: Vec<Value> = source.exclusions.iter().map(exclusion).collect();
    if !exclusions.is_empty() {
        body.insert("exclude", Value::array(exclusions));
    }
    let mut validate = action(source);
    validate.insert("podSecurity", Value::object(body));
    rule.insert("validate", Value::object(validate));
    let document = whole(source, vec![Value::object(rule)]);
    made.documents.push((vec![format!("# {}", titled(source))], document));
    for id in &made.differing {
        let title = CHECKS.iter().find(|check| check.id == *id).map_or("", |check| check.section);
        let can = if control_of(id).is_some() { "" } else { ", which cannot be excluded" };
        made.notes.push(format!(
            "Kyverno's rule is stricter than Kubernetes at {} in `{id}` ({title}{can})",
            source.version
        ));
    }
    made
}

/// The annotation that chooses controllers.
fn annotate(document: &mut Value, controllers: &[String]) {
    let kind = |plural: &String| {
        named_kind::CONTROLLERS
            .into_iter()
            .chain(["ReplicationController"])
            .find(|kind| format!("{}s", kind.to_lowercase()) == *plural)
            .unwrap_or("")
            .to_owned()
    };
    let kinds: Vec<String> = controllers.iter().map(kind).collect();
    let text = if kinds.is_empty() { "none".to_owned() } else { kinds.join(",") };
    let annotations = object([("pod-policies.kyverno.io/autogen-controllers", Value::from(text))]);
    if let Some(metadata) =
        document.object_mut().and_then(|map| map.get_mut("metadata")).and_then(Value::object_mut)
    {
        metadata.insert("annotations", annotations);
    }
}

fn exclusion(one: &exclude::Exclusion) -> Value {
    let mut map = Map::new();
    map.insert("controlName", Value::from(one.control.as_str()));
    if !one.images.is_empty() {
        map.insert("images", texts(&one.images));
    }
    if !one.restricted_field.is_empty() {
        map.insert("restrictedField", Value::from(one.restricted_field.as_str()));
    }
    if !one.values.is_empty() {
        map.insert("values", texts(&one.values));
    }
    Value::object(map)
}

/// What follows from a failure.
fn action(source: &Source) -> Map {
    let mut validate = Map::new();
    let is_enforced = source.actions.iter().any(|action| action == "Deny");
    validate.insert("failureAction", Value::from(if is_enforced { "Enforce" } else { "Audit" }));
    if is_enforced && !source.policy.allows_existing_violations {
        validate.insert("allowExistingViolations", Value::Bool(false));
    }
    validate
}

/// A ClusterPolicy with these rules.
fn whole(source: &Source, rules: Vec<Value>) -> Value {
    let mut spec = source.policy.spec.clone();
    if source.actions.iter().any(|action| action == "Warn") {
        spec.insert("emitWarning", Value::Bool(true));
    }
    if !source.usernames.is_empty() {
        // Kyverno refuses a policy for background scans that reads who asks (pkg/policy/background.go).
        spec.insert("background", Value::Bool(false));
    }
    spec.insert("rules", Value::array(rules));
    let namespace = source.policy.namespace.as_deref();
    let kind = if namespace.is_some() { "Policy" } else { "ClusterPolicy" };
    let mut document = policy((kind, "kyverno.io/v1"), (&source.name, namespace), spec);
    if source.controllers.len() < CONTROLLERS.len() {
        annotate(&mut document, &source.controllers);
    }
    document
}

/// A ClusterPolicy with a rule in CEL for each check.
pub(super) fn cel(source: &Source) -> Compiled {
    let mut made = Compiled { notes: super::units::notes(source), ..Compiled::default() };
    let mut rules = Vec::new();
    for unit in units(source, Place::Object) {
        let mut rule = Map::new();
        rule.insert("name", Value::from(unit.slug));
        for (key, value) in selected(source).iter() {
            rule.insert(key.clone(), value.clone());
        }
        let variables = unit.variables.iter().map(|(name, expression)| {
            object([("name", Value::from(name.as_str())), ("expression", Value::from(expression.as_str()))])
        });
        let cel = object([
            ("variables", Value::array(variables.collect())),
            ("expressions", Value::array(vec![validation(source, &unit)])),
        ]);
        let mut validate = action(source);
        validate.insert("cel", cel);
        rule.insert("validate", Value::object(validate));
        rules.push(Value::object(rule));
    }
    made.documents.push((vec![format!("# {}", titled(source))], whole(source, rules)));
    made
}
