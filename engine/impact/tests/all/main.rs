//! What policies that changed decide otherwise, held against whole runs of both sides.
//!
//! In: policies and objects written here. Out: a failure where a row is missing or one too many.

mod rows;
