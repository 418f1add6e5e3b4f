//! `&&`, `||`, `!`, `?:` and equality.

use super::Evaluation;
use crate::cost::{size, traversal};
use crate::error::{Error, Outcome};
use crate::program::Constant;
use crate::value::{Equality, Value, characters, equal};

/// What a step says that gives a bool; small enough to travel in registers.
pub(super) enum Truth {
    No,
    Yes,
    Failed(Box<Error>),
}

impl Truth {
    /// What an outcome says where a bool is asked for.
    pub(super) fn of(outcome: Outcome<'_>) -> Self {
        match outcome {
            Ok(Value::Bool(is)) => Truth::from(is),
            Ok(_) => Truth::Failed(Error::no_overload()),
            Err(error) => Truth::Failed(error),
        }
    }
}

impl From<bool> for Truth {
    fn from(is: bool) -> Self {
        if is { Truth::Yes } else { Truth::No }
    }
}

impl From<Result<bool, Box<Error>>> for Truth {
    fn from(result: Result<bool, Box<Error>>) -> Self {
        result.map_or_else(Truth::Failed, Truth::from)
    }
}

impl From<Truth> for Outcome<'_> {
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::No => Ok(Value::Bool(false)),
            Truth::Yes => Ok(Value::Bool(true)),
            Truth::Failed(error) => Err(error),
        }
    }
}

impl<'a, 'v: 'a> Evaluation<'a, 'v> {
    /// `&&` is decided by a false, `||` by a true; else the first error counts. Errors that end the evaluation do.
    pub(super) fn either(&mut self, at: u32, a: u32, b: u32, decides: bool) -> Truth {
        let failed = match (self.truth(a), decides) {
            (Truth::No, false) | (Truth::Yes, true) => {
                self.decided(at, 0);
                return Truth::from(decides);
            }
            (Truth::Failed(error), _) if error.is_final() => return Truth::Failed(error),
            (Truth::Failed(error), _) => Some(error),
            (Truth::No | Truth::Yes, _) => None,
        };
        match (self.truth(b), decides, failed) {
            (Truth::No, false, _) | (Truth::Yes, true, _) => {
                self.decided(at, 1);
                Truth::from(decides)
            }
            (Truth::Failed(error), ..) if error.is_final() => Truth::Failed(error),
            (_, _, Some(error)) | (Truth::Failed(error), _, None) => Truth::Failed(error),
            (Truth::No | Truth::Yes, _, None) => Truth::from(!decides),
        }
    }

    pub(super) fn many(&mut self, at: u32, first: u32, count: u32, decides: bool) -> Truth {
        let mut failed = None;
        for operand in 0..count {
            match (self.truth(self.argument(first.saturating_add(operand))), decides) {
                (Truth::No, false) | (Truth::Yes, true) => {
                    self.decided(at, operand as usize);
                    return Truth::from(decides);
                }
                (Truth::Failed(error), _) if error.is_final() => return Truth::Failed(error),
                (Truth::Failed(error), _) => failed = failed.or(Some(error)),
                (Truth::No | Truth::Yes, _) => {}
            }
        }
        failed.map_or(Truth::from(!decides), Truth::Failed)
    }

    pub(super) fn not(&mut self, a: u32) -> Truth {
        let truth = self.truth(a);
        self.charge(1);
        match truth {
            Truth::No => Truth::Yes,
            Truth::Yes => Truth::No,
            failed @ Truth::Failed(_) => failed,
        }
    }

    pub(super) fn conditional(&mut self, at: u32, condition: u32, yes: u32, no: u32) -> Outcome<'v> {
        match self.truth(condition) {
            Truth::Yes => {
                self.decided(at, 0);
                self.eval(yes)
            }
            Truth::No => {
                self.decided(at, 1);
                self.eval(no)
            }
            Truth::Failed(error) => Err(error),
        }
    }

    // cel-go: evalEq and evalNe; a refused comparison is an error for `==`, and unequal for `!=`.
    pub(super) fn equal(&mut self, a: u32, b: u32, wanted: bool) -> Truth {
        let a = self.eval(a);
        let Ok(left) = &a else { return Truth::of(a) };
        match self.written(b) {
            Some(Constant::Text(right)) => match left.as_str() {
                Some(left) => {
                    self.charge(shorter(left, right));
                    Truth::from((left == &**right) == wanted)
                }
                None => self.compared(left, &Value::Str(right), wanted),
            },
            Some(Constant::Value(right)) => self.compared(left, right, wanted),
            _ => {
                let b = self.eval(b);
                if let Ok(right) = &b {
                    return self.compared(left, right, wanted);
                }
                let is_refusing = wanted && matches!(left, Value::Opaque(_));
                self.charge(if is_refusing { 1 } else { smaller(left, &Value::Null) });
                Truth::of(b)
            }
        }
    }

    fn compared(&mut self, left: &Value<'v>, right: &Value<'v>, wanted: bool) -> Truth {
        if let (Value::Bool(left), Value::Bool(right)) = (left, right) {
            self.charge(1);
            return Truth::from((left == right) == wanted);
        }
        if let (Some(left), Some(right)) = (left.as_str(), right.as_str()) {
            self.charge(shorter(left, right));
            return Truth::from((left == right) == wanted);
        }
        let is_refusing = wanted && matches!(left, Value::Opaque(_));
        self.charge(if is_refusing { 1 } else { smaller(left, right) });
        match equal(left, right) {
            Equality::NoOverload if wanted => Truth::Failed(Error::no_overload()),
            equality => Truth::from((equality == Equality::Equal) == wanted),
        }
    }
}

/// What it costs to compare two texts.
fn shorter(a: &str, b: &str) -> u64 {
    // A text of up to ten bytes is gone through for 1, however many characters they are.
    match a.len().min(b.len()) {
        0 => 0,
        1..=10 => 1,
        _ => traversal(characters(a).min(characters(b)), 1),
    }
}

/// What it costs to compare two values; most have no size or are short.
pub(super) fn smaller(a: &Value<'_>, b: &Value<'_>) -> u64 {
    let scalar = |value: &Value<'_>| {
        matches!(value, Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_))
    };
    let empty = |value: &Value<'_>| size(value) == 0;
    // A value without a size counts as 1, and the smaller of two counts.
    match (scalar(a), scalar(b)) {
        (true, true) => 1,
        (true, false) => u64::from(!empty(b)),
        (false, true) => u64::from(!empty(a)),
        (false, false) => traversal(size(a).min(size(b)), 1),
    }
}
