//! What the editors point at: a verdict that was chosen, or a place that something on the right names.
//!
//! In: the last output and a choice by names. Out: the verdict, its steps, the lines to mark.

use engine_lenses::wire::{ObjectRef, Output, PolicyResult, Range, RuleResult, Step};
use serde::Serialize;

use super::{State, Tab};
use crate::slot::{Side, Slot};
use crate::words::results::verdicts as words;

/// A rule's verdict on a resource, by names, so that it is found again after the next key press.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Chosen {
    pub(crate) policy: String,
    /// Empty where no rule of the policy matched.
    pub(crate) rule: String,
    pub(crate) resource: String,
    /// Chosen by the reader, not by the page.
    #[serde(skip)]
    pub(crate) by_hand: bool,
}

impl Chosen {
    pub(crate) fn of(result: &PolicyResult, rule: Option<&RuleResult>, by_hand: bool) -> Self {
        let policy = full_name(&result.policy);
        let rule = rule.map(|rule| rule.rule.to_string()).unwrap_or_default();
        Self { policy, rule, resource: full_name(&result.resource), by_hand }
    }

    /// Whether both are of one rule, on whatever resources.
    pub(super) fn is_same_rule(&self, other: &Self) -> bool {
        self.policy == other.policy && self.rule == other.rule
    }

    pub(crate) fn is(&self, result: &PolicyResult, rule: Option<&RuleResult>) -> bool {
        self.rule == rule.map_or("", |rule| &rule.rule)
            && is_named(&result.policy, &self.policy)
            && is_named(&result.resource, &self.resource)
    }
}

/// Whether this is the full name of an object; it is asked of thousands with each key.
fn is_named(object: &ObjectRef, name: &str) -> bool {
    if is_payload(object) {
        return name == full_name(object);
    }
    let rest = name.strip_prefix(object.kind.as_str()).and_then(|rest| rest.strip_prefix(' '));
    let rest = if object.namespace.is_empty() {
        rest
    } else {
        rest.and_then(|rest| rest.strip_prefix(object.namespace.as_str())?.strip_prefix('/'))
    };
    rest == Some(object.name.as_str())
}

/// Whether it is a document of any form.
fn is_payload(object: &ObjectRef) -> bool {
    object.kind.is_empty() && object.name.is_empty()
}

/// `Pod default/web`; without a namespace `Pod web`; a document of any form has no names but its line.
pub(crate) fn full_name(object: &ObjectRef) -> String {
    if is_payload(object) {
        return words::payload(object.range.as_ref());
    }
    if object.namespace.is_empty() {
        return format!("{} {}", object.kind, object.name);
    }
    format!("{} {}/{}", object.kind, object.namespace, object.name)
}

/// Lines that something other than a verdict names: a step of the trace, a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointed {
    /// What named them, so that it can show that it is chosen.
    pub(crate) key: String,
    pub(crate) ranges: Vec<Range>,
    /// Gives the colour.
    pub(crate) status: &'static str,
}

/// A policy's word on a resource: of one rule, or that none matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) result: &'a PolicyResult,
    pub(crate) rule: Option<&'a RuleResult>,
}

impl<'a> Subject<'a> {
    /// The verdict; empty where no rule matched.
    pub(crate) fn status(self) -> &'a str {
        self.rule.map_or("", |rule| &rule.status)
    }

    /// What happened on the way.
    pub(crate) fn steps(self) -> &'a [Step] {
        self.rule.map_or(&self.result.steps, |rule| &rule.steps)
    }

    /// The lines that decided.
    fn ranges(self) -> Vec<&'a Range> {
        if let Some(rule) = self.rule {
            return rule.policy_ranges.iter().chain(&rule.resource_ranges).collect();
        }
        let because = self.result.steps.iter().rfind(|step| step.outcome == "no");
        because.and_then(|step| step.policy_range.as_ref()).into_iter().collect()
    }
}

/// All that was said, in the order of the results; a policy without a matching rule is one entry.
pub(crate) fn subjects(output: &Output) -> impl Iterator<Item = Subject<'_>> {
    output.results.iter().flat_map(|result| {
        let silent = result.rules.is_empty() && result.patched.is_none();
        let none = silent.then_some(Subject { result, rule: None });
        result.rules.iter().map(move |rule| Subject { result, rule: Some(rule) }).chain(none)
    })
}

impl State {
    /// What is chosen, where the last output still has it.
    pub(crate) fn subject(&self) -> Option<Subject<'_>> {
        let chosen = self.chosen.as_ref()?;
        let output = self.verdict.output.as_ref()?;
        subjects(output).find(|subject| chosen.is(subject.result, subject.rule))
    }

    /// Why the chosen verdict is what it is, in the best sentence there is; nothing until it has come.
    pub(crate) fn sentence(&self) -> Option<&str> {
        let Chosen { policy, rule, resource, .. } = self.chosen.as_ref()?;
        let mut lines = self.explained.as_deref()?.splitn(4, '\n');
        let is_of = [policy, rule, resource].into_iter().all(|name| lines.next() == Some(name));
        lines.next().filter(|_| is_of && !rule.is_empty())
    }

    /// The first rule that needs attention.
    pub(super) fn first_failure(&self) -> Option<Chosen> {
        let output = self.verdict.output.as_ref()?;
        let failed = |subject: &Subject<'_>| matches!(subject.status(), "fail" | "error");
        subjects(output).find(failed).map(|subject| Chosen::of(subject.result, subject.rule, false))
    }

    /// What *Why* tells of where nothing is chosen: the first verdict, so that it is never empty without need.
    pub(super) fn choose_for_why(&mut self) {
        if self.tab != Tab::Why || self.subject().is_some() || self.unmatched().is_some() {
            return;
        }
        let first = self.verdict.output.as_ref().and_then(|output| subjects(output).next());
        let first = first.map(|subject| Chosen::of(subject.result, subject.rule, false));
        self.chosen = self.first_failure().or(first);
    }

    /// The lines of a slot that are pointed at.
    pub(crate) fn marks(&self, slot: Slot) -> Vec<Range> {
        let of_choice = || self.subject().map(Subject::ranges).unwrap_or_default();
        let ranges = self.pointed.as_ref().map_or_else(of_choice, |pointed| pointed.ranges.iter().collect());
        ranges.into_iter().filter(|range| Slot::of_input(&range.input) == Some(slot)).cloned().collect()
    }

    /// The status that gives the marked lines their colour.
    pub(crate) fn mark_status(&self) -> String {
        let of_choice = || self.subject().map(Subject::status).unwrap_or_default();
        self.pointed.as_ref().map_or_else(of_choice, |pointed| pointed.status).to_owned()
    }

    /// Opens the tabs in which the marked lines are.
    pub(super) fn show_marked_tabs(&mut self) {
        let marked = |state: &Self, side: Side, open: Slot| {
            let here = side.slots().find(|slot| !state.marks(*slot).is_empty());
            if state.marks(open).is_empty() { here.unwrap_or(open) } else { open }
        };
        self.left = marked(self, Side::Policies, self.left);
        self.right = marked(self, Side::Resources, self.right);
    }
}
