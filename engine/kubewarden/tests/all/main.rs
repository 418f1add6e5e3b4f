//! All tests of this crate that need no more than its public names, as one program.

mod calls;
mod examples;
