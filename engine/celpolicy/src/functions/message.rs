//! Structures of Go and messages of protobuf as values: requests that an HTTP server or Envoy asks about.
//!
//! In: a shape (a name and its fields) and a document. Out: a value whose fields are all there: what was not given is empty, and
//! `has` says so.
//!
//! Mirrors: `ext/native.go` and `common/types/object.go` of cel-go; `encoding/json` of Go and `protojson` for what they read.

use super::held;
use super::native::from_json;
use engine_cel::value::{Equality, Map, Numbers, Opaque, Timestamp, Value, equal};
use engine_json::{Number, Value as Json};
use engine_values::base64;
use engine_values::time::Time;
use std::any::Any;
use std::sync::Arc;

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    /// A text.
    Text,
    /// A whole number.
    Whole,
    /// A whole number that is not negative.
    Unsigned,
    /// A truth value.
    Flag,
    /// Bytes, in base64 in a document.
    Bytes,
    /// A time.
    Moment,
    /// Texts by texts.
    Texts,
    /// Lists of texts by texts.
    Lists,
    /// A document.
    Document,
    /// Documents by texts.
    Documents,
    /// A list of texts.
    Names,
    /// Another structure.
    Is(&'static Shape),
    /// A list of structures.
    Many(&'static Shape),
}

impl Holds {
    /// The type, as signatures write it.
    pub fn signature(self) -> String {
        match self {
            Holds::Text => "string".to_owned(),
            Holds::Whole => "int".to_owned(),
            Holds::Unsigned => "uint".to_owned(),
            Holds::Flag => "bool".to_owned(),
            Holds::Bytes => "bytes".to_owned(),
            Holds::Moment => "timestamp".to_owned(),
            Holds::Texts => "map(string, string)".to_owned(),
            Holds::Lists => "map(string, list(string))".to_owned(),
            Holds::Document => "map(string, dyn)".to_owned(),
            Holds::Documents => "map(string, map(string, dyn))".to_owned(),
            Holds::Names => "list(string)".to_owned(),
            Holds::Is(shape) => shape.name.to_owned(),
            Holds::Many(shape) => format!("list({})", shape.name),
        }
    }

    /// The type as Go names it.
    fn go_type(self) -> String {
        match self {
            Holds::Whole => "int64".to_owned(),
            Holds::Bytes => "[]uint8".to_owned(),
            Holds::Texts => "map[string]string".to_owned(),
            Holds::Lists => "map[string][]string".to_owned(),
            Holds::Names => "[]string".to_owned(),
            other => other.signature(),
        }
    }

    /// The value of a field that was not given.
    fn empty(self) -> Value<'static> {
        match self {
            Holds::Text => Value::Str(""),
            Holds::Whole => Value::Int(0),
            Holds::Unsigned => Value::Uint(0),
            Holds::Flag => Value::Bool(false),
            Holds::Bytes => Value::Bytes(&[]),
            Holds::Moment => Value::Timestamp(Timestamp { seconds: 0, nanoseconds: 0, offset: 0 }),
            Holds::Texts | Holds::Lists | Holds::Document | Holds::Documents => Value::map(Map::default()),
            Holds::Names | Holds::Many(_) => Value::list(Vec::new()),
            Holds::Is(shape) => Value::Opaque(Arc::new(Message::absent(shape))),
        }
    }
}

/// A structure: its name and its fields.
#[derive(Debug)]
pub struct Shape {
    /// The name of the type.
    pub name: &'static str,
    /// Names of fields and what they hold.
    pub fields: &'static [(&'static str, Holds)],
    /// Whose reader reads it.
    pub reader: Reader,
}

/// Who reads a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Go's own: names of any case, what nobody knows is passed over.
    Go,
    /// That of protobuf: names as declared or in camel case, and nothing else.
    Protobuf,
}

/// A value of such a structure.
#[derive(Debug)]
pub struct Message {
    shape: &'static Shape,
    /// What was given, in the order of the fields.
    given: Vec<Option<Value<'static>>>,
    /// Whether the structure itself was given.
    is_there: bool,
}

