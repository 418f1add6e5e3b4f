//! Pieces of CEL that several checks use.
//!
//! In: expressions, names of variables, texts. Out: expressions.

use crate::expressions::formula::quoted;
use crate::expressions::wildcard::like;
use engine_json::Str;

/// How long a line of an expression may be.
const WIDTH: usize = 100;

/// Texts as a list.
pub(super) fn list<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = texts.into_iter().map(|text| quoted(text.as_ref())).collect();
    let flat = format!("[{}]", all.join(", "));
    if flat.len() <= WIDTH {
        return flat;
    }
    let mut lines = vec![String::new()];
    for (at, text) in all.iter().enumerate() {
        let comma = if at + 1 < all.len() { "," } else { "" };
        let is_full = lines.last().is_some_and(|line| line.len() + text.len() > WIDTH - 8);
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(text);
            line.push_str(comma);
        }
    }
    format!("[\n    {}\n  ]", lines.join("\n    "))
}

/// Whether a text is one of these, or like one of them; `None` where any text is.
pub(super) fn like_any(value: &str, patterns: &[Str]) -> Option<String> {
    if patterns.iter().any(|pattern| !pattern.is_empty() && pattern.chars().all(|c| c == '*')) {
        return None;
    }
    let (wild, exact): (Vec<&Str>, Vec<&Str>) =
        patterns.iter().partition(|pattern| pattern.contains(['*', '?']));
    let mut parts: Vec<String> = match exact.as_slice() {
        [] => Vec::new(),
        [one] => vec![format!("{value} == {}", quoted(one))],
        several => vec![format!("{value} in {}", list(several))],
    };
    parts.extend(wild.into_iter().map(|pattern| like(value, pattern).text()));
    Some(any(&parts))
}

/// One of these; in parentheses where there are several.
pub(super) fn any(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        several => {
            let flat = format!("({})", several.join(" || "));
            if flat.len() <= WIDTH { flat } else { format!("({})", several.join(" ||\n   ")) }
        }
    }
}

/// All of these, on one line or several.
pub(super) fn all(parts: &[String]) -> String {
    let flat = parts.join(" && ");
    if flat.len() <= WIDTH { flat } else { parts.join(" &&\n  ") }
}

/// The opposite.
pub(super) fn not(expression: &str) -> String {
    format!("!({})", expression.strip_prefix('(').and_then(|rest| whole(rest)).unwrap_or(expression))
}

/// What stands before the last parenthesis, where that closes the first.
fn whole(rest: &str) -> Option<&str> {
    let inner = rest.strip_suffix(')')?;
    let mut depth = 0_i32;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    Some(inner)
}

/// The elements of a list for which all of this is true, on one line or several.
pub(super) fn filter(of: &str, name: &str, parts: &[String]) -> String {
    let flat = format!("{of}.filter({name}, {})", all(parts));
    if flat.len() <= WIDTH && !flat.contains('\n') {
        return flat;
    }
    format!("{of}.filter({name},\n  {})", parts.join(" &&\n  "))
}

/// `container "a"`, `containers "a", "b"`: what a variable holds.
pub(super) fn named(kind: &str, variable: &str) -> String {
    let item = if kind == "container" { "container" } else { "volume" };
    format!(
        "(variables.{variable}.size() == 1 ? '{kind} \"' : '{kind}s \"') +\n  variables.{variable}.map({item}, {item}.name).join('\", \"') + '\"'"
    )
}

/// Texts in quotes, with commas.
pub(super) fn in_quotes(texts: &str) -> String {
    format!("'\"' + {texts}.join('\", \"') + '\"'")
}
