//! Goes through the network with the text, and goes on after errors as the original does (`parser.go`, `error_strategy.go` of
//! ANTLR 4; `recoveryLimitErrorStrategy` and `recursionListener` of `parser/parser.go`).
//!
//! In: tokens. Out: a parse tree, with holes where the text has errors, and the errors. All state lies in lists, so that no
//! text can exhaust the stack.

use super::grammar::{Choose, Form, Part, Rule};
use super::network::{At, Edge, Network, State, StateId};
use super::predict::{NoWay, Predictor, Question};
use super::stream::Stream;
use crate::issue::Issue;
use crate::syntax::MAX_DEPTH;
use crate::syntax::token::Token;
use engine_json::ordered::OrderedSet;

/// So many syntax errors are reported; one more stops the parser (`errorReportingLimit`).
const MAX_REPORTS: u32 = 100;

/// The place of a node in the parse tree.
pub(super) type NodeId = usize;

/// One node of the parse tree.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) rule: Rule,
    pub(super) form: Form,
    /// Its first token.
    pub(super) start: Token,
    /// The end of the last token that was passed when the node was closed.
    pub(super) end: u32,
    pub(super) parts: Vec<(Part, Child)>,
}

/// A part of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Child {
    Node(NodeId),
    /// A token; one that was made up has no text of its own.
    Token(Token),
}

/// The end of the walk before the end of the text: the limit is reported already.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// A rule that cannot go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wrong {
    Mismatch,
    NoWay {
        first: Token,
        last: Token,
    },
    /// An operator of this rule, which binds this strongly, may not bind here.
    Binding {
        rule: Rule,
        least: u8,
    },
    Stopped,
}

impl From<Stopped> for Wrong {
    fn from(_: Stopped) -> Self {
        Wrong::Stopped
    }
}

/// A rule that is being read.
pub(super) struct Frame {
    node: NodeId,
    /// The state that called, and the one behind it.
    pub(super) called: Option<(StateId, StateId)>,
    least: u8,
}

/// The walk through one text.
pub(super) struct Walk<'s> {
    pub(super) stream: Stream<'s>,
    pub(super) issues: Vec<Issue>,
    pub(super) trees: Vec<Tree>,
    pub(super) network: &'static Network,
    pub(super) predictor: Predictor,
    pub(super) frames: Vec<Frame>,
    pub(super) state: StateId,
    /// How often each rule is open.
    open: [u32; 17],
    reports: u32,
    pub(super) recoveries: u32,
    /// Whether an error was reported and no token accepted since.
    pub(super) recovering: bool,
    /// Before which token the last recovery was, and at which states.
    pub(super) last_place: Option<usize>,
    pub(super) last_states: OrderedSet<StateId>,
    /// How many tokens were passed over in this recovery.
    pub(super) passed: u32,
}

impl<'s> Walk<'s> {
    pub(super) fn new(stream: Stream<'s>) -> Self {
        let network = Network::shared();
        Walk {
            stream,
            issues: Vec::new(),
            trees: Vec::new(),
            network,
            predictor: Predictor::lent(network),
            frames: Vec::new(),
            state: network.start(Rule::Start),
            open: [0; 17],
            reports: 0,
            recoveries: 0,
            recovering: false,
            last_place: None,
            last_states: OrderedSet::new(),
            passed: 0,
        }
    }

    /// Reads the whole text; the first node is the root.
    pub(super) fn run(&mut self) -> Result<(), Stopped> {
        self.enter(Rule::Start, 0, None)?;
        let mut state = self.network.start(Rule::Start);
        while !self.frames.is_empty() {
            state = match self.step(state) {
                Ok(next) => next,
                Err(Wrong::Stopped) => return Err(Stopped),
                Err(wrong) => {
                    self.report(wrong)?;
                    self.recover()?;
                    self.leave()
                }
            };
        }
        Ok(())
    }

