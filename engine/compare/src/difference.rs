//! Whether two sides decide the same about a request.
//!
//! In: what both sides decide. Out: how they differ, if they do. This is all that a comparison means by *decide*.

use crate::objects::schema::Schema;
use crate::objects::stored::stored;
use crate::sides::side::{Response, Side};
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

/// What is compared, of objects as an API server stores them.
#[derive(Clone, Copy)]
pub(crate) struct Basis<'s> {
    /// What is compared.
    pub(crate) criterion: Criterion,
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'s Schema,
    /// Whether what is left and generated is compared: a level of Pod Security allows or refuses, and does nothing else.
    pub(crate) has_objects: bool,
}

impl<'s> Basis<'s> {
    /// What is compared of these sides.
    pub(crate) fn of(criterion: Criterion, schema: &'s Schema, sides: [&Side<'_>; 2]) -> Self {
        Basis { criterion, schema, has_objects: !sides.into_iter().any(Side::is_of_pods) }
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
    Basis { criterion, schema, has_objects }: Basis<'_>,
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
    if has_objects && differ_as_written(old, new, object) && differ_as_stored(old, new, object, schema) {
        return Some(Direction::Otherwise);
    }
    (criterion == Criterion::Rules && !rules_agree(old, new)).then_some(Direction::Otherwise)
}

/// Whether both let in another object or generate other ones, be it in a form that no API server stores.
pub(crate) fn differ_as_written(old: &Response, new: &Response, object: &Value) -> bool {
    let left = |response: &Response| response.object.as_ref().map_or_else(|| sorted(object), sorted);
    let generated = |response: &Response| response.generated.iter().map(sorted).collect::<Vec<_>>();
    let may_leave = old.object.is_some() || new.object.is_some();
    let may_generate = !(old.generated.is_empty() && new.generated.is_empty());
    let are_let_in = old.effect != Effect::Deny && new.effect != Effect::Deny;
    are_let_in && (may_leave && left(old) != left(new) || may_generate && generated(old) != generated(new))
}

/// The same of what an API server stores: nothing of what it cannot read.
fn differ_as_stored(old: &Response, new: &Response, object: &Value, schema: &Schema) -> bool {
    let text = |object: &Value| stored(object, schema).as_ref().map(sorted);
    let left = |response: &Response| text(response.object.as_ref().unwrap_or(object));
    let generated = |response: &Response| {
        let mut all: Vec<String> = response.generated.iter().filter_map(text).collect();
        all.sort_unstable();
        all
    };
    left(old) != left(new) || generated(old) != generated(new)
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
