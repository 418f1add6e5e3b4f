//! What a side decides about a request, and the branches on the way to it.
//!
//! In: steps and verdicts of the engines. Out: a [`Response`] whose branches are numbers, the same on every machine.

use engine::apply::{RuleResult, Status};
use engine::body::Effect;
use engine::resource::DocumentId;
use engine::trace::{Detail, Step, StepOutcome};
use engine_json::{Path, Segment, Value};
use std::collections::BTreeMap;

/// What a side decides about a request.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// What a cluster does.
    pub(crate) effect: Effect,
    /// The status of each rule, by its name.
    pub(crate) rules: BTreeMap<String, Status>,
    /// The object as mutation leaves it, where it changes it.
    pub(crate) object: Option<Value>,
    /// The objects that are generated, in an order of their own.
    pub(crate) generated: Vec<Value>,
    /// Whether the object is deleted.
    pub(crate) is_deleted: bool,
    /// The branches that were taken: places in policies, and what came of them.
    pub(crate) branches: Vec<u64>,
    /// All of it in a number: the same branches, the same number.
    pub(crate) signature: u64,
    /// The rules that fail or err, each with the lines that decided, in numbers.
    pub(crate) causes: Vec<u64>,
    /// How much fails: rules, and places of the object that they point at.
    pub(crate) failures: usize,
    /// Whether a verdict rests on an answer that was not given.
    pub(crate) is_assumed: bool,
    /// Whether a rule lets in what failed before as well (`allowExistingViolations`).
    pub(crate) allows_existing: bool,
    /// The messages of the rules, where it is asked for.
    pub(crate) messages: Vec<RuleMessage>,
    /// The places of the object that were read, where it is asked for.
    pub(crate) reads: Vec<Path>,
}

/// The message of one rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleMessage {
    /// The policy's key.
    pub(crate) policy: String,
    /// The rule; empty for a policy in CEL.
    pub(crate) rule: String,
    /// The verdict.
    pub(crate) status: Status,
    /// The message.
    pub(crate) message: String,
    /// The document, and the place in it that decided.
    pub(crate) place: Option<(DocumentId, Path)>,
}

impl Response {
    pub(crate) fn nothing() -> Self {
        Response {
            effect: Effect::Allow,
            rules: BTreeMap::new(),
            object: None,
            generated: Vec::new(),
            is_deleted: false,
            branches: Vec::new(),
            signature: 0,
            causes: Vec::new(),
            failures: 0,
            is_assumed: false,
            allows_existing: false,
            messages: Vec::new(),
            reads: Vec::new(),
        }
    }

    /// Notes a rule that fails or errs.
    pub(super) fn note_failure(&mut self, policy: &str, rule: &RuleResult) {
        self.failures += 1 + rule.resource_paths.len();
        let of_rule = mix(mix(FNV, policy.as_bytes()), rule.rule.as_bytes());
        let of_lines =
            rule.policy_paths.iter().fold(of_rule, |hash, path| mix(hash, path.to_string().as_bytes()));
        self.causes.push(mix(of_lines, &[rule.status as u8]));
    }

    /// Notes which places of the object a step has read.
    pub(super) fn note_reads(&mut self, step: &Step) {
        if step.document.is_none() {
            self.reads.extend(step.resource_path.clone());
        }
        if let Some(Detail::Expression(part)) = &step.detail {
            self.reads.extend(part.fields.iter().cloned());
        }
    }

    pub(super) fn branch(&mut self, policy: usize, step: &Step) {
        let Some(path) = &step.policy_path else { return };
        let site = mix_path(mix(FNV, &[u8::try_from(policy).unwrap_or(u8::MAX)]), path);
        let outcome = match step.outcome {
            StepOutcome::Yes => 1,
            StepOutcome::No => 2,
            StepOutcome::Error => 3,
            StepOutcome::Note => {
                if let Some(Detail::Branches(taken)) = &step.detail {
                    self.branches.extend(taken.iter().map(|branch| mix(site, &branch.to_le_bytes())));
                }
                return;
            }
        };
        self.branches.push((site << 2) | outcome);
    }

    pub(crate) fn sign(&mut self) {
        self.signature = self.branches.iter().fold(FNV, |hash, branch| mix(hash, &branch.to_le_bytes()));
    }

    pub(crate) fn refused(&mut self, rule: &str, message: String) {
        self.effect = Effect::Deny;
        self.rules.insert(rule.to_owned(), Status::Fail);
        let words = RuleMessage {
            policy: rule.to_owned(),
            rule: String::new(),
            status: Status::Fail,
            message,
            place: None,
        };
        self.messages.push(words);
    }
}

/// Fowler, Noll and Vo's hash: the same on every machine.
pub(crate) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

pub(crate) fn mix(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(crate) fn mix_path(hash: u64, path: &Path) -> u64 {
    path.iter().fold(hash, |hash, segment| match segment {
        Segment::Key(key) => mix(mix(hash, key.as_bytes()), b"."),
        // The first element is distinguished from the others, the others not from one another.
        Segment::Index(at) => mix(hash, if *at == 0 { b"[0]" } else { b"[n]" }),
    })
}
