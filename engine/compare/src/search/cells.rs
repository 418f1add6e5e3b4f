//! The cells of each place: what can stand there so that no two of them are alike for the tests that read it.
//!
//! In: the footprint, and what the schema says of the fields. Out: places with their values; `None` is a field that is not there.
//! Values are tries, no claim hangs on their being all there are: the engines decide, and what was met is counted.

use crate::constraints::{choices, other_of};
use crate::objects::defaults::is_written_as_null;
use crate::objects::format::Format;
use crate::objects::kinds::EPHEMERAL_LIST;
use crate::objects::schema::{FURTHER_KEY, IMAGE, KEY, Schema, Shape};
use crate::objects::valid::NOT_EPHEMERAL;
use crate::objects::zeros::{is_zero, leaves_out_zero};
use crate::reads::field_path::{FieldPath, Step, field_path};
use crate::reads::tree::Tree;
use crate::search::apart::{Sort, apart};
use crate::search::collections::{lists, maps_of_sizes, wholes};
use crate::search::texts;
use crate::search::widened::{elements, of_elements, widened};
use engine_json::{Map, Str, Value, to_json};

/// A place and what can stand there.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// The place.
    pub(crate) path: FieldPath,
    /// The values.
    pub(crate) values: Vec<Option<Value>>,
    /// Whether the place lies in an element of a list.
    pub(crate) is_in_list: bool,
}

/// How many values of one place are tried, and how many of one that a policy holds many constants against: each, and one that is near it.
const MAX_VALUES: usize = 60;
const MOST_VALUES: usize = 1_000;
/// How many fields of an object whose keys are read are tried.
pub(crate) const MAX_FIELDS: usize = 4;
/// How many fields a small object has, and how many values of one that neither side reads are tried.
const MAX_SMALL: usize = 4;
const FEW_VALUES: usize = 3;
/// Up to which length texts are made that begin as a constant does.
const MAX_COUNTED: usize = 63;
/// How many places of one kind are tried.
const MAX_PLACES: usize = 400;

pub(crate) const POD_SPEC: &str = "core.v1.PodSpec";
const EPHEMERAL_CONTAINER: &str = "core.v1.EphemeralContainer";

/// What cells are made by.
pub(crate) struct CellInputs<'m> {
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'m Schema,
    /// Constants for places that have none of their own.
    pub(crate) pool: &'m [Value],
}

/// The cells of a kind.
pub(crate) fn cells(tree: &Tree, version: &str, kind: &str, inputs: &CellInputs<'_>) -> Vec<Cells> {
    let shape = inputs.schema.kind(version, kind);
    let mut found = Vec::new();
    let whole = Slot { shape: shape.as_ref(), format: Format::Any, of: None };
    below(tree, whole, &mut Vec::new(), inputs, &mut found);
    found.retain(|cells| !is_fixed(&cells.path) && cells.values.len() > 1);
    found.truncate(MAX_PLACES);
    found
}

/// Places that name the object.
fn is_fixed(path: &[Step]) -> bool {
    [field_path(&["apiVersion"]), field_path(&["kind"]), field_path(&["metadata"])]
        .iter()
        .any(|fixed| fixed == path)
}

/// What the schema says of a place.
#[derive(Clone, Copy, Default)]
struct Slot<'s> {
    /// What may stand there.
    shape: Option<&'s Shape>,
    /// The form of its texts, or of those in a map: an object with another text there gets no further.
    format: Format,
    /// The type that it is a field of.
    of: Option<&'static str>,
}

/// Types whose name may be empty or missing, by their own words.
const REFERENCES: [&str; 5] = [
    "core.v1.LocalObjectReference",
    "core.v1.ObjectReference",
    "core.v1.ContainerPort",
    "core.v1.ServicePort",
    "core.v1.EndpointPort",
];

fn below(node: &Tree, slot: Slot<'_>, path: &mut FieldPath, inputs: &CellInputs<'_>, found: &mut Vec<Cells>) {
    let shape = slot.shape;
    if !path.is_empty() {
        let values = values(node, slot, path, inputs);
        found.push(Cells { path: path.clone(), values, is_in_list: path.contains(&Step::Each) });
    }
    let widened = widened(node, shape).or_else(|| of_elements(node, shape));
    let node = widened.as_ref().unwrap_or(node);
    in_fields(node, slot, path, inputs, found);
    if let Some(each) = &elements(node, shape) {
        in_each(node, each, slot, path, inputs, found);
    }
}

