//! ImageValidatingPolicy and NamespacedImageValidatingPolicy: read, compiled, and asked of every resource.
//!
//! In: documents. Out: policies of the engine's bundle, which say whether the images of a resource are as they should be, as far as image
//! data says what a registry holds. Mirrors: `applyImageValidatingPolicies` in cmd/cli/kubectl-kyverno/commands/apply/command.go of
//! Kyverno 1.19.

use super::home::is_elsewhere;
use super::unmatched::{Target, unmatched};
use super::{
    DocumentPath, Seen, annotations, check_owners, diagnostics, difference, of_exception, path_of, remarked,
};
use crate::apply::{
    Around, ClusterWorld, Conditions, Explainers, Explaining, Row, Subject, Verified, Why, look,
    look_at_payload, look_at_templates,
};
use crate::compile::Compiled;
use crate::lint::of_controllers;
use crate::phases::fail;
use crate::policy::{Exception, Images, NotCompiled, exception_conditions};
use engine::apply::{RuleResult, RuleType, Status};
use engine::body::{Asked, Difference, Phase, PolicyBody, WithExceptions};
use engine::diag::{Diagnostic, Severity};
use engine::load::{Bundle, Host, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::trace::Step;
use engine_json::{Path, Str, Value};
use std::sync::Arc;

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    check_owners(bundle, place, value)?;
    let images = Images::new(value);
    let mut said = remarked(bundle, place, of_controllers(value));
    if let Err(NotCompiled { refused, .. }) = &images.compiled {
        // The policy is evaluated all the same, and says so of each resource.
        let faults = diagnostics(bundle, place, value, refused).into_iter();
        said.extend(faults.map(|fault| Diagnostic { severity: Severity::Warning, ..fault }));
    }
    let actions = value.find(&["spec", "validationActions"]).and_then(Value::as_array).unwrap_or_default();
    let has = |action: &str| actions.iter().any(|known| known.as_str() == Some(action));
    let is_on = |field: &str| {
        value.find(&["spec", "evaluation", field, "enabled"]).and_then(Value::as_bool).unwrap_or(true)
    };
    let action = if actions.is_empty() || has("Deny") { Action::Enforce } else { Action::Audit };
    let policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: images.policy.namespace.clone(),
        name: images.policy.name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: is_on("background"),
        admission: is_on("admission"),
        emit_warning: has("Warn"),
        body: Some(Arc::new(ImagesBody {
            root: place.path.clone(),
            has_configuration: value.find(&["spec", "validationConfigurations"]).is_some(),
            policy: Arc::new(images),
            exceptions: Ok(Arc::default()),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, action)
    };
    Ok((policy, said))
}

/// Exceptions with their conditions.
type Exceptions = Arc<Vec<(Exception, Vec<Compiled>)>>;

/// What evaluates an ImageValidatingPolicy.
#[derive(Clone, Debug)]
struct ImagesBody {
    /// Where the policy stands in its document.
    root: Path,
    has_configuration: bool,
    policy: Arc<Images>,
    /// The exceptions, or why the policy does not compile with them.
    exceptions: Result<Exceptions, Str>,
    why: Option<&'static Explainers>,
}

impl ImagesBody {
    /// What the policy or one of its variants says; the later of several is meant.
    // Kyverno: answers are kept by the name of the policy, which variants share.
    fn row(&self, asked: &Asked<'_>, verified: &Verified) -> Option<RuleResult> {
        let namespace = &self.policy.policy.namespace;
        let cluster = ClusterWorld::of(asked, namespace);
        let is_cluster = asked.host == Host::Cluster;
        let outside = cluster.outside();
        let why = self.why.filter(|_| asked.is_traced).map(|explainers| (explainers, &self.root));
        let explaining = Explaining { why };
        let around = Around::new(outside, &asked.settings.image_data, verified, explaining);
        if asked.resource.is_payload {
            let subject = Subject::of_payload(asked.resource);
            let is_asked = self.policy.is_of_payloads && !is_cluster;
            let row = is_asked.then(|| look_at_payload(&self.policy, &subject, around)).flatten();
            return row.map(|row| self.result(row));
        }
        let subject = if is_cluster {
            Subject::of_webhook(asked)
        } else {
            Subject::of(asked.resource, asked.settings).read_by(asked.host, asked.resource).beside(asked)
        };
        let exceptions = self.exceptions.as_ref().map(|all| Conditions::of(all, asked)).map_err(Str::as_str);
        // The order of copies changes from run to run there; here that for CronJobs comes first, and that for custom workloads last.
        let copies = std::iter::once(self.policy.as_ref()).chain(self.policy.variants.iter().rev());
        let row = copies.fold(None, |row, copy| look(copy, exceptions, &subject, around).or(row));
        let row = look_at_templates(&self.policy, exceptions, &subject, around).or(row)?;
        Some(cluster.marked(self.result(row)))
    }

    fn result(&self, row: Row) -> RuleResult {
        let rule = if row.rule.is_empty() { self.policy.policy.name.clone() } else { Str::from(row.rule) };
        let of = if row.rule == "exception" { RuleType::Validation } else { RuleType::ImageVerify };
        let mut result = RuleResult::of_policy(rule, of, row.status, row.message);
        match row.validation {
            Some(at) => {
                let field = format!("spec.validations[{at}].expression");
                result.policy_paths.push(path_of(&self.root, &field));
            }
            None if row.status == Status::Fail && self.has_configuration => {
                result.policy_paths.push(path_of(&self.root, "spec.validationConfigurations"));
            }
            None => {}
        }
        result.properties = row.properties;
        result.exceptions = row.exceptions;
        result.steps = row.steps;
        result
    }
}

impl PolicyBody for ImagesBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        let is_cluster = asked.host == Host::Cluster;
        if is_elsewhere(asked, &self.policy.policy.namespace) || is_cluster && asked.resource.is_payload {
            return None;
        }
        // Who asks all policies holds what they verify together.
        if let Some(shared) = asked.made.get().and_then(|made| made.downcast_ref::<Verified>()) {
            return Some(vec![self.row(asked, shared)?]);
        }
        let own = Verified::default();
        let mut rules = vec![self.row(asked, &own)?];
        if let Some(missing) = own.missing(&own.take_wanted()) {
            fail(&mut rules, &missing);
        }
        Some(rules)
    }

    fn phase(&self) -> Phase {
        Phase::VerifyImages
    }

    fn takes_payloads(&self) -> bool {
        self.policy.is_of_payloads
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        if self.policy.is_of_payloads {
            return Vec::new();
        }
        let head = &self.policy.policy;
        let constraints = head.match_constraints.as_ref();
        let target = Target { namespace: &head.namespace, constraints, root: &self.root };
        unmatched(asked, self.why, Seen::of_kyverno, &target)
    }

    fn is_independent(&self) -> bool {
        // It is asked after everything else.
        false
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_changing(self, &self.policy.policy.namespace, here, there)
    }

    fn source(&self) -> &'static str {
        "KyvernoImageValidatingPolicy"
    }

    fn with_exceptions(&self, given: &[&Value]) -> WithExceptions {
        let Ok(program) = &self.policy.compiled else { return WithExceptions::Same };
        let mut all = Vec::new();
        let mut fault = None;
        for (at, value) in given.iter().enumerate() {
            let exception = Exception::read(value);
            for _ in 0..exception.times_for(&self.policy.policy) {
                match exception_conditions(&program.environment, None, &exception) {
                    Ok(conditions) => all.push((exception.clone(), conditions)),
                    Err(refused) => {
                        fault.get_or_insert((at, Str::from(refused.text)));
                    }
                }
            }
        }
        if all.is_empty() && fault.is_none() {
            return WithExceptions::Same;
        }
        let Some((exception, fault)) = fault else {
            return WithExceptions::Changed(Arc::new(ImagesBody {
                exceptions: Ok(Arc::new(all)),
                ..self.clone()
            }));
        };
        let body = Arc::new(ImagesBody { exceptions: Err(fault), ..self.clone() });
        WithExceptions::Erring { body, exception }
    }

    fn faults_of_exception(
        &self,
        bundle: &Bundle,
        place: &DocumentPath<'_>,
        exception: &Value,
    ) -> Vec<Diagnostic> {
        let Ok(program) = &self.policy.compiled else { return Vec::new() };
        of_exception(bundle, place, exception, &program.environment)
    }
}
