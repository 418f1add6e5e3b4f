//! What a node evaluates to, and what a function is given: a value, borrowed while that is possible, or an
//! expression to evaluate.
//!
//! Example: in `map(&a, list)` the arguments are `Expression(a)` and `Borrowed([…])`.

use crate::ast::Node;
use crate::go_format::{go_format, go_format_expression};
use engine_json::{Map, Value};
use std::sync::Arc;

/// A value on its way through an expression.
#[derive(Clone, Debug)]
pub enum Argument<'a> {
    /// A part of the document, or a literal.
    Borrowed(&'a Value),
    /// A value that the expression made.
    Owned(Value),
    /// A list of maps with Go's own type for it, `[]map[string]interface {}`, as Kyverno's `items` returns; the
    /// original's functions over lists know only `[]interface {}`.
    Objects(Value),
    /// `&expression`.
    Expression(&'a Node),
}

/// Go's `nil`.
pub(crate) const NULL: Argument<'static> = Argument::Owned(Value::Null);

impl<'a> Argument<'a> {
    /// The value; `None` if this is an expression.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Argument::Borrowed(value) => Some(value),
            Argument::Owned(value) | Argument::Objects(value) => Some(value),
            Argument::Expression(_) => None,
        }
    }

    /// The expression, if this is one.
    pub fn expression(&self) -> Option<&'a Node> {
        if let Argument::Expression(node) = self { Some(node) } else { None }
    }

    /// The text, if this is a string.
    pub fn text(&self) -> Option<&str> {
        self.value().and_then(Value::as_str)
    }

    /// The number, if this is a `float64`: no other number counts as one.
    pub fn number(&self) -> Option<f64> {
        match self.value() {
            Some(Value::Number(engine_json::Number::Float(f))) => Some(*f),
            _ => None,
        }
    }

    /// The list, if this is one of any type.
    pub fn list(&self) -> Option<&[Value]> {
        self.value().and_then(Value::as_array)
    }

    /// The list, if this is Go's `[]interface {}`.
    pub fn plain_list(&self) -> Option<&[Value]> {
        match self {
            Argument::Borrowed(value) => value.as_array(),
            Argument::Owned(value) => value.as_array(),
            Argument::Objects(_) | Argument::Expression(_) => None,
        }
    }

    /// The map, if this is one.
    pub fn object(&self) -> Option<&Map> {
        self.value().and_then(Value::as_object)
    }

    /// Whether this is Go's `nil`.
    pub fn is_null(&self) -> bool {
        matches!(self.value(), Some(Value::Null))
    }

    /// Whether a condition holds with this value: null, false and what is empty are false.
    pub fn is_truthy(&self) -> bool {
        match self.value() {
            Some(Value::Null) => false,
            Some(Value::Bool(b)) => *b,
            Some(Value::Number(_)) | None => true,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(list)) => !list.is_empty(),
            Some(Value::Object(map)) => !map.is_empty(),
        }
    }

    /// The value, shared with its source. An expression becomes an empty map, which is how the original's struct
    /// for it looks in JSON.
    pub fn into_value(self) -> Value {
        match self {
            Argument::Borrowed(value) => value.clone(),
            Argument::Owned(value) | Argument::Objects(value) => value,
            Argument::Expression(_) => Value::object(Map::new()),
        }
    }

    /// The value, shared with this argument; see [`Argument::into_value`].
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// As Go's `%v` prints it.
    pub fn go_format(&self) -> String {
        match self {
            Argument::Borrowed(value) => go_format(value),
            Argument::Owned(value) | Argument::Objects(value) => go_format(value),
            Argument::Expression(node) => go_format_expression(node),
        }
    }

    /// The name of the Go type, as `%T` prints it.
    pub fn go_type(&self) -> &'static str {
        match self {
            Argument::Borrowed(value) => value.go_type(),
            Argument::Owned(value) => value.go_type(),
            Argument::Objects(_) => "[]map[string]interface {}",
            Argument::Expression(_) => "jmespath.expRef",
        }
    }

    /// Go's deep equality: same type, same value.
    pub(crate) fn equals(&self, other: &Argument<'_>) -> bool {
        match (self, other) {
            (Argument::Expression(a), Argument::Expression(b)) => a == b,
            (Argument::Objects(a), Argument::Objects(b)) => a == b,
            (Argument::Objects(_), _) | (_, Argument::Objects(_)) => false,
            (a, b) => a.value().is_some() && a.value() == b.value(),
        }
    }

    /// A part of this value, borrowed from where the value is; null where there is none.
    pub(crate) fn part(&self, pick: impl FnOnce(&Value) -> Option<&Value>) -> Option<Argument<'a>> {
        match self {
            Argument::Borrowed(value) => pick(value).map(Argument::Borrowed),
            Argument::Owned(value) | Argument::Objects(value) => pick(value).cloned().map(Argument::Owned),
            Argument::Expression(_) => None,
        }
    }

    /// The elements, if this is a list.
    pub(crate) fn elements(self) -> Option<Elements<'a>> {
        match self {
            Argument::Borrowed(Value::Array(list)) => Some(Elements::Borrowed(list.iter())),
            Argument::Owned(Value::Array(list)) | Argument::Objects(Value::Array(list)) => {
                // Moves the elements out where nobody else holds the list.
                Some(Elements::Owned(Arc::unwrap_or_clone(list).into_iter()))
            }
            Argument::Borrowed(_) | Argument::Owned(_) | Argument::Objects(_) | Argument::Expression(_) => {
                None
            }
        }
    }
}

/// The elements of a list, one by one.
pub(crate) enum Elements<'a> {
    Borrowed(std::slice::Iter<'a, Value>),
    Owned(std::vec::IntoIter<Value>),
}

impl<'a> Iterator for Elements<'a> {
    type Item = Argument<'a>;

    fn next(&mut self) -> Option<Argument<'a>> {
        match self {
            Elements::Borrowed(list) => list.next().map(Argument::Borrowed),
            Elements::Owned(list) => list.next().map(Argument::Owned),
        }
    }
}
