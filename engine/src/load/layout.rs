//! What is wrong with colons, quotes and indentation where a text is not YAML.
//!
//! In: a text, the byte at which reading it stopped, and the reader's words. Out: what to do, and the line that is about,
//! which need not be the one where the reader stopped: of `message:The` it learns on the next line. Nothing where the
//! lines give no sign.

use std::ops::Range;

/// So many bytes above the place are looked at.
const ABOVE: usize = 4_000;
/// The longest value that is repeated in a hint.
const LONGEST: usize = 60;

/// A hint, and the place of the mistake where it is not the reader's.
pub(super) type Hint = (String, Option<Range<usize>>);

/// A line with what it begins.
struct Line<'t> {
    /// Where its text begins, and the text without blanks around it.
    start: usize,
    text: &'t str,
    /// The column of its text.
    indent: usize,
    /// The column and text behind the dashes of items.
    column: usize,
    body: &'t str,
    /// The key, where the line has one, and what follows it.
    pair: Option<(&'t str, &'t str)>,
}

impl<'t> Line<'t> {
    /// The line that begins at this byte; nothing for a blank one or a comment.
    fn read(begin: usize, whole: &'t str) -> Option<Self> {
        let text = whole.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let indent = whole.len() - whole.trim_start().len();
        let mut body = text;
        while let Some(rest) = body.strip_prefix("- ") {
            body = rest.trim_start();
        }
        let column = indent + text.len() - body.len();
        let pair = body.split_once(": ").or_else(|| Some((body.strip_suffix(':')?, "")));
        let pair = pair.filter(|(key, _)| is_word(key)).map(|(key, value)| (key, value.trim()));
        Some(Line { start: begin + indent, text, indent, column, body, pair })
    }

    fn is_item(&self) -> bool {
        self.column > self.indent || self.text == "-"
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The name before a colon behind which a blank is missing: `message` of `message:The`.
    fn unspaced(&self) -> Option<&'t str> {
        let (key, rest) = self.body.split_once(':').filter(|_| self.pair.is_none())?;
        let is_key = !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric());
        (is_key
            && rest.starts_with(|first: char| {
                first.is_ascii_alphabetic() || !first.is_ascii() || "\"'{[".contains(first)
            }))
        .then_some(key)
    }
}

/// Whether it can be a key: one word that opens nothing.
fn is_word(key: &str) -> bool {
    !key.is_empty() && !key.contains(char::is_whitespace) && !key.starts_with(['{', '[', '"', '\''])
}

/// What to do about the error with these words at this byte.
pub(super) fn hint(text: &str, at: usize, message: &str) -> Option<Hint> {
    let from = text.floor_char_boundary(at.saturating_sub(ABOVE));
    let mut begin = from;
    let mut lines = Vec::new();
    for whole in text.get(from..)?.split_inclusive('\n') {
        if begin > at {
            break;
        }
        if whole.starts_with("---") {
            lines.clear();
        } else if begin > from || from == 0 {
            lines.extend(Line::read(begin, whole));
        }
        begin += whole.len();
    }
    let (last, above) = lines.split_last()?;
    match message {
        "mapping values are not allowed in this context" => of_colon(above, last, at),
        "could not find expected ':'" => {
            let near = lines.iter().rev().take(3).find_map(of_missing_blank);
            near.or_else(|| above.last().and_then(of_missing_colon))
        }
        "did not find expected key" | "did not find expected '-' indicator" => {
            if at > last.start {
                let before = last.text.get(..at - last.start)?;
                return before.contains(['"', '\'']).then(|| (QUOTE.to_owned(), None));
            }
            of_indentation(above, last)
        }
        _ => None,
    }
}

const QUOTE: &str = "a quote ended before this: within `'…'` write `''`, within `\"…\"` write `\\\"`";

