//! From wire to wire: what the page's worker, the Node module and other tools call.
//!
//! In: a [`wire::Input`]. Out: a [`wire::Output`]; positions are looked up here, once all is decided. Somebody who
//! types asks again and again with the same policies: a [`Session`] keeps what it made of them.

use crate::apply::{self, Options, PolicyResult, Recording};
use crate::autogen::{self, Hindrance};
use crate::diag::{Code, Diagnostic};
use crate::drift::{Drift, ignore_differences};
use crate::load::{self, Begun, Bundle, Host, Role};
use crate::policy::{Body, Policy, Rule};
use crate::resource::{DocumentId, Resource};
use crate::trace::Detail;
use crate::value::time::Time;
use crate::wire;
use crate::world::World;
use engine_json::{Path, Str, Value};
use engine_yaml::emit::to_yaml_ordered;
use engine_yaml::{LineIndex, Source, Span, Spans};
use std::cell::OnceCell;
use std::sync::Arc;

/// Decides everything in the input; the world is asked for the time and for random numbers.
pub fn run(input: &wire::Input, world: &dyn World) -> wire::Output {
    Session::default().run(input, world)
}

/// Run after run, with the policies of the last run kept as they were loaded for as long as their texts stay the
/// same. The answers are those of [`run`], byte for byte.
#[derive(Default)]
pub struct Session {
    begun: Option<Begun>,
    /// The places of what was begun, as far as somebody has asked for them.
    places: Places,
    /// What autogen made of what was begun.
    autogen: Option<Vec<wire::Autogen>>,
}

impl Session {
    /// Decides everything in the input, as [`run`] does.
    pub fn run(&mut self, input: &wire::Input, world: &dyn World) -> wire::Output {
        let host = host(input);
        let mut policies = sources(input);
        // Policies come first in the list.
        let others = policies.split_off(policies.partition_point(|(role, _)| *role == Role::Policies));
        let known = self.begun.take().filter(|begun| begun.is_with(&policies, host));
        if known.is_none() {
            (self.places, self.autogen) = Default::default();
        }
        let begun = known.unwrap_or_else(|| Begun::new(policies, host));
        let (bundle, mut diagnostics) = begun.clone().finish(others);
        if let Some((document, message)) = apply::broken_projection(&bundle, world) {
            let span = bundle.document(document).map(|document| document.span);
            diagnostics.push(Diagnostic::error(Code::BadExpression, span, message));
        }
        let positions = Positions::with(&bundle, std::mem::take(&mut self.places));
        let made = || bundle.policies.iter().map(|policy| autogen_of(policy, &positions)).collect();
        let autogen = self.autogen.get_or_insert_with(made).clone();
        let output = wire::Output { autogen, ..decide(input, host, &bundle, diagnostics, &positions, world) };
        let (sources, documents) = begun.len();
        self.places = positions.places;
        self.places.lines.truncate(sources);
        self.places.spans.truncate(documents);
        self.begun = Some(begun);
        output
    }
}

/// Everything in the input, read, and who is to judge it; what is to be said about the texts, [`run`] says.
pub(crate) fn bundle(input: &wire::Input) -> (Bundle, Host) {
    let host = host(input);
    (load::load(sources(input), host).0, host)
}

