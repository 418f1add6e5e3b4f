//! What Go and its packages answered to inputs of ours, one file a module.
//!
//! The answers were printed by Go programs that call the originals; a row is an input and what came of it. An
//! error stands by its text.

mod compare;
mod cron;
mod duration;
mod glob;
mod go_text;
mod image;
mod quantity;
mod semver;
mod time;
mod wildcard;

/// The text of a success or of an error.
fn text<T: ToString, E: ToString>(result: Result<T, E>) -> String {
    result.map_or_else(|error| error.to_string(), |value| value.to_string())
}
