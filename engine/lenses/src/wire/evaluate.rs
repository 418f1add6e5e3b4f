//! The shapes of an expression's evaluation: where it stands, and its value with those of its parts.

use super::{Input, ObjectRef, Version};
use serde::{Deserialize, Serialize};

/// An expression of a policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EvaluateInput {
    /// The texts, as for `apply`.
    pub input: Input,
    /// In which of the texts the expression stands: `exceptions`, or else `policies`.
    pub place: String,
    /// Where it stands in the first of these texts, in UTF-16 units.
    pub at: u32,
    /// The expression, or a part of one; braces around it are left out.
    pub expression: String,
    /// The resource that it is evaluated on, by kind, namespace and name; the first that the rule is for where it is absent
    /// or the rule is not for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ObjectRef>,
}

/// Its value.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvaluateOutput {
    /// Whose values these are.
    pub version: Version,
    /// The rule in whose context it was evaluated.
    pub rule: String,
    /// The resource that it was evaluated on.
    pub resource: ObjectRef,
    /// The lists of the loops around it, outermost first: of each its first element was taken.
    pub loops: Vec<String>,
    /// The parts from the innermost to the whole expression, which comes last.
    pub values: Vec<Evaluated>,
}

/// A part of an expression and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluated {
    /// The part.
    pub expression: String,
    /// Its value as JSON; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it has none, in Kyverno's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
