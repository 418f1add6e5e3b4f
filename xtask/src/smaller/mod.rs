//! A module for a server made smaller than wasm-opt can make it: what lies there counts, not what travels alone.
//!
//! In: a module before wasm-opt and after it. Out: a module that does the same.

mod choose;
mod data;
mod function;
mod lz;
mod panics;
mod parts;
mod range;
mod repeats;
mod unpack;

/// The module, smaller; it has names of functions to begin with, and none in the end.
pub(crate) fn smaller(module: &[u8]) -> Result<Vec<u8>, String> {
    data::packed(&repeats::once(module)?)
}

/// The module as wasm-opt is to get it: panics say nothing.
pub(crate) fn mute(module: &[u8]) -> Result<Vec<u8>, String> {
    panics::mute(module)
}

#[cfg(test)]
mod tests;
