//! Which kinds of objects two sides are evaluated on.
//!
//! In: the policies as written, and the kinds of Kubernetes. Out: version and kind of each. A kind that a policy names without its
//! group is taken from the other side's words, from Kubernetes' own kinds, or made up, as no verdict hangs on it then.

use crate::objects::plurals::{is_plural_of, singular};
use crate::objects::schema::Schema;
use crate::objects::subresources::{is_kind_known, is_resource_known};
use crate::reads::field_path::element_name;
use engine::policy::KindSelector;
use engine::resource::{Gvk, is_cluster_scoped, plural};
use engine_celpolicy::policy::custom;
use engine_json::{Map, Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A kind that is looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// `apiVersion`.
    pub(crate) version: Str,
    /// `kind`.
    pub(crate) kind: Str,
}

impl Target {
    /// The kind of an object.
    pub(crate) fn of(object: &Value) -> Self {
        let text = |field: &str| Str::new(object.find_str(&[field]));
        Target { version: text("apiVersion"), kind: text("kind") }
    }

    /// Whether an object is of the kind.
    pub(crate) fn is_of(&self, object: &Value) -> bool {
        let is = |field: &str, text: &Str| object.find_str(&[field]) == text.as_str();
        is("apiVersion", &self.version) && is("kind", &self.kind)
    }
}

/// How many kinds are looked at.
pub(crate) const MAX_KINDS: usize = 32;

/// The subresource by which containers are added to Pods that run.
const EPHEMERAL: &str = "ephemeralcontainers";

/// Whether an object is a Pod of Kubernetes.
pub(crate) fn is_pod(object: &Value) -> bool {
    (object.find_str(&["apiVersion"]), object.find_str(&["kind"])) == ("v1", "Pod")
}

/// Kinds that stand for all where a policy is for all: with templates of Pods and without, in a Namespace and in none.
const SOME: [&str; 6] = ["Pod", "Deployment", "ConfigMap", "Service", "Namespace", "ClusterRole"];

/// Kinds with a Pod template, in the order in which they are tried.
pub(crate) const CONTROLLERS: [(&str, &str); 7] = [
    ("apps/v1", "Deployment"),
    ("batch/v1", "CronJob"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "ReplicationController"),
];

/// The lists of containers of a Pod.
pub(crate) const CONTAINER_LISTS: [&str; 3] = ["containers", "initContainers", EPHEMERAL_LIST];

/// Containers that no new Pod has: they are added to one that runs.
pub(crate) const EPHEMERAL_LIST: &str = "ephemeralContainers";

/// The keys that lead to the spec of the Pod of an object of this kind.
pub(crate) fn pod_spec_of(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Pod" => Some(&["spec"]),
        "CronJob" => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        kind if CONTROLLERS.iter().any(|(_, known)| *known == kind) => Some(&["spec", "template", "spec"]),
        _ => None,
    }
}

/// What a policy names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedKind {
    /// The group; `*` is every one.
    pub(crate) group: String,
    /// The version; `*` is every one.
    pub(crate) version: String,
    /// A kind, or the plural of one.
    pub(crate) name: String,
    /// Whether it is the plural.
    pub(crate) is_plural: bool,
}

/// The kinds that these policies name.
pub(crate) fn named_kinds(policies: &[&Value]) -> Vec<NamedKind> {
    let (mut named, mut left_out) = (Vec::new(), BTreeSet::new());
    for policy in policies {
        of_classic(policy, &mut named, &mut left_out);
        of_cel(policy, &mut named, &mut left_out);
    }
    named
}

/// The kinds that these policies name; what is left out is named.
pub(crate) fn targets(policies: &[&Value], schema: &Schema, left_out: &mut BTreeSet<String>) -> Vec<Target> {
    let mut named = Vec::new();
    for policy in policies {
        of_classic(policy, &mut named, left_out);
        of_cel(policy, &mut named, left_out);
    }
    let mut found: Vec<Target> = Vec::new();
    let mut ordered = named.clone();
    // What names its group says more than what does not, and kinds say more than plurals.
    ordered.sort_by_key(|named| (named.is_plural, named.group == "*"));
    for one in &ordered {
        for target in resolve(one, &named, &found, schema) {
            if found.contains(&target) {
                continue;
            }
            if found.len() == MAX_KINDS {
                left_out.insert(format!("kinds beyond the first {MAX_KINDS}"));
                return found;
            }
            found.push(target);
        }
    }
    for target in versions(policies, &ordered, &found) {
        if found.len() < MAX_KINDS && !found.contains(&target) {
            found.push(target);
        }
    }
    found
}

