//! The way from the root of a document to one of its values.

use crate::Str;
use std::fmt;
use std::str::FromStr;

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
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Segment>);

impl Path {
    /// The path of the root.
    pub fn root() -> Self {
        Path::default()
    }

    /// This path one step further.
    #[must_use]
    pub fn join(&self, segment: impl Into<Segment>) -> Path {
        let mut path = self.clone();
        path.0.push(segment.into());
        path
    }

    /// This path and then the other.
    #[must_use]
    pub fn concat(&self, rest: &Path) -> Path {
        Path(self.iter().chain(rest.iter()).cloned().collect())
    }

    /// A path from keys and places written as text: digits alone are a place in a list.
    pub fn from_keys(keys: &[&str]) -> Path {
        let segment = |key: &&str| key.parse().map_or_else(|_| Segment::from(*key), Segment::Index);
        Path(keys.iter().map(segment).collect())
    }

    /// The steps, outermost first.
    #[expect(clippy::iter_without_into_iter, reason = "a loop over a path reads better with the word")]
    pub fn iter(&self) -> std::slice::Iter<'_, Segment> {
        self.0.iter()
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
        let mut path = Path::root();
        let mut rest = text;
        while !rest.is_empty() {
            let segment = if let Some(inside) = rest.strip_prefix("[\"") {
                let end = inside.find("\"]").ok_or(())?;
                rest = inside.get(end + 2..).ok_or(())?;
                let key = inside.get(..end).ok_or(())?;
                // No key of an object has more than these two to be quoted.
                Segment::from(key.replace("\\\"", "\"").replace("\\\\", "\\").as_str())
            } else if let Some(inside) = rest.strip_prefix('[') {
                let (at, behind) = inside.split_once(']').ok_or(())?;
                rest = behind;
                Segment::Index(at.parse().map_err(|_| ())?)
            } else {
                let named = rest.strip_prefix('.').filter(|_| !path.0.is_empty()).unwrap_or(rest);
                let end = named.find(['.', '[']).unwrap_or(named.len());
                let key = named.get(..end).filter(|key| !key.is_empty()).ok_or(())?;
                rest = named.get(end..).ok_or(())?;
                Segment::from(key)
            };
            path.0.push(segment);
        }
        Ok(path)
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
        for text in ["a[", "a..b", "a[x]", "a[\"b", "."] {
            assert_eq!(text.parse::<Path>(), Err(()), "{text}");
        }
    }
}
