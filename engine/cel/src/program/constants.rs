//! Constants: written ones, and those that are folded.

use super::build::Builder;
use super::{Callee, Constant, invoke};
use crate::ast::Literal;
use crate::error::Error;
use crate::function::Host;
use crate::value::{Map, Value};
use engine_json::Str;

/// The functions that cel-go folds when their one argument is constant.
// cel-go: common/overloads/overloads.go, IsTypeConversionFunction.
const CONVERSIONS: [&str; 11] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "list", "string", "timestamp", "type", "uint"];

/// The types of what can be constant.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];

impl Constant {
    pub(super) fn of_literal(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Constant::Value(Value::Null),
            Literal::Bool(b) => Constant::Value(Value::Bool(*b)),
            Literal::Int(i) => Constant::Value(Value::Int(*i)),
            Literal::Uint(u) => Constant::Value(Value::Uint(*u)),
            Literal::Double(d) => Constant::Value(Value::Double(*d)),
            Literal::String(text) => Constant::Text(text.as_str().into()),
            Literal::Bytes(bytes) => Constant::Bytes(bytes.clone()),
        }
    }

    /// A value that was computed as a constant.
    fn of_value(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Str(text) => Constant::Text((*text).into()),
            Value::Text(text) => Constant::Text((**text).into()),
            Value::Bytes(bytes) => Constant::Bytes((*bytes).into()),
            Value::Octets(bytes) => Constant::Bytes((**bytes).into()),
            Value::Type(name) => Constant::Type(Str::from(*name)),
            other => Constant::Value(owned(other)?),
        })
    }
}

/// The value without anything borrowed, where it can be had so.
fn owned(value: &Value<'_>) -> Option<Value<'static>> {
    Some(match value {
        Value::Null => Value::Null,
        Value::Bool(b) => Value::Bool(*b),
        Value::Int(i) => Value::Int(*i),
        Value::Uint(u) => Value::Uint(*u),
        Value::Double(d) => Value::Double(*d),
        Value::Str(text) => Value::text(text),
        Value::Text(text) => Value::Text(text.clone()),
        Value::Bytes(bytes) => Value::Octets((*bytes).into()),
        Value::Octets(bytes) => Value::Octets(bytes.clone()),
        Value::Duration(nanoseconds) => Value::Duration(*nanoseconds),
        Value::Timestamp(at) => Value::Timestamp(*at),
        Value::List(list) => Value::list(list.iter().map(owned).collect::<Option<_>>()?),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| Some((owned(key)?, owned(value)?)));
            Value::map(entries.collect::<Option<Map<'static>>>()?)
        }
        Value::Opaque(opaque) => Value::Opaque(opaque.clone()),
        Value::Type(name) => Value::Type(TYPES.into_iter().find(|known| known == name)?),
        Value::Optional(_) | Value::JsonList(..) | Value::JsonMap(..) => return None,
    })
}

impl Builder<'_> {
    /// The list of these nodes, if all are constants.
    // cel-go: decorators.go maybeBuildListLiteral.
    pub(super) fn constant_list(&self, nodes: &[u32]) -> Option<Constant> {
        let values = nodes.iter().map(|node| owned(&self.constant_at(*node)?.value()));
        Some(Constant::Value(Value::list(values.collect::<Option<_>>()?)))
    }

    /// The map of keys, values and marks, if all are constants and none is optional.
    pub(super) fn constant_map(&self, nodes: &[u32]) -> Option<Constant> {
        let mut map = Map::with_capacity(nodes.len() / 3);
        for entry in nodes.chunks(3) {
            let [key, value, 0] = entry else { return None };
            let key = owned(&self.constant_at(*key)?.value())?;
            // Bytes are not keys in Go: the original ends with a panic here, this engine when the map is made.
            if key.as_bytes().is_some() {
                return None;
            }
            map.insert(key, owned(&self.constant_at(*value)?.value())?);
        }
        Some(Constant::Value(Value::map(map)))
    }

    /// What a conversion gives for a constant, if this is one.
    ///
    /// # Errors
    /// The conversion fails and folding is on: then the program fails.
    // cel-go: decorators.go maybeOptimizeConstUnary.
    pub(super) fn folded(&self, callee: &Callee, args: &[u32]) -> Result<Option<Constant>, Box<Error>> {
        let [arg] = args else { return Ok(None) };
        if !CONVERSIONS.contains(&callee.name) {
            return Ok(None);
        }
        let Some(constant) = self.constant_at(*arg) else { return Ok(None) };
        let mut host = Host::new(None, &[]);
        match invoke(&mut host, callee, &mut [constant.value()]) {
            Ok(value) => Ok(Constant::of_value(&value)),
            Err(error) if self.options.fold => Err(error),
            Err(_) => Ok(None),
        }
    }
}