/// The name of the type that a shape is.
fn type_of(shape: Option<&Shape>) -> Option<&'static str> {
    match shape {
        Some(Shape::Object(name)) => Some(*name),
        _ => None,
    }
}

/// The places below the fields that are read, and what stands there in place of them.
fn in_fields(
    node: &Tree,
    slot: Slot<'_>,
    path: &mut FieldPath,
    inputs: &CellInputs<'_>,
    found: &mut Vec<Cells>,
) {
    let Slot { shape, format, .. } = slot;
    let of = type_of(shape);
    let hollow = Tree::default();
    for (key, child) in &node.fields {
        let of_field = shape.map(|shape| inputs.schema.tried(shape, key));
        // A field that the kind does not have is dropped by the API server.
        if matches!(of_field, Some(None)) || is_of_others(of, key, path) {
            continue;
        }
        path.push(Step::Key(key.clone()));
        let own = shape.map_or(Format::Any, |shape| inputs.schema.format(shape, key));
        let format = if format == Format::Any { own } else { format };
        let slot = Slot { shape: of_field.as_ref().and_then(Option::as_ref), format, of };
        // Resources of such containers are there, and hold nothing.
        let is_hollow = of == Some(EPHEMERAL_CONTAINER) && key == "resources";
        below(if is_hollow { &hollow } else { child }, slot, path, inputs, found);
        path.pop();
    }
    beside_those_read(node, slot, path, inputs, found);
    if let Some(other) = of.and_then(|of| other_of(of, |field| node.fields.contains_key(field))) {
        path.push(Step::Key(Str::new_static(other)));
        let values = vec![None, Some(Value::object(Map::new()))];
        found.push(Cells { path: path.clone(), values, is_in_list: path.contains(&Step::Each) });
        path.pop();
    }
}

/// The other fields of a small object: where one side asks for a field of it, or how many there are, the other may ask whether it is empty.
fn beside_those_read(
    node: &Tree,
    slot: Slot<'_>,
    path: &mut FieldPath,
    inputs: &CellInputs<'_>,
    found: &mut Vec<Cells>,
) {
    let Some(shape @ Shape::Object(_)) = slot.shape else { return };
    let own: Vec<&'static str> = inputs.schema.fields(shape).take(MAX_SMALL + 1).collect();
    let is_asked =
        !node.fields.is_empty() || node.constants.iter().any(|constant| constant.as_object().is_some());
    if path.len() < 2 || own.len() > MAX_SMALL || !is_asked {
        return;
    }
    for key in own.into_iter().filter(|key| !node.fields.contains_key(*key)) {
        let field = inputs.schema.field(shape, key);
        let format = inputs.schema.format(shape, key);
        path.push(Step::Key(Str::new_static(key)));
        let slot = Slot { shape: field.as_ref(), format, of: type_of(Some(shape)) };
        let values = values(&Tree::default(), slot, path, inputs).into_iter().take(FEW_VALUES).collect();
        found.push(Cells { path: path.clone(), values, is_in_list: path.contains(&Step::Each) });
        path.pop();
    }
}

