//! Levels and versions: what a policy of the Pod Security Standards is made of.
//!
//! In: `restricted` and `v1.24`, as a label or a policy says them. Out: [`Level::Restricted`] and
//! [`Version::Minor`]`(24)`, which print as they were written.

use std::fmt;

/// The newest minor version of Kubernetes that a check knows a revision for; later versions mean this one.
pub const NEWEST_MINOR: u64 = 37;

/// How strict a policy is, from lax to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Everything is allowed, nothing is evaluated.
    Privileged,
    /// What gives a Pod known ways to the node is forbidden.
    Baseline,
    /// Baseline, and a Pod must be hardened.
    Restricted,
}

impl Level {
    /// What is said of a bad level.
    pub const MUST_BE: &str = "must be one of privileged, baseline, restricted";

    /// The level of that name, if it is one.
    pub fn parse(text: &str) -> Option<Level> {
        match text {
            "privileged" => Some(Level::Privileged),
            "baseline" => Some(Level::Baseline),
            "restricted" => Some(Level::Restricted),
            _ => None,
        }
    }

    /// The name of the level.
    pub fn name(self) -> &'static str {
        match self {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The version of the standards, which is that of Kubernetes; `Latest` is newer than any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// `v1.N`. A version from the future keeps its number.
    Minor(u64),
    /// `latest`.
    Latest,
}

impl Version {
    /// What is said of a bad version.
    pub const MUST_BE: &str = r#"must be "latest" or "v1.x""#;

    /// The version of that spelling: `latest`, or `v1.` and a number without leading zeros that Go's `int` holds.
    pub fn parse(text: &str) -> Option<Version> {
        if text == "latest" {
            return Some(Version::Latest);
        }
        let digits = text.strip_prefix("v1.")?;
        let spelled =
            digits.bytes().all(|b| b.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
        let minor = digits.parse::<u64>().ok().filter(|minor| i64::try_from(*minor).is_ok());
        minor.filter(|_| spelled).map(Version::Minor)
    }

    /// The minor version whose checks run, when `newest` is the newest there is.
    pub fn minor(self, newest: u64) -> u64 {
        match self {
            Version::Latest => newest,
            Version::Minor(minor) => minor.min(newest),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version::Latest => f.write_str("latest"),
            Version::Minor(minor) => write!(f, "v1.{minor}"),
        }
    }
}
