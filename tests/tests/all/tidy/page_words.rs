//! What the page says stands in its files of words and nowhere else, so that a word is changed, or translated, in one place.
//!
//! In: the Rust sources of the page. Out: each literal beside these files that looks like a text, with its line.

use std::fmt::Write;

use super::{none, sources};

/// Where the page's sources are.
const PAGE: &str = "playground/src/";
/// Files and folders whose literals are texts, and those that no reader sees.
const WORDS: [&str; 2] = ["words", "tests"];

/// Attributes whose value is shown or read out: one word is enough.
const SPEAKING: [&str; 6] = ["alt", "aria-label", "label", "placeholder", "title", "what"];
/// Attributes whose value has blanks and is not a text.
const DRAWING: [&str; 3] = ["class", "d", "viewBox"];

/// Single words that begin as a text does and are names: keys of a keyboard, kinds.
const NAMES: [&str; 9] = ["Deletion", "Deployment", "End", "Enter", "Escape", "Home", "Job", "Pod", "Policy"];

/// Further literals that are not texts, by file and beginning, each with the reason.
const NO_TEXTS: &[(&str, &str, &str)] = &[
    ("files/mod.rs", "Context", "a kind of the Kyverno CLI"),
    ("late/funnel.rs", "way ", "classes of a cell"),
    ("late/parts.rs", "line ", "classes of a line"),
    ("profile/mod.rs", "date: ", "the head of a playground.yaml"),
    ("samples/mod.rs", "yaml ", "what a block of a sample begins with"),
    ("samples/mod.rs", "text view", "what a block of a sample begins with"),
];

/// A literal, and what stands before it.
struct Literal<'a> {
    line: usize,
    text: &'a str,
    before: &'a str,
}

/// The literals of a source, without those in remarks and in the tests at its end.
fn literals(source: &str) -> Vec<Literal<'_>> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or(source);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(inner) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let text = inner.split(|c: char| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            let text = text.into_iter().next().unwrap_or(inner);
            let before = source.get(..at).unwrap_or_default();
            found.push(Literal { line: before.matches('\n').count() + 1, text, before });
            at += text.len() + 2;
        } else {
            at += sign(rest);
        }
    }
    found
}

/// The bytes of a sign of the code: `'"'` and `'\''` are one, a lifetime's `'` is.
fn sign(rest: &str) -> usize {
    let one = |rest: &str| rest.chars().next().map_or(1, char::len_utf8);
    let Some(inner) = rest.strip_prefix('\'') else { return one(rest) };
    let length = inner.strip_prefix('\\').map_or_else(|| one(inner), |escaped| 1 + one(escaped));
    if inner.get(length..).is_some_and(|rest| rest.starts_with('\'')) { length + 2 } else { 1 }
}

/// What is left of a literal without the places for values and without escaped signs.
fn described(text: &str) -> String {
    let mut described = String::new();
    let mut depth = 0_usize;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => described.extend(signs.next().map(|_| ' ')),
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => described.push(sign),
            _ => {}
        }
    }
    described
}

/// Whether somebody reads this on the page.
fn is_text(literal: &Literal<'_>) -> bool {
    let before = literal.before;
    let described = described(literal.text);
    if !described.contains(char::is_alphabetic) || before.ends_with("reason = ") {
        return false;
    }
    let name_end = |c: char| !c.is_alphanumeric() && c != '-';
    let attribute = before.strip_suffix('=').and_then(|before| before.rsplit(name_end).next());
    if let Some(name) = attribute.filter(|name| SPEAKING.contains(name) || DRAWING.contains(name)) {
        return SPEAKING.contains(&name);
    }
    // `<p>{ "…" }`, `{ … }{ "…" }`, also at the beginning of a line.
    let is_html = before.trim_end().strip_suffix('{').is_some_and(|before| {
        let outside = before.trim_end();
        let is_near = outside.len() == before.len() || before.trim_end_matches(' ').ends_with('\n');
        is_near && outside.ends_with(['>', '}'])
    });
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.chars().count() > 1 && word.chars().all(char::is_alphabetic)
    };
    let is_sentence = described.contains(' ') && described.split_whitespace().any(is_word);
    let mut signs = described.chars();
    let begins = signs.next().is_some_and(char::is_uppercase) && signs.next().is_some_and(char::is_lowercase);
    // `DaemonSet` and `ArrowDown` are names.
    let is_label = begins && !signs.any(char::is_uppercase) && !NAMES.contains(&literal.text);
    is_html || is_sentence || is_label
}

#[test]
fn a_text_of_the_page_stands_among_its_words() {
    let mut breaches = String::new();
    for source in sources("rs") {
        let Some(inner) = source.path.strip_prefix(PAGE) else { continue };
        if inner.split('/').any(|part| WORDS.contains(&part.trim_end_matches(".rs"))) {
            continue;
        }
        let module = if inner.starts_with("late/") { "late/words.rs" } else { "words" };
        for literal in literals(&source.text) {
            let is_named =
                NO_TEXTS.iter().any(|(path, start, _)| *path == inner && literal.text.starts_with(start));
            if is_text(&literal) && !is_named {
                let (path, line, text) = (&source.path, literal.line, literal.text);
                let _ = writeln!(breaches, "{path}:{line}: “{text}”: give it a name in {PAGE}{module}");
            }
        }
    }
    none(&breaches);
}

#[test]
fn a_text_is_told_from_a_name() {
    let found = |source: &str| -> Vec<String> {
        literals(source)
            .iter()
            .filter(|literal| is_text(literal))
            .map(|found| found.text.to_owned())
            .collect()
    };
    let texts = [
        r#"html! { <p>{ "undone" }</p> }"#,
        r#"html! { <b>{ name }</b>{ " has errors" } }"#,
        r#"html! { <nav title="page" /> }"#,
        r#"<button>{ if done { "Copied" } else { mark } }"#,
        r#"let quote = '"'; format!("{n} lines")"#,
        "fn f<'a>(x: &'a str) { note(\"no \\\"such\\\" file\") }",
    ];
    for source in texts {
        assert_eq!(found(source).len(), 1, "{source}: {:?}", found(source));
    }
    let names = [
        r#"html! { <p class="menu further">{ words::ADD }{ ": " }</p> }"#,
        r#"// "a remark about words""#,
        r#"match event.key().as_str() { "ArrowDown" | "Enter" => 1, _ => 2 }"#,
        r#"format!("{}/{name}.yaml", folder)"#,
        r#"format!("{policy} / {rule}")"#,
        r#"#[expect(dead_code, reason = "the page uses the rest")]"#,
        "#[cfg(test)]\nmod tests {\n    note(\"an own world\")",
    ];
    for source in names {
        assert_eq!(found(source), [""; 0], "{source}");
    }
    let line = literals("fn f() {\n    // \"one\"\n    g(\"two\\\n  three\", \"four\")")
        .last()
        .map(|last| last.line);
    assert_eq!(line, Some(4));
}
