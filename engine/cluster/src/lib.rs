//! What a cluster holds, read in pieces.
//!
//! In: a stream of bytes: `List`s, lists of a kind, one object a line, objects one after the other, as JSON or as YAML. Out:
//! one text an object, in their order; memory holds one object at a time, however long the stream is.
//!
//! The modules below stand in the order of their dependence: each uses only those above it.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod window;
mod item;
mod json;
mod yaml;
mod cutter;

pub use cutter::Cutter;
pub use item::{Fault, Form, Item, ListKind};
pub use window::MAX_ITEM;
