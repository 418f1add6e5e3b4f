//! Which differences count, and as what they are noted.
//!
//! In: a request on which two sides differ, and what both decide. Out: the difference among those that were found, where a cluster shows it
//! too, by its gap, its operation, its direction and its cause.

use super::{Found, Origin, Search};
use crate::cause::{NO_CAUSE, causes};
use crate::difference::{Direction, difference};
use crate::gap::{KindGap, gap};
use crate::objects::admissible::is_admissible;
use crate::objects::valid::{is_stored_by_one, is_valid};
use crate::odd::{Odd, odd};
use crate::request::{Operation, Request};
use crate::search::echo::plainer_kinds;
use crate::sides::side::{Depth, FNV, Response, mix};
use crate::sides::subresource::was_let_in;
use engine_json::Str;
use std::collections::BTreeSet;

/// What a difference is noted by: the gap between kinds of policies, the kind of the object where there is none, the operation, the direction, and
/// which lines decided (`causes`).
pub(super) type Key = (Option<KindGap>, Str, Operation, Direction, u64);

/// How many causes of one direction are noted for each kind of objects and operation.
const MAX_CAUSES: usize = 3;
/// How many further requests are tried after the last cause was found, once there are differences in both directions.
const FURTHER: usize = 600;
/// How many requests of controllers are held against those of Pods, of each kind, operation, direction and cause.
const MAX_ECHOES: usize = 40;

/// Whether a difference shows on a plainer kind.
enum Echo {
    /// It does not.
    Own,
    /// On this request.
    Of(Box<Request>),
    /// That is not looked at any more, as it did for many such requests.
    Unknown,
}

/// What was found since the search turned to a kind.
#[derive(Default)]
pub(super) struct Turn {
    directions: BTreeSet<Direction>,
    first_found_at: Option<usize>,
    last_found_at: usize,
}

impl Turn {
    /// Whether differences in both directions are known, and no further cause was found for long, or nothing was.
    pub(super) fn is_over(&self, tried: usize, [patience, for_wider]: [usize; 2]) -> bool {
        let has = |to: Direction| self.directions.contains(&to);
        let patience = if has(Direction::Stricter) { for_wider } else { patience };
        let is_patient = self.first_found_at.is_none_or(|at| tried < at.max(self.last_found_at) + patience);
        let has_both = has(Direction::Wider) && has(Direction::Stricter);
        !is_patient || has_both && tried >= self.last_found_at + FURTHER
    }
}

impl Found {
    /// The differences that are shown: one in an odd text is none where a plain object shows it too.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&Key, &Request)> {
        self.differences.iter().filter(|((gap, _, operation, direction, _), _)| {
            let is_plain = |(of, _, one, to, _): &Key| (of, one, to) == (&None, operation, direction);
            let is_of_texts = gap.is_some_and(KindGap::is_of_texts);
            !is_of_texts || !self.differences.keys().any(is_plain)
        })
    }

    /// How many causes are known that lie in the policies themselves.
    fn causes(&self, kind: &Str, of: Operation, to: Direction) -> usize {
        let known = self.differences.keys();
        known
            .filter(|(gap, kind_of, operation, direction, _)| {
                (gap, kind_of, *operation, *direction) == (&None, kind, of, to)
            })
            .count()
    }

    /// Whether so many causes were found that there may be more.
    pub(crate) fn may_have_more(&self) -> bool {
        let mut keys = self.differences.keys().filter(|(gap, ..)| gap.is_none());
        keys.any(|(_, kind, of, to, _)| self.causes(kind, *of, *to) >= MAX_CAUSES)
    }

    /// Whether a difference was found that lies in the policies themselves, since the search turned to this kind.
    pub(super) fn has_own_difference(&self) -> bool {
        !self.turn.directions.is_empty()
    }

    /// Whether any was found before, too.
    pub(super) fn has_any_difference(&self) -> bool {
        self.differences.keys().any(|(gap, ..)| gap.is_none())
    }

    /// Whether differences in both directions are known.
    pub(crate) fn has_both_directions(&self) -> bool {
        let has =
            |to: Direction| self.differences.keys().any(|(gap, _, _, of, _)| gap.is_none() && *of == to);
        has(Direction::Wider) && has(Direction::Stricter)
    }

    /// The search turns to another kind.
    pub(super) fn begin_turn(&mut self) {
        self.turn = Turn { last_found_at: self.tried, ..Turn::default() };
    }
}

