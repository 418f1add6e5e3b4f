//! Semantic versions, read strictly: `1.2.3-rc.1+build`.
//!
//! In: a version or a range. Out: versions in their order, and whether one lies in a [`Range`]. `1.0.0-rc.2` is
//! less than `1.0.0`; `v1.0.0` and `1.0` are refused with the original's words.
//!
//! Mirrors: github.com/blang/semver/v4 (semver.go; range.go is in `range`).

mod range;

pub use range::Range;

use super::go_text::{parse_uint, quote};
use std::cmp::Ordering;
use std::fmt;

/// A version; two are equal when neither comes before the other, whatever their build data.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    /// What stands behind `-`, split at the points.
    pub pre: Vec<Identifier>,
    /// What stands behind `+`, split at the points; it has no part in the order.
    pub build: Vec<String>,
}

/// One part of a pre-release: numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identifier {
    /// Digits alone.
    Number(u64),
    /// Letters, digits and `-`.
    Word(String),
}

/// Why a text is not a version or a range, in the words of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError(String);

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VersionError {}

impl Version {
    /// Reads a version that may begin with `v`, lack its last numbers and have zeros before them.
    // Kubernetes: apiserver/pkg/cel/library/semverlib.go normalizeAndParse.
    pub fn parse_loosely(text: &str) -> Result<Version, VersionError> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 && parts.last().is_some_and(|part| part.contains(['+', '-'])) {
            return error("short version cannot contain PreRelease/Build meta data");
        }
        parts.resize(3, "0".to_owned());
        Version::parse(&parts.join("."))
    }

    /// Reads a version with three numbers and nothing around it.
    pub fn parse(text: &str) -> Result<Version, VersionError> {
        if text.is_empty() {
            return error("Version string empty");
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return error("No Major.Minor.Patch elements found");
        };
        let major = number(major, "major", "Major")?;
        let minor = number(minor, "minor", "Minor")?;
        let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
        let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
        let patch = number(patch, "patch", "Patch")?;
        let pre = pre.map_or(Ok(Vec::new()), |pre| pre.split('.').map(identifier).collect())?;
        let build = build.map_or(Ok(Vec::new()), |build| build.split('.').map(build_part).collect())?;
        Ok(Version { major, minor, patch, pre, build })
    }
}

fn error<T>(message: impl Into<String>) -> Result<T, VersionError> {
    Err(VersionError(message.into()))
}

fn number(text: &str, name: &str, capital_name: &str) -> Result<u64, VersionError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return error(format!("Invalid character(s) found in {name} number {}", quote(text)));
    }
    if has_leading_zero(text) {
        return error(format!("{capital_name} number must not contain leading zeroes {}", quote(text)));
    }
    parse_uint(text).map_err(|error| VersionError(error.to_string()))
}

fn identifier(text: &str) -> Result<Identifier, VersionError> {
    if text.is_empty() {
        return error("Prerelease is empty");
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        if !is_word(text) {
            return error(format!("Invalid character(s) found in prerelease {}", quote(text)));
        }
        return Ok(Identifier::Word(text.to_owned()));
    }
    if has_leading_zero(text) {
        return error(format!("Numeric PreRelease version must not contain leading zeroes {}", quote(text)));
    }
    parse_uint(text).map(Identifier::Number).map_err(|error| VersionError(error.to_string()))
}

fn build_part(text: &str) -> Result<String, VersionError> {
    if text.is_empty() {
        return error("Build meta data is empty");
    }
    if !is_word(text) {
        return error(format!("Invalid character(s) found in build meta data {}", quote(text)));
    }
    Ok(text.to_owned())
}

fn without_leading_zeros(part: &str) -> String {
    if part.len() <= 1 {
        return part.to_owned();
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|c: char| c.is_ascii_digit()) { rest.to_owned() } else { format!("0{rest}") }
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (at, part) in self.pre.iter().enumerate() {
            f.write_str(if at == 0 { "-" } else { "." })?;
            match part {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Word(word) => f.write_str(word)?,
            }
        }
        for (at, part) in self.build.iter().enumerate() {
            write!(f, "{}{part}", if at == 0 { "+" } else { "." })?;
        }
        Ok(())
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Version| (version.major, version.minor, version.patch);
        // A version without a pre-release comes behind all of its pre-releases.
        let is_release = |version: &Version| version.pre.is_empty();
        let by_numbers = numbers(self).cmp(&numbers(other));
        by_numbers.then(is_release(self).cmp(&is_release(other))).then_with(|| self.pre.cmp(&other.pre))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}