    /// Does what is to do at a state and says which comes next.
    fn step(&mut self, id: StateId) -> Result<StateId, Wrong> {
        let state = self.network.state(id);
        match state.at {
            At::RuleStop => Ok(self.leave()),
            At::Basic => self.basic(id, state),
            At::Block => {
                let (to, form) = self.block(id, state)?;
                if let Some(tree) = self.tree().filter(|_| form != Form::Plain) {
                    tree.form = form;
                }
                Ok(to)
            }
            At::StarBlock => {
                let only = state.forms.first().copied().unwrap_or(Form::Plain);
                let (to, form) =
                    if state.edges.len() > 1 { self.block(id, state)? } else { (free(state, 0), only) };
                if state.rule.repeats() {
                    self.again(state.rule, form)?;
                }
                Ok(to)
            }
            At::PlusBlock => {
                self.state = id;
                self.sync(state)?;
                Ok(free(state, 0))
            }
            At::LoopBack => {
                self.state = id;
                self.sync(state)?;
                let entry = free(state, 0);
                self.round(entry, self.network.state(entry))
            }
            At::LoopEntry | At::PlusLoopBack => {
                self.state = id;
                self.sync(state)?;
                self.round(id, state)
            }
            At::RuleStart | At::BlockEnd | At::LoopEnd => Ok(free(state, 0)),
        }
    }

    /// A token, a rule, or an operator that may bind or not.
    fn basic(&mut self, id: StateId, state: &'static State) -> Result<StateId, Wrong> {
        self.state = id;
        match state.edges.first() {
            Some(&Edge::Token { kinds, to }) => {
                let token = self.accept(id, kinds)?;
                self.part(state.part, Child::Token(token));
                Ok(to)
            }
            Some(&Edge::Rule { rule, binds, to }) => {
                let node = self.trees.len();
                self.part(state.part, Child::Node(node));
                self.enter(rule, binds, Some((id, to)))?;
                Ok(self.network.start(rule))
            }
            Some(&Edge::Binds { least, to }) => {
                if least >= self.least() {
                    Ok(to)
                } else {
                    Err(Wrong::Binding { rule: state.rule, least })
                }
            }
            Some(&Edge::Free { to, .. }) => Ok(to),
            None => Err(Wrong::Mismatch),
        }
    }

    /// Chooses one alternative of a block, or leaves the block out.
    fn block(&mut self, id: StateId, state: &'static State) -> Result<(StateId, Form), Wrong> {
        self.state = id;
        self.sync(state)?;
        let alternative = match state.choose {
            Choose::ByMany => self.predict(id)?,
            Choose::ByOne => {
                let token = self.look(0)?;
                let begins = |edge: &Edge| match *edge {
                    Edge::Free { to, .. } => self.network.next(to).kinds.has(token.kind),
                    _ => false,
                };
                // The way around the block is not an alternative of its own: it is taken where none fits.
                let fits = state.edges.iter().take(state.forms.len()).position(begins);
                let around =
                    (state.block_end == Some(free(state, state.forms.len()))).then_some(state.forms.len());
                fits.or(around).ok_or(Wrong::NoWay { first: token, last: token })?
            }
        };
        Ok((free(state, alternative), state.forms.get(alternative).copied().unwrap_or(Form::Plain)))
    }

    /// Decides whether another round of a repetition comes.
    fn round(&mut self, id: StateId, state: &'static State) -> Result<StateId, Wrong> {
        let alternative = match state.choose {
            Choose::ByMany => self.predict(id)?,
            Choose::ByOne => {
                let kind = self.look(0)?.kind;
                usize::from(!self.network.next(free(state, 0)).kinds.has(kind))
            }
        };
        if alternative == 0 && state.at == At::LoopEntry && state.rule.repeats() {
            self.close(state.rule);
        }
        Ok(free(state, alternative))
    }

    /// The alternative of a decision, from 0.
    fn predict(&mut self, decision: StateId) -> Result<usize, Wrong> {
        let least = self.least();
        let Walk { stream, frames, predictor, .. } = self;
        let first = stream.next;
        let found = predictor.predict(&mut Question {
            decision,
            ahead: &mut |by| stream.ahead(by).kind,
            least,
            returns: &mut frames.iter().rev().filter_map(|frame| frame.called.map(|(_, follow)| follow)),
        });
        self.report_bad()?;
        let way = |NoWay(by): NoWay| Wrong::NoWay {
            first: self.stream.at(first),
            last: self.stream.at(first + by),
        };
        found.map(|alternative| alternative - 1).map_err(way)
    }

