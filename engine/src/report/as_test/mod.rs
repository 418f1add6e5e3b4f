//! A test of what is at hand: the folder that `kyverno test` runs, with today's verdicts.
//!
//! In: an input. Out: its files. `podsieve test --init` and the page write the same ones.

mod folder;
mod evaluated;
mod settle;
mod writer;

pub use folder::run;
pub use evaluated::{Evaluated, Keyed, evaluate};
pub use settle::{label_namespaces, settle};
pub use writer::{Named, Written, write};
