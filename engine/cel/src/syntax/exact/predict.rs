//! Which alternative the text takes, by as many tokens as that needs (`parser_atn_simulator.go`).
//!
//! In: a decision, the tokens ahead, the calls. Out: the alternative, or the token up to which none fits. As in the original the
//! calls are first not looked at, and only where that leaves a conflict the tokens are gone through again with them.

use super::configs::{Alt, Alts, Config, ConfigSet};
use super::contexts::{ContextId, Contexts, EMPTY};
use super::known::{Known, Place, Seen};
use super::network::{At, Edge, Network, State, StateId};
use crate::syntax::token::Kind;
use engine_json::ordered::OrderedSet;
use std::cell::Cell;

/// The places that all predictions of a text may look at together; beyond it the first alternative is taken.
const MAX_STEPS: u32 = 4_000_000;

/// So many stacks are kept from text to text.
const MAX_CONTEXTS: usize = 10_000;

thread_local! {
    /// What the texts before have taught: the grammar is the same for all.
    static LEARNED: Cell<Option<Predictor>> = const { Cell::new(None) };
}

/// No alternative fits the tokens up to this one, counted from the decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoWay(pub(super) usize);

/// What a decision needs to know.
pub(super) struct Question<'q> {
    pub(super) decision: StateId,
    /// The token this far ahead, from 0.
    pub(super) ahead: &'q mut dyn FnMut(usize) -> Kind,
    /// How strongly an operator must bind here.
    pub(super) least: u8,
    /// The states to which the calls return, the innermost first.
    pub(super) returns: &'q mut dyn Iterator<Item = StateId>,
}

/// Predicts; what it learned of stacks and places is kept from decision to decision.
pub(super) struct Predictor {
    network: &'static Network,
    contexts: Contexts,
    known: Known,
    steps: u32,
}

/// How ways are followed without a token.
#[derive(Clone, Copy)]
struct Follow {
    /// Whether operators on the way are asked whether they may bind.
    collect: bool,
    /// Whether the calls are looked at.
    full: bool,
    /// Whether the end of the text counts as nothing.
    at_end: bool,
    least: u8,
    /// The rule of the decision, if it is decided by binding.
    rule: Option<super::grammar::Rule>,
}

impl Predictor {
    pub(super) fn new(network: &'static Network) -> Self {
        Predictor { network, contexts: Contexts::new(), known: Known::default(), steps: 0 }
    }

    /// One that may have learned of other texts, for as long as it stays small.
    pub(super) fn lent(network: &'static Network) -> Self {
        let kept = LEARNED.take().filter(|kept| kept.contexts.len() <= MAX_CONTEXTS);
        kept.map_or_else(|| Predictor::new(network), |kept| Predictor { steps: 0, ..kept })
    }

    /// Keeps what it learned for the next text.
    pub(super) fn give_back(self) {
        LEARNED.set(Some(self));
    }

    /// The alternative of a decision.
    pub(super) fn predict(&mut self, question: &mut Question<'_>) -> Result<Alt, NoWay> {
        let state = self.network.state(question.decision);
        let by_binding = state.at == At::LoopEntry && state.rule.repeats();
        let rule = by_binding.then_some(state.rule);
        let follow = Follow { collect: true, full: false, at_end: false, least: question.least, rule };
        let mut place = self.start(question, by_binding, follow);
        let mut ahead = 0;
        loop {
            let kind = (question.ahead)(ahead);
            let Some(reach) = self.behind(&place, kind, follow) else {
                return finished(self.network, &place.seen.set, question.least).ok_or(NoWay(ahead));
            };
            let Seen { set, only, conflict } = &*reach.seen;
            if let Some(only) = *only {
                let mut alts = Alts::default();
                alts.add(only);
                return match allowed(set, alts, question.least) {
                    None => Ok(only),
                    Some(allowed) => allowed.first().ok_or(NoWay(0)),
                };
            }
            if let Some(conflict) = *conflict {
                if let Some(only) = allowed(set, conflict, question.least).and_then(Alts::only) {
                    return Ok(only);
                }
                return self.with_calls(question, follow);
            }
            if self.steps > MAX_STEPS {
                return Ok(set.list.iter().map(|config| config.alt).min().unwrap_or(1));
            }
            place = reach;
            ahead += usize::from(kind != Kind::End);
        }
    }

    /// Where a decision begins while the calls are not looked at: the same in the whole text.
    fn start(&mut self, question: &Question<'_>, by_binding: bool, follow: Follow) -> Place {
        let of = (question.decision, question.least);
        if let Some((known, steps)) = self.known.start(of) {
            self.steps = self.steps.saturating_add(steps);
            return known;
        }
        let before = self.steps;
        let mut set = self.first(question.decision, EMPTY, follow);
        if by_binding {
            set = self.filtered(&set, question.least);
        }
        let seen = self.seen(set);
        self.known.begin(of, seen, self.steps - before)
    }

