//! Lists and maps that are tried at one place: of as many elements as are counted, of the values that they are held against, in their order.
//!
//! In: what is held against the place and against what is in it, and what the schema says of an element. Out: values to try.

use crate::constraints::choices;
use crate::objects::schema::Shape;
use crate::reads::field_path::{MAX_ELEMENTS, Step, element_name};
use crate::reads::tree::Tree;
use crate::search::cells::{CellInputs, MAX_FIELDS, whole_numbers};
use engine_json::{Map, Str, Value};

/// How many keys a map has at most, and how many elements a list, that is tried for its size.
const MAX_KEYS: usize = 40;

/// Maps and lists that the value is held against, and the same maps without one of their keys.
pub(crate) fn wholes(node: &Tree, shape: Option<&Shape>) -> Vec<Value> {
    let may_be_map = matches!(shape, Some(Shape::Map(_) | Shape::Object(_) | Shape::Any) | None);
    let mut found = Vec::new();
    for map in node.constants.iter().filter_map(Value::as_object).filter(|_| may_be_map).take(4) {
        found.push(Value::object(map.clone()));
        for key in map.keys().take(4) {
            let without = map.iter().filter(|(known, _)| *known != key);
            found.push(Value::object(without.map(|(key, value)| (key.clone(), value.clone())).collect()));
        }
    }
    found
}

/// How many elements or keys there are around the numbers that are held against a list or a map, or against what is in it.
fn sizes_of(node: &Tree) -> Vec<usize> {
    let of_elements = node.each.iter().flat_map(|each| &each.constants);
    let bounds = node.constants.iter().chain(of_elements).flat_map(whole_numbers);
    let bounds = bounds.filter_map(|bound| usize::try_from(bound).ok());
    bounds.flat_map(|bound| [bound.saturating_sub(1), bound, bound.saturating_add(1)]).collect()
}

/// Maps with as many keys as are counted.
pub(crate) fn maps_of_sizes(node: &Tree, value: &str) -> Vec<Value> {
    let sizes = sizes_of(node).into_iter().filter(|size| (2..=MAX_KEYS).contains(size));
    let map = |size| (0..size).map(|at| (Str::from(format!("k{at}")), Value::from(value))).collect::<Map>();
    sizes.map(|size| Value::object(map(size))).collect()
}

/// The lists to try.
pub(crate) fn lists(
    node: &Tree,
    (of, element): (Option<&str>, Option<&Shape>),
    path: &[Step],
    inputs: &CellInputs<'_>,
) -> Vec<Value> {
    let list = match path.last() {
        Some(Step::Key(key)) => key.as_str(),
        Some(Step::Each) | None => "",
    };
    // An API server leaves out lists that are empty, of kinds that it knows.
    let mut sizes = if element.is_some() { vec![1, 2] } else { vec![0, 1, 2] };
    sizes.extend(sizes_of(node));
    let known = of.map_or(&[][..], |of| choices(of, list));
    let made = |size: usize| {
        let new = |at: usize| match known.get(at) {
            Some(text) => Value::from(*text),
            None => inputs.schema.new_element(element, || element_name(list, at)),
        };
        // A number beyond the bound is hardly that of elements.
        let size = if size > MAX_KEYS { MAX_ELEMENTS } else { size };
        Value::array((0..size).map(new).collect())
    };
    let mut found: Vec<Value> = sizes.into_iter().map(made).collect();
    // Lists of plain values that one is held against.
    let wholes = node.constants.iter().filter(|constant| constant.as_array().is_some());
    found.extend(wholes.filter(|_| !matches!(element, Some(Shape::Object(_)))).take(MAX_ELEMENTS).cloned());
    found.extend(in_order(node, list, element, inputs));
    if !matches!(element, Some(Shape::Object(_) | Shape::Number | Shape::Truth)) {
        found.extend(beside_another(node, known));
    }
    found
}

/// Lists of a text that one is held against and another one, in both orders: what is asked of the first is not asked of any.
fn beside_another(node: &Tree, known: &[&'static str]) -> Vec<Value> {
    let of_elements = node.each.iter().flat_map(|each| &each.constants);
    let texts = node.constants.iter().chain(of_elements).filter_map(Value::as_str);
    let texts = texts.filter(|text| !text.is_empty() && !text.contains(['*', '?', '|', '&']));
    let other = |text: &str| known.iter().copied().find(|other| *other != text).unwrap_or("x");
    let lists = texts.take(MAX_FIELDS).flat_map(|text| [[other(text), text], [text, other(text)]]);
    lists.map(|list| Value::array(list.into_iter().map(Value::from).collect())).collect()
}

/// Lists whose elements have, one after another, the values of a list of constants that one of their fields is held against, and the same
/// the other way round.
fn in_order(node: &Tree, list: &str, element: Option<&Shape>, inputs: &CellInputs<'_>) -> Vec<Value> {
    let fields = node.each.iter().flat_map(|each| &each.fields);
    let arrays = fields.flat_map(|(key, below)| {
        below.constants.iter().filter_map(move |constant| Some((key, constant.as_array()?)))
    });
    let with = |key: &Str, at: usize, value: &Value| {
        let mut made = inputs.schema.new_element(element, || element_name(list, at));
        made.make_object().insert(key.clone(), value.clone());
        made
    };
    let made = arrays.filter(|(_, items)| items.len() > 1).take(MAX_FIELDS).flat_map(|(key, items)| {
        let there: Vec<Value> =
            items.iter().take(MAX_ELEMENTS).enumerate().map(|(at, value)| with(key, at, value)).collect();
        let back = there.iter().rev().cloned().collect();
        [Value::array(there), Value::array(back)]
    });
    made.collect()
}