/// Custom kinds that one side names in every group, and the other in some: what another group has of that name is not tried.
pub(crate) fn unlike_groups(sides: [&[&Value]; 2], schema: &Schema) -> Option<String> {
    let groups = |policies: &[&Value]| {
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for one in named_kinds(policies).into_iter().filter(|one| !one.name.contains(['*', '?'])) {
            // By a plural that is guessed of the kind, whatever it is called.
            let name = if one.is_plural { plural(&singular(&one.name)) } else { plural(&one.name) };
            groups.entry(name).or_default().insert(one.group);
        }
        groups
    };
    let [old, new] = sides.map(groups);
    let is_known = |name: &str| schema.kinds().any(|(_, kind)| plural(kind) == name);
    let is_unlike = |name: &&String| {
        let [old, new] = [&old, &new].map(|side| side.get(*name).map(|groups| groups.contains("*")));
        old.zip(new).is_some_and(|(old, new)| old != new) && !is_known(name)
    };
    let names: Vec<&str> = old.keys().filter(is_unlike).map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("groups of kinds ({})", names.join(", ")))
}

/// Further versions of kinds that are named in every version: those that a policy holds `apiVersion` against.
fn versions(policies: &[&Value], named: &[NamedKind], found: &[Target]) -> Vec<Target> {
    let mut constants = BTreeSet::new();
    for policy in policies {
        texts(policy, &mut constants);
    }
    let mut all = Vec::new();
    for one in named.iter().filter(|one| one.version == "*" && !one.group.contains('*')) {
        for constant in &constants {
            if constant.rsplit_once('/').is_none_or(|(group, _)| group != one.group) {
                continue;
            }
            let is_it =
                |target: &&Target| target.kind.as_str() == one.name || plural(&target.kind) == one.name;
            let kinds = found.iter().filter(is_it).map(|target| target.kind.clone());
            all.extend(kinds.map(|kind| Target { version: constant.clone(), kind }));
        }
    }
    all
}

