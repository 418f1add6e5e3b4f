//! The shape of an answer that says only what has changed since the one before.
//!
//! In: the [`Changes`] of an answer, and the answer before it. Out: the whole answer. Example: of 500 resources one has
//! changed; its results are in `output`, those before it stay, those behind it stay and have moved in their text.

use super::{Counts, Input, Output, PolicyResult, Range};
use serde::{Deserialize, Serialize};

/// A question of somebody who types.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChangesInput {
    /// What is to be decided.
    pub input: Input,
    /// The number of this question, above 0 and above those before.
    pub serial: u32,
    /// The number of the last question to which whoever asks holds the answer; 0 where he holds none.
    pub since: u32,
}

/// An answer by what is new in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Changes {
    /// The number of the answer that was before; 0 where `output` is the whole answer.
    pub since: u32,
    /// How many of its results stay as they are, from the first.
    pub head: u32,
    /// How many of its results stay at the end, in their new places.
    pub tail: u32,
    /// The text in which these have moved, of those that are evaluated.
    pub index: u32,
    /// By how many UTF-16 units they begin later …
    pub units_added: u32,
    /// … and by how many earlier.
    pub units_removed: u32,
    /// By how many lines they begin later …
    pub lines_added: u32,
    /// … and by how many earlier.
    pub lines_removed: u32,
    /// The answer, with the new results alone; what is made of policies alone (`autogen`, `refused`) is left out where it is
    /// as before.
    pub output: Output,
}

impl Changes {
    /// A whole answer.
    pub fn whole(output: Output) -> Self {
        Changes { output, ..Changes::default() }
    }

    /// The whole answer; `last` is the answer before, which is not looked at where this one is whole. Nothing where they do
    /// not fit one another.
    pub fn onto(self, last: Option<&Output>) -> Option<Output> {
        if self.since == 0 {
            return Some(self.output);
        }
        let last = last?;
        let (head, tail) = (self.head as usize, self.tail as usize);
        let kept = last.results.get(..head)?;
        let moved = last.results.get(last.results.len().checked_sub(tail)?..)?;
        let mut output = self.output.clone();
        let new = std::mem::take(&mut output.results);
        output.results.reserve(head + new.len() + tail);
        output.results.extend(kept.iter().cloned());
        output.results.extend(new);
        output.results.extend(moved.iter().map(|result| self.moved(result.clone())));
        output.autogen.clone_from(&last.autogen);
        output.refused.clone_from(&last.refused);
        Some(output)
    }

    fn moved(&self, mut result: PolicyResult) -> PolicyResult {
        if (self.units_added, self.lines_added) != (self.units_removed, self.lines_removed) {
            each_range(&mut result, &mut |range| self.shift(range));
        }
        result
    }

    fn shift(&self, range: &mut Range) {
        if range.index != self.index || range.input != EVALUATED {
            return;
        }
        let by = |at: u32, added: u32, removed: u32| at.saturating_add(added).saturating_sub(removed);
        range.from = by(range.from, self.units_added, self.units_removed);
        range.to = by(range.to, self.units_added, self.units_removed);
        range.line = by(range.line, self.lines_added, self.lines_removed);
        range.end_line = by(range.end_line, self.lines_added, self.lines_removed);
    }
}

/// The field of the input whose texts are evaluated.
pub(crate) const EVALUATED: &str = "resources";

/// All places that a result names.
pub(crate) fn each_range(result: &mut PolicyResult, change: &mut dyn FnMut(&mut Range)) {
    result.policy.range.iter_mut().for_each(&mut *change);
    result.resource.range.iter_mut().for_each(&mut *change);
    for step in &mut result.steps {
        step.policy_range.iter_mut().chain(&mut step.resource_range).for_each(&mut *change);
    }
    for rule in &mut result.rules {
        rule.policy_ranges.iter_mut().chain(&mut rule.resource_ranges).for_each(&mut *change);
        for step in &mut rule.steps {
            step.policy_range.iter_mut().chain(&mut step.resource_range).for_each(&mut *change);
        }
        rule.target.iter_mut().for_each(|target| {
            target.resource.range.iter_mut().for_each(&mut *change);
        });
    }
}

impl Counts {
    /// Counts one verdict.
    pub(crate) fn count(&mut self, status: &str) {
        match status {
            "pass" => self.pass += 1,
            "fail" => self.fail += 1,
            "warn" => self.warn += 1,
            "skip" => self.skip += 1,
            _ => self.error += 1,
        }
    }

    /// These and others.
    #[must_use]
    pub(crate) fn plus(self, other: Counts) -> Counts {
        self.with(other, u32::saturating_add)
    }

    /// These without others.
    #[must_use]
    pub(crate) fn minus(self, other: Counts) -> Counts {
        self.with(other, u32::saturating_sub)
    }

    fn with(self, other: Counts, join: fn(u32, u32) -> u32) -> Counts {
        Counts {
            pass: join(self.pass, other.pass),
            fail: join(self.fail, other.fail),
            warn: join(self.warn, other.warn),
            error: join(self.error, other.error),
            skip: join(self.skip, other.skip),
            undecided: join(self.undecided, other.undecided),
        }
    }
}
