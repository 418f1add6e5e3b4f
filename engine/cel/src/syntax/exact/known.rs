//! What predictions found before (`dfa.go`): the places of a decision behind each row of tokens.
//!
//! In: a decision with how strongly it binds, and tokens. Out: the places, if they were found before. Only places that do not
//! depend on the calls are kept, with the steps that finding them took: those count each time, so that what a text gives does
//! not depend on the texts before it.

use super::configs::{Alt, Alts, ConfigSet};
use super::network::StateId;
use crate::syntax::token::Kind;
use engine_json::ordered::OrderedMap;
use std::rc::Rc;

/// So many sets of places are kept; what comes later is found anew each time.
const MAX_KEPT: usize = 1_000;

/// Places, and what they say of the alternatives.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) set: ConfigSet,
    /// The one alternative that is left.
    pub(super) only: Option<Alt>,
    /// Those that more tokens cannot tell apart.
    pub(super) conflict: Option<Alts>,
}

/// What comes behind a token, and the steps that finding it took.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// `None` where the token does not fit.
    pub(super) to: Option<Place>,
    pub(super) steps: u32,
}

/// Places behind tokens; with their number, where they are kept.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) seen: Rc<Seen>,
    at: Option<usize>,
}

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Known {
    kept: Vec<Rc<Seen>>,
    starts: OrderedMap<(StateId, u8), (usize, u32)>,
    /// Which places come behind a token, if it fits; with the steps.
    next: OrderedMap<(usize, Kind), (Option<usize>, u32)>,
}

impl Known {
    /// Where a decision begins.
    pub(super) fn start(&self, of: (StateId, u8)) -> Option<(Place, u32)> {
        let (at, steps) = *self.starts.get(&of)?;
        Some((self.place(at)?, steps))
    }

    /// Keeps where a decision begins.
    pub(super) fn begin(&mut self, of: (StateId, u8), seen: Seen, steps: u32) -> Place {
        let place = self.keep(seen);
        if let Some(at) = place.at {
            self.starts.insert(of, (at, steps));
        }
        place
    }

    /// What comes behind a token, if that is known.
    pub(super) fn behind(&self, from: &Place, kind: Kind) -> Option<Way> {
        let (next, steps) = *self.next.get(&(from.at?, kind))?;
        Some(Way { to: next.and_then(|at| self.place(at)), steps })
    }

    /// Keeps what comes behind a token.
    pub(super) fn go_on(
        &mut self,
        from: &Place,
        kind: Kind,
        seen: Option<Seen>,
        steps: u32,
    ) -> Option<Place> {
        let place = seen.map(|seen| self.keep(seen));
        let next = place.as_ref().map(|place| place.at);
        // What is not kept cannot be found again.
        if let (Some(from), None | Some(Some(_))) = (from.at, next) {
            self.next.insert((from, kind), (next.flatten(), steps));
        }
        place
    }

    fn keep(&mut self, seen: Seen) -> Place {
        let seen = Rc::new(seen);
        let at = (self.kept.len() < MAX_KEPT).then_some(self.kept.len());
        if at.is_some() {
            self.kept.push(seen.clone());
        }
        Place { seen, at }
    }

    fn place(&self, at: usize) -> Option<Place> {
        self.kept.get(at).map(|seen| Place { seen: seen.clone(), at: Some(at) })
    }
}
