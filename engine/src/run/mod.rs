//! From wire to wire: what the page's worker, the Node module and other tools call.
//!
//! In: a [`wire::Input`]. Out: a [`wire::Output`]; positions are looked up here, once all is decided. Somebody who
//! types asks again and again with the same policies: a [`Session`] keeps what it made of them.

mod complete;
mod kept;
mod positions;
mod watched;

pub use complete::is_complete;
pub use positions::Positions;

use crate::apply::{self, Options, PolicyResult, Recording};
use crate::autogen::{self, Hindrance};
use crate::diag::{Code, Diagnostic, Severity};
use crate::drift::{Drift, ignore_differences};
use crate::load::{self, Bundle, Host, LoadedPolicies, Role};
use crate::policy::{Body, Policy, Rule};
use crate::resource::{DocumentId, Resource};
use crate::trace::Detail;
use crate::value::time::Time;
use crate::wire;
use crate::world::World;
use engine_json::{Path, Str, Value};
use engine_yaml::Source;
use engine_yaml::emit::to_yaml_ordered;
use kept::Kept;
use positions::Places;
use std::sync::Arc;
use watched::Watched;

/// Decides everything in the input; the world is asked for the time and for random numbers.
pub fn run(input: &wire::Input, world: &dyn World) -> wire::Output {
    Session::default().run(input, world)
}

/// Run after run, with the policies of the last run kept as they were loaded for as long as their texts stay the
/// same. The answers are those of [`run`], byte for byte.
#[derive(Default)]
pub struct Session {
    begun: Option<LoadedPolicies>,
    /// The places of what was begun, as far as somebody has asked for them.
    places: Places,
    /// What autogen made of what was begun.
    autogen: Option<Vec<wire::Autogen>>,
    /// What each document adds to the last answer of [`Session::changes`].
    kept: Option<Kept>,
}

impl Session {
    /// Decides everything in the input, as [`run`] does.
    pub fn run(&mut self, input: &wire::Input, world: &dyn World) -> wire::Output {
        self.decided(input, world).0
    }

    /// The same, by what has changed since an earlier answer: documents that are as they were are not evaluated again where
    /// verdicts look at one resource alone. `serial` is the number of this answer, above 0, and `since` that of the answer
    /// which whoever asks still holds; where it is not the last one the answer is a whole one.
    pub fn changes(
        &mut self,
        input: &wire::Input,
        serial: u32,
        since: u32,
        world: &dyn World,
    ) -> wire::Changes {
        if let Some(mut kept) = self.kept.take()
            && let Some(edit) = kept.edit(since, input)
        {
            let (new, facts) = self.decided(&edit.input(input), world);
            if let Some(changes) = kept.take(serial, edit, new, &facts) {
                self.kept = Some(kept);
                return changes;
            }
        }
        let (output, facts) = self.decided(input, world);
        self.kept = Kept::new(serial, input, &output, &facts);
        wire::Changes::whole(output)
    }

    fn decided(&mut self, input: &wire::Input, world: &dyn World) -> (wire::Output, Facts) {
        let world = Watched::new(world);
        let host = host(input);
        let mut policies = sources(input);
        // Policies come first in the list.
        let others = policies.split_off(policies.partition_point(|(role, _)| *role == Role::Policies));
        let known = self.begun.take().filter(|begun| begun.is_with(&policies, host, world.others()));
        if known.is_none() {
            (self.places, self.autogen) = Default::default();
        }
        let begun = known.unwrap_or_else(|| LoadedPolicies::new(policies, host, world.others()));
        let (bundle, mut diagnostics) = begun.clone().finish(others);
        if let Some((document, message)) = apply::broken_projection(&bundle, &world) {
            let span = bundle.document(document).map(|document| document.span);
            diagnostics.push(Diagnostic::error(Code::BadExpression, span, message));
        }
        let positions = Positions::with(&bundle, std::mem::take(&mut self.places));
        let facts = Facts::of(&bundle, begun.said(), &diagnostics);
        let made = || bundle.policies.iter().map(|policy| autogen_of(policy, &positions)).collect();
        let autogen = self.autogen.get_or_insert_with(made).clone();
        let output =
            wire::Output { autogen, ..decide(input, host, &bundle, diagnostics, &positions, &world) };
        let facts = Facts { is_apart: facts.is_apart && !world.was_asked(), ..facts };
        let (sources, documents) = begun.len();
        self.places = positions.into_places(sources, documents);
        self.begun = Some(begun);
        (output, facts)
    }
}

/// What a run says beside its answer.
struct Facts {
    /// How many diagnostics were said of the policies when they were loaded.
    begun: usize,
    /// Whether each resource has its verdicts whatever others there are, and whenever it is asked.
    is_apart: bool,
    /// The resources: which of the texts that are evaluated holds each one, and at which byte.
    resources: Vec<(usize, usize)>,
    /// The same of what could not be read or used.
    wrong: Vec<(usize, usize)>,
}

