//! What rules do, each kind as policies in CEL say it.
//!
//! In: a rule as written. Out: parts of a policy in CEL, or a refusal with its place.

pub(crate) mod apart;
pub(crate) mod configuration;
pub(crate) mod directives;
pub(crate) mod ephemeral;
pub(crate) mod foreach;
pub(crate) mod generate;
pub(crate) mod images;
pub(crate) mod json_patches;
pub(crate) mod leaf;
pub(crate) mod merged;
pub(crate) mod message;
pub(crate) mod mutate;
pub(crate) mod mutate_foreach;
pub(crate) mod native;
pub(crate) mod own;
pub(crate) mod pattern;
pub(crate) mod validate;
