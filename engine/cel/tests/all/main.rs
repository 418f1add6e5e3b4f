//! All tests of this crate that need no more than its public names, as one program.

mod examples;
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]
mod generate;
mod random;
mod syntax;
