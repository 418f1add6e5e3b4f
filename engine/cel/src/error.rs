//! What goes wrong while an expression is evaluated: a kind, a place, and cel-go's words when they are asked for.

use crate::ast::ExprId;
use crate::value::Value;
use engine_json::Str;
use std::fmt::{Display, Formatter, Result as FmtResult};

/// What evaluation gives.
pub type Outcome<'v> = Result<Value<'v>, Box<Error>>;

/// An error of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// What went wrong.
    pub kind: Kind,
    /// The node at which it went wrong.
    pub at: Option<ExprId>,
}

/// What went wrong. `Display` gives cel-go's words.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A map has no such key; anything else has no keys.
    NoSuchKey(Str),
    /// A list has no such place.
    OutOfBounds(Str),
    /// A variable is not there.
    NoSuchAttribute(Str),
    /// The types do not fit; without a name.
    NoOverload,
    /// The first value does not have the operation.
    NoOperation(&'static str),
    /// The types do not fit a function.
    NoOverloadOf {
        /// The function.
        name: &'static str,
        /// The types of its arguments.
        types: Box<[Str]>,
    },
    /// In words of its own.
    Text(Str),
    /// The original panics and catches it at the end of the evaluation. Nothing absorbs it.
    Internal(Str),
    /// The cost limit is reached. Nothing absorbs it.
    CostLimit,
    /// A bound of this engine is reached, by name. Nothing absorbs it.
    Bound(&'static str),
}

impl Error {
    /// An error without a place yet.
    pub fn new(kind: Kind) -> Box<Self> {
        Box::new(Error { kind, at: None })
    }

    /// An error in words of its own.
    pub fn text(text: impl Into<Str>) -> Box<Self> {
        Error::new(Kind::Text(text.into()))
    }

    /// `no such overload`.
    pub fn no_overload() -> Box<Self> {
        Error::new(Kind::NoOverload)
    }

    /// What the original says after a panic.
    pub fn internal(text: impl Into<Str>) -> Box<Self> {
        Error::new(Kind::Internal(text.into()))
    }

    /// Whether it ends the evaluation, whatever stands around it.
    pub fn is_final(&self) -> bool {
        matches!(self.kind, Kind::CostLimit | Kind::Bound(_) | Kind::Internal(_))
    }

    /// The same as what another evaluation finds of it: what ended one ends no other, save this engine's own bounds.
    #[must_use]
    pub fn outside(mut self: Box<Self>) -> Box<Self> {
        if matches!(self.kind, Kind::CostLimit | Kind::Internal(_)) {
            self.kind = Kind::Text(Str::from(self.to_string()));
        }
        self
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        self.kind.fmt(f)
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Kind::NoSuchKey(key) => write!(f, "no such key: {key}"),
            Kind::OutOfBounds(index) => write!(f, "index out of bounds: {index}"),
            Kind::NoSuchAttribute(name) => write!(f, "no such attribute(s): {name}"),
            Kind::NoOverload => f.write_str("no such overload"),
            Kind::NoOperation(name) => write!(f, "no such overload: {name}"),
            Kind::NoOverloadOf { name, types } => {
                write!(f, "no such overload: {name}(")?;
                for (at, of) in types.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    f.write_str(of)?;
                }
                f.write_str(")")
            }
            Kind::Text(text) => f.write_str(text),
            Kind::Internal(text) => write!(f, "internal error: {text}"),
            Kind::CostLimit => f.write_str("operation cancelled: actual cost limit exceeded"),
            Kind::Bound(name) => write!(f, "the evaluation is too large: {name}"),
        }
    }
}
