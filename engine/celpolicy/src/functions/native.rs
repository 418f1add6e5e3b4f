//! Values as Go has them, for functions that hand them to a library of Go; and documents as values.
//!
//! In: a value. Out: what cel-go makes of it for Go (`ConvertToNative`), or its words for what it cannot: a map that an
//! expression made has keys of any type within another one, which Go's JSON refuses.

use super::cidr::CidrValue;
use super::format::Format;
use super::image::ImageValue;
use super::imagedata::GoStruct;
use super::imageverify::Attestor;
use super::ip::IpValue;
use super::outside::Handle;
use super::quantity::QuantityValue;
use super::semver::VersionValue;
use super::url::UrlValue;
use super::user::ServiceAccount;
use engine_cel::value::{ListRef, Map, MapRef, Numbers, Opaque, Value};
use engine_json::arrange::Arrange as _;
use engine_json::{self as json, Number, Str};
use engine_values::base64;

/// The text that Go gets of a value; an optional value is what it holds.
///
/// # Errors
/// The words of the type for a value that is no text.
pub fn string(value: &Value<'_>) -> Result<String, String> {
    Err(match value {
        Value::Str(text) => return Ok((*text).to_owned()),
        Value::Text(text) => return Ok(text.to_string()),
        Value::Optional(Some(value)) => return string(value),
        Value::Optional(None) => "optional.none() dereference".to_owned(),
        Value::Bool(_) => "type conversion error from bool to 'string'".to_owned(),
        Value::Int(_) => "unsupported type conversion from 'int' to string".to_owned(),
        Value::Uint(_) => "unsupported type conversion from 'uint' to string".to_owned(),
        Value::Double(_) => "type conversion error from Double to 'string'".to_owned(),
        Value::Bytes(_) | Value::Octets(_) => "type conversion error from Bytes to 'string'".to_owned(),
        Value::Duration(_) => "type conversion error from 'Duration' to 'string'".to_owned(),
        Value::Timestamp(_) => "type conversion error from 'Timestamp' to 'string'".to_owned(),
        Value::Null => "type conversion error from 'null_type' to 'string'".to_owned(),
        Value::Type(_) => "type conversion not supported for 'type'".to_owned(),
        Value::JsonList(..) | Value::List(_) => "type conversion error from list to 'string'".to_owned(),
        Value::JsonMap(..) | Value::Map(_) => "type conversion error from map to 'string'".to_owned(),
        Value::Opaque(opaque) => return of_opaque(&**opaque),
    })
}

fn of_opaque(opaque: &dyn Opaque) -> Result<String, String> {
    if opaque.as_any().is::<Format>() {
        return Err("type conversion error from 'Format' to 'string'".to_owned());
    }
    // cel-go: ext/native.go; a struct of Go becomes no text.
    if opaque.go_type() == "*ext.nativeObj" {
        return Err(format!("type conversion error from '{}' to 'string'", opaque.type_name()));
    }
    Ok(opaque.show())
}

/// The type of `variables`: a field for each variable of the policy.
pub const VARIABLES: &str = "kyverno.variables";

/// The type of an operation of a JSON patch.
const JSON_PATCH: &str = "JSONPatch";

/// What exceptions allow, as an expression sees it.
const EXCEPTION: &str = "libs.Exception";

/// What `json.marshal` writes of a value: maps by their keys, structures in the order of their fields.
///
/// # Errors
/// cel-go's words for what Go cannot have, Kyverno's for keys that are no texts, and those of Go's JSON for what it cannot write.
pub fn json_text(value: &Value<'_>) -> Result<String, String> {
    let made = marshalled(value).map_err(|refused| refused.words)?;
    let mut out = String::new();
    write_in_order(&mut out, &made);
    Ok(out)
}

/// As the entries of each map stand; the depth is that of the value.
fn write_in_order(out: &mut String, value: &json::Value) {
    let separate = |out: &mut String, at: usize| {
        if at > 0 {
            out.push(',');
        }
    };
    match value {
        json::Value::Array(list) => {
            out.push('[');
            for (at, element) in list.iter().enumerate() {
                separate(out, at);
                write_in_order(out, element);
            }
            out.push(']');
        }
        json::Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                separate(out, at);
                json::write_json(out, &json::Value::String(key.clone()));
                out.push(':');
                write_in_order(out, value);
            }
            out.push('}');
        }
        plain => json::write_json(out, plain),
    }
}

/// A map of Go: its JSON stands in the order of the keys.
fn map_of_go(mut entries: Vec<(Str, json::Value)>) -> json::Value {
    entries.arrange_by(|a, b| a.0.cmp(&b.0));
    json::Value::object(json::Map::from_entries(entries))
}

