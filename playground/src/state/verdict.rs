//! What the engine last said, as far as one line says it.
//!
//! In: an output. Out: its counts in words, or what is said where nothing is counted.

use std::rc::Rc;

use engine_lenses::wire::{Diagnostic, Output, PolicyResult, Range};

use super::{Tab, with_verdict};
use crate::slot::Slot;
use crate::words;
use crate::words::results::verdicts::UNKNOWN;

/// The engine's last word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) output: Option<Rc<Output>>,
    pub(crate) millis: f64,
    /// Why the last run gave no output.
    pub(crate) failure: Option<String>,
    /// Whether the texts have changed since.
    pub(crate) stale: bool,
    /// Rises with each output.
    pub(crate) serial: u32,
    pub(crate) facts: Facts,
}

/// What the page asks of an output at each drawing, found once: there may be many thousands of verdicts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// How many verdicts of rules there are.
    pub(crate) verdicts: usize,
    /// How many resources have one.
    pub(crate) with_verdict: usize,
    /// The tabs that have something to say because of a result.
    pub(crate) tabs: Vec<Tab>,
}

impl Facts {
    fn of(results: &[PolicyResult]) -> Self {
        let verdicts = results.iter().map(|result| result.rules.len()).sum();
        let mut tabs = Vec::new();
        let mut speaks = |tab: Tab, has: bool| {
            if has && !tabs.contains(&tab) {
                tabs.push(tab);
            }
        };
        for result in results {
            speaks(
                Tab::Why,
                !result.steps.is_empty() || !result.rules.is_empty() || result.no_match.is_some(),
            );
            speaks(Tab::Mutated, result.patched.is_some());
            for rule in &result.rules {
                speaks(Tab::Mutated, rule.target.is_some());
                speaks(Tab::Generated, !rule.generated.is_empty());
                speaks(Tab::Report, rule.kind != "Deletion");
                speaks(Tab::Sieve, rule.status == "fail");
            }
        }
        Self { verdicts, with_verdict: with_verdict(results), tabs }
    }
}

impl Verdict {
    /// That of an output; `serial` is the number of the one before.
    pub(crate) fn new(output: Rc<Output>, millis: f64, serial: u32) -> Self {
        let facts = Facts::of(&output.results);
        Self { output: Some(output), millis, failure: None, stale: false, serial: serial + 1, facts }
    }

    /// The counts in words: `1 fail, 2 pass`.
    pub(crate) fn words(&self) -> String {
        let counts = self.output.as_ref().map(|output| output.counts).unwrap_or_default();
        let numbers = [
            (counts.fail, "fail"),
            (counts.error, "error"),
            (counts.undecided, "undecided"),
            (counts.warn, "warn"),
            (counts.pass, "pass"),
            (counts.skip, "skip"),
        ];
        let described: Vec<String> =
            numbers.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if described.is_empty() { self.silence().to_owned() } else { described.join(", ") }
    }

    /// How many policies and rules are not evaluated here, though Kyverno would.
    pub(crate) fn not_evaluated(&self) -> usize {
        let said = self.output.iter().flat_map(|output| &output.diagnostics);
        said.filter(|said| said.code == "not-supported").count()
    }

    /// How many documents could not be read or used.
    pub(crate) fn unread(&self) -> usize {
        self.output.as_ref().map_or(0, |output| output.counts.undecided as usize)
    }

    /// The first problem in a text that is an error.
    pub(crate) fn first_error(&self, slot: Slot) -> Option<&Diagnostic> {
        let output = self.output.as_ref()?;
        output.diagnostics.iter().find(|found| found.severity == "error" && is_in(slot, found.range.as_ref()))
    }

    /// Whether a problem in a text is an error, or something of it was refused.
    pub(crate) fn has_error(&self, slot: Slot) -> bool {
        let mut refused = self.output.iter().flat_map(|output| &output.refused);
        self.first_error(slot).is_some() || refused.any(|refused| is_in(slot, refused.range.as_ref()))
    }

    /// What is said where nothing is counted.
    pub(crate) fn silence(&self) -> &'static str {
        let mut results = self.output.iter().flat_map(|output| &output.results);
        if results.any(|result| result.effect == UNKNOWN) {
            words::NOT_DECIDED
        } else {
            words::NO_RULE_MATCHED
        }
    }
}

/// Whether a place is in a text.
fn is_in(slot: Slot, range: Option<&Range>) -> bool {
    range.is_some_and(|range| Slot::of_input(&range.input) == Some(slot))
}
