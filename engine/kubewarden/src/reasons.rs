//! Why settings cannot be used, each reason with its line, and what of them is not done here.
//!
//! In: policies as they were loaded, and what was said of their texts. Out: `policies[0]:9:5: what is wrong (what to do)`.

use crate::kind_of_path;
use crate::part::Part;
use engine::body::Phase;
use engine::diag::Diagnostic;
use engine::policy::{Body, Policy, Rule, Source};
use engine_json::Path;
use engine_lenses::run::{Positions, diagnostic};
use engine_lenses::wire::Range;
use std::sync::Arc;

/// So many reasons are given.
const MAX_REASONS: usize = 20;

/// A reason that a loader gives.
pub(crate) fn sentence(places: &Positions<'_>, said: Diagnostic) -> String {
    let said = diagnostic(said, places);
    // Options of the terminal help nobody here.
    let hint = said.hints.iter().find(|hint| !hint.contains("`--"));
    let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{}{}{hint}", placed(said.range), said.message)
}

/// All reasons, one a line.
pub(crate) fn listed(mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(MAX_REASONS);
    reasons.truncate(MAX_REASONS);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons.join("\n")
}

fn placed(range: Option<Range>) -> String {
    range.map_or_else(String::new, |range| format!("{}:{}:{}: ", range.name, range.line, range.column))
}

/// Why policies cannot decide requests here.
pub(crate) fn hindrances(policies: &[Policy], places: &Positions<'_>) -> Vec<String> {
    let at = |policy: &Policy, path: &Path| placed(places.of_path(policy.document, path));
    let mut reasons = Vec::new();
    for (number, policy) in policies.iter().enumerate() {
        let is_same = |other: &&Policy| {
            (other.kind, &other.namespace, &other.name) == (policy.kind, &policy.namespace, &policy.name)
        };
        if let Some(first) = policies.iter().take(number).find(is_same) {
            let (kind, key) = (policy.kind.as_str(), policy.key());
            let first = at(first, &Path::root());
            let first = first.trim_end_matches([':', ' ']);
            let place = at(policy, &Path::root());
            reasons
                .push(format!("{place}{kind} `{key}` is here already, at {first} (remove one of the two)"));
        }
        if let Some((path, reason)) = hindrance(policy) {
            reasons.push(format!("{}policy `{}`{reason}", at(policy, &path), policy.key()));
        }
    }
    reasons
}

/// Why a policy cannot decide requests, and where it says so.
fn hindrance(policy: &Policy) -> Option<(Path, String)> {
    let root = |reason: &str| Some((Path::root(), reason.to_owned()));
    if let Some(body) = &policy.body {
        return match body.phase() {
            _ if body.protocol().is_some() => {
                root(" is for requests of HTTP or Envoy: Kubewarden has none (remove it)")
            }
            Phase::VerifyImages => root(
                " checks images, which needs a registry: no registry is asked here (use a policy of Kubewarden's for images)",
            ),
            Phase::Generate => {
                root(" generates objects: a policy of Kubewarden cannot create any (remove it)")
            }
            Phase::Cleanup => root(" deletes objects: a policy of Kubewarden cannot (remove it)"),
            Phase::Mutate | Phase::Validate => None,
        };
    }
    if policy.rules.is_empty() {
        return Some((Path::from_keys(&["spec"]), " has no rules".to_owned()));
    }
    let of_images = |rule: &&Arc<Rule>| matches!(rule.body, Body::VerifyImages(_));
    if let Some(rule) = policy.rules.iter().find(of_images) {
        let reason = format!(
            ", rule `{}` verifies images, which needs a registry: no registry is asked here (use a policy of Kubewarden's for images)",
            rule.name
        );
        return Some((rule.path.clone(), reason));
    }
    let decides = policy.rules.iter().any(|rule| Part::Mutates.has(rule) || Part::Validates.has(rule));
    if decides {
        return None;
    }
    root(" decides no request: its rules generate, clean up, or change other objects (remove it)")
}

/// What of a policy is not done here, where the rest of it decides.
pub(crate) fn left_out(policy: &Policy) -> Option<String> {
    let is_left_out = |rule: &&Arc<Rule>| !(Part::Mutates.has(rule) || Part::Validates.has(rule));
    let names: Vec<&str> = policy.rules.iter().filter(is_left_out).map(|rule| rule.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let names = names.join("`, `");
        format!(
            "policy `{}`: what generates, cleans up or changes other objects is not done here: `{names}`",
            policy.key()
        )
    })
}

/// What the context of a policy asks for, and no host answers.
pub(crate) fn unanswered(policy: &Policy, places: &Positions<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for rule in &policy.rules {
        for entry in &rule.context {
            let what = match &entry.source {
                Source::ApiCall(call) => match call.find_str(&["urlPath"]) {
                    "" => "a service".to_owned(),
                    path if call.find_str(&["method"]) == "POST" => format!("`POST {path}`"),
                    path if kind_of_path(path).is_some() || path.contains("{{") => continue,
                    path => format!("`{path}`"),
                },
                Source::ImageRegistry(_) => "a registry".to_owned(),
                _ => continue,
            };
            let place = placed(places.of_path(policy.document, &entry.path));
            let (entry, rule) = (&entry.name, &rule.name);
            notes.push(format!(
                "{place}context entry `{entry}` of rule `{rule}` asks {what}, which no host of Kubewarden answers: expressions that use it will fail"
            ));
        }
    }
    notes
}
