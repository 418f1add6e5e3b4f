//! The JSON value that every crate of the engine shares.
//!
//! In: JSON text. Out: a [`Value`] that keeps the order of keys, the difference between Go's `int64` and
//! `float64` (Kyverno's verdicts depend on it) and whole numbers up to 64 bits exactly; and text again, as
//! Go's `encoding/json` writes it.
//!
//! ```
//! use engine_json::{parse, to_json};
//! let pod = parse(r#"{"spec":{"replicas":2,"host":"a<b"}}"#).unwrap();
//! assert_eq!(pod.get("spec").and_then(|s| s.get("replicas")).and_then(|r| r.as_i64()), Some(2));
//! assert_eq!(to_json(&pod), r#"{"spec":{"host":"a\u003cb","replicas":2}}"#);
//! ```
//!
//! Values are trees of shared nodes: a clone copies 24 bytes and never the tree.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod float;
mod number;
pub mod ordered;
pub mod arrange;
mod path;
mod map;
mod value;
mod measure;
mod put;
mod quote;
mod read;
mod write;

pub use float::float_text;
pub use map::Map;
pub use measure::{Excess, measure};
pub use number::Number;
pub use path::{Path, Segment};
pub use quote::quote;
pub use read::{ReadError, parse, parse_floats};
pub use smol_str::SmolStr as Str;
pub use smol_str::format_smolstr;
pub use value::Value;
pub use write::{to_json, to_json_indent, write_json, write_string};

/// How deep maps and lists may nest, in every text that is read and in every value that is put together.
///
/// Go's readers stop at 10,000; no Kubernetes object comes near 256, and the bound keeps every recursive walk
/// inside a browser's stack.
pub const MAX_DEPTH: usize = 256;
