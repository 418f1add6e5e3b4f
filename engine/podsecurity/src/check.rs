//! A check and its revisions.
//!
//! In: a Pod, and a version for the revision. Out: a [`CheckResult`].

use crate::place::{Findings, Pod};
use crate::{Level, Violation};

/// One rule of the Pod Security Standards.
pub struct Check {
    /// The id, as `k8s.io/pod-security-admission` calls it.
    pub id: &'static str,
    /// The level that asks for it: baseline checks belong to restricted too.
    pub level: Level,
    /// The heading of the control in the Pod Security Standards.
    pub section: &'static str,
    /// The fields it restricts, `[*]` for any place of a list, `*` at the end of a key for any rest.
    pub fields: &'static [&'static str],
    /// The revisions, oldest first.
    // INVARIANT: not empty; `since` strictly increases (held by a test of the registry).
    pub revisions: &'static [Revision],
    /// Why a Pod is refused, in short.
    pub reason: Reason,
    /// Why a Pod is refused, with names and values. Gets what can be read; not empty.
    pub(crate) detail: fn(&[&Violation]) -> String,
    /// Where Kyverno's fork words the detail otherwise.
    pub(crate) fork_detail: Option<fn(&[&Violation]) -> String>,
    /// Whether Kyverno's fork lists the fields of this check; where it does not, nothing can be excluded.
    pub(crate) lists_fields: bool,
}

/// The short reason of a check.
pub enum Reason {
    /// Always the same.
    Fixed(&'static str),
    /// One word for one value and another for more.
    Counted {
        /// The reason for one value.
        one: &'static str,
        /// The reason for any other number.
        many: &'static str,
        /// How many values there are.
        count: fn(&[&Violation]) -> usize,
    },
}

/// A check as it stands from one version of Kubernetes on.
pub struct Revision {
    /// The first minor version it holds for.
    pub since: u64,
    /// The baseline checks that it makes needless.
    pub overrides: &'static [&'static str],
    pub(crate) run: fn(&Pod<'_>, &mut Findings),
}

impl Revision {
    /// A revision that overrides nothing.
    pub(crate) const fn new(since: u64, run: fn(&Pod<'_>, &mut Findings)) -> Revision {
        Revision { since, overrides: &[], run }
    }
}

/// What a check says of a Pod.
#[derive(Clone)]
pub struct CheckResult {
    /// The check.
    pub check: &'static Check,
    /// Whether it lets the Pod pass.
    pub allowed: bool,
    /// The short reason; empty when allowed.
    pub reason: &'static str,
    /// Names and values; empty when allowed.
    pub detail: String,
    /// The fields at fault; empty when allowed.
    pub violations: Vec<Violation>,
}

impl CheckResult {
    /// Whether all that the check looked at has a type that Kubernetes reads.
    pub fn is_readable(&self) -> bool {
        self.violations.iter().all(Violation::is_readable)
    }
}

impl std::fmt::Debug for CheckResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} ({})", self.check.id, self.reason, self.detail)
    }
}

impl Check {
    /// The newest revision that holds for a minor version; `None` when the check is younger.
    pub fn revision(&self, minor: u64) -> Option<&'static Revision> {
        self.revisions.iter().rev().find(|revision| revision.since <= minor)
    }

    /// Whether Kyverno's fork lists the fields of this check; where it does not, nothing can be excluded.
    pub fn lists_fields(&self) -> bool {
        self.lists_fields
    }

    /// Runs one revision.
    pub(crate) fn run(
        &'static self,
        revision: &Revision,
        pod: &Pod<'_>,
        detail: fn(&[&Violation]) -> String,
    ) -> CheckResult {
        let mut findings = Findings::default();
        (revision.run)(pod, &mut findings);
        let violations = findings.violations;
        if violations.is_empty() {
            return CheckResult { check: self, allowed: true, reason: "", detail: String::new(), violations };
        }
        let found: Vec<&Violation> = violations.iter().filter(|violation| violation.is_readable()).collect();
        let mut details = Vec::new();
        if !found.is_empty() {
            details.push(detail(&found));
        }
        let unread = violations.iter().filter(|violation| !violation.is_readable());
        details.extend(unread.map(|violation| violation.error_text(&violation.field())));
        let reason = match &self.reason {
            Reason::Fixed(reason) => reason,
            Reason::Counted { one, many, count } => crate::words::plural(count(&found), one, many),
        };
        CheckResult { check: self, allowed: false, reason, detail: details.join("; "), violations }
    }
}