/// Values nest no deeper than the shapes, which end.
impl Message {
    /// A structure of which nothing was given.
    pub fn absent(shape: &'static Shape) -> Self {
        Message { shape, given: shape.fields.iter().map(|_| None).collect(), is_there: false }
    }

    /// Its shape.
    pub fn shape(&self) -> &'static Shape {
        self.shape
    }

    /// The structure that a document holds.
    ///
    /// # Errors
    /// What does not fit, in the words of Go's reader where it is that one's.
    pub fn read(shape: &'static Shape, document: &Json) -> Result<Self, String> {
        read(shape, document, "")
    }
}

impl Opaque for Message {
    fn type_name(&self) -> &'static str {
        self.shape.name
    }

    fn go_type(&self) -> &'static str {
        "*ext.nativeObj"
    }

    fn is_struct(&self) -> bool {
        self.shape.reader == Reader::Go
    }

    fn is_zero(&self) -> bool {
        !self.is_there
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        let Ok(other) = held::<Message>(other) else { return Equality::Unequal };
        let is_alike = std::ptr::eq(self.shape, other.shape)
            && self.shape.fields.iter().all(|(name, _)| match (self.field(name), other.field(name)) {
                (Some(one), Some(other)) => equal(&one, &other) == Equality::Equal,
                _ => false,
            });
        is_alike.into()
    }

    fn field(&self, name: &str) -> Option<Value<'static>> {
        let at = self.shape.fields.iter().position(|(known, _)| *known == name)?;
        let (_, holds) = self.shape.fields.get(at)?;
        Some(self.given.get(at).cloned().flatten().unwrap_or_else(|| holds.empty()))
    }

    fn is_set(&self, name: &str) -> Option<bool> {
        let at = self.shape.fields.iter().position(|(known, _)| *known == name)?;
        let (_, holds) = self.shape.fields.get(at)?;
        let Some(given) = self.given.get(at)?.as_ref() else { return Some(false) };
        Some(match holds {
            Holds::Is(_) | Holds::Moment | Holds::Document => true,
            Holds::Texts | Holds::Lists | Holds::Documents | Holds::Names | Holds::Many(_) => {
                given.size() != Some(0)
            }
            _ => equal(given, &holds.empty()) != Equality::Equal,
        })
    }
}

/// The words of Go's reader for a value of a wrong type.
fn misfit(value: &Json, place: &str, of: &str) -> String {
    let what = match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    if place.is_empty() {
        format!("json: cannot unmarshal {what} into Go value of type {of}")
    } else {
        format!("json: cannot unmarshal {what} into Go struct field {place} of type {of}")
    }
}

/// Reads a structure; `place` are the names of the fields down to it. The depth is that of the shapes.
fn read(shape: &'static Shape, document: &Json, place: &str) -> Result<Message, String> {
    let mut message = Message { is_there: true, ..Message::absent(shape) };
    if document.is_null() {
        return Ok(Message::absent(shape));
    }
    let Some(entries) = document.as_object() else { return Err(misfit(document, place, shape.name)) };
    for (key, value) in entries.iter() {
        let is_it = |(name, _): &(&str, Holds)| match shape.reader {
            Reader::Go => name.eq_ignore_ascii_case(key),
            Reader::Protobuf => *name == key.as_str() || in_camel_case(name) == key.as_str(),
        };
        let Some(at) = shape.fields.iter().position(is_it) else {
            match shape.reader {
                Reader::Go => continue,
                Reader::Protobuf => return Err(format!("proto: unknown field {}", engine_json::quote(key))),
            }
        };
        let Some((name, holds)) = shape.fields.get(at).filter(|_| !value.is_null()) else { continue };
        let below = if place.is_empty() { (*name).to_owned() } else { format!("{place}.{name}") };
        let found = field(shape, *holds, value, &below)?;
        if let Some(given) = message.given.get_mut(at) {
            *given = Some(found);
        }
    }
    Ok(message)
}

