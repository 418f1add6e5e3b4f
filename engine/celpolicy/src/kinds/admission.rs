//! ValidatingAdmissionPolicy: read, compiled, and bound to resources by its bindings.
//!
//! In: documents. Out: policies of the engine's bundle, each with the bindings that name it.
//! Mirrors: `pkg/admissionpolicy/validate.go` of Kyverno 1.19, where it has no cluster.

use super::difference::{self, is_read_otherwise};
use super::unmatched::{Target, unmatched};
use super::{DocumentPath, Seen, annotations, check_owners, diagnostics, path_of, remarked};
use crate::apply::{
    Asking, Decision, Explainers, Objects, Subject, Wanted, Why, decide, matches, parameters, select,
};
use crate::compile::Fault;
use crate::functions::authz::Asker;
use crate::lint::of_admission;
use crate::policy::{Admission, AdmissionProgram, Refused};
use engine::apply::{Effect, RuleResult, RuleType, Status};
use engine::body::{Asked, Difference, PolicyBody, Turn};
use engine::diag::{Diagnostic, Severity};
use engine::load::{Bundle, Host, Unusable};
use engine::policy::{Action, Policy as EnginePolicy, PolicyKind};
use engine::resource::{Gvk, Resource};
use engine::trace::Step;
use engine_json::{Map, Path, Str, Value};
use std::sync::Arc;

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
    let program = AdmissionProgram::new(&written).map_err(|_| Box::<Unusable>::default())?;
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
            in_cluster: with_authorizer(&written, &program).map(Arc::new),
            written: Arc::new(written),
            program: Arc::new(program),
            bindings: Vec::new(),
            why: W::EXPLAINERS,
        })),
        ..EnginePolicy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    Ok((policy, said))
}

/// The program in a cluster, where `authorizer` is known, if that is another one.
// Kyverno: pkg/admissionpolicy/compiler.go declares none; Kubernetes: policy/validating/plugin.go compilePolicy does.
fn with_authorizer(written: &Admission, program: &AdmissionProgram) -> Option<AdmissionProgram> {
    let is_unknown = |fault: &Fault| {
        fault.problems.iter().any(|(_, message)| message.contains("reference to 'authorizer"))
    };
    program.faults.iter().any(|(_, fault)| is_unknown(fault)).then_some(())?;
    AdmissionProgram::new(&Admission { has_authorizer: true, ..written.clone() }).ok()
}

/// The worst of the actions of a binding.
fn action(actions: &[&str]) -> Effect {
    let of = |action: &&str| match *action {
        "Deny" => Effect::Deny,
        "Warn" => Effect::Warn,
        _ => Effect::Report,
    };
    actions.iter().map(of).max().unwrap_or(Effect::Allow)
}

/// The texts of a list of the spec.
fn list<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    let list = value.find(&["spec", field]).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect()
}

/// A binding of a policy.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) name: Str,
    /// What it selects; nothing where it says nothing.
    pub(super) constraints: Option<Value>,
    /// Which parameters it takes; nothing where it takes none.
    pub(super) params: Option<Value>,
    /// What is done where the policy denies: the worst of what it names.
    action: Effect,
}

impl Binding {
    /// The bindings of the policies of a kind that name this one.
    pub(super) fn all_of(kind: &str, policy: &Str, given: &[&Value]) -> Vec<Self> {
        let is_of_kind = |value: &&&Value| value.find_str(&["kind"]).strip_suffix("Binding") == Some(kind);
        let read = given.iter().filter(is_of_kind).map(|value| Binding::read(value));
        read.filter(|(named, _)| named == policy).map(|(_, binding)| binding).collect()
    }

    /// The binding that a document is, and the policy that it names.
    fn read(value: &Value) -> (Str, Self) {
        let field = |name: &str| value.find(&["spec", name]).filter(|value| !value.is_null()).cloned();
        let binding = Binding {
            name: Str::from(value.find_str(&["metadata", "name"])),
            constraints: field("matchResources"),
            params: field("paramRef"),
            action: action(&list(value, "validationActions")),
        };
        (Str::from(value.find_str(&["spec", "policyName"])), binding)
    }

    /// The parameters: of a selector a list of all it selects, else the first that is meant; null where there is none.
    // Kyverno: the namespace is not compared where a name is given, and the kind never.
    pub(super) fn params(&self, given: &[Resource]) -> Value {
        let Some(reference) = &self.params else { return Value::Null };
        if let Some(selector) = reference.get("selector").filter(|selector| !selector.is_null()) {
            let selected = given.iter().filter(|param| select(selector, &param.value));
            let items: Vec<Value> = selected.map(|param| param.value.clone()).collect();
            return if items.is_empty() {
                Value::Null
            } else {
                [("items", Value::array(items))].into_iter().collect::<Map>().into()
            };
        }
        let (name, namespace) = (reference.find_str(&["name"]), reference.find_str(&["namespace"]));
        let is_meant = |param: &&Resource| match (name, namespace) {
            ("", "") => false,
            ("", namespace) => param.namespace() == namespace,
            (name, _) => param.name() == name,
        };
        given.iter().find(is_meant).map_or(Value::Null, |param| param.value.clone())
    }
}

