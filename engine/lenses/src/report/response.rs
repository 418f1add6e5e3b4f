//! What one policy said of one resource in one phase: the unit that texts, tables and reports are made of.
//!
//! In: results of the engine. Out: [`Response`]s with the policy and the resource they speak of, and [`Counts`].
//!
//! Mirrors: pkg/engine/api/engineresponse.go, cmd/cli/kubectl-kyverno/processor/result.go.

use engine::apply::{Phase, PolicyResult, RuleResult, Status, failure_action};
use engine::load::Bundle;
use engine::policy::{Action, Policy};
use engine::resource::Resource;
use engine::trace::Step;
use engine_json::{Map, Str, Value};

/// One policy over one resource in one phase.
#[derive(Debug)]
pub struct Response<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The resource as it was given.
    pub resource: &'a Resource,
    /// Who answered.
    pub phase: Phase,
    /// What the rules that matched said.
    pub rules: Vec<RuleResult>,
    /// The object after mutation.
    pub patched: Option<Value>,
    /// The existing objects that were mutated.
    pub targets: Vec<Value>,
    /// The objects that were generated.
    pub generated: Vec<Value>,
    /// The rules that match and are of a kind that is not evaluated.
    pub undecided: Vec<Str>,
    /// Why no rule matched, where that was asked for.
    pub no_match: Vec<Step>,
    /// Whether failures are only warnings here: `--audit-warn` and a policy that audits.
    pub only_warns: bool,
    /// Whether the policy only audits here.
    pub audits: bool,
}

impl<'a> Response<'a> {
    /// The response that a result of the engine stands for; `evaluated` are the resources in which it says its place.
    pub fn new(
        bundle: &'a Bundle,
        evaluated: &'a [Resource],
        result: PolicyResult,
        audit_warn: bool,
    ) -> Option<Self> {
        let policy = bundle.policies.get(result.policy)?;
        let resource = evaluated.get(result.resource)?;
        let audits = audits(bundle, policy, resource);
        Some(Response {
            audits,
            policy,
            resource,
            phase: result.phase,
            targets: result.rules.iter().filter_map(|rule| rule.patched_target.clone()).collect(),
            generated: result.rules.iter().flat_map(|rule| rule.generated.iter().cloned()).collect(),
            rules: result.rules,
            patched: result.mutation.map(|mutation| mutated(mutation.resource)),
            undecided: result.undecided,
            no_match: result.no_match,
            // Kyverno: what a policy in CEL does with failures is not asked.
            only_warns: audit_warn && (audits || policy.body.is_some()),
        })
    }

    /// `namespace/kind/name`, with an empty namespace for objects of the cluster.
    // Kyverno: what has none of the three is a JSON payload.
    pub fn resource_path(&self) -> String {
        let resource = self.resource;
        let path = format!("{}/{}/{}", resource.namespace(), resource.kind(), resource.name());
        if path == "//" { "JSON payload".to_owned() } else { path }
    }

    /// The verdict as counters, tables and reports say it: failures of policies that do not score warn.
    pub fn described_status(&self, rule: &RuleResult) -> Status {
        match rule.status {
            Status::Fail if self.only_warns || !is_scored(self.policy) => Status::Warn,
            status @ (Status::Pass | Status::Fail | Status::Warn | Status::Error | Status::Skip) => status,
        }
    }
}

/// The object after mutation, as it is printed.
// Kyverno: after an error there is an object without fields.
fn mutated(resource: Value) -> Value {
    if resource.is_null() { Value::object(Map::default()) } else { resource }
}

/// Whether the policy's failures count as failures.
// Kyverno: the annotation alone decides, and only the text `false`.
pub fn is_scored(policy: &Policy) -> bool {
    annotation(policy, "policies.kyverno.io/scored") != "false"
}

/// An annotation of the policy, empty where it has none.
pub fn annotation<'a>(policy: &'a Policy, name: &str) -> &'a str {
    policy.annotations.get(name).and_then(Value::as_str).unwrap_or("")
}

fn audits(bundle: &Bundle, policy: &Policy, resource: &Resource) -> bool {
    let namespace = resource.namespace();
    let labels = bundle.settings.namespace_labels.get(namespace).map_or(&[][..], Vec::as_slice);
    failure_action(policy, namespace, labels) == Action::Audit
}

/// The numbers of the summary line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rules that passed.
    pub pass: usize,
    /// Rules that failed.
    pub fail: usize,
    /// Rules that warned.
    pub warn: usize,
    /// Rules that could not be decided.
    pub error: usize,
    /// Rules that were skipped.
    pub skip: usize,
}

impl Counts {
    /// Counts the rules of a response.
    // Kyverno: result.go. Mutation knows no warnings, and a failed generation counts as failed whatever the score.
    pub fn add(&mut self, response: &Response<'_>) {
        let times = |status| response.policy.body.as_ref().map_or(1, |body| body.counted(status));
        for rule in &response.rules {
            let status = match response.phase {
                // Kyverno: a policy in CEL counts whatever its score.
                _ if response.policy.body.is_some() => rule.status,
                Phase::Validate | Phase::VerifyImages => response.described_status(rule),
                Phase::Mutate if rule.status == Status::Warn => continue,
                // Kyverno: a cleanup policy counts whatever its score, too.
                Phase::Mutate | Phase::Generate | Phase::Cleanup => rule.status,
            };
            (0..times(rule.status)).for_each(|_| self.count(status));
        }
    }

    /// Counts one verdict.
    pub fn count(&mut self, status: Status) {
        let counter = match status {
            Status::Pass => &mut self.pass,
            Status::Fail => &mut self.fail,
            Status::Warn => &mut self.warn,
            Status::Error => &mut self.error,
            Status::Skip => &mut self.skip,
        };
        *counter += 1;
    }

    /// Adds the numbers of another part of the run.
    pub fn merge(&mut self, other: Counts) {
        self.pass += other.pass;
        self.fail += other.fail;
        self.warn += other.warn;
        self.error += other.error;
        self.skip += other.skip;
    }
}
