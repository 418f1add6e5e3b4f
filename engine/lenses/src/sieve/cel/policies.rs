//! What policies leave out: by match conditions, in validations, by rules that exclude, by selectors; and what bindings leave out.

use super::guards::is_among;
use super::listed;
use super::parts::{Part, of_condition, of_reference, of_validation};
use super::reader::Reader;
use super::written::{Written, read};
use crate::sieve::found::{Documents, Edit, Found, FoundKind, FoundSelector, On, Room, Site};
use engine::resource::DocumentId;
use engine_celpolicy::policy::{items, texts};
use engine_json::{Path, Str, Value};

/// The kinds of policies that refuse.
const KINDS: [&str; 5] = [
    "ValidatingPolicy",
    "NamespacedValidatingPolicy",
    "ValidatingAdmissionPolicy",
    "ImageValidatingPolicy",
    "NamespacedImageValidatingPolicy",
];

/// Longer texts are cut where they are shown.
const MAX_SHOWN: usize = 160;

/// Whether a document is a policy of these kinds.
pub(super) fn is_policy(value: &Value) -> bool {
    KINDS.contains(&value.find_str(&["kind"]))
}

/// The exemptions of a policy.
pub(super) fn of_policy(document: DocumentId, key: &str, value: &Value, found: &mut Vec<Found>) {
    for written in read(value) {
        of_written(document, key, &written, found);
    }
    if !is_policy(value) {
        return;
    }
    let workload = workload(value);
    let new = |kind, path: Path| Found {
        policies: vec![key.to_owned()],
        workload,
        ..nothing(kind, document, path)
    };
    let conditions = Path::from_keys(&["spec", "matchConditions"]);
    let room = |same: String| Room::Instead(conditions.clone(), same);
    constraints(value, &["spec", "matchConstraints"], &room, &new, found);
}

fn of_written(document: DocumentId, key: &str, written: &Written, found: &mut Vec<Found>) {
    let reader = &written.reader;
    let new = |kind, path: Path| Found {
        rule: written.rule.clone(),
        policies: vec![key.to_owned()],
        workload: written.workload,
        ..nothing(kind, document, path)
    };
    let mut take = |parts: Vec<Part>, kind| {
        found.extend(parts.iter().filter_map(|part| of_part(reader, part, kind, &new)));
    };
    for root in &written.conditions {
        take(of_condition(reader, *root), FoundKind::MatchCondition);
    }
    for root in &written.references {
        take(of_reference(reader, *root), FoundKind::Reference);
    }
    for root in &written.validations {
        take(of_validation(reader, *root), FoundKind::Validation);
    }
}

/// The exemptions of a binding.
pub(super) fn of_binding(
    document: DocumentId,
    value: &Value,
    documents: &Documents<'_>,
    found: &mut Vec<Found>,
) {
    let name = value.find_str(&["spec", "policyName"]);
    let policy = documents.policies.iter().find(|(_, key, value)| key == name && is_policy(value));
    let Some((_, key, policy)) = policy else { return };
    let workload = workload(policy);
    let new =
        |kind, path: Path| Found { policies: vec![key.clone()], workload, ..nothing(kind, document, path) };
    constraints(value, &["spec", "matchResources"], &|_| Room::Nowhere, &new, found);
}

/// An exemption of which nothing is known.
pub(super) fn nothing(kind: FoundKind, document: DocumentId, path: Path) -> Found {
    Found {
        kind,
        text: String::new(),
        document,
        path,
        rule: String::new(),
        policies: Vec::new(),
        removal: Vec::new(),
        selectors: Vec::new(),
        capabilities: Vec::new(),
        room: Room::Nowhere,
        workload: None,
        idle: None,
        notes: Vec::new(),
    }
}

fn of_part(
    reader: &Reader,
    part: &Part,
    kind: FoundKind,
    new: &dyn Fn(FoundKind, Path) -> Found,
) -> Option<Found> {
    let text = reader.text(part.at)?;
    let (from, to) = reader.span(part.at);
    let source = text.written.get(from..to)?;
    let (begin, end) = (text.written.get(..from)?, text.written.get(to..)?);
    // What it comes to for everybody else.
    let removed = format!("{begin}{}{end}", !part.when);
    let not = if part.when { "" } else { "not " };
    Some(Found {
        text: format!("where {not}`{}`", shown(source)),
        removal: vec![Edit::Set(text.path.clone(), Value::from(removed.as_str()))],
        selectors: part.selectors(reader),
        room: Room::Part {
            path: text.path.clone(),
            from,
            to,
            when: part.when,
            element: part.element.clone(),
        },
        ..new(kind, text.path.clone())
    })
}

