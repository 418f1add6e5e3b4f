//! The text of one object, read.
//!
//! In: an item of a stream. Out: the objects in it, with the kind that the list around it says; or why it is none.

use engine::json::{Map, Value, parse};
use engine::yaml::{FindingKind, Options, Source, SourceId};
use engine_cluster::{Form, Item};

/// The objects of an item: one, or those of a list that was too small to be cut up.
pub(crate) fn objects(item: &Item) -> Result<Vec<Value>, String> {
    let text = std::str::from_utf8(&item.text).map_err(|error| {
        format!(
            "object {} is not UTF-8 (byte {} of it): save the text as UTF-8",
            item.number,
            error.valid_up_to()
        )
    })?;
    let values = match item.form {
        Form::Json => {
            let value =
                parse(text).map_err(|error| format!("object {} is not JSON: {error}", item.number))?;
            vec![value]
        }
        Form::Yaml => documents(text).map_err(|why| format!("object {}: {why}", item.number))?,
    };
    let mut objects = Vec::with_capacity(values.len());
    for value in values {
        open(value, item, 0, &mut objects);
    }
    Ok(objects)
}

/// The documents of a text of YAML; of a sequence its elements.
fn documents(text: &str) -> Result<Vec<Value>, String> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let parsed = engine::yaml::parse(&source, &Options::default());
    let broken = parsed.findings.into_iter().find(|finding| finding.kind != FindingKind::DuplicateKey);
    if let Some(broken) = broken {
        return Err(broken.message);
    }
    Ok(parsed.documents.into_iter().map(|document| document.value).filter(|value| !value.is_null()).collect())
}

/// Lists nest so deep at most.
const MAX_NESTED: usize = 4;

fn open(value: Value, item: &Item, nested: usize, objects: &mut Vec<Value>) {
    if let Some(elements) = value.as_array() {
        return elements.iter().for_each(|element| objects.push(with_kind(element.clone(), item)));
    }
    let kind = value.find_str(&["kind"]);
    let elements = value.get("items").and_then(Value::as_array);
    if let Some(elements) = elements.filter(|_| kind.ends_with("List") && nested < MAX_NESTED) {
        let api_version = value.find_str(&["apiVersion"]);
        let kind = kind.strip_suffix("List").unwrap_or_default();
        for element in elements {
            open(filled(element.clone(), api_version, kind), item, nested + 1, objects);
        }
        return;
    }
    objects.push(with_kind(value, item));
}

fn with_kind(value: Value, item: &Item) -> Value {
    match &item.list {
        Some(list) => filled(value, &list.api_version, &list.kind),
        None => value,
    }
}

/// The object with what its list says of it, where it does not say so itself.
fn filled(value: Value, api_version: &str, kind: &str) -> Value {
    if kind.is_empty() || value.get("kind").is_some() && value.get("apiVersion").is_some() {
        return value;
    }
    let Some(map) = value.as_object() else { return value };
    let own =
        |name: &str, said: &str| (name.into(), map.get(name).cloned().unwrap_or_else(|| Value::from(said)));
    let head = [own("apiVersion", api_version), own("kind", kind)];
    let rest = map.iter().filter(|(key, _)| !matches!(key.as_str(), "apiVersion" | "kind"));
    let rest = rest.map(|(key, value)| (key.clone(), value.clone()));
    Value::object(Map::from_entries(head.into_iter().chain(rest).collect()))
}
