//! A field path in objects of one kind: keys, and elements of lists whichever they are.
//!
//! In: steps. Out: a value put there, or taken away, in one element or in all. `spec.containers[].image` is such a place.

use crate::constraints::keep_one;
use crate::objects::schema::{Schema, Shape};
use engine_json::{Map, Path, Segment, Str, Value};

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Into a map, by key.
    Key(Str),
    /// Into an element of a list.
    Each,
}

/// The way from the root of an object.
pub(crate) type FieldPath = Vec<Step>;

/// The place of these keys; `[]` is an element.
pub(crate) fn field_path(keys: &[&str]) -> FieldPath {
    keys.iter().map(|key| if *key == "[]" { Step::Each } else { Step::Key(Str::new(key)) }).collect()
}

/// The keys on the way; `[]` is an element, whichever it is.
pub(crate) fn keys_of(path: &Path) -> Vec<&str> {
    path.iter()
        .map(|segment| match segment {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) => "[]",
        })
        .collect()
}

/// In which elements of lists a value is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// The first of each list, which is made where there is none.
    First,
    /// One more, like the last but for the value.
    Further,
    /// The last of each list.
    Last,
    /// Every one.
    All,
}

/// How many elements a list that the search makes has at most.
pub(crate) const MAX_ELEMENTS: usize = 6;

/// Puts a value at a place, or takes away what is there.
pub(crate) fn put(
    object: &mut Value,
    path: &[Step],
    value: Option<&Value>,
    which: Elements,
    schema: &Schema,
) {
    let shape = schema.of(object);
    at(object, path, value, which, Inside { schema, shape: shape.as_ref(), list: "" });
}

/// What is known of the value that a path goes through.
#[derive(Clone, Copy)]
struct Inside<'s> {
    schema: &'s Schema,
    shape: Option<&'s Shape>,
    /// The key of the list, where it is one.
    list: &'s str,
}

/// The name of an element that the search makes; no two of the three lists of containers share one, as an API server wants it.
pub(crate) fn element_name(list: &str, number: usize) -> String {
    let letter = match list {
        "initContainers" => 'i',
        "ephemeralContainers" => 'e',
        _ => 'n',
    };
    format!("{letter}{number}")
}

fn at(here: &mut Value, path: &[Step], value: Option<&Value>, which: Elements, inside: Inside<'_>) {
    let Inside { schema, shape, .. } = inside;
    let Some((step, rest)) = path.split_first() else { return };
    match step {
        Step::Key(key) => {
            let below = shape.and_then(|shape| schema.field(shape, key));
            if let (Some(Shape::Object(of)), true, Some(map)) = (shape, value.is_some(), here.object_mut()) {
                keep_one(map, of, key);
            }
            if rest.is_empty() {
                match value {
                    Some(value) => drop(fields(here).insert(key.clone(), value.clone())),
                    None => drop(here.object_mut().and_then(|map| map.remove(key))),
                }
                return;
            }
            if here.get(key).is_none_or(Value::is_null) {
                if value.is_none() {
                    return;
                }
                let empty = match rest.first() {
                    Some(Step::Each) => Value::array(Vec::new()),
                    _ => Value::object(Map::new()),
                };
                fields(here).insert(key.clone(), empty);
            }
            if let Some(below_value) = here.object_mut().and_then(|map| map.get_mut(key)) {
                at(below_value, rest, value, which, Inside { schema, shape: below.as_ref(), list: key });
            }
        }
        Step::Each => {
            let element = shape.and_then(Schema::element);
            in_elements(here, rest, value, which, Inside { shape: element.as_ref(), ..inside });
        }
    }
}

fn in_elements(here: &mut Value, rest: &[Step], value: Option<&Value>, which: Elements, inside: Inside<'_>) {
    let Inside { schema, shape, list: key } = inside;
    if here.as_array().is_none() {
        if value.is_none() {
            return;
        }
        *here = Value::array(Vec::new());
    }
    let Some(list) = here.array_mut() else { return };
    // One more than none is one that is as it comes, and another.
    if list.is_empty() && which == Elements::Further && value.is_some() && !rest.is_empty() {
        list.push(schema.new_element(shape, || element_name(key, 0)));
    }
    if list.is_empty() || (which == Elements::Further && list.len() < MAX_ELEMENTS) {
        if value.is_none() && list.is_empty() {
            return;
        }
        let number = list.len();
        let name = || element_name(key, number);
        let made = list.last().map_or_else(|| schema.new_element(shape, name), |last| named(last, name()));
        list.push(made);
    }
    let last = list.len().saturating_sub(1);
    for (number, item) in list.iter_mut().enumerate() {
        let is_meant = match which {
            Elements::All => true,
            Elements::First => number == 0,
            Elements::Further | Elements::Last => number == last,
        };
        if !is_meant {
            continue;
        }
        match (rest.is_empty(), value) {
            (true, Some(value)) => *item = value.clone(),
            (true, None) => *item = Value::Null,
            (false, _) => at(item, rest, value, which, Inside { list: "", ..inside }),
        }
    }
    if rest.is_empty() && value.is_none() {
        list.retain(|item| !item.is_null());
    }
}

/// The values at a place, of all elements.
pub(crate) fn values_at<'v>(object: &'v Value, path: &[Step]) -> Vec<&'v Value> {
    let Some((step, rest)) = path.split_first() else { return vec![object] };
    match step {
        Step::Key(key) => object.get(key).map(|below| values_at(below, rest)).unwrap_or_default(),
        Step::Each => {
            let items = object.as_array().unwrap_or_default();
            items.iter().flat_map(|item| values_at(item, rest)).take(MAX_ELEMENTS).collect()
        }
    }
}

/// The same element under another name.
fn named(element: &Value, name: String) -> Value {
    let mut copy = element.clone();
    if copy.get("name").is_some_and(|name| name.as_str().is_some()) {
        fields(&mut copy).insert("name", Value::from(name));
    }
    copy
}

fn fields(value: &mut Value) -> &mut Map {
    value.make_object()
}

/// The paths of all values of an object, the deepest last, without the root.
pub(crate) fn paths(object: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    collect(object, &Path::root(), &mut found);
    found
}

fn collect(value: &Value, path: &Path, found: &mut Vec<Path>) {
    let children: Vec<(Segment, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, item)| (Segment::Key(key.clone()), item)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(at, item)| (Segment::from(at), item)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (segment, item) in children {
        let path = path.join(segment);
        found.push(path.clone());
        collect(item, &path, found);
    }
}
