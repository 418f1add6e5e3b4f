//! Explanations: why a rule decided as it did, and what would make it decide otherwise.

use super::{Diagnostic, Input, ObjectRef, Range, Refused, Step, Version};
use serde::{Deserialize, Serialize};

/// What is to be explained.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ExplainInput {
    /// What is to be decided; its `trace` makes no difference.
    pub input: Input,
    /// Only rules of this name, as written or as autogen names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Only what is said of this resource, by kind, namespace and name, and where it has a range by the line and the column at
    /// which it begins (any column where that is 0); of the first 20 of several, and of all resources where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ObjectRef>,
    /// Leaves out the search for edits.
    pub no_edits: bool,
    /// Says of every step which fields of the resource it looked at.
    pub reads: bool,
}

/// Why everything was decided as it was.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplainOutput {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read and evaluated; zero failures are a pass only then. What was not is named by
    /// the diagnostics that are errors.
    pub complete: bool,
    /// One entry a policy, resource and rule, in the order of evaluation.
    pub explanations: Vec<Explanation>,
    /// Policies that Kyverno refuses, with its words.
    pub refused: Vec<Refused>,
    /// What is to be said about the texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why one rule said what it said of one resource.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Explanation {
    /// The policy.
    pub policy: ObjectRef,
    /// The resource.
    pub resource: ObjectRef,
    /// The rule's name; with `autogen-` before it where autogen made the rule; empty where no rule was asked.
    pub rule: String,
    /// The rule as the author named it, where autogen made this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autogen: Option<String>,
    /// `pass`, `fail`, `warn`, `error`, `skip`, `noMatch` for a rule that is not for the resource, or
    /// `undecided` for one that is and is of a kind that is not evaluated.
    pub verdict: String,
    /// What a cluster would do with the request because of it: `allow`, `report`, `warn` or `deny`.
    pub effect: String,
    /// Kyverno's words; empty where no rule spoke.
    pub message: String,
    /// Why, in one sentence: the step that decided.
    pub sentence: String,
    /// The steps that decided, by their places in `steps`; the first is the one of the sentence.
    pub deciding: Vec<u32>,
    /// The fields of the resource that these steps looked at.
    pub fields: Vec<ExplainField>,
    /// What happened on the way.
    pub steps: Vec<Step>,
    /// The smallest edits found that make a failing rule pass; tried on the resource. Empty where none were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// The fields that the steps looked at, where `reads` was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<ExplainRead>,
}

/// A field of the resource that a step looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplainRead {
    /// The step, by its place in `steps`; absent for a check of the Pod Security Standards that passes beside others that
    /// do not, and is not a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The way to the field.
    pub path: String,
    /// Whether the resource has no such field.
    pub absent: bool,
    /// Its lines; those of what holds it where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A field of the resource that decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExplainField {
    /// The way to it: `spec.containers[0].image`.
    pub path: String,
    /// Its value as JSON; absent where the resource has no such field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What the policy wants there, as JSON: a part of a pattern, or the other side of a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The literals of the expression that reads it, as JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub literals: Vec<String>,
    /// Its lines; those of what holds it where the field is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A change of one field of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    /// The way to the field.
    pub path: String,
    /// Its value before, as JSON; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its value after, as JSON; absent where it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The changed lines with what they stand in, as YAML; empty where the field goes.
    pub yaml: String,
    /// The lines that change; those of what holds the field where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}