    /// The places behind the next token, where the calls are not looked at.
    fn behind(&mut self, from: &Place, kind: Kind, follow: Follow) -> Option<Place> {
        self.steps = self.steps.saturating_add(1);
        if let Some(known) = self.known.behind(from, kind) {
            self.steps = self.steps.saturating_add(known.steps);
            return known.to;
        }
        let before = self.steps;
        let reach = self.reach(&from.seen.set, kind, follow).map(|set| self.seen(set));
        self.known.go_on(from, kind, reach, self.steps - before)
    }

    fn seen(&self, set: ConfigSet) -> Seen {
        let only = set.only();
        let conflict = if only.is_none() { set.conflict(|state| self.over(state)) } else { None };
        Seen { set, only, conflict }
    }

    /// The same with a look at the calls (`execATNWithFullContext`).
    fn with_calls(&mut self, question: &mut Question<'_>, follow: Follow) -> Result<Alt, NoWay> {
        let returns: Vec<StateId> = (&mut *question.returns).collect();
        let context =
            returns.into_iter().rev().fold(EMPTY, |below, follow| self.contexts.push(below, follow));
        let follow = Follow { full: true, ..follow };
        let mut set = self.first(question.decision, context, follow);
        let mut ahead = 0;
        loop {
            let kind = (question.ahead)(ahead);
            let Some(reach) = self.reach(&set, kind, follow) else {
                // Go: the tokens are set back before the error is made, so that it names the first.
                return finished(self.network, &set, question.least).ok_or(NoWay(0));
            };
            if let Some(found) = reach.only().or_else(|| reach.viable()) {
                return Ok(found);
            }
            if self.steps > MAX_STEPS {
                return Ok(reach.list.iter().map(|config| config.alt).min().unwrap_or(1));
            }
            set = reach;
            ahead += usize::from(kind != Kind::End);
        }
    }

    fn over(&self, state: StateId) -> bool {
        self.network.state(state).at == At::RuleStop
    }

    /// The places of all alternatives before the first token (`computeStartState`).
    fn first(&mut self, decision: StateId, context: ContextId, follow: Follow) -> ConfigSet {
        let mut set = ConfigSet::default();
        for (index, edge) in self.network.state(decision).edges.iter().enumerate() {
            let Edge::Free { to, .. } = *edge else { continue };
            let config =
                Config { state: to, alt: index + 1, context, binds: None, outer: 0, suppressed: false };
            self.close(config, &mut set, &mut OrderedSet::new(), follow);
        }
        set
    }

    /// Leaves out what another round would do as well as what comes after all rounds (`applyPrecedenceFilter`).
    fn filtered(&mut self, set: &ConfigSet, least: u8) -> ConfigSet {
        let mut kept = ConfigSet::default();
        let mut rounds: Vec<(StateId, ContextId)> = Vec::new();
        for config in set.list.iter().filter(|config| config.alt == 1) {
            if config.binds.is_some_and(|binds| binds < least) {
                continue;
            }
            rounds.push((config.state, config.context));
            kept.add(Config { binds: None, ..*config }, &mut self.contexts, false);
        }
        for config in set.list.iter().filter(|config| config.alt != 1) {
            if config.suppressed || !rounds.contains(&(config.state, config.context)) {
                kept.add(*config, &mut self.contexts, false);
            }
        }
        kept
    }

    /// The places behind the next token (`computeReachSet`).
    fn reach(&mut self, from: &ConfigSet, kind: Kind, follow: Follow) -> Option<ConfigSet> {
        let at_end = kind == Kind::End;
        let mut passed = ConfigSet::default();
        let mut ended = Vec::new();
        for config in &from.list {
            let state = self.network.state(config.state);
            if state.at == At::RuleStop {
                if follow.full || at_end {
                    ended.push(*config);
                }
                continue;
            }
            for edge in &state.edges {
                if let Edge::Token { kinds, to } = *edge
                    && kinds.has(kind)
                {
                    passed.add(Config { state: to, ..*config }, &mut self.contexts, follow.full);
                }
            }
        }
        let decided = ended.is_empty() && !at_end && passed.only().is_some();
        let mut reach =
            if decided { passed } else { self.closed(&passed, Follow { collect: false, at_end, ..follow }) };
        if at_end && !reach.list.iter().all(|config| self.over(config.state)) {
            let mut over = ConfigSet::default();
            let ended =
                reach.list.into_iter().filter(|config| self.network.state(config.state).at == At::RuleStop);
            for config in ended.collect::<Vec<_>>() {
                over.add(config, &mut self.contexts, follow.full);
            }
            reach = over;
        }
        if !follow.full || !reach.list.iter().any(|config| self.over(config.state)) {
            for config in ended {
                reach.add(config, &mut self.contexts, follow.full);
            }
        }
        (!reach.list.is_empty()).then_some(reach)
    }

    fn closed(&mut self, passed: &ConfigSet, follow: Follow) -> ConfigSet {
        let mut reach = ConfigSet::default();
        let mut busy = OrderedSet::new();
        for config in &passed.list {
            self.close(*config, &mut reach, &mut busy, follow);
        }
        reach
    }

