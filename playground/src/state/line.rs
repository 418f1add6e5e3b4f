//! The line that *Why* is asked about: whose resource it is of, and which rule is found for it.
//!
//! In: a line of a text. Out: the choice that goes with it. Which steps know the line is found by a view that loads late
//! (`late/line.rs`), as the engine's explanation tells it.

use engine::wire::Range;

use super::{Chosen, State, Subject, subjects};
use crate::slot::{Side, Slot};

/// What points at the steps that know the line.
pub(crate) const LINE: &str = "line";

/// A line of a text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) slot: Slot,
    pub(crate) line: u32,
}

impl Line {
    /// Whether it is one of these lines.
    fn is_in(self, range: Option<&Range>) -> bool {
        range.is_some_and(|range| {
            Slot::of_input(&range.input) == Some(self.slot)
                && range.line <= self.line
                && self.line <= range.end_line
        })
    }
}

impl State {
    /// A line is asked about: in a resource it is that resource that is looked at from now on.
    pub(super) fn ask_line(&mut self, line: Line) {
        let Some(output) = self.verdict.output.clone() else { return };
        let chosen = self.chosen.as_ref();
        let is_kept = |subject: &Subject<'_>| {
            chosen.is_some_and(|chosen| Chosen::of(subject.result, subject.rule, true).is_same_rule(chosen))
        };
        let is_here = |subject: &Subject<'_>| match line.slot.side() {
            Side::Policies => line.is_in(subject.result.policy.range.as_ref()),
            Side::Resources => line.is_in(subject.result.resource.range.as_ref()),
        };
        let here: Vec<Subject<'_>> = subjects(&output).filter(is_here).collect();
        let next = match line.slot.side() {
            Side::Resources => here.iter().find(|subject| is_kept(subject)).or(here.first()),
            // The rule of a policy's line is found later; some resource must be chosen for that.
            Side::Policies => here.first().filter(|_| self.subject().is_none()),
        };
        if let Some(subject) = next {
            self.chosen = Some(Chosen::of(subject.result, subject.rule, true));
        }
        self.pointed = None;
        self.line = Some(line);
    }

    /// The verdict of a rule on the chosen resource is chosen, if there is one.
    pub(super) fn follow(&mut self, policy: String, rule: String) {
        let Some(resource) = self.chosen.as_ref().map(|chosen| chosen.resource.clone()) else { return };
        let found = Chosen { policy, rule, resource, by_hand: true };
        let is_there = self
            .verdict
            .output
            .as_ref()
            .is_some_and(|output| subjects(output).any(|subject| found.is(subject.result, subject.rule)));
        if is_there {
            self.chosen = Some(found);
        }
    }
}
