//! Runs cases on the engine and holds the answers against those of the originals.

pub mod emit;