impl Search<'_, '_> {
    /// Whether a difference is one in a cluster too: with what an API server fills in, of what it stores.
    pub(super) fn is_lasting(
        &self,
        request: &Request,
        responses: [&Response; 2],
        direction: Direction,
        origin: Origin,
    ) -> bool {
        let defaulted = request.defaulted([self.old, self.new]);
        let [old, new] = [self.old, self.new].map(|side| side.evaluate(&defaulted, Depth::Decision));
        let is_before = self.is_before && origin == Origin::Search;
        difference(&old, &new, self.basis(), &defaulted.object) == Some(direction)
            && was_let_in(request, [self.old, self.new])
            && (!is_before || is_stored_by_one(request, responses, self.schema))
    }

    /// Notes a difference that no request has shown before: with plain texts, where they show it too.
    pub(super) fn note_difference(
        &mut self,
        request: &Request,
        [old, new]: [&Response; 2],
        direction: Direction,
        origin: Origin,
    ) {
        let mut shown = request.clone();
        let sides = [self.old, self.new];
        let mut gap = gap(request, [old, new], sides, self.schema);
        if gap.is_none() {
            match odd(request, sides, |plainer| self.shows(plainer, direction, origin)) {
                Odd::No => {}
                Odd::Plainer(plainer) => shown = *plainer,
                Odd::Gap(of_texts) => gap = Some(of_texts),
            }
        }
        // What lies between kinds of policies ends no search.
        if gap.is_some() {
            let key = (gap, Str::default(), shown.attributes.operation, direction, NO_CAUSE);
            self.found.differences.entry(key).or_insert(shown);
            return;
        }
        let tried = self.found.tried;
        self.found.turn.first_found_at.get_or_insert(tried);
        self.found.turn.directions.insert(direction);
        if !self.is_new_cause(&shown, direction) {
            return;
        }
        match self.echo(&shown, direction, origin) {
            Echo::Own => {}
            Echo::Of(plainer) => shown = *plainer,
            Echo::Unknown => return,
        }
        let (kind, operation) = of(&shown);
        for cause in causes(&shown, sides, direction) {
            let found = &mut self.found;
            let key = (None, kind.clone(), operation, direction, cause);
            if found.causes(&kind, operation, direction) < MAX_CAUSES && !found.differences.contains_key(&key)
            {
                found.turn.last_found_at = tried;
                found.differences.insert(key, shown.clone());
            }
        }
    }

    /// Whether a request shows a cause that none of its kind has shown before.
    fn is_new_cause(&self, request: &Request, direction: Direction) -> bool {
        let (kind, operation) = of(request);
        self.found.causes(&kind, operation, direction) < MAX_CAUSES
            && causes(request, [self.old, self.new], direction).into_iter().any(|cause| {
                !self.found.differences.contains_key(&(None, kind.clone(), operation, direction, cause))
            })
    }

    /// Whether a request about a plainer kind shows the same.
    fn echo(&mut self, request: &Request, direction: Direction, origin: Origin) -> Echo {
        let plainer = plainer_kinds(request, self.schema);
        if plainer.is_empty() {
            return Echo::Own;
        }
        let (kind, operation) = of(request);
        let all = causes(request, [self.old, self.new], direction);
        let cause = all.iter().fold(FNV, |hash, cause| mix(hash, &cause.to_le_bytes()));
        let tried = self.found.echoes.entry((kind, operation, direction, cause)).or_default();
        *tried += 1;
        if *tried > MAX_ECHOES {
            return Echo::Unknown;
        }
        let found = plainer.into_iter().find(|plainer| self.shows(plainer, direction, origin));
        found.map_or(Echo::Own, |plainer| Echo::Of(Box::new(plainer)))
    }

    /// Whether the sides differ in this way on a request that could be sent.
    fn shows(&self, request: &Request, direction: Direction, origin: Origin) -> bool {
        let [old, new] = [self.old, self.new].map(|side| side.evaluate(request, Depth::Decision));
        let is_sent =
            || is_admissible(request, self.schema) && is_valid(request, self.is_before, self.schema);
        difference(&old, &new, self.basis(), &request.object) == Some(direction)
            && is_sent()
            && self.is_lasting(request, [&old, &new], direction, origin)
    }
}

/// The kind of the object, and what is done with it.
fn of(request: &Request) -> (Str, Operation) {
    (Str::new(request.object.find_str(&["kind"])), request.attributes.operation)
}
