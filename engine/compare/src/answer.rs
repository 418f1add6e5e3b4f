//! What a comparison comes to.
//!
//! In: what was found. Out: [`Comparison`]. Its grade is one of four, and no more than was shown.

use crate::difference::Direction;
use crate::gap::KindGap;
use crate::request::Request;
use engine::body::Effect;
use engine_lenses::wire::Range;

/// How two sides compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// They decide the same: they differ in nothing that decides, or in none of the cases that there are; [`Counts::cases`] says of how many
    /// that was shown.
    Same,
    /// No request was found on which they differ; [`Counts`] say how far the search came.
    NoDifference,
    /// They differ, and here is a request that shows it.
    Different,
    /// One of them cannot be evaluated, or decides nothing; [`Reason`] says why.
    NotCompared,
}

impl Grade {
    /// The words.
    pub fn as_str(self) -> &'static str {
        match self {
            Grade::Same => "same",
            Grade::NoDifference => "no difference found",
            Grade::Different => "different",
            Grade::NotCompared => "not compared",
        }
    }
}

/// Why two sides are not compared.
#[derive(Clone, Debug)]
pub struct Reason {
    /// Which side: `old` or `new`.
    pub side: &'static str,
    /// Why.
    pub text: String,
    /// Where it says so.
    pub range: Option<Range>,
}

/// The verdict of one rule about a request.
#[derive(Clone, Debug)]
pub struct RuleVerdict {
    /// The policy's key.
    pub policy: String,
    /// The rule; empty for a policy in CEL.
    pub rule: String,
    /// The verdict.
    pub status: String,
    /// The message.
    pub message: String,
    /// The lines that decided.
    pub range: Option<Range>,
}

/// A request on which the sides differ.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How the new side differs.
    pub direction: Direction,
    /// Where it lies between the kinds of policies, whatever they say.
    pub gap: Option<KindGap>,
    /// The smallest such request.
    pub request: Request,
    /// What a cluster does by the old side, and by the new one.
    pub effects: [Effect; 2],
    /// The verdicts of the rules on either side.
    pub verdicts: [Vec<RuleVerdict>; 2],
    /// The object as either leaves it, where mutation changes it, as YAML.
    pub left: [Option<String>; 2],
    /// What either generates, as YAML.
    pub generated: [Vec<String>; 2],
    /// Whether either deletes the object.
    pub deletes: [bool; 2],
}

/// How far a search came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The cases that stand for all requests, where all of them are decided the same; 0 where the grade is another, or needs none.
    pub cases: usize,
    /// Requests that were put to both engines.
    pub requests: usize,
    /// Those that one side could not decide.
    pub undecided: usize,
    /// Those whose verdict rests on an answer that was not given.
    pub assumed: usize,
    /// Those on which the sides differ as written, and not once an API server has filled in its defaults, or as it stores what is left
    /// and generated.
    pub only_written: usize,
    /// Places of objects that were varied.
    pub places: usize,
    /// Branches that the old side took.
    pub old_branches: usize,
    /// Branches that the new side took.
    pub new_branches: usize,
    /// Pairs of them that one request took.
    pub pairs_met: usize,
    /// Pairs that none took; many of these cannot be.
    pub pairs_not_met: usize,
    /// Mutants of the new side that were tried.
    pub mutants: usize,
    /// Those that the requests notice.
    pub noticed: usize,
}

/// A mutant of the new side that no request tells from it.
#[derive(Clone, Debug)]
pub struct MissedMutant {
    /// What kind of mistake.
    pub class: String,
    /// Where and what.
    pub text: String,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The grade.
    pub grade: Grade,
    /// Requests on which the sides differ.
    pub findings: Vec<Finding>,
    /// Why they are not compared, or not in full.
    pub reasons: Vec<Reason>,
    /// How far the search came.
    pub counts: Counts,
    /// Settings in which the sides differ and that are not compared, such as what becomes of requests that no webhook answers: a grade that finds no
    /// difference is one but for these.
    pub but_for: Vec<String>,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
    /// Mutants that were not noticed.
    pub missed: Vec<MissedMutant>,
}

impl Comparison {
    /// An answer without anything yet.
    pub fn of(grade: Grade) -> Self {
        Comparison {
            grade,
            findings: Vec::new(),
            reasons: Vec::new(),
            counts: Counts::default(),
            but_for: Vec::new(),
            assumptions: Vec::new(),
            missed: Vec::new(),
        }
    }
}