/// The texts of a document that are a group and a version.
fn texts(value: &Value, found: &mut BTreeSet<Str>) {
    match value {
        Value::String(text) => {
            let version = text.rsplit_once('/').and_then(|(_, version)| version.strip_prefix('v'));
            if version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit())) {
                found.insert(text.clone());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(map) => map.values().for_each(|item| texts(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

fn of_classic(policy: &Value, named: &mut Vec<NamedKind>, left_out: &mut BTreeSet<String>) {
    // A cleanup policy is a rule itself.
    let own = policy.get("spec").filter(|_| policy.find_str(&["kind"]).ends_with("CleanupPolicy"));
    for rule in list(policy.find(&["spec", "rules"])).iter().chain(own) {
        let Some(block) = rule.get("match") else { continue };
        let filters = list(block.get("any")).iter().chain(list(block.get("all"))).chain([block]);
        for kind in filters.flat_map(|filter| list(filter.find(&["resources", "kinds"]))) {
            let Some(text) = kind.as_str() else { continue };
            let mut parts: Vec<&str> = text.split('/').collect();
            let last = parts.pop().unwrap_or("");
            let (kind, sub) = last.split_once('.').unwrap_or((last, ""));
            let is_sub = !kind.starts_with(|c: char| c.is_ascii_uppercase() || c == '*');
            if sub == EPHEMERAL || last == EPHEMERAL {
                add(named, ("", "v1", "Pod"), false);
                continue;
            }
            if text.ends_with("/*") && is_kind_known(text) {
                // All subresources, and the kind itself.
                let selector = KindSelector::parse(text);
                let [group, version, kind] = [&selector.group, &selector.version, &selector.kind]
                    .map(|part| part.pattern().to_owned());
                add(named, (&group, &version, &kind), false);
                continue;
            }
            if !sub.is_empty() || is_sub {
                if is_kind_known(text) {
                    continue;
                }
                left_out.insert(format!("subresources (`{text}`)"));
                continue;
            }
            let (group, version) = match parts.as_slice() {
                [] => ("*", "*"),
                [version] => ("*", *version),
                [group, version, ..] => (*group, *version),
            };
            add(named, (group, version, kind), false);
        }
    }
}

fn of_cel(policy: &Value, named: &mut Vec<NamedKind>, left_out: &mut BTreeSet<String>) {
    for NamedKind { group, version, name, .. } in custom_workloads(policy) {
        if name.contains(['*', '/']) {
            left_out.insert(format!("custom workloads with wildcards (`{name}.{version}.{group}`)"));
        } else {
            add(named, (&group, &version, &name), true);
        }
    }
    let rules = ["matchConstraints", "matchResources"]
        .into_iter()
        .flat_map(|field| list(policy.find(&["spec", field, "resourceRules"])));
    for rule in rules {
        let texts = |field: &str| list(rule.get(field)).iter().filter_map(Value::as_str).collect::<Vec<_>>();
        for name in texts("resources") {
            if name.split_once('/').is_some_and(|(of, sub)| of == "pods" && sub == EPHEMERAL) {
                add(named, ("", "v1", "pods"), true);
                continue;
            }
            if let Some((of, sub)) = name.split_once('/').filter(|_| is_resource_known(name)) {
                if sub == "*" {
                    for group in texts("apiGroups") {
                        for version in texts("apiVersions") {
                            add(named, (group, version, of), true);
                        }
                    }
                }
                continue;
            }
            if name.contains('/') {
                left_out.insert(format!("subresources (`{name}`)"));
                continue;
            }
            for group in texts("apiGroups") {
                for version in texts("apiVersions") {
                    add(named, (group, version, name), true);
                }
            }
        }
    }
}

/// The custom workloads in which a policy for Pods looks for templates: group, version and plural.
pub(crate) fn custom_workloads(policy: &Value) -> Vec<NamedKind> {
    let custom = custom(policy).and_then(|custom| custom.constraints);
    let mut named = Vec::new();
    for rule in list(custom.as_ref().and_then(|custom| custom.get("resourceRules"))) {
        let first = |field: &str| rule.get(field).and_then(|list| list.at(0)?.as_str()).unwrap_or("");
        for plural in list(rule.get("resources")).iter().filter_map(Value::as_str) {
            add(&mut named, (first("apiGroups"), first("apiVersions"), plural), true);
        }
    }
    named
}

fn add(named: &mut Vec<NamedKind>, (group, version, name): (&str, &str, &str), is_plural: bool) {
    let one = NamedKind { group: group.into(), version: version.into(), name: name.into(), is_plural };
    if !named.contains(&one) {
        named.push(one);
    }
}

fn resolve(one: &NamedKind, all: &[NamedKind], found: &[Target], schema: &Schema) -> Vec<Target> {
    let target = |version: &str, kind: &str| Target { version: Str::new(version), kind: Str::new(kind) };
    if one.name == "*" {
        return SOME.iter().filter_map(|kind| best(schema, kind, one)).collect();
    }
    if one.name.contains(['*', '?']) {
        let glob = engine::value::wildcard::Wildcard::new(&one.name);
        let kinds: BTreeSet<&str> =
            schema.kinds().map(|(_, kind)| kind).filter(|kind| glob.matches(kind)).collect();
        return kinds.into_iter().filter_map(|kind| best(schema, kind, one)).take(SOME.len()).collect();
    }
    if !one.is_plural {
        if let Some(known) = best(schema, &one.name, one) {
            return vec![known];
        }
        return vec![target(&custom_version(one, all), &one.name)];
    }
    let of_schema: BTreeSet<&str> =
        schema.kinds().map(|(_, kind)| kind).filter(|kind| plural(kind) == one.name).collect();
    if let Some(known) = of_schema.into_iter().find_map(|kind| best(schema, kind, one)) {
        return vec![known];
    }
    // A version that Kubernetes does not serve any more, or not yet.
    let is_exact = |text: &str| !text.contains('*') && !text.is_empty();
    if is_exact(&one.version) && !one.group.contains('*') {
        let version =
            if one.group.is_empty() { one.version.clone() } else { format!("{}/{}", one.group, one.version) };
        let mut known = schema.kinds().map(|(_, kind)| kind).filter(|kind| plural(kind) == one.name);
        if let Some(kind) = known.next() {
            return vec![target(&version, kind)];
        }
    }
    if found.iter().any(|target| one.is_of(&target.kind)) {
        return Vec::new();
    }
    vec![target(&custom_version(one, all), &singular(&one.name))]
}

impl NamedKind {
    /// Whether another names the same, by a kind or by a plural.
    fn is_like(&self, other: &NamedKind) -> bool {
        match (self.is_plural, other.is_plural) {
            (true, false) => is_plural_of(&self.name, &other.name),
            (false, true) => is_plural_of(&other.name, &self.name),
            _ => self.name == other.name,
        }
    }

    /// Whether it is a name of this kind.
    pub(crate) fn is_of(&self, kind: &str) -> bool {
        if self.is_plural {
            is_plural_of(&self.name, kind) || singular(&self.name) == kind
        } else {
            self.name == kind
        }
    }
}

/// The plurals of custom kinds as policies name them, where no one would guess them of the kind, by group, version and kind.
pub(crate) fn unguessed(policies: &[&Value], targets: &[Target]) -> Vec<([Str; 3], Str)> {
    let mut found = Vec::new();
    for one in
        named_kinds(policies).into_iter().filter(|one| one.is_plural && !one.name.contains(['*', '?', '/']))
    {
        for target in targets {
            let gvk = Gvk::new(&target.version, &target.kind);
            let is_it = one.is_of(&target.kind) && (one.group == "*" || *one.group == *gvk.group);
            if is_it && plural(&target.kind) != one.name {
                found.push(([gvk.group, gvk.version, gvk.kind], Str::from(one.name.as_str())));
            }
        }
    }
    found
}

/// The version of a custom kind: as it is named here or elsewhere.
fn custom_version(one: &NamedKind, all: &[NamedKind]) -> String {
    let is_same = |other: &&NamedKind| one.is_like(other) && other.group != "*";
    let of = if one.group == "*" { all.iter().find(is_same).unwrap_or(one) } else { one };
    let group = of.group.replace('*', "example.com");
    let group = if group.is_empty() { "example.com".to_owned() } else { group };
    let version = of.version.replace('*', "v1");
    format!("{group}/{version}")
}

/// The version of one of Kubernetes' own kinds that is neither alpha nor beta, if it can be.
fn best(schema: &Schema, kind: &str, one: &NamedKind) -> Option<Target> {
    let fits = |version: &&str| {
        let gvk = Gvk::new(version, kind);
        let is = |pattern: &str, text: &str| engine::value::wildcard::Wildcard::new(pattern).matches(text);
        is(&one.group, &gvk.group) && is(&one.version, &gvk.version)
    };
    let versions = schema.kinds().filter(|(_, known)| *known == kind).map(|(version, _)| version);
    let is_young = |version: &&str| version.contains("alpha") || version.contains("beta");
    let version =
        versions.filter(fits).min_by_key(|version| (is_young(version), version.starts_with("extensions")))?;
    Some(Target { version: Str::new(version), kind: Str::new(kind) })
}

/// The name of objects in which no side asks for another.
pub(crate) const NAME: &str = "example";

/// The smallest object of a kind.
pub(crate) fn smallest(target: &Target, schema: &Schema) -> Value {
    let mut metadata = map([("name", Value::from(NAME))]);
    if !is_cluster_scoped(&target.version, &target.kind) {
        metadata.insert("namespace", Value::from("default"));
    }
    let mut object = map([
        ("apiVersion", Value::String(target.version.clone())),
        ("kind", Value::String(target.kind.clone())),
        ("metadata", Value::object(metadata)),
    ]);
    if &*target.kind == "Pod" {
        object.insert("spec", pod_spec(schema));
    } else if CONTROLLERS.iter().any(|(_, kind)| *kind == target.kind) {
        let pod = Value::object(map([("spec", pod_spec(schema))]));
        return in_controller(&pod, &target.version, &target.kind, &Value::object(object));
    }
    Value::object(object)
}

fn pod_spec(schema: &Schema) -> Value {
    let pod = schema.kind("v1", "Pod").and_then(|shape| schema.field(&shape, "spec"));
    let containers = pod.and_then(|shape| schema.field(&shape, "containers"));
    let container = containers.and_then(|shape| Schema::element(&shape));
    let container = schema.new_element(container.as_ref(), || element_name("containers", 0));
    Value::object(map([("containers", Value::array(vec![container]))]))
}

/// A map of these entries.
pub(crate) fn map<const N: usize>(entries: [(&str, Value); N]) -> Map {
    entries.into_iter().collect()
}

/// The object of a controller whose template is this Pod; its labels and annotations are those of the Pod.
pub(crate) fn in_controller(pod: &Value, version: &str, kind: &str, like: &Value) -> Value {
    let mut metadata = like.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut of_template = Map::new();
    for field in ["labels", "annotations"] {
        if let Some(value) = pod.find(&["metadata", field]) {
            metadata.insert(field, value.clone());
            of_template.insert(field, value.clone());
        }
    }
    for field in ["name", "namespace"] {
        if let Some(value) = pod.find(&["metadata", field]) {
            metadata.insert(field, value.clone());
        }
    }
    let mut template = Map::new();
    if !of_template.is_empty() {
        template.insert("metadata", Value::object(of_template));
    }
    template.insert("spec", pod.get("spec").cloned().unwrap_or_default());
    let mut spec = Value::object(map([("template", Value::object(template))]));
    if kind == "CronJob" {
        spec = Value::object(map([("jobTemplate", Value::object(map([("spec", spec)])))]));
    }
    Value::object(map([
        ("apiVersion", Value::from(version)),
        ("kind", Value::from(kind)),
        ("metadata", Value::object(metadata)),
        ("spec", spec),
    ]))
}
