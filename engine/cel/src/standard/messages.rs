//! Protobuf's well-known messages, which can be written as objects: `google.protobuf.Int32Value{value: 1}`.

use crate::env::{Env, Identifier, TypeKind};
use crate::types::Type;
use engine_json::Str;
use std::sync::Arc;

/// A message: its name, the type that it is, and its fields.
type Message = (&'static str, Type, Vec<(&'static str, Type)>);

/// The environment with the well-known messages: the type that each is, and its fields.
// cel-go: common/types/provider.go, checker.isWellKnownType.
#[must_use]
pub fn with_messages(env: Env) -> Env {
    let wrapper = |of: Type| Type::Wrapper(Arc::new(of));
    let object = || Type::map(Type::String, Type::Dyn);
    let wrappers = [
        ("BoolValue", Type::Bool),
        ("Int32Value", Type::Int),
        ("Int64Value", Type::Int),
        ("UInt32Value", Type::Uint),
        ("UInt64Value", Type::Uint),
        ("FloatValue", Type::Double),
        ("DoubleValue", Type::Double),
        ("StringValue", Type::String),
        ("BytesValue", Type::Bytes),
    ];
    let mut messages: Vec<Message> = vec![
        ("Timestamp", Type::Timestamp, vec![("seconds", Type::Int), ("nanos", Type::Int)]),
        ("Duration", Type::Duration, vec![("seconds", Type::Int), ("nanos", Type::Int)]),
        ("Struct", object(), vec![("fields", object())]),
        ("ListValue", Type::list(Type::Dyn), vec![("values", Type::list(Type::Dyn))]),
        (
            "Value",
            Type::Dyn,
            vec![
                ("null_value", Type::Int),
                ("number_value", Type::Double),
                ("string_value", Type::String),
                ("bool_value", Type::Bool),
                ("struct_value", object()),
                ("list_value", Type::list(Type::Dyn)),
            ],
        ),
    ];
    let of_wrapper = |(name, of): (&'static str, Type)| (name, wrapper(of.clone()), vec![("value", of)]);
    messages.extend(wrappers.into_iter().map(of_wrapper));
    messages.into_iter().fold(env, |env, (name, of, fields)| {
        let name = format!("google.protobuf.{name}");
        let fields = fields.into_iter().map(|(field, of)| (Str::from(field), of)).collect();
        env.with_type(&name, TypeKind::Struct(fields)).with_identifier(&name, Identifier::Type(of))
    })
}
