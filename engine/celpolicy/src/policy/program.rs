//! A policy compiled, once for all resources.

use super::compiling::{Faults, all, listed};
use super::{Evaluation, Exception, Policy, faults};
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::{Environment, Kind};
use crate::hosts::Depends;
use engine_json::Str;

/// A policy that can be evaluated.
#[derive(Debug)]
pub struct Program {
    /// What its expressions may use.
    pub environment: Environment,
    /// The match conditions.
    pub match_conditions: Vec<Compiled>,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// Its questions.
    pub validations: Vec<CompiledValidation>,
    /// Its audit annotations by key.
    pub audit_annotations: Vec<(Str, Compiled)>,
    /// Its variants for controllers of Pods.
    pub variants: Vec<Program>,
}

/// The match conditions of an exception as one policy sees them.
#[derive(Debug)]
pub struct ExceptionProgram {
    /// For the policy itself.
    pub conditions: Vec<Compiled>,
    /// For each of its variants.
    pub variants: Vec<Vec<Compiled>>,
}

impl ExceptionProgram {
    /// Compiles the conditions of an exception in the environment of a policy.
    ///
    /// # Errors
    /// What is wrong with them; the original then says that the policy does not compile.
    pub fn new(policy: &Policy, program: &Program, exception: &Exception) -> Result<Self, Refused> {
        let within = |program: &Program| {
            let conditions = &exception.match_conditions;
            let path = "spec.matchConditions";
            let compiled = all(&program.environment, path, "expression", conditions, Wanted::Bool)
                .map_err(|faults| refused(policy, faults))?;
            Ok(compiled.into_iter().map(|(_, compiled)| compiled).collect())
        };
        let variants = program.variants.iter().map(within).collect::<Result<_, _>>()?;
        Ok(ExceptionProgram { conditions: within(program)?, variants })
    }
}

/// A question that can be evaluated.
#[derive(Debug)]
pub struct CompiledValidation {
    /// What has to be true.
    pub expression: Compiled,
    /// What is said where it is not.
    pub message: Option<Compiled>,
}

/// A policy that cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Kyverno's list of what is wrong.
    pub text: String,
    /// The fields and what is wrong with them: `spec.validations[0].expression`.
    pub faults: Vec<(String, Fault)>,
}

impl Program {
    /// On what a verdict can depend; messages and annotations decide nothing.
    pub fn depends(&self) -> Depends {
        let validations = self.validations.iter().map(|validation| &validation.expression);
        let variables = self.variables.iter().map(|(_, compiled)| compiled);
        let all = self.match_conditions.iter().chain(variables).chain(validations);
        let own = all.fold(Depends::default(), |found, compiled| found.or(compiled.depends));
        self.variants.iter().fold(own, |found, variant| found.or(variant.depends()))
    }

    /// Compiles a policy.
    ///
    /// # Errors
    /// What is wrong with it: the text names all of the first list of expressions that has faults, or the first validation that
    /// has; the faults are those of all expressions.
    pub fn new(policy: &Policy) -> Result<Self, Refused> {
        Self::compiled(policy).map_err(|refused| {
            let all = faults::of(policy);
            // What is wrong with a variant is not wrong with the policy itself.
            if all.is_empty() { refused } else { Refused { faults: all, ..refused } }
        })
    }

    // Kyverno: pkg/cel/policies/vpol/compiler/compiler.go; the order is observable.
    fn compiled(policy: &Policy) -> Result<Self, Refused> {
        let environment = Environment::new(Kind::Validating, !policy.namespace.is_empty());
        let mut environment = environment.map_err(|error| Refused { text: error, faults: Vec::new() })?;
        let refuse = |faults: Vec<(String, Str, Fault)>| refused(policy, faults);
        let match_conditions =
            all(&environment, "spec.matchConditions", "expression", &policy.match_conditions, Wanted::Bool)
                .map_err(refuse)?;
        let match_conditions = match_conditions.into_iter().map(|(_, compiled)| compiled).collect();
        let mut variables = Vec::new();
        let mut faults = Vec::new();
        for (at, (name, expression)) in policy.variables.iter().enumerate() {
            match compile(expression, &environment, Wanted::Any) {
                Ok(compiled) => {
                    environment = environment.with_policy_variable(name, compiled.of.clone());
                    variables.push((name.clone(), compiled));
                }
                Err(fault) => {
                    faults.push((format!("spec.variables[{at}].expression"), expression.clone(), fault));
                }
            }
        }
        if !faults.is_empty() {
            return Err(refuse(faults));
        }
        let validations = validations(&environment, policy).map_err(|fault| refuse(vec![fault]))?;
        let annotations: &[(Str, Str)] =
            if policy.evaluation == Evaluation::Json { &[] } else { &policy.audit_annotations };
        let audit_annotations =
            all(&environment, "spec.auditAnnotations", "valueExpression", annotations, Wanted::TextOrNull)
                .map_err(refuse)?;
        let variants = policy.variants.iter().map(Program::new);
        Ok(Program {
            variants: variants.collect::<Result<_, _>>()?,
            environment,
            match_conditions,
            variables,
            validations,
            audit_annotations,
        })
    }
}

fn validations(
    environment: &Environment,
    policy: &Policy,
) -> Result<Vec<CompiledValidation>, (String, Str, Fault)> {
    let mut compiled = Vec::new();
    for (at, validation) in policy.validations.iter().enumerate() {
        let one = |field: &str, expression: &Str, wanted: Wanted| {
            compile(expression, environment, wanted)
                .map_err(|fault| (format!("spec.validations[{at}].{field}"), expression.clone(), fault))
        };
        let expression = one("expression", &validation.expression, Wanted::Bool)?;
        let message = if validation.message_expression.is_empty() {
            None
        } else {
            Some(one("messageExpression", &validation.message_expression, Wanted::Text)?)
        };
        compiled.push(CompiledValidation { expression, message });
    }
    Ok(compiled)
}

/// Kyverno's list: in Kubernetes mode it begins with an entry of its own.
fn refused(policy: &Policy, faults: Faults) -> Refused {
    let is_json = policy.evaluation == Evaluation::Json;
    listed((!is_json).then_some("validating policy compiler 1.0"), faults)
}
