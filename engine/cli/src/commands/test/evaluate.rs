//! What all policies of a test say of all its resources.
//!
//! In: a bundle. Out: evaluated responses by resource, for the run as the values want it and for each operation that
//! an entry names.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, the second half of runTest.

use super::file::Entry;
use crate::clock;
use engine::Bundle;
use engine::apply::{Phase, RuleResult, Status};
use engine::json::Value;
use engine::resource::Resource;
use engine_lenses::report::Response;
use engine_lenses::report::as_test::{self, Evaluated, Keyed};
use std::fmt::Write;

/// What an operation came to; the run without a name is the one that the values want.
pub(super) struct Run<'a> {
    pub(super) operation: &'a str,
    pub(super) resources: Vec<Keyed<'a>>,
}

/// All runs of a test.
pub(super) struct Runs<'a> {
    pub(super) runs: Vec<Run<'a>>,
    pub(super) targets: &'a [Resource],
}

/// The bundles of a test: the one that was loaded, and one for each operation that an entry names.
pub(super) fn by_operation(bundle: Bundle, entries: &[Entry]) -> Result<Vec<(&str, Bundle)>, String> {
    let is_known = |operation: &str| matches!(operation, "" | "CREATE" | "UPDATE" | "DELETE");
    if let Some(words) = bundle.settings.unknown_operation() {
        return Err(words);
    }
    let mut operations: Vec<&str> = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.operation.is_empty()) {
        let (operation, policy) = (entry.operation.as_str(), &entry.policy);
        if !is_known(operation) {
            return Err(format!(
                "invalid test result for policy {policy}: invalid operation \"{operation}\", must be one of CREATE, UPDATE, DELETE"
            ));
        }
        if entry.deletes {
            return Err(format!(
                "invalid test result for policy {policy}: operation is not supported for deleting policies"
            ));
        }
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    let mut bundles: Vec<(&str, Bundle)> =
        operations.into_iter().map(|operation| (operation, with_operation(&bundle, operation))).collect();
    bundles.insert(0, ("", bundle));
    Ok(bundles)
}

/// The bundle with an operation that no value changes.
fn with_operation(bundle: &Bundle, operation: &str) -> Bundle {
    let mut bundle = bundle.clone();
    bundle.settings.ask_for(operation);
    bundle
}

/// Evaluates all resources of all bundles.
pub(super) fn evaluate<'a>(bundles: &'a [(&'a str, Bundle)]) -> Runs<'a> {
    let run = |(operation, bundle): &'a (&'a str, Bundle)| {
        let world = crate::world::at(clock::now());
        let mut resources = as_test::evaluate(bundle, &world);
        // Kyverno: nobody asks for a deletion, so it is looked at in the first run alone.
        if !operation.is_empty() {
            for keyed in resources.iter_mut().filter(|keyed| !keyed.resource.is_payload) {
                keyed.responses.retain(|evaluated| evaluated.response.phase != Phase::Cleanup);
            }
        }
        Run { operation, resources }
    };
    let runs = bundles.iter().map(run).collect();
    let targets = bundles.first().map_or(&[][..], |(_, bundle)| bundle.cluster_resources.as_slice());
    Runs { runs, targets }
}

impl<'a> Runs<'a> {
    /// The run that an entry asks for.
    pub(super) fn run(&self, operation: &str) -> &[Keyed<'a>] {
        self.runs.iter().find(|run| run.operation == operation).map_or(&[], |run| &run.resources)
    }

    /// What the original prints of policies that could not say whether an object would be deleted.
    pub(super) fn undecided(&self) -> String {
        let all = self.runs.iter().flat_map(|run| &run.resources).flat_map(|keyed| &keyed.responses);
        let deleting = all.map(|evaluated| &evaluated.response);
        let mut out = String::new();
        for response in deleting.filter(|response| response.phase == Phase::Cleanup) {
            let name = response.resource.name();
            for rule in response.rules.iter().filter(|rule| rule.status == Status::Error) {
                let _ = writeln!(out, "failed to apply policy {name} on resource: {}", rule.message);
            }
        }
        out
    }

    /// The rules that patched a target: for each response that did, the first such rule with the object it left.
    // Kyverno: extractPatchedTargetFromEngineResponse, over the responses of all runs.
    pub(super) fn patched<'s>(
        &'s self,
        target: &Resource,
    ) -> Vec<(&'s Response<'a>, &'s RuleResult, &'s Value)> {
        let all = self.runs.iter().flat_map(|run| &run.resources).flat_map(|keyed| &keyed.responses);
        let first = |evaluated: &'s Evaluated<'a>| {
            evaluated.response.rules.iter().find_map(|rule| {
                let patched = rule.patched_target.as_ref()?;
                let text = |keys: &[&str]| patched.find_str(keys);
                let is_it = text(&["apiVersion"]) == target.api_version()
                    && text(&["kind"]) == target.kind()
                    && text(&["metadata", "name"]) == target.name()
                    && (target.namespace().is_empty()
                        || text(&["metadata", "namespace"]) == target.namespace());
                is_it.then_some((&evaluated.response, rule, patched))
            })
        };
        all.filter_map(first).collect()
    }
}
