//! Wildcards as tests of texts.
//!
//! In: a value and a text with `*` and `?`. Out: `startsWith`, `endsWith`, `contains`, equality, or a regular expression.

use crate::expressions::formula::{Formula, operand, quoted};

/// The value is like the pattern.
pub(crate) fn like(value: &str, pattern: &str) -> Formula {
    let call = |function: &str, text: &str| {
        Formula::test(format!("{}.{function}({})", operand(value), quoted(text)))
    };
    if !pattern.contains(['*', '?']) {
        return Formula::equal(value, &quoted(pattern));
    }
    let inner = pattern.trim_matches('*');
    let is_plain = !inner.contains(['*', '?']);
    match (pattern.starts_with('*'), pattern.ends_with('*')) {
        _ if pattern == "?*" || pattern == "*?" => Formula::equal(value, "''").negated(),
        _ if inner.is_empty() => Formula::equal(&format!("type({value})"), "string"),
        (true, true) if is_plain => call("contains", inner),
        (false, true) if is_plain => call("startsWith", inner),
        (true, false) if is_plain => call("endsWith", inner),
        _ => call("matches", &regex(pattern)),
    }
}

// Kyverno: ext/wildcard, whose wildcards stand for any letters, line breaks too.
fn regex(pattern: &str) -> String {
    let mut out = String::from("(?s)^");
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '\\' | '.' | '+' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out.push('$');
    out
}
