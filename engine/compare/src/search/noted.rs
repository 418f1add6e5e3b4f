//! Which differences count, and as what they are noted.
//!
//! In: a request on which two sides differ, and what both decide. Out: the difference among those that were found, where a cluster shows it
//! too, by its gap, its operation and its direction.

use super::{Found, Origin, Search};
use crate::difference::{Direction, difference};
use crate::gap::{KindGap, gap};
use crate::objects::admissible::is_admissible;
use crate::objects::valid::{is_stored_by_one, is_valid};
use crate::odd::{Odd, odd};
use crate::request::{Operation, Request};
use crate::sides::side::{Depth, Response};
use crate::sides::subresource::was_let_in;

/// What a difference is noted by.
type Key = (Option<KindGap>, Operation, Direction);

impl Found {
    /// The differences that are shown: one in an odd text is none where a plain object shows it too.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&Key, &Request)> {
        self.differences.iter().filter(|((gap, operation, direction), _)| {
            let is_of_texts = gap.is_some_and(KindGap::is_of_texts);
            !is_of_texts || !self.differences.contains_key(&(None, *operation, *direction))
        })
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
        difference(&old, &new, self.criterion, &defaulted.object) == Some(direction)
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
        let mut gap = gap(request, [old, new], sides);
        if gap.is_none() {
            match odd(request, sides, |plainer| self.shows(plainer, direction, origin)) {
                Odd::No => {}
                Odd::Plainer(plainer) => shown = *plainer,
                Odd::Gap(of_texts) => gap = Some(of_texts),
            }
        }
        let found = &mut self.found;
        // What lies between kinds of policies ends no search.
        if gap.is_none() {
            found.first_found_at.get_or_insert(found.tried);
        }
        found.differences.entry((gap, shown.attributes.operation, direction)).or_insert(shown);
    }

    /// Whether the sides differ in this way on a request that could be sent.
    fn shows(&self, request: &Request, direction: Direction, origin: Origin) -> bool {
        let [old, new] = [self.old, self.new].map(|side| side.evaluate(request, Depth::Decision));
        let is_sent =
            || is_admissible(request, self.schema) && is_valid(request, self.is_before, self.schema);
        difference(&old, &new, self.criterion, &request.object) == Some(direction)
            && is_sent()
            && self.is_lasting(request, [&old, &new], direction, origin)
    }
}
