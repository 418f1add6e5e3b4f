//! A patch as Go would have it: JSON, and here and there a value that is none.
//!
//! In: what an expression gave. Out: a [`Node`], or Kubernetes' words for names of types that do not fit their places.
//! Mirrors: apiserver/pkg/cel/mutation/dynamic/objects.go.

use engine_cel::value::{Map as CelMap, Value as Cel};
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Number, Str, Value, quote};

/// A part of a patch or of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(Str),
    List(Vec<Node>),
    /// A list without items that an expression made: Go has none there, which JSON writes as null.
    NoList,
    Map(Vec<(Str, Node)>),
    /// A value that the merge does not know: the name of its type in Go, and how Go shows it, plainly and as source.
    Odd(&'static str, String, String),
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Node::Null,
            Value::Bool(b) => Node::Bool(*b),
            Value::Number(number) => Node::Number(*number),
            Value::String(text) => Node::Text(text.clone()),
            Value::Array(list) => Node::List(list.iter().map(Node::from).collect()),
            Value::Object(map) => {
                Node::Map(map.iter().map(|(key, value)| (key.clone(), Node::from(value))).collect())
            }
        }
    }
}

impl Node {
    /// The value; what JSON does not know is null.
    pub(crate) fn into_json(self) -> Value {
        match self {
            Node::Null | Node::NoList | Node::Odd(..) => Value::Null,
            Node::Bool(b) => Value::Bool(b),
            Node::Number(number) => Value::Number(number),
            Node::Text(text) => Value::String(text),
            Node::List(list) => Value::array(list.into_iter().map(Node::into_json).collect()),
            Node::Map(entries) => {
                let entries = entries.into_iter().map(|(key, node)| (key, node.into_json()));
                Value::object(Map::from_entries(entries.collect()))
            }
        }
    }

    /// The value under a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Node::Map(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// Sets a key of a map.
    pub(crate) fn set(&mut self, key: &str, value: Node) {
        let Node::Map(entries) = self else { return };
        match entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => entries.push((Str::from(key), value)),
        }
    }

    /// The name of its type, as Go's `%T` shows it.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Node::Null => "<nil>",
            Node::Bool(_) => "bool",
            Node::Number(Number::Float(_)) => "float64",
            Node::Number(Number::Int(_)) => "int64",
            Node::Number(Number::Uint(_)) => "uint64",
            Node::Text(_) => "string",
            Node::List(_) | Node::NoList => "[]interface {}",
            Node::Map(_) => "map[string]interface {}",
            Node::Odd(name, ..) => name,
        }
    }

    /// As Go's `%v` shows it.
    pub(super) fn shown(&self) -> String {
        match self {
            Node::Null => "<nil>".to_owned(),
            Node::Bool(b) => b.to_string(),
            Node::Number(number) => number_text(*number),
            Node::Text(text) => text.to_string(),
            Node::NoList => "[]".to_owned(),
            Node::List(list) => format!("[{}]", list.iter().map(Node::shown).collect::<Vec<_>>().join(" ")),
            Node::Map(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.arrange_by(|(a, _), (b, _)| a.cmp(b));
                let entries = sorted.into_iter().map(|(key, node)| format!("{key}:{}", node.shown()));
                format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
            }
            Node::Odd(_, shown, _) => shown.clone(),
        }
    }

    /// As Go's `%#v` shows it.
    pub(super) fn as_source(&self) -> String {
        match self {
            Node::Null => "interface {}(nil)".to_owned(),
            Node::Text(text) => quote(text),
            Node::NoList => "[]interface {}(nil)".to_owned(),
            Node::List(list) => {
                let items = list.iter().map(Node::as_source).collect::<Vec<_>>().join(", ");
                format!("[]interface {{}}{{{items}}}")
            }
            Node::Map(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.arrange_by(|(a, _), (b, _)| a.cmp(b));
                let entries =
                    sorted.into_iter().map(|(key, node)| format!("{}:{}", quote(key), node.as_source()));
                format!("map[string]interface {{}}{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Node::Odd(_, _, source) => source.clone(),
            plain @ (Node::Bool(_) | Node::Number(_)) => plain.shown(),
        }
    }
}

/// A number as Go's `%v` shows it.
pub(super) fn number_text(number: Number) -> String {
    match number {
        Number::Float(f) => Cel::Double(f).to_string(),
        Number::Int(i) => i.to_string(),
        Number::Uint(u) => u.to_string(),
    }
}

/// Whether the names of the types of all objects are the paths at which they stand.
///
/// # Errors
/// Kubernetes' words, a line for each that is not.
pub(crate) fn check_names(value: &Cel<'_>) -> Result<(), String> {
    let mut errors = Vec::new();
    let root = value.as_made().and_then(|map| map.type_name.clone());
    check_below(value, root.as_deref().unwrap_or("Object"), &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(format!("type mismatch: {}", errors.join("\n"))) }
}

fn check_below(value: &Cel<'_>, path: &str, errors: &mut Vec<String>) {
    if let Cel::List(list) = value {
        list.iter().for_each(|element| check_below(element, path, errors));
    }
    let Some(map) = value.as_made() else { return };
    match &map.type_name {
        None => map.iter().for_each(|(_, value)| check_below(value, path, errors)),
        Some(name) => {
            if *name != path {
                errors.push(format!(
                    "unexpected type name {}, expected {}, which matches field name path from root Object type",
                    quote(name),
                    quote(path)
                ));
            }
            for (key, value) in map.iter() {
                check_below(value, &format!("{path}.{key}"), errors);
            }
        }
    }
}

/// Maps that an expression made.
trait Made<'v> {
    fn as_made(&self) -> Option<&CelMap<'v>>;
}

