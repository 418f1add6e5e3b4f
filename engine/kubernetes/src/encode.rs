//! An object written again out of the types of Go.
//!
//! In: an object as `decode` leaves it. Out: the same without what is left out where it is empty, and with what is written without a value.
//! Mirrors: encoding/json: `omitempty` and `omitzero`.

use crate::scalar::zero;
use crate::table::{Field, Shape, Table, Type};
use engine_json::{Map, Str, Value};

/// Whether lists and maps without items are what they are, or nothing, as after etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// As they were written.
    Kept,
    /// Protocol buffers do not tell an empty list from none.
    Null,
}

/// Writes the fields of an object.
pub(crate) fn write(map: &mut Map, of: &Type, table: &Table, empty: Empty) {
    let mut has_left = false;
    for (key, value) in map.iter_mut() {
        let Some(field) = of.field(key) else { continue };
        write_value(value, &field.shape, table, empty);
        let is_left = is_left_out(value, field, table);
        has_left |= is_left;
        if !is_left
            && empty == Empty::Null
            && is_empty(value, table.resolved(&field.shape))
            && !field.is_pointer
        {
            *value = Value::Null;
        }
    }
    if has_left {
        map.retain(|key, value| of.field(key).is_none_or(|field| !is_left_out(value, field, table)));
    }
    for field in of.always.iter().filter_map(|at| of.fields.get(*at)) {
        if !map.contains_key(&field.name) {
            map.insert(field.name.clone(), absent(field, table, empty));
        }
    }
}

/// Whether writing changes nothing: an object that shares its parts with another is not copied then.
pub(crate) fn is_written(map: &Map, of: &Type, table: &Table) -> bool {
    let is_kept = |(key, value): (&Str, &Value)| {
        of.field(key).is_none_or(|field| {
            !is_left_out(value, field, table) && is_value_written(value, &field.shape, table)
        })
    };
    let mut always = of.always.iter().filter_map(|at| of.fields.get(*at));
    map.iter().all(is_kept) && always.all(|field| map.contains_key(&field.name))
}

fn is_value_written(value: &Value, shape: &Shape, table: &Table) -> bool {
    match (table.resolved(shape), value) {
        (Shape::Named(id, _), Value::Object(map)) => {
            is_plain(table.of(*id)) || is_written(map, table.of(*id), table)
        }
        (Shape::List(inner, _), Value::Array(items)) => {
            items.iter().all(|item| is_value_written(item, inner, table))
        }
        (Shape::Map(inner, _), Value::Object(map)) => {
            map.values().all(|item| is_value_written(item, inner, table))
        }
        _ => true,
    }
}

fn write_value(value: &mut Value, shape: &Shape, table: &Table, empty: Empty) {
    match (table.resolved(shape), value) {
        (Shape::Named(id, _), Value::Object(_)) if is_plain(table.of(*id)) => {}
        (Shape::Named(id, _), value) => {
            if let Some(map) = value.object_mut() {
                write(map, table.of(*id), table, empty);
            }
        }
        (Shape::List(inner, _), value) if matches!(table.resolved(inner), Shape::Named(..)) => {
            for item in value.array_mut().into_iter().flatten() {
                write_value(item, inner, table, empty);
            }
        }
        (Shape::Map(inner, _), value) if matches!(table.resolved(inner), Shape::Named(..)) => {
            for (_, item) in value.object_mut().into_iter().flat_map(Map::iter_mut) {
                write_value(item, inner, table, empty);
            }
        }
        (Shape::Map(inner, _), value) if empty == Empty::Null && *table.resolved(inner) == Shape::Bytes => {
            for (_, item) in
                value.object_mut().into_iter().flat_map(Map::iter_mut).filter(|(_, item)| item.is_null())
            {
                *item = Value::from("");
            }
        }
        _ => {}
    }
}

fn is_plain(of: &Type) -> bool {
    of.fields.is_empty()
}

fn is_left_out(value: &Value, field: &Field, table: &Table) -> bool {
    let is_empty = match value {
        Value::Array(items) => field.omits_empty && items.is_empty(),
        // No bytes are an empty list.
        Value::String(text) => {
            field.omits_empty && text.is_empty() && *table.resolved(&field.shape) == Shape::Bytes
        }
        Value::Object(map) => {
            let is_map = matches!(table.resolved(&field.shape), Shape::Map(..));
            map.is_empty() && ((field.omits_empty && is_map) || (field.omits_zero && !is_map))
        }
        _ => false,
    };
    is_empty && !field.is_pointer
}

fn is_empty(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::List(..), Value::Array(items)) => items.is_empty(),
        (Shape::Map(..), Value::Object(map)) => map.is_empty(),
        _ => false,
    }
}

/// What is written where a field has no value.
fn absent(field: &Field, table: &Table, empty: Empty) -> Value {
    match table.resolved(&field.shape) {
        _ if field.is_pointer => Value::Null,
        Shape::Named(id, _) => {
            let mut map = Map::new();
            write(&mut map, table.of(*id), table, empty);
            Value::object(map)
        }
        shape => zero(shape),
    }
}