/// Why a value has no JSON.
struct Refused {
    when: When,
    words: String,
}

/// When Go meets what it cannot have, in the order of its work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    /// Before anything else could be said.
    Ended,
    /// While cel-go makes a value of Go of it.
    Converted,
    /// While `json.marshal` looks at the keys of maps.
    Looked,
    /// While Go's JSON writes it.
    Written,
}

impl Refused {
    fn converted(words: impl Into<String>) -> Self {
        Refused { when: When::Converted, words: words.into() }
    }

    fn written(words: impl Into<String>) -> Self {
        Refused { when: When::Written, words: words.into() }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In nothing.
    Top,
    /// In a map or a list that an expression made: Go's JSON refuses a map there.
    Within,
    /// The map or the list that `json.marshal` is given.
    Given,
    /// In it.
    InGiven,
}

impl Place {
    /// That of what a value holds which stands here.
    fn inner(self) -> Self {
        match self {
            Place::Top | Place::Within => Place::Within,
            Place::Given | Place::InGiven => Place::InGiven,
        }
    }
}

/// What Go's JSON makes of a value, its maps in the order in which they are written.
///
/// # Errors
/// cel-go's words for what Go cannot have, and those of Go's JSON for what it cannot write.
pub fn to_json(value: &Value<'_>) -> Result<json::Value, String> {
    match value {
        Value::Optional(None) => Ok(json::Value::Null),
        // An optional value hands out what it holds as cel-go has it, with keys of cel-go's own types.
        Value::Optional(Some(value)) => match &**value {
            Value::Map(map) if !map.is_document => {
                Err("json: unsupported type: map[ref.Val]ref.Val".to_owned())
            }
            value => to_json(value),
        },
        Value::Type(name) => Ok(json::Value::from(*name)),
        Value::Opaque(opaque) if opaque.as_any().is::<Format>() => {
            Err("json: unsupported type: func(string) []string".to_owned())
        }
        value => element(value, Place::Top).map_err(|refused| refused.words),
    }
}

/// What `json.marshal` writes: a map or a list is made a value of Go as a whole before anybody looks at what it holds.
// Kyverno: libs/json toJsonNative.
fn marshalled(value: &Value<'_>) -> Result<json::Value, Refused> {
    match value {
        Value::Null => Ok(json::Value::Null),
        // Kyverno ends with an endless recursion at this and at a format, whose Go values are themselves.
        Value::Map(map) if map.type_name.as_deref() == Some(JSON_PATCH) => Err(refused_object(map)),
        Value::Map(map) if map.type_name.is_some() => to_json(value).map_err(Refused::written),
        Value::JsonMap(..) | Value::Map(_) | Value::JsonList(..) | Value::List(_) => {
            let what = if value.as_map().is_some() { "map to native map" } else { "list to native slice" };
            element(value, Place::Given).map_err(|refused| match refused.when {
                When::Converted => Refused {
                    when: When::Looked,
                    words: format!("json: failed to convert CEL {what}: {}", refused.words),
                },
                When::Ended | When::Looked | When::Written => refused,
            })
        }
        Value::Optional(Some(value)) => handed_out(value),
        value => to_json(value).map_err(Refused::written),
    }
}

/// What `json.marshal` writes of what an optional value holds: each part is looked at as cel-go has it.
fn handed_out(value: &Value<'_>) -> Result<json::Value, Refused> {
    match value {
        Value::List(list) => Ok(json::Value::array(all(list.iter().map(marshalled))?)),
        Value::Map(map) if !map.is_document => {
            let entry =
                |(key, value): &(Value<'_>, Value<'_>)| Ok((named(key, Keys::OfCel)?, marshalled(value)?));
            Ok(map_of_go(all(map.iter().map(entry))?))
        }
        value => marshalled(value),
    }
}

/// Whose types the keys of a map have.
#[derive(Clone, Copy)]
enum Keys {
    OfGo,
    OfCel,
}

/// A key that is a text.
fn named(key: &Value<'_>, keys: Keys) -> Result<Str, Refused> {
    let (made, go, cel) = match key {
        Value::Null => ("<nil>", "structpb.NullValue", "types.Null"),
        Value::Bool(_) => ("bool", "bool", "types.Bool"),
        Value::Int(_) => ("int64", "int64", "types.Int"),
        Value::Uint(_) => ("uint64", "uint64", "types.Uint"),
        Value::Double(_) => ("float64", "float64", "types.Double"),
        Value::Timestamp(_) => ("time.Time", "time.Time", "types.Timestamp"),
        Value::Duration(_) => ("time.Duration", "time.Duration", "types.Duration"),
        // Go: a map or a list is no key.
        key if key.as_list().is_some() || key.as_map().is_some() => {
            let of = if key.as_map().is_some() { "map[interface {}]" } else { "[]" };
            let words = format!("internal error: runtime error: hash of unhashable type {of}interface {{}}");
            return Err(Refused { when: When::Ended, words });
        }
        key => return string(key).map(Str::from).map_err(Refused::converted),
    };
    let original = match keys {
        Keys::OfGo => go,
        Keys::OfCel => cel,
    };
    let words = format!("json: unsupported map key type {made} (original key type: {original})");
    Err(Refused { when: When::Looked, words })
}

/// All of them, or what Go meets first that it cannot have.
fn all<T>(made: impl Iterator<Item = Result<T, Refused>>) -> Result<Vec<T>, Refused> {
    let mut whole = Vec::new();
    let mut first: Option<Refused> = None;
    for one in made {
        match one {
            Ok(one) => whole.push(one),
            Err(refused) if first.as_ref().is_none_or(|first| refused.when < first.when) => {
                first = Some(refused);
            }
            Err(_) => {}
        }
    }
    first.map_or(Ok(whole), Err)
}

fn element(value: &Value<'_>, place: Place) -> Result<json::Value, Refused> {
    let is_top = place == Place::Top;
    Ok(match value {
        Value::Null if place == Place::InGiven => json::Value::Null,
        // Go: null is protobuf's enumeration of that name, whose only value is 0.
        Value::Null => json::Value::from(0_i64),
        Value::Duration(nanoseconds) => json::Value::from(*nanoseconds),
        Value::Double(d) if d.is_nan() => return Err(Refused::written("json: unsupported value: NaN")),
        Value::Double(d) if d.is_infinite() => {
            let sign = if *d < 0.0 { '-' } else { '+' };
            return Err(Refused::written(format!("json: unsupported value: {sign}Inf")));
        }
        Value::Bytes(bytes) => json::Value::from(base64::encode(bytes)),
        Value::Octets(bytes) => json::Value::from(base64::encode(bytes)),
        Value::Optional(None) => return Err(Refused::converted("optional.none() dereference")),
        Value::Optional(Some(value)) => return element(value, place),
        Value::Type(_) => return Err(Refused::converted("type conversion not supported for 'type'")),
        Value::JsonList(list, numbers) => document_list(ListRef::Json(list, *numbers)),
        Value::List(list) => elements(ListRef::Made(list), place)?,
        Value::JsonMap(..) if place == Place::Within => return Err(refused_map()),
        Value::JsonMap(map, numbers) => document_map(MapRef::Json(map, *numbers)),
        Value::Map(map) if !is_top && map.type_name.is_some() => return Err(refused_object(map)),
        Value::Map(map) if map.is_document && place != Place::Within => document_map(MapRef::Made(map)),
        Value::Map(map) => entries(map, place)?,
        // cel-go: ext/native.go ConvertToNative; within a list or a map a struct of Go would have to become anything.
        Value::Opaque(opaque) if !is_top && opaque.go_type() == "*ext.nativeObj" => {
            let name = opaque.type_name();
            return Err(Refused::converted(format!(
                "type conversion error from '{name}' to 'interface {{}}'"
            )));
        }
        Value::Opaque(opaque) => opaque_json(&**opaque).map_err(Refused::converted)?,
        plain => plain.to_json(),
    })
}

/// An object of a type of its own becomes no value of Go that could be anything.
// Kubernetes: lazy.MapValue, JSONPatchVal, ObjectVal.
fn refused_object(map: &Map<'_>) -> Refused {
    Refused::converted(match map.type_name.as_deref() {
        Some(VARIABLES) => format!("disallowed conversion from \"{VARIABLES}\" to \"\""),
        Some(JSON_PATCH) => "cannot convert to native type: interface {}".to_owned(),
        _ => "unable to convert to interface {}".to_owned(),
    })
}

fn refused_map() -> Refused {
    Refused::written("json: unsupported type: map[interface {}]interface {}")
}

fn elements(list: ListRef<'_, '_>, place: Place) -> Result<json::Value, Refused> {
    // A list whose maps are documents is one itself, see `Map::is_document`.
    if list.iter().any(|element| matches!(&element, Value::Map(map) if map.is_document)) {
        return Ok(document_list(list));
    }
    // cel-go converts all elements before Go's JSON looks at any of them.
    Ok(json::Value::array(all(list.iter().map(|value| element(&value, place.inner())))?))
}

fn entries(map: &Map<'_>, place: Place) -> Result<json::Value, Refused> {
    let entry = |(key, value): &(Value<'_>, Value<'_>)| {
        let value = element(value, place.inner());
        let key = match place {
            Place::Top | Place::Given => string(key).map(Str::from).map_err(Refused::converted),
            Place::Within => Err(refused_map()),
            Place::InGiven => named(key, Keys::OfGo),
        };
        match (key, value) {
            (Ok(key), Ok(value)) => Ok((key, value)),
            (Err(key), Err(value)) if value.when < key.when => Err(value),
            (Err(refused), _) | (_, Err(refused)) => Err(refused),
        }
    };
    let entries = all(map.iter().map(entry))?;
    // Go's JSON refuses a map of these types though nothing is in it.
    if place == Place::Within { Err(refused_map()) } else { Ok(map_of_go(entries)) }
}

fn document_list(list: ListRef<'_, '_>) -> json::Value {
    json::Value::array(list.iter().map(|value| document(&value)).collect())
}

fn document_map(map: MapRef<'_, '_>) -> json::Value {
    let entries = map.iter().map(|(key, value)| (Str::from(key.to_string()), document(&value)));
    map_of_go(entries.collect())
}

/// A part of a document, whose depth is bounded.
fn document(value: &Value<'_>) -> json::Value {
    if let Some(list) = value.as_list() {
        return document_list(list);
    }
    value.as_map().map_or_else(|| value.to_json(), document_map)
}

fn opaque_json(opaque: &dyn Opaque) -> Result<json::Value, String> {
    let any = opaque.as_any();
    if any.is::<Format>() {
        return Err("type conversion error from 'Format' to 'interface {}'".to_owned());
    }
    if let Some(structure) = any.downcast_ref::<GoStruct>() {
        return Ok(structure.json.clone());
    }
    if let Some(attestor) = any.downcast_ref::<Attestor>() {
        return Ok(attestor.written.clone());
    }
    if let Some(url) = any.downcast_ref::<UrlValue>() {
        return Ok(url.parts().to_value());
    }
    if let Some(account) = any.downcast_ref::<ServiceAccount>() {
        let fields = [("name", &account.name), ("namespace", &account.namespace)];
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let fields = fields.map(|(name, text)| (Str::from(name), json::Value::from(text.as_str())));
        return Ok(json::Value::object(json::Map::from_entries(fields.collect())));
    }
    // Kyverno: structs of Go by the names of their fields, each of which stands for what has none that are written.
    if let Some(handle) = any.downcast_ref::<Handle>() {
        let field = match handle.type_name {
            "json.Json" => "JsonIface",
            "yaml.Yaml" => "YamlIface",
            _ => "ContextInterface",
        };
        let empty = json::Value::object(json::Map::new());
        return Ok(json::Value::object(json::Map::from_entries(vec![(Str::new_static(field), empty)])));
    }
    if opaque.type_name() == EXCEPTION {
        let fields = [("AllowedImages", "allowedImages"), ("AllowedValues", "allowedValues")];
        let list = |(name, field)| Some((Str::new_static(name), opaque.field(field)?.to_json()));
        return Ok(json::Value::object(json::Map::from_entries(
            fields.into_iter().filter_map(list).collect(),
        )));
    }
    let is_text = any.is::<QuantityValue>()
        || any.is::<IpValue>()
        || any.is::<CidrValue>()
        || any.is::<VersionValue>()
        || any.is::<ImageValue>();
    Ok(if is_text { json::Value::from(opaque.show()) } else { json::Value::object(json::Map::new()) })
}

/// A document as a value of its own; `numbers` says which type its numbers have.
pub fn from_json(value: &json::Value, numbers: Numbers) -> Value<'static> {
    match value {
        json::Value::Null => Value::Null,
        json::Value::Bool(b) => Value::Bool(*b),
        json::Value::Number(number) => match (numbers.int(*number), *number, numbers) {
            (Some(i), ..) => Value::Int(i),
            (None, Number::Uint(u), Numbers::AsWritten) => Value::Uint(u),
            (None, number, _) => Value::Double(number.as_f64()),
        },
        json::Value::String(text) => Value::text(text),
        json::Value::Array(list) => {
            Value::list(list.iter().map(|element| from_json(element, numbers)).collect())
        }
        json::Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (Value::text(key), from_json(value, numbers)));
            let mut map: Map<'static> = entries.collect();
            map.is_document = true;
            Value::map(map)
        }
    }
}
