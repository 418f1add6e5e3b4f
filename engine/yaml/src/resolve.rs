//! What a scalar means to Kubernetes: the YAML 1.1 rules of go-yaml v2.
//!
//! In: the text of a scalar and its tag. Out: null, a truth value, a number or a string.
//! `resolve(Tag::None, "0x1F")` is `Int(31)`, `"yes"` is `Bool(true)`, `"12:30"` a string.
//!
//! Mirrors: go-yaml v2, resolve.go.

use crate::timestamp::is_timestamp;

/// The tag of a scalar, as far as it decides anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    /// `!` alone: a string, but a plain one to go-yaml.
    Bang,
    /// A tag that nobody knows: the text stays a string.
    Other,
}

impl Tag {
    /// The tag that a full tag name stands for.
    pub(crate) fn named(handle: &str, suffix: &str) -> Tag {
        let mut full = handle.to_owned();
        full.push_str(suffix);
        if full == "!" {
            return Tag::Bang;
        }
        match full.strip_prefix("tag:yaml.org,2002:") {
            Some("str") => Tag::Str,
            Some("bool") => Tag::Bool,
            Some("int") => Tag::Int,
            Some("float") => Tag::Float,
            Some("null") => Tag::Null,
            Some("timestamp") => Tag::Timestamp,
            Some("binary") => Tag::Binary,
            Some("merge") => Tag::Merge,
            Some(_) | None => Tag::Other,
        }
    }

    fn short(self) -> &'static str {
        match self {
            Tag::None | Tag::Bang | Tag::Other => "",
            Tag::Str => "!!str",
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
        }
    }
}

/// What a scalar turned out to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    /// NaN and the infinities included.
    Float(f64),
    /// The text itself.
    Str,
    /// The text itself, which is a point in time.
    Timestamp,
}

impl Resolved {
    fn tag(self) -> Tag {
        match self {
            Resolved::Null => Tag::Null,
            Resolved::Bool(_) => Tag::Bool,
            Resolved::Int(_) | Resolved::Uint(_) => Tag::Int,
            Resolved::Float(_) => Tag::Float,
            Resolved::Str => Tag::Str,
            Resolved::Timestamp => Tag::Timestamp,
        }
    }
}

/// What the text means under the tag, or the original's words when the tag does not fit.
pub(crate) fn resolve(tag: Tag, text: &str) -> Result<Resolved, String> {
    let found = match tag {
        Tag::None => return Ok(plain(text)),
        Tag::Str | Tag::Binary | Tag::Merge | Tag::Bang | Tag::Other => return Ok(Resolved::Str),
        Tag::Timestamp => plain(text),
        // Only an untagged text or one tagged as a timestamp is tried as a timestamp.
        Tag::Bool | Tag::Int | Tag::Float | Tag::Null => without_timestamps(text),
    };
    match (tag, found) {
        (Tag::Float, Resolved::Int(i)) => Ok(Resolved::Float(i as f64)),
        _ if found.tag() == tag => Ok(found),
        _ => Err(format!("cannot decode {} `{text}` as a {}", found.tag().short(), tag.short())),
    }
}

/// What an untagged plain scalar means.
pub(crate) fn plain(text: &str) -> Resolved {
    match text.as_bytes().first() {
        Some(b'0'..=b'9') if is_timestamp(text) => Resolved::Timestamp,
        _ => without_timestamps(text),
    }
}

fn without_timestamps(text: &str) -> Resolved {
    let Some(first) = text.as_bytes().first() else { return Resolved::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Resolved::Float(f64::INFINITY),
            _ => fraction(text).map_or(Resolved::Str, Resolved::Float),
        },
        b'+' | b'-' | b'0'..=b'9' => number(text),
        _ => Resolved::Str,
    }
}

fn word(text: &str) -> Resolved {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Resolved::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Resolved::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        _ => Resolved::Str,
    }
}

fn number(text: &str) -> Resolved {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Resolved::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let cleaned;
    let text = if text.contains('_') {
        cleaned = text.replace('_', "");
        cleaned.as_str()
    } else {
        text
    };
    match integer(text) {
        Some(found) => found,
        None => {
            decimal(text).map(Resolved::Float).or_else(|| signed_behind_prefix(text)).unwrap_or(Resolved::Str)
        }
    }
}

/// `0b-11`: go-yaml tries what stands behind `0b` once more, and takes a sign there.
// Go: resolve.go, the two branches for `0b`.
fn signed_behind_prefix(text: &str) -> Option<Resolved> {
    let digits = text.strip_prefix("0b")?;
    i64::from_str_radix(digits, 2).ok().map(Resolved::Int)
}

/// A whole number with Go's prefixes `0x`, `0o`, `0b` and `0`, if 64 bits hold it.
// Go: strconv.ParseInt and ParseUint with base 0.
fn integer(text: &str) -> Option<Resolved> {
    let (negative, signed, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (false, true, text.get(1..)?),
        _ => (false, false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let size = u64::from_str_radix(digits, radix).ok()?;
    match i64::try_from(size) {
        Ok(size) if negative => Some(Resolved::Int(-size)),
        Ok(size) => Some(Resolved::Int(size)),
        Err(_) if negative && size == i64::MIN.unsigned_abs() => Some(Resolved::Int(i64::MIN)),
        Err(_) if signed => None,
        Err(_) => Some(Resolved::Uint(size)),
    }
}

/// A number that begins with its point; digits may be separated by `_`.
// Go: strconv.ParseFloat, with the underscores of Go's own literals.
fn fraction(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return decimal(text);
    }
    let is_digit = |part: Option<char>| part.is_some_and(|c| c.is_ascii_digit());
    let parts: Vec<&str> = text.split('_').collect();
    let between = parts.windows(2).all(|pair| match pair {
        [left, right] => is_digit(left.chars().next_back()) && is_digit(right.chars().next()),
        _ => true,
    });
    if between { decimal(&parts.concat()) } else { None }
}

/// A decimal number in the form that go-yaml allows, if it is not too large for a float.
// Go: `yamlStyleFloat` of resolve.go, then strconv.ParseFloat.
fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (unsigned.get(..at)?, unsigned.get(at + 1..)),
        None => (unsigned, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if let Some(exponent) = exponent {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !digits(exponent) {
            return None;
        }
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}
