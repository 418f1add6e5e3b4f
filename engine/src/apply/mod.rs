//! The driver: every policy over every resource.
//!
//! In: a bundle, the world outside, and options. Out: for each policy and resource what its rules said, in the
//! order of the original: resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/validation.go.

mod cleanup;
mod clip;
mod effect;
mod evaluated;
mod generate;
mod images;
mod independent;
mod mutate;

use crate::admission::{self, Admission};
use crate::body::{Asked, Body as OtherBody, Run, Stage};
use crate::context::{Evaluator, JsonContext, global_value};
use crate::load::Bundle;
use crate::matching::{self, Request};
use crate::policy::{Body, Policy, Rule};
use crate::resource::{DocumentId, Resource};
use crate::rules::{self, Loading, Subject};
use crate::trace::{Kind, Step, Trace};
use crate::world::World;
use engine_json::{Str, Value};
use std::cell::OnceCell;

pub use cleanup::{afterwards, cleanup, due, mutate_targets};
pub use clip::clip;
pub use effect::{Effect, effect, failure_action, rule_effect};
pub use evaluated::evaluated_text;

pub use crate::context::{Directory, Evaluated};
pub use crate::load::Host;
pub use crate::rules::{Locations, RuleResult, RuleType, Status, every_step};
pub use crate::trace::Recording;
pub use independent::is_independent;

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

/// What a policy was asked for.
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

/// A projection of a GlobalContextEntry that has no value: its document, and the words with which the original ends.
// Kyverno: buildGlobalContextStore computes all of them before anything is evaluated.
pub fn broken_projection(bundle: &Bundle, world: &dyn World) -> Option<(DocumentId, String)> {
    let directory = Directory::of(bundle);
    let evaluator = Evaluator::new(world, &directory);
    bundle.settings.answers.entries.iter().find_map(|entry| {
        let mut names = entry.projections.iter().map(|(name, _)| name).filter(|name| !name.is_empty());
        let error = names.find_map(|name| global_value(entry, name, &evaluator).err())?;
        Some((entry.document, format!("failed to build global context store: {error}")))
    })
}

/// Applies every policy to every resource.
pub fn apply(bundle: &Bundle, world: &dyn World, options: &Options) -> Outcome {
    let mut outcome = Outcome::default();
    apply_each(bundle, world, options, 0..bundle.resources.len(), |result| outcome.results.push(result));
    cleanup(bundle, world, options, |result| outcome.results.push(result));
    outcome
}

/// Applies every policy to the resources at these places of the bundle, and gives each result away at once: a
/// host that keeps little of it can evaluate many resources in little memory, and several ranges side by side.
pub fn apply_each(
    bundle: &Bundle,
    world: &dyn World,
    options: &Options,
    resources: std::ops::Range<usize>,
    mut take: impl FnMut(PolicyResult),
) {
    let first = resources.start;
    let evaluated = bundle.resources.get(resources).unwrap_or_default();
    apply_to_each(bundle, evaluated, world, options, |result| {
        take(PolicyResult { resource: first + result.resource, ..result });
    });
}

/// The same for a list of resources, in which results then say their place. The list need not be of the bundle: a host
/// can read some resources, evaluate them and let them go, as long as [`is_independent`] says that no rule looks for others.
pub fn apply_to_each(
    bundle: &Bundle,
    evaluated: &[Resource],
    world: &dyn World,
    options: &Options,
    take: impl FnMut(PolicyResult),
) {
    let directory = Directory::of(bundle);
    Driver::new(bundle, &directory, world, options).each(evaluated, take);
}

/// Evaluates list after list of resources, and keeps what serves the next one: expressions, answers of the Kubernetes API,
/// the objects that `generate` rules clone. Threads that evaluate one bundle have a driver each and share the directory.
pub struct Driver<'a> {
    bundle: &'a Bundle,
    evaluator: Evaluator<'a>,
    stock: generate::Stock,
    options: &'a Options,
    /// The policies with a body that validate and their places, in the order in which they are asked.
    others: Vec<(usize, &'a dyn OtherBody)>,
}

impl<'a> Driver<'a> {
    /// A driver with the policies of this bundle.
    pub fn new(
        bundle: &'a Bundle,
        directory: &'a Directory<'a>,
        world: &'a dyn World,
        options: &'a Options,
    ) -> Self {
        let evaluator = Evaluator::new(world, directory);
        let policies = bundle.policies.iter().enumerate();
        let bodies = policies.filter_map(|(at, policy)| Some((at, policy.body.as_deref()?)));
        let mut others: Vec<_> = bodies.filter(|(_, body)| body.stage() == Stage::Validate).collect();
        others.sort_by_key(|(_, body)| body.turn());
        Driver { bundle, evaluator, stock: generate::Stock::new(bundle), options, others }
    }