impl Facts {
    fn of(bundle: &Bundle, begun: usize, said: &[Diagnostic]) -> Self {
        let first = bundle.sources.iter().position(|(role, _)| *role == Role::Resources).unwrap_or_default();
        let place = |resource: &Resource| {
            let document = bundle.document(resource.document)?;
            Some(((document.source.0 as usize).checked_sub(first)?, document.span.start as usize))
        };
        let is_evaluated =
            |source: usize| bundle.sources.get(source).is_some_and(|(role, _)| *role == Role::Resources);
        let wrong = complete::wrong(bundle, said).into_iter().filter(|(source, _)| is_evaluated(*source));
        Facts {
            begun,
            is_apart: apply::is_independent(bundle) && bundle.settings.answers.entries.is_empty(),
            resources: bundle.resources.iter().filter_map(place).collect(),
            wrong: wrong.map(|(source, byte)| (source.saturating_sub(first), byte)).collect(),
        }
    }
}

/// Everything in the input, read, and what is to be said about the texts.
pub fn read(input: &wire::Input, world: &dyn World) -> (Bundle, Vec<Diagnostic>) {
    load::load_with(sources(input), host(input), world.others())
}

/// Everything in the input, read, for which host it is evaluated, and whether all of it could be read and is evaluated; what is to be
/// said about the texts, [`run`] says.
pub(crate) fn bundle(input: &wire::Input, world: &dyn World) -> (Bundle, Host, bool) {
    let (bundle, said) = read(input, world);
    (bundle, host(input), said.iter().all(|said| said.severity != Severity::Error))
}

/// Which of the originals the input asks for.
pub(crate) fn host(input: &wire::Input) -> Host {
    match input.host.as_deref() {
        Some("playground") => Host::Playground,
        Some("cluster") => Host::Cluster,
        _ => Host::Cli,
    }
}

fn decide(
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

pub(crate) fn resource_ref(resource: &Resource, positions: &Positions<'_>) -> wire::ObjectRef {
    wire::ObjectRef {
        api_version: resource.api_version().to_owned(),
        kind: resource.kind().to_owned(),
        namespace: resource.namespace().to_owned(),
        name: resource.name_or_generate_name().to_owned(),
        range: positions.of_path(resource.document, &Path::root()),
    }
}

/// How many times a schedule says ahead.
const AHEAD: usize = 3;

/// When each cleanup policy is due after now.
fn schedules(bundle: &Bundle, world: &dyn World, positions: &Positions<'_>) -> Vec<wire::Schedule> {
    let schedule = |policy: &Policy| {
        let Body::Cleanup(cleanup) = &policy.rules.first()?.body else { return None };
        let now = world.now() / 1_000_000_000;
        let next = apply::due(policy, now, AHEAD).unwrap_or_default();
        Some(wire::Schedule {
            policy: policy_ref(policy, positions),
            schedule: cleanup.schedule.to_string(),
            next: next.into_iter().map(|moment| Time::from_unix(moment, 0).to_rfc3339()).collect(),
            propagation: cleanup.propagation.to_string(),
        })
    };
    bundle.policies.iter().filter_map(schedule).collect()
}

/// This engine's version and the release that it follows.
pub fn version() -> wire::Version {
    wire::Version {
        podsieve: env!("CARGO_PKG_VERSION").to_owned(),
        kyverno: crate::KYVERNO_VERSION.to_owned(),
    }
}

/// Every function that an expression may call, by name: for completion in an editor, and for docs/functions.md.
pub fn functions() -> Vec<wire::FunctionDoc> {
    let example = |(expression, value): &(&str, &str)| wire::FunctionExample {
        expression: (*expression).to_owned(),
        value: (*value).to_owned(),
    };
    let registry = crate::functions::registry();
    let documented = registry.iter().map(|row| wire::FunctionDoc {
        name: row.name.to_owned(),
        signature: row.signature(),
        doc: row.note.to_owned(),
        examples: row.examples.iter().map(example).collect(),
    });
    documented.collect()
}

pub(crate) fn sources(input: &wire::Input) -> Vec<(Role, Source)> {
    let groups = [
        (Role::Policies, &input.policies),
        (Role::ImageData, &input.image_data),
        (Role::Resources, &input.resources),
        (Role::OldResources, &input.old_resources),
        (Role::Exceptions, &input.exceptions),
        (Role::ClusterResources, &input.cluster_resources),
        (Role::Values, &input.values),
        (Role::UserInfo, &input.user_info),
        (Role::Context, &input.context),
        (Role::Config, &input.config),
        (Role::CustomResourceDefinitions, &input.custom_resource_definitions),
    ];
    groups.iter().flat_map(|(role, texts)| texts.iter().map(move |text| (*role, text.into()))).collect()
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
    let because = tried.rfind(|step| step.outcome == crate::trace::StepOutcome::No);
    wired.no_match = match result.undecided.first().filter(|_| result.rules.is_empty()) {
        Some(rule) => Some(format!("rule `{rule}` matches and is of a kind that is not supported yet")),
        None => because.map(|step| step.text().into_owned()),
    };
    let tried = result.no_match.iter();
    wired.steps = tried.map(|taken| step(taken, policy.document, resource.document, positions)).collect();
    wired
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

pub(crate) fn policy_ref(policy: &Policy, positions: &Positions<'_>) -> wire::ObjectRef {
    wire::ObjectRef {
        api_version: policy.api_version.to_string(),
        kind: policy.kind.as_str().to_owned(),
        namespace: policy.namespace.to_string(),
        name: policy.name.to_string(),
        range: positions.of_path(policy.document, &Path::root()),
    }
}

fn autogen_of(policy: &Policy, positions: &Positions<'_>) -> wire::Autogen {
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
    step: &crate::trace::Step,
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

#[cfg(test)]
mod tests;