impl<'v> Made<'v> for Cel<'v> {
    fn as_made(&self) -> Option<&CelMap<'v>> {
        match self {
            Cel::Map(map) if !map.is_document => Some(map),
            _ => None,
        }
    }
}

/// What Go gets of an object that an expression made; nothing where a key in it is not a text.
pub(crate) fn of_object(map: &CelMap<'_>) -> Option<Node> {
    let entries = map.iter().map(|(key, value)| Some((Str::from(key.as_str()?), field(value)?)));
    entries.collect::<Option<Vec<_>>>().map(Node::Map)
}

/// The value of a field of an object.
fn field(value: &Cel<'_>) -> Option<Node> {
    match value {
        Cel::List(list) if list.is_empty() => Some(Node::NoList),
        Cel::List(list) => Some(Node::List(list.iter().map(inner).collect())),
        Cel::Map(map) if !map.is_document && map.type_name.is_none() => {
            let entries = map.iter().map(|(key, value)| Some((Str::from(key.as_str()?), inner(value))));
            entries.collect::<Option<Vec<_>>>().map(Node::Map)
        }
        other => Some(inner(other)),
    }
}

/// What Go gets of any other value.
// cel-go: Val.Value(); maps and lists that an expression made hold values of cel-go's own there.
fn inner(value: &Cel<'_>) -> Node {
    let odd = |go: &'static str, shown: String| Node::Odd(go, shown.clone(), shown);
    match value {
        Cel::Null => Node::Odd("structpb.NullValue", "NULL_VALUE".to_owned(), "0".to_owned()),
        Cel::Bool(b) => Node::Bool(*b),
        Cel::Int(i) => Node::Number(Number::Int(*i)),
        Cel::Double(d) => Node::Number(Number::Float(*d)),
        Cel::Str(text) => Node::Text(Str::from(*text)),
        Cel::Text(text) => Node::Text(Str::from(&**text)),
        Cel::Type(name) => Node::Text(Str::from(*name)),
        Cel::Optional(None) => Node::Null,
        Cel::Optional(Some(value)) => inner(value),
        Cel::Map(map) if map.type_name.is_some() => {
            of_object(map).unwrap_or_else(|| odd("*types.Err", "a key of a map is not a text".to_owned()))
        }
        Cel::Map(map) if !map.is_document => odd("map[ref.Val]ref.Val", value.to_string()),
        Cel::JsonMap(..) | Cel::Map(_) | Cel::JsonList(..) => Node::from(&value.to_json()),
        // A list of a document that was handed out.
        Cel::List(list) if list.iter().any(|item| matches!(item, Cel::Map(map) if map.is_document)) => {
            Node::from(&value.to_json())
        }
        Cel::List(_) => odd("[]ref.Val", value.to_string()),
        Cel::Uint(u) => odd("uint64", u.to_string()),
        Cel::Bytes(_) | Cel::Octets(_) => odd("[]uint8", value.to_string()),
        Cel::Duration(_) => odd("time.Duration", value.to_string()),
        Cel::Timestamp(_) => odd("time.Time", value.to_string()),
        Cel::Opaque(opaque) => odd(opaque.go_type(), opaque.show()),
    }
}
