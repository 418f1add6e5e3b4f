//! What an API server fills in: the rows of the table, and by hand what hangs on other fields.
//!
//! In: an object as `decode` leaves it, and its type. Out: the same with all that the release fills in and converts.
//! Mirrors: zz_generated.defaults.go: of each type first its own function, then its fields. The functions are of their types wherever these
//! are, so walking along the types does what the generated code does.

mod core;
pub(crate) mod others;
mod resources;
mod workloads;

use crate::table::{Field, Shape, Table, Type, table};
use crate::tree::Change;
use crate::{conversion, scalar};
use engine_json::{Map, Str, Value};
use std::sync::LazyLock;

/// What is done to the objects of a type.
#[derive(Clone, Copy, Default)]
struct Steps {
    /// What is filled in beside the rows, before the fields themselves are looked at.
    by_hand: Option<Change>,
    /// What the server's own type of it changes, once all is filled in.
    converted: Option<Change>,
    /// Whether anything is changed in it or below it.
    is_changed: bool,
}

/// The steps of all types.
static STEPS: LazyLock<Vec<Steps>> = LazyLock::new(|| all_steps(table()));

fn steps(of: &Type) -> Steps {
    STEPS.get(of.id.place()).copied().unwrap_or_default()
}

fn by_hand(name: &str) -> Option<Change> {
    let known = [core::CHANGES, resources::CHANGES, workloads::CHANGES, others::CHANGES];
    known.into_iter().flatten().find(|(of, _)| *of == name).map(|(_, change)| *change)
}

/// Whether a function fills in objects of this type, beside the rows of the table.
pub fn is_filled_by_hand(name: &str) -> bool {
    by_hand(name).is_some()
}

fn all_steps(table: &Table) -> Vec<Steps> {
    let own = |of: &Type| {
        let (by_hand, converted) = (by_hand(of.name), conversion::of(of.name));
        Steps {
            by_hand,
            converted,
            is_changed: by_hand.is_some() || converted.is_some() || !of.filled.is_empty(),
        }
    };
    let mut all: Vec<Steps> = table.types().iter().map(own).collect();
    // BOUND: each round finds a type that holds a changed one, or is the last.
    for _ in 0..all.len() {
        let holds = |of: &&Type| {
            let mut shapes = of.fields.iter().map(|field| &field.shape).chain(&of.same);
            all.get(of.id.place()).is_some_and(|steps| !steps.is_changed)
                && shapes.any(|shape| is_changed(shape, &all))
        };
        let found: Vec<usize> = table.types().iter().filter(holds).map(|of| of.id.place()).collect();
        if found.is_empty() {
            break;
        }
        for at in found {
            if let Some(steps) = all.get_mut(at) {
                steps.is_changed = true;
            }
        }
    }
    all
}

/// Whether anything is changed in what a shape describes.
fn is_changed(shape: &Shape, all: &[Steps]) -> bool {
    match shape {
        Shape::Named(id, _) => all.get(id.place()).is_some_and(|steps| steps.is_changed),
        Shape::List(inner, _) => is_changed(inner, all),
        _ => false,
    }
}

/// Fills in and converts an object.
pub(crate) fn fill(map: &mut Map, of: &Type, table: &Table) {
    for (path, value) in &of.filled {
        // Zero is no value in a field that is no pointer: such a row says what the key of a list counts as.
        let is_value =
            |field: &Field| field.is_pointer || !scalar::is_zero(value, table.resolved(&field.shape));
        if path.len() > 1 || path.first().and_then(|name| of.field(name)).is_some_and(is_value) {
            fill_at(map, path, value);
        }
    }
    let steps = steps(of);
    if let Some(change) = steps.by_hand {
        change(map);
    }
    for field in of.fields.iter().filter(|field| is_changed(&field.shape, &STEPS)) {
        fill_field(map, field, table);
    }
    if let Some(change) = steps.converted {
        change(map);
    }
}

fn fill_field(map: &mut Map, field: &Field, table: &Table) {
    match map.get_mut(&field.name) {
        Some(value) => fill_value(value, &field.shape, table),
        // A struct that is no pointer is there, whether it is written or not.
        None if !field.is_pointer => {
            let Shape::Named(id, _) = table.resolved(&field.shape) else { return };
            let mut made = Map::new();
            fill(&mut made, table.of(*id), table);
            if !made.is_empty() {
                map.insert(field.name.clone(), Value::object(made));
            }
        }
        None => {}
    }
}

fn fill_value(value: &mut Value, shape: &Shape, table: &Table) {
    match shape {
        Shape::Named(id, _) => {
            let of = table.of(*id);
            match &of.same {
                Some(same @ Shape::Named(..)) => fill_value(value, same, table),
                Some(_) | None => {
                    if let Some(map) = value.object_mut() {
                        fill(map, of, table);
                    }
                }
            }
        }
        Shape::List(inner, _) => {
            for item in value.array_mut().into_iter().flatten() {
                fill_value(item, inner, table);
            }
        }
        _ => {}
    }
}

fn fill_at(map: &mut Map, path: &[Str], value: &Value) {
    match path {
        [] => {}
        [key] => {
            if !map.contains_key(key) {
                map.insert(key.clone(), value.clone());
            }
        }
        [key, rest @ ..] => {
            if !map.contains_key(key) {
                map.insert(key.clone(), Value::object(Map::new()));
            }
            if let Some(map) = map.get_mut(key).and_then(Value::object_mut) {
                fill_at(map, rest, value);
            }
        }
    }
}
