//! `--drift`: what a GitOps tool will see as drift, and how to have it look away.
//!
//! In: what policies change in each object, and the policies. Out: the fields, and an `ignoreDifferences` block.

use engine::Bundle;
use engine_lenses::drift::{Drift, ignore_autogen, ignore_differences};
use std::fmt::Write;

/// The whole text.
pub(crate) fn print(bundle: &Bundle, drifts: &[&Drift]) -> String {
    let mut out = String::new();
    for drift in drifts.iter().filter(|drift| !drift.is_empty()) {
        let Drift { namespace, kind, name, changed, added, removed, .. } = drift;
        let place = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        let _ = writeln!(out, "\ndrift: {place}{kind}/{name} in a cluster is not what git has");
        for (word, paths) in [("changed", changed), ("added", added), ("removed", removed)] {
            for path in paths {
                let _ = writeln!(out, "  {word:<7}  {path}");
            }
        }
    }
    let differences = ignore_differences(drifts.iter().copied());
    if differences.is_empty() {
        out.push_str("\ndrift: none, no policy changes an object\n");
    } else {
        let _ = write!(out, "\nfor the Application of Argo CD, where the changes are wanted:\n{differences}");
    }
    let autogen = ignore_autogen(&bundle.policies);
    if !autogen.is_empty() {
        let _ = write!(
            out,
            "\nautogen: Kyverno keeps the rules that it makes in the status of a policy, which is not drift. Old \
             releases wrote them into the policy itself; for those:\n{autogen}"
        );
    }
    out
}
