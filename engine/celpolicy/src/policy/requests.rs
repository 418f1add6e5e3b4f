//! A ValidatingPolicy that answers requests of HTTP or of Envoy, compiled.
//!
//! In: the policy as it is written. Out: a [`RequestProgram`], or the first thing that is wrong in kyverno-authz' words.
//! Mirrors: `pkg/engine/compiler/compiler.go` of kyverno-authz, which stops at the first mistake.

use super::compiling::listed;
use super::{Policy, Refused};
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::{Environment, of_requests};
use engine::resource::Protocol;
use engine_cel::types::Type;
use engine_json::Str;

/// Such a policy.
#[derive(Debug)]
pub struct RequestProgram {
    /// What its expressions may use.
    pub environment: Environment,
    /// The match conditions, which see the request alone.
    pub match_conditions: Vec<Compiled>,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// What answers: the first that is not null does.
    pub answers: Vec<Compiled>,
}

impl RequestProgram {
    /// Compiles a policy.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(policy: &Policy, protocol: Protocol) -> Result<Self, Refused> {
        let environment = of_requests(protocol);
        let mut environment = environment.map_err(|error| Refused { text: error, faults: Vec::new() })?;
        let refuse = |field: String, expression: &Str, fault: Fault| {
            listed(None, vec![(field, expression.clone(), fault)])
        };
        let mut match_conditions = Vec::new();
        for (at, (_, expression)) in policy.match_conditions.iter().enumerate() {
            let field = format!("spec.matchConditions[{at}].expression");
            let compiled = compile(expression, &environment, Wanted::Bool).map_err(|fault| {
                let is_of_type = fault.of.is_some();
                let words = "matchCondition output is expected to be of type bool";
                refuse(field, expression, if is_of_type { Fault::whole(words.to_owned()) } else { fault })
            })?;
            match_conditions.push(compiled);
        }
        let mut variables = Vec::new();
        for (at, (name, expression)) in policy.variables.iter().enumerate() {
            let field = format!("spec.variables[{at}].expression");
            let compiled = compile(expression, &environment, Wanted::Any)
                .map_err(|fault| refuse(field, expression, fault))?;
            environment = environment.with_policy_variable(name, compiled.of.clone());
            variables.push((name.clone(), compiled));
        }
        let response = match protocol {
            Protocol::Http => "http.CheckResponse",
            Protocol::Envoy => "envoy.service.auth.v3.CheckResponse",
        };
        let mut answers = Vec::new();
        for (at, validation) in policy.validations.iter().enumerate() {
            let expression = &validation.expression;
            let compiled = compile(expression, &environment, Wanted::Any).and_then(|compiled| {
                let is_answer = compiled.of == Type::Null || compiled.of == Type::named(response);
                let words = format!("rule response output is expected to be of type {response}");
                if is_answer { Ok(compiled) } else { Err(Fault::whole(words)) }
            });
            let field = format!("spec.validations[{at}].expression");
            answers.push(compiled.map_err(|fault| refuse(field, expression, fault))?);
        }
        Ok(RequestProgram { environment, match_conditions, variables, answers })
    }
}
