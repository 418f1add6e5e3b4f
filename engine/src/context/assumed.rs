//! Answers that nobody has given: a list of a kind of which no object is at hand is taken for empty.
//!
//! In: what was taken for an answer, while a rule is evaluated. Out: all of it, once, for the result of that rule.

use super::Evaluator;

/// How many assumptions of one rule are kept: a rule that makes more is marked all the same.
const MAX_ASSUMED: usize = 8;

impl Evaluator<'_> {
    /// Notes that the list of these objects, by their plural, was taken for empty.
    pub(super) fn assume_none(&self, plural: &str) {
        let text = format!("no `{plural}` are given, so their list is taken for empty");
        let mut assumed = self.assumed.borrow_mut();
        if assumed.len() < MAX_ASSUMED && !assumed.contains(&text) {
            assumed.push(text);
        }
    }

    /// What was assumed since this was asked last.
    pub(crate) fn take_assumed(&self) -> Vec<String> {
        std::mem::take(&mut *self.assumed.borrow_mut())
    }
}
