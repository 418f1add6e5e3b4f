//! What a row says: how a rule decides an object otherwise.
//!
//! In: what a rule said of an object by the old side and by the new. Out: a [`Class`], or nothing where both say the same.

use crate::facts::{Fact, Verdict};
use engine::apply::{Effect, RuleType, Status};

/// How a rule decides otherwise, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The request is refused, and was let in.
    NewlyDenied,
    /// What fails is reported or warned of, and was not.
    NewlyReported,
    /// The rule cannot be decided, and could be.
    NewlyInError,
    /// The request is let in, as far as this rule is concerned, and was refused.
    NewlyAllowed,
    /// Nothing is reported any more.
    NoLongerReported,
    /// The object is left otherwise.
    Mutated,
    /// Other objects are generated.
    Generated,
    /// The object is deleted, and was not.
    NewlyDeleted,
    /// The object is kept, and was deleted.
    NoLongerDeleted,
    /// The rule passed, and is skipped or does not match any more.
    NewlySkipped,
    /// The rule passes, and was skipped or did not match.
    NewlyChecked,
    /// The decision is the same, in other words or by a rule of another name.
    Message,
}

/// Which way a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// More is held up.
    Stricter,
    /// More is let in.
    Wider,
    /// Neither.
    Otherwise,
}

impl Direction {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Stricter => "stricter",
            Direction::Wider => "wider",
            Direction::Otherwise => "otherwise",
        }
    }
}

impl Class {
    /// All of them, the worst first.
    pub const ALL: [Class; 12] = [
        Class::NewlyDenied,
        Class::NewlyReported,
        Class::NewlyInError,
        Class::NewlyAllowed,
        Class::NoLongerReported,
        Class::Mutated,
        Class::Generated,
        Class::NewlyDeleted,
        Class::NoLongerDeleted,
        Class::NewlySkipped,
        Class::NewlyChecked,
        Class::Message,
    ];

    /// Its name for programs and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::NewlyDenied => "newly-denied",
            Class::NewlyReported => "newly-reported",
            Class::NewlyInError => "newly-in-error",
            Class::NewlyAllowed => "newly-allowed",
            Class::NoLongerReported => "no-longer-reported",
            Class::Mutated => "mutated",
            Class::Generated => "generated",
            Class::NewlyDeleted => "newly-deleted",
            Class::NoLongerDeleted => "no-longer-deleted",
            Class::NewlySkipped => "newly-skipped",
            Class::NewlyChecked => "newly-checked",
            Class::Message => "message",
        }
    }

    /// Its words for people.
    pub fn words(self) -> &'static str {
        match self {
            Class::NewlyDenied => "newly denied",
            Class::NewlyReported => "newly reported",
            Class::NewlyInError => "newly in error",
            Class::NewlyAllowed => "newly allowed",
            Class::NoLongerReported => "no longer reported",
            Class::Mutated => "mutated differently",
            Class::Generated => "generated differently",
            Class::NewlyDeleted => "newly deleted",
            Class::NoLongerDeleted => "no longer deleted",
            Class::NewlySkipped => "newly skipped",
            Class::NewlyChecked => "newly checked",
            Class::Message => "other message",
        }
    }

    /// Which way it goes.
    pub fn direction(self) -> Direction {
        match self {
            Class::NewlyDenied | Class::NewlyReported | Class::NewlyInError => Direction::Stricter,
            Class::NewlyAllowed | Class::NoLongerReported => Direction::Wider,
            Class::Mutated
            | Class::Generated
            | Class::NewlyDeleted
            | Class::NoLongerDeleted
            | Class::NewlySkipped
            | Class::NewlyChecked
            | Class::Message => Direction::Otherwise,
        }
    }

    /// Whether a cluster does the same all the same: such rows are counted, and shown where they are asked for.
    pub fn is_quiet(self) -> bool {
        matches!(self, Class::NewlySkipped | Class::NewlyChecked | Class::Message)
    }
}

/// How much an effect holds up; what cannot be said is not asked here.
fn level(effect: Option<Effect>) -> u8 {
    match effect {
        None | Some(Effect::Allow) => 0,
        Some(Effect::Report | Effect::Warn | Effect::Unknown) => 1,
        Some(Effect::Deny) => 2,
    }
}

/// How two answers of a rule differ; nothing where they do not.
pub(crate) fn classify(old: Option<&Fact>, new: Option<&Fact>) -> Option<Class> {
    let [before, after] = [old, new].map(|fact| fact.map(|fact| &fact.verdict));
    let status = |verdict: Option<&Verdict>| verdict.map(|verdict| verdict.status);
    let effect = |verdict: Option<&Verdict>| level(verdict.map(|verdict| verdict.effect));
    let is_error = |verdict| status(verdict) == Some(Status::Error);
    if is_error(after) && !is_error(before) {
        return Some(Class::NewlyInError);
    }
    match (effect(before), effect(after)) {
        (0 | 1, 2) => return Some(Class::NewlyDenied),
        (2, 0 | 1) => return Some(Class::NewlyAllowed),
        (0, 1) => return Some(Class::NewlyReported),
        (1, 0) => return Some(Class::NoLongerReported),
        _ => {}
    }
    let is_deletion = old.or(new).is_some_and(|fact| fact.rule_type == RuleType::Deletion);
    let is_pass = |verdict| status(verdict) == Some(Status::Pass);
    match (is_pass(before), is_pass(after)) {
        (true, false) if is_deletion => return Some(Class::NoLongerDeleted),
        (false, true) if is_deletion => return Some(Class::NewlyDeleted),
        _ => {}
    }
    let made = |fact: Option<&Fact>| fact.map(|fact| fact.generated.clone()).unwrap_or_default();
    if made(old) != made(new) {
        return Some(Class::Generated);
    }
    if old.and_then(|fact| fact.target.as_ref()) != new.and_then(|fact| fact.target.as_ref()) {
        return Some(Class::Mutated);
    }
    match (is_pass(before), is_pass(after)) {
        (true, false) => Some(Class::NewlySkipped),
        (false, true) => Some(Class::NewlyChecked),
        _ => (before != after).then_some(Class::Message),
    }
}
