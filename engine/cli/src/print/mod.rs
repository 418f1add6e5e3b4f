//! What a person reads: the text of the original, diagnostics as snippets, reasons step by step.
//!
//! In: responses and diagnostics. Out: text. Reports for machines are in `report`.

pub(crate) mod autogen;
pub(crate) mod diagnostics;
pub(crate) mod drift;
pub(crate) mod explain;
pub(crate) mod paint;
pub(crate) mod repeated;
pub(crate) mod text;
