//! Version ranges: `>=1.2.3 <2.0.0 || 3.x`.
//!
//! In: comparisons, joined by spaces (and) and `||` (or), with `x` for the last number. Out: which versions lie in
//! the range. `1.2.x` is read as `>=1.2.0 <1.3.0`.
//!
//! Mirrors: github.com/blang/semver/v4 range.go, with what its text replacements make of unusual input: `~1.x` is
//! `1.0.0`, `1.x.x` ends below `1.1.0`, and a single character is dropped.

use super::{Version, VersionError};
use crate::go_text::{parse_int, quote};
use std::cmp::Ordering;

/// A set of versions; one of the groups must hold whole.
#[derive(Clone, Debug)]
pub struct Range {
    groups: Vec<Vec<Comparison>>,
}

#[derive(Clone, Debug)]
struct Comparison {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Range {
    /// Reads a range.
    pub fn parse(text: &str) -> Result<Range, VersionError> {
        let groups = split_or(words(text))?;
        let groups = groups.into_iter().map(expand_wildcards).collect::<Result<Vec<_>, _>>()?;
        let group = |words: Vec<String>| words.iter().map(|word| comparison(word)).collect();
        Ok(Range { groups: groups.into_iter().map(group).collect::<Result<_, _>>()? })
    }

    /// Whether the version lies in the range.
    // Go: a group without comparisons (`1.0.0 || || 2.0.0`) crashes when it is reached; here it holds no version.
    pub fn contains(&self, version: &Version) -> bool {
        let holds = |group: &Vec<Comparison>| !group.is_empty() && group.iter().all(|c| c.holds(version));
        self.groups.iter().any(holds)
    }
}

impl Comparison {
    fn holds(&self, version: &Version) -> bool {
        let order = version.cmp(&self.version);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
        }
    }
}

/// The words between spaces; spaces behind `<`, `>` and `=` do not part, and words of one character are dropped.
// Go: range.go splitAndTrim.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut start, mut last) = (0, 0);
    let mut keep = |start: usize, end: usize| {
        if let Some(word) = text.get(start..end).filter(|word| word.len() > 1) {
            words.push(word.replace(' ', ""));
        }
    };
    for (at, byte) in text.bytes().enumerate() {
        if byte != b' ' {
            last = byte;
        } else if !matches!(last, b'<' | b'>' | b'=') {
            keep(start, at);
            start = at + 1;
        }
    }
    keep(start, text.len());
    words
}

fn split_or(words: Vec<String>) -> Result<Vec<Vec<String>>, VersionError> {
    if words.first().is_some_and(|word| word == "||") {
        return Err(VersionError("First element in range is '||'".into()));
    }
    if words.last().is_none_or(|word| word == "||") {
        return Err(VersionError("Last element in range is '||'".into()));
    }
    let mut groups = vec![Vec::new()];
    for word in words {
        if word == "||" {
            groups.push(Vec::new());
        } else if let Some(group) = groups.last_mut() {
            group.push(word);
        }
    }
    Ok(groups)
}

/// Each word with an `x` as one or two words without.
// Go: range.go expandWildcardVersion.
fn expand_wildcards(words: Vec<String>) -> Result<Vec<String>, VersionError> {
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        if !word.contains('x') {
            expanded.push(word);
            continue;
        }
        let (operator, version) = split_operator(&word)?;
        let flat = flat_version(version);
        let (result, is_next) = match operator {
            ">" => (">=", true),
            ">=" => (">=", false),
            "<" => ("<", false),
            "<=" => ("<", true),
            "" | "=" | "==" => {
                expanded.push(format!(">={flat}"));
                ("<", true)
            }
            "!=" | "!" => {
                expanded.push(format!("<{flat}"));
                (">=", true)
            }
            _ => ("", false),
        };
        let bound = if is_next { next_version(version, &flat) } else { flat };
        expanded.push(format!("{result}{bound}"));
    }
    Ok(expanded)
}

fn split_operator(word: &str) -> Result<(&str, &str), VersionError> {
    let digit = word.find(|c: char| c.is_ascii_digit());
    let Some((operator, version)) = digit.and_then(|at| word.split_at_checked(at)) else {
        return Err(VersionError(format!("Could not get version from string: {}", quote(word))));
    };
    Ok((operator.trim(), version))
}

// Go: range.go createVersionFromWildcard.
fn flat_version(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.matches('.').count() == 1 { format!("{flat}.0") } else { flat }
}

/// The first version behind all that the wildcard stands for; empty where there is none, which fails later.
fn next_version(version: &str, flat: &str) -> String {
    let place = match version.split('.').count() {
        2 => 0,
        3 => 1,
        _ => return String::new(),
    };
    if version.rsplit('.').next() != Some("x") {
        return String::new();
    }
    let mut parts: Vec<String> = flat.split('.').map(str::to_owned).collect();
    let Some(part) = parts.get_mut(place) else { return String::new() };
    let Ok(number) = parse_int(part) else { return String::new() };
    *part = number.wrapping_add(1).to_string();
    parts.join(".")
}

fn comparison(word: &str) -> Result<Comparison, VersionError> {
    let (name, version) = split_operator(word)?;
    let whole = format!("{name}{version}");
    let refused = |reason| VersionError(format!("Could not parse Range {}: {reason}", quote(word)));
    let Some(operator) = operator(name) else {
        return Err(refused(format!("Could not parse comparator {} in {}", quote(name), quote(&whole))));
    };
    match Version::parse(version) {
        Ok(version) => Ok(Comparison { operator, version }),
        Err(error) => {
            Err(refused(format!("Could not parse version {} in {}: {error}", quote(version), quote(&whole))))
        }
    }
}

fn operator(name: &str) -> Option<Operator> {
    match name {
        "" | "=" | "==" => Some(Operator::Equal),
        "!" | "!=" => Some(Operator::NotEqual),
        ">" => Some(Operator::Greater),
        ">=" => Some(Operator::GreaterOrEqual),
        "<" => Some(Operator::Less),
        "<=" => Some(Operator::LessOrEqual),
        _ => None,
    }
}
