//! podsieve as a library: policies and resources in, verdicts with reasons and lines out. No cluster, no network, no files.
//!
//! In: texts, as [`wire`] describes them. Out: plain data. Nothing here fails or panics because of a text: what cannot be read is a
//! diagnostic of the answer, with its line.
//!
//! ```
//! use podsieve::wire::{Input, Text};
//!
//! let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
//! let policy = "
//! apiVersion: kyverno.io/v1
//! kind: ClusterPolicy
//! metadata: {name: no-host-network}
//! spec:
//!   rules:
//!   - name: no-host-network
//!     match: {any: [{resources: {kinds: [Pod]}}]}
//!     validate:
//!       message: The network of the host is not for Pods.
//!       pattern: {spec: {=(hostNetwork): false}}
//! ";
//! let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {hostNetwork: true, containers: []}}";
//! let input = Input { policies: text("policy.yaml", policy), resources: text("pod.yaml", pod), ..Input::default() };
//!
//! let answer = podsieve::decide(&input, &podsieve::world());
//!
//! assert!(answer.complete, "{:?}", answer.diagnostics);
//! assert_eq!(answer.counts.fail, 1);
//! let rule = &answer.results[0].rules[0];
//! assert_eq!(rule.rule, "no-host-network");
//! assert!(rule.message.starts_with("validation error: The network of the host is not for Pods."));
//! ```
//!
//! The same questions as JSON text, for other languages, are the rows of [`QUESTIONS`]: `podsieve ask` in a terminal speaks them.

/// The program of the package's README is compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod asked;
mod clock;
mod search;

mod compared;

mod questions;

pub use asked::{CompareInput, ConvertInput, To};
pub use clock::{world, world_at};
pub use compared::{CompareOutput, ConvertOutput, compare, convert};
pub use engine::world::{StaticWorld, World};
pub use engine_lenses::explain::run as explain;
pub use engine_lenses::run::{Session, functions, run as decide, version};
pub use engine_lenses::wire;
pub use questions::{Asking, COMPARE, CONVERT, QUESTIONS, Question, ask, question};
pub use search::{Search, Within};
