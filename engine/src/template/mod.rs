//! Where variables `{{ … }}` and references `$( … )` stand in a text.
//!
//! In: a text of a policy. Out: the places, found as Go's regular expressions of the original find them.
//! Mirrors: pkg/engine/variables/regex/vars.go.
//!
//! A variable found in the middle of a text brings one character with it, the one before its braces: the
//! original matches it to see that it is not a backslash, and its callers work with both together.

mod replace;

use engine_json::Value;

pub(crate) use replace::Replacing;

/// A stretch of text and its place, with the byte length of the character that was matched before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// Where the match begins in the text, with the character before it.
    pub at: usize,
    /// The match, with the character before it.
    pub whole: &'a str,
    /// Bytes of that character; 0 at the start of the text.
    pub before: usize,
}

impl<'a> Found<'a> {
    /// The match without the character before it.
    pub fn text(&self) -> &'a str {
        self.whole.get(self.before..).unwrap_or("")
    }

    /// The character before it, or nothing.
    pub fn prefix(&self) -> &'a str {
        self.whole.get(..self.before).unwrap_or("")
    }
}

/// Whether variables or references may stand anywhere in the value, keys included.
pub fn has_markers(value: &Value) -> bool {
    any_text(value, &|text| text.as_bytes().windows(2).any(|pair| pair == VARIABLE || pair == REFERENCE))
}

/// Whether variables may stand anywhere in the value, keys included.
pub(crate) fn has_variables(value: &Value) -> bool {
    any_text(value, &may_hold_variables)
}

/// Whether references may stand anywhere in the value, keys included.
pub(crate) fn has_references(value: &Value) -> bool {
    any_text(value, &|text| may_hold(text, REFERENCE))
}

fn any_text(value: &Value, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_wanted(text),
        Value::Array(list) => list.iter().any(|item| any_text(item, is_wanted)),
        Value::Object(map) => map.iter().any(|(key, value)| is_wanted(key) || any_text(value, is_wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// How a variable begins.
const VARIABLE: [u8; 2] = *b"{{";
/// How a reference begins.
const REFERENCE: [u8; 2] = *b"$(";

/// Nearly all texts of a policy hold neither, and nearly all are short: a plain scan beats the standard search.
fn may_hold(text: &str, marker: [u8; 2]) -> bool {
    text.as_bytes().windows(2).any(|pair| pair == marker)
}

/// Whether a variable may stand in the text.
pub(crate) fn may_hold_variables(text: &str) -> bool {
    may_hold(text, VARIABLE)
}

/// All variables, left to right, none overlapping another.
// Go: `(^|[^\\])(\{\{(?:\{[^{}]*\}|[^{}])*\}\})`.
pub fn variables(text: &str) -> Vec<Found<'_>> {
    find(text, VARIABLE, variable_length)
}

/// The text with this in place of each variable.
// Kyverno: ReplaceAllVars.
pub fn replace_variables(text: &str, replacement: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for found in variables(text) {
        let (before, after) = rest.split_once(found.whole).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(found.prefix());
        out.push_str(replacement);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether a variable stands at the very start.
// Go: RegexVariableInit.
pub fn starts_with_variable(text: &str) -> bool {
    variable_length(text).is_some()
}

/// All references, left to right, none overlapping another.
// Go: `^\$\(.[^\ ]*\)|[^\\]\$\(.[^\ ]*\)`.
pub fn references(text: &str) -> Vec<Found<'_>> {
    let mut barren = Barren::default();
    find(text, REFERENCE, |here| reference_length(here, text.len() - here.len(), &mut barren))
}

/// A stretch of text that has no closing bracket before its end, a blank: what begins inside it need not search again.
#[derive(Default)]
struct Barren {
    from: usize,
    to: usize,
}

impl Barren {
    /// What a search from this place finds: a bracket, or how far it came without one.
    fn ask(&mut self, from: usize, search: impl FnOnce() -> Result<usize, usize>) -> Option<usize> {
        if (self.from..self.to).contains(&from) {
            return None;
        }
        search().map_err(|length| (self.from, self.to) = (from, from + length)).ok()
    }
}

/// All escaped references `\$(…)`.
// Go: `\\\$\(.[^\ \)]*\)`.
pub fn escaped_references(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut barren = Barren::default();
    while let Some(at) = rest.find("\\$(") {
        let here = rest.get(at..).unwrap_or("");
        let inner = here.get(3..).unwrap_or("");
        let first = inner.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        let tail = inner.get(first..).unwrap_or("");
        let end = barren.ask(text.len() - tail.len(), || {
            let end = tail.find([' ', ')']).unwrap_or(tail.len());
            if tail.as_bytes().get(end) == Some(&b')') { Ok(end) } else { Err(end) }
        });
        let length = match end {
            Some(end) if first > 0 => 3 + first + end + 1,
            _ => 3,
        };
        if length > 3 {
            found.extend(here.get(..length));
        }
        rest = here.get(length..).unwrap_or("");
    }
    found
}

/// A match stands at the very start, or takes the character before it along, which must not belong to a match.
fn find(text: &str, marker: [u8; 2], mut length: impl FnMut(&str) -> Option<usize>) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut free = 0;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        if pair != marker {
            continue;
        }
        let start = match text.get(free..at).map(|between| between.chars().next_back()) {
            Some(Some(before)) if before != '\\' => at - before.len_utf8(),
            Some(None) if at == 0 => 0,
            _ => continue,
        };
        let Some(n) = text.get(at..).and_then(&mut length) else { continue };
        found.extend(text.get(start..at + n).map(|whole| Found { at: start, whole, before: at - start }));
        free = at + n;
    }
    found
}

/// How long the variable at the start of the text is: braces inside it may nest one level.
fn variable_length(text: &str) -> Option<usize> {
    let bytes = text.strip_prefix("{{")?.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'}' => return (bytes.get(at + 1) == Some(&b'}')).then_some(at + 4),
            b'{' => {
                let inner = bytes.get(at + 1..)?;
                let end = inner.iter().position(|b| matches!(b, b'{' | b'}'))?;
                if inner.get(end) != Some(&b'}') {
                    return None;
                }
                at += end + 2;
            }
            _ => at += 1,
        }
    }
}

