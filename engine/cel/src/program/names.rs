//! The variables of comprehensions and their places.

use engine_json::Str;

/// Names that are visible at a place of the tree, the nearest last.
///
/// Each has a place of its own in the whole program: the value of `cel.bind` is evaluated when it is first asked for, while
/// variables of other comprehensions are in use.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: Vec<(Str, u16)>,
    count: u16,
}

impl Scope {
    /// Makes a name visible; its place.
    pub(super) fn push(&mut self, name: &Str) -> u16 {
        let at = self.count;
        self.count = at.saturating_add(1);
        self.names.push((name.clone(), at));
        at
    }

    /// Hides the last name.
    pub(super) fn pop(&mut self) {
        self.names.pop();
    }

    /// The place of a name.
    pub(super) fn find(&self, name: &str) -> Option<u16> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, at)| *at)
    }

    /// How many places there are.
    pub(super) fn count(&self) -> u16 {
        self.count
    }
}
