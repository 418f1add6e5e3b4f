//! DeletingPolicy and NamespacedDeletingPolicy: read, compiled, and asked of every object.
//!
//! In: documents. Out: policies of the engine's bundle, which say of each object whether it would be deleted.
//! Mirrors: `applyDeletingPolicies` in cmd/cli/kubectl-kyverno/commands/apply/command.go of Kyverno 1.19.

use super::home::is_elsewhere;
use super::unmatched::{Target, unmatched};
use super::{DocumentPath, Seen, annotations, difference, of_exception, path_of, refused, repeated};
use crate::apply::{ClusterWorld, Conditions, Explainers, Subject, Why, deletes};
use crate::compile::Compiled;
use crate::policy::{DELETING_COMPILER, Deleting, Exception, exception_conditions, repeated_name};
use engine::apply::{RuleResult, RuleType, Status};
use engine::body::{Asked, Difference, Effect, Phase, PolicyBody, WithExceptions};
use engine::diag::Diagnostic;
use engine::load::{Bundle, Host, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::trace::Step;
use engine_cel::value::Numbers;
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    let deleting = Deleting::new(value).map_err(|fault| {
        let name = value.find_str(&["metadata", "name"]);
        let namespace = value.find_str(&["metadata", "namespace"]);
        let key = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
        refused(bundle, place, value, key, &fault)
    })?;
    if let Some((field, name)) = repeated_name(&deleting.policy) {
        let field = field.replace("spec.matchConditions", "spec.conditions");
        return Err(repeated(bundle, place, &deleting.policy, &field, name).into());
    }
    let policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: deleting.policy.namespace.clone(),
        name: deleting.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        body: Some(Arc::new(DeletingBody {
            root: place.path.clone(),
            policy: Arc::new(deleting),
            exceptions: Arc::default(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((policy, Vec::new()))
}

/// What evaluates a DeletingPolicy.
#[derive(Debug)]
struct DeletingBody {
    /// Where the policy stands in its document.
    root: Path,
    policy: Arc<Deleting>,
    exceptions: Arc<Vec<(Exception, Vec<Compiled>)>>,
    why: Option<&'static Explainers>,
}

impl PolicyBody for DeletingBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let resource = asked.resource;
        let head = &self.policy.policy;
        let is_cluster = asked.host == Host::Cluster;
        if is_cluster && (resource.is_payload || is_elsewhere(asked, &head.namespace)) {
            return None;
        }
        let namespace = &head.namespace;
        let cluster = ClusterWorld::of(asked, namespace);
        let outside = cluster.outside();
        let is_payload = resource.is_payload;
        // Kyverno: a payload that says of what kind it is, is matched as a resource is.
        let is_matched = !resource.api_version().is_empty() && !resource.kind().is_empty();
        let mut subject = if is_cluster {
            Subject::of_deletion_in_cluster(asked)
        } else if is_matched {
            Subject::of_deletion(resource, asked.settings).read_by(asked.host, resource).beside(asked)
        } else {
            Subject::of_payload(resource)
        };
        if is_payload {
            subject.numbers = Numbers::AsWritten;
        }
        let what = if is_payload { "json" } else { "resource" };
        let found = deletes(
            &self.policy,
            Conditions::of(&self.exceptions, asked),
            (&subject, asked.settings.is_defined(&resource.gvk)),
            !is_matched,
            outside,
        );
        let (status, message, note) = match found {
            Ok(Some(true)) => {
                (Status::Pass, format!("{what} matched"), "it matches, and the conditions hold")
            }
            Ok(Some(false)) => (Status::Fail, format!("{what} did not match"), "a condition does not hold"),
            // The Playground says so of what is not selected, too.
            Ok(None) if asked.host == Host::Playground => {
                (Status::Fail, format!("{what} did not match"), "it does not match")
            }
            Ok(None) => return None,
            Err(error) => (Status::Error, error, "it is not decided, so nothing is deleted"),
        };
        let mut result = RuleResult::of_policy(head.name.clone(), RuleType::Deletion, status, message);
        note.clone_into(&mut result.note);
        if status == Status::Fail && !self.policy.conditions.is_empty() {
            result.policy_paths.push(path_of(&self.root, "spec.conditions"));
        }
        let is_exempt = status == Status::Fail && self.exceptions.iter().next().is_some();
        if let Some(explainers) = self.why.filter(|_| asked.is_traced && !is_exempt) {
            result.steps = (explainers.deletion)(&self.policy, &subject, outside, &self.root);
        }
        Some(vec![cluster.marked(result)])
    }

    fn phase(&self) -> Phase {
        Phase::Cleanup
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        let head = &self.policy.policy;
        let constraints = head.match_constraints.as_ref();
        let target = Target { namespace: &head.namespace, constraints, root: &self.root };
        unmatched(asked, self.why, Seen::of_kyverno, &target)
    }

    fn is_independent(&self) -> bool {
        // It is asked after everything else.
        false
    }

    fn schedule(&self) -> Option<&str> {
        Some(&self.policy.schedule)
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_changing(self, &self.policy.policy.namespace, here, there)
    }

    // It refuses no request.
    fn effect(&self, _: &EnginePolicy, _: &RuleResult) -> Effect {
        Effect::Allow
    }

    fn source(&self) -> &'static str {
        "kyverno"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let mut all = Vec::new();
        for (at, value) in given.iter().enumerate() {
            let exception = Exception::read(value);
            for _ in 0..exception.times_for(&self.policy.policy) {
                match exception_conditions(&self.policy.environment, Some(DELETING_COMPILER), &exception) {
                    Ok(conditions) => all.push((exception.clone(), conditions)),
                    Err(fault) => return WithExceptions::Refused { exception: at, reason: fault.text },
                }
            }
        }
        if all.is_empty() {
            return WithExceptions::Same;
        }
        let (root, policy, why) = (self.root.clone(), Arc::clone(&self.policy), self.why);
        WithExceptions::Changed(Arc::new(DeletingBody { root, policy, exceptions: Arc::new(all), why }))
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
