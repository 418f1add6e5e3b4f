//! Regular expressions as Go's `regexp` has them.
//!
//! In: an expression and a text. Out: whether it matches, or the text with its matches replaced; the error in Go's
//! words. `(\w+)-(\d)` in `web-1` with `$2:$1` gives `1:web`.
//!
//! The language is RE2's: no look-around, no references to groups, and time that grows with the product of both
//! lengths at worst. `parse` reads it, `compile` makes a program of it, `machine` runs that, `automaton` does where only the fact
//! of a match is asked for and that takes long, `replace` writes templates, `random` makes texts that match. Rust's own engines read another language (sets, escapes and repetitions mean other things there), so
//! that the reader is ours in any case; behind it the machine is 200 lines, where `regex` adds 82 kB of compressed
//! wasm and `regex-lite` 21 kB, and it counts its steps, which keeps a replacement in a long text from taking
//! quadratic time without being noticed.

mod ast;
mod automaton;
mod bits;
mod cache;
mod class;
mod compile;
mod cursor;
mod error;
mod find;
mod frame;
mod groups;
mod machine;
mod parse;
mod parse_class;
mod parse_flags;
mod random;
mod replace;
mod unicode;

pub use cache::{Cached, cached};
pub use error::SyntaxError;
pub use find::Match;

pub use random::{MAX_RANDOM_TEXT, RandomError, random_text};
pub use replace::Template;

use automaton::Automaton;
use bits::Bits;
use compile::Program;
use machine::{Machine, TooLong};
use parse::{Dialect, Parsed, parse};
use std::sync::OnceLock;

/// How many steps one call may take; a step takes about eight nanoseconds.
const MAX_STEPS: u64 = 50_000_000;

/// After so many steps the question whether a text matches goes to the automaton, which pays where a text is long.
const AUTOMATON_FROM: u64 = 1_000_000;

/// How many places all ways of a match may keep together.
const MAX_KEPT: usize = 4_000_000;

/// An expression.
#[derive(Debug)]
pub struct Regex {
    program: Program,
    names: Vec<Option<String>>,
    /// Made when a text is first held against the expression; `None` where it does not fit.
    bits: OnceLock<Option<Bits>>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It would take too many steps.
    Steps,
    /// It would take too much memory, or the new text would be too long.
    Memory,
}

/// An answer and the steps it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<T> {
    /// The answer.
    pub value: T,
    /// How many steps it took.
    pub steps: u64,
}

impl Regex {
    /// Reads an expression.
    pub fn new(text: &str) -> Result<Regex, SyntaxError> {
        let Parsed { node, names } = parse(text, Dialect::Perl)?;
        Ok(Regex { program: Program::of(&node), names, bits: OnceLock::new() })
    }

    /// Whether any part of the text matches.
    pub fn is_match(&self, text: &str) -> Result<Answer<bool>, Refusal> {
        if text.is_ascii()
            && let Some(bits) = self.bits.get_or_init(|| Bits::of(&self.program))
        {
            let steps = text.len() as u64;
            return if steps > MAX_STEPS {
                Err(Refusal::Steps)
            } else {
                Ok(Answer { value: bits.is_match(text.as_bytes()), steps })
            };
        }
        let mut machine = Machine::new(&self.program, 0, AUTOMATON_FROM);
        if let Ok(found) = machine.search(text, 0) {
            return Ok(Answer { value: found.is_some(), steps: AUTOMATON_FROM - machine.budget() });
        }
        let answer =
            Automaton::new(&self.program, MAX_STEPS).search(text).map_err(|TooLong| Refusal::Steps)?;
        Ok(Answer { value: answer.value, steps: AUTOMATON_FROM + answer.steps })
    }

    /// The text with every match replaced; at most `limit` bytes long.
    // Go: regexp.go replaceAll.
    pub fn replace_all(
        &self,
        text: &str,
        template: &Template<'_>,
        limit: usize,
    ) -> Result<Answer<String>, Refusal> {
        let slots = 2 * (template.last_group(&self.names) + 1);
        if slots.saturating_mul(self.program.instructions.len()) > MAX_KEPT {
            return Err(Refusal::Memory);
        }
        if (text.len() as u64).saturating_mul(self.program.instructions.len() as u64) > AUTOMATON_FROM
            && let Ok(Answer { value: false, steps }) = Automaton::new(&self.program, MAX_STEPS).search(text)
        {
            // Nothing is replaced, which the machine would take long to find out.
            return if text.len() > limit {
                Err(Refusal::Memory)
            } else {
                Ok(Answer { value: text.to_owned(), steps })
            };
        }
        let mut machine = Machine::new(&self.program, slots, MAX_STEPS);
        let mut out = String::new();
        let (mut at, mut copied) = (0, 0);
        while at <= text.len() {
            let Some(places) = machine.search(text, at).map_err(|TooLong| Refusal::Steps)? else { break };
            let (Some(&start), Some(&end)) = (places.first(), places.get(1)) else { break };
            out.push_str(text.get(copied..start).unwrap_or(""));
            // An empty match just behind another one is none.
            if end > copied || start == 0 {
                template.write(&mut out, text, &places, &self.names);
            }
            if out.len() > limit {
                return Err(Refusal::Memory);
            }
            copied = end;
            let width = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            at = if at + width > end {
                at + width
            } else if at + 1 > end {
                at + 1
            } else {
                end
            };
        }
        out.push_str(text.get(copied..).unwrap_or(""));
        if out.len() > limit {
            return Err(Refusal::Memory);
        }
        Ok(Answer { value: out, steps: MAX_STEPS - machine.budget() })
    }

    /// How much memory the expression takes, about.
    pub fn weight(&self) -> usize {
        let ranges: usize = self.program.classes.iter().map(|class| class.ranges().len()).sum();
        let bits = self.bits.get().and_then(Option::as_ref).map_or(0, Bits::weight);
        self.program.instructions.len() * 24 + ranges * 8 + bits
    }
}
