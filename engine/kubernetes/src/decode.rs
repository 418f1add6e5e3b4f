//! An object read into the types of Go, as an API server reads it.
//!
//! In: an object and its type. Out: the same without null, without fields that there are not, without zero where a field is no pointer, all
//! values in the form in which they are written; and what the server refuses, by its path.
//! Mirrors: sigs.k8s.io/json, by which names are compared with their case.

use crate::scalar;
use crate::table::{Shape, Table, Type};
use engine_json::{Map, Path, Segment, Str, Value, to_json};
use engine_values::base64::decode;
use engine_values::duration::Duration;
use engine_values::time::Time;
use std::fmt;

/// A field that an API server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where.
    pub path: Path,
    /// Why.
    pub reason: Reason,
}

/// Why a field is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no such field: refused where the client asks for it, as kubectl does, else left out with a warning.
    Unknown,
    /// It holds what cannot be read, in the server's words: always refused.
    Unread(String),
}

impl Refusal {
    /// Whether the object cannot be read at all.
    pub fn is_fatal(&self) -> bool {
        self.reason != Reason::Unknown
    }

    /// The path as the server writes it: `spec.containers[0].image`.
    pub fn place(&self) -> String {
        let mut text = String::new();
        for segment in self.path.iter() {
            match segment {
                Segment::Key(key) if text.is_empty() => text.push_str(key),
                Segment::Key(key) => text.extend([".", key.as_str()]),
                Segment::Index(at) => text.extend(["[", &at.to_string(), "]"]),
            }
        }
        text
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Unknown => write!(f, "unknown field \"{}\"", self.place()),
            Reason::Unread(words) => f.write_str(words),
        }
    }
}

/// Reads an object of a type.
pub(crate) fn decoded<'t>(map: &Map, of: &'t Type, table: &'t Table) -> (Map, Vec<Refusal>) {
    let mut reader = Reader { table, path: Vec::new(), stack: Vec::new(), within: of, refused: Vec::new() };
    let made = reader.fields(map, of);
    (made, reader.sorted())
}

/// Reads the metadata of an object of whatever kind.
pub(crate) fn decoded_metadata(metadata: &Map, table: &'static Table) -> (Map, Vec<Refusal>) {
    let path = vec![Segment::Key(Str::new_static("metadata"))];
    let of = table.metadata();
    let mut reader = Reader { table, path, stack: vec!["metadata"], within: of, refused: Vec::new() };
    let made = reader.fields(metadata, of);
    (made, reader.sorted())
}

struct Reader<'t> {
    table: &'t Table,
    path: Vec<Segment>,
    /// The fields on the way as Go counts them: with the structs that are embedded, without places in lists.
    stack: Vec<&'t str>,
    /// The type whose field is read.
    within: &'t Type,
    refused: Vec<Refusal>,
}

impl<'t> Reader<'t> {
    /// What is refused, in the order in which the server meets it: kubectl sends fields by name, whatever their order in the file.
    fn sorted(mut self) -> Vec<Refusal> {
        let key = |refusal: &Refusal| {
            let steps = refusal.path.iter().map(|segment| match segment {
                Segment::Key(key) => (0, key.clone()),
                Segment::Index(at) => (*at, Str::default()),
            });
            steps.collect::<Vec<_>>()
        };
        self.refused.sort_by_cached_key(key);
        self.refused
    }

    fn fields(&mut self, map: &Map, of: &'t Type) -> Map {
        let outer = std::mem::replace(&mut self.within, of);
        let made = self.each_field(map, of);
        self.within = outer;
        made
    }

    fn each_field(&mut self, map: &Map, of: &'t Type) -> Map {
        let mut made = Vec::with_capacity(map.len() + 4);
        for (key, value) in map.iter() {
            let Some(field) = of.field(key) else {
                self.within(Segment::Key(key.clone()), |reader| reader.refuse(Reason::Unknown));
                continue;
            };
            if value.is_null() {
                continue;
            }
            let before = self.stack.len();
            self.stack.extend(field.embedded.split('.').filter(|name| !name.is_empty()));
            self.stack.push(&field.name);
            self.within = of;
            let read = self.within(Segment::Key(key.clone()), |reader| reader.value(value, &field.shape));
            self.stack.truncate(before);
            let shape = self.table.resolved(&field.shape);
            made.extend(
                read.filter(|read| field.is_pointer || !scalar::is_zero(read, shape))
                    .map(|read| (field.name.clone(), read)),
            );
        }
        Map::from_entries(made)
    }

