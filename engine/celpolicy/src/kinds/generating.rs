//! GeneratingPolicy and NamespacedGeneratingPolicy: read, compiled, and asked of every resource.
//!
//! In: documents. Out: policies of the engine's bundle, which make further objects.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go of Kyverno 1.19, but for policies of a namespace, at which it crashes.

use super::home::is_elsewhere;
use super::unmatched::{Target, unmatched};
use super::{
    DocumentPath, Seen, annotations, difference, of_exception, path_of, refused, repeated, unusable,
};
use crate::apply::{ClusterWorld, Conditions, Explainers, Explaining, Subject, Why, generate};
use crate::compile::Compiled;
use crate::policy::{
    Exception, GENERATING_COMPILER, Generating, Policy, exception_conditions, repeated_name,
};
use engine::apply::{RuleResult, RuleType, Status};
use engine::body::{Asked, Difference, Effect, Phase, PolicyBody, WithExceptions};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Host, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::resource::{Gvk, Resource};
use engine::trace::Step;
use engine_json::{Map, Path, Str, Value};
use std::sync::Arc;

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    // Kyverno: a rule of the CRD.
    let entries = value.find(&["spec", "generate"]).and_then(Value::as_array).unwrap_or_default();
    let is_set = |entry: &Value, field: &str| entry.get(field).is_some_and(|value| !value.is_null());
    let is_one = |entry: &Value| is_set(entry, "expression") != is_set(entry, "template");
    if let Some(at) = entries.iter().position(|entry| !is_one(entry)) {
        let message = "exactly one of expression or template must be set".to_owned();
        return Err(unusable(bundle, place, Code::WrongType, &format!("spec.generate[{at}]"), message).into());
    }
    if entries.is_empty() {
        let message = "at least one entry is needed".to_owned();
        return Err(unusable(bundle, place, Code::WrongType, "spec.generate", message).into());
    }
    let policy = Generating::new(value).map_err(|fault| {
        let name = value.find_str(&["metadata", "name"]);
        let namespace = value.find_str(&["metadata", "namespace"]);
        let key = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
        refused(bundle, place, value, key, &fault)
    })?;
    if let Some((field, name)) = repeated_name(&policy.policy) {
        return Err(repeated(bundle, place, &policy.policy, &field, name).into());
    }
    let engine_policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: policy.policy.namespace.clone(),
        name: policy.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        // Kyverno: reports name the admission as what asked.
        admission: true,
        body: Some(Arc::new(GeneratingBody {
            root: place.path.clone(),
            policy: Arc::new(policy),
            exceptions: Arc::default(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((engine_policy, Vec::new()))
}

/// What applies a GeneratingPolicy.
#[derive(Debug)]
struct GeneratingBody {
    /// Where the policy stands in its document.
    root: Path,
    policy: Arc<Generating>,
    exceptions: Arc<Vec<(Exception, Vec<Compiled>)>>,
    why: Option<&'static Explainers>,
}

impl PolicyBody for GeneratingBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let head = &self.policy.policy;
        let namespace = &head.namespace;
        // The Playground: a policy of a namespace is for that namespace alone.
        if asked.resource.is_payload || is_elsewhere(asked, namespace) {
            return None;
        }
        let cluster = ClusterWorld::of(asked, namespace);
        let is_cluster = asked.host == Host::Cluster;
        let outside = cluster.outside();
        let subject = if is_cluster {
            Subject::of_webhook(asked)
        } else {
            Subject::of(asked.resource, asked.settings).read_by(asked.host, asked.resource).beside(asked)
        };
        let mut exceptions = Conditions::of(&self.exceptions, asked);
        exceptions.of = is_cluster.then_some(head);
        let why = self.why.filter(|_| asked.is_traced).map(|explainers| (explainers, &self.root));
        let (row, mut made) = generate(&self.policy, exceptions, &subject, outside, Explaining { why })?;
        if asked.host != Host::Cli {
            made = made.into_iter().map(|object| labelled(object, head, asked.resource)).collect();
        }
        let rule = if row.rule.is_empty() { head.name.clone() } else { Str::from(row.rule) };
        let mut result = RuleResult::of_policy(rule, RuleType::Generation, row.status, row.message);
        if row.status == Status::Error {
            result.policy_paths.push(path_of(&self.root, "spec.generate"));
        }
        result.properties = row.properties;
        result.exceptions = row.exceptions;
        result.steps = row.steps;
        result.generated = made;
        Some(vec![cluster.marked(result)])
    }

    fn phase(&self) -> Phase {
        Phase::Generate
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        let head = &self.policy.policy;
        let constraints = head.match_constraints.as_ref();
        let target = Target { namespace: &head.namespace, constraints, root: &self.root };
        unmatched(asked, self.why, Seen::of_kyverno, &target)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_changing(self, &self.policy.policy.namespace, here, there)
    }

    // It refuses no request.
    fn effect(&self, _: &EnginePolicy, _: &RuleResult) -> Effect {
        Effect::Allow
    }

    fn source(&self) -> &'static str {
        "KyvernoGeneratingPolicy"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let mut all = Vec::new();
        // Kyverno: the CLI hands these policies all exceptions, whatever they refer to.
        for (at, value) in given.iter().enumerate() {
            let exception = Exception::read(value);
            match exception_conditions(&self.policy.environment, Some(GENERATING_COMPILER), &exception) {
                Ok(conditions) => all.push((exception, conditions)),
                Err(fault) => return WithExceptions::Refused { exception: at, reason: fault.text },
            }
        }
        if all.is_empty() {
            return WithExceptions::Same;
        }
        let (root, policy, why) = (self.root.clone(), Arc::clone(&self.policy), self.why);
        WithExceptions::Changed(Arc::new(GeneratingBody { root, policy, exceptions: Arc::new(all), why }))
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

/// An object as a cluster makes it: without what an API server gave another one, and with labels that say where it is from.
// Kyverno: pkg/cel/libs/context.go GenerateResources, addGenerateLabels.
fn labelled(mut object: Value, policy: &Policy, trigger: &Resource) -> Value {
    let Gvk { group, version, kind } = &trigger.gvk;
    let uid = trigger.value.find_str(&["metadata", "uid"]);
    let source = object.find_str(&["metadata", "uid"]).to_owned();
    let is_copy = !object.find_str(&["metadata", "resourceVersion"]).is_empty();
    let labels = [
        ("app.kubernetes.io/managed-by", "kyverno"),
        ("generate.kyverno.io/policy-name", policy.name.as_str()),
        ("generate.kyverno.io/trigger-name", trigger.name()),
        ("generate.kyverno.io/trigger-namespace", trigger.namespace()),
        ("generate.kyverno.io/trigger-uid", uid),
        ("generate.kyverno.io/trigger-kind", kind.as_str()),
        ("generate.kyverno.io/trigger-group", group.as_str()),
        ("generate.kyverno.io/trigger-version", version.as_str()),
        ("generate.kyverno.io/source-uid", source.as_str()),
    ];
    let of_copies = |(name, _): &(&str, &str)| is_copy || *name != "generate.kyverno.io/source-uid";
    let mut own =
        object.find(&["metadata", "labels"]).and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    for (name, text) in labels.into_iter().filter(of_copies) {
        own.insert(name, Value::from(text));
    }
    let Some(map) = object.object_mut() else { return object };
    let mut metadata = map.get("metadata").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    for name in ["uid", "selfLink", "creationTimestamp", "managedFields", "resourceVersion"] {
        metadata.remove(name);
    }
    metadata.insert("labels", Value::object(own));
    map.insert("metadata", Value::object(metadata));
    object
}
