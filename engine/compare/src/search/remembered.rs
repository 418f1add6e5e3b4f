//! The requests of a search that are remembered, to try mistakes on afterwards.
//!
//! In: each request that was evaluated, and the branches that both sides took. Out: at most [`MAX_REMEMBERED`] of them and the first ones of
//! each kind and operation. Those have precedence whose branches, or whose fields and lengths of lists, no request of their kind and operation
//! had before. What is tried late has the same chance as what is tried early (Vitter's algorithm R), and each kind has its share.

use crate::request::{Operation, Request};
use crate::search::random::Random;
use crate::sides::side::{FNV, mix};
use engine_json::{Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How many requests are remembered.
const MAX_REMEMBERED: usize = 1_000;
/// Of how many of them one is of no way or shape of its own, at least.
const COMMON_ONE_IN: usize = 4;
/// How many requests of each kind and operation are remembered in any case, while no more than so many are remembered altogether.
const FIRST_REMEMBERED: usize = 8;
const MAX_FIRST: usize = 2 * MAX_REMEMBERED;

/// A sample of a sequence of unknown length: each element is in it with the same chance.
#[derive(Default)]
struct Sample {
    requests: Vec<Request>,
    seen: usize,
    room: usize,
}

impl Sample {
    fn offer(&mut self, request: &Request, choice: &mut Random) {
        self.seen += 1;
        if self.requests.len() < self.room {
            self.requests.push(request.clone());
            return;
        }
        let at = choice.below(self.seen);
        if let Some(place) = self.requests.get_mut(at) {
            *place = request.clone();
        }
    }
}

/// What is remembered.
#[derive(Default)]
pub(crate) struct Remembered {
    /// The first ones, and those of the kinds before.
    kept: Vec<Request>,
    /// Of the kind that is looked at: what takes new branches, and the others.
    rare: Sample,
    common: Sample,
    /// How many are kept as the first of their kind and operation.
    first: BTreeMap<(Str, Operation, Option<&'static str>), usize>,
    /// Kinds, operations, and the branches that both sides took of objects of one shape.
    seen: BTreeSet<(Str, Operation, u64)>,
    /// Chooses: what the search tries does not depend on what is remembered.
    choice: Random,
}

impl Remembered {
    /// Turns to another kind, which has this share of the room: `part` of `whole`.
    pub(crate) fn turn(&mut self, part: usize, whole: usize) {
        let rare = std::mem::take(&mut self.rare).requests;
        let Sample { requests: mut common, room, .. } = std::mem::take(&mut self.common);
        // What the rare ones leave is for the others.
        while common.len() > room.saturating_sub(rare.len()) {
            common.swap_remove(self.choice.below(common.len()));
        }
        self.kept.extend(rare.into_iter().chain(common));
        let room = MAX_REMEMBERED * part / whole.max(1);
        self.rare.room = room - room / COMMON_ONE_IN;
        self.common.room = room;
    }

    /// Takes a request and the branches that both sides took.
    pub(crate) fn take(&mut self, request: &Request, signatures: [u64; 2]) {
        let kind = Str::new(request.object.find_str(&["kind"]));
        let operation = request.attributes.operation;
        let first = self.first.entry((kind.clone(), operation, request.subresource())).or_default();
        let way =
            signatures.iter().fold(shape(FNV, &request.object), |hash, side| mix(hash, &side.to_le_bytes()));
        let is_rare = self.seen.insert((kind, operation, way));
        if *first < FIRST_REMEMBERED && self.kept.len() < MAX_FIRST {
            *first += 1;
            self.kept.push(request.clone());
        } else if is_rare {
            self.rare.offer(request, &mut self.choice);
        } else {
            self.common.offer(request, &mut self.choice);
        }
    }

    /// All that are remembered.
    pub(crate) fn requests(mut self) -> Vec<Request> {
        self.turn(0, 1);
        self.kept
    }
}

/// The keys and the lengths of lists of a value.
fn shape(hash: u64, value: &Value) -> u64 {
    match value {
        Value::Object(map) => {
            map.iter().fold(mix(hash, b"{"), |hash, (key, below)| shape(mix(hash, key.as_bytes()), below))
        }
        Value::Array(items) => mix(items.iter().fold(mix(hash, b"["), shape), b"]"),
        _ => mix(hash, b"."),
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMON_ONE_IN, FIRST_REMEMBERED, MAX_REMEMBERED, Remembered};
    use crate::request::{Attributes, Request};
    use engine_json::{Value, parse};

    fn request(kind: &str, number: usize) -> Request {
        let text = format!(r#"{{"kind": "{kind}", "metadata": {{"name": "p{number}"}}}}"#);
        let object: Value = parse(&text).expect("is JSON");
        Request { object, attributes: Attributes::creation() }
    }

    fn number(request: &Request) -> usize {
        let name = request.object.find_str(&["metadata", "name"]);
        name.trim_start_matches('p').parse().expect("is a number")
    }

    #[test]
    fn what_is_tried_late_is_remembered_as_what_is_tried_early() {
        let mut remembered = Remembered::default();
        remembered.turn(1, 1);
        let all = 10_000;
        (0..all).for_each(|at| remembered.take(&request("Pod", at), [1, 2]));
        let found = remembered.requests();
        assert_eq!(found.len(), FIRST_REMEMBERED + MAX_REMEMBERED);
        let late = found.iter().filter(|request| number(request) >= all / 2).count();
        assert!((MAX_REMEMBERED * 4 / 10..MAX_REMEMBERED * 6 / 10).contains(&late), "{late}");
    }

    #[test]
    fn what_takes_new_branches_is_remembered_before_the_others() {
        let mut remembered = Remembered::default();
        remembered.turn(1, 1);
        let rare = MAX_REMEMBERED - MAX_REMEMBERED / COMMON_ONE_IN;
        for at in 0..20 * rare {
            let branches = if at.is_multiple_of(20) { 100 + at as u64 } else { 1 };
            remembered.take(&request("Pod", at), [branches, branches]);
        }
        let found = remembered.requests();
        let new = found.iter().filter(|request| number(request).is_multiple_of(20)).count();
        assert_eq!(new, rare);
    }

    #[test]
    fn each_kind_has_its_share() {
        let mut remembered = Remembered::default();
        remembered.turn(3, 4);
        (0..5_000).for_each(|at| remembered.take(&request("Pod", at), [1, 1]));
        remembered.turn(1, 4);
        (0..5_000).for_each(|at| remembered.take(&request("Job", at), [1, 1]));
        let found = remembered.requests();
        let jobs = found.iter().filter(|request| request.object.find_str(&["kind"]) == "Job").count();
        assert_eq!(
            [found.len() - jobs, jobs],
            [3, 1].map(|part| FIRST_REMEMBERED + MAX_REMEMBERED * part / 4)
        );
    }
}