    fn value(&mut self, value: &Value, shape: &'t Shape) -> Option<Value> {
        match (self.table.resolved(shape), value) {
            (Shape::Named(id, _), Value::Object(map)) => {
                Some(Value::object(self.fields(map, self.table.of(*id))))
            }
            (Shape::Map(inner, _), Value::Object(map)) => {
                let mut made = Vec::with_capacity(map.len());
                for (key, item) in map.iter() {
                    let item = self.within(Segment::Key(key.clone()), |reader| reader.element(item, inner));
                    made.extend(item.map(|item| (key.clone(), item)));
                }
                Some(Value::object(Map::from_entries(made)))
            }
            (Shape::List(inner, _), Value::Array(items)) => {
                let mut made = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    let at = Segment::Index(u32::try_from(at).unwrap_or(u32::MAX));
                    made.extend(self.within(at, |reader| reader.element(item, inner)));
                }
                Some(Value::array(made))
            }
            (plain, value) => {
                let read = scalar::read(value, plain);
                if read.is_none() {
                    self.refuse(Reason::Unread(self.words(value, shape)));
                }
                read
            }
        }
    }

    /// An element of a list or of a map, where null is zero.
    fn element(&mut self, value: &Value, shape: &'t Shape) -> Option<Value> {
        if !value.is_null() {
            return self.value(value, shape);
        }
        Some(match self.table.resolved(shape) {
            Shape::Named(..) => Value::object(Map::new()),
            shape => scalar::zero(shape),
        })
    }

    fn within<T>(&mut self, segment: Segment, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let value = read(self);
        self.path.pop();
        value
    }

    fn refuse(&mut self, reason: Reason) {
        let path = Path::root().concat(&self.path);
        self.refused.push(Refusal { path, reason });
    }

    /// Why a value cannot be read.
    fn words(&self, value: &Value, shape: &Shape) -> String {
        let plain = self.table.resolved(shape);
        match (plain, value) {
            (Shape::Quantity, _) => return QUANTITY.to_owned(),
            (Shape::Bytes, Value::String(text)) => {
                let at = decode(text.as_bytes()).err().unwrap_or(0);
                return format!("illegal base64 data at input byte {at}");
            }
            (Shape::Time, Value::String(text)) => {
                return Time::parse_rfc3339(text).err().map(|error| error.to_string()).unwrap_or_default();
            }
            (Shape::MicroTime, Value::String(text)) => {
                return Time::parse(scalar::MICRO, text)
                    .err()
                    .map(|error| error.to_string())
                    .unwrap_or_default();
            }
            (Shape::Duration, Value::String(text)) => {
                return Duration::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            }
            _ => {}
        }
        let number = match (plain, value) {
            (Shape::Whole(..) | Shape::Either, Value::Number(_)) => format!("number {}", to_json(value)),
            _ => form(value).to_owned(),
        };
        let within = self.within.name.rsplit('.').next().unwrap_or("");
        format!(
            "json: cannot unmarshal {number} into Go struct field {within}.{} of type {}",
            self.stack.join("."),
            self.go_type(shape)
        )
    }

    /// A type as Go prints it.
    fn go_type(&self, shape: &Shape) -> String {
        match shape {
            Shape::Text | Shape::Time | Shape::MicroTime | Shape::Duration | Shape::Any => {
                "string".to_owned()
            }
            Shape::Truth => "bool".to_owned(),
            Shape::Whole(_, most) if *most == i64::from(i32::MAX) => "int32".to_owned(),
            Shape::Whole(_, most) if *most == i64::from(u16::MAX) => "uint16".to_owned(),
            Shape::Whole(..) => "int64".to_owned(),
            Shape::Real => "float64".to_owned(),
            Shape::Bytes => "[]uint8".to_owned(),
            Shape::Quantity => "resource.Quantity".to_owned(),
            Shape::Either => "int32".to_owned(),
            Shape::Named(id, _) => {
                let name = self.table.of(*id).name;
                name.split_once('.').map_or(name, |(_, rest)| rest).to_owned()
            }
            Shape::List(inner, _) => format!("[]{}", self.go_type(inner)),
            Shape::Map(inner, _) => format!("map[string]{}", self.go_type(inner)),
        }
    }
}

/// What a server says of an amount that is none, whatever it is.
const QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// What a value is, in the words of encoding/json.
fn form(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
