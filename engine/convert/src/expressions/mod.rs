//! Expressions: of JMESPath as values of CEL, and formulas of CEL as text.
//!
//! In: an expression of JMESPath, and what its variables stand for. Out: an expression of CEL with its type, or a refusal.

pub(crate) mod access;
pub(crate) mod amounts;
pub(crate) mod empty_lists;
pub(crate) mod expr;
pub(crate) mod formula;
pub(crate) mod functions;
pub(crate) mod jmes;
pub(crate) mod lines;
pub(crate) mod no_default;
pub(crate) mod of_cluster;
pub(crate) mod scope;
pub(crate) mod simplified;
pub(crate) mod template;
pub(crate) mod truth;
pub(crate) mod types;
pub(crate) mod way;
pub(crate) mod wildcard;
pub(crate) mod written;