    /// Adds all places that can be reached without a token (`closure`).
    fn close(&mut self, from: Config, set: &mut ConfigSet, busy: &mut Busy, follow: Follow) {
        let mut waiting = vec![(from, 0_i32)];
        while let Some((config, depth)) = waiting.pop() {
            self.steps = self.steps.saturating_add(1);
            let state = self.network.state(config.state);
            if state.at == At::RuleStop && config.context != EMPTY {
                for &(to, below) in self.contexts.tops(config.context) {
                    waiting.push((Config { state: to, context: below, suppressed: false, ..config }, depth));
                }
                continue;
            }
            let stays = state.edges.is_empty() || matches!(state.edges.first(), Some(Edge::Token { .. }));
            if stays || (state.at == At::RuleStop && follow.full) {
                set.add(config, &mut self.contexts, follow.full);
            }
            if state.at == At::RuleStop && follow.full {
                continue;
            }
            for (index, edge) in state.edges.iter().enumerate() {
                if index == 0 && self.goes_round_above(config, state) {
                    continue;
                }
                if let Some(next) = self.step(config, edge, depth, busy, follow) {
                    waiting.push(next);
                }
            }
        }
    }

    /// Where an edge leads without a token.
    fn step(
        &mut self,
        config: Config,
        edge: &Edge,
        depth: i32,
        busy: &mut Busy,
        follow: Follow,
    ) -> Option<(Config, i32)> {
        let leaves = self.over(config.state);
        match *edge {
            Edge::Free { to, outermost } => {
                let mut next = Config { state: to, ..config };
                if !leaves {
                    return Some((next, depth));
                }
                next.suppressed |= follow.rule.is_some() && outermost == follow.rule;
                next.outer += 1;
                busy.insert(next.key()).then_some((next, depth - 1))
            }
            Edge::Rule { rule, to, .. } => {
                let context = self.contexts.push(config.context, to);
                let next = Config { state: self.network.start(rule), context, ..config };
                Some((next, if depth >= 0 { depth + 1 } else { depth }))
            }
            Edge::Binds { least, to } => {
                let mut next = Config { state: to, ..config };
                if follow.collect && depth == 0 {
                    if follow.full {
                        return (least >= follow.least).then_some((next, depth));
                    }
                    next.binds = Some(config.binds.map_or(least, |binds| binds.min(least)));
                }
                Some((next, depth))
            }
            Edge::Token { kinds, to } => {
                let next = Config { state: to, ..config };
                let passes = follow.at_end && kinds.has(Kind::End);
                (passes && busy.insert(next.key())).then_some((next, depth))
            }
        }
    }

    /// Whether another round is only what the same rule one call above does too
    /// (`canDropLoopEntryEdgeInLeftRecursiveRule`).
    fn goes_round_above(&self, config: Config, state: &State) -> bool {
        if state.at != At::LoopEntry || !state.rule.repeats() || config.context == EMPTY {
            return false;
        }
        let block_end = match state.edges.first() {
            Some(Edge::Free { to, .. }) => self.network.state(*to).block_end,
            _ => None,
        };
        self.contexts.tops(config.context).iter().all(|&(follow, _)| {
            let back = self.network.state(follow);
            let &[Edge::Free { to, .. }] = back.edges.as_slice() else { return false };
            let target = self.network.state(to);
            let ends = |state: &State, entry: StateId| {
                state.at == At::BlockEnd
                    && matches!(state.edges.as_slice(), [Edge::Free { to, .. }] if *to == entry)
            };
            back.rule == state.rule
                && (ends(back, config.state)
                    || Some(follow) == block_end
                    || Some(to) == block_end
                    || ends(target, config.state))
        })
    }
}

type Busy = OrderedSet<(StateId, Alt, ContextId, Option<u8>, bool)>;

/// Which of the alternatives may bind; `None` where nothing depends on that (`evalSemanticContext`).
fn allowed(set: &ConfigSet, alts: Alts, least: u8) -> Option<Alts> {
    if !set.depends {
        return None;
    }
    let mut depends = false;
    let mut allowed = Alts::default();
    for alt in set.list.iter().map(|config| config.alt).filter(|&alt| alts.has(alt)) {
        let own = || set.list.iter().filter(move |config| config.alt == alt);
        let free = own().any(|config| config.binds.is_none());
        depends |= !free;
        if free || own().any(|config| config.binds.is_some_and(|binds| binds >= least)) {
            allowed.add(alt);
        }
    }
    depends.then_some(allowed)
}

/// The first alternative whose rule was over before the tokens stopped to fit
/// (`getSynValidOrSemInvalidAltThatFinishedDecisionEntryRule`).
fn finished(network: &Network, set: &ConfigSet, least: u8) -> Option<Alt> {
    let over = |config: &&Config| {
        config.outer > 0 || (network.state(config.state).at == At::RuleStop && config.context == EMPTY)
    };
    let first = |may_bind: bool| {
        let fits = |config: &&Config| config.binds.is_none_or(|binds| binds >= least) == may_bind;
        set.list.iter().filter(fits).filter(over).map(|config| config.alt).min()
    };
    first(true).or_else(|| first(false))
}