/// How long the reference at the start of the text is, which stands at this place: up to the last bracket before a blank.
fn reference_length(text: &str, at: usize, barren: &mut Barren) -> Option<usize> {
    let inner = text.strip_prefix("$(")?;
    let first = inner.chars().next().filter(|c| *c != '\n')?.len_utf8();
    let tail = inner.get(first..)?;
    let end = barren.ask(at + 2 + first, || {
        let run = tail.find(' ').unwrap_or(tail.len());
        tail.get(..run).and_then(|run| run.rfind(')')).ok_or(run)
    })?;
    Some(2 + first + end + 1)
}

#[cfg(test)]
mod tests {
    use super::{Found, escaped_references, references, variables};

    fn texts(text: &str) -> Vec<(&str, &str)> {
        variables(text).iter().map(|found| (found.prefix(), found.text())).collect()
    }

    #[test]
    fn variables_are_found_as_the_original_finds_them() {
        assert_eq!(texts("{{ a }}"), [("", "{{ a }}")]);
        assert_eq!(texts("x{{ a }} {{b}}"), [("x", "{{ a }}"), (" ", "{{b}}")]);
        assert_eq!(texts(r"\{{ a }}"), []);
        assert_eq!(texts("{{ {a: b} }}"), [("", "{{ {a: b} }}")]);
        assert_eq!(texts("{{ a.{{b}} }}"), [(".", "{{b}}")]);
        // The second one needs a character before it that the first has not taken.
        assert_eq!(texts("{{a}}{{b}}"), [("", "{{a}}")]);
        assert_eq!(texts("{{ a }"), []);
    }

    #[test]
    fn references_end_at_the_last_bracket_before_a_blank() {
        let found: Vec<_> = references("$(./a)x $(b)").iter().map(Found::text).collect();
        assert_eq!(found, ["$(./a)", "$(b)"]);
        assert_eq!(references(r"\$(a)").len(), 0);
        assert_eq!(escaped_references(r"\$(a) \$(b"), [r"\$(a)"]);
    }
}
