//! What was decided, as an answer: verdicts with their lines, counts, schedules, drift.
//!
//! In: a bundle, what its policies said, and positions. Out: a [`wire::Output`] and its parts.

use super::complete::{self, is_complete};
use super::{Positions, version};
use crate::drift::{Drift, ignore_differences};
use crate::wire;
use engine::apply::{self, Options, PolicyResult, Recording, Status};
use engine::autogen::{self, Hindrance};
use engine::body::Difference;
use engine::diag::Diagnostic;
use engine::load::{Bundle, Host};
use engine::policy::{Body, Policy, Rule};
use engine::resource::{DocumentId, Resource};
use engine::trace::{Detail, Step, StepOutcome};
use engine::value::time::Time;
use engine::world::World;
use engine_json::{Path, Str, Value};
use engine_yaml::emit::to_yaml_ordered;
use std::sync::Arc;

/// Evaluates everything, and makes the answer; what autogen made is left to the caller.
pub(super) fn decide(
    input: &wire::Input,
    host: Host,
    bundle: &Bundle,
    diagnostics: Vec<Diagnostic>,
    positions: &Positions<'_>,
    world: &dyn World,
) -> wire::Output {
    let trace = match (input.trace, input.no_match) {
        (true, _) => Recording::On,
        (false, true) => Recording::NonMatchingOnly,
        (false, false) => Recording::Off,
    };
    let options = Options { host, trace, places: apply::Locations::Include };
    let mut outcome = apply::apply(bundle, world, &options);
    if trace == Recording::NonMatchingOnly {
        let spoke = outcome.results.iter_mut().filter(|result| !result.rules.is_empty());
        spoke.for_each(|result| result.no_match.clear());
    }
    let results: Vec<wire::PolicyResult> =
        outcome.results.iter().map(|result| policy_result(result, bundle, positions)).collect();
    let mut diagnostics = diagnostics;
    diagnostics.extend(evaluated(&outcome.results, bundle, positions));
    let undecided = complete::undecided(bundle, &outcome.results, &diagnostics);
    let diagnostics: Vec<_> = diagnostics.into_iter().map(|said| diagnostic(said, positions)).collect();
    wire::Output {
        version: version(),
        complete: is_complete(&diagnostics),
        counts: wire::Counts { undecided, ..counts(&results, bundle) },
        results,
        refused: refused(bundle, positions),
        diagnostics,
        autogen: Vec::new(),
        loaded: loaded(bundle),
        schedules: schedules(bundle, world, positions),
        drift: drift(bundle, &outcome.results, positions),
    }
}

/// How many warnings about text that was evaluated there are at most.
const MAX_EVALUATED: usize = 100;

/// Warnings about text of the resources that was evaluated as expressions.
fn evaluated(results: &[PolicyResult], bundle: &Bundle, positions: &Positions<'_>) -> Vec<Diagnostic> {
    let all = results.iter().flat_map(|result| result.evaluated.iter().map(move |text| (result, text)));
    let warning = |(result, text): (&PolicyResult, &apply::Evaluated)| {
        let (policy, resource) =
            (bundle.policies.get(result.policy)?, bundle.resources.get(result.resource)?);
        let root = Path::root();
        let span = positions.span_of(resource.document, text.path.as_ref().unwrap_or(&root));
        Some(apply::evaluated_text(policy, resource, text, span))
    };
    all.filter_map(warning).take(MAX_EVALUATED).collect()
}

/// The policies that Kyverno refuses.
pub(crate) fn refused(bundle: &Bundle, positions: &Positions<'_>) -> Vec<wire::Refused> {
    let described = bundle.refused.iter().map(|refused| wire::Refused {
        policy: refused.policy.clone(),
        reason: refused.reason.clone(),
        range: positions.of_path(refused.document, &refused.path),
    });
    described.collect()
}

/// A diagnostic with its lines.
pub fn diagnostic(said: Diagnostic, positions: &Positions<'_>) -> wire::Diagnostic {
    wire::Diagnostic {
        code: said.code.as_str().to_owned(),
        severity: said.severity.as_str().to_owned(),
        message: said.message,
        range: said.span.and_then(|span| positions.of_span(span)),
        hints: said.hints,
    }
}

/// What a GitOps tool will see as drift; `None` where policies change nothing.
fn drift(bundle: &Bundle, results: &[PolicyResult], positions: &Positions<'_>) -> Option<wire::Drift> {
    let mut last: Vec<(usize, &Value)> = Vec::new();
    for result in results {
        let Some(mutation) = result.mutation.as_ref().filter(|mutation| mutation.changed) else { continue };
        last.retain(|(at, _)| *at != result.resource);
        last.push((result.resource, &mutation.resource));
    }
    let (mut drifts, mut objects) = (Vec::new(), Vec::new());
    for (at, live) in last {
        let Some(resource) = bundle.resources.get(at) else { continue };
        let drift = Drift::of(resource, live);
        objects.push(wire::DriftOf {
            resource: resource_ref(resource, positions),
            changed: drift.changed.clone(),
            added: drift.added.clone(),
            removed: drift.removed.clone(),
        });
        drifts.push(drift);
    }
    (!drifts.is_empty()).then(|| wire::Drift { ignore_differences: ignore_differences(&drifts), objects })
}