/// The places below the elements of a list, and below the keys of a map.
fn in_each(
    node: &Tree,
    each: &Tree,
    slot: Slot<'_>,
    path: &mut FieldPath,
    inputs: &CellInputs<'_>,
    found: &mut Vec<Cells>,
) {
    let Slot { shape, format, of: of_list } = slot;
    let of = type_of(shape);
    match shape {
        Some(Shape::Map(inner)) => {
            let constants = each.constants.iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
            // Where all values are read, one may be another than the first.
            let further = node.each.as_ref().map(|_| FURTHER_KEY);
            let keys: Vec<Str> = constants.map(Str::new).take(8).chain([KEY]).chain(further).collect();
            // One that ends as a key does that a policy names.
            let longer: Vec<Str> =
                keys.iter().filter(|key| key.len() > 1).take(MAX_FIELDS).map(longer_key).collect();
            let keys = keys.into_iter().chain(longer);
            for key in keys.into_iter().filter(|key| !node.fields.contains_key(key)) {
                path.push(Step::Key(key));
                below(each, Slot { shape: Some(inner), format, of }, path, inputs, found);
                path.pop();
            }
        }
        Some(Shape::Object(_)) => {
            let constants = each.constants.iter().filter_map(Value::as_str);
            let own = shape.into_iter().flat_map(|shape| inputs.schema.fields(shape)).take(MAX_FIELDS);
            let names: Vec<Str> = constants.map(Str::new).chain(own.map(Str::new_static)).take(8).collect();
            for constant in names.iter().map(Str::as_str) {
                let field = shape.and_then(|shape| inputs.schema.tried(shape, constant));
                let is_new = !node.fields.contains_key(constant) && !is_of_others(of, constant, path);
                let Some(field) = field.filter(|_| is_new) else { continue };
                path.push(Step::Key(Str::new(constant)));
                let format = shape.map_or(Format::Any, |shape| inputs.schema.format(shape, constant));
                let slot = Slot { shape: Some(&field), format, of };
                below(&Tree::default(), slot, path, inputs, found);
                path.pop();
            }
        }
        Some(Shape::Text | Shape::Number | Shape::Truth | Shape::Either) => {}
        Some(Shape::List(_) | Shape::Any) | None => {
            if !matches!(shape, Some(Shape::List(_))) {
                // It may be a map as well, whose keys are held against constants.
                let constants =
                    each.constants.iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
                for key in constants.take(8).map(Str::new).filter(|key| !node.fields.contains_key(key)) {
                    path.push(Step::Key(key));
                    found.push(Cells {
                        path: path.clone(),
                        values: values(&Tree::default(), Slot::default(), path, inputs),
                        is_in_list: path.contains(&Step::Each),
                    });
                    path.pop();
                }
            }
            let element = shape.and_then(Schema::element);
            path.push(Step::Each);
            below(
                each,
                Slot { shape: element.as_ref(), format: Format::Any, of: of_list },
                path,
                inputs,
                found,
            );
            path.pop();
        }
    }
}

/// A key with more before its name: of `example.com/a` comes `example.com/x-a`.
fn longer_key(key: &Str) -> Str {
    let at = key.rfind('/').map_or(0, |at| at + 1);
    let (before, name) = key.split_at_checked(at).unwrap_or(("", key));
    Str::from(format!("{before}x-{name}"))
}

/// Whether a field of ephemeral containers is one that only others have, or a field of a template holds such containers.
fn is_of_others(of: Option<&str>, field: &str, path: &[Step]) -> bool {
    match of {
        Some(EPHEMERAL_CONTAINER) => field != "resources" && NOT_EPHEMERAL.contains(&field),
        Some(POD_SPEC) => field == EPHEMERAL_LIST && path.len() > 1,
        _ => false,
    }
}

fn values(node: &Tree, slot: Slot<'_>, path: &[Step], inputs: &CellInputs<'_>) -> Vec<Option<Value>> {
    let shape = slot.shape;
    let mut values: Vec<Option<Value>> = Vec::new();
    let constants = node.constants.len().max(node.each.as_ref().map_or(0, |each| each.constants.len()));
    let most = (2 * constants).clamp(MAX_VALUES, MOST_VALUES);
    let mut add = |value: Option<Value>| {
        if values.len() < most && !values.contains(&value) {
            values.push(value);
        }
    };
    let is_needed = is_needed(path, slot);
    if !is_needed {
        add(None);
    }
    if is_written_as_null(path, slot.of) {
        add(Some(Value::Null));
    }
    for value in of_shape(node, slot, path, inputs).into_iter().chain(wholes(node, shape)) {
        let is_empty = match &value {
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            _ => false,
        };
        if is_needed && is_empty || is_left_out(&value, path, slot.of) {
            continue;
        }
        match value.as_str() {
            Some(text) => slot.format.written(text).into_iter().for_each(|text| add(Some(Value::from(text)))),
            // An API server writes an amount as text.
            None if slot.format == Format::Quantity && value.as_number().is_some() => {
                for text in slot.format.written(&to_json(&value)) {
                    add(Some(Value::from(text)));
                }
            }
            None => add(Some(in_format(value, slot.format))),
        }
    }
    values.extend(further_texts(node, slot, path, &values));
    values
}

