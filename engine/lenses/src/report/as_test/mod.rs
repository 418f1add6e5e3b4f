//! A test of what is at hand: the folder that `kyverno test` runs, with today's verdicts.
//!
//! In: an input. Out: its files. `podsieve test --init` and the page write the same ones.

mod evaluated;
mod folder;
mod same;
mod settle;
mod writer;

pub use evaluated::{Evaluated, Keyed, evaluate};
pub use folder::run;
pub use same::{comparable, is_same};
pub use settle::{label_namespaces, settle};
pub use writer::{Named, Written, write};
