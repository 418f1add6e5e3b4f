//! All that is wrong with the expressions of a policy, for those who correct it. The original names the first list alone that
//! has something wrong; its text stays as it is.
//!
//! In: a policy. Out: fields and what is wrong with them.

use super::{Evaluation, Policy};
use crate::compile::{Fault, Wanted, compile};
use crate::environment::{Environment, Kind};
use engine_cel::types::Type;

/// What is wrong, in the order in which the original compiles.
pub(super) fn of(policy: &Policy) -> Vec<(String, Fault)> {
    let Ok(mut environment) = Environment::new(Kind::Validating, !policy.namespace.is_empty()) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    let mut look = |environment: &Environment, field: String, expression: &str, wanted: Wanted| {
        let compiled = compile(expression, environment, wanted);
        compiled.map(|compiled| compiled.of).map_err(|fault| faults.push((field, fault))).ok()
    };
    for (at, (_, expression)) in policy.match_conditions.iter().enumerate() {
        look(&environment, format!("spec.matchConditions[{at}].expression"), expression, Wanted::Bool);
    }
    for (at, (name, expression)) in policy.variables.iter().enumerate() {
        let of = look(&environment, format!("spec.variables[{at}].expression"), expression, Wanted::Any);
        // Of a variable that does not compile nothing is known: what uses it is not wrong for that.
        environment = environment.with_policy_variable(name, of.unwrap_or(Type::Dyn));
    }
    for (at, validation) in policy.validations.iter().enumerate() {
        let field = |name: &str| format!("spec.validations[{at}].{name}");
        look(&environment, field("expression"), &validation.expression, Wanted::Bool);
        if !validation.message_expression.is_empty() {
            look(&environment, field("messageExpression"), &validation.message_expression, Wanted::Text);
        }
    }
    if policy.evaluation != Evaluation::Json {
        for (at, (_, expression)) in policy.audit_annotations.iter().enumerate() {
            let field = format!("spec.auditAnnotations[{at}].valueExpression");
            look(&environment, field, expression, Wanted::TextOrNull);
        }
    }
    faults
}
