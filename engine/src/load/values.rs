//! Decodes a values file.
//!
//! In: a document of `kind: Values`. Out: its values, labels and subresources in the [`Settings`], and a problem for
//! each field of another name or type than the original takes: it ends there.
//! Mirrors: cmd/cli/kubectl-kyverno/apis/v1alpha1/values_spec.go.

use super::decode::{Node, Problems};
use super::settings::{Settings, entries};
use crate::diag::{Code, Severity};
use engine_json::{Map, Str, Value};

/// The value that says what is done with a resource.
pub(super) const OPERATION: &str = "request.operation";

/// Whether an API server knows the operation; empty where none is named.
pub(super) fn is_operation(text: &str) -> bool {
    matches!(text, "" | "CREATE" | "UPDATE" | "DELETE" | "CONNECT")
}

/// Reads a document.
pub(super) fn read(node: &Node<'_>, settings: &mut Settings, problems: &mut Problems) {
    const FIELDS: [&str; 8] = [
        "apiVersion",
        "kind",
        "metadata",
        "globalValues",
        "policies",
        "namespaceSelector",
        "namespaces",
        "subresources",
    ];
    node.known_fields(&FIELDS, problems);
    let globals = node.field("globalValues");
    doubt_operation(&globals, problems);
    settings.global_values.extend(entries(&globals, problems));
    node.field("policies").items(problems, |policy, problems| {
        policy.map(problems);
        policy.known_fields(&["name", "resources", "rules"], problems);
        let name = policy.field("name").text(problems);
        policy.field("resources").items(problems, |item, problems| {
            of_resource(item, &name, settings, problems);
        });
        policy.field("rules").items(problems, |item, problems| of_rule(item, &name, settings, problems));
    });
    node.field("namespaceSelector").items(problems, |item, problems| {
        item.map(problems);
        item.known_fields(&["name", "labels"], problems);
        let labels = labels(&item.field("labels"), problems);
        settings.namespace_labels.insert(item.field("name").text(problems), labels);
    });
    node.field("namespaces").items(problems, |item, problems| namespace(item, settings, problems));
    node.field("subresources").items(problems, |item, problems| {
        item.map(problems);
        item.known_fields(&["subresource", "parentResource"], problems);
        let read = |key: &str, problems: &mut Problems| {
            api_resource(&item.field(key), problems);
            item.field(key).value.clone()
        };
        settings.subresources.push((read("subresource", problems), read("parentResource", problems)));
    });
}

fn of_resource(item: &Node<'_>, policy: &Str, settings: &mut Settings, problems: &mut Problems) {
    item.map(problems);
    item.known_fields(&["name", "values"], problems);
    let name = item.field("name").text(problems);
    doubt_operation(&item.field("values"), problems);
    let values = entries(&item.field("values"), problems);
    let of_policy = settings.resource_values.entry(policy.clone()).or_default();
    of_policy.entry(name).or_default().extend(values);
}

fn of_rule(item: &Node<'_>, policy: &Str, settings: &mut Settings, problems: &mut Problems) {
    item.map(problems);
    item.known_fields(&["name", "values", "foreachValues"], problems);
    let name = item.field("name").text(problems);
    doubt_operation(&item.field("values"), problems);
    let mut values = entries(&item.field("values"), problems);
    let lists = item.field("foreachValues");
    // Kyverno: the index of the element is never advanced, so the first value stands for all, and where there is none
    // it crashes.
    for (key, list) in entries(&lists, problems) {
        let node = lists.field(&key);
        if node.items(problems, |_, _| ()).is_empty() && node.value.as_array().is_some() {
            let message = format!("`{key}` must hold a value: its first one stands for every element");
            node.problem(Code::MissingField, Severity::Error, message, problems);
        }
        values.extend(list.at(0).map(|first| (key.clone(), first.clone())));
    }
    settings.rule_values.push((policy.clone(), name, values));
}

/// Labels as they are written for namespaces.
fn labels(node: &Node<'_>, problems: &mut Problems) -> Vec<(Str, Str)> {
    let keys = node.map(problems).into_iter().flat_map(Map::keys);
    keys.map(|key| (key.clone(), node.field(key).text(problems))).collect()
}

// Kyverno: a Namespace of Kubernetes, of which name and labels are looked at.
fn namespace(item: &Node<'_>, settings: &mut Settings, problems: &mut Problems) {
    const METADATA: [&str; 15] = [
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ];
    item.map(problems);
    item.known_fields(&["apiVersion", "kind", "metadata", "spec", "status"], problems);
    let metadata = item.field("metadata");
    metadata.map(problems);
    metadata.known_fields(&METADATA, problems);
    let labels = labels(&metadata.field("labels"), problems);
    let name = metadata.field("name").text(problems);
    settings.namespaces.insert(name.clone(), item.value.clone());
    settings.namespace_labels.insert(name, labels);
}

// Kyverno: metav1.APIResource.
fn api_resource(node: &Node<'_>, problems: &mut Problems) {
    const TEXTS: [&str; 6] = ["name", "singularName", "group", "version", "kind", "storageVersionHash"];
    const LISTS: [&str; 3] = ["verbs", "shortNames", "categories"];
    node.map(problems);
    let known: Vec<&str> = TEXTS.into_iter().chain(LISTS).chain(["namespaced"]).collect();
    node.known_fields(&known, problems);
    for key in TEXTS {
        node.field(key).text(problems);
    }
    for key in LISTS {
        node.field(key).texts(problems);
    }
    node.field("namespaced").flag(problems);
}

/// Warns of an operation that no API server knows, where the original takes it as it is.
fn doubt_operation(values: &Node<'_>, problems: &mut Problems) {
    let given = values.field(OPERATION);
    let is_global = matches!(given.value, Value::String(_)) && values.is_named("globalValues");
    if given.is_absent() || is_global || given.value.as_str().is_some_and(is_operation) {
        return;
    }
    let written = engine_json::to_json(given.value);
    let message =
        format!("no API server knows the operation `{written}`: it is CREATE, UPDATE, DELETE or CONNECT");
    given.problem(Code::UnknownValue, Severity::Warning, message, problems);
}
