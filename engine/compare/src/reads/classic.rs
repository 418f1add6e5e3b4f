//! What a ClusterPolicy or Policy reads.
//!
//! In: the document as written. Out: its reads: patterns are walked with their anchors taken off, conditions and variables by
//! the trees of their expressions, blocks of match and exclude by what they name.

use crate::objects::kinds::CONTAINER_LISTS;
use crate::reads::field_path::{FieldPath, Step, field_path};
use crate::reads::jmespath::{Names, literal};
use crate::reads::keys::filled;
use crate::reads::variables::{every_text, path_origin, text_origin, variables};
use crate::reads::{Origin, Reads, patches};
use crate::search::cluster::Asked;
use crate::sides::side::NAME_LABEL;
use engine::resource::plural;
use engine::template;
use engine_json::{Map, Str, Value};

/// How deep patterns are followed.
const MAX_DEPTH: usize = 64;

/// The reads of a policy.
pub(crate) fn read(policy: &Value, reads: &mut Reads) {
    for rule in list(policy.find(&["spec", "rules"])) {
        read_rule(rule, reads);
    }
    for entry in list(policy.find(&["spec", "validationFailureActionOverrides"])) {
        read_override(entry, reads);
    }
}

/// The reads of a cleanup policy, which calls the object `target`.
pub(crate) fn read_cleanup(policy: &Value, reads: &mut Reads) {
    let Some(spec) = policy.get("spec") else { return };
    read_blocks(spec, reads);
    let mut names = Names::new();
    names.insert(Str::new_static("target"), Origin::path(field_path(&["request", "object"])));
    read_context(spec.get("context"), &mut names, reads);
    if let Some(conditions) = spec.get("conditions") {
        read_conditions(conditions, &names, reads);
    }
}

