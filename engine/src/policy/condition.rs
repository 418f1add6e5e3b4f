//! Conditions: the preconditions of a rule and the conditions of deny.

use engine_json::{Path, Str, Value};

/// A block of conditions.
#[derive(Clone, Debug)]
pub enum Conditions {
    /// The old form: a list, all of which must hold.
    List(Vec<Condition>),
    /// `any` and `all`; `None` where the key is absent, which is not the same as empty.
    AnyAll {
        /// One of these must hold.
        any: Option<Vec<Condition>>,
        /// All of these must hold.
        all: Vec<Condition>,
    },
}

/// One condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The left side, with variables.
    pub key: Value,
    /// The operator as written.
    pub operator: Str,
    /// The right side, with variables.
    pub value: Value,
    /// What to say; empty for nothing.
    pub message: Str,
    /// Where it stands in the policy's document.
    pub path: Path,
}
