//! Functions: a row says name, overloads with their signatures, what it does, and examples that the tests evaluate.
//!
//! In: rows of the standard library, of extensions, and of whoever uses the language. Out: what the checker and the
//! program know of functions. A row is all that a new function takes.

use crate::cost::Cost;
use crate::error::{Error, Kind, Outcome};
use crate::value::Value;
use engine_json::Str;
use engine_values::re2::Regex;
use std::sync::Arc;

/// One function, with all its overloads. The row is its documentation.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name: `size`, `math.abs`, `_+_`.
    pub name: &'static str,
    /// The overloads, in the order in which cel-go declares them; the checker looks at them in this order.
    pub overloads: &'static [Overload],
    /// What it does, in a few words.
    pub note: &'static str,
    /// Expressions and their values as `podsieve cel eval` prints them.
    pub examples: &'static [(&'static str, &'static str)],
}

/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// The name of the overload in cel-go (`common/overloads`, `ext`), unique within an environment.
    pub id: &'static str,
    /// What it takes and gives, as [`crate::types::Signature`] reads it.
    pub signature: &'static str,
    /// What it does with its arguments.
    pub run: Run,
    /// What a call costs where this overload is known before the evaluation.
    pub cost: Cost,
    /// What a call costs where it is not: cel-go asks some rules by the name of the function, and some by the overload.
    pub cost_by_name: Cost,
    /// Whether arguments are checked against the signature before it runs.
    pub guarded: bool,
    /// The place of the argument that is a regular expression, read once where it is constant.
    pub pattern: Option<(u8, PatternErrors)>,
}

/// When a constant regular expression that cannot be read is an error of the program, and not of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternErrors {
    /// In every environment.
    Always,
    /// Where constants are folded.
    WhenFolded,
    /// Never.
    Never,
}

/// What an overload does. Arguments are given without errors, and of the types of the signature where it is guarded.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Nothing of its own: the program has code for it (`&&`, `==`, `_[_]`, `orValue`).
    Builtin,
    /// What the first argument holds, if it is optional, else the second; the first itself, if it is not. Both are
    /// evaluated; what that costs depends on neither.
    Held,
    /// Without arguments.
    Zero(fn(&mut Host<'_>) -> Outcome<'static>),
    /// With one, the receiver counted.
    One(for<'v> fn(&mut Host<'_>, Value<'v>) -> Outcome<'v>),
    /// With two.
    Two(for<'v> fn(&mut Host<'_>, Value<'v>, Value<'v>) -> Outcome<'v>),
    /// With more.
    Many(for<'v> fn(&mut Host<'_>, &[Value<'v>]) -> Outcome<'v>),
}

/// What lies outside of expressions: a clock, a cluster. Whoever evaluates says what there is; its own functions ask.
pub trait Outside {
    /// The answer to a question that a function has: its name, and what it was called with.
    ///
    /// # Errors
    /// There is no answer, or the function says so in its words.
    fn ask(&self, function: &str, args: &[Value<'_>]) -> Outcome<'static>;
}

/// What a function may use beside its arguments.
#[derive(Default)]
pub struct Host<'h> {
    /// What functions ask that need more than their arguments.
    pub outside: Option<&'h dyn Outside>,
    /// Bytes made so far, held against [`MAX_BYTES`].
    pub bytes: u64,
    known: &'h [(Str, Arc<Regex>)],
    read: Vec<(Str, Arc<Regex>)>,
}

/// So many bytes one evaluation may make.
pub const MAX_BYTES: u64 = 256 << 20;

/// So many regular expressions one evaluation keeps.
const MAX_REGEXES: usize = 16;

impl<'h> Host<'h> {
    /// A host with what lies outside and the regular expressions of a program.
    pub fn new(outside: Option<&'h dyn Outside>, known: &'h [(Str, Arc<Regex>)]) -> Self {
        Host { outside, bytes: 0, known, read: Vec::new() }
    }

    /// Counts bytes that are made.
    ///
    /// # Errors
    /// The bound is reached.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Box<Error>> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > MAX_BYTES {
            return Err(Error::new(Kind::Bound("MAX_BYTES")));
        }
        Ok(())
    }

    /// A regular expression, read once.
    ///
    /// # Errors
    /// Why it cannot be read, in Go's words.
    pub fn regex(&mut self, text: &str) -> Result<Arc<Regex>, Box<Error>> {
        if let Some((_, known)) = self.known.iter().chain(&self.read).find(|(known, _)| known == text) {
            return Ok(known.clone());
        }
        let read = Arc::new(Regex::new(text).map_err(|e| Error::text(e.to_string()))?);
        if self.read.len() < MAX_REGEXES {
            self.read.push((Str::from(text), read.clone()));
        }
        Ok(read)
    }
}

impl Overload {
    /// A way to call a function, by its name in cel-go and its signature.
    pub const fn new(id: &'static str, signature: &'static str) -> Self {
        Overload {
            id,
            signature,
            run: Run::Builtin,
            cost: Cost::One,
            cost_by_name: Cost::One,
            guarded: true,
            pattern: None,
        }
    }

    /// The same with what it does.
    #[must_use]
    pub const fn run(mut self, run: Run) -> Self {
        self.run = run;
        self
    }

    /// The same with what a call costs where the overload is known.
    #[must_use]
    pub const fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// The same with what a call costs, whether the overload is known or not.
    #[must_use]
    pub const fn cost_by_name(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self.cost_by_name = cost;
        self
    }

    /// The same, run with arguments of any type.
    #[must_use]
    pub const fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// The same with an argument that is a regular expression.
    #[must_use]
    pub const fn pattern(mut self, argument: u8, errors: PatternErrors) -> Self {
        self.pattern = Some((argument, errors));
        self
    }
}
