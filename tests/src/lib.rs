//! Runs cases on the engine and holds the answers against those of the originals; and the house against its rules.
//!
//! In: recorded cases, Markdown cases, the repository itself. Out: figures and failures. `README.md` beside this
//! crate's `Cargo.toml` says how to run, add and update.

pub mod agents;
pub mod both;
pub mod case;
pub mod check;
pub mod cluster;
pub mod compare;
pub mod compiled;
pub mod conversions;
pub mod differences;
pub mod emit;
pub mod exemptions;
pub mod generated;
pub mod links;
pub mod mesh;
pub mod program;
pub mod random;
pub mod recorded;
pub mod rows;
pub mod standards;
pub mod suites;
pub mod terminal;
pub mod throughput;
pub mod trees;
