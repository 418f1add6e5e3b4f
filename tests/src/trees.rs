//! Folders of policies with their tests on disk: `podsieve test` against the original's exit code and summary.
//!
//! In: a list of `exit-code folder summary` lines. Out: what agrees; where the original wrote no summary, because a test could
//! not run, the exit code counts alone. A folder whose policies are not supported differs.

use crate::compare::{Difference, Tally};
use crate::{program, recorded};
use std::path::Path;

/// Folders with CronJobs under a policy in CEL for Pods: the original counts each CronJob once or twice, as the variants of the
/// policy come in an order that changes from run to run. Here it is once.
pub const VARYING: &[&str] = &[
    "policies/other-vpol/allowed-base-images/.kyverno-test",
    "policies/other-vpol/require-non-root-groups/.kyverno-test",
    "policies/pod-security-vpol/baseline/disallow-host-namespaces/.kyverno-test",
    "policies/pod-security-vpol/baseline/disallow-privileged-containers/.kyverno-test",
    "policies/pod-security-vpol/baseline/disallow-proc-mount/.kyverno-test",
    "policies/pod-security-vpol/baseline/disallow-selinux/.kyverno-test",
    "policies/pod-security-vpol/baseline/restrict-seccomp/.kyverno-test",
    "policies/pod-security-vpol/restricted/disallow-capabilities-strict/.kyverno-test",
    "policies/pod-security-vpol/restricted/disallow-privilege-escalation/.kyverno-test",
    "policies/pod-security-vpol/restricted/require-run-as-non-root-user/.kyverno-test",
    "policies/pod-security-vpol/restricted/require-run-as-nonroot/.kyverno-test",
    "policies/pod-security-vpol/restricted/restrict-seccomp-strict/.kyverno-test",
    "policies/pod-security-vpol/restricted/restrict-volume-types/.kyverno-test",
];

/// What of a summary is the same in every run of the original.
fn settled<'t>(path: &str, summary: &'t str) -> &'t str {
    let failed = summary.split_once(" passed and ").filter(|_| VARYING.contains(&path));
    failed.map_or(summary, |(_, failed)| failed)
}

/// What the folders of a list came to.
#[derive(Debug, Default)]
pub struct Trees {
    /// The folders that were evaluated.
    pub tally: Tally,
    /// Where they differ.
    pub differences: Vec<Difference>,
}

/// Runs every folder of a list that lies beside `trees`.
pub fn check(conformance: &Path, list: &Path) -> Result<Trees, String> {
    let program = program::find()?;
    let folder = conformance.join("trees");
    let mut trees = Trees::default();
    for line in recorded::text(list)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.splitn(3, ' ');
        let (Some(code), Some(path)) = (parts.next(), parts.next()) else { continue };
        let summary = parts.next().unwrap_or("").trim();
        let output =
            program::run(&program, &folder, &["test", path], "").map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        let is_unsupported = said.lines().any(|line| line.starts_with("not supported yet: "));
        let out = String::from_utf8_lossy(&output.stdout);
        let described = out.lines().rfind(|line| line.starts_with("Test Summary: ")).unwrap_or("");
        let code_now = output.status.code().unwrap_or(-1).to_string();
        let held = [("exit code", code, code_now.as_str()), ("summary", summary, described)];
        let support = is_unsupported.then_some(("support", "yes", "no"));
        let mut agrees = true;
        for (what, expected, got) in
            support.into_iter().chain(held).filter(|(_, expected, _)| !expected.is_empty())
        {
            trees.tally.verdicts += 1;
            if settled(path, expected) == settled(path, got) {
                trees.tally.verdicts_agree += 1;
                trees.tally.words_agree += 1;
                continue;
            }
            agrees = false;
            let (case, what) = (path.to_owned(), what.to_owned());
            let (expected, got) = (expected.to_owned(), got.to_owned());
            trees.differences.push(Difference { case, what, expected, got });
        }
        trees.tally.cases += 1;
        trees.tally.agree += usize::from(agrees);
    }
    Ok(trees)
}
