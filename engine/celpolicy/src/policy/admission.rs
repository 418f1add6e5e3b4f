//! What Kubernetes' admission policies and the rule `validate.cel` have alike, as it is written and compiled.
//!
//! In: conditions, variables, validations. Out: a [`AdmissionProgram`] in which each expression is a program or says what is wrong
//! with it: unlike Kyverno's own kinds, such a policy is evaluated all the same, and says so of each resource.
//! Mirrors: `pkg/admissionpolicy/compiler.go` of Kyverno 1.19, `apiserver/pkg/admission/plugin/cel/compile.go` of Kubernetes 0.36.

use super::Validation;
use super::decode::{items, pairs, validation};
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::{Environment, Kind, Offered};
use crate::hosts::Depends;
use engine_json::{Str, Value};

/// What is written.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// Names and expressions.
    pub match_conditions: Vec<(Str, Str)>,
    /// Names and expressions, in their order: one may use those before it.
    pub variables: Vec<(Str, Str)>,
    /// What it asks.
    pub validations: Vec<Validation>,
    /// Keys and expressions.
    pub audit_annotations: Vec<(Str, Str)>,
    /// Whether match conditions that fail count as not met.
    pub ignores_failures: bool,
    /// Whether it names a kind of parameters.
    pub has_params: bool,
    /// Whether expressions may ask who may do what; those of messages never may.
    pub has_authorizer: bool,
}

/// An expression, and what came of compiling it.
#[derive(Debug)]
pub struct Made {
    /// The expression as written.
    pub expression: Str,
    /// The program, or Kubernetes' words for what is wrong.
    pub program: Result<Compiled, String>,
}

/// All expressions of such a policy.
#[derive(Debug)]
pub struct AdmissionProgram {
    /// What they may use.
    pub environment: Environment,
    /// The match conditions.
    pub match_conditions: Vec<Made>,
    /// The variables by name, in their order.
    pub variables: Vec<(Str, Made)>,
    /// What has to be true.
    pub validations: Vec<Made>,
    /// What is said where it is not; one for each validation, or nothing.
    pub messages: Vec<Option<Made>>,
    /// The audit annotations.
    pub audit_annotations: Vec<Made>,
    /// What is wrong, by the fields as [`Admission`] names them: `validations[0].expression`.
    pub faults: Vec<(String, Fault)>,
}

impl Admission {
    /// The `spec` of a policy, where `conditions` is the list of its match conditions and `validations` that of its questions.
    pub fn read(spec: &Value, conditions: Option<&Value>, validations: &str) -> Self {
        let field = |name: &str| spec.get(name);
        Admission {
            match_conditions: pairs(conditions, "name", "expression"),
            variables: pairs(field("variables"), "name", "expression"),
            validations: items(field(validations)).map(validation).collect(),
            audit_annotations: pairs(field("auditAnnotations"), "key", "valueExpression"),
            ignores_failures: spec.find_str(&["failurePolicy"]) == "Ignore",
            has_params: field("paramKind").is_some_and(|kind| !kind.is_null()),
            has_authorizer: false,
        }
    }
}

impl AdmissionProgram {
    /// On what a verdict can depend.
    pub fn depends(&self) -> Depends {
        let variables = self.variables.iter().map(|(_, made)| made);
        let all = self.match_conditions.iter().chain(variables).chain(&self.validations);
        let compiled = all.filter_map(|made| made.program.as_ref().ok());
        compiled.fold(Depends::default(), |found, compiled| found.or(compiled.depends))
    }

    /// Compiles everything.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    // Kubernetes: variables first, in their order; all else sees each of them.
    pub fn new(written: &Admission) -> Result<Self, String> {
        let (params, authorizer) = (written.has_params, written.has_authorizer);
        let of_messages = Kind::Admission { params, authorizer: false };
        Self::of_kinds(written, Kind::Admission { params, authorizer }, of_messages)
    }

    /// Compiles everything as an API server does: `offered` is declared for all but messages.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    pub fn of_api_server(written: &Admission, offered: Offered) -> Result<Self, String> {
        let of_messages = Offered { authorizer: false, ..offered };
        Self::of_kinds(written, Kind::ApiServer(offered), Kind::ApiServer(of_messages))
    }

    /// Compiles everything of a kind of policy, messages as another one.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    pub(super) fn of_kinds(written: &Admission, kind: Kind, of_messages: Kind) -> Result<Self, String> {
        let mut environment = Environment::new(kind, false)?;
        let mut of_messages = Environment::new(of_messages, false)?;
        let mut faults = Vec::new();
        let mut variables = Vec::new();
        for (at, (name, expression)) in written.variables.iter().enumerate() {
            let field = format!("variables[{at}].expression");
            let made = make(&environment, expression, Wanted::Any, field, &mut faults);
            let of = made.program.as_ref().map_or(engine_cel::types::Type::Dyn, |made| made.of.clone());
            environment = environment.with_policy_variable(name, of.clone());
            of_messages = of_messages.with_policy_variable(name, of);
            variables.push((name.clone(), made));
        }
        let mut list = |field: &str, expressions: &[(Str, Str)], wanted: Wanted, inner: &str| {
            let entries = expressions.iter().enumerate();
            let one = |(at, (_, text)): (usize, &(Str, Str))| {
                make(&environment, text, wanted, format!("{field}[{at}].{inner}"), &mut faults)
            };
            entries.map(one).collect::<Vec<_>>()
        };
        let match_conditions = list("matchConditions", &written.match_conditions, Wanted::Bool, "expression");
        let audit_annotations =
            list("auditAnnotations", &written.audit_annotations, Wanted::TextOrNull, "valueExpression");
        let (mut validations, mut messages) = (Vec::new(), Vec::new());
        for (at, written) in written.validations.iter().enumerate() {
            let field = format!("validations[{at}].expression");
            validations.push(make(&environment, &written.expression, Wanted::Bool, field, &mut faults));
            let text = &written.message_expression;
            let field = format!("validations[{at}].messageExpression");
            let message =
                (!text.is_empty()).then(|| make(&of_messages, text, Wanted::Text, field, &mut faults));
            messages.push(message);
        }
        Ok(AdmissionProgram {
            environment,
            match_conditions,
            variables,
            validations,
            messages,
            audit_annotations,
            faults,
        })
    }
}

pub(super) fn make(
    environment: &Environment,
    expression: &Str,
    wanted: Wanted,
    field: String,
    faults: &mut Vec<(String, Fault)>,
) -> Made {
    let program = compile(expression, environment, wanted).map_err(|fault| {
        let words = fault.in_admission(wanted);
        faults.push((field, fault));
        words
    });
    Made { expression: expression.clone(), program }
}
