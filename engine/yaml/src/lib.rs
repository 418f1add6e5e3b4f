//! YAML as Kubernetes reads and writes it, with the place of every value.
//!
//! In: the text of a file. Out: its documents as [`Value`]s, findings about what is wrong with it, and spans for
//! paths; and text again, byte for byte as the original writes it.
//!
//! ```
//! use engine_yaml::{Options, Source, SourceId, parse};
//! let text = "on: 0x1F\n---\n- a: &x yes\n  b: *x\n";
//! let source = Source { id: SourceId(0), name: "pod.yaml".into(), text: text.into() };
//! let parsed = parse(&source, &Options::default());
//! assert_eq!(engine_json::to_json(&parsed.documents[0].value), r#"{"true":31}"#);
//! assert_eq!(engine_json::to_json(&parsed.documents[1].value), r#"[{"a":true,"b":true}]"#);
//! assert_eq!(engine_yaml::emit::to_yaml(&parsed.documents[0].value), "\"true\": 31\n");
//! let path = engine_json::Path::from_keys(&["true"]);
//! let span = parsed.documents[0].spans(text).value_span(&path).unwrap();
//! assert_eq!(&text[span.start as usize..span.end as usize], "0x1F");
//! ```
//!
//! Reading order: `source`, `split`, `cursor`, `token`, `scalar`, `scan`, `compose`, `resolve`, `key`, `decode`, `spans`, `comments`, `parse`; `fast` is the
//! short way for plain documents, `emit` the way back.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod cursor;
mod control;
mod float;
mod limits;
mod source;
mod finding;
mod fault;
mod split;
mod timestamp;
mod resolve;
pub mod emit;
mod fast;
mod node;
mod key;
mod decode;
mod spans;
mod comments;
mod token;
mod directive;
mod scalar;
mod scan;
mod compose;
mod parse;
mod revise;
pub mod places;

pub use comments::{Comment, Side};
pub use finding::{Error, Finding, FindingKind};
pub use limits::{MAX_BYTES, MAX_KEY_CHARS, MAX_KEYS, MAX_NODES};
pub use parse::{Document, Options, Parsed, Reader, parse, parse_one, strict_error, strict_findings};
pub use revise::revise;
pub use source::{LineIndex, Source, SourceId, Span};
pub use spans::Spans;

// What the signatures above speak of.
pub use engine_json::{Path, Value};
