//! What can be evaluated and is hardly meant: questions with one answer, matches that never match, fields that may be absent.
//!
//! In: a policy and its program. Out: fields of the policy, and what is to be said of them as warnings.

mod fields;

pub(crate) use fields::{absent_fields, asked_for, root_of};

use crate::compile::Compiled;
use crate::policy::{Evaluation, Policy, Program};
use engine_cel::eval::{Binding, Input};
use engine_cel::value::Value as Cel;
use engine_json::Value;

/// Something to say of a field: `spec.validations[0].expression`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The field.
    pub field: String,
    /// What is said of it.
    pub message: String,
    /// What to do, or what follows.
    pub hint: String,
}

impl Remark {
    fn new(field: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Remark { field: field.into(), message: message.into(), hint: hint.into() }
    }
}

/// What is to be said of a policy that validates.
pub fn remarks(policy: &Policy, program: &Program) -> Vec<Remark> {
    let mut all = Vec::new();
    if policy.evaluation == Evaluation::Kubernetes {
        constraints(policy, &mut all);
    }
    let count = program.environment.variables.len();
    for (at, condition) in program.match_conditions.iter().enumerate() {
        if always(condition, count) == Some(false) {
            let field = format!("spec.matchConditions[{at}].expression");
            all.push(Remark::new(field, "the condition is never met: the policy decides nothing", ""));
        }
    }
    for (at, validation) in program.validations.iter().enumerate() {
        let field = format!("spec.validations[{at}].expression");
        match always(&validation.expression, count) {
            Some(true) => {
                all.push(Remark::new(field, "the validation is true of every object: it asks nothing", ""));
            }
            // Behind conditions it says that whatever meets them is refused.
            Some(false) if policy.match_conditions.is_empty() => {
                let hint = "a condition in `matchConditions` can say which objects are meant";
                all.push(Remark::new(field, "the validation is false of every object that matches", hint));
            }
            Some(false) | None => {}
        }
    }
    if !policy.namespace.is_empty() && program.depends().on_http {
        let message = "a cluster refuses this policy: `http.*` is not allowed in namespaced policies";
        all.push(Remark::new("spec", message, "Kyverno's flag `--allowHTTPInNamespacedPolicies` allows it"));
    }
    fields::remarks(policy, &mut all);
    all
}

/// The value that an expression has whatever it is asked of.
fn always(compiled: &Compiled, variables: usize) -> Option<bool> {
    const LIMIT: u64 = 10_000;
    let variables: Vec<Binding<'_>> = std::iter::repeat_with(|| Binding::Missing).take(variables).collect();
    let input = Input { variables: &variables, lazy: None, limit: Some(LIMIT), outside: None };
    match compiled.program.evaluate(&input).outcome {
        Ok(Cel::Bool(value)) => Some(value),
        _ => None,
    }
}

/// Constraints that match nothing.
// Kyverno: what is not listed never matches; api/policies.kyverno.io/v1beta1 Validate for what a cluster refuses.
fn constraints(policy: &Policy, all: &mut Vec<Remark>) {
    let refused =
        "a cluster refuses this policy: a matchConstraints with at least one resource rule is required";
    let Some(constraints) = &policy.match_constraints else {
        all.push(Remark::new("spec", "a policy without `matchConstraints` matches nothing", refused));
        return;
    };
    let rules = constraints.get("resourceRules").and_then(Value::as_array).unwrap_or_default();
    if rules.is_empty() {
        all.push(Remark::new(
            "spec.matchConstraints",
            "without `resourceRules` every object matches",
            refused,
        ));
    }
    for (at, rule) in rules.iter().enumerate() {
        let field = |name: &str| format!("spec.matchConstraints.resourceRules[{at}].{name}");
        for name in ["operations", "apiGroups", "apiVersions", "resources"] {
            let list = rule.get(name).and_then(Value::as_array).unwrap_or_default();
            if list.is_empty() {
                let message = format!("the rule names no `{name}`: it never matches");
                all.push(Remark::new(
                    format!("spec.matchConstraints.resourceRules[{at}]"),
                    message,
                    "`'*'` stands for all",
                ));
            }
        }
        let operations = rule.get("operations").and_then(Value::as_array).unwrap_or_default();
        let known = |operation: &Value| {
            matches!(operation.as_str(), Some("*" | "CREATE" | "UPDATE" | "DELETE" | "CONNECT"))
        };
        if !operations.is_empty() && !operations.iter().any(known) {
            let message = "there is no such operation: the rule never matches";
            all.push(Remark::new(field("operations"), message, "CREATE, UPDATE, DELETE, CONNECT or `'*'`"));
        }
        if !matches!(rule.find_str(&["scope"]), "" | "*" | "Namespaced" | "Cluster") {
            let message = "there is no such scope: the rule never matches";
            all.push(Remark::new(field("scope"), message, "Namespaced, Cluster or `'*'`"));
        }
        let resources = rule.get("resources").and_then(Value::as_array).unwrap_or_default();
        for (place, resource) in resources.iter().enumerate() {
            let text = resource.as_str().unwrap_or("");
            let name = text.split('/').next().unwrap_or("");
            if name != name.to_lowercase() || SINGULAR.contains(&name) {
                let message = format!("there is no resource `{text}`: a plural in small letters is meant");
                all.push(Remark::new(field(&format!("resources[{place}]")), message, "such as `pods`"));
            }
        }
    }
}

/// Kinds in small letters that are often written where their plural is meant.
const SINGULAR: &[&str] = &[
    "pod",
    "deployment",
    "service",
    "ingress",
    "namespace",
    "configmap",
    "secret",
    "job",
    "cronjob",
    "daemonset",
    "statefulset",
    "replicaset",
    "node",
];
