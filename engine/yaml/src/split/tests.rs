//! How texts fall into pieces.

use super::{Piece, split};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let pieces = split(text);
    let shown: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Document(range) => text.get(range.clone()).unwrap().to_owned(),
            Piece::BadSeparator(_, message) => format!("! {message}"),
        })
        .collect();
    assert_eq!(shown, expected, "{text:?}");
}

#[test]
fn separators_end_a_document_and_are_left_out() {
    check("a: 1\n---\nb: 1\n", &["a: 1\n", "b: 1\n"]);
    check("a: 1\n--- # c\nb: 1", &["a: 1\n", "b: 1"]);
    check("a: 1\r\n---\r\nb: 1\r\n", &["a: 1\r\n", "b: 1\r\n"]);
    check("a: |\n ---\n", &["a: |\n ---\n"]);
}

#[test]
fn a_separator_at_the_start_of_a_document_belongs_to_it() {
    check("---\na: 1\n", &["---\na: 1\n"]);
    check("a: 1\n---\n---\nb: 1\n", &["a: 1\n", "---\nb: 1\n"]);
    check("---\n---\na: 1\n", &["---\n", "a: 1\n"]);
}

#[test]
fn blanks_and_comments_are_no_document() {
    check("", &[]);
    check("# a\n---\n\n  # b\n---\nc: 1\n", &["c: 1\n"]);
    check("a: 1\n---\n", &["a: 1\n"]);
}

#[test]
fn a_separator_with_content_is_refused_and_the_next_document_is_read() {
    let refusal = "! invalid Yaml document separator: b: 1";
    check("a: 1\n--- b: 1\nc: 1\n---\nd: 1\n", &["a: 1\n", refusal, "d: 1\n"]);
}
