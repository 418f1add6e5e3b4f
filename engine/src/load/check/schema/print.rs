//! Parts of a policy as `encoding/json` prints Kyverno's types.
//!
//! In: a value and the table of its type. Out: its fields in Go's order, empty ones left out as their tags say.

use super::blocks::{LOOSE_ANY_ALL, LOOSE_CONDITION};
use super::{Field, Kind, Shown, Struct};
use engine_json::{Value, write_json, write_string};

/// The value as Go prints this type.
pub(in super::super) fn go_json(value: &Value, of: &Struct) -> String {
    let mut out = String::new();
    write_struct(&mut out, value, of);
    out
}

/// Whether the value, put into this type, equals its zero value.
// Go: reflect.DeepEqual with the empty struct; an empty list or map differs from none.
pub(in super::super) fn is_zero(value: &Value, of: &Struct) -> bool {
    of.fields.iter().all(|field| {
        let Some(value) = value.get(field.name).filter(|value| !value.is_null()) else { return true };
        match (&field.kind, field.shown) {
            (Kind::Struct(of), _) => is_zero(value, of),
            (Kind::Text | Kind::Name | Kind::OneOf(_), Shown::Filled | Shown::Always) => {
                value.as_str() == Some("")
            }
            (Kind::Flag, Shown::Filled | Shown::Always) => value.as_bool() == Some(false),
            (
                Kind::Text
                | Kind::Name
                | Kind::OneOf(_)
                | Kind::Flag
                | Kind::Integer(_)
                | Kind::List(_)
                | Kind::Structs(_)
                | Kind::Map(_)
                | Kind::Pointer(_)
                | Kind::Any
                | Kind::Conditions
                | Kind::RuleConditions
                | Kind::Loops(_),
                _,
            ) => false,
        }
    })
}

/// Whether two values, put into this type, are equal.
// Go: reflect.DeepEqual; an empty list differs from none, an empty struct by value does not.
pub(in super::super) fn is_equal(one: &Value, other: &Value, of: &Struct) -> bool {
    of.fields.iter().all(|field| {
        let part = |value: &'_ Value| value.get(field.name).cloned().unwrap_or_default();
        let (one, other) = (part(one), part(other));
        match (&field.kind, &one, &other) {
            (Kind::Struct(of), _, _) | (Kind::Pointer(of), Value::Object(_), Value::Object(_)) => {
                is_equal(&one, &other, of)
            }
            (Kind::Structs(of), Value::Array(ones), Value::Array(others)) => {
                ones.len() == others.len()
                    && ones.iter().zip(others.iter()).all(|(one, other)| is_equal(one, other, of))
            }
            (Kind::Text | Kind::Name | Kind::OneOf(_), _, _) => {
                one.as_str().unwrap_or("") == other.as_str().unwrap_or("")
            }
            (
                Kind::Flag
                | Kind::Integer(_)
                | Kind::List(_)
                | Kind::Structs(_)
                | Kind::Map(_)
                | Kind::Pointer(_)
                | Kind::Any
                | Kind::Conditions
                | Kind::RuleConditions
                | Kind::Loops(_),
                _,
                _,
            ) => one == other,
        }
    })
}

fn write_struct(out: &mut String, value: &Value, of: &Struct) {
    out.push('{');
    let mut first = true;
    for field in of.fields {
        let held = value.get(field.name).unwrap_or(&Value::Null);
        if !is_shown(held, field) {
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        write_string(out, field.name);
        out.push(':');
        write_kind(out, held, &field.kind);
    }
    out.push('}');
}

fn is_shown(value: &Value, field: &Field) -> bool {
    match field.shown {
        Shown::Always => true,
        Shown::Present => !value.is_null(),
        Shown::Filled => match field.kind {
            Kind::Struct(_) => true,
            Kind::Pointer(_)
            | Kind::Any
            | Kind::Conditions
            | Kind::RuleConditions
            | Kind::Loops(_)
            | Kind::Integer(_) => !value.is_null(),
            Kind::Text
            | Kind::Name
            | Kind::OneOf(_)
            | Kind::Flag
            | Kind::List(_)
            | Kind::Structs(_)
            | Kind::Map(_) => !is_empty(value),
        },
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

fn write_kind(out: &mut String, value: &Value, kind: &Kind) {
    match kind {
        Kind::Text | Kind::Name | Kind::OneOf(_) => write_string(out, value.as_str().unwrap_or("")),
        Kind::Flag => out.push_str(if value.as_bool() == Some(true) { "true" } else { "false" }),
        Kind::Integer(_) | Kind::Any => write_json(out, value),
        Kind::List(of) => write_list(out, value, |out, item| write_kind(out, item, of)),
        Kind::Structs(of) | Kind::Loops(of) => {
            write_list(out, value, |out, item| write_struct(out, item, of));
        }
        Kind::Map(of) => write_map(out, value, of),
        Kind::Struct(of) | Kind::Pointer(of) => write_struct(out, value, of),
        Kind::Conditions | Kind::RuleConditions => match value {
            Value::Array(_) => write_list(out, value, |out, item| write_struct(out, item, &LOOSE_CONDITION)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                write_struct(out, value, &LOOSE_ANY_ALL);
            }
        },
    }
}

fn write_list(out: &mut String, value: &Value, write: impl Fn(&mut String, &Value)) {
    let Some(list) = value.as_array() else {
        out.push_str("null");
        return;
    };
    out.push('[');
    for (at, item) in list.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

fn write_map(out: &mut String, value: &Value, of: &Kind) {
    let Some(map) = value.as_object() else {
        out.push_str("null");
        return;
    };
    out.push('{');
    for (at, (key, item)) in map.sorted().into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_kind(out, item, of);
    }
    out.push('}');
}
