//! The grammar of image references: `domain/path:tag@digest`.
//!
//! In: a reference. Out: its four parts, or why it is none. `localhost:5000/a/b:v1` has the domain
//! `localhost:5000`, the path `a/b` and the tag `v1`; without a `/` the same colon begins a tag.
//!
//! Mirrors: github.com/distribution/reference (`Parse`, regexp.go) and opencontainers/go-digest (`Parse`).

use std::fmt;

/// The longest path.
const MAX_PATH: usize = 255;

/// A reference taken apart; missing parts are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Host and port.
    pub domain: String,
    /// The repository.
    pub path: String,
    /// What stands behind `:`.
    pub tag: String,
    /// What stands behind `@`.
    pub digest: String,
}

/// Why a text is not a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceError {
    /// It does not follow the grammar.
    Format,
    /// It would follow the grammar in lower case.
    Uppercase,
    /// It is empty.
    Empty,
    /// The path is longer than 255 characters.
    TooLong,
    /// The digest is none.
    DigestFormat,
    /// The digest is of another length than its algorithm gives.
    DigestLength,
    /// The algorithm is not known.
    DigestAlgorithm,
}

impl fmt::Display for ReferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReferenceError::Format => "invalid reference format",
            ReferenceError::Uppercase => "repository name must be lowercase",
            ReferenceError::Empty => "repository name must have at least one component",
            ReferenceError::TooLong => "repository name must not be more than 255 characters",
            ReferenceError::DigestFormat => "invalid checksum digest format",
            ReferenceError::DigestLength => "invalid checksum digest length",
            ReferenceError::DigestAlgorithm => "unsupported digest algorithm",
        })
    }
}

impl std::error::Error for ReferenceError {}

impl Reference {
    /// Reads a reference.
    pub fn parse(text: &str) -> Result<Reference, ReferenceError> {
        if text.is_empty() {
            return Err(ReferenceError::Empty);
        }
        let Some(reference) = split(text) else {
            let is_fine_in_lower_case = split(&to_lower(text)).is_some();
            return Err(if is_fine_in_lower_case {
                ReferenceError::Uppercase
            } else {
                ReferenceError::Format
            });
        };
        if reference.path.len() > MAX_PATH {
            return Err(ReferenceError::TooLong);
        }
        if !reference.digest.is_empty() {
            check_digest(&reference.digest)?;
        }
        Ok(reference)
    }
}

/// Only a digest holds an `@` before it, and no tag holds a `/`: the parts are found without backtracking.
fn split(text: &str) -> Option<Reference> {
    let (rest, digest) = match text.split_once('@') {
        Some((rest, digest)) if is_digest(digest) => (rest, digest),
        Some(_) => return None,
        None => (text, ""),
    };
    let last = rest.rsplit('/').next().unwrap_or(rest);
    let (name, tag) = match last.split_once(':') {
        Some((_, tag)) if is_tag(tag) => (rest.strip_suffix(tag)?.strip_suffix(':')?, tag),
        Some(_) => return None,
        None => (rest, ""),
    };
    let is_path = |text: &str| text.split('/').all(is_path_component);
    let with_domain = name.split_once('/').filter(|(domain, path)| is_domain(domain) && is_path(path));
    let (domain, path) = match with_domain {
        Some((domain, path)) => (domain, path),
        None if is_path(name) => ("", name),
        None => return None,
    };
    Some(Reference { domain: domain.into(), path: path.into(), tag: tag.into(), digest: digest.into() })
}

fn is_tag(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (first, rest) = text.as_bytes().split_first().map_or((b'-', text.as_bytes()), |(f, r)| (*f, r));
    is_word(first)
        && rest.len() < 128
        && rest.iter().all(|&byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// Lower-case letters and digits, parted by one `.`, one or two `_`, or any number of `-`.
fn is_path_component(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_separator = |text: &str| matches!(text, "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    let mut rest = text;
    loop {
        let behind = rest.trim_start_matches(is_plain);
        if behind.len() == rest.len() {
            return false;
        }
        if behind.is_empty() {
            return true;
        }
        let next = behind.trim_start_matches(|c| !is_plain(c));
        if !behind.strip_suffix(next).is_some_and(is_separator) {
            return false;
        }
        rest = next;
    }
}

fn is_domain(text: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(behind) = text.strip_prefix('[') {
        let Some((address, port)) = behind.split_once(']') else { return false };
        let is_address = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
        return !address.is_empty()
            && address.bytes().all(is_address)
            && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    host.split('.').all(is_domain_component) && port.is_none_or(is_port)
}

fn is_domain_component(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_digest(text: &str) -> bool {
    let Some((algorithm, hex)) = text.split_once(':') else { return false };
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(is_part)
        && hex.len() >= 32
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What go-digest asks beyond the grammar.
fn check_digest(digest: &str) -> Result<(), ReferenceError> {
    let (algorithm, hex) = digest.split_once(':').ok_or(ReferenceError::DigestFormat)?;
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ if algorithm.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            return Err(ReferenceError::DigestFormat);
        }
        _ => return Err(ReferenceError::DigestAlgorithm),
    };
    if hex.len() != length {
        return Err(ReferenceError::DigestLength);
    }
    let is_lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if hex.bytes().all(is_lower) { Ok(()) } else { Err(ReferenceError::DigestFormat) }
}

/// `strings.ToLower`: one character for one, so that a dotted capital I becomes `i`.
pub(super) fn to_lower(text: &str) -> String {
    let lower = |c: char| if c == '\u{130}' { 'i' } else { c.to_lowercase().next().unwrap_or(c) };
    text.chars().map(lower).collect()
}
