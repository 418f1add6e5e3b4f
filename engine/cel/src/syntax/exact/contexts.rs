//! The calls that a prediction stands in: stacks that share their lower parts (`prediction_context.go`).

use super::network::StateId;
use engine_json::ordered::OrderedMap;

/// The place of a stack in [`Contexts`]; [`EMPTY`] is the empty one.
pub(super) type ContextId = u32;

/// The empty stack: of the whole text, or, while the calls are not looked at, of any text.
pub(super) const EMPTY: ContextId = 0;

/// Stacks are joined to this depth; below it, one of them is as good as the other.
const MAX_JOINED: u32 = 64;

/// All stacks of a parse; equal ones have the same place.
#[derive(Debug)]
pub(super) struct Contexts {
    /// The calls on top of each, ascending, with what is below.
    nodes: Vec<Vec<(StateId, ContextId)>>,
    known: OrderedMap<Vec<(StateId, ContextId)>, ContextId>,
}

impl Contexts {
    pub(super) fn new() -> Self {
        Contexts { nodes: vec![Vec::new()], known: OrderedMap::new() }
    }

    /// How many stacks there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The calls on top of a stack, with what is below each.
    pub(super) fn tops(&self, id: ContextId) -> &[(StateId, ContextId)] {
        self.nodes.get(id as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn push(&mut self, below: ContextId, follow: StateId) -> ContextId {
        self.place(vec![(follow, below)])
    }

    fn place(&mut self, tops: Vec<(StateId, ContextId)>) -> ContextId {
        if let Some(&known) = self.known.get(&tops) {
            return known;
        }
        let id = ContextId::try_from(self.nodes.len()).unwrap_or(EMPTY);
        self.nodes.push(tops.clone());
        self.known.insert(tops, id);
        id
    }

    /// The stack that stands for both. Where calls are not looked at, the empty stack is any; where they are, the original
    /// loses it in a union.
    pub(super) fn join(&mut self, a: ContextId, b: ContextId, wildcard: bool) -> ContextId {
        self.joined(a, b, wildcard, MAX_JOINED)
    }

    fn joined(&mut self, a: ContextId, b: ContextId, wildcard: bool, depth: u32) -> ContextId {
        if a == b || depth == 0 {
            return a;
        }
        if a == EMPTY || b == EMPTY {
            return match (wildcard, a == EMPTY) {
                (true, _) => EMPTY,
                (false, true) => b,
                (false, false) => a,
            };
        }
        let mut tops: OrderedMap<StateId, ContextId> = self.tops(a).iter().copied().collect();
        for (follow, below) in self.tops(b).to_vec() {
            let joined = match tops.get(&follow) {
                Some(&other) => self.joined(other, below, wildcard, depth - 1),
                None => below,
            };
            tops.insert(follow, joined);
        }
        self.place(tops.into_iter().collect())
    }
}
