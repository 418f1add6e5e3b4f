//! What happened on the way to a verdict, recorded by the stages while they decide.
//!
//! In: steps from the evaluation. Out: a flat list with depths. Recording is off unless asked for: a step is made by
//! a closure that is never called then. What is recorded are facts, shared with those who hold them already; nearly
//! all sentences are made of them when somebody reads.

mod words;

pub use words::Words;
pub(crate) use words::short;

use crate::resource::DocumentId;
use engine_json::{Path, Str, Value};
use std::borrow::Cow;

/// What kind of step it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A rule was taken up; the steps up to the next one are its own.
    Rule,
    /// A match block was tried.
    Match,
    /// An exclude block was tried.
    Exclude,
    /// A context entry was loaded.
    Context,
    /// A precondition was evaluated.
    Precondition,
    /// A variable was resolved.
    Variable,
    /// A condition of deny was evaluated.
    Condition,
    /// A part of an expression in CEL was evaluated.
    Expression,
    /// A pattern was walked.
    Pattern,
    /// A field of a pattern was held against the resource.
    Field,
    /// An anchor of a pattern took effect.
    Anchor,
    /// A check of the Pod Security Standards.
    Check,
    /// An element of foreach was visited.
    Foreach,
    /// An exception was considered.
    Exception,
    /// The object before the update was asked about.
    OldObject,
    /// The rule's own verdict.
    Verdict,
}

impl Kind {
    /// The name on screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Rule => "rule",
            Kind::Match => "match",
            Kind::Exclude => "exclude",
            Kind::Context => "context",
            Kind::Precondition => "precondition",
            Kind::Variable => "variable",
            Kind::Condition => "condition",
            Kind::Expression => "expression",
            Kind::Pattern => "pattern",
            Kind::Field => "field",
            Kind::Anchor => "anchor",
            Kind::Check => "check",
            Kind::Foreach => "foreach",
            Kind::Exception => "exception",
            Kind::OldObject => "oldObject",
            Kind::Verdict => "verdict",
        }
    }
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// It held.
    Yes,
    /// It did not hold.
    No,
    /// It could not be decided.
    Error,
    /// It is said for its own sake.
    Note,
}

impl StepOutcome {
    /// `yes`, `no`, `error` or empty.
    pub fn as_str(self) -> &'static str {
        match self {
            StepOutcome::Yes => "yes",
            StepOutcome::No => "no",
            StepOutcome::Error => "error",
            StepOutcome::Note => "",
        }
    }
}

impl From<bool> for StepOutcome {
    fn from(held: bool) -> Self {
        if held { StepOutcome::Yes } else { StepOutcome::No }
    }
}

/// What a step compared or met, for whoever draws conclusions from it.
#[derive(Clone, Debug)]
pub enum Detail {
    /// The rule that was taken up, by its name.
    Rule(Str),
    /// A part of a pattern, and what the resource has there.
    Pattern(Box<Part>),
    /// A pattern and what it was held against, of which the steps field by field can be made: see `apply::every_step`.
    Walk(Box<Walk>),
    /// A condition.
    Condition(Box<Compared>),
    /// A part of an expression in CEL.
    Expression(Box<Expression>),
    /// The branches that an expression in CEL took, each in a number: the same part with the same outcome, the same number.
    Branches(Box<[u64]>),
    /// A variable.
    Variable(Box<Variable>),
    /// What the expression of a loop gave.
    List {
        /// The expression.
        list: Str,
        /// How many elements.
        count: usize,
    },
    /// An element of a loop.
    Element {
        /// Its number in its list.
        index: usize,
        /// What it is.
        element: Value,
    },
    /// A part of the Pod Security Standards.
    PodSecurity {
        /// The level of the rule: `baseline` or `restricted`.
        level: engine_podsecurity::Level,
        /// The version of the rule.
        version: engine_podsecurity::Version,
        /// The check that is described, by its id; all of the level where there is none.
        check: Option<&'static str>,
    },
}

/// A part of a pattern, and what the resource has at the step's place.
#[derive(Clone, Debug)]
pub struct Part {
    /// As the pattern wants it, variables put in.
    pub wanted: Value,
    /// What is there; null where nothing is.
    pub found: Value,
}

/// A part of an expression in CEL, and what its value is made of.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Whether the verdict follows from it.
    pub decides: bool,
    /// The fields of the resource that it reads, those it names itself first; be they there or not.
    pub fields: Vec<Path>,
    /// What it holds them against.
    pub wanted: Option<Value>,
    /// What is written beside them.
    pub literals: Vec<Value>,
}

/// A variable that was put in.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its expression.
    pub expression: String,
    /// What it gave.
    pub value: Value,
    /// Where that comes from, as the end of a sentence; empty where nothing can be said.
    pub origin: &'static str,
}

/// A pattern and what it was held against.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The pattern, variables put in.
    pub pattern: Value,
    /// What it was held against.
    pub resource: Value,
    /// Where that stands in the whole resource.
    pub base: Path,
    /// Where the pattern stands in the policy's document.
    pub place: Path,
    /// How many levels autogen put around it, which the document does not have.
    pub added_levels: usize,
}

