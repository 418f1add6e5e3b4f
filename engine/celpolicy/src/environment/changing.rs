//! The environments of the policies that change things.
//!
//! In: whether the policy belongs to a namespace. Out: an [`Environment`].
//! Mirrors: `pkg/cel/policies/{dpol,mpol,gpol}/compiler/compiler.go` of Kyverno 1.19.

use super::{BARE_MACROS, DECLARED, Environment, extensions, types, with_variables};
use crate::functions as own;
use engine_cel::env::{Env, TypeKind};
use engine_cel::function::Function;
use engine_cel::standard;
use engine_cel::types::Type;
use engine_json::Str;

/// The libraries of Kubernetes that Kyverno takes by itself, without those of its base environment.
pub(super) fn kubernetes() -> impl Iterator<Item = &'static Function> {
    let authz = || own::authz::ROWS.iter().chain(own::authz::SELECTORS);
    super::kubernetes().filter(move |row| !authz().any(|known| known.name == row.name))
}

/// The libraries of Kyverno without that of user names.
fn kyverno(namespaced: bool) -> impl Iterator<Item = &'static Function> {
    super::kyverno(namespaced).filter(|row| !own::user::ROWS.iter().any(|known| known.name == row.name))
}

/// The types of which expressions that change an object make values: `Object`, all that begins with `Object.`.
// Kubernetes: apiserver/pkg/cel/mutation/typeresolver.go.
pub(super) fn with_objects(env: Env) -> Result<Env, String> {
    let text = |name: &str| Ok((Str::from(name), Type::String));
    let fields = ["op", "from", "path"].into_iter().map(text).chain([Ok((Str::from("value"), Type::Dyn))]);
    let fields = fields.collect::<Result<_, String>>()?;
    Ok(env.with_type("Object", TypeKind::AnyField).with_type("JSONPatch", TypeKind::Struct(fields)))
}

/// The environment of a kind that Kyverno does not build on that of Kubernetes: cel-go by itself, without a limit of cost.
// Kyverno: pkg/cel/compiler/env.go DefaultEnvOptions, whose programs are made without options.
fn bare(made: Environment) -> Environment {
    Environment { macros: BARE_MACROS, limit: None, is_of_kubernetes: false, ..made }
}

/// The environment of a `DeletingPolicy`.
// Kyverno: `exceptions` is declared with a type that nobody knows, so any use of it is an error.
pub(super) fn of_deleting(namespaced: bool) -> Result<Environment, String> {
    let env = Env::new(extensions().chain(kubernetes()).chain(kyverno(namespaced)))?;
    let env = with_objects(types::declare(standard::with_messages(standard::with_types(env)))?)?;
    let declared: Vec<(&str, &str)> = DECLARED
        .iter()
        .map(|(name, of)| (*name, if *name == "exceptions" { "compiler.Exception" } else { *of }))
        .collect();
    Ok(bare(with_variables(env, &declared)?))
}

/// The environment of a `MutatingPolicy`.
pub(super) fn of_mutating(namespaced: bool) -> Result<Environment, String> {
    let env = Env::new(super::rows(namespaced).chain(own::jsonpatch::ROWS))?;
    let env = with_objects(types::declare(standard::with_messages(standard::with_types(env)))?)?;
    with_variables(env, DECLARED)
}

/// The environment of a `GeneratingPolicy`.
// Kyverno: DynamicResourceEnvOptions: what is generated mixes types.
pub(super) fn of_generating(namespaced: bool) -> Result<Environment, String> {
    let generator = if namespaced { own::generator::NAMESPACED } else { own::generator::ROWS };
    let rows = extensions().chain(kubernetes()).chain(kyverno(namespaced)).chain(generator);
    let env = types::declare(standard::with_messages(standard::with_types(Env::new(rows)?)))?;
    let env = env.with_type("generator.Context", TypeKind::Opaque);
    let declared: Vec<(&str, &str)> =
        DECLARED.iter().copied().chain([("generator", "generator.Context")]).collect();
    Ok(bare(Environment { mixed_literals: true, ..with_variables(env, &declared)? }))
}
