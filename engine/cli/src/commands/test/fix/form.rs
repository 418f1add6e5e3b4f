//! The forms of test files, values and user info before Kyverno 1.15, and what each field is today.
//!
//! In: a document, and the objects of the test. Out: the document in today's form, and each change with the place of its field.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/fix/test.go before 1.15. It put `namespace` before the policy's name; `test` of that time compared it
//! with the namespace of the resource, so here it goes before the resource's.

use engine::json::{Map, Path, Value};
use std::ops::Deref;

/// A field that has another place now.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    /// The field, as it was.
    pub(super) at: Path,
    pub(super) words: String,
}

/// A document in today's form.
#[derive(Default)]
pub(super) struct Fixed {
    pub(super) value: Value,
    pub(super) changes: Vec<Change>,
    /// What a person has to decide.
    pub(super) problems: Vec<Change>,
}

/// The namespace and the name of an object.
pub(super) type Name = (String, String);

/// Those of the objects that a test names, whose files are read once an entry asks for them.
type Names<'n> = &'n dyn Deref<Target = Vec<Name>>;

/// The fields of results that have another name now, with that name.
const OLD_FIELDS: [(&str, &str); 3] =
    [("status", "result"), ("resource", "resources"), ("patchedResource", "patchedResources")];

/// The field of results that is a part of the resources' names now.
const NAMESPACE: &str = "namespace";

/// Whether a test cannot run for a form that is known here, by what is said of it.
pub(crate) fn is_of_old_form(error: &str) -> bool {
    let is_of = |name: &str| error.ends_with(&format!("unknown field \"{name}\""));
    error.contains("uses a deprecated schema")
        || is_of(NAMESPACE)
        || OLD_FIELDS.iter().any(|(name, _)| is_of(name))
}

/// Adds `apiVersion` and `kind` where they are missing.
pub(super) fn with_kind(value: &Value, kind: &str) -> Fixed {
    let Some(old) = value.as_object() else { return Fixed { value: value.clone(), ..Fixed::default() } };
    let is_missing =
        |(field, _): &(&str, &str)| field_of(old, field).is_none_or(|value| value.as_str() == Some(""));
    let added: Vec<_> =
        [("apiVersion", "cli.kyverno.io/v1alpha1"), ("kind", kind)].into_iter().filter(is_missing).collect();
    let words = |(field, text)| format!("`{field}: {text}` is added");
    let changes = added.iter().map(|field| Change { at: Path::root(), words: words(*field) }).collect();
    let mut map: Map = added.into_iter().map(|(field, text)| (field, Value::from(text))).collect();
    for (key, value) in old.iter() {
        if map.get(key).is_none() {
            map.insert(key.clone(), value.clone());
        }
    }
    Fixed { value: Value::object(map), changes, problems: Vec::new() }
}

/// A test file in today's form.
pub(super) fn test(value: &Value, names: Names<'_>) -> Fixed {
    let mut fixed = with_kind(value, "Test");
    let Some(map) = fixed.value.object_mut() else { return fixed };
    if let Some(name) = map.remove("name") {
        let words = "`name` is `metadata.name` now".to_owned();
        fixed.changes.push(Change { at: Path::root().join("name"), words });
        match map.get_mut("metadata").and_then(Value::object_mut) {
            Some(metadata) if metadata.contains_key("name") => {}
            Some(metadata) => drop(metadata.insert("name", name)),
            None => *map = below_kind(map, "metadata", Value::object([("name", name)].into_iter().collect())),
        }
    }
    let at = Path::root().join("results");
    if let Some(results) = map.get_mut("results").and_then(Value::array_mut) {
        for (place, entry) in results.iter_mut().enumerate() {
            if let Some(map) = entry.object_mut() {
                let mut entry = Entry { at: at.join(place), changes: Vec::new(), problems: Vec::new() };
                *map = entry.fixed(map, names);
                fixed.changes.append(&mut entry.changes);
                fixed.problems.append(&mut entry.problems);
            }
        }
    }
    fixed
}

/// A map with one more field, below `apiVersion` and `kind`.
fn below_kind(map: &Map, field: &str, value: Value) -> Map {
    let (head, rest): (Vec<_>, Vec<_>) =
        map.iter().partition(|(key, _)| matches!(key.as_str(), "apiVersion" | "kind"));
    let copied = |(key, value): (&engine::json::Str, &Value)| (key.clone(), value.clone());
    let added = std::iter::once((engine::json::Str::from(field), value));
    head.into_iter().map(copied).chain(added).chain(rest.into_iter().map(copied)).collect()
}

/// One entry of `results`.
struct Entry {
    at: Path,
    changes: Vec<Change>,
    problems: Vec<Change>,
}

impl Entry {
    fn fixed(&mut self, old: &Map, names: Names<'_>) -> Map {
        let mut new = Map::new();
        for (key, value) in old.iter() {
            let Some((_, name)) = OLD_FIELDS.iter().find(|(from, _)| from.eq_ignore_ascii_case(key)) else {
                new.insert(key.clone(), value.clone());
                continue;
            };
            let value = if *name == "resources" { Value::array(vec![value.clone()]) } else { value.clone() };
            match field_of(old, name) {
                None => {
                    new.insert(*name, value);
                    self.change(key, format!("`{key}` is `{name}` now"));
                }
                Some(other) if *other == value => self.change(key, format!("`{key}` goes: `{name}` says it")),
                Some(_) => {
                    new.insert(key.clone(), value.clone());
                    let words = format!("`{key}` and `{name}` say two things: keep one");
                    self.problems.push(Change { at: self.at.join(key.clone()), words });
                }
            }
        }
        self.namespace(&mut new, names);
        new
    }

    fn change(&mut self, field: &str, words: String) {
        self.changes.push(Change { at: self.at.join(field), words });
    }

    /// Puts `namespace` before the names of the resources.
    fn namespace(&mut self, entry: &mut Map, names: Names<'_>) {
        let Some(namespace) = entry.get(NAMESPACE).and_then(Value::as_str).map(str::to_owned) else {
            return;
        };
        let mut texts = Vec::new();
        let resources = entry.get_mut("resources").and_then(Value::array_mut);
        for resource in resources.map(Vec::as_mut_slice).unwrap_or_default() {
            let Some(name) = resource.as_str().filter(|name| !name.contains('/')) else { continue };
            // An object that is nowhere in that namespace is found by its name alone.
            let in_namespace = format!("{namespace}/{name}");
            let is_elsewhere = names.iter().any(|(_, other)| other == name)
                && !names.iter().any(|(space, other)| *space == namespace && other == name);
            if !namespace.is_empty() && !is_elsewhere {
                texts.push(format!("`{in_namespace}`"));
                *resource = Value::from(in_namespace.as_str());
            }
        }
        entry.remove(NAMESPACE);
        let words = match texts.as_slice() {
            [] => "`namespace` goes: no resource of this entry has it".to_owned(),
            texts => format!("`namespace` is a part of `resources` now: {}", texts.join(", ")),
        };
        self.change(NAMESPACE, words);
    }
}

/// A field, whatever its case.
// Go: encoding/json reads names of fields so.
fn field_of<'m>(map: &'m Map, name: &str) -> Option<&'m Value> {
    map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
