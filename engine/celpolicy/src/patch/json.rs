//! JSON patches as Kubernetes applies those of expressions.
//!
//! In: a list of `JSONPatch{…}`, an object. Out: the object patched; the same object where a `test` in the patch fails.
//! Mirrors: gopkg.in/evanphx/json-patch.v4/patch.go, and apiserver's mutating/patch/json_patch.go.

use super::node::check_names;
use engine_cel::value::{MapRef, Value as Cel};
use engine_json::{Map, Number, Str, Value, quote, to_json};
use engine_values::go_text::atoi;

/// A step of a patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    /// `add`, `remove`, `replace`, `move`, `copy`, `test`.
    pub op: String,
    /// Where.
    pub path: String,
    /// From where; empty for nowhere.
    pub from: String,
    /// What; nothing where nothing is said.
    pub value: Option<Value>,
}

/// The steps that an expression gave.
///
/// # Errors
/// Kubernetes' words for values that a patch cannot hold.
pub fn operations(list: &Cel<'_>) -> Result<Vec<Operation>, String> {
    let elements = list.as_list().map(|list| list.iter().collect::<Vec<_>>()).unwrap_or_default();
    elements.iter().map(operation).collect()
}

/// Whether the value of a step is a list or a map that holds an object with a type.
pub fn holds_objects_in_lists(steps: &Cel<'_>) -> bool {
    let steps = steps.as_list().map(|list| list.iter().collect::<Vec<_>>()).unwrap_or_default();
    steps.iter().any(|step| {
        let value = step.as_map().and_then(|map| map.get(&Cel::Str("value")));
        value.is_some_and(|value| !is_object(&value) && holds_objects(&value))
    })
}

fn is_object(value: &Cel<'_>) -> bool {
    matches!(value, Cel::Map(map) if map.type_name.is_some())
}

/// Values are as deep as expressions, which have a bound.
fn holds_objects(value: &Cel<'_>) -> bool {
    let within = |inner: &Cel<'_>| is_object(inner) || holds_objects(inner);
    match (value.as_list(), value.as_map()) {
        (Some(list), _) => list.iter().any(|inner| within(&inner)),
        (None, Some(map)) => map.iter().any(|(_, inner)| within(&inner)),
        (None, None) => false,
    }
}

fn operation(step: &Cel<'_>) -> Result<Operation, String> {
    let map = step.as_map();
    let field = |name: &str| map.and_then(|map| map.get(&Cel::Str(name)));
    let text = |name: &str| field(name).as_ref().and_then(Cel::as_str).unwrap_or("").to_owned();
    let value = match field("value") {
        None => None,
        Some(value) => {
            if matches!(&value, Cel::Map(map) if map.type_name.is_some()) {
                check_names(&value)?;
            }
            let words = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
            Some(to_value(&value).map_err(|error| format!("{words}: {error}"))?)
        }
    };
    Ok(Operation { op: text("op"), path: text("path"), from: text("from"), value })
}

/// Whole numbers beyond this are texts in JSON as protobuf writes it.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A value as protobuf's JSON has it.
///
/// # Errors
/// cel-go's words for what that cannot hold.
// cel-go: ConvertToNative(structpb.Value) of each type.
pub fn to_value(value: &Cel<'_>) -> Result<Value, String> {
    Ok(match value {
        Cel::Int(i) if i.abs() > MAX_SAFE => Value::from(i.to_string()),
        Cel::Uint(u) if i64::try_from(*u).map_or(true, |i| i > MAX_SAFE) => Value::from(u.to_string()),
        Cel::Double(d) if !d.is_finite() => {
            return Err(format!(
                "json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value cannot have {} value",
                if d.is_nan() { "NaN" } else { "Infinity" }
            ));
        }
        Cel::Type(_) => return Err("type conversion not supported for 'type'".to_owned()),
        Cel::Optional(None) => return Err("optional.none() dereference".to_owned()),
        Cel::Optional(Some(value)) => to_value(value)?,
        other => {
            if let Some(list) = other.as_list() {
                return Ok(Value::array(list.iter().map(|item| to_value(&item)).collect::<Result<_, _>>()?));
            }
            match other.as_map() {
                Some(map) => entries(map)?,
                None => other.to_json(),
            }
        }
    })
}