    fn tree(&mut self) -> Option<&mut Tree> {
        let node = self.frames.last()?.node;
        self.trees.get_mut(node)
    }

    fn part(&mut self, part: Part, child: Child) {
        if let Some(tree) = self.tree() {
            tree.parts.push((part, child));
        }
    }

    fn least(&self) -> u8 {
        let binding = self
            .frames
            .iter()
            .rev()
            .find(|frame| self.trees.get(frame.node).is_some_and(|tree| tree.rule.repeats()));
        binding.map_or(0, |frame| frame.least)
    }

    fn enter(&mut self, rule: Rule, least: u8, called: Option<(StateId, StateId)>) -> Result<(), Stopped> {
        let start = self.look(0)?;
        let form = if rule == Rule::Member { Form::OnePrimary } else { Form::Plain };
        let node = self.trees.len();
        self.trees.push(Tree { rule, form, start, end: start.start, parts: Vec::new() });
        self.frames.push(Frame { node, called, least });
        self.opened(rule)
    }

    /// Counts a rule that was opened (`recursionListener.EnterEveryRule`).
    fn opened(&mut self, rule: Rule) -> Result<(), Stopped> {
        let Some(open) = self.open.get_mut(rule as usize) else { return Ok(()) };
        *open += 1;
        if *open > MAX_DEPTH {
            self.issues.push(Issue::nowhere(format!("expression recursion limit exceeded: {MAX_DEPTH}")));
            return Err(Stopped);
        }
        Ok(())
    }

    fn close(&mut self, rule: Rule) {
        if let Some(open) = self.open.get_mut(rule as usize) {
            *open = open.saturating_sub(1);
        }
    }

    /// Another round of a rule that repeats with itself: what was read so far becomes its first part.
    fn again(&mut self, rule: Rule, form: Form) -> Result<(), Stopped> {
        let moved = self.trees.len();
        if let Some(tree) = self.tree() {
            let (start, end) = (tree.start, tree.end);
            let parts = vec![(Part::First, Child::Node(moved))];
            let before = std::mem::replace(tree, Tree { rule, form, start, end, parts });
            self.trees.push(before);
        }
        self.opened(rule)
    }

    /// Closes the innermost rule and says where its caller goes on.
    fn leave(&mut self) -> StateId {
        let end = self.stream.last().map_or(0, |token| token.end);
        let Some(frame) = self.frames.pop() else { return self.state };
        if let Some(tree) = self.trees.get_mut(frame.node) {
            tree.end = end;
            let rule = tree.rule;
            self.close(rule);
        }
        let Some((called, follow)) = frame.called else { return self.state };
        self.state = called;
        follow
    }

    /// The token this far ahead; what is not a token before it is reported.
    pub(super) fn look(&mut self, by: usize) -> Result<Token, Stopped> {
        let token = self.stream.ahead(by);
        self.report_bad()?;
        Ok(token)
    }

    fn report_bad(&mut self) -> Result<(), Stopped> {
        while let Some((at, text)) = self.stream.bad() {
            let message = format!("token recognition error at: '{text}'");
            self.say(at, &message)?;
        }
        Ok(())
    }

    /// Reports a syntax error, if there were not too many.
    pub(super) fn say(&mut self, at: u32, message: &str) -> Result<(), Stopped> {
        if self.reports >= MAX_REPORTS {
            let message = format!("Syntax error: More than {MAX_REPORTS} syntax errors");
            self.issues.push(Issue::at(at, message));
            return Err(Stopped);
        }
        self.reports += 1;
        self.issues.push(Issue::at(at, format!("Syntax error: {message}")));
        Ok(())
    }
}

/// Where the edge of a state leads that needs no token.
fn free(state: &State, edge: usize) -> StateId {
    match state.edges.get(edge) {
        Some(&Edge::Free { to, .. }) => to,
        _ => StateId::MAX,
    }
}
