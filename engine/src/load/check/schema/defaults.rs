//! A policy as Kyverno's types hold it.
//!
//! In: a policy as written. Out: the same without nulls where the schema takes none and without what the types
//! have no field for; and, where the schema is asked, with its defaults.

use super::blocks::{LOOSE_ANY_ALL, LOOSE_CONDITION};
use super::{Kind, Scalar, Strictness, Struct, Version};
use engine_json::{Map, Value};

/// Whether the schema fills in what is absent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super::super) enum Defaults {
    /// It does, as this version has it.
    Filled(Version),
    /// The schema does not look here: items of a `List`, and what it takes as any JSON.
    Absent,
}

impl Defaults {
    /// What is filled in where the schema is looked at so.
    pub(in super::super::super) fn of(strictness: Strictness) -> Self {
        match strictness {
            Strictness::Schema(version) => Defaults::Filled(version),
            Strictness::Types | Strictness::Loose => Defaults::Absent,
        }
    }
}

/// The value as this type holds it. What the types take as any JSON is shared, not copied.
// Kyverno: kubectl-validate decodes with the structural schema; a null where none is allowed counts as absent.
pub(in super::super::super) fn typed(value: &Value, of: &Struct, defaults: Defaults) -> Value {
    let mut held = Map::new();
    for (key, item) in value.as_object().into_iter().flat_map(Map::iter) {
        let field = of.fields.iter().find(|field| field.name == key);
        if let Some(field) = field.filter(|_| !item.is_null()) {
            held.insert(key.clone(), hold(item, &field.kind, defaults));
        }
    }
    if let Defaults::Filled(version) = defaults {
        for field in of.fields.iter().filter(|field| version.has(field)) {
            let default = match field.default {
                Scalar::Nothing => continue,
                Scalar::Flag(flag) => Value::Bool(flag),
                Scalar::Text(text) => Value::from(text),
            };
            if !held.contains_key(field.name) {
                held.insert(field.name, default);
            }
        }
    }
    Value::object(held)
}

fn hold(value: &Value, kind: &Kind, defaults: Defaults) -> Value {
    let list = |items: &[Value], of: &Struct, defaults: Defaults| {
        Value::array(items.iter().map(|item| typed(item, of, defaults)).collect())
    };
    match (kind, value) {
        (Kind::Struct(of) | Kind::Pointer(of), Value::Object(_)) => typed(value, of, defaults),
        (Kind::Structs(of), Value::Array(items)) => list(items, of, defaults),
        (Kind::Loops(of), Value::Array(items)) => list(items, of, Defaults::Absent),
        (Kind::Conditions | Kind::RuleConditions, Value::Array(items)) => {
            list(items, &LOOSE_CONDITION, Defaults::Absent)
        }
        (Kind::Conditions | Kind::RuleConditions, Value::Object(_)) => {
            typed(value, &LOOSE_ANY_ALL, Defaults::Absent)
        }
        (Kind::List(of), Value::Array(items)) => {
            Value::array(items.iter().map(|item| hold(item, of, defaults)).collect())
        }
        (Kind::Map(of), Value::Object(map)) => {
            let entries = map.iter().filter(|(_, item)| !item.is_null());
            Value::object(entries.map(|(key, item)| (key.clone(), hold(item, of, defaults))).collect())
        }
        (
            Kind::Text
            | Kind::Name
            | Kind::OneOf(_)
            | Kind::Flag
            | Kind::Integer(_)
            | Kind::List(_)
            | Kind::Structs(_)
            | Kind::Map(_)
            | Kind::Struct(_)
            | Kind::Pointer(_)
            | Kind::Any
            | Kind::Conditions
            | Kind::RuleConditions
            | Kind::Loops(_),
            _,
        ) => value.clone(),
    }
}
