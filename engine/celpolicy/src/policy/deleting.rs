//! DeletingPolicy: as it is written, and compiled.
//!
//! In: a document that its schema takes. Out: a [`Deleting`], or what is wrong with its expressions.
//! Mirrors: `pkg/cel/policies/dpol/compiler` of Kyverno 1.19.

use super::compiling::Compiling;
use super::decode::{decode_one, pairs};
use super::{Policy, Refused};
use crate::compile::Compiled;
use crate::environment::{Environment, Kind};
use engine_json::{Map, Str, Value};

/// The name under which the compiler of the kind lists faults.
pub const DELETING_COMPILER: &str = "deleting policy compiler 1.18";

/// A policy that deletes, and its expressions as programs.
#[derive(Debug)]
pub struct Deleting {
    /// Its name, its constraints, its conditions as `match_conditions`.
    pub policy: Policy,
    /// When it is due, as a cron expression.
    pub schedule: Str,
    /// What its expressions may use.
    pub environment: Environment,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// What has to hold of an object that goes.
    pub conditions: Vec<Compiled>,
}

impl Deleting {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    /// What is wrong with its expressions.
    pub fn new(document: &Value) -> Result<Self, Refused> {
        let mut policy = decode_one(document);
        policy.match_conditions = pairs(document.find(&["spec", "conditions"]), "name", "expression");
        policy.ignores_failures = false;
        policy.match_constraints =
            policy.match_constraints.map(|constraints| for_all_operations(&constraints));
        let environment = Environment::new(Kind::Deleting, !policy.namespace.is_empty());
        let environment = environment.map_err(|text| Refused { text, faults: Vec::new() })?;
        let mut compiling = Compiling { environment, compiler: Some(DELETING_COMPILER) };
        let variables = compiling.variables(&policy.variables)?;
        let conditions = compiling.conditions("spec.conditions", &policy.match_conditions)?;
        let schedule = Str::from(document.find_str(&["spec", "schedule"]));
        Ok(Deleting { policy, schedule, environment: compiling.environment, variables, conditions })
    }
}

/// The constraints with every rule for every operation.
// Kyverno: dpol/engine/engine.go matchPolicy.
pub(super) fn for_all_operations(constraints: &Value) -> Value {
    let Some(rules) = constraints.get("resourceRules").and_then(Value::as_array) else {
        return constraints.clone();
    };
    let every = Value::array(vec![Value::from("*")]);
    let rules = rules.iter().map(|rule| {
        let mut rule = rule.as_object().cloned().unwrap_or_else(Map::new);
        rule.insert("operations", every.clone());
        Value::object(rule)
    });
    let mut constraints = constraints.as_object().cloned().unwrap_or_else(Map::new);
    constraints.insert("resourceRules", Value::array(rules.collect()));
    Value::object(constraints)
}
