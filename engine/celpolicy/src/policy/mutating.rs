//! MutatingPolicy: as it is written, and compiled.
//!
//! In: a document that its schema takes. Out: a [`Mutating`] with its variants for controllers of Pods, or what is wrong with its expressions.
//! Mirrors: `pkg/cel/policies/mpol/compiler/compiler.go` of Kyverno 1.19.

use super::compiling::Compiling;
use super::decode::{decode_one, is_simple, items, pairs};
use super::deleting::for_all_operations;
use super::mutating_autogen::variants;
use super::{Custom, Policy, Refused};
use crate::compile::{Compiled, Fault, Wanted};
use crate::environment::{Environment, Kind};
use engine_cel::ast::Expr;
use engine_cel::syntax::{self, Options};
use engine_json::{Map, Path, Str, Value};

/// One change.
#[derive(Debug)]
pub enum Mutation {
    /// A configuration that is merged into the object.
    Configuration(Compiled),
    /// A JSON patch.
    JsonPatch(Compiled),
}

/// A policy that changes objects, and its expressions as programs.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Mutating {
    /// Its name, its constraints, its conditions.
    pub policy: Policy,
    /// The constraints of the objects it changes beside the one that is asked about; null where there are none.
    pub targets: Value,
    /// What gives these objects.
    pub target_expression: Option<Compiled>,
    /// What has to hold of each of them.
    pub target_conditions: Vec<Compiled>,
    /// Whether it changes such objects.
    pub changes_existing: bool,
    /// Whether configurations may change what is atomic.
    pub changes_atomics: bool,
    /// What its expressions may use.
    pub environment: Environment,
    /// Its variables by name, in their order.
    pub variables: Vec<(Str, Compiled)>,
    /// Its match conditions.
    pub conditions: Vec<Compiled>,
    /// Its changes, in their order.
    pub mutations: Vec<Mutation>,
    /// The text of each, and the place of it in the spec.
    pub written: Vec<(Path, Str)>,
    /// Its audit annotations by key.
    pub annotations: Vec<(Str, Compiled)>,
    /// Whether the original says nothing of objects that it is not for.
    pub is_simple: bool,
    /// Whether it is for custom workloads, which it does not change.
    pub is_for_custom: bool,
    /// The same policy for controllers of Pods, and for custom workloads.
    pub variants: Vec<Mutating>,
}

impl Mutating {
    /// Reads and compiles a policy with its variants.
    ///
    /// # Errors
    /// What is wrong with its expressions.
    pub fn new(document: &Value) -> Result<Self, Refused> {
        let mut policy = Self::one(document)?;
        policy.variants = variants(document).iter().map(Self::one).collect::<Result<_, _>>()?;
        if let Some(Custom { constraints: Some(constraints) }) = &policy.policy.custom {
            let mut copy = Self::one(document)?;
            copy.is_simple = is_simple(Some(constraints));
            copy.policy.match_constraints = Some(constraints.clone());
            copy.is_for_custom = true;
            policy.variants.push(copy);
        }
        Ok(policy)
    }

