//! MutatingAdmissionPolicy: read, compiled, bound to resources by its bindings, and applied to them.
//!
//! In: documents. Out: policies of the engine's bundle, which change resources.
//! Mirrors: `pkg/admissionpolicy/mutate.go` of Kyverno 1.19, where it has no cluster; what one makes is `mutating_in_cluster.rs`.

use super::binding::{Binding, given_params};
use super::mutating_in_cluster::Pass;
use super::unmatched::{self, Target};
use super::{DocumentPath, annotations, check_owners, diagnostics};
use crate::apply::{
    Changing, Explainers, Objects, Patched, Patcher, Patching, Subject, Why, mapping, matches, patch,
};
use crate::functions::authz::Asker;
use crate::patch::By;
use crate::policy::{MutatingAdmission, Mutations, Refused};
use engine::apply::{Effect, RuleResult, RuleType, Status};
use engine::body::{Application, Asked, Mutated, Phase, PolicyBody, Turn};
use engine::diag::{Diagnostic, Severity};
use engine::load::{Bundle, Host, Kubernetes, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::resource::{Gvk, Resource};
use engine::trace::Step;
use engine_cel::value::Numbers;
use engine_json::{Path, Str, Value};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

/// The name of the kind.
const KIND: &str = "MutatingAdmissionPolicy";

/// Reads a policy.
pub(super) fn read<W: Why>(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Result<(EnginePolicy, Vec<Diagnostic>), Box<Unusable>> {
    check_owners(bundle, place, value)?;
    let spec = value.get("spec").unwrap_or(&Value::Null);
    let given = |field: &str| spec.get(field).filter(|value| !value.is_null());
    let policy = MutatingAdmission::new(spec).map_err(|_| Box::<Unusable>::default())?;
    let name = Str::from(value.find_str(&["metadata", "name"]));
    let in_cluster = Arc::default();
    if bundle.host == Host::Cluster {
        // What does not compile there is not stored.
        let made: &OnceLock<_> = &in_cluster;
        made.get_or_init(|| Mutations::of_api_server(spec, bundle.kubernetes).ok());
    }
    let mutations = if policy.written.has_params { &policy.with_params } else { &policy.without_params };
    let faults =
        mutations.program.faults.iter().chain(&mutations.faults).filter(|_| bundle.host != Host::Cluster);
    let faults = faults.map(|(field, fault)| (format!("spec.{field}"), fault.clone())).collect();
    let refused = Refused { text: String::new(), faults };
    let mut said = Vec::new();
    if !refused.faults.is_empty() {
        said = diagnostics(bundle, place, value, &refused);
        for said in &mut said {
            // Kyverno: the policy is applied all the same, and says nothing of resources. A variable may not be asked for.
            if said.message.starts_with("spec.variables") {
                said.severity = Severity::Warning;
            }
            said.hints.push(
                "the policy changes nothing where this is evaluated; Kyverno's CLI does not say so"
                    .to_owned(),
            );
        }
    }
    let engine_policy = EnginePolicy {
        api_version: Str::from(value.find_str(&["apiVersion"])),
        namespace: Str::from(value.find_str(&["metadata", "namespace"])),
        name: name.clone(),
        annotations: annotations(value),
        raw: value.clone(),
        background: true,
        admission: true,
        ignores_errors: policy.written.ignores_failures,
        body: Some(Arc::new(MutatingAdmissionBody {
            root: place.path.clone(),
            name,
            constraints: given("matchConstraints").cloned(),
            param_kind: given("paramKind")
                .map(|kind| (Str::from(kind.find_str(&["apiVersion"])), Str::from(kind.find_str(&["kind"])))),
            policy: Arc::new(policy),
            is_applied_again: spec.find_str(&["reinvocationPolicy"]) == "IfNeeded",
            spec: spec.clone(),
            in_cluster,
            bindings: Vec::new(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((engine_policy, said))
}

/// What applies a MutatingAdmissionPolicy.
#[derive(Clone, Debug)]
pub(super) struct MutatingAdmissionBody {
    /// Where the policy stands in its document.
    pub(super) root: Path,
    pub(super) name: Str,
    pub(super) constraints: Option<Value>,
    /// `apiVersion` and `kind` of its parameters, where it takes any.
    pub(super) param_kind: Option<(Str, Str)>,
    pub(super) policy: Arc<MutatingAdmission>,
    /// Whether it is applied once more where a later policy has changed the object.
    pub(super) is_applied_again: bool,
    spec: Value,
    /// What a cluster makes of the spec.
    in_cluster: Arc<OnceLock<Option<Mutations>>>,
    pub(super) bindings: Vec<Binding>,
    pub(super) why: Option<&'static Explainers>,
}

impl MutatingAdmissionBody {
    pub(super) fn row(&self, status: Status, message: String, binding: Option<&Binding>) -> RuleResult {
        let mut row = RuleResult::of_policy(self.name.clone(), RuleType::Mutation, status, message);
        if let Some(binding) = binding {
            row.report_properties.push(("mapBinding".to_owned(), binding.name.to_string()));
        }
        row
    }

    pub(super) fn passed(&self, binding: Option<&Binding>) -> RuleResult {
        self.row(Status::Pass, "mutation is successfully applied".to_owned(), binding)
    }

    pub(super) fn skipped(&self, binding: Option<&Binding>) -> RuleResult {
        self.row(Status::Skip, "match conditions aren't met".to_owned(), binding)
    }

    /// What becomes of the object, with the steps to it where they are wanted.
    pub(super) fn patched(
        &self,
        mutations: &Mutations,
        subject: &Subject,
        (params, asker): (&Value, Option<&Asker>),
        how: Patching<'_>,
        is_traced: bool,
    ) -> (Patched, Vec<Step>) {
        // What was read from YAML holds doubles already; what a patch has added is as it was written.
        let objects = Objects { numbers: Numbers::AsWritten, asker, ..Objects::of(subject, params) };
        let written = &self.policy.written;
        let Some(explainers) = self.why.filter(|_| is_traced) else {
            return (patch(written, mutations, &objects, how), Vec::new());
        };
        let met = RefCell::default();
        let patched = patch(written, mutations, &objects, Patching { met: Some(&met), ..how });
        let met = met.take();
        let changing = Changing { written, mutations, root: &self.root, patcher: how.patcher, met: &met };
        let steps = (explainers.patching)(changing, &objects, &patched);
        (patched, steps)
    }

    /// What the CLI makes of an object.
    // Kyverno: each binding begins with the object as the policy met it, and the last one that answers stays.
    fn in_cli(&self, subject: &Subject, parameters: &[Resource], is_traced: bool) -> Option<Mutated> {
        // Kyverno: what cannot be matched is logged, and has no row.
        let is_selected = |constraints: Option<&Value>| {
            constraints.is_none_or(|all| matches(all, subject).unwrap_or(false))
        };
        let apply = |params: &Value| {
            let policy = &self.policy;
            let mutations = if params.is_null() { &policy.without_params } else { &policy.with_params };
            let how = Patching { by: By::Values, patcher: Patcher::Cli, server: None, met: None };
            self.patched(mutations, subject, (params, None), how, is_traced)
        };
        let with = |row: RuleResult, steps: Vec<Step>| vec![RuleResult { steps, ..row }];
        if self.bindings.is_empty() {
            if !is_selected(self.constraints.as_ref()) {
                return None;
            }
            let (patched, steps) = apply(&Value::Null);
            return match patched {
                Patched::Object(object) => Some(Mutated::of(with(self.passed(None), steps), Some(object))),
                Patched::NotMatched => Some(Mutated::of(with(self.skipped(None), steps), None)),
                Patched::NoConditions(_) | Patched::Failed(..) | Patched::Partly(..) | Patched::Ended(..) => {
                    None
                }
            };
        }
        let mut current: Option<Value> = None;
        let mut said = None;
        for binding in self.bindings.iter().filter(|binding| is_selected(binding.constraints.as_ref())) {
            let (patched, steps) = apply(&binding.params(parameters));
            let row = match patched {
                Patched::NoConditions(_) => continue,
                // Kyverno: an answer without a row takes the place of those before it.
                Patched::Failed(..) | Patched::Partly(..) | Patched::Ended(..) => {
                    said = None;
                    continue;
                }
                Patched::NotMatched => Mutated::of(with(self.skipped(Some(binding)), steps), current.clone()),
                Patched::Object(object) => {
                    let before = current.replace(object);
                    let rows = with(self.passed(Some(binding)), steps);
                    Mutated { before, ..Mutated::of(rows, current.clone()) }
                }
            };
            said = Some(row);
        }
        said
    }

    /// The program in a cluster.
    pub(super) fn in_cluster(&self) -> &Mutations {
        let made =
            self.in_cluster.get_or_init(|| Mutations::of_api_server(&self.spec, Kubernetes::RELEASED).ok());
        made.as_ref().unwrap_or(&self.policy.with_params)
    }
}

impl PolicyBody for MutatingAdmissionBody {
    fn evaluate(&self, _: &Asked<'_>) -> Option<Vec<RuleResult>> {
        None
    }

    fn mutate(&self, asked: &Asked<'_>, met: &Resource) -> Vec<Mutated> {
        if asked.resource.is_payload {
            return Vec::new();
        }
        let done = if asked.host == Host::Cluster {
            self.admit(asked, met, Pass::First)
        } else {
            let subject = Subject::of_admission(asked.resource, asked.settings);
            // Kyverno: what the CLI does not know ends the run there, whatever the policy is for.
            match mapping(&subject) {
                Err(error) if !asked.settings.has_definition(&asked.resource.gvk) => {
                    let Gvk { group, version, kind } = &asked.resource.gvk;
                    let error = format!("failed to map gvk to gvr {group}/{version}, Kind={kind}: {error}");
                    Some(Mutated::of(vec![self.row(Status::Error, error, None)], None))
                }
                _ => {
                    let params = given_params(asked, self.param_kind.as_ref());
                    let subject = subject.read_by(asked.host, asked.resource);
                    self.in_cli(&subject, &params, asked.is_traced)
                }
            }
        };
        done.into_iter().collect()
    }

    fn mutate_again(&self, asked: &Asked<'_>, met: &Resource, applications: &[Application]) -> Vec<Mutated> {
        self.admit(asked, met, Pass::Again(applications)).into_iter().collect()
    }

    fn phase(&self) -> Phase {
        Phase::Mutate
    }

    fn why_unmatched(&self, asked: &Asked<'_>) -> Vec<Step> {
        let target = Target { namespace: "", constraints: self.constraints.as_ref(), root: &self.root };
        unmatched::of_kubernetes(asked, self.why, &target, &self.bindings)
    }

    fn is_independent(&self) -> bool {
        self.param_kind.is_none()
    }

    fn turn(&self) -> Turn {
        Turn::MutatingAdmission
    }

    // Kubernetes: what cannot be applied refuses the request, unless the failure policy says otherwise.
    fn effect(&self, policy: &EnginePolicy, said: &RuleResult) -> Effect {
        let is_refused = said.status == Status::Error && !policy.ignores_errors;
        if is_refused { Effect::Deny } else { Effect::Allow }
    }

    fn source(&self) -> &'static str {
        KIND
    }

    fn with_bindings(&self, given: &[&Value]) -> Option<Arc<dyn PolicyBody>> {
        let bindings = Binding::all_of(KIND, &self.name, given);
        let with = || Arc::new(MutatingAdmissionBody { bindings, ..self.clone() }) as Arc<dyn PolicyBody>;
        (!given.is_empty()).then(with)
    }
}
