//! What a GitOps tool will see as drift: fields that policies change in a cluster behind its back.
//!
//! In: an object as it is kept in git, and as policies leave it; or a policy that autogen extends. Out: the fields, and the
//! `ignoreDifferences` of an Argo CD Application that leaves them alone.

use engine::policy::Policy;
use engine::resource::Resource;
use engine_json::{Map, Value};

/// How many fields of one object are said.
const MAX_FIELDS: usize = 200;

/// The fields of one object that differ, as paths of jq.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// The API group of the object; empty for the core.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for a cluster's own objects.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Fields that say something else than git: a tool that heals will change them back, again and again.
    pub changed: Vec<String>,
    /// Fields that git does not have: a tool that compares whole objects shows them.
    pub added: Vec<String>,
    /// Fields that git alone has.
    pub removed: Vec<String>,
}

impl Drift {
    /// What differs between an object as it is given and as policies leave it.
    pub fn of(resource: &Resource, live: &Value) -> Drift {
        Drift {
            group: resource.gvk.group.to_string(),
            kind: resource.kind().to_owned(),
            namespace: resource.namespace().to_owned(),
            name: resource.name_or_generate_name().to_owned(),
            ..between(&resource.value, live)
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }

    /// All paths, in the order in which they are said.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.changed.iter().chain(&self.added).chain(&self.removed).map(String::as_str)
    }
}

/// What differs between two values.
fn between(git: &Value, live: &Value) -> Drift {
    let mut drift = Drift::default();
    walk(&git.with_int_numbers(), &live.with_int_numbers(), "", &mut drift);
    drift
}

fn walk(git: &Value, live: &Value, path: &str, drift: &mut Drift) {
    if git == live || drift.paths().count() >= MAX_FIELDS {
        return;
    }
    match (git, live) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in after.iter() {
                let inner = format!("{path}{}", step(key));
                match before.get(key) {
                    Some(known) => walk(known, value, &inner, drift),
                    None => drift.added.push(inner),
                }
            }
            let gone = before.keys().filter(|key| !after.contains_key(key));
            drift.removed.extend(gone.map(|key| format!("{path}{}", step(key))));
        }
        (Value::Array(before), Value::Array(after)) if named(before) && named(after) => {
            let name = |value: &Value| value.find_str(&["name"]).to_owned();
            let place = |value: &Value| format!("{path}[] | select(.name == {})", quoted(&name(value)));
            for value in after.iter() {
                match before.iter().find(|known| name(known) == name(value)) {
                    Some(known) => walk(known, value, &format!("{} | ", place(value)), drift),
                    None => drift.added.push(place(value)),
                }
            }
            let gone = before.iter().filter(|value| !after.iter().any(|known| name(known) == name(value)));
            drift.removed.extend(gone.map(place));
        }
        _ => drift.changed.push(path.to_owned()),
    }
}

/// Whether every element has a name of its own.
fn named(list: &[Value]) -> bool {
    let names: Vec<&str> = list.iter().map(|value| value.find_str(&["name"])).collect();
    let is_own =
        |(at, name): (usize, &&str)| !name.is_empty() && !names.iter().take(at).any(|known| known == name);
    names.iter().enumerate().all(is_own)
}

/// A key as jq writes it.
fn step(key: &str) -> String {
    let mut chars = key.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if begins && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!(".{key}")
    } else {
        format!(".{}", quoted(key))
    }
}

fn quoted(text: &str) -> String {
    engine_json::to_json(&Value::from(text))
}

/// The `ignoreDifferences` for these objects, as YAML; empty where nothing differs.
pub fn ignore_differences<'a>(drifts: impl IntoIterator<Item = &'a Drift>) -> String {
    let entry = |drift: &Drift| {
        let mut entry = target(&drift.group, &drift.kind);
        for (key, text) in [("name", &drift.name), ("namespace", &drift.namespace)] {
            if !text.is_empty() {
                entry.insert(key, Value::from(text.as_str()));
            }
        }
        entry.insert("jqPathExpressions", Value::array(drift.paths().map(Value::from).collect()));
        Value::object(entry)
    };
    written(drifts.into_iter().filter(|drift| !drift.is_empty()).map(entry).collect())
}

/// The same for policies that autogen extends. Old releases wrote those rules into `spec.rules`; 1.19 keeps them in
/// `status.autogen`, where no tool looks.
pub fn ignore_autogen<'a>(policies: impl IntoIterator<Item = &'a Policy>) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for policy in policies.into_iter().filter(|policy| !policy.autogen.is_empty()) {
        if !kinds.contains(&policy.kind.as_str()) {
            kinds.push(policy.kind.as_str());
        }
    }
    let entry = |kind: &&str| {
        let mut entry = target("kyverno.io", kind);
        let path = ".spec.rules[] | select(.name | startswith(\"autogen-\"))";
        entry.insert("jqPathExpressions", Value::array(vec![Value::from(path)]));
        Value::object(entry)
    };
    written(kinds.iter().map(entry).collect())
}

fn target(group: &str, kind: &str) -> Map {
    let mut entry = Map::new();
    if !group.is_empty() {
        entry.insert("group", Value::from(group));
    }
    entry.insert("kind", Value::from(kind));
    entry
}

fn written(entries: Vec<Value>) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut top = Map::new();
    top.insert("ignoreDifferences", Value::array(entries));
    engine_yaml::emit::to_yaml_ordered(&Value::object(top))
}

#[cfg(test)]
mod tests {
    use super::{Drift, between};
    use engine_json::parse;

    #[test]
    fn fields_are_told_by_what_became_of_them() {
        let git = parse(
            r#"{"metadata":{"labels":{"a/b":"1","gone":"x"}},"spec":{"containers":[{"name":"a","image":"x"}],"args":["1"]}}"#,
        );
        let live = parse(
            r#"{"metadata":{"labels":{"a/b":"2","new":"y"}},"spec":{"containers":[{"name":"b"},{"name":"a","image":"y","tty":true}],"args":["0","1"]}}"#,
        );
        let drift = between(&git.unwrap(), &live.unwrap());
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let expected = Drift {
            changed: texts(&[
                ".metadata.labels.\"a/b\"",
                ".spec.containers[] | select(.name == \"a\") | .image",
                ".spec.args",
            ]),
            added: texts(&[
                ".metadata.labels.new",
                ".spec.containers[] | select(.name == \"b\")",
                ".spec.containers[] | select(.name == \"a\") | .tty",
            ]),
            removed: texts(&[".metadata.labels.gone"]),
            ..Drift::default()
        };
        assert_eq!(drift, expected);
    }

    #[test]
    fn numbers_that_only_changed_their_type_are_no_drift() {
        let (git, live) = (parse(r#"{"a":1}"#).unwrap().with_float_numbers(), parse(r#"{"a":1}"#).unwrap());
        assert!(between(&git, &live).is_empty());
    }
}