/// The reads of a PolicyException.
pub(crate) fn read_exception(exception: &Value, reads: &mut Reads) {
    let Some(spec) = exception.get("spec") else { return };
    read_blocks(spec, reads);
    if let Some(conditions) = spec.get("conditions") {
        read_conditions(conditions, &Names::new(), reads);
    }
    for exclude in list(spec.get("podSecurity")) {
        read_exclusion(exclude, reads);
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

fn read_override(entry: &Value, reads: &mut Reads) {
    reads.note_namespaces(list(entry.get("namespaces")));
    read_selector(entry.get("namespaceSelector"), reads, Selected::Namespace);
}

/// What `match` and `exclude` name.
fn read_blocks(rule: &Value, reads: &mut Reads) {
    for block in ["match", "exclude"] {
        let Some(block) = rule.get(block) else { continue };
        read_filter(block, reads);
        for filter in list(block.get("any")).iter().chain(list(block.get("all"))) {
            read_filter(filter, reads);
        }
    }
}

fn read_rule(rule: &Value, reads: &mut Reads) {
    read_blocks(rule, reads);
    let mut names = Names::new();
    read_context(rule.get("context"), &mut names, reads);
    if let Some(conditions) = rule.get("preconditions") {
        read_conditions(conditions, &names, reads);
    }
    if let Some(conditions) = rule.get("celPreconditions") {
        crate::reads::cel_policies::read_expressions(conditions, reads);
    }
    for entry in list(rule.find(&["validate", "failureActionOverrides"])) {
        read_override(entry, reads);
    }
    for body in ["validate", "mutate", "generate"] {
        if let Some(body) = rule.get(body) {
            read_check(body, &names, reads);
        }
    }
    if rule.get("verifyImages").is_some() {
        reads.outside.insert("a registry, for `verifyImages`".to_owned());
    }
}

fn read_context(entries: Option<&Value>, names: &mut Names, reads: &mut Reads) {
    for entry in list(entries) {
        let name = Str::new(entry.find_str(&["name"]));
        let origin = if let Some(variable) = entry.get("variable") {
            let mut origin = variable.get("value").map(|value| text_origin(value, names, reads));
            let path = variable.find_str(&["jmesPath"]);
            if !path.is_empty() {
                let found = path_origin(path, names, reads);
                origin = Some(origin.unwrap_or_default().and(found));
            }
            if let Some(default) = variable.get("default") {
                origin = Some(origin.unwrap_or_default().and(literal(default)));
            }
            origin.unwrap_or_default()
        } else {
            if let Some(asked) = asked(entry) {
                names.insert(name, answer(entry, &asked, names, reads));
                continue;
            }
            for (field, what) in OUTSIDE {
                if entry.get(field).is_some() {
                    reads.outside.insert(format!("{what}, for context entry `{name}`"));
                    every_text(entry, &mut |text| drop(variables(text, names, reads)));
                }
            }
            Origin::default()
        };
        names.insert(name, origin);
    }
}

/// The objects of the cluster that an entry asks for.
fn asked(entry: &Value) -> Option<Asked> {
    let filled = |text: &str| template::replace_variables(text, "*");
    if let Some(map) = entry.get("configMap") {
        let (namespace, name) = (filled(map.find_str(&["namespace"])), filled(map.find_str(&["name"])));
        let namespace = if namespace.is_empty() { "default" } else { &namespace };
        let written = |text| Some(text).filter(|text: &&str| !text.contains('*'));
        return Some(Asked::new("v1", "configmaps", written(namespace), written(&name)));
    }
    let path = entry.find(&["apiCall", "urlPath"]).and_then(Value::as_str)?;
    Asked::of_path(&filled(path))
}

/// Where the value of an entry that is an answer of the cluster comes from.
fn answer(entry: &Value, asked: &Asked, names: &Names, reads: &mut Reads) -> Origin {
    every_text(entry, &mut |text| drop(variables(text, names, reads)));
    let whole = Origin::path(vec![asked.step()]);
    reads.note(&whole);
    let path = entry.find_str(&["apiCall", "jmesPath"]);
    if path.is_empty() {
        return whole;
    }
    let mut names = names.clone();
    names.insert(Str::new_static("answer__"), whole);
    variables(&format!("{{{{ answer__ | {path} }}}}"), &names, reads)
}

const OUTSIDE: [(&str, &str); 4] = [
    ("apiCall", "an answer of the cluster"),
    ("configMap", "a ConfigMap"),
    ("imageRegistry", "a registry"),
    ("globalReference", "a GlobalContextEntry"),
];

fn read_check(body: &Value, names: &Names, reads: &mut Reads) {
    if let Some(pattern) = body.get("pattern") {
        read_pattern(pattern, &mut Vec::new(), names, reads, 0);
    }
    for pattern in list(body.get("anyPattern")) {
        read_pattern(pattern, &mut Vec::new(), names, reads, 0);
    }
    if let Some(patch) = body.get("patchStrategicMerge") {
        read_pattern(patch, &mut Vec::new(), names, reads, 0);
    }
    for field in ["patchesJson6902", "data", "clone", "name", "namespace", "message"] {
        if let Some(value) = body.get(field) {
            every_text(value, &mut |text| drop(variables(text, names, reads)));
        }
    }
    read_sources(body, reads);
    if let Some(text) = body.get("patchesJson6902").and_then(Value::as_str) {
        patches::read(text, reads);
    }
    if let Some(conditions) = body.find(&["deny", "conditions"]) {
        read_conditions(conditions, names, reads);
    }
    if let Some(security) = body.get("podSecurity") {
        // What the policy names itself stands before what the level asks for.
        for exclude in list(security.get("exclude")) {
            read_exclusion(exclude, reads);
        }
        crate::reads::pod_security::read(reads);
    }
    if let Some(cel) = body.get("cel") {
        crate::reads::cel_policies::read_rule(cel, reads);
    }
    for each in list(body.get("foreach")) {
        read_foreach(each, names, reads);
    }
}

/// The objects of the cluster that a rule copies.
fn read_sources(body: &Value, reads: &mut Reads) {
    let filled = |value: &Value, field: &str| template::replace_variables(value.find_str(&[field]), "*");
    let written = |text: &str| Some(text.to_owned()).filter(|text| !text.contains('*'));
    if let Some(of) = body.get("clone") {
        let (version, kind) = (filled(body, "apiVersion"), filled(body, "kind"));
        let (namespace, name) = (written(&filled(of, "namespace")), written(&filled(of, "name")));
        let asked = Asked::new(&version, &plural(&kind), namespace.as_deref(), name.as_deref());
        reads.kinds.insert((Str::from(version), Str::from(plural(&kind))), Str::from(kind));
        reads.note(&Origin::path(vec![asked.step()]));
    }
    let Some(of) = body.get("cloneList") else { return };
    let namespace = written(&filled(of, "namespace"));
    for kind in list(of.get("kinds")).iter().filter_map(Value::as_str) {
        let (version, kind) = kind.rsplit_once('/').unwrap_or(("", kind));
        let asked = Asked::new(version, &plural(kind), namespace.as_deref(), Some(""));
        reads.kinds.insert((Str::from(version), Str::from(plural(kind))), Str::from(kind));
        let items = [asked.step(), Step::Key(Str::new_static("items")), Step::Each];
        reads.note(&Origin::path(items.to_vec()));
        let mut note = |key: &str, values: &[Value]| {
            let labels = field_path(&["metadata", "labels", key]);
            let path = items.iter().cloned().chain(labels).collect();
            reads.note(&Origin { constants: values.to_vec(), ..Origin::path(path) });
        };
        let labels = of.find(&["selector", "matchLabels"]).and_then(Value::as_object);
        for (key, value) in labels.into_iter().flat_map(Map::iter) {
            note(key, std::slice::from_ref(value));
        }
        for one in list(of.find(&["selector", "matchExpressions"])) {
            note(one.find_str(&["key"]), list(one.get("values")));
        }
    }
}

/// What an exclusion of `podSecurity` names: images, and values of a field.
fn read_exclusion(exclude: &Value, reads: &mut Reads) {
    let images = list(exclude.get("images"));
    for containers in CONTAINER_LISTS {
        let path = field_path(&["spec", containers, "[]", "image"]);
        reads.note_object(&path, images);
        if !images.is_empty() {
            reads.named.insert(path);
        }
    }
    let field = exclude.find_str(&["restrictedField"]).replace("[*]", ".[]");
    let keys: Vec<&str> = field.split('.').filter(|key| !key.is_empty()).collect();
    if !keys.is_empty() {
        reads.note_object(&field_path(&keys), list(exclude.get("values")));
        // The field may be a list of what is excepted.
        let elements = [field_path(&keys), vec![Step::Each]].concat();
        reads.named.extend([field_path(&keys), elements]);
    }
}

fn read_foreach(each: &Value, names: &Names, reads: &mut Reads) {
    let mut names = names.clone();
    let elements = path_origin(each.find_str(&["list"]), &names, reads).element();
    names.insert(Str::new_static("element"), elements.clone());
    names.insert(Str::new_static("element0"), elements.clone());
    read_context(each.get("context"), &mut names, reads);
    if let Some(conditions) = each.get("preconditions") {
        read_conditions(conditions, &names, reads);
    }
    if let Some(pattern) = each.get("pattern") {
        let is_of_object = each.get("elementScope").and_then(Value::as_bool) == Some(false);
        let whole = [field_path(&["request", "object"])];
        for path in if is_of_object { whole.as_slice() } else { elements.paths.as_slice() } {
            let path = path.strip_prefix(field_path(&["request", "object"]).as_slice()).unwrap_or_default();
            read_pattern(pattern, &mut path.to_vec(), &names, reads, 0);
        }
    }
    let without_pattern: Map = each
        .as_object()
        .into_iter()
        .flat_map(Map::iter)
        .filter(|(key, _)| *key != "pattern")
        .map(copied)
        .collect();
    read_check(&Value::object(without_pattern), &names, reads);
}

fn copied((key, value): (&Str, &Value)) -> (Str, Value) {
    (key.clone(), value.clone())
}

/// Both sides of each condition, and what is beside it.
pub(crate) fn read_conditions(conditions: &Value, names: &Names, reads: &mut Reads) {
    let all = [Some(conditions), conditions.get("any"), conditions.get("all")];
    for block in all.into_iter().flat_map(list) {
        for nested in ["any", "all"] {
            if block.get(nested).is_some() {
                read_conditions(block, names, reads);
                break;
            }
        }
        let key = block.get("key").map(|key| text_origin(key, names, reads)).unwrap_or_default();
        let value = block.get("value").map(|value| text_origin(value, names, reads)).unwrap_or_default();
        let mut both = key.and(value);
        if block.find_str(&["operator"]).contains("In") {
            both = both.with_wildcards();
        }
        reads.note(&both);
    }
}

/// A key without its anchor.
pub(crate) fn without_anchor(key: &str) -> &str {
    let inner = ["=(", "X(", "+(", "<(", "^(", "("]
        .iter()
        .find_map(|start| key.strip_prefix(start)?.strip_suffix(')'));
    inner.unwrap_or(key)
}

fn read_pattern(pattern: &Value, path: &mut FieldPath, names: &Names, reads: &mut Reads, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match pattern {
        Value::Object(map) => {
            for (key, below) in map.iter() {
                for key in filled(without_anchor(key)) {
                    path.push(Step::Key(key));
                    reads.note_object(path, &[]);
                    read_pattern(below, path, names, reads, depth + 1);
                    path.pop();
                }
            }
        }
        Value::Array(items) => {
            path.push(Step::Each);
            for item in items.iter() {
                read_pattern(item, path, names, reads, depth + 1);
            }
            path.pop();
        }
        Value::String(text) if text.contains("{{") => {
            let found = variables(text, names, reads);
            reads.note_object(path, &found.constants);
            let here = field_path(&["request", "object"]).into_iter().chain(path.iter().cloned()).collect();
            reads.note(&found.without_constants().and(Origin::path(here)));
        }
        leaf => {
            reads.note_object(path, std::slice::from_ref(leaf));
            reads.add_to_pool(leaf);
        }
    }
}

/// Whose labels a selector selects by.
#[derive(Clone, Copy)]
pub(crate) enum Selected {
    /// Those of the object.
    Object,
    /// Those of its Namespace.
    Namespace,
    /// Those of the object, which is a Namespace itself.
    Itself,
}

/// The labels of a selector.
pub(crate) fn read_selector(selector: Option<&Value>, reads: &mut Reads, whose: Selected) {
    let mut note = |key: &str, values: &[Value]| match whose {
        // An API server keeps this label equal to the name.
        Selected::Itself if key == NAME_LABEL => {
            let [name, label] = [field_path(&["metadata", "name"]), field_path(&["metadata", "labels", key])];
            reads.note_object(&name, values);
            reads.note_object(&label, values);
            reads.links.insert((name, label));
        }
        Selected::Object | Selected::Itself => {
            reads.note_object(&field_path(&["metadata", "labels", key]), values);
        }
        Selected::Namespace if key == NAME_LABEL => {
            reads.note_object(&field_path(&["metadata", "namespace"]), values);
        }
        Selected::Namespace => {
            let node = reads.namespace_labels.at(&field_path(&[key]));
            for value in values {
                node.add(value);
            }
        }
    };
    let Some(selector) = selector else { return };
    for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flat_map(Map::iter)
    {
        for key in filled(key) {
            note(&key, std::slice::from_ref(value));
        }
    }
    for entry in list(selector.get("matchExpressions")) {
        note(entry.find_str(&["key"]), list(entry.get("values")));
    }
}

fn read_filter(filter: &Value, reads: &mut Reads) {
    if let Some(resources) = filter.get("resources") {
        let name = resources.get("name").into_iter();
        let names: Vec<Value> = name.chain(list(resources.get("names"))).cloned().collect();
        if !names.is_empty() {
            reads.note_object(&field_path(&["metadata", "name"]), &names);
        }
        reads.note_namespaces(list(resources.get("namespaces")));
        // Of a list of the cluster the plural alone is known.
        for text in list(resources.get("kinds")).iter().filter_map(Value::as_str) {
            let (version, kind) = text.rsplit_once('/').unwrap_or(("", text));
            reads.kinds.insert((Str::new(version), Str::from(plural(kind))), Str::new(kind));
        }
        for (key, value) in
            resources.get("annotations").and_then(Value::as_object).into_iter().flat_map(Map::iter)
        {
            for key in filled(key) {
                reads.note_object(
                    &field_path(&["metadata", "annotations", &key]),
                    std::slice::from_ref(value),
                );
            }
        }
        read_selector(resources.get("selector"), reads, Selected::Object);
        read_selector(resources.get("namespaceSelector"), reads, Selected::Namespace);
        reads.asks_operation |= resources.get("operations").is_some();
    }
    let texts = |field: &str| list(filter.get(field)).iter().filter_map(|text| text.as_str().map(Str::new));
    reads.roles.extend(texts("roles"));
    reads.cluster_roles.extend(texts("clusterRoles"));
    for subject in list(filter.get("subjects")) {
        let name = subject.find_str(&["name"]);
        match subject.find_str(&["kind"]) {
            "Group" => drop(reads.groups.insert(Str::new(name))),
            "ServiceAccount" => {
                let account = format!("system:serviceaccount:{}:{name}", subject.find_str(&["namespace"]));
                reads.users.insert(Str::from(account));
            }
            _ => drop(reads.users.insert(Str::new(name))),
        }
    }
}
