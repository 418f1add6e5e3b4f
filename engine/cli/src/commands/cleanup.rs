//! `podsieve cleanup`: what cleanup policies and policies in CEL that delete would delete, when, and why.
//!
//! In: such policies and the objects of a cluster, as files. Out: for each policy its next times, and for each object
//! whether it goes or stays, with the reason. Nothing is deleted, here or elsewhere.

use super::inputs;
use crate::args::Cleanup;
use crate::clock;
use crate::exit::Failure;
use crate::files::{Opened, opened};
use crate::print::diagnostics;
use crate::terminal;
use engine::Bundle;
use engine::apply::{self, Locations, Options, Phase, PolicyResult, Recording, Status};
use engine::diag::Severity;
use engine::load::Role;
use engine::policy::{Body, Policy};
use engine::resource::Resource;
use engine::value::time::Time;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many times of a schedule are said.
const AHEAD: usize = 3;

/// Runs the command.
pub(crate) fn run(arguments: &Cleanup) -> Result<u8, Failure> {
    let now = match &arguments.at {
        None => clock::now(),
        Some(text) => {
            let time = Time::parse_rfc3339(text)
                .map_err(|_| Failure(format!("--at {text}: write a time such as 2026-11-22T02:00:00Z")))?;
            time.unix.saturating_mul(1_000_000_000)
        }
    };
    inputs::refuse_two_pipes(&arguments.policies, &arguments.resource)?;
    let mut all = Vec::new();
    let Opened { paths: policies, mut lost } = opened(&arguments.policies);
    let Opened { paths: resources, lost: unreadable } = opened(&arguments.resource);
    lost.extend(unreadable);
    let values: Vec<String> = arguments.values_file.iter().cloned().collect();
    for (role, paths) in [(Role::Values, values), (Role::Policies, policies), (Role::Resources, resources)] {
        let (texts, unreadable) = inputs::read(role, &paths);
        all.extend(texts);
        lost.extend(unreadable);
    }
    inputs::say_unreadable(&lost);
    let host = arguments.by.host();
    let (bundle, found) =
        inputs::load_sources(inputs::sources(all), arguments.by.followed(), arguments.by.extension());
    diagnostics::print(&bundle, &found);
    let is_complete =
        lost.is_empty() && !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    let mut results = Vec::new();
    apply::cleanup(&bundle, &crate::world::at(now), &options, |result| results.push(result));
    let (text, undecided) = report(&bundle, &results, now / 1_000_000_000);
    terminal::print(&text);
    if text.is_empty() {
        terminal::say(
            "warning: no CleanupPolicy, ClusterCleanupPolicy or DeletingPolicy was loaded: nothing is decided\n",
        );
    }
    Ok(u8::from(undecided || !is_complete))
}

/// The text, and whether anything could not be decided.
fn report(bundle: &Bundle, results: &[PolicyResult], now: i64) -> (String, bool) {
    let mut out = String::new();
    let mut undecided = false;
    for (at, policy) in bundle.policies.iter().enumerate() {
        let Some((schedule, propagation)) = schedule(policy) else { continue };
        let how = if propagation.is_empty() { String::new() } else { format!(", {propagation}") };
        let (kind, key) = (policy.kind.as_str(), policy.key());
        let due = times(policy, now);
        let described = due.as_ref().map_or_else(
            |error| format!("never due: {error}; a cluster refuses the policy, and nothing is deleted"),
            Clone::clone,
        );
        let _ = writeln!(out, "{kind} {key} (`{schedule}`{how}): {described}");
        if due.is_err() {
            undecided = true;
            continue;
        }
        let said = results.iter().filter(|result| result.policy == at && result.phase == Phase::Cleanup);
        let said: BTreeMap<usize, &PolicyResult> = said.map(|result| (result.resource, result)).collect();
        for (place, resource) in bundle.resources.iter().enumerate() {
            let path = match resource.namespace() {
                "" => format!("{}/{}", resource.kind(), resource.name()),
                namespace => format!("{namespace}/{}/{}", resource.kind(), resource.name()),
            };
            if let Some(why) = elsewhere(policy, resource) {
                let _ = writeln!(out, "  keep    {path}: {why}");
                continue;
            }
            let Some(result) = said.get(&place) else {
                let _ = writeln!(out, "  keep    {path}: it does not match");
                continue;
            };
            for rule in &result.rules {
                undecided |= rule.status == Status::Error;
                let _ = match rule.status {
                    Status::Pass => writeln!(out, "  delete  {path}: {}", rule.note),
                    Status::Error => writeln!(out, "  error   {path}: {}; {}", rule.message, rule.note),
                    Status::Fail | Status::Warn | Status::Skip => {
                        writeln!(out, "  keep    {path}: {}", rule.note)
                    }
                };
            }
        }
    }
    (out, undecided)
}

/// When a policy that deletes is due, and how what belongs to a deleted object goes; nothing of one that does not delete.
fn schedule(policy: &Policy) -> Option<(&str, &str)> {
    match (policy.rules.first().map(|rule| &rule.body), &policy.body) {
        (Some(Body::Cleanup(cleanup)), _) => Some((&cleanup.schedule, &cleanup.propagation)),
        (_, Some(body)) => {
            Some((body.schedule()?, policy.raw.find_str(&["spec", "deletionPropagationPolicy"])))
        }
        _ => None,
    }
}

/// Why a policy in CEL is not for a resource of another namespace: a cluster looks at it, the CLI does not.
fn elsewhere(policy: &Policy, resource: &Resource) -> Option<String> {
    let (of_policy, found) = (policy.namespace.as_str(), resource.namespace());
    let is_elsewhere = policy.body.is_some() && !of_policy.is_empty() && of_policy != found;
    is_elsewhere.then(|| format!("the policy is for namespace `{of_policy}`, the resource is in `{found}`"))
}

/// When a policy is due next.
///
/// # Errors
/// What is wrong with its schedule.
fn times(policy: &Policy, now: i64) -> Result<String, String> {
    let moments = apply::due(policy, now, AHEAD)?;
    let texts: Vec<String> = moments.iter().map(|moment| Time::from_unix(*moment, 0).to_rfc3339()).collect();
    Ok(if texts.is_empty() { "never due".to_owned() } else { format!("due {}", texts.join(", ")) })
}
