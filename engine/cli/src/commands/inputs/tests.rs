//! A text in pieces is the text as a whole.

use super::*;
use engine::yaml::{Options, Span};
use std::fmt::Write;

#[test]
fn pieces_hold_the_same_documents_at_the_same_places() {
    let mut text = String::new();
    for n in 0..6_000 {
        let between = if n % 7 == 0 { "---\n---\n" } else { "---\n" };
        let _ = write!(
            text,
            "kind: Pod # {n}\nmetadata:\n  name: p{n}\n  labels: {{app: \"{}\"}}\n{between}",
            "x".repeat(n % 90)
        );
        if n % 1000 == 3 {
            text.push_str("a: [\n---\n# only a comment\n---\n");
        }
    }
    let source = Source { id: SourceId(0), name: "pods.yaml".into(), text: text.as_str().into() };
    let whole = engine::yaml::parse(&source, &Options { max_bytes: usize::MAX, ..Options::default() });
    let pieces = pieces(Role::Resources, &source);
    assert!(pieces.len() > 1);
    assert_eq!(pieces.iter().map(|piece| piece.text.len()).sum::<usize>(), text.len());
    let parts: Vec<Parsed> = pieces.iter().map(|piece| parse_piece(piece).1).collect();
    let documents = |parsed: &Parsed| -> Vec<(Span, engine::json::Value)> {
        parsed.documents.iter().map(|document| (document.span, document.value.clone())).collect()
    };
    assert_eq!(parts.iter().flat_map(documents).collect::<Vec<_>>(), documents(&whole));
    assert_eq!(parts.iter().flat_map(|part| part.findings.clone()).collect::<Vec<_>>(), whole.findings);
}