/// How many times a schedule says ahead.
const AHEAD: usize = 3;

/// When each policy that deletes is due after now.
fn schedules(bundle: &Bundle, world: &dyn World, positions: &Positions<'_>) -> Vec<wire::Schedule> {
    let schedule = |policy: &Policy| {
        let of_rule = policy.rules.first().and_then(|rule| match &rule.body {
            Body::Cleanup(cleanup) => Some((cleanup.schedule.as_str(), cleanup.propagation.as_str())),
            _ => None,
        });
        // Kyverno: DeletingPolicySpec in api/policies.kyverno.io.
        let of_body = || {
            let propagation = policy.raw.find_str(&["spec", "deletionPropagationPolicy"]);
            Some((policy.body.as_ref()?.schedule()?, propagation))
        };
        let (schedule, propagation) = of_rule.or_else(of_body)?;
        let now = world.now() / 1_000_000_000;
        let next = apply::due(policy, now, AHEAD).unwrap_or_default();
        Some(wire::Schedule {
            policy: policy_ref(policy, positions),
            schedule: schedule.to_owned(),
            next: next.into_iter().map(|moment| Time::from_unix(moment, 0).to_rfc3339()).collect(),
            propagation: propagation.to_owned(),
        })
    };
    bundle.policies.iter().filter_map(schedule).collect()
}

fn loaded(bundle: &Bundle) -> wire::Loaded {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let rules: usize = bundle.policies.iter().map(Policy::rule_count).sum();
    let refused: usize = bundle.refused.iter().map(|refused| refused.rules).sum();
    wire::Loaded {
        policies: count(bundle.policies.len()),
        rules: count(rules + refused),
        resources: count(bundle.resources.len()),
        exceptions: count(bundle.exceptions.len()),
    }
}

/// How many rules have each status; a refused policy counts as an error, as in the CLI.
fn counts(results: &[wire::PolicyResult], bundle: &Bundle) -> wire::Counts {
    let mut counts = wire::Counts::default();
    for rule in results.iter().flat_map(|result| &result.rules) {
        counts.count(&rule.status);
    }
    counts.error += u32::try_from(bundle.refused.len()).unwrap_or(u32::MAX);
    counts
}

fn policy_result(result: &PolicyResult, bundle: &Bundle, positions: &Positions<'_>) -> wire::PolicyResult {
    let mut wired = wire::PolicyResult::default();
    let (Some(policy), Some(resource)) =
        (bundle.policies.get(result.policy), bundle.resources.get(result.resource))
    else {
        return wired;
    };
    apply::effect(bundle, result).as_str().clone_into(&mut wired.effect);
    wired.policy = policy_ref(policy, positions);
    wired.resource = resource_ref(resource, positions);
    wired.rules =
        result.rules.iter().map(|rule| rule_result(rule, policy, resource, bundle, positions)).collect();
    let mutation = result.mutation.as_ref().filter(|mutation| mutation.changed);
    wired.patched = mutation.map(|mutation| to_yaml_ordered(&mutation.resource));
    wired.original = mutation.map(|mutation| to_yaml_ordered(&mutation.original));
    let mut tried = result.no_match.iter().filter(|_| result.rules.is_empty());
    let because = tried.rfind(|step| step.outcome == StepOutcome::No);
    wired.no_match = match result.undecided.first().filter(|_| result.rules.is_empty()) {
        Some(rule) => Some(format!("rule `{rule}` matches and is of a kind that is not supported yet")),
        None => because.map(|step| step.text().into_owned()),
    };
    wired.in_cluster = result.difference.as_ref().map(in_cluster);
    let tried = result.no_match.iter();
    wired.steps = tried.map(|taken| step(taken, policy.document, resource.document, positions)).collect();
    wired
}

/// That a verdict is another in a cluster, and why.
fn in_cluster(Difference { here, there, why }: &Difference) -> String {
    let [here, there] = [here, there].map(|status| status.map_or("nothing", Status::as_str));
    format!("in a cluster the policy says {there}, and {here} here: {why}")
}

