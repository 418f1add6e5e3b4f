//! What expressions of each kind of policy may use.
//!
//! In: the kind, and whether the policy belongs to a namespace. Out: an [`Environment`]: functions, macros, variables with
//! their types, validators and the limit of cost. Mirrors: `environment.MustBaseEnvSet` of Kubernetes 0.36 and
//! `pkg/cel/compiler/env.go` of Kyverno 1.19.

mod changing;
mod images;
mod releases;
mod requests;
mod types;

use crate::functions as own;
use engine::load::Kubernetes;
use engine_cel::env::{Env, Identifier};
use engine_cel::function::Function;
use engine_cel::syntax::{self, Macro};
use engine_cel::types::Type;
use engine_cel::value::{Map, Value};
use engine_cel::{ast::Literal, standard};
use engine_json::Str;
pub use images::{of_images, of_references};
pub use requests::of_requests;
use std::sync::{Mutex, OnceLock};
pub use types::{ADMISSION_VARIABLES, REQUEST, VARIABLES};

/// The limit of cost of one evaluation.
// Kubernetes: apiserver/pkg/apis/cel/config.go PerCallLimit.
pub const COST_LIMIT: u64 = 1_000_000;

/// Whether people write a function by its name: operators have no name, and what macros become holds an `@` or begins with `_`.
pub fn is_written(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('@')
}

/// Which policies an environment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `ValidatingPolicy` and its namespaced twin.
    Validating,
    /// `MutatingPolicy` and its namespaced twin.
    Mutating,
    /// `GeneratingPolicy` and its namespaced twin.
    Generating,
    /// `DeletingPolicy` and its namespaced twin.
    Deleting,
    /// Kubernetes' `ValidatingAdmissionPolicy`, and the rule `validate.cel`.
    Admission {
        /// Whether there are parameters.
        params: bool,
        /// Whether expressions may ask who may do what.
        authorizer: bool,
    },
    /// Kubernetes' `MutatingAdmissionPolicy`.
    MutatingAdmission {
        /// Whether there are parameters.
        params: bool,
    },
    /// Both of Kubernetes' kinds as an API server compiles them, without what Kyverno adds.
    ApiServer(Offered),
}

/// What an API server declares for an expression beside the objects of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Offered {
    /// `params`.
    pub params: bool,
    /// `authorizer`.
    pub authorizer: bool,
    /// `variables`.
    pub variables: bool,
    /// What patches are made of.
    pub patches: bool,
    /// The libraries that this release knows.
    pub libraries: Kubernetes,
}

impl Kind {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Every kind, by the name under which `--kind` takes it.
    pub const ALL: &[(&str, Kind)] = &[
        ("ValidatingPolicy", Kind::Validating),
        ("MutatingPolicy", Kind::Mutating),
        ("GeneratingPolicy", Kind::Generating),
        ("DeletingPolicy", Kind::Deleting),
        ("ValidatingAdmissionPolicy", Kind::Admission { params: true, authorizer: false }),
        ("MutatingAdmissionPolicy", Kind::MutatingAdmission { params: true }),
        ("validate.cel", Kind::Admission { params: true, authorizer: true }),
    ];
}

/// What expressions may use.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Functions, variables and types.
    pub env: Env,
    /// What is replaced while parsing.
    pub macros: &'static [&'static [Macro]],
    /// The names of the variables, in the order of their bindings.
    pub variables: Vec<Str>,
    /// The limit of cost, where there is one.
    pub limit: Option<u64>,
    /// Whether literals may hold values of different types.
    pub mixed_literals: bool,
    /// Whether Kubernetes' environment lies below: arguments that are literals are looked at, and constants folded, when an
    /// expression is compiled.
    pub is_of_kubernetes: bool,
    /// Whether the clauses of `format` are looked at when an expression is compiled.
    pub looks_at_formats: bool,
    /// The type of `variables`.
    of_variables: &'static str,
}

/// An environment that was made, and what for.
type Kept = ((Kind, bool), Environment);

/// The macros that expressions of every kind may use.
pub const MACROS: &[&[Macro]] = &[
    own::compat::MACROS,
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::TWO_VARIABLES,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
    syntax::PROTOS,
];

/// The macros of cel-go and its extensions alone.
const BARE_MACROS: &[&[Macro]] = &[
    own::compat::MACROS,
    syntax::STANDARD,
    syntax::OPTIONAL,
    syntax::BINDINGS,
    syntax::MATH,
    syntax::LISTS,
    syntax::PROTOS,
];

