//! MutatingPolicy and NamespacedMutatingPolicy: read, compiled, and applied to every resource.
//!
//! In: documents. Out: policies of the engine's bundle, which change resources.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go of Kyverno 1.19.

use super::home::is_elsewhere;
use super::unmatched::{Target, unmatched};
use super::{DocumentPath, Seen, annotations, of_exception, path_of, refused, remarked, repeated};
use crate::apply::{
    self, CliWorld, ClusterWorld, Conditions, Explainers, Explaining, Row, Subject, Why, matches, mutate,
    mutate_target,
};
use crate::compile::Compiled;
use crate::lint::of_controllers;
use crate::policy::{Exception, Mutating, exception_conditions, repeated_name};
use engine::apply::{RuleResult, RuleType, Status};
use engine::body::{Asked, Mutated, Phase, PolicyBody, WithExceptions};
use engine::diag::Diagnostic;
use engine::load::{Bundle, Host, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::resource::Resource;
use engine::trace::Step;
use engine_json::{Path, Str, Value};
use std::cell::OnceCell;
use std::sync::Arc;

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    let policy = Mutating::new(value).map_err(|fault| {
        let name = value.find_str(&["metadata", "name"]);
        let namespace = value.find_str(&["metadata", "namespace"]);
        let key = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
        refused(bundle, place, value, key, &fault)
    })?;
    if let Some((field, name)) = repeated_name(&policy.policy) {
        return Err(repeated(bundle, place, &policy.policy, &field, name).into());
    }
    let is_on = |field: &str| {
        value.find(&["spec", "evaluation", field, "enabled"]).and_then(Value::as_bool).unwrap_or(true)
    };
    let engine_policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: policy.policy.namespace.clone(),
        name: policy.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: is_on("background"),
        admission: is_on("admission"),
        ignores_errors: value.find_str(&["spec", "failurePolicy"]) == "Ignore",
        body: Some(Arc::new(MutatingBody {
            root: place.path.clone(),
            policy: Arc::new(policy),
            exceptions: Arc::default(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((engine_policy, remarked(bundle, place, of_controllers(value))))
}

/// Exceptions with their conditions, as a policy or one of its variants sees them.
type Exceptions = Vec<(Exception, Vec<Compiled>)>;

/// What applies a MutatingPolicy.
#[derive(Debug)]
struct MutatingBody {
    /// Where the policy stands in its document.
    root: Path,
    policy: Arc<Mutating>,
    /// For the policy itself, and for each of its variants.
    exceptions: Arc<Vec<Exceptions>>,
    why: Option<&'static Explainers>,
}

impl MutatingBody {
    fn explaining(&self, asked: &Asked<'_>) -> Explaining<'_> {
        Explaining { why: self.why.filter(|_| asked.is_traced).map(|explainers| (explainers, &self.root)) }
    }

    fn result(&self, row: Row, host: Host) -> RuleResult {
        // The Playground: a row without a name has the policy's.
        let rule = match (row.rule, host) {
            ("", Host::Playground) => self.policy.policy.name.clone(),
            (rule, _) => Str::from(rule),
        };
        // Kyverno: what cannot be matched is said as if it validated.
        let of = if row.rule == "match" { RuleType::Validation } else { RuleType::Mutation };
        let mut result = RuleResult::of_policy(rule, of, row.status, row.message);
        if row.status == Status::Error {
            result.policy_paths.push(path_of(&self.root, "spec.mutations"));
        }
        result.properties = row.properties;
        result.exceptions = row.exceptions;
        result.steps = row.steps;
        result
    }
}

impl PolicyBody for MutatingBody {
    fn evaluate(&self, _: &Asked<'_>) -> Option<Vec<RuleResult>> {
        None
    }

    fn mutate(&self, asked: &Asked<'_>, met: &Resource) -> Vec<Mutated> {
        let namespace = &self.policy.policy.namespace;
        // The Playground: a policy of a namespace is for that namespace alone.
        if is_elsewhere(asked, namespace) {
            return Vec::new();
        }
        let cluster = ClusterWorld::of(asked, namespace);
        let outside = cluster.outside();
        let mut answers = Vec::new();
        let mut patched: Option<Resource> = None;
        let all = std::iter::once(self.policy.as_ref()).chain(&self.policy.variants);
        for (at, policy) in all.enumerate() {
            let current = patched.as_ref().unwrap_or(asked.resource);
            let subject = if asked.host == Host::Cluster {
                Subject::of_mutation_in_cluster(
                    &Asked { resource: current, made: OnceCell::new(), ..*asked },
                    met,
                )
            } else {
                Subject::of_mutation(current, met, asked.settings, asked.host).beside(asked)
            };
            let exceptions = self.exceptions.get(at).map(Vec::as_slice).unwrap_or_default();
            let explaining = self.explaining(asked);
            let done = mutate(policy, Conditions::of(exceptions, asked), &subject, outside, explaining);
            let goes = subject.operation == "DELETE";
            let gone = goes.then(|| subject.object.clone());
            let Some((row, object)) = done else {
                // Kyverno: it is said of an object that the policy is not for, too, where its constraints are not one rule.
                // The Playground: of each variant.
                if !policy.is_simple || asked.host == Host::Playground {
                    answers.push(Mutated { met: gone, ..Mutated::of(Vec::new(), None) });
                }
                continue;
            };
            let object = object.filter(|_| !goes);
            if let Some(object) = &object {
                let mut resource = Resource::new(object.clone(), met.document);
                resource.is_payload = met.is_payload;
                patched = Some(resource);
            }
            let rules = vec![cluster.marked(self.result(row, asked.host))];
            answers.push(Mutated { met: gone, ..Mutated::of(rules, object) });
        }
        answers
    }

    // Kyverno: the constraints of the policy itself are not asked of the resource, and of the objects their operations are not.
    fn mutate_targets(
        &self,
        asked: &Asked<'_>,
        met: &Resource,
        targets: &[Resource],
    ) -> Vec<(usize, Mutated)> {
        let namespace = &self.policy.policy.namespace;
        let outside = CliWorld { world: asked.world, settings: asked.settings, namespace, also: targets };
        let mut current = targets.to_vec();
        let mut answers = Vec::new();
        let all = std::iter::once(self.policy.as_ref()).chain(&self.policy.variants);
        for (variant, policy) in all.enumerate().filter(|(_, policy)| policy.changes_existing) {
            let of_resource = Subject::of_mutation(asked.resource, met, asked.settings, asked.host);
            let named = match apply::targets(policy, &of_resource, &outside) {
                Ok(named) => named,
                Err(error) => {
                    let row =
                        Row::new("evaluation", Status::Error, format!("failed to evaluate policy: {error}"));
                    let rules = vec![self.result(row, asked.host)];
                    answers.push((targets.len(), Mutated::of(rules, None)));
                    continue;
                }
            };
            let exceptions = self.exceptions.get(variant).map(Vec::as_slice).unwrap_or_default();
            for (place, target) in current.iter_mut().enumerate() {
                let is_named = |(namespace, name): &(Str, Str)| {
                    target.namespace() == namespace.as_str() && target.name() == name.as_str()
                };
                let is_selected = || {
                    let subject = Subject::of_selection(target, asked.settings);
                    matches(&policy.target_constraints(), &subject).unwrap_or(false)
                };
                let is_meant = named.as_ref().map_or_else(is_selected, |named| named.iter().any(is_named));
                if !is_meant {
                    continue;
                }
                let subject = Subject::of_target(target, met, asked.settings);
                let (exceptions, explaining) = (Conditions::of(exceptions, asked), self.explaining(asked));
                let (row, object) = mutate_target(policy, exceptions, &subject, &outside, explaining);
                if let Some(object) = &object {
                    *target = Resource::new(object.clone(), target.document);
                }
                let rules = vec![self.result(row, asked.host)];
                answers.push((place, Mutated::of(rules, object)));
            }
        }
        answers
    }

    fn phase(&self) -> Phase {
        Phase::Mutate
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        // Without constraints it is for everything.
        let constraints = self.policy.constraints();
        let namespace = &self.policy.policy.namespace;
        let target = Target { namespace, constraints: Some(&constraints), root: &self.root };
        unmatched(asked, self.why, Seen::of_kyverno, &target)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn counted(&self, _: Status) -> usize {
        // Kyverno: once when it is evaluated and once when it is printed.
        2
    }

    fn source(&self) -> &'static str {
        "KyvernoMutatingPolicy"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let all = || std::iter::once(self.policy.as_ref()).chain(&self.policy.variants);
        let mut exceptions: Vec<Exceptions> = all().map(|_| Vec::new()).collect();
        let mut is_any = false;
        for (at, value) in given.iter().enumerate() {
            let exception = Exception::read(value);
            for _ in 0..exception.times_for(&self.policy.policy) {
                is_any = true;
                for (policy, list) in all().zip(&mut exceptions) {
                    match exception_conditions(&policy.environment, None, &exception) {
                        Ok(conditions) => list.push((exception.clone(), conditions)),
                        Err(fault) => return WithExceptions::Refused { exception: at, reason: fault.text },
                    }
                }
            }
        }
        if !is_any {
            return WithExceptions::Same;
        }
        let (root, policy, why) = (self.root.clone(), Arc::clone(&self.policy), self.why);
        WithExceptions::Changed(Arc::new(MutatingBody {
            root,
            policy,
            exceptions: Arc::new(exceptions),
            why,
        }))
    }

    fn faults_of_exception(
        &self,
        bundle: &Bundle,
        place: &DocumentPath<'_>,
        exception: &Value,
    ) -> Vec<Diagnostic> {
        of_exception(bundle, place, exception, &self.policy.environment)
    }
}