    /// The host's answers.
    pub fn world(&self) -> &'a dyn World {
        self.evaluator.world()
    }

    /// Applies every policy to each of these resources; results say their place in this list.
    pub fn each(&self, evaluated: &[Resource], mut take: impl FnMut(PolicyResult)) {
        let mut results = Vec::new();
        for (at, given) in evaluated.iter().enumerate() {
            self.apply_to(at, given, &mut results);
            results.drain(..).map(clip::clipped).for_each(&mut take);
        }
    }
}

impl Driver<'_> {
    /// Applies every policy to one resource.
    fn apply_to(&self, at: usize, given: &Resource, results: &mut Vec<PolicyResult>) {
        if given.is_payload {
            return self.ask_others((at, given), given, results);
        }
        let Driver { bundle, evaluator, stock, options, .. } = self;
        let Some(resource) = mutate::run(bundle, at, given, evaluator, options, results) else { return };
        let resource = images::run(bundle, (at, given), resource, evaluator, options, results);
        validate_all(bundle, (at, given), resource.as_ref(), evaluator, options, results);
        let (world, objects) = (evaluator.world(), evaluator.directory());
        let stages = bundle.stages.map(|stages| (stages, Run { bundle, objects, world, options }));
        let resource = match &stages {
            Some((stages, run)) => stages.mutate(run, (at, given), resource, results),
            None => resource,
        };
        let resource = resource.as_ref();
        self.ask_others((at, given), resource, results);
        if let Some((stages, run)) = &stages {
            stages.generate(run, (at, given), resource, results);
        }
        generate::run(bundle, (at, given), resource, stock, evaluator, options, results);
    }

    /// Asks the policies with a body.
    fn ask_others(
        &self,
        (at, given): (usize, &Resource),
        resource: &Resource,
        results: &mut Vec<PolicyResult>,
    ) {
        let asked = Asked {
            resource,
            settings: &self.bundle.settings,
            host: self.options.host,
            old_objects: &self.bundle.old_resources,
            objects: self.evaluator.directory(),
            world: self.evaluator.world(),
            made: OnceCell::new(),
        };
        let said = self.others.iter().filter_map(|(policy, body)| Some((*policy, body.evaluate(&asked)?)));
        results.extend(said.map(|(policy, rules)| PolicyResult {
            policy,
            resource: at,
            phase: Phase::Validate,
            rules,
            undecided: Vec::new(),
            no_match: Vec::new(),
            mutation: None,
            renamed: renamed(resource, given),
            evaluated: Vec::new(),
        }));
    }
}

/// Applies all policies with rules that validate.
fn validate_all(
    bundle: &Bundle,
    (at, given): (usize, &Resource),
    resource: &Resource,
    evaluator: &Evaluator<'_>,
    options: &Options,
    results: &mut Vec<PolicyResult>,
) {
    // Values for one resource of one policy make a request of their own; all other policies see the same one.
    let shared = admission::admit(bundle, "", resource, evaluator, options.host);
    let mut shared_context = shared.context(evaluator);
    for (policy_at, policy) in bundle.policies.iter().enumerate() {
        if !policy.rules.iter().any(|rule| is_validated(rule)) {
            continue;
        }
        let mut trace = Trace::new(options.trace);
        let (rules, undecided, no_match) =
            if bundle.settings.values_for(&policy.name, resource.name()).is_some() {
                let own = admission::admit(bundle, &policy.name, resource, evaluator, options.host);
                let mut context = own.context(evaluator);
                validate(bundle, policy, &own, &mut context, options, &mut trace)
            } else {
                validate(bundle, policy, &shared, &mut shared_context, options, &mut trace)
            };
        results.push(PolicyResult {
            policy: policy_at,
            resource: at,
            phase: Phase::Validate,
            rules,
            undecided,
            no_match,
            mutation: None,
            renamed: renamed(resource, given),
            evaluated: evaluator.take_evaluated(&given.value),
        });
    }
}

/// Whether a rule has a say when a resource is validated.
fn is_validated(rule: &Rule) -> bool {
    match &rule.body {
        Body::Validate(_) => true,
        Body::VerifyImages(body) => body.has_checks,
        Body::Mutate(_) | Body::Generate(_) | Body::Cleanup(_) | Body::None => false,
    }
}

