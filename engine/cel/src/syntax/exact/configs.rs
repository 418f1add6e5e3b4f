//! Sets of places where a prediction may stand (`atn_config.go`, `atn_config_set.go`, `prediction_mode.go`).

use super::contexts::{ContextId, Contexts};
use super::network::StateId;
use engine_json::ordered::OrderedMap;

/// The number of an alternative, from 1.
pub(super) type Alt = usize;

/// One place: a state, the calls above it, and the alternative that led there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) state: StateId,
    pub(super) alt: Alt,
    pub(super) context: ContextId,
    /// The weakest operator on the way that must be allowed to bind; `None` where there is none.
    pub(super) binds: Option<u8>,
    /// How often the way left the rule of the decision.
    pub(super) outer: u32,
    /// Whether the way went on where the rule was called with the weakest binding.
    pub(super) suppressed: bool,
}

impl Config {
    /// What makes two places equal while ways are followed.
    pub(super) fn key(&self) -> (StateId, Alt, ContextId, Option<u8>, bool) {
        (self.state, self.alt, self.context, self.binds, self.suppressed)
    }
}

/// Places in the order of finding; those that differ only in their calls are one with both.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfigSet {
    pub(super) list: Vec<Config>,
    places: OrderedMap<(StateId, Alt, Option<u8>), usize>,
    /// Whether any of them depends on which operators may bind.
    pub(super) depends: bool,
}

impl ConfigSet {
    pub(super) fn add(&mut self, config: Config, contexts: &mut Contexts, full: bool) {
        self.depends |= config.binds.is_some();
        let key = (config.state, config.alt, config.binds);
        let place = *self.places.entry(key).or_insert(self.list.len());
        match self.list.get_mut(place) {
            None => self.list.push(config),
            Some(known) => {
                known.context = contexts.join(known.context, config.context, !full);
                known.outer = known.outer.max(config.outer);
                known.suppressed |= config.suppressed;
            }
        }
    }

    /// The alternative of all places, if it is one.
    pub(super) fn only(&self) -> Option<Alt> {
        let first = self.list.first()?.alt;
        self.list.iter().all(|config| config.alt == first).then_some(first)
    }

    /// The alternatives that stand at equal places, for each such place (`getConflictingAltSubsets`).
    fn subsets(&self) -> Vec<Alts> {
        let mut subsets: OrderedMap<(StateId, ContextId), Alts> = OrderedMap::new();
        for config in &self.list {
            subsets.entry((config.state, config.context)).or_default().add(config.alt);
        }
        subsets.into_values().collect()
    }

    /// The alternatives that no more tokens can distinguish without a look at the calls
    /// (`hasSLLConflictTerminatingPrediction`).
    pub(super) fn conflict(&self, over: impl Fn(StateId) -> bool) -> Option<Alts> {
        let subsets = self.subsets();
        let all = subsets.iter().fold(Alts::default(), |all, subset| Alts(all.0 | subset.0));
        if self.list.iter().all(|config| over(config.state)) {
            return Some(all);
        }
        let mut states: OrderedMap<StateId, Alts> = OrderedMap::new();
        for config in &self.list {
            states.entry(config.state).or_default().add(config.alt);
        }
        let conflict = subsets.iter().any(|subset| subset.0.count_ones() > 1);
        let alone = states.values().any(|alts| alts.0.is_power_of_two());
        (conflict && !alone).then_some(all)
    }

    /// The alternative that is the first at every place (`resolvesToJustOneViableAlt`).
    pub(super) fn viable(&self) -> Option<Alt> {
        let subsets = self.subsets();
        let first = subsets.first()?.first()?;
        subsets.iter().all(|subset| subset.first() == Some(first)).then_some(first)
    }
}

/// A set of alternatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Alts(u64);

impl Alts {
    pub(super) fn add(&mut self, alt: Alt) {
        self.0 |= 1 << (alt % 64);
    }

    pub(super) fn has(self, alt: Alt) -> bool {
        self.0 & (1 << (alt % 64)) != 0
    }

    pub(super) fn first(self) -> Option<Alt> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as Alt)
    }

    pub(super) fn only(self) -> Option<Alt> {
        self.first().filter(|_| self.0.is_power_of_two())
    }
}