/// Texts that the constants of a place meet in another way than those that are tried there, behind all others.
fn further_texts(node: &Tree, slot: Slot<'_>, path: &[Step], known: &[Option<Value>]) -> Vec<Option<Value>> {
    let may_be_text = matches!(slot.shape, Some(Shape::Text | Shape::Either | Shape::Any) | None);
    let of = match slot.format {
        Format::Quantity => Sort::Amount,
        Format::Any if is_image(path) => Sort::Image,
        Format::Any => Sort::Text,
        _ => return Vec::new(),
    };
    if !may_be_text {
        return Vec::new();
    }
    let known: Vec<&str> = known.iter().flatten().filter_map(Value::as_str).collect();
    let found = apart(&texts_held_against(node), &known, of);
    found.into_iter().map(|text| Some(Value::from(text))).collect()
}

/// What texts of a place are held against: what is held against a part of a text that was split is held against the text.
fn texts_held_against(node: &Tree) -> Vec<&str> {
    let of_parts = node.each.iter().flat_map(|each| &each.constants);
    node.constants.iter().chain(of_parts).filter_map(Value::as_str).collect()
}

fn is_image(path: &[Step]) -> bool {
    path.last() == Some(&Step::Key(Str::new_static("image")))
}

/// Whether a value never arrives: without it the field is tried anyway.
fn is_left_out(value: &Value, path: &[Step], of: Option<&str>) -> bool {
    let Some((Step::Key(field), of)) = path.last().zip(of) else { return false };
    is_zero(value) && leaves_out_zero(of, field)
}

/// The value with the texts of its map in their form.
fn in_format(value: Value, format: Format) -> Value {
    let Some(map) = value.as_object().filter(|_| format != Format::Any) else { return value };
    let written = |value: &Value| match value.as_str().map(|text| format.written(text)) {
        Some(texts) => texts.into_iter().next().map_or_else(|| value.clone(), Value::from),
        None => value.clone(),
    };
    Value::object(map.iter().map(|(key, value)| (key.clone(), written(value))).collect())
}

/// Whether an API server takes no object without the field.
fn is_needed(path: &[Step], Slot { shape, of, .. }: Slot<'_>) -> bool {
    let Some(Step::Key(last)) = path.last() else { return false };
    let before = path.len().checked_sub(2).and_then(|at| path.get(at));
    match last.as_str() {
        "name" | "image" if before == Some(&Step::Each) => {
            shape.is_some() && of.is_none_or(|of| !REFERENCES.contains(&of))
        }
        "name" | "namespace" => before == Some(&Step::Key(Str::new_static("metadata"))) && path.len() == 2,
        "containers" => matches!(shape, Some(Shape::List(_))),
        "spec" | "template" | "jobTemplate" => shape.is_some(),
        _ => false,
    }
}

fn of_shape(node: &Tree, slot: Slot<'_>, path: &[Step], inputs: &CellInputs<'_>) -> Vec<Value> {
    let shape = slot.shape;
    let empty_map = || Value::object(Map::new());
    match shape {
        Some(Shape::Truth) => vec![Value::Bool(true), Value::Bool(false)],
        Some(Shape::Number) => numbers(node, inputs),
        Some(Shape::Text) => texts_of(node, slot, path, inputs),
        Some(Shape::Either) => {
            let mut all = texts_of(node, slot, path, inputs);
            all.extend(numbers(node, inputs));
            all
        }
        Some(Shape::List(element)) => lists(node, (slot.of, Some(element)), path, inputs),
        Some(Shape::Map(inner)) => {
            // What a map of amounts holds can be read as one.
            let [value, other] = if **inner == Shape::Either { ["1", "2"] } else { ["x", "y"] };
            let of_one =
                |value: &str| Value::object([(KEY, Value::from(value))].into_iter().collect::<Map>());
            // Of as many keys, and not the same.
            let mut all = vec![of_one(value), of_one(other)];
            all.extend(maps_of_sizes(node, value));
            all
        }
        Some(shape @ Shape::Object(_)) => {
            // An empty object counts as nothing where truth is asked of it.
            [Some(empty_map()), inputs.schema.some_object(shape)].into_iter().flatten().collect()
        }
        Some(Shape::Any) | None if !node.fields.is_empty() => {
            std::iter::once(empty_map()).chain(maps_of_sizes(node, "x")).collect()
        }
        Some(Shape::Any) | None if node.each.is_some() => {
            let mut all = lists(node, (None, None), path, inputs);
            all.push(empty_map());
            all.extend(maps_of_sizes(node, "x"));
            all
        }
        Some(Shape::Any) | None => {
            let mut all = texts_of(node, slot, path, inputs);
            let has_truth = node.constants.iter().any(|constant| constant.as_bool().is_some());
            if has_truth || node.constants.is_empty() {
                all.extend([Value::Bool(true), Value::Bool(false)]);
            }
            // It may be a list as well, of what it is held against.
            let texts = node.constants.iter().filter(|constant| constant.as_str().is_some()).take(4);
            all.extend(texts.map(|text| Value::array(vec![text.clone()])));
            if node.constants.iter().any(|constant| constant.as_number().is_some() || has_number(constant)) {
                all.extend(numbers(node, inputs));
            }
            all
        }
    }
}

