//! Which policies are asked first: those that change objects, and those that validate them.
//!
//! In: a rule. Out: whether it belongs to a part.

use engine::policy::{Body, Rule};

/// A part of the policies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What changes objects.
    Mutates,
    /// What validates them.
    Validates,
}

impl Part {
    /// Whether a rule belongs to it.
    pub(crate) fn has(self, rule: &Rule) -> bool {
        match &rule.body {
            Body::Mutate(body) => self == Part::Mutates && body.targets.is_empty(),
            Body::Validate(_) => self == Part::Validates,
            Body::VerifyImages(_) | Body::Generate(_) | Body::Cleanup(_) | Body::None => false,
        }
    }
}
