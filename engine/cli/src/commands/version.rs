//! `podsieve version`.
//!
//! In: nothing. Out: two lines: this program's version, and the Kyverno release whose verdicts it gives.

use crate::exit::Failure;
use crate::terminal;

#[expect(clippy::unnecessary_wraps, reason = "all commands have one shape")]
pub(crate) fn run() -> Result<u8, Failure> {
    let version = engine::run::version();
    terminal::print(&format!("podsieve {}\nverdicts of Kyverno {}\n", version.podsieve, version.kyverno));
    Ok(0)
}
