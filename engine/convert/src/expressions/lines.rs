//! Lines of expressions that are too long for a reader.
//!
//! In: the text of an expression. Out: the same with breaks between its words, where a person would set them: behind operators, and
//! between what stands in brackets.

use crate::expressions::formula::end_of_quote;

/// How wide a line may be before it is broken.
pub(crate) const WIDTH: usize = 100;
/// How wide it may be where it is the only one, on the line of its key.
pub(crate) const ALONE: usize = 90;
/// How long an element of a list may be that shares its line with others.
const MAX_SHARED: usize = 40;
/// How long a side of a comparison is at least that has a line of its own.
const MIN_SIDE: usize = 12;
/// How often the parts of a line are broken again.
const MAX_DEPTH: usize = 12;

/// The text with no line longer than need be.
pub(crate) fn broken(text: &str) -> String {
    let width = if text.contains('\n') { WIDTH } else { ALONE };
    text.split('\n').map(|line| line_of(line, width, MAX_DEPTH)).collect::<Vec<_>>().join("\n")
}

fn line_of(line: &str, width: usize, depth: usize) -> String {
    let is_comment = line.trim_start().starts_with("//");
    if line.chars().count() <= width || depth == 0 || is_comment {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start().len();
    let Some(lines) = parts(line.trim_start(), &" ".repeat(indent)) else { return line.to_owned() };
    lines.iter().map(|line| line_of(line, WIDTH, depth - 1)).collect::<Vec<_>>().join("\n")
}

/// A pair of brackets: where it opens and closes.
#[derive(Clone, Copy, Debug)]
struct Pair {
    open: usize,
    close: usize,
}

/// The brackets of a text within no others, without those that have no counterpart in it.
fn pairs(text: &str) -> Vec<Pair> {
    let (mut open, mut found, mut skipped): (Vec<usize>, Vec<Pair>, usize) = (Vec::new(), Vec::new(), 0);
    for (at, c) in text.char_indices() {
        match c {
            _ if at < skipped => {}
            '\'' | '"' => skipped = at + text.get(at..).and_then(end_of_quote).unwrap_or(1),
            '(' | '[' | '{' => open.push(at),
            ')' | ']' | '}' => {
                if let Some(open) = open.pop() {
                    found.retain(|pair| pair.open < open);
                    found.push(Pair { open, close: at });
                }
            }
            _ => {}
        }
    }
    found
}

/// The places of these words in a text that stand within no brackets and quotes: where each begins, and its length.
fn places(text: &str, words: &[&str]) -> Vec<(usize, usize)> {
    let pairs = pairs(text);
    let (mut found, mut skipped) = (Vec::new(), 0);
    for (at, c) in text.char_indices() {
        if at < skipped {
            continue;
        }
        if matches!(c, '\'' | '"') {
            skipped = at + text.get(at..).and_then(end_of_quote).unwrap_or(1);
            continue;
        }
        let is_within = pairs.iter().any(|pair| (pair.open..pair.close).contains(&at));
        let word = words.iter().find(|word| text.get(at..).is_some_and(|rest| rest.starts_with(**word)));
        if let Some(word) = word.filter(|_| !is_within) {
            found.push((at, word.len()));
        }
    }
    found
}

/// The words behind which a line is broken, those that bind least first, and how much further in the next line begins.
const OPERATORS: [(&[&str], &str); 4] =
    [(&[" ||"], ""), (&[" &&"], ""), (&[" ?", " :"], "  "), (&[" +"], "")];
const COMPARISONS: [&str; 6] = [" ==", " !=", " <=", " >=", " <", " >"];

fn parts(text: &str, indent: &str) -> Option<Vec<String>> {
    for (words, more) in OPERATORS {
        if let Some(lines) = behind(text, words, indent, more) {
            return Some(lines);
        }
    }
    let is_even = |lines: &Vec<String>| {
        lines.iter().all(|line| line.trim().len() > WIDTH / 4)
            || lines.iter().all(|line| line.trim().len() >= MIN_SIDE && line.len() <= WIDTH)
    };
    if let Some(lines) = behind(text, &COMPARISONS, indent, "  ").filter(is_even) {
        return Some(lines);
    }
    let mut all = pairs(text);
    let is_list = |pair: &Pair| text.get(..pair.open).is_some_and(|before| before.ends_with(" in "));
    all.sort_by_key(|pair| std::cmp::Reverse((is_list(pair), pair.close - pair.open)));
    all.iter().find_map(|pair| within(text, *pair, indent))
}

/// A text broken behind each of these words.
fn behind(text: &str, words: &[&str], indent: &str, more: &str) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let mut from = 0;
    for (at, len) in places(text, words) {
        let end = at + len;
        let is_word = text.get(end..).is_some_and(|rest| rest.starts_with(' '));
        if is_word {
            lines.push(text.get(from..end)?);
            from = end + 1;
        }
    }
    let last = text.get(from..).filter(|last| !last.is_empty() && !lines.is_empty())?;
    lines.push(last);
    let pad = |(at, line): (usize, &&str)| format!("{indent}{}{line}", if at == 0 { "" } else { more });
    Some(lines.iter().enumerate().map(pad).collect())
}

