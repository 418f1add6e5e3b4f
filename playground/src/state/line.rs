//! The line that *Why* is asked about: whose resource it is of, and which rule is found for it.
//!
//! In: a line of a text. Out: the choice that goes with it. Which steps know the line is found by a view that loads late
//! (`late/line.rs`), as the engine's explanation says it; its [`Answer`] says so in short.

use engine_lenses::wire::{Range, Step};

use super::{Chosen, State, Subject, subjects};
use crate::reader::shapes;
use crate::slot::{Side, Slot};

/// What points at the steps that know the line.
pub(crate) const LINE: &str = "line";

/// The verdict of a rule that is not for the resource.
const NO_MATCH: &str = "noMatch";

/// A line of a text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) slot: Slot,
    pub(crate) line: u32,
}

/// What a rule has to do with a line, in short.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// The rule that the line belongs to; of several that read it the one that needs attention. Both empty where there is none.
    pub(crate) policy: String,
    pub(crate) rule: String,
    /// A status, or `noMatch`.
    pub(crate) verdict: String,
    /// Rule and verdict.
    pub(crate) head: String,
    /// What it said of the line.
    pub(crate) sentence: String,
    /// The steps that decided.
    pub(crate) deciding: Vec<Step>,
}

shapes! {
    Answer { policy, rule, verdict, head, sentence, deciding }
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
        // Somebody who points at it again knows it: everything stays.
        let Some(output) = self.verdict.output.clone().filter(|_| self.line != Some(line)) else { return };
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
            Side::Policies => here.first().filter(|_| self.subject().is_none() && self.unmatched().is_none()),
        };
        if let Some(subject) = next {
            self.chosen = Some(Chosen::of(subject.result, subject.rule, true));
        }
        self.pointed = None;
        self.line = Some(line);
    }

    /// The line is answered. The rule of a policy's line is the one that is looked at from now on, also where it is not for
    /// the chosen resource and there is no verdict.
    pub(super) fn hear(&mut self, answer: Answer) {
        let (Some(line), Some(chosen)) = (self.line, &self.chosen) else { return };
        let (policy, rule) = (answer.policy.clone(), answer.rule.clone());
        let found = Chosen { policy, rule, resource: chosen.resource.clone(), by_hand: true };
        let output = self.verdict.output.as_ref();
        let is_there = output.is_some_and(|output| subjects(output).any(|s| found.is(s.result, s.rule)));
        let is_unmatched = !is_there && answer.verdict == NO_MATCH && !answer.rule.is_empty();
        if line.slot != Slot::Resource && (is_there || is_unmatched) {
            self.chosen = Some(found);
            self.unmatched = is_unmatched.then(|| answer.clone());
        }
        self.answer = Some((line, answer));
    }

    /// What is known of the line that is asked about.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|(line, _)| self.line == Some(*line)).map(|(_, answer)| answer)
    }

    /// The rule that is looked at though it is not for the chosen resource.
    pub(crate) fn unmatched(&self) -> Option<&Answer> {
        let (chosen, answer) = (self.chosen.as_ref()?, self.unmatched.as_ref()?);
        let is_it = answer.policy == chosen.policy && answer.rule == chosen.rule;
        Some(answer).filter(|_| is_it && self.subject().is_none())
    }

    /// No line is asked about any more. A rule without a verdict is then nothing to look at: its policy may be, which says
    /// nothing of the resource, or else what needs attention.
    pub(super) fn leave_line(&mut self) {
        if self.unmatched().is_some()
            && let Some(chosen) = &mut self.chosen
        {
            chosen.rule.clear();
            if self.subject().is_none() {
                self.chosen = self.first_failure();
            }
        }
        self.forget_line();
    }

    /// As `leave_line`, where something else is looked at already.
    pub(super) fn forget_line(&mut self) {
        self.line = None;
        self.answer = None;
        self.unmatched = None;
    }
}
