//! GeneratingPolicy: as it is written, and compiled.
//!
//! In: a document that its schema takes. Out: a [`Generating`], or what is wrong with its expressions.
//! Mirrors: `pkg/cel/policies/gpol/compiler/compiler.go` of Kyverno 1.19.

use super::compiling::Compiling;
use super::decode::{decode_one, items};
use super::template::Template;
use super::{Policy, Refused};
use crate::compile::{Compiled, Fault, Wanted};
use crate::environment::{Environment, Kind};
use engine_json::{Str, Value};

/// The name under which the compiler of the kind lists faults.
pub const GENERATING_COMPILER: &str = "generating policy compiler 2.0";

/// What makes objects.
#[derive(Debug)]
pub enum Generation {
    /// An expression that calls `generator.apply`, and its text.
    Expression(Str, Box<Compiled>),
    /// A template.
    Template(Template),
}

/// A policy that generates, and its expressions as programs.
#[derive(Debug)]
pub struct Generating {
    /// Its name, its constraints, its conditions.
    pub policy: Policy,
    /// What its expressions may use.
    pub environment: Environment,
    /// Its match conditions.
    pub conditions: Vec<Compiled>,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// What makes its objects, in its order.
    pub generations: Vec<Generation>,
    /// Its audit annotations by key.
    pub annotations: Vec<(Str, Compiled)>,
}

impl Generating {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    /// What is wrong with its expressions.
    // Kyverno: the order is observable.
    pub fn new(document: &Value) -> Result<Self, Refused> {
        let mut policy = decode_one(document);
        policy.ignores_failures = false;
        let environment = Environment::new(Kind::Generating, !policy.namespace.is_empty());
        let environment = environment.map_err(|text| Refused { text, faults: Vec::new() })?;
        let mut compiling = Compiling { environment, compiler: Some(GENERATING_COMPILER) };
        let conditions = compiling.conditions("spec.matchConditions", &policy.match_conditions)?;
        let variables = compiling.variables(&policy.variables)?;
        let mut generations = Vec::new();
        for (at, written) in items(document.find(&["spec", "generate"])).enumerate() {
            generations.push(generation(&compiling, at, written)?);
        }
        let annotations = compiling.annotations(&policy.audit_annotations)?;
        let environment = compiling.environment;
        Ok(Generating { policy, environment, conditions, variables, generations, annotations })
    }
}

fn generation(compiling: &Compiling, at: usize, written: &Value) -> Result<Generation, Refused> {
    let Some(template) = written.get("template").filter(|template| !template.is_null()) else {
        let expression = Str::from(written.find_str(&["expression"]));
        let path = format!("spec.generate[{at}].expression");
        return compiling
            .one(&path, &expression, Wanted::Bool)
            .map(|compiled| Generation::Expression(expression.clone(), Box::new(compiled)));
    };
    let text = template.find_str(&["value"]);
    let interpolate = template.find_str(&["interpolate"]) == "cel";
    Template::new(text, interpolate, &compiling.environment).map(Generation::Template).map_err(|wrong| {
        let path = format!("spec.generate[{at}].template.value");
        let fault = Fault { text: wrong.text, problems: wrong.problems, of: None };
        compiling.refuse(vec![(path, Str::from(text), fault)])
    })
}