fn entries(map: MapRef<'_, '_>) -> Result<Value, String> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        entries.push((Str::from(key.to_string()), to_value(&value)?));
    }
    Ok(Value::object(Map::from_entries(entries)))
}

/// Why a step cannot be done.
enum StepError {
    /// A `test` failed: nothing is patched, and that is no error.
    Test,
    Words(String),
}

fn fault(words: impl Into<String>) -> StepError {
    StepError::Words(words.into())
}

/// An object with a patch applied to it.
///
/// # Errors
/// Kubernetes' words.
pub fn apply(object: &Value, patch: &[Operation]) -> Result<Value, String> {
    let mut patched = object.clone();
    for step in patch {
        match apply_one(&mut patched, step) {
            Ok(()) => {}
            Err(StepError::Test) => return Ok(object.clone()),
            Err(StepError::Words(words)) => return Err(format!("JSON Patch: {words}")),
        }
    }
    if patched.find_str(&["kind"]).is_empty() {
        let text = to_json(&patched);
        return Err(format!("Internal error occurred: Object 'Kind' is missing in '{text}'"));
    }
    // Kubernetes reads the patched text anew: whole numbers are whole from here.
    Ok(patched.with_int_numbers())
}

fn apply_one(object: &mut Value, step: &Operation) -> Result<(), StepError> {
    let path = &step.path;
    let missing = |words: &str, path: &str| fault(format!("{words} {path}: missing value"));
    match step.op.as_str() {
        "add" => {
            let words = "add operation does not apply: doc is missing path:";
            let (inside, key) = find(object, path).ok_or_else(|| missing(words, &format!("\"{path}\"")))?;
            add(inside, &key, step.value.clone().unwrap_or_default())
                .map_err(|error| fault(format!("error in add for path: '{path}': {error}")))
        }
        "remove" => {
            let words = "remove operation does not apply: doc is missing path:";
            let (inside, key) = find(object, path).ok_or_else(|| missing(words, &format!("\"{path}\"")))?;
            remove(inside, &key)
                .map(drop)
                .map_err(|error| fault(format!("error in remove for path: '{path}': {error}")))
        }
        "replace" => replace(object, step),
        "move" => {
            let from = from(step, "move")?;
            let words = "move operation does not apply: doc is missing from path:";
            let (inside, key) = find(object, from).ok_or_else(|| missing(words, from))?;
            let value = remove(inside, &key)
                .map_err(|error| fault(format!("error in move for path: '{key}': {error}")))?;
            let words = "move operation does not apply: doc is missing destination path:";
            let (inside, key) = find(object, path).ok_or_else(|| missing(words, path))?;
            add(inside, &key, value)
                .map_err(|error| fault(format!("error in move for path: '{path}': {error}")))
        }
        "copy" => {
            let from = from(step, "copy")?;
            let words = "copy operation does not apply: doc is missing from path:";
            let (inside, key) = find(object, from).ok_or_else(|| missing(words, from))?;
            let value = get(inside, &key)
                .map_err(|error| fault(format!("error in copy for from: '{from}': {error}")))?;
            let value = value.cloned().unwrap_or_default();
            let words = "copy operation does not apply: doc is missing destination path:";
            let (inside, key) = find(object, path).ok_or_else(|| missing(words, path))?;
            add(inside, &key, value)
                .map_err(|error| fault(format!("error while adding value during copy: {error}")))
        }
        "test" => test(object, step),
        other => Err(fault(format!("Unexpected kind: {other}"))),
    }
}

fn from<'s>(step: &'s Operation, what: &str) -> Result<&'s str, StepError> {
    if step.from.is_empty() {
        let words = "failed to decode from: operation, missing from field: missing value";
        return Err(fault(format!("{what} operation {words}")));
    }
    Ok(&step.from)
}

