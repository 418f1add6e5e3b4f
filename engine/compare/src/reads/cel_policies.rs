//! What policies in CEL read: Kyverno's own kinds, those of the API server, and rules with `validate.cel`.
//!
//! In: the document as written. Out: its reads.

use crate::reads::cel::{Scope, origin};
use crate::reads::classic::{Selected, read_selector};
use crate::reads::field_path::field_path;
use crate::reads::{Origin, Reads, params};
use engine_json::{Str, Value};
use std::collections::BTreeMap;

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

/// What exceptions of a side let through: the lists of each that names the policy.
fn exempted(policy: &Value, beside: &[&Value]) -> BTreeMap<Str, Origin> {
    let name = policy.find_str(&["metadata", "name"]);
    let names = |exception: &&&Value| {
        let refs = list(exception.find(&["spec", "policyRefs"]));
        exception.find_str(&["kind"]) == "PolicyException"
            && refs.iter().any(|one| one.find_str(&["name"]) == name)
    };
    let of = |field: &str| {
        let lists = beside.iter().filter(names).flat_map(|exception| list(exception.find(&["spec", field])));
        lists.cloned().map(Origin::constant).fold(Origin::default(), Origin::and)
    };
    [("allowedImages", "images"), ("allowedValues", "allowedValues")]
        .map(|(name, field)| (Str::new_static(name), of(field)))
        .into()
}

/// The reads of a policy, with the bindings and the exceptions of its side.
pub(crate) fn read(policy: &Value, beside: &[&Value], reads: &mut Reads) {
    let Some(spec) = policy.get("spec") else { return };
    let constraints = spec.get("matchConstraints").or_else(|| spec.get("matchResources"));
    if let Some(constraints) = constraints {
        read_constraints(constraints, reads);
    }
    let params = params::of_policy(policy, beside, reads);
    let mut start = Scope::with_params(params);
    start.exempted = exempted(policy, beside);
    let mut scope = start.clone();
    read_variables(spec.get("variables"), &mut scope, reads);
    for condition in list(spec.get("matchConditions")) {
        origin(condition.find_str(&["expression"]), &mut start.clone(), reads);
    }
    read_validations(spec.get("validations"), &mut scope, reads);
    // What deletes has its conditions here.
    read_validations(spec.get("conditions"), &mut scope, reads);
    for mutation in list(spec.get("mutations")) {
        for form in ["applyConfiguration", "jsonPatch"] {
            origin(mutation.find_str(&[form, "expression"]), &mut scope, reads);
        }
    }
    for generate in list(spec.get("generate")) {
        origin(generate.find_str(&["expression"]), &mut scope, reads);
    }
}

/// Whether a rule may be for Namespaces, which a `namespaceSelector` selects by labels of their own.
///
/// Kubernetes: `MatchNamespaceSelector` of `apiserver/pkg/admission/plugin/webhook/predicates/namespace`.
fn is_for_namespaces(rule: &Value) -> bool {
    let may_be = |resource: &Value| matches!(resource.as_str(), Some("*" | "*/*" | "namespaces"));
    list(rule.get("resources")).iter().any(may_be)
}

/// What selectors and rules of resources name.
fn read_constraints(constraints: &Value, reads: &mut Reads) {
    read_selector(constraints.get("objectSelector"), reads, Selected::Object);
    let namespaces = constraints.get("namespaceSelector");
    read_selector(namespaces, reads, Selected::Namespace);
    if list(constraints.get("resourceRules")).iter().any(is_for_namespaces) {
        read_selector(namespaces, reads, Selected::Itself);
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for rule in list(constraints.get(field)) {
            let names = list(rule.get("resourceNames"));
            if !names.is_empty() {
                reads.note_object(&field_path(&["metadata", "name"]), names);
            }
            let names = |operation: &str| {
                list(rule.get("operations"))
                    .iter()
                    .any(|item| matches!(item.as_str(), Some("*")) || item.as_str() == Some(operation))
            };
            // A rule for one of them tells them apart.
            reads.asks_operation |= names("CREATE") != names("UPDATE");
        }
    }
}

/// The reads of `validate.cel`.
pub(crate) fn read_rule(cel: &Value, reads: &mut Reads) {
    let reference = cel.get("paramRef").cloned().unwrap_or_default();
    let params = cel.get("paramKind").map(|kind| params::of_reference(kind, &reference, reads));
    let mut scope = Scope::with_params(params);
    read_variables(cel.get("variables"), &mut scope, reads);
    read_validations(cel.get("expressions"), &mut scope, reads);
}

/// The reads of a list of expressions.
pub(crate) fn read_expressions(conditions: &Value, reads: &mut Reads) {
    read_validations(Some(conditions), &mut Scope::default(), reads);
}

/// A binding of a policy of the API server.
pub(crate) fn read_binding(binding: &Value, reads: &mut Reads) {
    if let Some(selected) = binding.find(&["spec", "matchResources"]) {
        read_constraints(selected, reads);
    }
}

fn read_variables(variables: Option<&Value>, scope: &mut Scope, reads: &mut Reads) {
    for variable in list(variables) {
        let found = origin(variable.find_str(&["expression"]), scope, reads);
        scope.variables.insert(Str::new(variable.find_str(&["name"])), found);
    }
}

fn read_validations(validations: Option<&Value>, scope: &mut Scope, reads: &mut Reads) {
    for validation in list(validations) {
        origin(validation.find_str(&["expression"]), scope, reads);
        let message = validation.find_str(&["messageExpression"]);
        if !message.is_empty() {
            // A message decides nothing, but what it asks outside can end an evaluation.
            let mut unused = Reads::default();
            origin(message, scope, &mut unused);
            reads.outside.extend(unused.outside);
        }
    }
}