    // Kyverno: the order is observable.
    fn one(document: &Value) -> Result<Self, Refused> {
        let mut policy = decode_one(document);
        policy.ignores_failures = false;
        let spec = document.get("spec").cloned().unwrap_or_default();
        if spec.find(&["autogen", "mutatingAdmissionPolicy", "enabled"]).and_then(Value::as_bool)
            == Some(true)
        {
            forbid_variables(&policy.match_conditions)?;
        }
        let environment = Environment::new(Kind::Mutating, !policy.namespace.is_empty());
        let environment = environment.map_err(|text| Refused { text, faults: Vec::new() })?;
        let mut compiling = Compiling { environment, compiler: None };
        let variables = compiling.variables(&policy.variables)?;
        let conditions = compiling.conditions("spec.matchConditions", &policy.match_conditions)?;
        let target = Str::from(spec.find_str(&["targetMatchConstraints", "expression"]));
        let path = "spec.targetMatchConstraints.expression";
        let target_expression =
            (!target.is_empty()).then(|| compiling.one(path, &target, Wanted::Entries)).transpose()?;
        let targets = pairs(spec.get("targetMatchConditions"), "name", "expression");
        let target_conditions = compiling.conditions("spec.targetMatchConditions", &targets)?;
        let annotations = compiling.annotations(&policy.audit_annotations)?;
        let (mut mutations, mut texts) = (Vec::new(), Vec::new());
        for (at, written) in items(spec.get("mutations")).enumerate() {
            if let Some((mutation, field, text)) = mutation(&compiling, at, written)? {
                mutations.push(mutation);
                texts.push((Path::root().join("mutations").join(at).join(field).join("expression"), text));
            }
        }
        let is_on = |path: &[&str]| spec.find(path).and_then(Value::as_bool) == Some(true);
        Ok(Mutating {
            is_simple: is_simple(policy.match_constraints.as_ref()),
            changes_existing: is_on(&["evaluation", "mutateExisting", "enabled"]),
            changes_atomics: is_on(&["evaluation", "useServerSideApply"]),
            targets: spec.get("targetMatchConstraints").cloned().unwrap_or_default(),
            target_expression,
            target_conditions,
            environment: compiling.environment,
            variables,
            conditions,
            mutations,
            written: texts,
            annotations,
            is_for_custom: false,
            variants: Vec::new(),
            policy,
        })
    }

    /// The constraints of the objects that it changes beside the one that is asked about, for every operation.
    // Kyverno: targetMatchPredicate in the CLI's policy_processor.go.
    pub fn target_constraints(&self) -> Value {
        let has_rules = items(self.targets.get("resourceRules")).next().is_some();
        if has_rules { for_all_operations(&self.targets) } else { for_all_operations(&self.constraints()) }
    }

    /// The constraints; a policy without any is for everything.
    pub fn constraints(&self) -> Value {
        self.policy.match_constraints.clone().unwrap_or_else(|| Value::object(Map::new()))
    }
}

/// One change with its field and its text; nothing where its type is unknown, or what the type asks for is not there.
fn mutation(
    compiling: &Compiling,
    at: usize,
    written: &Value,
) -> Result<Option<(Mutation, &'static str, Str)>, Refused> {
    let (field, wanted, of): (_, _, fn(Compiled) -> Mutation) = match written.find_str(&["patchType"]) {
        "JSONPatch" => ("jsonPatch", Wanted::JsonPatches, Mutation::JsonPatch),
        "ApplyConfiguration" => ("applyConfiguration", Wanted::Configuration, Mutation::Configuration),
        _ => return Ok(None),
    };
    let Some(body) = written.get(field).filter(|body| !body.is_null()) else { return Ok(None) };
    let text = Str::from(body.find_str(&["expression"]));
    let compiled = compiling.one(&format!("spec.mutations[{at}].{field}.expression"), &text, wanted)?;
    Ok(Some((of(compiled), field, text)))
}

/// Refuses conditions that use variables.
// Kyverno: validateMAPCompatibleMatchConditions.
fn forbid_variables(conditions: &[(Str, Str)]) -> Result<(), Refused> {
    const WHY: &str = "variables cannot be referenced in matchConditions when spec.autogen.mutatingAdmissionPolicy.enabled is true; native MutatingAdmissionPolicy evaluates match conditions before variables, so inline the expression instead";
    let options = Options { macros: &[syntax::STANDARD], optional_syntax: true };
    let uses = |text: &str| {
        let Ok(ast) = syntax::parse(text, &options) else { return false };
        ast.nodes().iter().any(|node| matches!(&node.expr, Expr::Ident(name) if name == "variables"))
    };
    let mut faults = Vec::new();
    let mut entries = Vec::new();
    for (at, (_, text)) in conditions.iter().enumerate().filter(|(_, (_, text))| uses(text)) {
        let path = format!("spec.matchConditions[{at}].expression");
        entries.push(format!("{path}: Forbidden: {WHY}"));
        let problems = vec![(None, WHY.to_owned())];
        faults.push((path, Fault { text: text.to_string(), problems, of: None }));
    }
    match entries.as_slice() {
        [] => Ok(()),
        [one] => Err(Refused { text: one.clone(), faults }),
        many => Err(Refused { text: format!("[{}]", many.join(", ")), faults }),
    }
}
