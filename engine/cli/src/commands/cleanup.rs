//! `podsieve cleanup`: what cleanup policies would delete, when, and why.
//!
//! In: cleanup policies and the objects of a cluster, as files. Out: for each policy its next times, and for each object
//! whether it goes or stays, with the reason. Nothing is deleted, here or elsewhere.

use super::inputs;
use crate::args::Cleanup;
use crate::clock;
use crate::exit::Failure;
use crate::files::{Opened, opened};
use crate::print::diagnostics;
use crate::terminal;
use engine::Bundle;
use engine::apply::{self, Locations, Options, PolicyResult, Recording, Status};
use engine::diag::Severity;
use engine::load::{Host, Role};
use engine::policy::{Body, Policy};
use engine::value::time::Time;
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
    let (bundle, found) = inputs::load(all);
    diagnostics::print(&bundle, &found);
    let is_complete =
        lost.is_empty() && !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let mut results = Vec::new();
    apply::cleanup(&bundle, &crate::world::at(now), &options, |result| results.push(result));
    let (text, undecided) = report(&bundle, &results, now / 1_000_000_000);
    terminal::print(&text);
    if text.is_empty() {
        terminal::say("warning: no CleanupPolicy or ClusterCleanupPolicy was loaded: nothing is decided\n");
    }
    Ok(u8::from(undecided || !is_complete))
}

/// The text, and whether anything could not be decided.
fn report(bundle: &Bundle, results: &[PolicyResult], now: i64) -> (String, bool) {
    let mut out = String::new();
    let mut undecided = false;
    for (at, policy) in bundle.policies.iter().enumerate() {
        let Some(Body::Cleanup(cleanup)) = policy.rules.first().map(|rule| &rule.body) else { continue };
        let how =
            if cleanup.propagation.is_empty() { String::new() } else { format!(", {}", cleanup.propagation) };
        let _ = writeln!(
            out,
            "{} {} (`{}`{how}): {}",
            policy.kind.as_str(),
            policy.key(),
            cleanup.schedule,
            times(policy, now)
        );
        for result in results.iter().filter(|result| result.policy == at) {
            let Some(resource) = bundle.resources.get(result.resource) else { continue };
            let path = match resource.namespace() {
                "" => format!("{}/{}", resource.kind(), resource.name()),
                namespace => format!("{namespace}/{}/{}", resource.kind(), resource.name()),
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

fn times(policy: &Policy, now: i64) -> String {
    match apply::due(policy, now, AHEAD) {
        Err(error) => format!("never due: {error}"),
        Ok(moments) if moments.is_empty() => "never due".to_owned(),
        Ok(moments) => {
            let texts: Vec<String> =
                moments.iter().map(|moment| Time::from_unix(*moment, 0).to_rfc3339()).collect();
            format!("due {}", texts.join(", "))
        }
    }
}