fn rule_result(
    rule: &apply::RuleResult,
    policy: &Policy,
    resource: &Resource,
    bundle: &Bundle,
    positions: &Positions<'_>,
) -> wire::RuleResult {
    let ranges = |document: DocumentId, paths: &[Path]| -> Vec<wire::Range> {
        let mut ranges: Vec<wire::Range> =
            paths.iter().filter_map(|path| positions.of_path(document, path)).collect();
        ranges.dedup();
        ranges
    };
    // The rule as a whole where nothing narrower is known.
    let written = || policy.rules.iter().find(|written| written.name == rule.written_name);
    let places = if rule.policy_paths.is_empty() {
        written().map(|rule| rule.path.clone()).into_iter().collect()
    } else {
        rule.policy_paths.clone()
    };
    // The steps of patterns field by field are for explanations.
    let steps = rule.steps.iter().filter(|step| !matches!(step.detail, Some(Detail::Walk(_))));
    wire::RuleResult {
        rule: rule.rule.clone(),
        kind: Str::new_static(rule.rule_type.as_str()),
        status: Str::new_static(rule.status.as_str()),
        message: rule.message.clone(),
        effect: apply::rule_effect(bundle, policy, resource.namespace(), rule).as_str().into(),
        autogen: rule.is_made_by_autogen().then(|| rule.written_name.to_string()),
        properties: rule.properties.clone(),
        exceptions: rule.exceptions.clone(),
        warnings: rule.warnings.clone(),
        policy_ranges: ranges(policy.document, &places),
        resource_ranges: ranges(resource.document, &rule.resource_paths),
        steps: steps.map(|taken| step(taken, policy.document, resource.document, positions)).collect(),
        generated: rule.generated.iter().map(engine_yaml::emit::to_yaml).collect(),
        note: (!rule.note.is_empty()).then(|| rule.note.clone()),
        target: rule.patched_target.as_ref().map(|patched| target(patched, bundle, positions)),
    }
}

/// Another object that a rule has changed, beside the same object as it was given.
fn target(patched: &Value, bundle: &Bundle, positions: &Positions<'_>) -> wire::Target {
    let changed = Resource::new(patched.clone(), DocumentId(0));
    let given = bundle.resources.iter().chain(&bundle.cluster_resources).find(|given| {
        given.gvk == changed.gvk && given.namespace() == changed.namespace() && given.name() == changed.name()
    });
    let range = given.and_then(|given| positions.of_path(given.document, &Path::root()));
    wire::Target {
        resource: wire::ObjectRef { range, ..resource_ref(&changed, positions) },
        original: given.map(|given| to_yaml_ordered(&given.value)),
        patched: to_yaml_ordered(patched),
    }
}

pub(crate) fn resource_ref(resource: &Resource, positions: &Positions<'_>) -> wire::ObjectRef {
    wire::ObjectRef {
        api_version: resource.api_version().to_owned(),
        kind: resource.kind().to_owned(),
        namespace: resource.namespace().to_owned(),
        name: resource.name_or_generate_name().to_owned(),
        range: positions.of_path(resource.document, &Path::root()),
    }
}

pub(crate) fn policy_ref(policy: &Policy, positions: &Positions<'_>) -> wire::ObjectRef {
    wire::ObjectRef {
        api_version: policy.api_version.to_string(),
        kind: policy.kind.as_str().to_owned(),
        namespace: policy.namespace.to_string(),
        name: policy.name.to_string(),
        range: positions.of_path(policy.document, &Path::root()),
    }
}

/// What autogen made of a policy.
pub(super) fn autogen_of(policy: &Policy, positions: &Positions<'_>) -> wire::Autogen {
    let rule = |rule: &Arc<Rule>| wire::AutogenRule {
        rule: rule.name.to_string(),
        from: rule.written_name.to_string(),
        kinds: rule.controllers.iter().map(Str::to_string).collect(),
        text: to_yaml_ordered(&rule.raw),
        range: positions.of_path(policy.document, &rule.path),
    };
    let hindrance = |hindrance: Hindrance| wire::AutogenHindrance {
        rule: hindrance.rule.as_ref().map(Str::to_string),
        reason: hindrance.reason,
        range: positions.of_path(policy.document, &hindrance.path),
    };
    wire::Autogen {
        policy: policy_ref(policy, positions),
        rules: policy.autogen.iter().map(rule).collect(),
        hindrances: autogen::hindrances(policy).into_iter().map(hindrance).collect(),
    }
}

pub(crate) fn step(
    step: &Step,
    policy: DocumentId,
    resource: DocumentId,
    positions: &Positions<'_>,
) -> wire::Step {
    wire::Step {
        depth: step.depth,
        kind: step.kind.as_str().to_owned(),
        outcome: step.outcome.as_str().to_owned(),
        text: step.text().into_owned(),
        policy_range: step
            .policy_path
            .as_ref()
            .and_then(|path| positions.of_path(step.document.unwrap_or(policy), path)),
        resource_range: step.resource_path.as_ref().and_then(|path| positions.of_path(resource, path)),
    }
}
