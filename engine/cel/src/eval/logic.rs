//! `&&`, `||`, `!`, `?:` and equality.

use super::Evaluation;
use crate::cost::SMALLER;
use crate::error::{Error, Outcome};
use crate::value::{Equality, Value, equal};

/// What an operand of `&&` and `||` says.
enum Side {
    Is(bool),
    Failed(Box<Error>),
}

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    /// An operand as a bool; errors that end the evaluation do.
    fn side(&mut self, at: u32) -> Result<Side, Box<Error>> {
        match self.eval(at) {
            Ok(Value::Bool(b)) => Ok(Side::Is(b)),
            Ok(_) => Ok(Side::Failed(Error::no_overload())),
            Err(error) if error.is_final() => Err(error),
            Err(error) => Ok(Side::Failed(error)),
        }
    }

    pub(super) fn and(&mut self, at: u32, a: u32, b: u32) -> Outcome<'v> {
        self.either(at, a, b, false)
    }

    pub(super) fn or(&mut self, at: u32, a: u32, b: u32) -> Outcome<'v> {
        self.either(at, a, b, true)
    }

    /// `&&` is decided by a false, `||` by a true; else the first error counts.
    fn either(&mut self, at: u32, a: u32, b: u32, decides: bool) -> Outcome<'v> {
        let failed = match self.side(a)? {
            Side::Is(is) if is == decides => {
                self.decided(at, 0);
                return Ok(Value::Bool(decides));
            }
            Side::Is(_) => None,
            Side::Failed(error) => Some(error),
        };
        match (self.side(b)?, failed) {
            (Side::Is(is), _) if is == decides => {
                self.decided(at, 1);
                Ok(Value::Bool(decides))
            }
            (_, Some(error)) | (Side::Failed(error), None) => Err(error),
            (Side::Is(_), None) => Ok(Value::Bool(!decides)),
        }
    }

    pub(super) fn many(&mut self, at: u32, first: u32, count: u32, decides: bool) -> Outcome<'v> {
        let mut failed = None;
        for operand in 0..count {
            match self.side(self.argument(first.saturating_add(operand)))? {
                Side::Is(is) if is == decides => {
                    self.decided(at, operand as usize);
                    return Ok(Value::Bool(decides));
                }
                Side::Is(_) => {}
                Side::Failed(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Value::Bool(!decides)), Err)
    }

    pub(super) fn not(&mut self, a: u32) -> Outcome<'v> {
        let value = self.eval(a);
        self.charge(1);
        match value? {
            Value::Bool(b) => Ok(Value::Bool(!b)),
            _ => Err(Error::no_overload()),
        }
    }

    pub(super) fn conditional(&mut self, at: u32, condition: u32, yes: u32, no: u32) -> Outcome<'v> {
        match self.eval(condition)? {
            Value::Bool(true) => {
                self.decided(at, 0);
                self.eval(yes)
            }
            Value::Bool(false) => {
                self.decided(at, 1);
                self.eval(no)
            }
            _ => Err(Error::no_overload()),
        }
    }

    // cel-go: evalEq and evalNe; a refused comparison is an error for `==`, and unequal for `!=`.
    pub(super) fn equal(&mut self, a: u32, b: u32, wanted: bool) -> Outcome<'v> {
        let a = self.eval(a)?;
        let b = self.eval(b);
        self.charge(match (&a, &b) {
            (Value::Opaque(_), _) if wanted => 1,
            (a, Ok(b)) => smaller(a, b),
            (a, Err(_)) => smaller(a, &Value::Null),
        });
        match equal(&a, &b?) {
            Equality::NoOverload if wanted => Err(Error::no_overload()),
            equality => Ok(Value::Bool((equality == Equality::Equal) == wanted)),
        }
    }
}

/// What it costs to compare two values; most have no size or are short.
pub(super) fn smaller(a: &Value<'_>, b: &Value<'_>) -> u64 {
    let scalar = |value: &Value<'_>| {
        matches!(value, Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_))
    };
    let empty = |value: &Value<'_>| value.size() == Some(0);
    if scalar(a) || scalar(b) {
        // A value without a size counts as 1, and the smaller of two counts.
        return u64::from(!(empty(a) || empty(b)));
    }
    let crate::cost::Cost::Args(rule) = SMALLER else { return 1 };
    rule(&[a.clone(), b.clone()])
}
