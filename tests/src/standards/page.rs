//! The table as a page.
//!
//! In: the table. Out: `docs/pod-security-table.md`.

use super::cases::BASE;
use super::{Answer, Cell, Table};
use engine::podsecurity::Level;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const HEAD: &str = "\
# Who decides as the Pod Security Standards say

Each implementation that podsieve can run evaluates Pods that differ in one thing from a hardened one, and is compared with
Kubernetes' own Pod Security Admission at each version at which a check changes. *Wider* admits a Pod that Kubernetes refuses, *stricter*
refuses one that Kubernetes admits; with it are the versions, and the number of the Pod with the smallest change that shows it. An empty cell agrees with
Kubernetes on all of these Pods in all versions that it is for, which is not a proof for other Pods. A set without a policy for a control is wider there. A
row is a control: *Capabilities*, *Seccomp* and *Volume Types* have other checks at the restricted level than at baseline.

Only the decision of the policies counts, and only Pods are evaluated. `cargo test -p tests --test all standards_page::` checks this page against the sets, which are
not part of the repository, and writes it again with `UPDATE=1`.
";

/// The page.
pub fn page(table: &Table) -> String {
    let mut out = HEAD.to_owned();
    out.push_str("\n| column | implementation |\n|---|---|\n");
    for side in &table.sides {
        let _ = writeln!(out, "| {} | {} |", side.name, side.about);
    }
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    for (level, rows) in &table.cells {
        let _ = write!(out, "\n## {}\n\n| control |", titled(*level));
        for side in &table.sides {
            let _ = write!(out, " {} |", side.name);
        }
        let _ = writeln!(out, "\n|---|{}", "---|".repeat(table.sides.len()));
        for (control, row) in table.controls.iter().zip(rows) {
            let _ = write!(out, "| {control} |");
            for cell in row {
                let _ = write!(out, " {} |", words(cell, &mut shown));
            }
            out.push('\n');
        }
    }
    let _ = write!(
        out,
        "\n## The Pods\n\nEach is this one, with the change of its number; a change of `initContainers` or `ephemeralContainers` adds a container like the first, \
         `null` takes a field away.\n\n```yaml\n{BASE}```\n\n| Pod | control | change |\n|---|---|---|\n"
    );
    for at in shown {
        if let Some(case) = table.cases.get(at) {
            let _ = writeln!(out, "| {} | {} | `{}` |", at + 1, case.control, case.change);
        }
    }
    out
}

fn titled(level: Level) -> &'static str {
    match level {
        Level::Baseline => "Baseline",
        Level::Restricted => "Restricted",
        Level::Privileged => "Privileged",
    }
}

fn words(cell: &Cell, shown: &mut BTreeSet<usize>) -> String {
    let mut parts = Vec::new();
    for (at, (from, answer)) in cell.iter().enumerate() {
        let Answer { wider, stricter, is_unknown } = answer;
        let mut said = Vec::new();
        for (word, pod) in [("wider", wider), ("stricter", stricter)] {
            if let Some(pod) = pod {
                shown.insert(*pod);
                said.push(format!("{word} ({})", pod + 1));
            }
        }
        if *is_unknown || said.is_empty() {
            continue;
        }
        let until = cell.get(at + 1).map(|(next, _)| next - 1);
        let versions = match (from, until) {
            (0, None) => String::new(),
            (from, None) => format!(" from v1.{from}"),
            (from, Some(until)) if *from == until => format!(" at v1.{from}"),
            (0, Some(until)) => format!(" to v1.{until}"),
            (from, Some(until)) => format!(" v1.{from} to v1.{until}"),
        };
        parts.push(format!("{}{versions}", said.join(", ")));
    }
    parts.join("; ")
}
