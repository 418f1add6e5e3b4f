//! A policy for Pods as policies for what holds templates of them.
//!
//! In: a policy, and what is said of templates apart. Out: policies in which what is read of a Pod is read of the template.

use crate::kinds::policy::{documents, named, texts};
use crate::rules::apart::{Apart, CONDITION};
use crate::rules::mutate::Mutation;
use engine_json::{Map, Value};

/// The end of the name of a policy for ReplicationControllers.
pub(crate) const REPLICATION: &str = "-replicationcontrollers";

/// A policy for Pods as one for ReplicationControllers: what is read of a Pod is read of the template.
pub(crate) fn replication(document: &Value, mutations: &[Mutation]) -> Value {
    let mut map = document.as_object().cloned().unwrap_or_default();
    let name = format!("{}{REPLICATION}", document.find_str(&["metadata", "name"]));
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::object_mut) {
        metadata.insert("name", Value::from(name));
    }
    let spec = moved(&document.get("spec").cloned().unwrap_or_default(), "spec.template", 0);
    let mut spec = spec.as_object().cloned().unwrap_or_default();
    spec.remove("autogen");
    if !mutations.is_empty() {
        spec.insert("mutations", documents(mutations));
    }
    map.insert("spec", Value::object(spec));
    Value::object(map)
}

/// A policy for Pods as one for what holds templates of them.
pub(crate) fn for_templates(document: &Value, apart: &Apart) -> Value {
    let mut map = document.as_object().cloned().unwrap_or_default();
    let name = format!("{}{}", document.find_str(&["metadata", "name"]), apart.suffix);
    if let Some(metadata) = map.get_mut("metadata").and_then(Value::object_mut) {
        metadata.insert("name", Value::from(name));
    }
    let spec = moved(&document.get("spec").cloned().unwrap_or_default(), apart.holder, 0);
    let mut spec = spec.as_object().cloned().unwrap_or_default();
    spec.remove("autogen");
    let conditions = spec.remove("matchConditions");
    let conditions = conditions.as_ref().and_then(Value::as_array).unwrap_or_default();
    let kept = conditions.iter().filter(|one| one.find_str(&["name"]) != CONDITION).cloned();
    let own = apart.condition.as_ref().map(|text| named(&(CONDITION.to_owned(), text.clone())));
    let conditions: Vec<Value> = kept.chain(own).collect();
    if let Some(constraints) = spec.get_mut("matchConstraints").and_then(Value::object_mut) {
        let of_pods = constraints.get("resourceRules").and_then(|rules| rules.at(0)).cloned();
        let of_pods = of_pods.and_then(|rule| rule.as_object().cloned()).unwrap_or_default();
        let groups = [("apps", "v1"), ("batch", "v1"), ("", "v1")];
        let rules = groups.iter().filter_map(|(group, version)| {
            let kinds = apart.kinds.iter().filter(|kind| group_of(kind) == *group);
            let plurals: Vec<String> = kinds.map(|kind| engine::resource::plural(kind)).collect();
            let plurals: Vec<&str> = plurals.iter().map(String::as_str).collect();
            let mut rule = of_pods.clone();
            rule.insert("apiGroups", texts(&[group]));
            rule.insert("apiVersions", texts(&[version]));
            rule.insert("resources", texts(&plurals));
            (!plurals.is_empty()).then(|| Value::object(rule))
        });
        constraints.insert("resourceRules", Value::array(rules.collect()));
    }
    let mutations = documents(&apart.mutations);
    let mut rebuilt = Map::new();
    for (key, value) in spec.iter() {
        if key.as_str() == "mutations" || key.as_str() == "variables" {
            continue;
        }
        rebuilt.insert(key.clone(), value.clone());
    }
    if !conditions.is_empty() {
        rebuilt.insert("matchConditions", Value::array(conditions));
    }
    if !apart.variables.is_empty() {
        rebuilt.insert("variables", Value::array(apart.variables.iter().map(named).collect()));
    }
    rebuilt.insert("mutations", mutations);
    map.insert("spec", Value::object(rebuilt));
    Value::object(map)
}

/// The group of a kind to which autogen extends a rule.
fn group_of(kind: &str) -> &'static str {
    match kind {
        "CronJob" | "Job" => "batch",
        "ReplicationController" => "",
        _ => "apps",
    }
}

/// How deep a document is.
const MAX_DEPTH: usize = 32;

fn moved(value: &Value, holder: &str, depth: usize) -> Value {
    match value {
        Value::Object(map) if depth < MAX_DEPTH => {
            let entries = map.iter().map(|(key, value)| {
                let is_text = matches!(key.as_str(), "message");
                (key.clone(), if is_text { value.clone() } else { moved(value, holder, depth + 1) })
            });
            Value::object(Map::from_entries(entries.collect()))
        }
        Value::Array(list) if depth < MAX_DEPTH => {
            Value::array(list.iter().map(|one| moved(one, holder, depth + 1)).collect())
        }
        Value::String(text) if **text == *"pods" => Value::from("replicationcontrollers"),
        Value::String(text) => {
            let moved = ["object", "oldObject"].iter().fold(text.to_string(), |text, object| {
                let moved = text
                    .replace(&format!("{object}.spec"), &format!("{object}.{holder}.spec"))
                    .replace(&format!("{object}.metadata"), &format!("{object}.{holder}.metadata"));
                // The namespace of a template is that of the whole.
                let (of_template, of_whole) =
                    (format!("{object}.{holder}.metadata.namespace"), format!("{object}.metadata.namespace"));
                moved.replace(&of_template, &of_whole)
            });
            Value::from(moved)
        }
        other => other.clone(),
    }
}