/// The variables with their types, in the order of their bindings.
const DECLARED: &[(&str, &str)] = &[
    ("object", "dyn"),
    ("oldObject", "dyn"),
    ("request", "kubernetes.AdmissionRequest"),
    ("namespaceObject", "kubernetes.Namespace"),
    ("variables", VARIABLES),
    ("exceptions", "libs.Exception"),
    ("resource", "resource.Context"),
    ("http", "http.Context"),
    ("globalContext", "globalcontext.Context"),
    ("image", "imagedata.Context"),
    ("json", "json.Json"),
    ("yaml", "yaml.Yaml"),
];

/// The same for Kubernetes' own policies.
const DECLARED_IN_ADMISSION: &[(&str, &str)] = &[
    ("object", "dyn"),
    ("oldObject", "dyn"),
    ("namespaceObject", "kubernetes.Namespace"),
    ("request", "kubernetes.AdmissionRequest"),
];

/// The values that a policy names itself.
const OWN_VARIABLES: &[(&str, &str)] = &[("variables", ADMISSION_VARIABLES)];

/// What is declared where a policy may ask who may do what.
const AUTHORIZER: &[(&str, &str)] = &[
    ("authorizer", "kubernetes.authorization.Authorizer"),
    ("authorizer.requestResource", "kubernetes.authorization.ResourceCheck"),
];

/// The libraries of the language itself that every kind has.
fn extensions() -> impl Iterator<Item = &'static Function> {
    let libraries = [
        standard::OPTIONAL,
        standard::STRINGS,
        standard::LISTS,
        standard::SETS,
        standard::ENCODERS,
        standard::REGEX,
    ];
    standard::CORE.iter().chain(standard::MATH).copied().chain(libraries).flatten()
}

/// The libraries of the language itself, as Kubernetes has them.
fn language() -> impl Iterator<Item = &'static Function> {
    extensions().chain(standard::TWO_VARIABLES)
}

/// What Kyverno compiles policies of Kubernetes with.
fn language_of_kyverno() -> impl Iterator<Item = &'static Function> {
    language().chain(own::compat::ROWS).chain(kubernetes())
}

/// The libraries of Kubernetes.
pub fn kubernetes() -> impl Iterator<Item = &'static Function> {
    let libraries = [
        own::url::ROWS,
        own::regex::ROWS,
        own::lists::ROWS,
        own::quantity::ROWS,
        own::ip::ROWS,
        own::cidr::ROWS,
        own::format::ROWS,
        own::semver::ROWS,
        own::authz::ROWS,
        own::authz::SELECTORS,
    ];
    libraries.into_iter().flatten()
}

/// The libraries of Kyverno, for policies of the whole cluster or of one namespace.
pub fn kyverno(namespaced: bool) -> impl Iterator<Item = &'static Function> {
    let resource = if namespaced { own::outside::NAMESPACED_RESOURCE } else { own::outside::RESOURCE };
    let libraries = [
        own::compat::ROWS,
        own::outside::GLOBAL_CONTEXT,
        own::image::ROWS,
        own::outside::IMAGE_DATA,
        own::user::ROWS,
        own::hash::ROWS,
        own::math::ROWS,
        own::json::ROWS,
        own::yaml::ROWS,
        own::random::ROWS,
        own::x509::ROWS,
        own::time::ROWS,
        own::transform::ROWS,
        own::gzip::ROWS,
    ];
    libraries.into_iter().chain(resource).chain(own::outside::HTTP).flatten()
}

/// All functions of a ValidatingPolicy, of the whole cluster or of one namespace.
pub fn rows(namespaced: bool) -> impl Iterator<Item = &'static Function> {
    language().chain(kubernetes()).chain(kyverno(namespaced))
}

/// All functions of all kinds.
pub fn all_rows() -> impl Iterator<Item = &'static Function> {
    rows(false).chain(own::jsonpatch::ROWS).chain(own::generator::ROWS)
}

/// What Kyverno lays around Kubernetes' environment, with these variables.
fn with_variables(mut env: Env, declared: &[(&str, &str)]) -> Result<Environment, String> {
    for (name, of) in declared {
        env = env.with_variable(name, Type::parse(of)?);
    }
    let empty = Identifier::Constant(Type::String, Literal::String(Str::default()));
    let env = env.with_identifier("mylib_version", empty);
    Ok(Environment {
        env,
        macros: MACROS,
        variables: declared.iter().map(|(name, _)| Str::from(*name)).collect(),
        limit: Some(COST_LIMIT),
        mixed_literals: false,
        is_of_kubernetes: true,
        looks_at_formats: true,
        of_variables: VARIABLES,
    })
}

