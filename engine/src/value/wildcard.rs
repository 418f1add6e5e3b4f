//! Kyverno's wildcards: `*` is any run of characters (also none, also `/`), `?` exactly one character.
//!
//! In: a pattern and a text. Out: whether the whole text fits. Nothing escapes, there are no classes, and an
//! empty pattern fits only the empty text. `matches("web-?*", "web-1")` is true.
//!
//! Mirrors: github.com/IGLOU-EU/go-wildcard v1.0.3 (`Match`), which is recursive and takes exponential time on
//! patterns with many stars; this one takes pattern × text at worst.

use engine_json::Str;

/// Whether `text` as a whole fits `pattern`.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut from) = (0, 0);
    // The last star seen: the place behind it, and where in the text its run ends for now.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(from)) {
            (Some(b'*'), _) => {
                at += 1;
                star = Some((at, from));
            }
            (None, None) => return true,
            // The text is used up: a longer run of the star would leave even less of it.
            (Some(_), None) => return false,
            (Some(b'?'), Some(&byte)) => {
                at += 1;
                from += char_width(byte);
            }
            (Some(wanted), Some(found)) if wanted == found => {
                at += 1;
                from += 1;
            }
            (_, Some(_)) => match star {
                Some((after, _)) if after == pattern.len() => return true,
                Some((after, end)) => {
                    let end = end + text.get(end).map_or(1, |&byte| char_width(byte));
                    star = Some((after, end));
                    (at, from) = (after, end);
                }
                None => return false,
            },
        }
    }
}

/// Whether `text` holds a `*` or a `?`.
// Kyverno: ext/wildcard/utils.go ContainsWildcard.
pub fn contains_wildcard(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?'))
}

/// How many bytes the UTF-8 character takes that begins with `first`.
fn char_width(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..=0xff => 4,
    }
}

/// A pattern made ready to be held against many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildcard {
    pattern: Str,
    shape: Shape,
}

/// What a pattern asks for; the common forms need no scan of the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// No wildcard: the text is the pattern.
    Literal,
    /// Only stars: anything fits.
    Any,
    /// `?*` or `*?`: anything but the empty text.
    NotEmpty,
    /// `begin*end`, either of which may be empty.
    Ends { begin: Str, end: Str },
    /// `*part*`.
    Contains(Str),
    /// Everything else.
    General,
}

impl Wildcard {
    /// Reads a pattern; every text is one.
    pub fn new(pattern: &str) -> Self {
        Wildcard { shape: shape_of(pattern), pattern: Str::new(pattern) }
    }

    /// The pattern as it was written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether the pattern fits only itself.
    pub fn is_literal(&self) -> bool {
        self.shape == Shape::Literal
    }

    /// Whether `text` as a whole fits.
    pub fn matches(&self, text: &str) -> bool {
        match &self.shape {
            Shape::Literal => self.pattern == text,
            Shape::Any => true,
            Shape::NotEmpty => !text.is_empty(),
            Shape::Ends { begin, end } => {
                text.strip_prefix(begin.as_str()).is_some_and(|rest| rest.ends_with(end.as_str()))
            }
            Shape::Contains(part) => text.contains(part.as_str()),
            Shape::General => matches(&self.pattern, text),
        }
    }
}

fn shape_of(pattern: &str) -> Shape {
    if !contains_wildcard(pattern) {
        return Shape::Literal;
    }
    if pattern == "?*" || pattern == "*?" {
        return Shape::NotEmpty;
    }
    if pattern.contains('?') {
        return Shape::General;
    }
    let trimmed = pattern.trim_matches('*');
    if trimmed.is_empty() {
        return Shape::Any;
    }
    if !trimmed.contains('*') {
        let part = Str::new(trimmed);
        return match (pattern.starts_with('*'), pattern.ends_with('*')) {
            (true, true) => Shape::Contains(part),
            (true, false) => Shape::Ends { begin: Str::default(), end: part },
            (false, true | false) => Shape::Ends { begin: part, end: Str::default() },
        };
    }
    match trimmed.split_once('*') {
        Some((begin, end)) if trimmed.len() == pattern.len() && !end.contains('*') => {
            Shape::Ends { begin: Str::new(begin), end: Str::new(end) }
        }
        Some(_) | None => Shape::General,
    }
}
