//! What is said of an error, and how the parser goes on behind it (`error_strategy.go`).

use super::grammar::Rule;
use super::kinds::KindSet;
use super::network::{At, Edge, State, StateId};
use super::walk::{Stopped, Walk, Wrong};
use crate::issue::Issue;
use crate::syntax::token::{Kind, Token};

/// So often the parser recovers (`errorRecoveryLimit`).
const MAX_RECOVERIES: u32 = 30;

/// So many tokens are passed over in one recovery (`errorRecoveryTokenLookaheadLimit`).
const MAX_PASSED: u32 = 256;

/// Whether the tokens that are passed over are counted: in a recovery they are, at a look ahead they are not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    Counted,
    Free,
}

impl Walk<'_> {
    /// Takes one of these tokens, or finds a way to go on without it (`Match`, `RecoverInline`).
    pub(super) fn accept(&mut self, id: StateId, kinds: KindSet) -> Result<Token, Wrong> {
        let token = self.look(0)?;
        if kinds.has(token.kind) {
            self.matched();
            self.pass(Passing::Free)?;
            return Ok(token);
        }
        self.attempt()?;
        if let Some(token) = self.without_one(Passing::Counted)? {
            self.pass(Passing::Counted)?;
            return Ok(token);
        }
        let behind = match self.network.state(id).edges.first() {
            Some(&Edge::Token { to, .. }) => to,
            _ => id,
        };
        if !self.expected_at(behind).has(token.kind) {
            return Err(Wrong::Mismatch);
        }
        if !self.recovering {
            self.recovering = true;
            let message = format!("missing {} at {}", self.expected(), self.shown(token));
            self.say(token.start, &message)?;
        }
        let place = if token.kind == Kind::End { self.stream.last().unwrap_or(token) } else { token };
        Ok(Token { kind: self.expected().first(), start: place.start, end: place.start })
    }

    /// Checks before a decision that the next token fits, and passes over what does not (`Sync`).
    pub(super) fn sync(&mut self, state: &State) -> Result<(), Wrong> {
        if self.recovering {
            return Ok(());
        }
        let next = self.network.next(self.state);
        let kind = self.look(0)?.kind;
        if next.over || next.kinds.has(kind) {
            return Ok(());
        }
        match state.at {
            At::Block | At::StarBlock | At::PlusBlock | At::LoopEntry => {
                self.without_one(Passing::Free)?.map(|_| ()).ok_or(Wrong::Mismatch)
            }
            At::LoopBack | At::PlusLoopBack => {
                self.unwanted()?;
                let until = self.expected().with(self.follow());
                self.pass_until(until, Passing::Free)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Leaves out the next token if the one behind it fits (`SingleTokenDeletion`).
    fn without_one(&mut self, passing: Passing) -> Result<Option<Token>, Stopped> {
        let second = self.look(1)?.kind;
        if !self.expected().has(second) {
            return Ok(None);
        }
        self.unwanted()?;
        self.pass(passing)?;
        let token = self.look(0)?;
        self.matched();
        Ok(Some(token))
    }

    fn unwanted(&mut self) -> Result<(), Stopped> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.look(0)?;
        let message = format!("extraneous input {} expecting {}", self.shown(token), self.expected());
        self.say(token.start, &message)
    }

    /// Says what is wrong, unless nothing was accepted since the last report (`ReportError`).
    pub(super) fn report(&mut self, wrong: Wrong) -> Result<(), Stopped> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.look(0)?;
        match wrong {
            Wrong::Stopped => Err(Stopped),
            Wrong::Mismatch => {
                let message = format!("mismatched input {} expecting {}", self.shown(token), self.expected());
                self.say(token.start, &message)
            }
            Wrong::NoWay { first, last } => {
                let text = match first.kind {
                    Kind::End => String::from("<EOF>"),
                    _ => self.stream.through(first, last),
                };
                let message = no_way(&escaped(&text));
                self.say(last.start, &message)
            }
            Wrong::Binding { rule, least } => {
                let rule = if rule == Rule::Calc { "calc" } else { "relation" };
                let predicate = format!("p.Precpred(p.GetParserRuleContext(), {least})");
                let message = format!("rule {rule} failed predicate: {{{predicate}}}?");
                self.say(token.start, &message)
            }
        }
    }

    /// Passes over tokens until one may come behind one of the open rules (`Recover`).
    pub(super) fn recover(&mut self) -> Result<(), Stopped> {
        self.attempt()?;
        if self.last_place == Some(self.stream.next) && self.last_states.contains(&self.state) {
            self.pass(Passing::Counted)?;
        }
        self.last_place = Some(self.stream.next);
        self.last_states.insert(self.state);
        let follow = self.follow();
        self.pass_until(follow, Passing::Counted)
    }

    /// Counts a recovery (`checkAttempts`).
    fn attempt(&mut self) -> Result<(), Stopped> {
        if self.recoveries == MAX_RECOVERIES {
            let token = self.look(0)?;
            let message = format!("error recovery attempt limit exceeded: {MAX_RECOVERIES}");
            self.say(token.start, &message)?;
            return Err(Stopped);
        }
        self.recoveries += 1;
        self.passed = 0;
        Ok(())
    }

    /// A token was accepted: the next error is reported again.
    fn matched(&mut self) {
        self.recovering = false;
        self.last_place = None;
        self.last_states.clear();
    }

    fn pass(&mut self, passing: Passing) -> Result<(), Stopped> {
        if passing == Passing::Counted {
            if self.passed >= MAX_PASSED {
                let message = format!("error recovery token lookahead limit exceeded: {MAX_PASSED}");
                self.issues.push(Issue::nowhere(message));
                return Err(Stopped);
            }
            self.passed += 1;
        }
        self.stream.advance();
        self.look(0).map(|_| ())
    }

    fn pass_until(&mut self, wanted: KindSet, passing: Passing) -> Result<(), Stopped> {
        loop {
            let kind = self.look(0)?.kind;
            if kind == Kind::End || wanted.has(kind) {
                return Ok(());
            }
            self.pass(passing)?;
        }
    }

    /// The tokens that fit here, with all calls (`getExpectedTokens`).
    fn expected(&self) -> KindSet {
        self.expected_at(self.state)
    }

    fn expected_at(&self, state: StateId) -> KindSet {
        let mut next = self.network.next(state);
        let mut kinds = next.kinds;
        for frame in self.frames.iter().rev() {
            let Some((_, follow)) = frame.called.filter(|_| next.over) else { break };
            next = self.network.next(follow);
            kinds = kinds.with(next.kinds);
        }
        if next.over { kinds.with(KindSet::of(&[Kind::End])) } else { kinds }
    }

    /// The tokens that may come behind one of the open rules (`GetErrorRecoverySet`).
    fn follow(&self) -> KindSet {
        let follows = self.frames.iter().filter_map(|frame| frame.called);
        follows.fold(KindSet::default(), |kinds, (_, follow)| kinds.with(self.network.next(follow).kinds))
    }

    fn shown(&self, token: Token) -> String {
        if token.kind == Kind::End { String::from("'<EOF>'") } else { escaped(self.stream.text(token)) }
    }
}

/// A text in quotes, with signs for what ends lines.
fn escaped(text: &str) -> String {
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}

/// The message for a text that fits no alternative. For a keyword behind one character there is another
/// (`reservedIdentifier`).
fn no_way(quoted: &str) -> String {
    let mut inner = quoted.chars();
    inner.next();
    inner.next();
    for word in ["true", "false", "null"] {
        if let Some(rest) = inner.as_str().strip_prefix(word).and_then(|rest| rest.strip_prefix('\'')) {
            return format!("mismatched input '{word}' expecting IDENTIFIER{rest}");
        }
    }
    format!("no viable alternative at input {quoted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_behind_one_character_has_its_own_message() {
        assert_eq!(no_way("'.true'"), "mismatched input 'true' expecting IDENTIFIER");
        assert_eq!(no_way("'-null'"), "mismatched input 'null' expecting IDENTIFIER");
        assert_eq!(no_way("'.truer'"), "no viable alternative at input '.truer'");
        assert_eq!(no_way("'true'"), "no viable alternative at input 'true'");
        assert_eq!(no_way(&escaped("a\n'")), "no viable alternative at input 'a\\n''");
    }
}
