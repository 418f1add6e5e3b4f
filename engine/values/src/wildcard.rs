//! Kyverno's wildcards: `*` is any run of characters (also none, also `/`), `?` exactly one character.
//!
//! In: a pattern and a text. Out: whether the whole text fits. Nothing escapes, there are no classes, and an
//! empty pattern fits only the empty text. `matches("web-?*", "web-1")` is true.
//!
//! Mirrors: github.com/IGLOU-EU/go-wildcard v1.0.3 (`Match`), which is recursive and takes exponential time on
//! patterns with many stars; this one takes pattern + text, and pattern × text only for a part between stars that has a `?`.

use engine_json::Str;

/// Whether `text` as a whole fits `pattern`.
#[inline]
pub fn matches(pattern: &str, text: &str) -> bool {
    // Most pairs of an admission differ in their first bytes.
    match (pattern.as_bytes().first(), text.as_bytes().first()) {
        (Some(b'*' | b'?'), _) => matches_parts(pattern, text),
        (wanted, found) => wanted == found && matches_parts(pattern, text),
    }
}

fn matches_parts(pattern: &str, text: &str) -> bool {
    if !contains_wildcard(pattern) {
        return pattern == text;
    }
    let Some((begin, mut rest)) = pattern.split_once('*') else {
        return behind(pattern, text).is_some_and(str::is_empty);
    };
    let Some(mut text) = behind(begin, text) else { return false };
    // Each part where it first stands: what a later place would leave is less.
    while let Some((part, more)) = rest.split_once('*') {
        let Some(left) = behind_first(part, text) else { return false };
        (rest, text) = (more, left);
    }
    ends_with(text, rest)
}

/// What stands behind a part without stars, where the text begins with it.
fn behind<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    if !part.contains('?') {
        return text.strip_prefix(part);
    }
    let mut rest = text.chars();
    let fits = part.chars().all(|wanted| rest.next().is_some_and(|found| wanted == '?' || wanted == found));
    fits.then_some(rest.as_str())
}

/// What stands behind a part without stars, where it first stands in the text.
fn behind_first<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    if !part.contains('?') {
        return text.get(find(part, text)? + part.len()..);
    }
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter_map(|at| text.get(at..)).find_map(|text| behind(part, text))
}

/// Where a part first stands. For short texts the searcher of the standard library takes longer to make than to use.
fn find(part: &str, text: &str) -> Option<usize> {
    const SHORT: usize = 1024;
    if part.is_empty() || text.len().saturating_mul(part.len()) > SHORT {
        return text.find(part);
    }
    text.as_bytes().windows(part.len()).position(|window| window == part.as_bytes())
}

/// Whether the text ends with a part without stars.
fn ends_with(text: &str, part: &str) -> bool {
    if !part.contains('?') {
        return text.ends_with(part);
    }
    let last = part.chars().count() - 1;
    let start = text.char_indices().nth_back(last).map(|(at, _)| at);
    start.and_then(|at| behind(part, text.get(at..)?)).is_some_and(str::is_empty)
}

/// Whether `text` holds a `*` or a `?`.
// Kyverno: ext/wildcard/utils.go ContainsWildcard.
pub fn contains_wildcard(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?'))
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
