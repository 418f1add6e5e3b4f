//! A rule: what it matches, what it needs to know, and what it demands.

use super::{
    Action, ActionOverride, Cleanup, Conditions, ContextEntry, Generate, Match, Mutate, Sentence,
    VerifyImages,
};
use crate::body::RuleCheck;
use crate::pattern::Pattern;
use engine_json::{Path, Segment, Str, Value};
use std::sync::Arc;

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The author wrote it.
    Written,
    /// Autogen made it for the controllers that hold a Pod template.
    AutogenControllers,
    /// Autogen made it for CronJob.
    AutogenCronJob,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, with `autogen-` or `autogen-cronjob-` before it where autogen made it.
    pub name: Str,
    /// The name of the rule as written.
    pub written_name: Str,
    /// Where the rule as written stands in the policy's document.
    pub path: Path,
    /// The rule as a value; for a generated rule the converted one.
    pub raw: Value,
    /// Who made it.
    pub origin: Origin,
    /// The kinds that autogen made it for.
    pub controllers: Vec<Str>,
    /// What it matches.
    pub matches: Match,
    /// What it leaves out; `None` where nothing is.
    pub exclude: Option<Match>,
    /// Its context entries in order.
    pub context: Vec<ContextEntry>,
    /// Its preconditions; `None` where there are none.
    pub preconditions: Option<Conditions>,
    /// `reportProperties`; null where there are none.
    pub report_properties: Value,
    /// What it does.
    pub body: Body,
    /// That it is taken up.
    pub taken_up: Sentence,
}

impl Rule {
    /// The fields that make the rule one of a kind that is not evaluated, such as `validate` and `cel`.
    pub fn unsupported(&self) -> Option<(&'static str, &'static str)> {
        match &self.body {
            Body::Validate(body) if matches!(body.check, Check::Cel(None)) => Some(("validate", "cel")),
            Body::Validate(_)
            | Body::Mutate(_)
            | Body::Generate(_)
            | Body::VerifyImages(_)
            | Body::Cleanup(_)
            | Body::None => None,
        }
    }
}

/// What a rule does.
#[derive(Clone, Debug)]
pub enum Body {
    /// It validates.
    Validate(Box<Validate>),
    /// It mutates.
    Mutate(Box<Mutate>),
    /// It generates.
    Generate(Box<Generate>),
    /// It verifies images.
    VerifyImages(Box<VerifyImages>),
    /// It deletes; a cleanup policy is one such rule.
    Cleanup(Box<Cleanup>),
    /// Nothing of the kind.
    None,
}

/// `validate`.
#[derive(Clone, Debug)]
pub struct Validate {
    /// The message, with variables; empty where absent.
    pub message: Str,
    /// `failureAction` of the rule.
    pub failure_action: Option<Action>,
    /// `failureActionOverrides` of the rule.
    pub failure_action_overrides: Vec<ActionOverride>,
    /// `allowExistingViolations`, true unless it says otherwise.
    pub allow_existing_violations: bool,
    /// What is demanded.
    pub check: Check,
}

/// What a `validate` demands.
#[derive(Clone, Debug)]
pub enum Check {
    /// `deny`: the conditions under which it fails; without conditions always.
    Deny(Option<Conditions>),
    /// `pattern`.
    Pattern(PatternSource),
    /// `anyPattern`: the list as a whole, for variables reach over all of it.
    AnyPattern(PatternSource),
    /// `foreach`.
    Foreach(Vec<Foreach>),
    /// `podSecurity`, as written.
    PodSecurity(Value),
    /// `cel`: what evaluates it, where something does.
    Cel(Option<Arc<dyn RuleCheck>>),
    /// `manifests`, as written.
    Manifests(Value),
    /// Nothing.
    Empty,
}

/// A pattern as written, and compiled where no variable stands in it.
#[derive(Clone, Debug)]
pub struct PatternSource {
    /// The pattern, or the list of patterns.
    pub value: Value,
    /// The compiled patterns (one for `pattern`); empty where variables must be put in first.
    pub compiled: Vec<Pattern>,
    /// Where it stands in the policy's document.
    pub path: Path,
    /// How many levels autogen put around each pattern, which the document does not have.
    pub added_levels: usize,
}

impl PatternSource {
    /// The place in the policy's document of a place within pattern number `which`.
    pub fn document_path(&self, which: Option<usize>, inner: &Path) -> Path {
        let which = which.map(Segment::from);
        let inner = inner.iter().skip(self.added_levels).cloned();
        self.path.iter().cloned().chain(which).chain(inner).collect()
    }
}

/// One loop of `foreach`.
#[derive(Clone, Debug)]
pub struct Foreach {
    /// The expression that gives the list.
    pub list: Str,
    /// `elementScope`, where it is said.
    pub element_scope: Option<bool>,
    /// Context entries of each element.
    pub context: Vec<ContextEntry>,
    /// Preconditions of each element.
    pub preconditions: Option<Conditions>,
    /// What is demanded of each element.
    pub check: Check,
    /// Where it stands in the policy's document.
    pub path: Path,
}
