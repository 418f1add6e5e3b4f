//! All tests of this crate that need no more than its public names, as one program.

mod examples;
mod no_match;
mod payloads;
mod session;
mod unmatched;
mod why;
mod why_changing;
mod writing;
