//! What Kubernetes' schemas fill in where a field of a built-in kind is missing.
//!
//! In: an object as written. Out: the object as the Kyverno Playground sees it, which reads it against the schemas: a
//! container without `resources` has empty ones, a port without `protocol` is TCP, a field that is null is gone.
//! The table is `defaults.txt`; it was drawn from the OpenAPI schemas of Kubernetes 1.34.

use engine_json::ordered::OrderedMap;
use engine_json::{Map, Value, parse};
use std::sync::OnceLock;

/// A type of the schemas: the fields that have a default or lead to one.
type Fields = Vec<Field>;

struct Field {
    name: &'static str,
    holds: Holds,
    /// The type of the field, or of what it holds; empty where it leads to no default.
    type_name: &'static str,
    default: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    One,
    List,
    Map,
}

struct Table {
    kinds: OrderedMap<(&'static str, &'static str), &'static str>,
    types: OrderedMap<&'static str, Fields>,
}

/// The object with everything filled in; any other kind as it is.
pub fn fill(object: &Value) -> Value {
    let table = table();
    let kind = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    match table.kinds.get(&kind) {
        Some(type_name) => fill_type(object, type_name, table),
        None => object.clone(),
    }
}

fn fill_type(value: &Value, type_name: &str, table: &Table) -> Value {
    let (Value::Object(map), Some(fields)) = (value, table.types.get(type_name)) else {
        return value.clone();
    };
    // A null is not a value of any field here: it gives way to the default, or goes.
    let mut filled: Map = map
        .iter()
        .filter(|(_, item)| !item.is_null())
        .map(|(key, item)| (key.clone(), item.clone()))
        .collect();
    for Field { name, holds, type_name, default } in fields {
        let Some(found) = filled.get(name).or(default.as_ref()) else { continue };
        let new = match (holds, found) {
            (Holds::List, Value::Array(list)) => {
                Value::array(list.iter().map(|item| fill_type(item, type_name, table)).collect())
            }
            (Holds::Map, Value::Object(map)) => map
                .iter()
                .map(|(key, item)| (key.clone(), fill_type(item, type_name, table)))
                .collect::<Map>()
                .into(),
            (Holds::One, found) => fill_type(found, type_name, table),
            (Holds::List | Holds::Map, found) => found.clone(),
        };
        filled.insert(*name, new);
    }
    Value::object(filled)
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table { kinds: OrderedMap::new(), types: OrderedMap::new() };
        for line in include_str!("defaults.txt").lines().filter(|line| !line.starts_with('#')) {
            if let Some(kind) = line.strip_prefix("kind ") {
                let mut words = kind.split(' ');
                if let (Some(version), Some(kind), Some(type_name)) =
                    (words.next(), words.next(), words.next())
                {
                    table.kinds.insert((version, kind), type_name);
                }
            } else if let Some((type_name, fields)) = line.split_once(": ") {
                table.types.insert(type_name, fields.split(' ').map(field).collect());
            }
        }
        table
    })
}

/// `FIELD>TYPE`, `FIELD[]>TYPE`, `FIELD{}>TYPE`, each perhaps with `=JSON` behind it; or `FIELD=JSON`.
fn field(text: &'static str) -> Field {
    let (text, default) = match text.split_once('=') {
        Some((text, default)) => (text, parse(default).ok()),
        None => (text, None),
    };
    let (name, type_name) = text.split_once('>').unwrap_or((text, ""));
    let (name, holds) = match (name.strip_suffix("[]"), name.strip_suffix("{}")) {
        (Some(name), _) => (name, Holds::List),
        (_, Some(name)) => (name, Holds::Map),
        (None, None) => (name, Holds::One),
    };
    Field { name, holds, type_name, default }
}

#[cfg(test)]
mod tests {
    use super::fill;
    use engine_json::{parse, to_json};

    #[test]
    fn a_container_gets_resources_and_a_port_its_protocol() {
        let pod = r#"{"apiVersion":"v1","kind":"Pod","spec":{"securityContext":null,"containers":[{"name":"a","ports":[{"containerPort":1}]}]}}"#;
        let filled = to_json(&fill(&parse(pod).unwrap()));
        let wanted = r#"{"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"name":"a","ports":[{"containerPort":1,"protocol":"TCP"}],"resources":{}}]},"status":{}}"#;
        assert_eq!(filled, wanted);
    }

    #[test]
    fn other_kinds_stay_as_they_are() {
        let text = r#"{"apiVersion":"example.com/v1","kind":"Thing","spec":null}"#;
        assert_eq!(to_json(&fill(&parse(text).unwrap())), text);
    }
}