fn has_number(constant: &Value) -> bool {
    constant.as_str().is_some_and(|text| !texts::numbers(text).is_empty())
}

fn numbers(node: &Tree, inputs: &CellInputs<'_>) -> Vec<Value> {
    let mut bounds: Vec<i64> = node.constants.iter().flat_map(whole_numbers).collect();
    if bounds.is_empty() {
        bounds = inputs.pool.iter().flat_map(whole_numbers).take(6).collect();
    }
    let near = bounds.iter().flat_map(|bound| [bound.saturating_sub(1), *bound, bound.saturating_add(1)]);
    near.chain([0, 1, 1000]).map(Value::from).collect()
}

pub(crate) fn whole_numbers(constant: &Value) -> Vec<i64> {
    match constant {
        Value::Number(number) => number.as_i64().into_iter().collect(),
        Value::String(text) => texts::numbers(text),
        _ => Vec::new(),
    }
}

fn texts_of(node: &Tree, slot: Slot<'_>, path: &[Step], inputs: &CellInputs<'_>) -> Vec<Value> {
    let own = texts_held_against(node);
    let pool: Vec<&str> = inputs.pool.iter().filter_map(Value::as_str).collect();
    // First one text of each constant, then the next of each: of a long list none is left without a try.
    let near: Vec<Vec<String>> = own.iter().map(|text| texts::near(text)).collect();
    let longest = near.iter().map(Vec::len).max().unwrap_or(0);
    let mut found: Vec<String> =
        (0..longest).flat_map(|at| near.iter().filter_map(move |texts| texts.get(at).cloned())).collect();
    // What every place is tried with comes before neighbours that the bound cuts off.
    let field = path.iter().rev().find_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Each => None,
    });
    let known = slot.of.zip(field).map_or(&[][..], |(of, field)| choices(of, field));
    let is_image = is_image(path);
    let images = if is_image { &texts::IMAGES[..] } else { &[] };
    let digest = texts::other_digest(&own).filter(|_| is_image);
    let always = known.iter().chain(images).copied().chain(digest).chain(["x", ""]).map(str::to_owned);
    found.splice(own.len().min(found.len())..own.len().min(found.len()), always);
    found.extend(texts::joined(&own));
    found.extend(["x".to_owned(), String::new()]);
    for number in node.constants.iter().filter_map(Value::as_i64) {
        // What is held against a number may be the length of a text, or a number in it.
        let length = usize::try_from(number).unwrap_or(0).min(300);
        found.extend([number.to_string(), "y".repeat(length), "y".repeat(length + 1)]);
    }
    for number in
        node.constants.iter().filter(|constant| constant.as_i64().is_none()).filter_map(Value::as_f64)
    {
        // What is held against a number with a fraction may be the ratio of two texts.
        found.extend([number.to_string(), "1".to_owned()]);
    }
    if is_image {
        found.extend(own.iter().chain(&pool).flat_map(|text| texts::images(text)));
        found.push(IMAGE.to_owned());
    } else {
        found.extend(pool.iter().flat_map(|text| texts::near(text).into_iter().take(2)));
    }
    let lengths: Vec<usize> =
        node.constants.iter().filter_map(|number| usize::try_from(number.as_i64()?).ok()).collect();
    for length in lengths.into_iter().filter(|length| *length <= MAX_COUNTED).take(FEW_VALUES) {
        found.extend(own.iter().take(FEW_VALUES).flat_map(|text| texts::of_length(text, length)));
    }
    found.into_iter().map(Value::from).collect()
}