fn replace(object: &mut Value, step: &Operation) -> Result<(), StepError> {
    let path = &step.path;
    if path.is_empty() {
        return match &step.value {
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                *object = value.clone();
                Ok(())
            }
            _ => Err(fault("replace operation value must be object or array: %!w(<nil>)")),
        };
    }
    let missing = |what: &str| {
        fault(format!("replace operation does not apply: doc is missing {what}: {path}: missing value"))
    };
    let (inside, key) = find(object, path).ok_or_else(|| missing("path"))?;
    if get(inside, &key).is_err() {
        return Err(missing("key"));
    }
    let value = step.value.clone().unwrap_or_default();
    match inside {
        // A key that is not there is added.
        Value::Object(_) => add(inside, &key, value),
        list => match (index(&key, list.as_array().map_or(0, <[Value]>::len)), list.array_mut()) {
            (Ok(at), Some(items)) => {
                if let Some(item) = items.get_mut(at) {
                    *item = value;
                }
                Ok(())
            }
            _ => Ok(()),
        },
    }
    .map_err(|error| fault(format!("error in remove for path: '{path}': {error}")))
}

fn test(object: &mut Value, step: &Operation) -> Result<(), StepError> {
    let path = &step.path;
    let holds = |found: Option<&Value>| match (found, &step.value) {
        (None | Some(Value::Null), None) => true,
        // A null that is written is none that is not there.
        (None | Some(Value::Null), Some(_)) | (_, None) => false,
        (Some(found), Some(value)) => is_same(found, value),
    };
    let decided = if path.is_empty() {
        holds(Some(object))
    } else {
        let missing =
            || fault(format!("test operation does not apply: is missing path: {path}: missing value"));
        let (inside, key) = find(object, path).ok_or_else(missing)?;
        let found =
            get(inside, &key).map_err(|error| fault(format!("error in test for path: '{path}': {error}")))?;
        holds(found)
    };
    if decided { Ok(()) } else { Err(StepError::Test) }
}

/// Whether two values are one in JSON.
fn is_same(a: &Value, b: &Value) -> bool {
    let number = |number: &Number| Number::Float(number.as_f64());
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number(a) == number(b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| is_same(value, other)))
        }
        (a, b) => a == b,
    }
}

/// What holds the last part of a path, and that part; nothing where the way is not there.
fn find<'o>(object: &'o mut Value, path: &str) -> Option<(&'o mut Value, String)> {
    let mut parts = path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).peekable();
    let mut inside = object;
    loop {
        let part = parts.next()?;
        if parts.peek().is_none() {
            return Some((inside, part));
        }
        let next = match inside {
            Value::Object(map) => std::sync::Arc::make_mut(map).get_mut(&part),
            list => {
                let at = index(&part, list.as_array()?.len()).ok()?;
                list.array_mut()?.get_mut(at)
            }
        };
        inside = next.filter(|next| matches!(next, Value::Object(_) | Value::Array(_)))?;
    }
}

/// The place that a part of a path means in a list of so many items.
fn index(part: &str, length: usize) -> Result<usize, String> {
    let at = atoi(part).map_err(|_| format!("strconv.Atoi: parsing {}: invalid syntax", quote(part)))?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let invalid = || format!("Unable to access invalid index: {at}: invalid index referenced");
    if at >= length || at < -length {
        return Err(invalid());
    }
    usize::try_from(if at < 0 { at + length } else { at }).map_err(|_| invalid())
}

fn get<'o>(inside: &'o Value, key: &str) -> Result<Option<&'o Value>, String> {
    match inside {
        Value::Object(map) => Ok(map.get(key)),
        list => {
            let items = list.as_array().unwrap_or_default();
            Ok(items.get(index(key, items.len())?))
        }
    }
}

fn add(inside: &mut Value, key: &str, value: Value) -> Result<(), String> {
    if let Some(map) = inside.object_mut() {
        map.insert(key, value);
        return Ok(());
    }
    let Some(items) = inside.array_mut() else { return Ok(()) };
    if key == "-" {
        items.push(value);
        return Ok(());
    }
    let syntax = |error: String| {
        if error.starts_with("strconv") {
            format!("value was not a proper array index: '{key}': {error}")
        } else {
            error
        }
    };
    let at = index(key, items.len() + 1).map_err(syntax)?;
    items.insert(at.min(items.len()), value);
    Ok(())
}

fn remove(inside: &mut Value, key: &str) -> Result<Value, String> {
    if let Some(map) = inside.object_mut() {
        let gone = map.remove(key);
        return gone.ok_or_else(|| format!("Unable to remove nonexistent key: {key}: missing value"));
    }
    let Some(items) = inside.array_mut() else { return Ok(Value::Null) };
    let at = index(key, items.len())?;
    Ok(items.remove(at))
}
