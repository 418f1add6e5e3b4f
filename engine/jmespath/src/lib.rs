//! Kyverno's dialect of JMESPath.
//!
//! In: the text of an expression and a value. Out: a value, or an error in the words of the original. The
//! language is that of `kyverno/go-jmespath`: the community edition of 2015 in which a missing key is an error,
//! unless something above it asks for null.
//!
//! ```
//! use engine_jmespath::{Registry, Runtime, parse};
//! let pod = engine_json::parse(r#"{"spec":{"containers":[{"image":"nginx"}]}}"#).unwrap();
//! let registry = Registry::standard();
//! let runtime = Runtime::new(&registry);
//! let images = parse("spec.[initContainers, containers][].image").unwrap();
//! assert_eq!(engine_json::to_json(&images.search(&pod, &runtime).unwrap()), r#"["nginx"]"#);
//! let missing = parse("spec.volumes").unwrap().search(&pod, &runtime).unwrap_err();
//! assert_eq!(missing.to_string(), r#"Unknown key "volumes" in path"#);
//! ```
//!
//! Reading order: `token`, `lex`, `ast`, `parse` (text to tree); `argument`, `eval`, `slice` (tree to value);
//! `function`, `registry`, `call`, `standard` (functions); `limits`, `error`, `go_format`.
//!
//! The numbers of a document are Go's: only [`engine_json::Number::Float`] is a number to this language, as
//! `float64` is to the original. Apply [`engine_json::Value::with_float_numbers`] where the original reads JSON.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod ast;
mod error;
pub mod limits;
pub mod go_format;
mod argument;
mod slice;
mod call;
mod eval;
mod function;
mod registry;
mod standard;
mod expression;
mod token;
mod lex;
mod parse;

pub use argument::Argument;
pub use ast::Node;
pub use call::Call;
pub use error::{EvalError, ParseError};
pub use expression::{Expression, parse};
pub use function::{Arg, Function, Kind, Run};
pub use registry::{FixedHost, Host, Registry, Runtime};
