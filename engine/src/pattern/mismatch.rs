//! Why a pattern is not satisfied, and what that means for the rule.
//! Mirrors: pkg/engine/anchor/error.go, PatternError of pkg/engine/validate/validate.go.

use engine_json::Path;

const CONDITIONAL: &str = "conditional anchor mismatch";
const GLOBAL: &str = "global anchor mismatch";
const NEGATION: &str = "negation anchor matched in resource";

/// What holding a resource against a pattern gave.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Satisfied.
    Pass,
    /// An anchor says that the rule does not apply.
    Skip(Mismatch),
    /// Not satisfied, at this place.
    Fail(Mismatch),
    /// Not satisfied while an anchored key was nowhere in the resource, or the place is unknown.
    Error(Mismatch),
}

/// Where a walk stopped and why.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub(super) kind: Kind,
    /// Kyverno's words.
    pub text: String,
    /// Kyverno's path: slashes between, and one at the end.
    pub path: String,
    /// The place in the resource.
    pub resource_path: Path,
    /// The place in the pattern.
    pub pattern_path: Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Conditional,
    Global,
    Negation,
    /// Skips of items put together.
    Combined,
    Plain,
}

impl Mismatch {
    /// Whether an anchor says that the rule does not apply.
    // Kyverno: an error that is not an anchor error itself is recognised by its text.
    pub(super) fn is_skip(&self) -> bool {
        match self.kind {
            Kind::Conditional | Kind::Global => true,
            Kind::Negation => false,
            Kind::Combined | Kind::Plain => self.text.contains(CONDITIONAL) || self.text.contains(GLOBAL),
        }
    }

    /// Whether a forbidden key is there.
    pub(super) fn is_negation(&self) -> bool {
        match self.kind {
            Kind::Negation => true,
            Kind::Conditional | Kind::Global => false,
            // Texts of up to 32 bytes are searched for many bytes at a time, and nearly no mismatch holds this one.
            Kind::Combined | Kind::Plain => {
                self.text.contains("negation anchor") && self.text.contains(NEGATION)
            }
        }
    }

    /// The same as the mismatch of an anchor around it.
    pub(super) fn anchored(mut self, kind: Kind) -> Self {
        let prefix = match kind {
            Kind::Conditional => CONDITIONAL,
            Kind::Global => GLOBAL,
            Kind::Negation => NEGATION,
            Kind::Combined | Kind::Plain => return self,
        };
        self.kind = kind;
        self.text = format!("{prefix}: {}", self.text);
        self
    }
}
