//! What may stand around the values of a case without changing what policies say of it, if they are inside the fragment.
//!
//! In: a value of a case. Out: the same with fields that nothing asks for, and with elements in another order. The claim that cases stand for
//! their classes is held against such objects.

use crate::exact::plan::Plan;
use crate::objects::kinds::EPHEMERAL_LIST;
use crate::objects::schema::{Schema, Shape};
use crate::search::random::Random;
use engine_json::{Map, Str, Value};

/// How deep fields go that nothing asks for.
const MAX_DEPTH: usize = 3;
/// Fields that say what an object is, or that no new object has.
const KEPT: [&str; 8] =
    ["apiVersion", "kind", "metadata", "name", "namespace", "generateName", EPHEMERAL_LIST, "managedFields"];

/// Adds fields that are not asked for.
pub(crate) fn add(map: &mut Map, shape: &Shape, asked: &[(Str, Plan)], schema: &Schema, random: &mut Random) {
    let names: Vec<&'static str> = schema.fields(shape).collect();
    for _ in 0..random.below(3) {
        let Some(name) = random.of(&names).copied() else { return };
        let is_kept = KEPT.contains(&name) || map.contains_key(name);
        if is_kept || asked.iter().any(|(known, _)| known == name) {
            continue;
        }
        let value = schema.field(shape, name).and_then(|shape| some(&shape, schema, random, 0));
        if let Some(value) = value {
            map.insert(name, value);
        }
    }
}

/// A value of a shape.
fn some(shape: &Shape, schema: &Schema, random: &mut Random, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match shape {
        Shape::Text => random.of(&["x", "", "latest", "a/b:c", "1", "true"]).map(|text| Value::from(*text)),
        Shape::Number => random.of(&[0_i64, 1, 80, 1_000, -1]).map(|number| Value::from(*number)),
        Shape::Truth => Some(Value::Bool(random.below(2) == 0)),
        Shape::Either => Some(Value::from("1")),
        Shape::Any => None,
        Shape::List(inner) => some(inner, schema, random, depth + 1).map(|item| Value::array(vec![item])),
        Shape::Map(inner) => {
            let value = some(inner, schema, random, depth + 1)?;
            Some(Value::object([(Str::new_static("y"), value)].into_iter().collect::<Map>()))
        }
        Shape::Object(_) => {
            let mut map =
                schema.new_element(Some(shape), || "n0".to_owned()).as_object().cloned().unwrap_or_default();
            let names: Vec<&'static str> = schema.fields(shape).collect();
            for _ in 0..random.below(3) {
                let Some(name) = random.of(&names).copied() else { break };
                let value =
                    schema.field(shape, name).and_then(|shape| some(&shape, schema, random, depth + 1));
                if let Some(value) = value.filter(|_| !map.contains_key(name)) {
                    map.insert(name, value);
                }
            }
            Some(Value::object(map))
        }
    }
}

/// Brings elements into another order, and repeats some where they are not counted.
pub(crate) fn mix(row: &mut Vec<usize>, is_counted: bool, random: &mut Random) {
    if !is_counted {
        for _ in 0..random.below(3) {
            if let Some(one) = random.of(row).copied() {
                row.push(one);
            }
        }
    }
    for at in (1..row.len()).rev() {
        row.swap(at, random.below(at + 1));
    }
}
