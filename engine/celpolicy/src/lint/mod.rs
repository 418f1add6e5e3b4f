//! What can be evaluated and is hardly meant: questions with one answer, matches that never match, fields that may be absent.
//!
//! In: a policy and its program. Out: fields of the policy, and what is to be said of them as warnings.

mod fields;

pub use fields::{absent_fields, asked_for, root_of};

use crate::compile::Compiled;
use crate::policy::{Admission, AdmissionProgram, Evaluation, Made, Policy, Program, passed_over};
use engine_cel::eval::{Binding, Input};
use engine_cel::value::Value as Cel;
use engine_json::{Str, Value};

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

/// An expression that is looked at: its field, its text, and its program where it has one.
struct Looked<'a> {
    field: String,
    text: &'a Str,
    program: Option<&'a Compiled>,
}

/// The expressions of a policy or a rule.
struct Expressions<'a> {
    conditions: Vec<Looked<'a>>,
    variables: Vec<Looked<'a>>,
    validations: Vec<Looked<'a>>,
    /// How many variables they may use.
    names: usize,
    /// Whether something else says which objects are meant.
    is_narrowed: bool,
    /// The list that says so.
    list_of_conditions: &'static str,
}

fn looked<'a>(
    list: &str,
    expressions: impl Iterator<Item = (&'a Str, Option<&'a Compiled>)>,
) -> Vec<Looked<'a>> {
    let with_field =
        |(at, (text, program))| Looked { field: format!("{list}[{at}].expression"), text, program };
    expressions.enumerate().map(with_field).collect()
}

/// What is to be said of a policy that validates.
pub fn remarks(policy: &Policy, program: &Program) -> Vec<Remark> {
    let mut all = Vec::new();
    if policy.evaluation == Evaluation::Kubernetes {
        constraints(
            policy.match_constraints.as_ref(),
            "a policy without `matchConstraints` matches nothing",
            &mut all,
        );
    }
    let of = |compiled| Some(compiled);
    let conditions = policy.match_conditions.iter().map(|(_, text)| text);
    let variables = policy.variables.iter().map(|(_, text)| text);
    let validations = policy.validations.iter().map(|asked| &asked.expression);
    let expressions = Expressions {
        conditions: looked("spec.matchConditions", conditions.zip(program.match_conditions.iter().map(of))),
        variables: looked(
            "spec.variables",
            variables.zip(program.variables.iter().map(|(_, made)| Some(made))),
        ),
        validations: looked(
            "spec.validations",
            validations.zip(program.validations.iter().map(|asked| Some(&asked.expression))),
        ),
        names: program.environment.variables.len(),
        is_narrowed: false,
        list_of_conditions: "matchConditions",
    };
    expressions.remarks(&mut all);
    if !policy.namespace.is_empty() && program.depends().on_http {
        let message = "a cluster refuses this policy: `http.*` is not allowed in namespaced policies";
        all.push(Remark::new("spec", message, "Kyverno's flag `--allowHTTPInNamespacedPolicies` allows it"));
    }
    fields::remarks(fields::root_of(policy.match_constraints.as_ref()), &expressions, &mut all);
    all
}

/// What is to be said of names of controllers that stand for none.
pub fn of_controllers(document: &Value) -> Vec<Remark> {
    let remark = |(at, name)| {
        Remark::new(
            format!("spec.autogen.podControllers.controllers[{at}]"),
            format!("`{name}` names no controller that is known here, and is passed over"),
            "a custom workload is named as `RESOURCE.VERSION.GROUP`, such as `jobsets.v1alpha2.jobset.x-k8s.io`",
        )
    };
    passed_over(document).into_iter().map(remark).collect()
}

/// What is to be said of a ValidatingAdmissionPolicy with these `matchConstraints`.
pub fn of_admission(
    written: &Admission,
    program: &AdmissionProgram,
    matching: Option<&Value>,
) -> Vec<Remark> {
    let mut all = Vec::new();
    constraints(matching, "without `matchConstraints` every object matches", &mut all);
    let expressions = Expressions {
        variables: looked(
            "spec.variables",
            pairs(&written.variables, program.variables.iter().map(|(_, made)| made)),
        ),
        ..Expressions::of(written, program, "spec.matchConditions", "spec.validations")
    };
    expressions.remarks(&mut all);
    fields::remarks(fields::root_of(matching), &expressions, &mut all);
    all
}

/// What is to be said of a rule with `validate.cel`.
pub fn of_rule(written: &Admission, program: &AdmissionProgram, rule: &Value) -> Vec<Remark> {
    let mut all = Vec::new();
    let variables = pairs(&written.variables, program.variables.iter().map(|(_, made)| made));
    let expressions = Expressions {
        variables: looked("validate.cel.variables", variables),
        is_narrowed: ["preconditions", "exclude"].iter().any(|field| rule.get(field).is_some()),
        list_of_conditions: "celPreconditions",
        ..Expressions::of(written, program, "celPreconditions", "validate.cel.expressions")
    };
    expressions.remarks(&mut all);
    fields::remarks(fields::of_kinds(rule), &expressions, &mut all);
    all
}

/// Texts with what was made of them.
fn pairs<'a>(
    texts: &'a [(Str, Str)],
    made: impl Iterator<Item = &'a Made>,
) -> impl Iterator<Item = (&'a Str, Option<&'a Compiled>)> {
    texts.iter().map(|(_, text)| text).zip(made.map(|made| made.program.as_ref().ok()))
}

impl<'a> Expressions<'a> {
    /// Those of Kubernetes' policies and of rules, but for the variables.
    fn of(
        written: &'a Admission,
        program: &'a AdmissionProgram,
        conditions: &str,
        validations: &str,
    ) -> Self {
        let asked = written.validations.iter().map(|asked| &asked.expression);
        let made = program.validations.iter().map(|made| made.program.as_ref().ok());
        Expressions {
            conditions: looked(conditions, pairs(&written.match_conditions, program.match_conditions.iter())),
            variables: Vec::new(),
            validations: looked(validations, asked.zip(made)),
            names: program.environment.variables.len(),
            is_narrowed: false,
            list_of_conditions: "matchConditions",
        }
    }

    /// Questions with one answer.
    fn remarks(&self, all: &mut Vec<Remark>) {
        let always = |looked: &Looked<'_>| always(looked.program?, self.names);
        for condition in &self.conditions {
            if always(condition) == Some(false) {
                let message = "the condition is never met: the policy decides nothing";
                all.push(Remark::new(&condition.field, message, ""));
            }
        }
        for validation in &self.validations {
            match always(validation) {
                Some(true) => {
                    let message = "the validation is true of every object: it asks nothing";
                    all.push(Remark::new(&validation.field, message, ""));
                }
                // Behind conditions it says that whatever meets them is refused.
                Some(false) if self.conditions.is_empty() && !self.is_narrowed => {
                    let list = self.list_of_conditions;
                    let hint = format!("a condition in `{list}` can say which objects are meant");
                    let message = "the validation is false of every object that matches";
                    all.push(Remark::new(&validation.field, message, hint));
                }
                Some(false) | None => {}
            }
        }
    }
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
fn constraints(matching: Option<&Value>, absent: &str, all: &mut Vec<Remark>) {
    let refused =
        "a cluster refuses this policy: a matchConstraints with at least one resource rule is required";
    let Some(constraints) = matching else {
        all.push(Remark::new("spec", absent, refused));
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
                let message = format!("there is no resource `{text}`: write the plural in lower case");
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
