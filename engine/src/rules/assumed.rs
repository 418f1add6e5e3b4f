//! Verdicts that rest on an answer that was assumed.
//!
//! In: results of a rule, and what was assumed for it. Out: the same results, marked: in the message that every output
//! shows, among the warnings, and for who counts passes.

use super::{RuleResult, join_non_empty};

impl RuleResult {
    /// The same, marked as resting on this.
    #[must_use]
    pub fn assuming(mut self, text: &str) -> Self {
        mark([&mut self], &[text.to_owned()]);
        self
    }
}

/// Marks the results where something was assumed.
// Kyverno: the stand-in of the cluster crashes on such a list, so no word of the original stands here.
pub(crate) fn mark<'r>(results: impl IntoIterator<Item = &'r mut RuleResult>, assumed: &[String]) {
    if assumed.is_empty() {
        return;
    }
    let text = assumed.join("; ");
    for result in results {
        result.message = join_non_empty(&[&result.message, &format!("(assumed: {text})")], " ");
        result.warnings.push(format!("the verdict rests on an assumed answer: {text}"));
        result.assumed = assumed.to_vec();
    }
}