/// Both sides of a condition.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The operator as written.
    pub operator: Str,
    /// Both sides as written.
    pub written: (Value, Value),
    /// Both sides with their variables put in.
    pub resolved: (Value, Value),
    /// The elements of the loops around it, by the names that expressions know them by.
    pub elements: Vec<(Str, Value)>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// How deep it lies within others.
    pub depth: u32,
    /// What kind of step.
    pub kind: Kind,
    /// What came of it.
    pub outcome: StepOutcome,
    words: Words,
    /// Where in the policy's document.
    pub policy_path: Option<Path>,
    /// Where in the resource's document.
    pub resource_path: Option<Path>,
    /// A document other than the policy's, for exceptions.
    pub document: Option<DocumentId>,
    /// What was compared or met.
    pub detail: Option<Detail>,
}

impl Step {
    /// A step with a sentence and no place yet.
    pub fn new(kind: Kind, outcome: impl Into<StepOutcome>, words: impl Into<Words>) -> Self {
        Step {
            depth: 0,
            kind,
            outcome: outcome.into(),
            words: words.into(),
            policy_path: None,
            resource_path: None,
            document: None,
            detail: None,
        }
    }

    /// A step whose sentence is made of what it compared or met.
    pub fn of(kind: Kind, outcome: impl Into<StepOutcome>, detail: Detail) -> Self {
        Step::new(kind, outcome, Words::OfDetail).with(detail)
    }

    /// One sentence.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.words {
            Words::Fixed(text) => Cow::Borrowed(text),
            Words::Shared(text) => Cow::Borrowed(text),
            Words::Said(text) => Cow::Borrowed(text),
            Words::OfDetail => self.detail.as_ref().map_or(Cow::Borrowed(""), words::of),
        }
    }

    /// The same, so deep within others.
    #[must_use]
    pub fn at_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// The same with what was compared.
    #[must_use]
    pub fn with(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    /// The same with its place in another document than the policy's.
    #[must_use]
    pub fn in_document(mut self, document: DocumentId, path: &Path) -> Self {
        self.document = Some(document);
        self.policy_path = Some(path.clone());
        self
    }

    /// The same with its place in the policy.
    #[must_use]
    pub fn in_policy(mut self, path: &Path) -> Self {
        self.policy_path = Some(path.clone());
        self
    }

    /// The same with its place in the resource.
    #[must_use]
    pub fn in_resource(mut self, path: &Path) -> Self {
        self.resource_path = Some(path.clone());
        self
    }
}

/// How many steps a rule may say; beyond that the list ends with a note.
pub const MAX_STEPS: usize = 2_000;

/// Collects steps, or nothing.
#[derive(Debug, Default)]
pub struct Trace {
    steps: Option<Vec<Step>>,
    depth: u32,
    /// Whether the steps of rules that match are of no interest.
    is_for_silence: bool,
    /// Whether a rule has matched whose steps are of no interest.
    is_closed: bool,
}

impl Trace {
    /// A recorder that keeps what `recording` says.
    pub fn new(recording: Recording) -> Self {
        Trace {
            steps: (recording != Recording::Off).then(Vec::new),
            depth: 0,
            is_for_silence: recording == Recording::NonMatchingOnly,
            is_closed: false,
        }
    }

    /// Whether steps are kept.
    pub fn is_on(&self) -> bool {
        self.steps.is_some() && !self.is_closed
    }

    /// Says that a rule has matched: with [`Recording::NonMatchingOnly`] its steps are left out, up to [`Trace::take`].
    pub fn matched(&mut self) {
        if self.is_for_silence {
            self.take();
            self.is_closed = true;
        }
    }

    /// The sentence that `make` makes, where steps are kept; else an empty text, for which nothing is done.
    pub(crate) fn say(&self, make: impl FnOnce() -> String) -> String {
        if self.is_on() { make() } else { String::new() }
    }

    /// Keeps the step that `make` makes; `make` is not called when recording is off.
    pub fn record(&mut self, make: impl FnOnce() -> Step) {
        let depth = self.depth;
        if let Some(steps) = self.steps.as_mut().filter(|_| !self.is_closed) {
            if steps.len() < MAX_STEPS {
                steps.push(make().at_depth(depth));
            } else if steps.len() == MAX_STEPS {
                let text = format!("more than {MAX_STEPS} steps; the rest is not shown");
                steps.push(Step::new(Kind::Verdict, StepOutcome::Note, text));
            }
        }
    }

    /// Keeps steps that were made elsewhere, below the level that is open.
    pub(crate) fn extend(&mut self, steps: impl Iterator<Item = Step>) {
        let depth = self.depth;
        for step in steps {
            self.depth = depth + step.depth;
            self.record(|| step);
        }
        self.depth = depth;
    }

    /// Steps recorded until [`Trace::leave`] lie one level deeper.
    pub fn enter(&mut self) {
        self.depth += 1;
    }

    /// Ends a level.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The steps so far; recording goes on with an empty list.
    pub fn take(&mut self) -> Vec<Step> {
        self.depth = 0;
        self.is_closed = false;
        self.steps.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Whether steps are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// No step is made.
    #[default]
    Off,
    /// What was tried is kept of rules that do not match.
    NonMatchingOnly,
    /// Every step is kept.
    On,
}

#[cfg(test)]
mod tests;