/// The key of a resource that is no longer called what it was.
fn renamed(resource: &Resource, given: &Resource) -> Option<String> {
    let is_same = std::ptr::eq(resource, given)
        || (resource.gvk == given.gvk
            && resource.namespace() == given.namespace()
            && resource.name() == given.name()
            && resource.api_version() == given.api_version());
    (!is_same).then(|| resource.key())
}

/// What the rules said that matched, the names of those that are not evaluated, and the steps of those that did not match.
fn validate<'a>(
    bundle: &'a Bundle,
    policy: &'a Policy,
    admission: &'a Admission,
    context: &mut JsonContext<'a>,
    options: &Options,
    trace: &mut Trace,
) -> (Vec<RuleResult>, Vec<Str>, Vec<Step>) {
    if let Some(reason) = excluded_by_config(admission, trace) {
        trace.record(|| Step::new(Kind::Match, false, reason));
        return (Vec::new(), Vec::new(), trace.take());
    }
    let request = request(bundle, policy, admission);
    let (mut results, mut undecided, mut unmatched) = (Vec::new(), Vec::new(), Vec::new());
    context.begin_policy();
    for rule in policy.rules_for_kind(&admission.gvk.kind) {
        if !is_validated(rule) || !matching::rule_matches(rule, &request, trace) {
            unmatched.append(&mut trace.take());
            continue;
        }
        trace.matched();
        let subject = subject(bundle, policy, rule, admission, request, options);
        context.checkpoint();
        let mut result = rules::run(&subject, context, trace);
        context.restore();
        rules::mark_assumed(&mut result, &context.evaluator.take_assumed());
        if let Some(mut result) = result {
            result.steps = trace.take();
            let decided = matches!(result.status, Status::Pass | Status::Fail);
            results.push(result);
            if policy.apply_one && decided {
                break;
            }
        } else {
            if rule.unsupported().is_some() {
                undecided.push(rule.name.clone());
            }
            unmatched.append(&mut trace.take());
        }
    }
    (results, undecided, unmatched)
}

/// What the match blocks of a policy's rules look at.
fn request<'a>(bundle: &'a Bundle, policy: &'a Policy, admission: &'a Admission) -> Request<'a> {
    Request {
        resource: &admission.resource,
        gvk: &admission.gvk,
        subresource: &admission.subresource,
        operation: &admission.operation,
        namespace_labels: namespace_labels(bundle, admission.resource.namespace()),
        user: &admission.user,
        policy_namespace: policy.scope_namespace(),
    }
}

/// What a rule that matched is evaluated over.
fn subject<'a>(
    bundle: &'a Bundle,
    policy: &'a Policy,
    rule: &'a Rule,
    admission: &'a Admission,
    request: Request<'a>,
    options: &Options,
) -> Subject<'a> {
    let is_deferred = options.host != Host::Playground || bundle.settings.deferred_loading;
    Subject {
        policy,
        rule,
        resource: &admission.resource,
        old_resource: admission.old_resource.as_ref(),
        operation: &admission.operation,
        request,
        exceptions: &bundle.exceptions,
        host: options.host,
        rule_values: &bundle.settings.rule_values,
        answers: &bundle.settings.answers,
        cluster: if options.host == Host::Playground { &bundle.cluster_resources } else { &[] },
        memory: None,
        image_data: &bundle.settings.image_data,
        image_settings: &admission.config.images,
        loading: if is_deferred { Loading::Deferred } else { Loading::Eager },
        places: options.places,
    }
}

/// Why Kyverno's configuration keeps the resource out of every rule's sight, in words where steps are kept.
fn excluded_by_config(admission: &Admission, trace: &Trace) -> Option<String> {
    if let Some(filter) = admission.config.filter_of(&admission.resource) {
        return Some(trace.say(|| {
            format!("Kyverno's configuration leaves this resource alone: resource filter `{filter}`")
        }));
    }
    let user = &admission.user;
    let name = &user.username;
    let excluded = || trace.say(|| format!("Kyverno's configuration leaves user `{name}` alone"));
    admission.config.excludes(user).then(excluded)
}

fn namespace_labels<'a>(bundle: &'a Bundle, namespace: &str) -> &'a [(Str, Str)] {
    let settings = &bundle.settings;
    settings.namespace_labels.get(namespace).unwrap_or(&settings.default_namespace_labels)
}
