//! The environments of policies of images.
//!
//! In: whether the policy is for payloads of JSON, and whether it belongs to a namespace. Out: an [`Environment`].
//! Mirrors: `pkg/image/verification/evaluator/compiler.go`, `NewMatchImageEnv` of `pkg/cel/compiler/env.go` of Kyverno 1.19.

use super::{
    Environment, VARIABLES, changing, extensions, kubernetes, kyverno, language, types, with_variables,
};
use crate::functions as own;
use engine_cel::env::Env;
use engine_cel::standard;
use engine_cel::syntax::{self, Macro};
use engine_cel::types::Type;
use engine_json::Str;
use std::sync::{Mutex, OnceLock};

/// The macros without Kyverno's own: `orValue` is that of the language.
const MACROS: &[&[Macro]] = &[
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
    syntax::PROTOS,
];

/// The macros of an expression that selects images.
const BARE_MACROS: &[&[Macro]] =
    &[syntax::STANDARD, syntax::OPTIONAL, syntax::BINDINGS, syntax::MATH, syntax::LISTS, syntax::PROTOS];

/// What every policy has.
const DECLARED: &[(&str, &str)] = &[
    ("object", "dyn"),
    ("images", "map(string, list(string))"),
    ("attestors", "map(string, dyn)"),
    ("attestations", "map(string, string)"),
    ("resource", "resource.Context"),
    ("http", "http.Context"),
    ("globalContext", "globalcontext.Context"),
    ("image", "imagedata.Context"),
    ("json", "json.Json"),
    ("yaml", "yaml.Yaml"),
];

/// What one for resources has beside it.
const OF_REQUESTS: &[(&str, &str)] = &[
    ("oldObject", "dyn"),
    ("request", "kubernetes.AdmissionRequest"),
    ("namespaceObject", "kubernetes.Namespace"),
    ("variables", VARIABLES),
];

/// An environment that was made, and whether it is for payloads and for a namespace.
type Kept = ((bool, bool), Environment);

/// The environment of an `ImageValidatingPolicy`: made once, and shared.
///
/// # Errors
/// A row of the engine itself whose signature cannot be read.
pub fn of_images(is_json: bool, namespaced: bool) -> Result<Environment, String> {
    static MADE: OnceLock<Mutex<Vec<Kept>>> = OnceLock::new();
    let made = || MADE.get_or_init(Mutex::default).lock().ok();
    let is_it = |known: &&Kept| known.0 == (is_json, namespaced);
    if let Some((_, known)) = made().as_ref().and_then(|made| made.iter().find(is_it)) {
        return Ok(known.clone());
    }
    let environment = make(is_json, namespaced)?;
    if let Some(mut made) = made() {
        made.push(((is_json, namespaced), environment.clone()));
    }
    Ok(environment)
}

fn make(is_json: bool, namespaced: bool) -> Result<Environment, String> {
    let without = [own::compat::ROWS, own::x509::ROWS];
    let is_there = |name: &str| !without.iter().any(|rows| rows.iter().any(|row| row.name == name));
    let kyverno = kyverno(namespaced).filter(|row| is_there(row.name));
    let rows = language().chain(kubernetes()).chain(kyverno).chain(own::imageverify::ROWS);
    let env = types::declare(standard::with_messages(standard::with_types(Env::new(rows)?)))?;
    let of_requests: &[(&str, &str)] = if is_json { &[] } else { OF_REQUESTS };
    let declared: Vec<(&str, &str)> = DECLARED.iter().chain(of_requests).copied().collect();
    Ok(Environment { macros: MACROS, ..with_variables(env, &declared)? })
}

/// The environment of an expression that selects images by their references: cel-go by itself, without a limit of cost.
///
/// # Errors
/// A row of the engine itself whose signature cannot be read.
pub fn of_references() -> Result<Environment, String> {
    let rows = extensions().chain(changing::kubernetes()).chain(own::image::ROWS);
    let env = types::declare(standard::with_messages(standard::with_types(Env::new(rows)?)))?;
    Ok(Environment {
        env: env.with_variable("ref", Type::String),
        macros: BARE_MACROS,
        variables: vec![Str::new_static("ref")],
        limit: None,
        mixed_literals: false,
        is_of_kubernetes: false,
        looks_at_formats: true,
        of_variables: VARIABLES,
    })
}