/// Which of the originals the input asks for.
pub(crate) fn host(input: &wire::Input) -> Host {
    if input.host.as_deref() == Some("playground") { Host::Playground } else { Host::Cli }
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
        (false, true) => Recording::Silence,
        (false, false) => Recording::Off,
    };
    let options = Options { host, trace, places: apply::Places::Told };
    let mut outcome = apply::apply(bundle, world, &options);
    if trace == Recording::Silence {
        let spoke = outcome.results.iter_mut().filter(|result| !result.rules.is_empty());
        spoke.for_each(|result| result.no_match.clear());
    }
    let results: Vec<wire::PolicyResult> =
        outcome.results.iter().map(|result| policy_result(result, bundle, positions)).collect();
    let evaluated = evaluated(&outcome.results, bundle, positions);
    wire::Output {
        version: version(),
        counts: counts(&results, bundle),
        results,
        refused: refused(bundle, positions),
        diagnostics: diagnostics
            .into_iter()
            .chain(evaluated)
            .map(|said| diagnostic(said, positions))
            .collect(),
        autogen: Vec::new(),
        loaded: loaded(bundle),
        schedules: schedules(bundle, world.now() / 1_000_000_000, positions),
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
    let told = bundle.refused.iter().map(|refused| wire::Refused {
        policy: refused.policy.clone(),
        reason: refused.reason.clone(),
        range: positions.of_path(refused.document, &refused.path),
    });
    told.collect()
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

/// How many times a schedule tells ahead.
const AHEAD: usize = 3;

/// When each cleanup policy is due after `now`, in seconds since 1970.
fn schedules(bundle: &Bundle, now: i64, positions: &Positions<'_>) -> Vec<wire::Schedule> {
    let schedule = |policy: &Policy| {
        let Body::Cleanup(cleanup) = &policy.rules.first()?.body else { return None };
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
    let rules: usize = bundle.policies.iter().map(|policy| policy.all_rules().count()).sum();
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
        match rule.status.as_str() {
            "pass" => counts.pass += 1,
            "fail" => counts.fail += 1,
            "warn" => counts.warn += 1,
            "skip" => counts.skip += 1,
            _ => counts.error += 1,
        }
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
        autogen: (rule.rule != rule.written_name).then(|| rule.written_name.to_string()),
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

/// Turns paths and spans into ranges; the places of a document are looked up once.
pub struct Positions<'a> {
    bundle: &'a Bundle,
    places: Places,
}

/// What has been looked up: the lines of each source, the spans of each document.
#[derive(Default)]
struct Places {
    lines: Vec<OnceCell<LineIndex>>,
    spans: Vec<OnceCell<Option<Spans>>>,
}

impl<'a> Positions<'a> {
    /// The positions of these texts; nothing is looked up yet.
    pub fn new(bundle: &'a Bundle) -> Self {
        Self::with(bundle, Places::default())
    }

    /// The positions of these texts, the first of which have been looked up before.
    fn with(bundle: &'a Bundle, mut places: Places) -> Self {
        places.lines.resize_with(bundle.sources.len(), OnceCell::new);
        places.spans.resize_with(bundle.documents.len(), OnceCell::new);
        Positions { bundle, places }
    }

    /// The lines of a place in a document.
    pub fn of_path(&self, document: DocumentId, path: &Path) -> Option<wire::Range> {
        self.of_span(self.span_of(document, path)?)
    }

    /// The stretch of text of a place in a document.
    fn span_of(&self, document: DocumentId, path: &Path) -> Option<Span> {
        let spans = self.places.spans.get(document.0 as usize)?;
        let spans = spans.get_or_init(|| self.bundle.spans(document)).as_ref()?;
        Some(load::place(spans, path))
    }

    /// The lines of a stretch of a text.
    pub fn of_span(&self, span: Span) -> Option<wire::Range> {
        let at = span.source.0 as usize;
        let (role, source) = self.bundle.source(span.source)?;
        let lines = self.places.lines.get(at)?.get_or_init(|| LineIndex::new(&source.text));
        let same_role = self.bundle.sources.iter().take(at).filter(|(other, _)| other == role).count();
        // A block ends with the line break behind it; the line after that is not part of it.
        let text = source.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let end = span.start + u32::try_from(text.trim_end().len()).unwrap_or_default();
        let (line, column) = lines.position(span.start);
        Some(wire::Range {
            input: Str::new_static(role.as_str()),
            index: u32::try_from(same_role).unwrap_or(u32::MAX),
            name: source.name.as_str().into(),
            from: lines.utf16(span.start),
            to: lines.utf16(end),
            line,
            column,
            end_line: lines.position(end).0,
        })
    }
}
