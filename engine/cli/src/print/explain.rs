//! `--explain`: why each verdict came about, step by step, with the lines of policy and resource.
//!
//! In: responses whose rules recorded their steps. Out: a tree of sentences, such as
//! `    no   match  kind Service is not Pod  (policy.yaml:9)`.

use engine::Bundle;
use engine::apply::{Effect, RuleResult, Status, every_step, rule_effect};
use engine::json::Path;
use engine::resource::DocumentId;
use engine::trace::{Step, StepOutcome};
use engine_lenses::report::Response;
use engine_lenses::run::Positions;
use std::fmt::Write;

/// The reasons of all responses.
pub(crate) fn print(bundle: &Bundle, responses: &[Response<'_>]) -> String {
    let positions = Positions::new(bundle);
    let mut out = String::from("\nWhy:\n");
    for response in responses {
        let title = format!(
            "{} by policy {}",
            response.resource_path().trim_start_matches('/'),
            response.policy.key()
        );
        let _ = writeln!(out, "\n{title}");
        for rule in &response.rules {
            describe_rule(&mut out, bundle, &positions, response, rule);
        }
        for rule in &response.undecided {
            let _ = writeln!(out, "  rule {rule} matches and is not decided: its kind is not supported yet");
        }
        if response.rules.is_empty() && response.undecided.is_empty() {
            let _ = writeln!(out, "  no rule matches");
            describe_steps(&mut out, &positions, response, &response.no_match);
        }
    }
    let failed = |response: &Response<'_>| response.rules.iter().any(|rule| rule.status == Status::Fail);
    if responses.iter().any(failed) {
        out.push_str(
            "\n`podsieve explain` gives one sentence for each rule, and edits that would make it pass\n",
        );
    }
    out
}

fn describe_rule(
    out: &mut String,
    bundle: &Bundle,
    positions: &Positions<'_>,
    response: &Response<'_>,
    rule: &RuleResult,
) {
    let _ = writeln!(out, "  {:<5}{}", rule.status.as_str(), rule.rule);
    for line in rule.message.lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(out, "       {line}");
    }
    let effect = rule_effect(bundle, response.policy, response.resource.namespace(), rule);
    let would = match effect {
        Effect::Allow | Effect::Unknown => "",
        Effect::Report => "let it in and report it",
        Effect::Warn => "let it in with a warning",
        Effect::Deny => "refuse the request",
    };
    if !would.is_empty() {
        let _ = writeln!(out, "       a cluster would {would}");
    }
    let resource = places(positions, response.resource.document, &rule.resource_paths);
    let policy = places(positions, response.policy.document, &rule.policy_paths);
    let decided: Vec<String> = policy.into_iter().chain(resource).collect();
    if !decided.is_empty() {
        let _ = writeln!(out, "       decided at {}", decided.join(", "));
    }
    describe_steps(out, positions, response, &rule.steps);
}

fn describe_steps(out: &mut String, positions: &Positions<'_>, response: &Response<'_>, steps: &[Step]) {
    for step in &every_step(steps) {
        let document = step.document.unwrap_or(response.policy.document);
        let policy = step.policy_path.as_ref().and_then(|path| place(positions, document, path));
        let resource =
            step.resource_path.as_ref().and_then(|path| place(positions, response.resource.document, path));
        let lines: Vec<String> = policy.into_iter().chain(resource).collect();
        let lines = if lines.is_empty() { String::new() } else { format!("  ({})", lines.join(", ")) };
        let sign = match step.outcome {
            StepOutcome::Yes => "yes",
            StepOutcome::No => "no",
            StepOutcome::Error => "error",
            StepOutcome::Note => "",
        };
        let indent = "  ".repeat(step.depth.min(20) as usize);
        let text = step.text().replace('\n', " ");
        let _ = writeln!(out, "    {indent}{sign:<5} {}: {text}{lines}", step.kind.as_str());
    }
}

fn places(positions: &Positions<'_>, document: DocumentId, paths: &[Path]) -> Vec<String> {
    let mut places: Vec<String> = paths.iter().filter_map(|path| place(positions, document, path)).collect();
    places.dedup();
    places
}

/// `file:line` of a place.
pub(super) fn place(positions: &Positions<'_>, document: DocumentId, path: &Path) -> Option<String> {
    let range = positions.of_path(document, path)?;
    Some(format!("{}:{}", range.name, range.line))
}
