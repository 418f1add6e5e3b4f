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

/// What exceptions allow, as an expression sees it.
const EXCEPTION: &str = "libs.Exception";

/// What Go's JSON writes of a value: maps by their keys, structures in the order of their fields.
///
/// # Errors
/// cel-go's words for what Go cannot have, and those of Go's JSON for what it cannot write.
pub fn json_text(value: &Value<'_>) -> Result<String, String> {
    let mut out = String::new();
    write_in_order(&mut out, &to_json(value)?);
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

/// What Go's JSON makes of a value, its maps in the order in which they are written.
///
/// # Errors
/// As [`json_text`].
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
        value => element(value, true),
    }
}

/// A value; within a map or list that an expression made (`is_top` is false) a map is one Go's JSON refuses.
fn element(value: &Value<'_>, is_top: bool) -> Result<json::Value, String> {
    Ok(match value {
        // Go: null is protobuf's enumeration of that name, whose only value is 0.
        Value::Null => json::Value::from(0_i64),
        Value::Duration(nanoseconds) => json::Value::from(*nanoseconds),
        Value::Double(d) if d.is_nan() => return Err("json: unsupported value: NaN".to_owned()),
        Value::Double(d) if d.is_infinite() => {
            let sign = if *d < 0.0 { '-' } else { '+' };
            return Err(format!("json: unsupported value: {sign}Inf"));
        }
        Value::Bytes(bytes) => json::Value::from(base64::encode(bytes)),
        Value::Octets(bytes) => json::Value::from(base64::encode(bytes)),
        Value::Optional(None) => return Err("optional.none() dereference".to_owned()),
        Value::Optional(Some(value)) => return element(value, is_top),
        Value::Type(_) => return Err("type conversion not supported for 'type'".to_owned()),
        Value::JsonList(list, numbers) => document_list(ListRef::Json(list, *numbers)),
        Value::List(list) => elements(ListRef::Made(list))?,
        Value::JsonMap(map, numbers) if is_top => document_map(MapRef::Json(map, *numbers)),
        Value::Map(map) if is_top && map.is_document => document_map(MapRef::Made(map)),
        Value::Map(map) if is_top => entries(map)?,
        Value::JsonMap(..) => return Err(refused_map()),
        Value::Map(map) => {
            entries_of_any(map)?;
            return Err(refused_map());
        }
        // cel-go: ext/native.go ConvertToNative; within a list or a map a struct of Go would have to become anything.
        Value::Opaque(opaque) if !is_top && opaque.go_type() == "*ext.nativeObj" => {
            return Err(format!("type conversion error from '{}' to 'interface {{}}'", opaque.type_name()));
        }
        Value::Opaque(opaque) => opaque_json(&**opaque)?,
        plain => plain.to_json(),
    })
}

fn refused_map() -> String {
    "json: unsupported type: map[interface {}]interface {}".to_owned()
}

fn elements(list: ListRef<'_, '_>) -> Result<json::Value, String> {
    // A list whose maps are documents is one itself, see `Map::is_document`.
    if list.iter().any(|element| matches!(&element, Value::Map(map) if map.is_document)) {
        return Ok(document_list(list));
    }
    let mut later = None;
    let mut elements = Vec::with_capacity(list.len());
    for value in list.iter() {
        match element(&value, false) {
            Ok(value) => elements.push(value),
            // cel-go converts all elements before Go's JSON looks at any of them.
            Err(error) if error.starts_with("json: ") => later = later.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match later {
        Some(error) => Err(error),
        None => Ok(json::Value::array(elements)),
    }
}

fn entries(map: &Map<'_>) -> Result<json::Value, String> {
    let mut entries = Vec::with_capacity(map.len());
    let mut later = None;
    for (key, value) in map.iter() {
        let key = string(key)?;
        match element(value, false) {
            Ok(value) => entries.push((Str::from(key), value)),
            Err(error) if error.starts_with("json: ") => later = later.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match later {
        Some(error) => Err(error),
        None => Ok(map_of_go(entries)),
    }
}

/// Only whether cel-go could convert it: Go's JSON refuses it in any case.
fn entries_of_any(map: &Map<'_>) -> Result<(), String> {
    for (_, value) in map.iter() {
        match element(value, false) {
            Err(error) if !error.starts_with("json: ") => return Err(error),
            _ => {}
        }
    }
    Ok(())
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
