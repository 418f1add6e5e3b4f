//! Mistakes put into policies on purpose, and which of them change nothing.
//!
//! In: the documents of a side, a seed. Out: a changed document with a name for what was changed. They measure how much a search notices.

pub(crate) mod cel_mutants;
mod conditions;
mod elements;
mod further;
pub(crate) mod idle;
pub mod mutants;
mod never_there;
pub(crate) mod noticed;
mod patches;
mod patterns;
mod reached;
