//! Whether two sides decide the same about a request.
//!
//! In: what both sides decide. Out: how they differ, if they do. This is all that a comparison means by *decide*.

use crate::sides::side::Response;
use engine::apply::Status;
use engine::body::Effect;
use engine_json::Value;

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// What a cluster does: lets in, lets in and reports, warns, refuses; and what it changes and generates.
    #[default]
    Decision,
    /// Also the status of each rule.
    Rules,
}

/// How the new side differs from the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// It lets in what was held up.
    Wider,
    /// It holds up what was let in.
    Stricter,
    /// It decides the same and leaves another object, makes or deletes other ones, or its rules say something else.
    Otherwise,
}

impl Direction {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Wider => "wider",
            Direction::Stricter => "stricter",
            Direction::Otherwise => "otherwise",
        }
    }
}

/// Whether there is nothing to compare, as one side has no decision.
pub(crate) fn is_undecided(old: &Response, new: &Response) -> bool {
    old.effect == Effect::Unknown || new.effect == Effect::Unknown
}

/// How two decisions about an object differ.
pub(crate) fn difference(
    old: &Response,
    new: &Response,
    criterion: Criterion,
    object: &Value,
) -> Option<Direction> {
    if is_undecided(old, new) {
        return None;
    }
    if new.effect != old.effect {
        return Some(if new.effect < old.effect { Direction::Wider } else { Direction::Stricter });
    }
    if new.is_deleted != old.is_deleted {
        return Some(Direction::Otherwise);
    }
    let left = |response: &Response| response.object.as_ref().map_or_else(|| sorted(object), sorted);
    let is_let_in = new.effect != Effect::Deny;
    if is_let_in && (old.object.is_some() || new.object.is_some()) && left(old) != left(new) {
        return Some(Direction::Otherwise);
    }
    if is_let_in && old.generated.len() + new.generated.len() > 0 {
        let all = |response: &Response| response.generated.iter().map(sorted).collect::<Vec<_>>();
        if all(old) != all(new) {
            return Some(Direction::Otherwise);
        }
    }
    (criterion == Criterion::Rules && !rules_agree(old, new)).then_some(Direction::Otherwise)
}

/// The object as text, its keys in order.
fn sorted(value: &Value) -> String {
    engine_json::to_json(&value.with_int_numbers())
}

/// Rules of the same names are held against each other; where the names are others, the verdicts are, skipped ones left out.
fn rules_agree(old: &Response, new: &Response) -> bool {
    let name = |key: &String| key.rsplit('/').next().unwrap_or("").to_owned();
    let named = |response: &Response| {
        response.rules.iter().map(|(key, status)| (name(key), *status)).collect::<Vec<_>>()
    };
    let (one, other) = (named(old), named(new));
    let is_shared =
        |entry: &(String, Status), among: &[(String, Status)]| among.iter().any(|(key, _)| *key == entry.0);
    let has_same_names =
        one.iter().all(|entry| is_shared(entry, &other)) && other.iter().all(|entry| is_shared(entry, &one));
    if has_same_names {
        return one == other;
    }
    let verdicts = |response: &[(String, Status)]| {
        let mut all: Vec<&str> =
            response.iter().map(|(_, status)| status.as_str()).filter(|word| *word != "skip").collect();
        all.sort_unstable();
        all
    };
    verdicts(&one) == verdicts(&other)
}