/// An expression in a line.
pub(super) fn shown(source: &str) -> String {
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What rules and selectors leave out.
fn constraints(
    value: &Value,
    at: &[&str],
    room: &dyn Fn(String) -> Room,
    new: &dyn Fn(FoundKind, Path) -> Found,
    found: &mut Vec<Found>,
) {
    let Some(constraints) = value.find(at) else { return };
    let root = Path::from_keys(at);
    for (at, rule) in items(constraints.get("excludeResourceRules")).enumerate() {
        let path = root.join("excludeResourceRules").join(at);
        found.push(excluded(rule, &path, room, new));
    }
    for key in ["namespaceSelector", "objectSelector"] {
        let wanted = items(constraints.find(&[key, "matchExpressions"])).enumerate();
        for (at, requirement) in wanted {
            let path = root.join(key).join("matchExpressions").join(at);
            found.extend(requirement_of(requirement, key, &path, room, new));
        }
    }
}

fn excluded(
    rule: &Value,
    path: &Path,
    room: &dyn Fn(String) -> Room,
    new: &dyn Fn(FoundKind, Path) -> Found,
) -> Found {
    let names = texts(rule.get("resourceNames"));
    let place = path.join("resourceNames");
    let selector = |(at, name): (usize, &Str)| FoundSelector {
        on: On::Name,
        path: place.join(at),
        pattern: name.to_string(),
        site: Site::Whole,
    };
    let resources = texts(rule.get("resources"));
    let mut text = listed(resources.iter().map(Str::as_str));
    if !names.is_empty() {
        text = format!("{text} named {}", listed(names.iter().map(Str::as_str)));
    }
    let patterns: Vec<String> = names.iter().map(ToString::to_string).collect();
    let same = if names.is_empty() { "true".to_owned() } else { is_among(NAME, &patterns) };
    Found {
        text,
        removal: vec![Edit::Remove(path.clone())],
        selectors: names.iter().enumerate().map(selector).collect(),
        room: room(same),
        ..new(FoundKind::ExcludeRule, path.clone())
    }
}

/// The name of an object, as an expression that a policy's variants for controllers do not rewrite.
pub(super) const NAME: &str = "object.?metadata.?name.orValue('')";
/// Its namespace.
pub(super) const NAMESPACE: &str = "object.?metadata.?namespace.orValue('')";

/// A requirement of a selector that leaves something out: `NotIn`, `DoesNotExist`.
fn requirement_of(
    requirement: &Value,
    selector: &str,
    path: &Path,
    room: &dyn Fn(String) -> Room,
    new: &dyn Fn(FoundKind, Path) -> Found,
) -> Option<Found> {
    let key = requirement.find_str(&["key"]);
    let values = texts(requirement.get("values"));
    let (patterns, what): (Vec<String>, String) = match requirement.find_str(&["operator"]) {
        "NotIn" => (
            values.iter().map(ToString::to_string).collect(),
            format!(": {}", listed(values.iter().map(Str::as_str))),
        ),
        "DoesNotExist" => (vec!["*".to_owned()], String::new()),
        _ => return None,
    };
    let is_of_namespace = selector == "namespaceSelector";
    let on = match key {
        "kubernetes.io/metadata.name" if is_of_namespace => On::Namespace,
        _ if is_of_namespace => On::NamespaceLabel(key.to_owned()),
        _ => On::Label(key.to_owned()),
    };
    let of = if is_of_namespace { "namespaceObject" } else { "object" };
    let label = format!("{of}.?metadata.?labels[?{}]", super::guards::quoted(key));
    let same = match on {
        On::Namespace => is_among(NAMESPACE, &patterns),
        _ if values.is_empty() => format!("{label}.hasValue()"),
        _ => is_among(&format!("{label}.orValue('')"), &patterns),
    };
    let whose = if is_of_namespace { "namespaces" } else { "objects" };
    let one = |(at, pattern): (usize, &String)| FoundSelector {
        on: on.clone(),
        path: path.join("values").join(at),
        pattern: pattern.clone(),
        site: Site::Whole,
    };
    Some(Found {
        text: format!("{whose} with label `{key}`{what}"),
        removal: vec![Edit::Remove(path.clone())],
        selectors: patterns.iter().enumerate().map(one).collect(),
        room: room(same),
        ..new(FoundKind::Selector, path.clone())
    })
}

/// The kind of Pods, or of what makes them, that a policy is for.
pub(super) fn workload(value: &Value) -> Option<&'static str> {
    let rules = || items(value.find(&["spec", "matchConstraints", "resourceRules"]));
    workload_of(&|_, plural| {
        let names = |name: &Str| name == plural || name == "*" || name == "*/*";
        rules().any(|rule| texts(rule.get("resources")).iter().any(names))
    })
}

/// The first kind of Pods, or of what makes them, that is named, by its name and its plural.
pub(super) fn workload_of(is_named: &dyn Fn(&str, &str) -> bool) -> Option<&'static str> {
    const KINDS: [(&str, &str); 8] = [
        ("pods", "Pod"),
        ("deployments", "Deployment"),
        ("statefulsets", "StatefulSet"),
        ("daemonsets", "DaemonSet"),
        ("replicasets", "ReplicaSet"),
        ("replicationcontrollers", "ReplicationController"),
        ("jobs", "Job"),
        ("cronjobs", "CronJob"),
    ];
    KINDS.into_iter().find(|(plural, kind)| is_named(kind, plural)).map(|(_, kind)| kind)
}
