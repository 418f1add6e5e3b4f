//! ValidatingAdmissionPolicy: read, compiled, and bound to resources by its bindings.
//!
//! In: documents. Out: policies of the engine's bundle, each with the bindings that name it.
//! Mirrors: `pkg/admissionpolicy/validate.go` of Kyverno 1.19, where it has no cluster; what one decides is `admission_in_cluster.rs`.

use super::binding::{Binding, given_params};
use super::difference::{self, is_read_otherwise};
use super::unmatched::{self, Target};
use super::{DocumentPath, Seen, annotations, check_owners, diagnostics, path_of, remarked};
use crate::apply::{Asking, Decision, Explainers, Objects, Subject, Why, decide, matches};
use crate::environment::Offered;
use crate::lint::of_admission;
use crate::policy::{Admission, AdmissionProgram, Refused};
use engine::apply::{Effect, RuleResult, RuleType, Status};
use engine::body::{Asked, Difference, PolicyBody, Turn};
use engine::diag::{Diagnostic, Severity};
use engine::load::{Bundle, Host, Kubernetes, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::trace::Step;
use engine_json::{Path, Str, Value};
use std::sync::{Arc, OnceLock};

/// The name of the kind.
const KIND: &str = "ValidatingAdmissionPolicy";

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    check_owners(bundle, place, value)?;
    let spec = value.get("spec").unwrap_or(&Value::Null);
    let written = Admission::read(spec, spec.get("matchConditions"), "validations");
    let program = if bundle.host == Host::Cluster {
        in_cluster(&written, bundle.kubernetes)
    } else {
        AdmissionProgram::new(&written)
    };
    let program = program.map_err(|_| Box::<Unusable>::default())?;
    let name = Str::from(value.find_str(&["metadata", "name"]));
    let faults = program.faults.iter().map(|(field, fault)| (format!("spec.{field}"), fault.clone()));
    let refused = Refused { text: String::new(), faults: faults.collect() };
    let mut said = Vec::new();
    if !refused.faults.is_empty() {
        said = diagnostics(bundle, place, value, &refused);
        // The policy is evaluated all the same, and says so of each resource.
        for said in &mut said {
            said.severity = Severity::Warning;
        }
    }
    let matching = spec.get("matchConstraints").filter(|constraints| !constraints.is_null());
    said.extend(remarked(bundle, place, of_admission(&written, &program, matching)));
    let policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: Str::from(value.find_str(&["metadata", "namespace"])),
        name: name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: true,
        admission: true,
        ignores_errors: written.ignores_failures,
        body: Some(Arc::new(AdmissionBody {
            root: place.path.clone(),
            name,
            constraints: matching.cloned(),
            param_kind: spec
                .get("paramKind")
                .filter(|kind| !kind.is_null())
                .map(|kind| (Str::from(kind.find_str(&["apiVersion"])), Str::from(kind.find_str(&["kind"])))),
            written: Arc::new(written),
            program: Arc::new(program),
            read_for: bundle.host,
            in_cluster: Arc::default(),
            bindings: Vec::new(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((policy, said))
}

/// The program in a cluster.
// Kubernetes: policy/validating/plugin.go compilePolicy.
fn in_cluster(written: &Admission, release: Kubernetes) -> Result<AdmissionProgram, String> {
    let params = written.has_params;
    AdmissionProgram::of_api_server(
        written,
        Offered { params, authorizer: true, variables: true, patches: false, libraries: release },
    )
}

/// What evaluates a ValidatingAdmissionPolicy.
#[derive(Clone, Debug)]
pub(super) struct AdmissionBody {
    /// Where the policy stands in its document.
    root: Path,
    pub(super) name: Str,
    pub(super) constraints: Option<Value>,
    /// `apiVersion` and `kind` of its parameters, where it takes any.
    pub(super) param_kind: Option<(Str, Str)>,
    pub(super) written: Arc<Admission>,
    pub(super) program: Arc<AdmissionProgram>,
    /// For whom the program is.
    read_for: Host,
    /// The same in a cluster, where it is asked for beside.
    in_cluster: Arc<OnceLock<Option<AdmissionProgram>>>,
    pub(super) bindings: Vec<Binding>,
    why: Option<&'static Explainers>,
}

impl AdmissionBody {
    pub(super) fn result(&self, decision: Decision, binding: Option<&Binding>) -> RuleResult {
        let (status, message, at) = match decision {
            Decision::NotMatched => (Status::Skip, "match conditions aren't met".to_owned(), None),
            Decision::Admitted => (Status::Pass, String::new(), None),
            Decision::Denied { at, message } => (Status::Fail, message, Some(at)),
            Decision::Failed { at, message } => (Status::Error, message, at),
        };
        let mut result = RuleResult::of_policy(self.name.clone(), RuleType::Validation, status, message);
        if let Some(at) = at {
            result.policy_paths.push(path_of(&self.root, &format!("spec.validations[{at}].expression")));
        }
        if let Some(binding) = binding {
            result.report_properties.push(("binding".to_owned(), binding.name.to_string()));
        }
        result.effect = Some(match result.status {
            Status::Pass | Status::Skip => Effect::Allow,
            Status::Error if self.written.ignores_failures => Effect::Allow,
            // Kubernetes: without a binding a policy is asked by nobody; an error counts as the failure policy says.
            Status::Fail | Status::Error | Status::Warn => {
                binding.map_or(Effect::Allow, |binding| binding.action)
            }
        });
        result
    }

    /// The result of a decision, with the steps to it where they are asked for.
    pub(super) fn explained(
        &self,
        objects: &Objects<'_>,
        decision: Decision,
        binding: Option<&Binding>,
        asked: &Asked<'_>,
    ) -> RuleResult {
        let mut steps = Vec::new();
        if let Some(explainers) = self.why.filter(|_| asked.is_traced) {
            let asking = Asking::Policy(&self.written, self.program_of(asked.host), &self.root);
            steps = (explainers.admission)(asking, objects, &decision);
        }
        RuleResult { steps, ..self.result(decision, binding) }
    }

    /// The program that a host has.
    pub(super) fn program_of(&self, host: Host) -> &AdmissionProgram {
        if host != Host::Cluster || self.read_for == Host::Cluster {
            return &self.program;
        }
        self.in_cluster
            .get_or_init(|| in_cluster(&self.written, Kubernetes::RELEASED).ok())
            .as_ref()
            .unwrap_or(&self.program)
    }

    /// The row of the resource, where it is selected.
    fn rows(&self, subject: &Subject, asked: &Asked<'_>) -> Vec<RuleResult> {
        // Kyverno: what cannot be matched is logged, and has no row.
        let is_selected = |constraints: Option<&Value>| {
            constraints.is_none_or(|constraints| matches(constraints, subject).unwrap_or(false))
        };
        let decided = |binding: Option<&Binding>| {
            let params = |binding: &Binding| binding.params(&given_params(asked, self.param_kind.as_ref()));
            let params = binding.filter(|binding| binding.params.is_some()).map_or(Value::Null, params);
            let objects = Objects::of(subject, &params);
            let decision = decide(&self.written, &self.program, &objects);
            self.explained(&objects, decision, binding, asked)
        };
        if self.bindings.is_empty() {
            return is_selected(self.constraints.as_ref()).then(|| decided(None)).into_iter().collect();
        }
        // Kyverno: constraints of the policy are not asked, and each binding that selects the object replaces what those
        // before it said.
        let mut selecting = self.bindings.iter().filter(|binding| is_selected(binding.constraints.as_ref()));
        selecting.next_back().map(|binding| decided(Some(binding))).into_iter().collect()
    }
}

impl AdmissionBody {
    /// Whether it selects by what a cluster reads otherwise than the CLI: by more than a binding's own constraints.
    pub(super) fn selects_otherwise(&self) -> bool {
        self.constraints.is_some()
            || self.bindings.iter().any(|binding| is_read_otherwise(binding.constraints.as_ref()))
    }
}

impl PolicyBody for AdmissionBody {
    fn evaluate(&self, asked: &Asked<'_>) -> Option<Vec<RuleResult>> {
        if asked.resource.is_payload {
            return None;
        }
        if asked.host == Host::Cluster {
            return Some(Seen::with(asked, Seen::of_kubernetes, |subject| {
                self.rows_in_cluster(subject, asked)
            }));
        }
        Some(Seen::with(asked, Seen::of_kubernetes, |subject| self.rows(subject, asked)))
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        let target = Target { namespace: "", constraints: self.constraints.as_ref(), root: &self.root };
        unmatched::of_kubernetes(asked, self.why, &target, &self.bindings)
    }

    // Parameters may stand among the resources.
    fn is_independent(&self) -> bool {
        self.param_kind.is_none()
    }

    fn turn(&self) -> Turn {
        Turn::ValidatingAdmission
    }

    fn difference(&self, here: &Asked<'_>, there: &Asked<'_>) -> Option<Difference> {
        difference::of_kubernetes(self, here, there)
    }

    fn counted(&self, status: Status) -> usize {
        usize::from(status != Status::Skip)
    }

    fn source(&self) -> &'static str {
        "ValidatingAdmissionPolicy"
    }

    fn with_bindings(&self, given: &[&Value]) -> Option<Arc<dyn PolicyBody>> {
        let bindings = Binding::all_of(KIND, &self.name, given);
        (!bindings.is_empty())
            .then(|| Arc::new(AdmissionBody { bindings, ..self.clone() }) as Arc<dyn PolicyBody>)
    }
}
