//! The grammar as a network of states, built as the original's tool builds it (`atn.go`, ANTLR 4).
//!
//! In: the grammar. Out: states with their edges, and for each the tokens that may come next.

use super::grammar::{Alternative, Choose, Form, Item, Part, RULES, Rule};
use super::kinds::KindSet;
use std::sync::OnceLock;

/// The place of a state in the network.
pub(super) type StateId = usize;

/// What the parser does at a state, where it is more than following an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// A token, a rule, or only a way on.
    Basic,
    /// Before alternatives, or something that may be left out.
    Block,
    /// Before the alternatives of a repetition.
    StarBlock,
    /// Before the first round of a repetition of at least one.
    PlusBlock,
    BlockEnd,
    /// Where it is decided whether another round comes; first reached before all rounds.
    LoopEntry,
    /// Behind each round of a repetition.
    LoopBack,
    /// Behind each round of a repetition of at least one: decides too.
    PlusLoopBack,
    LoopEnd,
    RuleStart,
    RuleStop,
}

/// A way from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    /// Without a token; from the end of a rule, it is known which rule was called with the weakest binding.
    Free { to: StateId, outermost: Option<Rule> },
    /// One of these tokens.
    Token { kinds: KindSet, to: StateId },
    /// Through a rule and on at `to`.
    Rule { rule: Rule, binds: u8, to: StateId },
    /// Only where an operator that binds this strongly is allowed.
    Binds { least: u8, to: StateId },
}

/// One state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) at: At,
    pub(super) rule: Rule,
    pub(super) edges: Vec<Edge>,
    /// What the token or rule of its edge is to the node.
    pub(super) part: Part,
    pub(super) choose: Choose,
    /// What the node becomes with each alternative.
    pub(super) forms: Vec<Form>,
    /// The end of the block that begins here.
    pub(super) block_end: Option<StateId>,
}

/// The tokens that may come next, and whether the rule may be over before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) kinds: KindSet,
    pub(super) over: bool,
}

/// The states of the whole grammar.
#[derive(Debug)]
pub(super) struct Network {
    states: Vec<State>,
    starts: Vec<StateId>,
    stops: Vec<StateId>,
    next: Vec<Next>,
}

/// The state that is given for a place outside the network, which no edge leads to.
static NOWHERE: State = BLANK;

/// A state without edges.
const BLANK: State = State {
    at: At::RuleStop,
    rule: Rule::Start,
    edges: Vec::new(),
    part: Part::Nothing,
    choose: Choose::ByOne,
    forms: Vec::new(),
    block_end: None,
};