impl Environment {
    /// The environment of a kind of policy: made once, and shared by all policies of the kind.
    ///
    /// # Errors
    /// A row of the engine itself whose signature cannot be read.
    pub fn new(kind: Kind, namespaced: bool) -> Result<Self, String> {
        static MADE: OnceLock<Mutex<Vec<Kept>>> = OnceLock::new();
        let made = || MADE.get_or_init(Mutex::default).lock().ok();
        let is_it = |known: &&Kept| known.0 == (kind, namespaced);
        if let Some((_, known)) = made().as_ref().and_then(|made| made.iter().find(is_it)) {
            return Ok(known.clone());
        }
        let environment = Self::make(kind, namespaced)?;
        if let Some(mut made) = made() {
            made.push(((kind, namespaced), environment.clone()));
        }
        Ok(environment)
    }

    fn make(kind: Kind, namespaced: bool) -> Result<Self, String> {
        match kind {
            Kind::Validating => Self::of_validating(namespaced),
            Kind::Mutating => changing::of_mutating(namespaced),
            Kind::Generating => changing::of_generating(namespaced),
            Kind::Deleting => changing::of_deleting(namespaced),
            Kind::Admission { params, authorizer } => {
                let offered = Offered { params, authorizer, variables: true, ..Offered::default() };
                Self::of_admission(offered, language_of_kyverno(), MACROS)
            }
            Kind::MutatingAdmission { params } => {
                let offered = Offered { params, variables: true, patches: true, ..Offered::default() };
                Self::of_admission(offered, language_of_kyverno(), MACROS)
            }
            Kind::ApiServer(offered) => {
                let Offered { libraries, .. } = offered;
                let made =
                    Self::of_admission(offered, releases::functions(libraries), releases::macros(libraries));
                Ok(Environment { looks_at_formats: releases::looks_at_formats(libraries), ..made? })
            }
        }
    }

    // Kyverno: pkg/admissionpolicy/compiler.go: Kubernetes' environment and the macro.
    // Kubernetes: apiserver/pkg/admission/plugin/cel/compile.go: where there are patches, what these are made of.
    fn of_admission(
        offered: Offered,
        functions: impl Iterator<Item = &'static Function>,
        macros: &'static [&'static [Macro]],
    ) -> Result<Self, String> {
        let of_patches = if offered.patches { own::jsonpatch::ROWS } else { &[] };
        let env = Env::new(functions.chain(of_patches))?;
        let env = types::declare(standard::with_messages(standard::with_types(env)))?;
        let mut env = types::without_objects(env);
        if offered.patches {
            env = changing::with_objects(env)?;
        }
        let declared = [
            (true, DECLARED_IN_ADMISSION),
            (offered.variables, OWN_VARIABLES),
            (offered.params, &[("params", "dyn")]),
            (offered.authorizer, AUTHORIZER),
        ];
        let declared =
            || declared.into_iter().filter(|(is_offered, _)| *is_offered).flat_map(|(_, names)| names);
        for (name, of) in declared() {
            env = env.with_variable(name, Type::parse(of)?);
        }
        let variables = declared().map(|(name, _)| Str::from(*name)).collect();
        let limit = Some(COST_LIMIT);
        Ok(Environment {
            env,
            macros,
            variables,
            limit,
            mixed_literals: false,
            is_of_kubernetes: true,
            looks_at_formats: true,
            of_variables: ADMISSION_VARIABLES,
        })
    }

    fn of_validating(namespaced: bool) -> Result<Self, String> {
        let env = types::declare(standard::with_messages(standard::with_types(Env::new(rows(namespaced))?)))?;
        with_variables(env, DECLARED)
    }

    /// The same with a variable of the policy's own, of this type.
    #[must_use]
    pub fn with_policy_variable(mut self, name: &str, of: Type) -> Self {
        let of = if self.of_variables == ADMISSION_VARIABLES { types::declared(of) } else { of };
        self.env = types::with_field(self.env, self.of_variables, name, of);
        self
    }

    /// The same with a further variable of the caller's.
    #[must_use]
    pub fn with_variable(mut self, name: &str) -> Self {
        self.env = self.env.with_variable(name, Type::Dyn);
        if !self.variables.iter().any(|known| known == name) {
            self.variables.push(Str::from(name));
        }
        self
    }
}

/// What `variables` is as a whole: the original has no entries there that could be seen.
pub(crate) fn no_entries<'v>() -> Value<'v> {
    let mut variables = Map::default();
    variables.type_name = Some(Str::new_static(VARIABLES));
    Value::map(variables)
}