/// The objects that a policy's bindings can take as parameters of this kind: those that are given as such, and in the Playground,
/// which has no place for them, all of that kind.
pub(super) fn given_params(asked: &Asked<'_>, kind: Option<&(Str, Str)>) -> Vec<Resource> {
    let mut all = asked.settings.parameters.clone();
    if let Some((api_version, kind)) = kind.filter(|_| asked.host == Host::Playground) {
        all.extend(asked.objects.of_kind(&Gvk::new(api_version, kind)).into_iter().cloned());
    }
    all
}

/// What evaluates a ValidatingAdmissionPolicy.
#[derive(Clone, Debug)]
pub(super) struct AdmissionBody {
    /// Where the policy stands in its document.
    root: Path,
    name: Str,
    constraints: Option<Value>,
    /// `apiVersion` and `kind` of its parameters, where it takes any.
    param_kind: Option<(Str, Str)>,
    written: Arc<Admission>,
    pub(super) program: Arc<AdmissionProgram>,
    /// The same in a cluster, where that is another one.
    in_cluster: Option<Arc<AdmissionProgram>>,
    pub(super) bindings: Vec<Binding>,
    why: Option<&'static Explainers>,
}

impl AdmissionBody {
    fn result(&self, decision: Decision, binding: Option<&Binding>) -> RuleResult {
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
        result
    }

    /// The result of a decision, with the steps to it where they are asked for.
    fn explained(
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
    fn program_of(&self, host: Host) -> &AdmissionProgram {
        self.in_cluster.as_ref().filter(|_| host == Host::Cluster).unwrap_or(&self.program)
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

    /// The rows of the resource in a cluster: one for each binding that selects it, where the policy does too.
    // Kubernetes: policy/validating/dispatcher.go.
    fn rows_in_cluster(&self, subject: &Subject, asked: &Asked<'_>) -> Vec<RuleResult> {
        let selects = |constraints: Option<&Value>| {
            constraints.map_or(Ok(true), |constraints| matches(constraints, subject))
        };
        let failed = |what: &str, error: String, binding: Option<&Binding>| {
            let message = format!("failed to configure {what}: {error}");
            self.result(Decision::Failed { at: None, message }, binding)
        };
        if self.bindings.is_empty() {
            return Vec::new();
        }
        match selects(self.constraints.as_ref()) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(error) => return vec![failed("policy", error, None)],
        }
        let mut rows = Vec::new();
        for binding in &self.bindings {
            match selects(binding.constraints.as_ref()) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    rows.push(failed("binding", error, Some(binding)));
                    continue;
                }
            }
            match self.params_in_cluster(binding, subject, asked) {
                Ok(params) => rows.extend(self.worst(subject, &params, binding, asked)),
                Err(error) => rows.push(failed("binding", error, Some(binding))),
            }
        }
        rows
    }

    /// The parameters that a binding takes in a cluster; one that is null where it takes none.
    fn params_in_cluster(
        &self,
        binding: &Binding,
        subject: &Subject,
        asked: &Asked<'_>,
    ) -> Result<Vec<Value>, String> {
        let (Some((api_version, kind)), Some(reference)) = (&self.param_kind, &binding.params) else {
            return Ok(vec![Value::Null]);
        };
        let namespace = subject.request_namespace();
        parameters(
            &Wanted { api_version, kind, reference, namespace, is_rule: false },
            asked.objects,
            asked.world,
        )
    }

    /// What is decided with each of the parameters: the first that is not admitted; nothing where there are none.
    fn worst(
        &self,
        subject: &Subject,
        params: &[Value],
        binding: &Binding,
        asked: &Asked<'_>,
    ) -> Option<RuleResult> {
        let mut decided = None;
        // Who may do what is known in a cluster alone: to ask is an error.
        let nobody = Asker { user: Str::default(), refused: Str::default(), is_open: true };
        for params in params {
            let objects = Objects { asker: Some(&nobody), ..Objects::of(subject, params) };
            let decision = decide(&self.written, self.program_of(asked.host), &objects);
            let is_bad = matches!(decision, Decision::Denied { .. } | Decision::Failed { .. });
            let is_better = decided.is_none() || matches!(decision, Decision::Admitted);
            if is_bad || is_better {
                decided = Some((decision, objects));
            }
            if is_bad {
                break;
            }
        }
        decided.map(|(decision, objects)| self.explained(&objects, decision, Some(binding), asked))
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
        unmatched(asked, self.why, Seen::of_kubernetes, &target)
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

    // Kubernetes: without a binding a policy is asked by nobody; an error counts as the failure policy says.
    fn effect(&self, _policy: &EnginePolicy, said: &RuleResult) -> Effect {
        let of_result = |binding: &&Binding| {
            let mut named = said.report_properties.iter();
            named.any(|(key, value)| key == "binding" && *value == *binding.name)
        };
        match said.status {
            Status::Pass | Status::Skip => Effect::Allow,
            Status::Error if self.written.ignores_failures => Effect::Allow,
            Status::Fail | Status::Error | Status::Warn => {
                self.bindings.iter().find(of_result).map_or(Effect::Allow, |binding| binding.action)
            }
        }
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
