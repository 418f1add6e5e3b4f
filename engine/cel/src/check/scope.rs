//! The variables of the comprehensions around a node.

use crate::types::Type;
use engine_json::Str;

/// Names and types, the innermost last. Names that a fold makes for itself (`@result`) are variables too.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    names: Vec<(Str, Type)>,
}

impl Scopes {
    /// The type of the innermost variable of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Type> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, of)| of)
    }

    /// Where [`Scopes::leave`] returns to.
    pub(super) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Adds a variable, which hides others of its name.
    pub(super) fn enter(&mut self, name: &Str, of: Type) {
        self.names.push((name.clone(), of));
    }

    /// Forgets what came after the mark.
    pub(super) fn leave(&mut self, mark: usize) {
        self.names.truncate(mark);
    }
}
