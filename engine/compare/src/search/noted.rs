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
use crate::sides::side::{Depth, Response};
use crate::sides::subresource::was_let_in;

/// What a difference is noted by: the gap between kinds of policies, the operation, the direction, and which lines decided (`causes`).
pub(super) type Key = (Option<KindGap>, Operation, Direction, u64);

/// How many causes of one direction are noted for each operation.
const MAX_CAUSES: usize = 3;
/// How many further requests are tried after the last cause was found, once there are differences in both directions.
const FURTHER: usize = 600;

impl Found {
    /// The differences that are shown: one in an odd text is none where a plain object shows it too.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&Key, &Request)> {
        self.differences.iter().filter(|((gap, operation, direction, _), _)| {
            let is_of_texts = gap.is_some_and(KindGap::is_of_texts);
            !is_of_texts || self.causes(*operation, *direction) == 0
        })
    }

    /// How many causes are known that lie in the policies themselves.
    fn causes(&self, of: Operation, to: Direction) -> usize {
        let known = self.differences.keys();
        known
            .filter(|(gap, operation, direction, _)| (gap, *operation, *direction) == (&None, of, to))
            .count()
    }

    /// Whether so many causes were found that there may be more.
    pub(crate) fn may_have_more(&self) -> bool {
        let keys = self.differences.keys().filter(|(gap, ..)| gap.is_none());
        keys.map(|(_, of, to, _)| self.causes(*of, *to)).max() == Some(MAX_CAUSES)
    }

    /// Whether a difference is known that lies in the policies themselves.
    pub(super) fn has_own_difference(&self) -> bool {
        self.differences.keys().any(|(gap, ..)| gap.is_none())
    }

    /// Whether differences in both directions are known, and no further cause was found for long.
    pub(crate) fn has_both_directions(&self) -> bool {
        let has = |to: Direction| {
            self.differences.keys().any(|(gap, _, direction, _)| gap.is_none() && *direction == to)
        };
        has(Direction::Wider) && has(Direction::Stricter) && self.tried >= self.last_found_at + FURTHER
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
        let defaulted = request.defaulted();
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
        let found = &mut self.found;
        let operation = shown.attributes.operation;
        // What lies between kinds of policies ends no search.
        if gap.is_some() {
            found.differences.entry((gap, operation, direction, NO_CAUSE)).or_insert(shown);
            return;
        }
        found.first_found_at.get_or_insert(found.tried);
        if found.causes(operation, direction) >= MAX_CAUSES {
            return;
        }
        let causes = causes(&shown, sides, direction);
        for cause in causes {
            let key = (gap, operation, direction, cause);
            if found.causes(operation, direction) < MAX_CAUSES && !found.differences.contains_key(&key) {
                found.last_found_at = found.tried;
                found.differences.insert(key, shown.clone());
            }
        }
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
