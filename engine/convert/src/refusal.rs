//! Why something is not converted.
//!
//! In: a place in a policy. Out: a [`Refusal`], with a class by which refusals are counted.

use engine_json::{Path, Segment};

/// What has no faithful form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A kind of rule.
    Rule,
    /// An attribute of `match` or `exclude`.
    Match,
    /// Something in a pattern.
    Pattern,
    /// An operator of conditions, or what it compares.
    Condition,
    /// An expression in JMESPath.
    Expression,
    /// A context entry.
    Context,
    /// A setting of the policy.
    Setting,
}

impl Class {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Rule => "rule",
            Class::Match => "match",
            Class::Pattern => "pattern",
            Class::Condition => "condition",
            Class::Expression => "expression",
            Class::Context => "context",
            Class::Setting => "setting",
        }
    }

    /// What to do about it.
    pub fn remedy(self) -> &'static str {
        match self {
            Class::Rule => {
                "move the rule into a policy of its own, so that the others are converted, or write it in CEL by hand"
            }
            Class::Match => {
                "match by kinds, names, namespaces, labels, operations or users instead, which expressions know"
            }
            Class::Pattern => {
                "write the field as a condition of `deny`, or the rule as `validate.cel`, which is taken over as it is"
            }
            Class::Condition => {
                "hold a field against written values, or write the rule as `validate.cel`, which is taken over as it is"
            }
            Class::Expression => {
                "read the field with what docs/convert.md lists, or write the rule as `validate.cel`, which is taken over as it is"
            }
            Class::Context => {
                "read an object of the cluster (`configMap`, `apiCall` with `urlPath`), or write the policy in CEL by hand"
            }
            Class::Setting => "leave the setting out and set it in the new policies, or write them by hand",
        }
    }
}

/// A place that is not converted, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What kind of thing.
    pub(crate) class: Class,
    /// The place in the document.
    pub(crate) path: Path,
    /// Why.
    pub(crate) text: String,
}

/// Something converted, or why it is not.
pub(crate) type Converted<T> = Result<T, Refusal>;

/// A refusal.
pub(crate) fn refuse<T>(class: Class, path: &Path, text: impl Into<String>) -> Converted<T> {
    Err(Refusal { class, path: path.clone(), text: text.into() })
}

/// The path with more keys.
pub(crate) fn below<const N: usize>(path: &Path, keys: [&str; N]) -> Path {
    path.concat(&keys.map(Segment::from))
}
