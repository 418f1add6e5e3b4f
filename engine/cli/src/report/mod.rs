//! Reports for machines that the terminal alone writes, one file a format; those of clusters are `engine_lenses::report`.
//!
//! In: responses, and what is wrong with the files. Out: text.

pub(crate) mod exceptions;
pub(crate) mod junit;
pub(crate) mod ndjson;
pub(crate) mod problems;
pub(crate) mod sarif;
pub(crate) mod streamed;
pub(crate) mod table;
pub(crate) mod withheld;
