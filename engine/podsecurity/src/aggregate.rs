//! All results of a Pod in one verdict and one line.
//!
//! In: the results of [`crate::evaluate`]. Out: `hostPort, privileged`, or the same with names and values:
//! `hostPort (container "app" uses hostPort 80), privileged (container "app" must not set …)`.

use crate::CheckResult;

/// Whether every check lets the Pod pass.
pub fn is_allowed(results: &[CheckResult]) -> bool {
    results.iter().all(|result| result.allowed)
}

/// The reasons of the checks that do not.
pub fn reason(results: &[CheckResult]) -> String {
    let failed = results.iter().filter(|result| !result.allowed);
    failed.map(|result| result.reason).collect::<Vec<_>>().join(", ")
}

/// The reasons, each with its detail in parentheses.
pub fn detail(results: &[CheckResult]) -> String {
    let one = |result: &CheckResult| match result.detail.as_str() {
        "" => result.reason.to_owned(),
        detail => format!("{} ({detail})", result.reason),
    };
    results.iter().filter(|result| !result.allowed).map(one).collect::<Vec<_>>().join(", ")
}
