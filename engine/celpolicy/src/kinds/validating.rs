//! ValidatingPolicy, over resources and over payloads.

use super::home::is_elsewhere;
use super::unmatched::{Target, unmatched};
use super::{
    DocumentPath, Seen, annotations, check_owners, diagnostics, difference, path_of, refused, remarked,
    repeated, unusable,
};
use crate::apply::{
    Beside, ClusterWorld, Exceptions, Explainers, Explaining, Row, Subject, Why, evaluate, evaluate_each,
};
use crate::hosts::Depends;
use crate::lint::{of_controllers, remarks};
use crate::policy::{
    Evaluation, Exception, ExceptionProgram, Policy, Program, decode, is_simple, repeated_name,
};
use engine::apply::{RuleResult, RuleType};
use engine::body::{Asked, Difference, PolicyBody, Turn, WithExceptions};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Host, Unsupported, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::trace::Step;
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// Reads a ValidatingPolicy that is asked about resources or payloads.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    check_owners(bundle, place, value)?;
    let policy = decode(value);
    if let Some((field, name)) = repeated_name(&policy) {
        return Err(repeated(bundle, place, &policy, &field, name).into());
    }
    if policy.evaluation == Evaluation::Requests {
        let message = format!(
            "requests of HTTP and Envoy are not supported yet: policy `{}` decides nothing here",
            policy.key()
        );
        let mut unusable = unusable(bundle, place, Code::NotSupported, "spec.evaluation.mode", message);
        let what = format!("{kind} for HTTP and Envoy");
        unusable.unsupported = Some(Unsupported { policy: policy.key(), rule: Str::default(), what });
        return Err(unusable.into());
    }
    let program =
        Program::new(&policy).map_err(|fault| refused(bundle, place, value, policy.key(), &fault))?;
    let said = [remarks(&policy, &program), of_controllers(value)].concat();
    let said = remarked(bundle, place, said);
    let copies = policy.variants.iter().map(|variant| variant.match_constraints.as_ref());
    let custom = policy.custom.iter().map(|custom| custom.constraints.as_ref());
    let mut all = std::iter::once(policy.match_constraints.as_ref()).chain(copies).chain(custom);
    let body = ValidatingBody {
        root: place.path.clone(),
        answers_all: all.any(|constraints| !is_simple(constraints)),
        depends: program.depends(),
        policy: Arc::new(policy),
        program: Arc::new(program),
        exceptions: Arc::default(),
        why: W::EXPLAINERS,
    };
    Ok((made(place, value, PolicyKind::Extension(kind), body), said))
}

/// The policy as the engine knows it.
fn made(place: &DocumentPath<'_>, value: &Value, kind: PolicyKind, body: ValidatingBody) -> EnginePolicy {
    let actions = value.find(&["spec", "validationActions"]).and_then(Value::as_array).unwrap_or_default();
    let has = |action: &str| actions.iter().any(|known| known.as_str() == Some(action));
    let is_on = |field: &str| {
        value.find(&["spec", "evaluation", field, "enabled"]).and_then(Value::as_bool).unwrap_or(true)
    };
    let action = if actions.is_empty() || has("Deny") { Action::Enforce } else { Action::Audit };
    EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: body.policy.namespace.clone(),
        name: body.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: is_on("background"),
        admission: is_on("admission"),
        emit_warning: has("Warn"),
        body: Some(Arc::new(body)),
        ..EnginePolicy::without_rules(kind, place.document, action)
    }
}

/// What evaluates a ValidatingPolicy.
#[derive(Debug)]
pub(super) struct ValidatingBody {
    /// Where the policy stands in its document.
    root: Path,
    /// Whether the original has an answer for each resource, if with nothing in it.
    answers_all: bool,
    pub(super) policy: Arc<Policy>,
    program: Arc<Program>,
    pub(super) exceptions: Arc<Vec<(Exception, ExceptionProgram)>>,
    /// On what its verdict can depend.
    pub(super) depends: Depends,
    why: Option<&'static Explainers>,
}

