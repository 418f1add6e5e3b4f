//! `mutate.targets`: a rule that patches other objects than the one that matched.
//!
//! In: the targets of a rule, and the objects at hand. Out: a result and the patched object for each that the
//! targets name, such as `{kind: Namespace, name: "*"}`; the resource that matched stays as it is.
//! Mirrors: pkg/engine/handlers/mutation/{mutate_existing,load_targets}.go, pkg/clients/dclient/helpers.go.

use super::mutate::Mutator;
use super::{RuleResult, Status, Subject, gate};
use crate::context::{Directory, JsonContext, List, variables};
use crate::load::Host;
use crate::matching::selector_matches;
use crate::policy::{LabelSelector, Mutate, MutateTarget, PolicyKind, Requirement};
use crate::resource::{Gvk, OfKind, Resource};
use crate::trace::Trace;
use crate::value::wildcard;
use engine_json::{Map, Str, Value};

/// Runs the body of a rule whose preconditions hold over each of its targets.
pub(super) fn run<'a>(
    subject: &Subject<'a>,
    body: &'a Mutate,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Vec<RuleResult> {
    let mut results = Vec::new();
    let mut errors = Vec::new();
    let mut found: Vec<(&'a MutateTarget, &'a Resource)> = Vec::new();
    for (at, target) in body.targets.iter().enumerate() {
        let wanted = variables::substitute(context, &target.wanted)
            .map_err(|error| format!("failed to substitute variables in target[{at}]: {error}"));
        match wanted.and_then(|wanted| objects(subject, context.evaluator.directory(), &wanted)) {
            Ok(objects) => found.extend(objects.into_iter().map(|object| (target, object))),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        // Kyverno: RuleError joins a message of its own, which is empty here, and the errors.
        results.push(RuleResult::new(subject.rule, Status::Error, format!(": {}", errors.join("; "))));
    }
    for (target, object) in found {
        results.push(one(subject, body, target, object, context, trace));
    }
    results
}

fn one<'a>(
    subject: &Subject<'a>,
    body: &'a Mutate,
    target: &'a MutateTarget,
    object: &Resource,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> RuleResult {
    context.replace(&["target"], object.value.clone());
    let preconditions = target.preconditions.as_ref();
    if let Err((status, message)) = gate::open(subject, &target.context, preconditions, context, trace) {
        return RuleResult::new(subject.rule, status, message);
    }
    let (mut result, patched) = Mutator::new(subject, context, trace).run(body, &object.value);
    result.patched_target = (result.status == Status::Pass).then_some(patched);
    result
}

/// The objects that a target names, in the order in which they were given.
// Kyverno: dclient.GetResources over the CLI's fake client, which knows a kind by its name alone.
fn objects<'a>(
    subject: &Subject<'a>,
    directory: &'a Directory<'a>,
    wanted: &Value,
) -> Result<Vec<&'a Resource>, String> {
    // Kyverno: the kind is asked for as `/Secret`, which no client knows.
    if wanted.find_str(&["apiVersion"]).is_empty() {
        return Err("not found".to_owned());
    }
    let lists: &[List] = match subject.host {
        Host::Cli | Host::Cluster => &[List::Given, List::Cluster],
        Host::Playground => &[List::Given],
    };
    let known = || lists.iter().map(|list| directory.list(*list));
    let kind = wanted.find_str(&["kind"]).split('/').next().unwrap_or("");
    let plural = format!("{}s", kind.to_lowercase());
    // The first object whose plural is this one decides about group and version.
    let first_of = |(gvk, of): (Gvk, &OfKind)| Some((of.all().next()?, gvk));
    let first = known().find_map(|list| {
        let fitting = list.index().kinds().filter(|(gvk, _)| guess_plural(&gvk.kind) == plural);
        fitting.filter_map(first_of).min_by_key(|(place, _)| *place).map(|(_, gvk)| gvk)
    });
    let Some(gvk) = first else { return Err("not found".to_owned()) };
    let name = wanted.find_str(&["name"]);
    let namespace = match subject.policy.kind {
        PolicyKind::Policy => subject.policy.namespace.as_str(),
        PolicyKind::ClusterPolicy
        | PolicyKind::ClusterCleanupPolicy
        | PolicyKind::CleanupPolicy
        | PolicyKind::Extension(_) => wanted.find_str(&["namespace"]),
    };
    if !name.is_empty()
        && !namespace.is_empty()
        && ![name, namespace].into_iter().any(wildcard::contains_wildcard)
    {
        let mut found =
            known().filter_map(|list| list.objects.get(*list.index().named(&gvk, namespace, name).first()?));
        let group = if gvk.group.is_empty() { String::new() } else { format!(".{}", gvk.group) };
        return found
            .next()
            .map(|object| vec![object])
            .ok_or_else(|| format!("{plural}{group} \"{name}\" not found"));
    }
    let selector = wanted.get("selector").and_then(Value::as_object).map(selector);
    let fits = |object: &&Resource| {
        let selected = selector.as_ref().is_none_or(|selector| selector_matches(selector, &labels(object)));
        selected && is_named(object, namespace, name)
    };
    let listed = known().flat_map(|list| {
        let places = list.index().of_kind(&gvk).into_iter().flat_map(OfKind::all);
        places.filter_map(|place| list.objects.get(place))
    });
    Ok(listed.filter(fits).collect())
}

// Go: meta.UnsafeGuessKindToResource.
fn guess_plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    if kind.ends_with("endpoints") {
        return kind;
    }
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

// Kyverno: match of dclient/helpers.go.
fn is_named(object: &Resource, namespace: &str, name: &str) -> bool {
    let by_name = name.is_empty() || wildcard::matches(name, object.name());
    by_name && (namespace.is_empty() || wildcard::matches(namespace, object.namespace()))
}

pub(super) fn labels(object: &Resource) -> Vec<(Str, Str)> {
    let text = |value: &Value| Str::new(value.as_str().unwrap_or(""));
    object.labels().map_or_else(Vec::new, |labels| {
        labels.iter().map(|(key, value)| (key.clone(), text(value))).collect()
    })
}

/// A selector whose variables have been put in.
pub(super) fn selector(map: &Map) -> LabelSelector {
    let text = |value: Option<&Value>| Str::new(value.and_then(Value::as_str).unwrap_or(""));
    let labels = map.get("matchLabels").and_then(Value::as_object);
    let expressions = map.get("matchExpressions").and_then(Value::as_array).unwrap_or_default();
    LabelSelector {
        match_labels: labels.map_or_else(Vec::new, |labels| {
            labels.iter().map(|(key, value)| (key.clone(), text(Some(value)))).collect()
        }),
        match_expressions: expressions
            .iter()
            .map(|item| Requirement {
                key: text(item.get("key")),
                operator: text(item.get("operator")),
                values: item
                    .get("values")
                    .and_then(Value::as_array)
                    .unwrap_or_default()
                    .iter()
                    .map(|v| text(Some(v)))
                    .collect(),
            })
            .collect(),
    }
}