impl Network {
    /// The network; it is built when it is first needed.
    pub(super) fn shared() -> &'static Network {
        static NETWORK: OnceLock<Network> = OnceLock::new();
        NETWORK.get_or_init(Network::build)
    }

    pub(super) fn state(&self, id: StateId) -> &State {
        self.states.get(id).unwrap_or(&NOWHERE)
    }

    pub(super) fn start(&self, rule: Rule) -> StateId {
        self.starts.get(rule as usize).copied().unwrap_or_default()
    }

    /// The tokens that may come next at a state, within its rule.
    pub(super) fn next(&self, id: StateId) -> Next {
        self.next.get(id).copied().unwrap_or_default()
    }

    fn build() -> Network {
        let mut network =
            Network { states: Vec::new(), starts: Vec::new(), stops: Vec::new(), next: Vec::new() };
        for (rule, _) in RULES {
            let start = network.add(At::RuleStart, rule);
            let stop = network.add(At::RuleStop, rule);
            network.starts.push(start);
            network.stops.push(stop);
        }
        for (index, (rule, items)) in RULES.into_iter().enumerate() {
            let (start, stop) = (network.start(rule), network.stops.get(index).copied().unwrap_or_default());
            let first = network.sequence(rule, items, stop);
            network.free(start, first);
        }
        network.follow();
        network.next = (0..network.states.len()).map(|id| network.look(id)).collect();
        network
    }

    fn add(&mut self, at: At, rule: Rule) -> StateId {
        self.states.push(State { at, rule, ..BLANK });
        self.states.len() - 1
    }

    fn edge(&mut self, from: StateId, edge: Edge) {
        if let Some(state) = self.states.get_mut(from) {
            state.edges.push(edge);
        }
    }

    fn free(&mut self, from: StateId, to: StateId) {
        self.edge(from, Edge::Free { to, outermost: None });
    }

    /// Items one behind the other, up to the state `end`: the state before the first.
    fn sequence(&mut self, rule: Rule, items: &[Item], end: StateId) -> StateId {
        items.iter().rev().fold(end, |next, item| self.item(rule, item, next))
    }

    fn item(&mut self, rule: Rule, item: &Item, to: StateId) -> StateId {
        match *item {
            Item::Token(kinds, part) => self.basic(rule, part, Edge::Token { kinds, to }),
            Item::Rule(called, binds, part) => self.basic(rule, part, Edge::Rule { rule: called, binds, to }),
            Item::Binds(least) => self.basic(rule, Part::Nothing, Edge::Binds { least, to }),
            Item::Optional(items) => {
                let (block, end) = self.block(At::Block, rule, &[Alternative { form: Form::Plain, items }]);
                self.free(block, end);
                self.free(end, to);
                block
            }
            Item::Choice(alternatives, choose) => {
                let (block, end) = self.block(At::Block, rule, alternatives);
                self.free(end, to);
                self.chosen(block, choose);
                block
            }
            Item::Star(alternatives, choose) => {
                let (block, end) = self.block(At::StarBlock, rule, alternatives);
                self.chosen(block, choose);
                let (entry, over) = self.repetition(At::LoopEntry, rule, block, to);
                let back = self.add(At::LoopBack, rule);
                self.free(end, back);
                self.free(back, entry);
                self.chosen(entry, choose);
                self.free(entry, over);
                entry
            }
            Item::Plus(items, choose) => {
                let alternatives = [Alternative { form: Form::Plain, items }];
                let (block, end) = self.block(At::PlusBlock, rule, &alternatives);
                let (back, over) = self.repetition(At::PlusLoopBack, rule, block, to);
                self.free(end, back);
                self.chosen(back, choose);
                self.free(back, over);
                block
            }
        }
    }

    fn basic(&mut self, rule: Rule, part: Part, edge: Edge) -> StateId {
        let id = self.add(At::Basic, rule);
        self.edge(id, edge);
        if let Some(state) = self.states.get_mut(id) {
            state.part = part;
        }
        id
    }

    fn chosen(&mut self, id: StateId, choose: Choose) {
        if let Some(state) = self.states.get_mut(id) {
            state.choose = choose;
        }
    }

    fn block(&mut self, at: At, rule: Rule, alternatives: &[Alternative]) -> (StateId, StateId) {
        let block = self.add(at, rule);
        let end = self.add(At::BlockEnd, rule);
        for alternative in alternatives {
            let first = self.sequence(rule, alternative.items, end);
            self.free(block, first);
        }
        if let Some(state) = self.states.get_mut(block) {
            state.forms = alternatives.iter().map(|alternative| alternative.form).collect();
            state.block_end = Some(end);
        }
        (block, end)
    }

    /// The deciding state of a repetition with its first way, and the state behind all rounds.
    fn repetition(&mut self, at: At, rule: Rule, block: StateId, to: StateId) -> (StateId, StateId) {
        let decides = self.add(at, rule);
        let over = self.add(At::LoopEnd, rule);
        self.free(decides, block);
        self.free(over, to);
        (decides, over)
    }

    /// From the end of each rule there is a way to wherever it was called.
    fn follow(&mut self) {
        let calls: Vec<_> = self.states.iter().flat_map(|state| state.edges.iter().copied()).collect();
        for call in calls {
            let Edge::Rule { rule, binds, to } = call else { continue };
            let stop = self.stops.get(rule as usize).copied().unwrap_or_default();
            let outermost = (rule.repeats() && binds == 0).then_some(rule);
            self.edge(stop, Edge::Free { to, outermost });
        }
    }

    /// The tokens that may come next at a state (`LL1Analyzer.Look`, without a context).
    fn look(&self, id: StateId) -> Next {
        let mut seen = vec![false; self.states.len()];
        let mut next = Next::default();
        let mut waiting = vec![id];
        let own = self.state(id).rule;
        while let Some(id) = waiting.pop() {
            let Some(seen) = seen.get_mut(id).filter(|seen| !**seen) else { continue };
            *seen = true;
            let state = self.state(id);
            if state.at == At::RuleStop {
                // No rule can be empty, so only the rule of the first state ends before a token.
                next.over |= state.rule == own;
                continue;
            }
            for edge in &state.edges {
                match *edge {
                    Edge::Free { to, .. } | Edge::Binds { to, .. } => waiting.push(to),
                    Edge::Token { kinds, .. } => next.kinds = next.kinds.with(kinds),
                    Edge::Rule { rule, .. } => waiting.push(self.start(rule)),
                }
            }
        }
        next
    }
}
