//! A Kyverno-compatible policy engine.
//!
//! In: texts of policies, resources and what stands around them. Out: for every policy and resource the verdict
//! of Kyverno 1.19 in its own words, with the lines that decided. Nothing else is read: no file, no clock, no
//! network; what lies outside is asked of a [`world::World`].
//!
//! [`load`] makes a [`Bundle`] of texts; [`apply::apply_each`] and [`apply::Driver::each`] give each verdict away as it is
//! found. What can be shown of a verdict is made of it by the crate `engine-lenses`.
//!
//! The modules below stand in the order of their dependence: each uses only those above it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod diag;
pub mod template;
pub use engine_values as value;

pub mod pattern;

mod patch;
mod references;
pub mod resource;

mod cluster;

pub mod policy;

pub mod autogen;
pub mod load;

pub mod trace;
pub mod world;

mod functions;

mod context;

pub mod condition;
pub mod matching;

mod admission;
mod rules;

pub mod outcome;

pub mod body;

pub mod apply;

pub use apply::{Host, Options, Outcome, apply};
pub use engine_jmespath as jmespath;
pub use engine_json as json;
pub use engine_podsecurity as podsecurity;
pub use engine_yaml as yaml;
pub use functions::{clean_path, registry};
pub use load::{Bundle, load};
pub use rules::unreadable;

/// The Kyverno release whose verdicts and words these are.
pub const KYVERNO_VERSION: &str = "1.19.1";

/// Why an expression has no value.
#[derive(Debug)]
pub enum QueryError {
    /// It is not an expression.
    Parse(engine_jmespath::ParseError),
    /// It has no value over this document.
    Eval(engine_jmespath::EvalError),
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            QueryError::Parse(error) => error.fmt(f),
            QueryError::Eval(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for QueryError {}

/// The value of an expression over a document, with all of Kyverno's functions.
pub fn query(
    expression: &str,
    document: &json::Value,
    world: &dyn world::World,
) -> Result<json::Value, QueryError> {
    let registry = functions::registry();
    let compiled = engine_jmespath::parse(expression).map_err(QueryError::Parse)?;
    let host = functions::WorldHost { world };
    compiled
        .search(document, &engine_jmespath::Runtime { registry: &registry, host: &host })
        .map_err(QueryError::Eval)
}
