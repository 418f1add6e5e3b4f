//! How to decide, and what was decided: the types that the driver and policies of other kinds share.

use crate::context::Evaluated;
use crate::load::Host;
use crate::rules::{Locations, RuleResult, Status};
use crate::trace::{Recording, Step};
use engine_json::{Str, Value};

/// How to decide.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which of the originals is followed where they differ.
    pub host: Host,
    /// Whether each rule says its steps.
    pub trace: Recording,
    /// Whether results say where in the texts they were decided.
    pub places: Locations,
}

/// What all policies said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One entry a policy and resource.
    pub results: Vec<PolicyResult>,
}

/// What a policy is asked for: the part of a run in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// To mutate the resource.
    Mutate,
    /// To verify its images, and to write their digests.
    VerifyImages,
    /// To validate it.
    Validate,
    /// To generate others.
    Generate,
    /// To delete it.
    Cleanup,
}

/// One policy over one resource.
#[derive(Clone, Debug)]
pub struct PolicyResult {
    /// The policy's place in the bundle.
    pub policy: usize,
    /// The resource's place in the bundle.
    pub resource: usize,
    /// What the policy was asked for.
    pub phase: Phase,
    /// What its rules said; empty where none matched.
    pub rules: Vec<RuleResult>,
    /// The rules that match and are of a kind that is not evaluated.
    pub undecided: Vec<Str>,
    /// Why rules did not match, one after the other; empty where nobody asked.
    pub no_match: Vec<Step>,
    /// What became of the resource, where the policy was asked to mutate it.
    pub mutation: Option<Mutation>,
    /// The resource as the policy met it (`apiVersion/kind/namespace/name`), where mutation has renamed it.
    pub renamed: Option<String>,
    /// Texts of the data that were evaluated as expressions.
    pub evaluated: Vec<Evaluated>,
    /// What a cluster would say instead; looked for only where places are asked for, and only of policies with a body.
    pub difference: Option<Difference>,
}

impl PolicyResult {
    /// What the rules of a policy said, both given by their place in the bundle, with nothing beside it.
    pub fn new(policy: usize, resource: usize, phase: Phase, rules: Vec<RuleResult>) -> Self {
        PolicyResult {
            policy,
            resource,
            phase,
            rules,
            undecided: Vec::new(),
            no_match: Vec::new(),
            mutation: None,
            renamed: None,
            evaluated: Vec::new(),
            difference: None,
        }
    }
}

/// A verdict that is another in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// What the CLI says; nothing where it has no result.
    pub here: Option<Status>,
    /// What a cluster says.
    pub there: Option<Status>,
    /// Why they differ, as half a sentence.
    pub why: String,
}

/// What a policy's `mutate` rules made of a resource.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The resource as they left it; `null` where an error left nothing.
    pub resource: Value,
    /// The resource as they found it.
    pub original: Value,
    /// Whether these two differ.
    pub changed: bool,
}
