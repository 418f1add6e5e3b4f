//! All tests of this crate that need no more than its public names, as one program.

mod api;
mod common;
mod hostile;
mod readers;
mod recorded;
