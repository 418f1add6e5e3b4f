//! The way from the root of a document to one of its values.

use crate::Str;
use std::fmt;
use std::iter::once;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// Into a map, by key.
    Key(Str),
    /// Into a list, by place from 0.
    Index(u32),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Segment::Key(Str::new(key))
    }
}

impl From<Str> for Segment {
    fn from(key: Str) -> Self {
        Segment::Key(key)
    }
}

impl From<usize> for Segment {
    fn from(at: usize) -> Self {
        Segment::Index(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

/// A path from the root; prints as `spec.containers[0].image`.
///
/// It is made once and read as a slice of its steps. A clone copies a pointer: every condition, rule and pattern has
/// its path, and what describes them, such as a trace, carries it along.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Arc<[Segment]>);

impl Deref for Path {
    type Target = [Segment];

    fn deref(&self) -> &[Segment] {
        &self.0
    }
}

impl From<Vec<Segment>> for Path {
    fn from(segments: Vec<Segment>) -> Self {
        Path(segments.into())
    }
}

impl From<&[Segment]> for Path {
    fn from(segments: &[Segment]) -> Self {
        Path(segments.into())
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Path(segments.into_iter().collect())
    }
}

impl Path {
    /// The path of the root.
    pub fn root() -> Self {
        Path::default()
    }

    /// This path one step further.
    #[must_use]
    pub fn join(&self, segment: impl Into<Segment>) -> Path {
        self.iter().cloned().chain(once(segment.into())).collect()
    }

    /// This path and then the other.
    #[must_use]
    pub fn concat(&self, rest: &[Segment]) -> Path {
        self.iter().chain(rest).cloned().collect()
    }

    /// This path without its last step; the root's is the root.
    #[must_use]
    pub fn parent(&self) -> Path {
        self.split_last().map_or_else(Path::root, |(_, way)| way.into())
    }

    /// A path from keys and places written as text: digits alone are a place in a list.
    pub fn from_keys(keys: &[&str]) -> Path {
        let segment = |key: &&str| key.parse().map_or_else(|_| Segment::from(*key), Segment::Index);
        keys.iter().map(segment).collect()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(at) => write!(f, "[{at}]")?,
                Segment::Key(key) if is_plain(key) => write!(f, "{}{key}", if n == 0 { "" } else { "." })?,
                Segment::Key(key) => write!(f, "[{key:?}]")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Path {
    type Err = ();

    /// Reads what `Display` writes.
    fn from_str(text: &str) -> Result<Path, ()> {
        let mut path = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let segment = if let Some(inside) = rest.strip_prefix("[\"") {
                let (key, behind) = quoted(inside).ok_or(())?;
                rest = behind;
                Segment::from(key.as_str())
            } else if let Some(inside) = rest.strip_prefix('[') {
                let (at, behind) = inside.split_once(']').ok_or(())?;
                rest = behind;
                Segment::Index(at.parse().map_err(|_| ())?)
            } else {
                let named = rest.strip_prefix('.').filter(|_| !path.is_empty()).unwrap_or(rest);
                let end = named.find(['.', '[']).unwrap_or(named.len());
                let key = named.get(..end).filter(|key| !key.is_empty()).ok_or(())?;
                rest = named.get(end..).ok_or(())?;
                Segment::from(key)
            };
            path.push(segment);
        }
        Ok(path.into())
    }
}

/// The key in front of `"]` as `Debug` escapes it, and what stands behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut chars = text.chars();
    loop {
        let c = match chars.next()? {
            '"' => return chars.as_str().strip_prefix(']').map(|behind| (key, behind)),
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let (digits, behind) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                    chars = behind.chars();
                    let code =
                        |code: u32, digit: char| code.checked_mul(16)?.checked_add(digit.to_digit(16)?);
                    char::from_u32(digits.chars().try_fold(0, code)?)?
                }
                other => other,
            },
            c => c,
        };
        key.push(c);
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '(' | ')' | '=' | '+' | '<' | '^'))
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn a_path_is_read_as_it_is_written() {
        for text in
            ["", "spec.containers[0].image", "metadata.labels[\"a.b/c\"].x", "[1][2].a", "a[\"b \\\"c\"]"]
        {
            assert_eq!(text.parse::<Path>().unwrap().to_string(), text);
        }
        for key in ["", "a\"]b", "\\", "\\\"", "a\nb\t\r\0", "\u{7}\u{feff}", "]", "'", "ä b", "[0]", "0"] {
            let path = Path::root().join(key).join(1);
            assert_eq!(path.to_string().parse(), Ok(path), "{key:?}");
        }
        for text in [
            "a[\"\\u{x}\"]",
            "a[\"\\u{110000}\"]",
            "a[\"\\\"]",
            "a[\"b\"",
            "a[",
            "a..b",
            "a[x]",
            "a[\"b",
            ".",
        ] {
            assert_eq!(text.parse::<Path>(), Err(()), "{text}");
        }
    }
}
