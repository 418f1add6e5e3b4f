//! The tests of the crate, as one program.
//!
//! In: nothing. Out: a failure where a stream is cut otherwise than it should be.

mod streams;