impl ValidatingBody {
    /// The exceptions that the host looks at.
    fn exceptions(&self, asked: &Asked<'_>) -> Exceptions<'_> {
        let now = (asked.host == Host::Cluster).then(|| asked.world.now());
        Exceptions { all: &self.exceptions, now }
    }

    fn result(&self, row: Row, host: Host) -> RuleResult {
        // The Playground: a row without a name has the policy's.
        let rule = match (row.rule, host) {
            ("", Host::Playground) => self.policy.name.clone(),
            (rule, _) => Str::from(rule),
        };
        let mut result = RuleResult::of_policy(rule, RuleType::Validation, row.status, row.message);
        if let Some(at) = row.validation {
            let field = format!("spec.validations[{at}].expression");
            result.policy_paths.push(path_of(&self.root, &field));
        }
        result.properties = row.properties;
        result.steps = row.steps;
        result.exceptions = row.exceptions;
        result
    }
}

impl PolicyBody for ValidatingBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let namespace = &self.policy.namespace;
        let cluster = ClusterWorld::of(asked, namespace);
        let outside = cluster.outside();
        let (policy, program) = (&self.policy, &self.program);
        let why = self.why.filter(|_| asked.is_traced).map(|explainers| (explainers, &self.root));
        let exceptions = self.exceptions(asked);
        let beside = Beside { exceptions, outside, explaining: Explaining { why } };
        if policy.evaluation == Evaluation::Json {
            // Kyverno: no webhook asks it.
            if asked.host == Host::Cluster && !asked.resource.is_payload {
                return None;
            }
            let subject = Subject::of_payload(asked.resource);
            // Kyverno: each variant for controllers is asked as well, for none looks at what it is for.
            let rows = evaluate_each(policy, program, &subject, beside);
            return Some(rows.into_iter().map(|row| self.result(row, asked.host)).collect());
        }
        // The Playground: a policy of a namespace is for that namespace alone.
        let is_of_another = asked.host != Host::Cluster && is_elsewhere(asked, namespace);
        if asked.resource.is_payload || is_of_another {
            return None;
        }
        let say = |subject: &Subject| {
            // In a cluster the request says it, which values may change.
            let is_of_another = asked.host == Host::Cluster
                && !namespace.is_empty()
                && subject.request_namespace() != namespace.as_str();
            if is_of_another { Vec::new() } else { evaluate(policy, program, subject, beside) }
        };
        let rows = Seen::with(asked, Seen::of_kyverno, say);
        let is_answered = !rows.is_empty() || self.answers_all;
        let result = |row| cluster.marked(self.result(row, asked.host));
        is_answered.then(|| rows.into_iter().map(result).collect())
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        if self.policy.evaluation != Evaluation::Kubernetes {
            return Vec::new();
        }
        let head = &self.policy;
        let constraints = head.match_constraints.as_ref();
        let target = Target { namespace: &head.namespace, constraints, root: &self.root };
        unmatched(asked, self.why, Seen::of_kyverno, &target)
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn takes_payloads(&self) -> bool {
        self.policy.evaluation == Evaluation::Json
    }

    fn turn(&self) -> Turn {
        if self.policy.evaluation == Evaluation::Json { Turn::Payloads } else { Turn::Resources }
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_kyverno(self, here, there)
    }

    fn source(&self) -> &'static str {
        "KyvernoValidatingPolicy"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let exceptions = given.iter().map(|value| Exception::read(value));
        let mut all = Vec::new();
        for (at, exception) in exceptions.enumerate() {
            for _ in 0..exception.times_for(&self.policy) {
                match ExceptionProgram::new(&self.policy, &self.program, &exception) {
                    Ok(program) => all.push((exception.clone(), program)),
                    Err(refused) => return WithExceptions::Refused { exception: at, reason: refused.text },
                }
            }
        }
        if all.is_empty() {
            return WithExceptions::Same;
        }
        WithExceptions::Changed(Arc::new(ValidatingBody {
            root: self.root.clone(),
            answers_all: self.answers_all,
            why: self.why,
            depends: self.depends,
            policy: Arc::clone(&self.policy),
            program: Arc::clone(&self.program),
            exceptions: Arc::new(all),
        }))
    }

    fn faults_of_exception(
        &self,
        bundle: &Bundle,
        place: &DocumentPath<'_>,
        exception: &Value,
    ) -> Vec<Diagnostic> {
        match ExceptionProgram::new(&self.policy, &self.program, &Exception::read(exception)) {
            Err(fault) if !fault.faults.is_empty() => diagnostics(bundle, place, exception, &fault),
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}
