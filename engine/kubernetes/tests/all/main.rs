//! The crate from outside: its table against the sources, its objects against those of an API server.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends with the reason")]
#![expect(clippy::print_stderr, reason = "what is skipped is named")]

mod go;
mod recorded;
mod setters;
mod sources;
mod steps;
mod table;
