//! Where variables `{{ … }}` and references `$( … )` stand in a text.
//!
//! In: a text of a policy. Out: the places, found as Go's regular expressions of the original find them.
//! Mirrors: pkg/engine/variables/regex/vars.go.
//!
//! A variable found in the middle of a text brings one character with it, the one before its braces: the
//! original matches it to see that it is no backslash, and its callers work with both together.

use engine_json::Value;

/// A stretch of text, with the byte length of the character that was matched before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'a> {
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
    let marked = |text: &str| text.contains("{{") || text.contains("$(");
    match value {
        Value::String(text) => marked(text),
        Value::Array(list) => list.iter().any(has_markers),
        Value::Object(map) => map.iter().any(|(key, value)| marked(key) || has_markers(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// All variables, left to right, none overlapping another.
// Go: `(^|[^\\])(\{\{(?:\{[^{}]*\}|[^{}])*\}\})`.
pub fn variables(text: &str) -> Vec<Found<'_>> {
    find(text, "{{", variable_length)
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
    find(text, "$(", reference_length)
}

/// All escaped references `\$(…)`.
// Go: `\\\$\(.[^\ \)]*\)`.
pub fn escaped_references(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\$(") {
        let here = rest.get(at..).unwrap_or("");
        let inner = here.get(3..).unwrap_or("");
        let first = inner.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        let end = inner
            .get(first..)
            .and_then(|tail| tail.find([' ', ')']).filter(|end| tail.as_bytes().get(*end) == Some(&b')')));
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

fn find<'a>(text: &'a str, marker: &str, length: fn(&str) -> Option<usize>) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    if !text.contains(marker) {
        return found;
    }
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let behind_one = || {
            let after = rest.get(first..).filter(|_| !rest.starts_with('\\'))?;
            length(after).map(|n| (first, first + n))
        };
        let here = if at == 0 { length(rest).map(|n| (0, n)) } else { None };
        match here.or_else(behind_one) {
            Some((before, end)) => {
                found.extend(rest.get(..end).map(|whole| Found { whole, before }));
                at += end;
            }
            None => at += first,
        }
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

/// How long the reference at the start of the text is: up to the last bracket before a blank.
fn reference_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("$(")?;
    let first = inner.chars().next().filter(|c| *c != '\n')?.len_utf8();
    let tail = inner.get(first..)?;
    let run = tail.find(' ').unwrap_or(tail.len());
    let end = tail.get(..run)?.rfind(')')?;
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
