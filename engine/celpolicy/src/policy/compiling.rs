//! What the compilers of all of Kyverno's kinds have alike: lists of expressions, variables one after the other, and the list of
//! what is wrong.
//!
//! In: expressions with their names. Out: programs, or what is wrong in Kyverno's words.
//! Mirrors: `pkg/cel/compiler/compiler.go` of Kyverno 1.19.

use super::{Exception, Refused};
use crate::compile::{Compiled, Fault, Wanted, compile};
use crate::environment::Environment;
use engine_json::{Str, quote};

/// Fields with what stands there and what is wrong with it.
pub(super) type Faults = Vec<(String, Str, Fault)>;

/// Compiles each expression of a list; all faults at once.
pub(super) fn all(
    environment: &Environment,
    path: &str,
    field: &str,
    expressions: &[(Str, Str)],
    wanted: Wanted,
) -> Result<Vec<(Str, Compiled)>, Faults> {
    let mut compiled = Vec::new();
    let mut faults = Vec::new();
    for (at, (name, expression)) in expressions.iter().enumerate() {
        match compile(expression, environment, wanted) {
            Ok(one) => compiled.push((name.clone(), one)),
            Err(fault) => faults.push((format!("{path}[{at}].{field}"), expression.clone(), fault)),
        }
    }
    if faults.is_empty() { Ok(compiled) } else { Err(faults) }
}

/// Kyverno's list, which may begin with an entry of the compiler of the kind.
// Go: field.ErrorList.ToAggregate prints a text that repeats once.
pub(super) fn listed(compiler: Option<&str>, faults: Faults) -> Refused {
    let begin =
        compiler.map(|compiler| format!("<nil>: Internal error: {compiler} error: failed to compile policy"));
    let mut entries: Vec<String> = begin.into_iter().collect();
    for (path, expression, fault) in &faults {
        let entry = format!("{path}: Invalid value: {}: {}", quote(expression), fault.text);
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let text = match entries.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    Refused { text, faults: faults.into_iter().map(|(path, _, fault)| (path, fault)).collect() }
}

/// A policy that is being compiled: its environment grows by its variables.
pub(super) struct Compiling {
    /// What its expressions may use.
    pub(super) environment: Environment,
    /// The name of the compiler, where the list of what is wrong begins with it.
    pub(super) compiler: Option<&'static str>,
}

impl Compiling {
    pub(super) fn refuse(&self, faults: Faults) -> Refused {
        listed(self.compiler, faults)
    }

    /// The variables in their order: each may use those before it.
    pub(super) fn variables(&mut self, written: &[(Str, Str)]) -> Result<Vec<(Str, Compiled)>, Refused> {
        let (mut variables, mut faults) = (Vec::new(), Vec::new());
        for (at, (name, expression)) in written.iter().enumerate() {
            match compile(expression, &self.environment, Wanted::Any) {
                Ok(compiled) => {
                    self.environment =
                        self.environment.clone().with_policy_variable(name, compiled.of.clone());
                    variables.push((name.clone(), compiled));
                }
                Err(fault) => {
                    faults.push((format!("spec.variables[{at}].expression"), expression.clone(), fault));
                }
            }
        }
        if faults.is_empty() { Ok(variables) } else { Err(self.refuse(faults)) }
    }

    /// A list of conditions.
    pub(super) fn conditions(&self, path: &str, written: &[(Str, Str)]) -> Result<Vec<Compiled>, Refused> {
        let compiled = all(&self.environment, path, "expression", written, Wanted::Bool);
        let compiled = compiled.map_err(|faults| self.refuse(faults))?;
        Ok(compiled.into_iter().map(|(_, compiled)| compiled).collect())
    }

    /// The audit annotations by their keys.
    pub(super) fn annotations(&self, written: &[(Str, Str)]) -> Result<Vec<(Str, Compiled)>, Refused> {
        let path = "spec.auditAnnotations";
        all(&self.environment, path, "valueExpression", written, Wanted::TextOrNull)
            .map_err(|faults| self.refuse(faults))
    }

    /// One expression.
    pub(super) fn one(&self, path: &str, expression: &Str, wanted: Wanted) -> Result<Compiled, Refused> {
        compile(expression, &self.environment, wanted)
            .map_err(|fault| self.refuse(vec![(path.to_owned(), expression.clone(), fault)]))
    }
}

/// The match conditions of an exception in the environment of a policy.
///
/// # Errors
/// What is wrong with them; the original then says that the policy does not compile.
pub fn exception_conditions(
    environment: &Environment,
    compiler: Option<&'static str>,
    exception: &Exception,
) -> Result<Vec<Compiled>, Refused> {
    let compiling = Compiling { environment: environment.clone(), compiler };
    compiling.conditions("spec.matchConditions", &exception.match_conditions)
}
