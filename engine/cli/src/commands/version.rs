//! `podsieve version`.
//!
//! In: nothing. Out: `Version:` with the Kyverno release whose verdicts it gives, the line that `kyverno version` begins
//! with; then this program's version, and that release in a sentence.

use crate::exit::Failure;
use crate::terminal;

#[expect(clippy::unnecessary_wraps, reason = "all commands have one shape")]
pub(crate) fn run() -> Result<u8, Failure> {
    let version = engine_lenses::run::version();
    let (podsieve, kyverno) = (version.podsieve, version.kyverno);
    terminal::print(&format!("Version: {kyverno}\npodsieve {podsieve}\nverdicts of Kyverno {kyverno}\n"));
    Ok(0)
}