/// `raw_body` as `rawBody`.
fn in_camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |mut out, part| {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
        out
    })
}

/// Reads what a field holds.
fn field(shape: &Shape, holds: Holds, value: &Json, below: &str) -> Result<Value<'static>, String> {
    let refuse = || {
        let of = shape.name.rsplit('.').next().unwrap_or("");
        match shape.reader {
            Reader::Go => misfit(value, &format!("{of}.{below}"), &holds.go_type()),
            Reader::Protobuf => format!("proto: invalid value for {} field {below}", holds.signature()),
        }
    };
    let is_protobuf = shape.reader == Reader::Protobuf;
    let text = |value: &Json| value.as_str().map(Value::text).ok_or_else(refuse);
    let texts = |value: &Json| match value {
        Json::Null => Ok(Value::list(Vec::new())),
        value => {
            let list = value.as_array().ok_or_else(refuse)?;
            Ok(Value::list(list.iter().map(text).collect::<Result<_, _>>()?))
        }
    };
    let by_name = |one: &dyn Fn(&Json) -> Result<Value<'static>, String>| {
        let entries = value.as_object().ok_or_else(refuse)?.iter();
        let entries = entries.map(|(key, value)| Ok((Value::text(key), one(value)?)));
        Ok::<_, String>(Value::map(entries.collect::<Result<Map<'static>, String>>()?))
    };
    match holds {
        Holds::Text => text(value),
        Holds::Whole => whole(value, is_protobuf).map(Value::Int).ok_or_else(refuse),
        Holds::Unsigned => {
            let found = whole(value, is_protobuf).and_then(|whole| u64::try_from(whole).ok());
            found.map(Value::Uint).ok_or_else(refuse)
        }
        Holds::Flag => value.as_bool().map(Value::Bool).ok_or_else(refuse),
        Holds::Bytes => {
            let text = value.as_str().ok_or_else(refuse)?;
            let bytes = base64::decode(text.as_bytes());
            let bytes = bytes.map_err(|at| format!("illegal base64 data at input byte {at}"))?;
            Ok(Value::Octets(bytes.into()))
        }
        Holds::Moment => value.as_str().and_then(moment).map(Value::Timestamp).ok_or_else(refuse),
        Holds::Texts => by_name(&text),
        Holds::Lists => by_name(&texts),
        Holds::Document => by_name(&|value| Ok(from_json(value, Numbers::Doubles))),
        Holds::Documents => by_name(&|value| match value {
            Json::Object(_) => Ok(from_json(value, Numbers::Doubles)),
            _ => Err(refuse()),
        }),
        Holds::Names => texts(value),
        Holds::Is(inner) => Ok(Value::Opaque(Arc::new(read(inner, value, below)?))),
        Holds::Many(inner) => {
            let list = value.as_array().ok_or_else(refuse)?.iter();
            let list = list.map(|value| Ok(Value::Opaque(Arc::new(read(inner, value, below)?))));
            Ok(Value::list(list.collect::<Result<Vec<_>, String>>()?))
        }
    }
}

/// A whole number; protobuf's reader takes it as a text too.
fn whole(value: &Json, as_text: bool) -> Option<i64> {
    match value {
        Json::Number(Number::Int(whole)) => Some(*whole),
        Json::Number(Number::Uint(whole)) => i64::try_from(*whole).ok(),
        Json::Number(number) => engine_cel::value::convert::int_of_double(number.as_f64())
            .filter(|_| number.as_f64().fract() == 0.0),
        Json::String(text) if as_text => text.parse().ok(),
        _ => None,
    }
}

/// A time as RFC 3339 writes it.
fn moment(text: &str) -> Option<Timestamp> {
    let at = Time::parse_rfc3339(text).ok()?;
    Some(Timestamp { seconds: at.unix, nanoseconds: at.nanoseconds, offset: 0 })
}
