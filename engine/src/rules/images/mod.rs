//! `verifyImages` rules: in the part of a run that verifies and writes digests, and in the one that validates.
//!
//! In: a rule and the images of a resource. Out: results in Kyverno's words.

mod checks;
mod entries;
mod metadata;
mod signatures;
mod verify;

pub(super) use checks::run as validate;
pub(crate) use metadata::Metadata;
pub(super) use signatures::kind;
pub(crate) use verify::run_verify;
pub(super) use verify::{one_key_each, required};
