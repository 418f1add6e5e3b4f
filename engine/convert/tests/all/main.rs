//! All tests of this crate that need no more than its public names, as one program.

mod comments;
mod examples;
mod kinds;
mod moved;
mod null_lists;
mod operators;
mod public;
mod put_together;
mod rules;
mod same_errors;
mod shared;