/// A colon that begins no value.
fn of_colon(above: &[Line<'_>], last: &Line<'_>, at: usize) -> Option<Hint> {
    let behind_key = |key: &str| last.start + (last.column - last.indent) + key.len();
    if let Some((key, value)) = last.pair.filter(|(key, _)| behind_key(key) < at) {
        if value.starts_with(['"', '\'', '{', '[']) {
            return None;
        }
        let quote = if value.contains('"') { '\'' } else { '"' };
        let fits = value.len() <= LONGEST && !value.contains(quote) && !value.contains('\\');
        let example = if fits { format!(": `{key}: {quote}{value}{quote}`") } else { String::new() };
        return Some((format!("put a string that holds a colon and a space in quotes{example}"), None));
    }
    let before = above.last()?;
    match before.pair {
        Some((key, value)) if !value.is_empty() && last.column > before.column => {
            last.pair.map(|(own, _)| (unlike(own, last.column, key, before.column), None))
        }
        Some(_) => None,
        None => of_missing_colon(before).or_else(|| of_missing_blank(before)),
    }
}

fn of_missing_colon(line: &Line<'_>) -> Option<Hint> {
    let is_key = is_word(line.body) && !line.body.contains(':') && !line.is_item();
    is_key.then(|| (format!("a colon is missing: `{}:`", line.body), Some(line.span())))
}

fn of_missing_blank(line: &Line<'_>) -> Option<Hint> {
    let key = line.unspaced()?;
    Some((format!("a space is missing after the colon: `{key}: …`"), Some(line.span())))
}

/// A line that begins at a column where nothing that is open does: the field or item that is nearest to it.
fn of_indentation(above: &[Line<'_>], last: &Line<'_>) -> Option<Hint> {
    let mut limit = usize::MAX;
    let mut nearest: Option<(usize, &str, usize)> = None;
    for line in above.iter().rev() {
        // What stood below the beginning of a text in lines was that text.
        let begins_text = line.pair.is_some_and(|(_, value)| value.starts_with(['|', '>']));
        if begins_text && nearest.is_some_and(|(_, _, column)| column > line.column) {
            nearest = None;
        }
        let open = [(line.column, line.pair.map(|(key, _)| key)), (line.indent, Some("-"))];
        let open = open.into_iter().take(if line.is_item() { 2 } else { 1 });
        for (column, name) in open.filter_map(|(column, name)| Some((column, name?))) {
            if column >= limit || limit < last.indent {
                continue;
            }
            limit = column;
            let away = column.abs_diff(last.indent);
            let is_alike = (name == "-") == last.is_item();
            if is_alike && away == 0 {
                return None;
            }
            if is_alike && nearest.is_none_or(|(least, ..)| away < least) {
                nearest = Some((away, name, column));
            }
        }
    }
    let (_, name, column) = nearest?;
    let own = if last.is_item() { "-" } else { last.pair.map_or(last.body, |(key, _)| key) };
    Some((unlike(own, last.indent, name, column), None))
}

fn unlike(own: &str, indent: usize, other: &str, beside: usize) -> String {
    format!(
        "`{own}` is indented by {indent}, `{other}` above it by {beside}: what belongs together begins at the same column"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hint for a text, and the place that it names, if any.
    fn described(text: &str) -> (String, String) {
        let source =
            engine_yaml::Source { id: engine_yaml::SourceId(0), name: "a.yaml".into(), text: text.into() };
        let parsed = engine_yaml::parse(&source, &engine_yaml::Options::default());
        let finding = parsed.findings.first().expect("a finding");
        let Some((words, place)) = hint(text, finding.span.start as usize, &finding.message) else {
            return (String::new(), finding.message.clone());
        };
        (words, place.map(|place| text.get(place).unwrap().to_owned()).unwrap_or_default())
    }

    #[test]
    fn colons_are_named_where_they_are_wrong() {
        let words = "a space is missing after the colon: `message: …`";
        for next in ["pattern: {}", "deny: {}\n  x: y"] {
            let text = format!("validate:\n  message:The label\n  {next}\n");
            assert_eq!(described(&text), (words.to_owned(), "message:The label".to_owned()));
        }
        assert_eq!(described("a: 1\nmessage:The\nb: 2\n").1, "message:The");
        let quoted = described("validate:\n  message: Error: label\n  deny: {}\n");
        let words = "put a string that holds a colon and a space in quotes: `message: \"Error: label\"`";
        assert_eq!(quoted, (words.to_owned(), String::new()));
        assert!(described("- a: x \"y\": z\n").0.ends_with("`a: 'x \"y\": z'`"));
        assert_eq!(described("é: a: b: 'c\"'\n").0, "put a string that holds a colon and a space in quotes");
        let missing = ("a colon is missing: `validate:`".to_owned(), "validate".to_owned());
        assert_eq!(described("a:\n  validate\n    message: x\n"), missing);
        assert_eq!(described("b: 1\na:\n  c: 1\n  validate\n    message: x\n"), missing);
        assert_eq!(described("message: 'don't'\n").0, QUOTE);
    }

    #[test]
    fn indentation_is_compared_with_what_stands_above() {
        let unlike = |text: &str, own: &str, other: &str| {
            let (words, _) = described(text);
            let expected =
                format!("{own} above it by {other}: what belongs together begins at the same column");
            assert_eq!(words, expected, "{text}");
        };
        unlike("metadata:\n  name: web\n   labels:\n    a: b\n", "`labels` is indented by 3, `name`", "2");
        unlike(
            "validate:\n   message: x\n  pattern:\n    a: b\n",
            "`pattern` is indented by 2, `message`",
            "3",
        );
        unlike("a:\n  b:\n    c: x\n   d: y\n", "`d` is indented by 3, `c`", "4");
        unlike("- name: r\n  match: {}\n validate: {}\n", "`validate` is indented by 1, `match`", "2");
        unlike("rules:\n  - name: r\n  match: {}\n", "`match` is indented by 2, `name`", "4");
        unlike("c:\n- name: a\n  image: x\n - name: b\n", "`-` is indented by 1, `-`", "0");
        unlike("c:\n  - name: a\n    image: x\n - name: b\n", "`-` is indented by 1, `-`", "2");
        unlike("- name: a\n  image: nginx\n   args: []\n", "`args` is indented by 3, `image`", "2");
        unlike(
            "  - name: r\n    match:\n      any:\n      - a: b\n     validate: {}\n",
            "`validate` is indented by 5, `match`",
            "4",
        );
        unlike("a:\n    b:\n            c: x\n     d: y\n", "`d` is indented by 5, `b`", "4");
        unlike("a:\n  b: |\n    some: text\n   c: d\n", "`c` is indented by 3, `b`", "2");
        // A document before this one says nothing of it.
        unlike(
            "x:\n     y: 1\n---\nmetadata:\n  name: web\n   labels: {}\n",
            "`labels` is indented by 3, `name`",
            "2",
        );
    }

    #[test]
    fn texts_without_a_sign_get_no_hint() {
        for text in ["a: [1, 2\n", "%\n", "a: b\n  - c\n", "\"a\": b: c\n", "&a &b c\n"] {
            let source = engine_yaml::Source {
                id: engine_yaml::SourceId(0),
                name: "a.yaml".into(),
                text: text.into(),
            };
            for finding in engine_yaml::parse(&source, &engine_yaml::Options::default()).findings {
                let described = hint(text, finding.span.start as usize, &finding.message);
                assert!(described.is_none(), "{text:?} {described:?}");
            }
        }
    }
}