/// A text whose brackets are opened.
fn within(text: &str, pair: Pair, indent: &str) -> Option<Vec<String>> {
    let (head, inner, tail) =
        (text.get(..=pair.open)?, text.get(pair.open + 1..pair.close)?, text.get(pair.close..)?);
    let mut items = Vec::new();
    let mut from = 0;
    for (at, _) in places(inner, &[", "]) {
        items.push(inner.get(from..=at)?.to_owned());
        from = at + 2;
    }
    items.push(inner.get(from..)?.to_owned());
    if head.ends_with('(') || items.len() == 1 {
        return of_call(head, &items, tail, indent);
    }
    let inner = format!("{indent}  ");
    let mut lines = vec![format!("{indent}{head}")];
    let are_short = items.iter().all(|item| item.len() <= MAX_SHARED && !item.contains(['{', '[', '(', ':']));
    let mut is_open = false;
    for item in items {
        match lines.last_mut().filter(|line| is_open && line.len() + item.len() < WIDTH) {
            Some(line) => {
                line.push(' ');
                line.push_str(&item);
            }
            None => lines.push(format!("{inner}{item}")),
        }
        is_open = are_short;
    }
    lines.push(format!("{indent}{tail}"));
    Some(lines)
}

/// A call: its last argument on lines of its own; what is the only one is broken by itself.
fn of_call(head: &str, items: &[String], tail: &str, indent: &str) -> Option<Vec<String>> {
    let (last, before) = items.split_last()?;
    if before.is_empty() {
        let mut lines = parts(last, indent)?;
        let first = lines.first_mut()?;
        *first = format!("{indent}{head}{}", first.trim_start());
        lines.last_mut()?.push_str(tail);
        return Some(lines);
    }
    let is_first_short = before.concat().len() + head.len() < WIDTH;
    is_first_short
        .then(|| vec![format!("{indent}{head}{}", before.join(" ")), format!("{indent}  {last}{tail}")])
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_lines_are_broken_where_a_person_would() {
        let word = "'container_with_a_long_name'";
        let list = format!("c.?type.orValue('') in [{word}, {word}, {word}]) &&");
        assert_eq!(
            broken(&format!("  {list}")),
            format!("  c.?type.orValue('') in [\n    {word}, {word}, {word}\n  ]) &&")
        );
        let patch = format!("[JSONPatch{{op: 'add', path: '/spec/a, b', value: [{word}, {word}, {word}]}}]");
        assert_eq!(
            broken(&patch),
            format!(
                "[JSONPatch{{\n  op: 'add',\n  path: '/spec/a, b',\n  value: [{word}, {word}, {word}]\n}}]"
            )
        );
        let left = format!("size(a.filter(b, b == {word}))");
        let right = format!("size(c.filter(d, d == {word} && d.e == {word}))");
        assert_eq!(broken(&format!("{left} == {right}")), format!("{left} ==\n  {right}"));
        let sum = format!("(has(a.b) ? [] : [{word}, {word}]) + [{word}, {word}, {word}]");
        assert_eq!(broken(&sum), format!("(has(a.b) ? [] : [{word}, {word}]) +\n[{word}, {word}, {word}]"));
        // A word that is too long stays.
        let text = format!("a == '{}'", "x ".repeat(80));
        assert_eq!(broken(&text), text);
    }
}
