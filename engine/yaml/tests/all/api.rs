//! What callers build on: places, findings, and both ways between text and value.

use engine_yaml::{
    FindingKind, LineIndex, Options, Parsed, Path, Source, SourceId, emit, parse, parse_one, strict_error,
    strict_findings,
};

fn read(text: &str) -> Parsed {
    let source = Source { id: SourceId(3), name: "a.yaml".into(), text: text.into() };
    parse(&source, &Options::default())
}

/// The texts at the key span and the value span of a path in the last document.
#[track_caller]
#[expect(clippy::expect_used, reason = "a helper of a test fails as the test does")]
fn check_spans(text: &str, keys: &[&str], key: Option<&str>, value: &str) {
    let parsed = read(text);
    let spans = parsed.documents.last().map(|document| document.spans(text)).expect("a document");
    let path = Path::from_keys(keys);
    let shown = |span: engine_yaml::Span| text.get(span.start as usize..span.end as usize);
    assert_eq!(spans.key_span(&path).and_then(shown), key, "key of {path}");
    assert_eq!(spans.value_span(&path).and_then(shown), Some(value), "value of {path}");
}

#[test]
fn paths_lead_to_the_places_of_keys_and_values() {
    let text = "# c\n---\nx: 1\n---\nspec: # s\n  ü: [a, {b: \"c d\"}] # e\n  list:\n  - one\n  - two: |\n      t\n\n  yes: null\n";
    check_spans(text, &["spec", "ü", "1", "b"], Some("b"), "\"c d\"");
    check_spans(text, &["spec", "ü"], Some("ü"), "[a, {b: \"c d\"}]");
    check_spans(text, &["spec", "list", "0"], None, "one");
    check_spans(text, &["spec", "list", "1", "two"], Some("two"), "|\n      t");
    check_spans(text, &["spec", "list"], Some("list"), "- one\n  - two: |\n      t");
    check_spans(text, &["spec", "true"], Some("yes"), "null");
    check_spans("a: !!str &x 1\nb: *x", &["b"], Some("b"), "*x");
    check_spans("a:\r\n  b: c\r\n", &["a", "b"], Some("b"), "c");
}

#[test]
fn merged_and_aliased_values_are_where_they_are_written() {
    let text = "base: &b {p: 1, q: 2}\nm:\n  q: 3\n  <<: *b\nk:\n  <<: [*b]\n  q: 4\na: *b\n";
    check_spans(text, &["m", "q"], Some("q"), "2");
    check_spans(text, &["m", "p"], Some("p"), "1");
    check_spans(text, &["k", "q"], Some("q"), "4");
    check_spans(text, &["a", "p"], Some("p"), "1");
    let value = parse_one(text).map(|value| engine_json::to_json(&value));
    let expected = r#"{"a":{"p":1,"q":2},"base":{"p":1,"q":2},"k":{"p":1,"q":4},"m":{"p":1,"q":2}}"#;
    assert_eq!(value.as_deref(), Ok(expected));
}

#[test]
fn a_path_that_is_not_there_has_a_deepest_ancestor() {
    let text = "a:\n  b: c\n";
    let parsed = read(text);
    let spans = parsed.documents.first().map(|document| document.spans(text)).expect("a document");
    let (depth, span) = spans.deepest(&Path::from_keys(&["a", "x", "y"]));
    assert_eq!((depth, text.get(span.start as usize..span.end as usize)), (1, Some("b: c")));
    assert_eq!(span.source, SourceId(3));
    assert!(spans.value_span(&Path::from_keys(&["a", "x"])).is_none());
}

#[test]
fn repeated_keys_are_found_in_the_order_of_the_original() {
    let text = "a: 1\na: 2\nb:\n  c: 1\n  c: 2\n1: x\n\"1\": z\nb: 3\n";
    let found = strict_findings(text).expect("a document");
    let shown: Vec<_> = found.iter().map(|finding| (finding.kind, finding.message.as_str())).collect();
    let kind = FindingKind::DuplicateKey;
    assert_eq!(
        shown,
        [
            (kind, "key \"a\" already set in map"),
            (kind, "key \"c\" already set in map"),
            (kind, "key \"b\" already set in map"),
        ]
    );
    let words = "yaml: unmarshal errors:\n  line 2: key \"a\" already set in map\n  line 5: key \"c\" already set in map\n  line 8: key \"b\" already set in map";
    assert_eq!(strict_error(text), Ok(Some(words.to_owned())));
    let value = read(text).documents.first().map(|document| emit::to_yaml_ordered(&document.value));
    assert_eq!(value.as_deref(), Some("a: 2\nb: 3\n\"1\": z\n"));
}

#[test]
fn one_text_is_its_first_document() {
    let json = |text: &str| {
        parse_one(text).map(|value| engine_json::to_json(&value)).map_err(|error| error.original)
    };
    assert_eq!(json("a: 1\n---\nb: ["), Ok(r#"{"a":1}"#.to_owned()));
    assert_eq!(json("# only a comment\n"), Ok("null".to_owned()));
    assert_eq!(
        json("a:\n\tb: 1\n"),
        Err("yaml: line 2: found character that cannot start any token".to_owned())
    );
    assert_eq!(
        json("a: {{ x }}\n"),
        Err(r#"yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}"#.to_owned())
    );
}

#[test]
fn documents_without_a_value_are_null() {
    let parsed = read("---\n---\na: 1\n---\n# c\n");
    let values: Vec<String> =
        parsed.documents.iter().map(|document| engine_json::to_json(&document.value)).collect();
    assert_eq!(values, ["null", r#"{"a":1}"#]);
}

#[test]
fn lines_columns_and_utf16_are_counted_from_bytes() {
    let index = LineIndex::new("a\nüb😀c\r\n\rd");
    let at = |byte| (index.position(byte), index.utf16(byte));
    assert_eq!(at(0), ((1, 1), 0));
    assert_eq!(at(2), ((2, 1), 2));
    assert_eq!(at(4), ((2, 2), 3));
    assert_eq!(at(5), ((2, 3), 4));
    assert_eq!(at(9), ((2, 4), 6));
    assert_eq!(at(12), ((3, 1), 9));
    assert_eq!(at(13), ((4, 1), 10));
    assert_eq!(at(99), ((4, 2), 11));
    assert_eq!(index.line_count(), 4);
}

#[track_caller]
#[expect(clippy::expect_used, reason = "a helper of a test fails as the test does")]
fn check_written(json: &str, expected: &str, expected4: &str) {
    let value = engine_json::parse(json).expect("JSON");
    assert_eq!(emit::to_yaml(&value), expected);
    assert_eq!(emit::to_yaml4(&value.with_float_numbers()), expected4);
}

#[test]
fn values_are_written_as_the_originals_write_them() {
    check_written(
        r#"{"b":[{"c":[1,{}]},[]],"a10":"yes","a2":1000000.0}"#,
        "a2: 1000000\na10: \"yes\"\nb:\n- c:\n  - 1\n  - {}\n- []\n",
        "a2: 1e+06\na10: \"yes\"\nb:\n    - c:\n        - 1\n        - {}\n    - []\n",
    );
    check_written(r#""\ta""#, "\"\\ta\"\n", "\"\\ta\"\n");
    check_written(r#"{"k":"x\n y\n\n"}"#, "k: |+\n  x\n   y\n\n", "k: |+\n    x\n     y\n\n");
    check_written(
        r#"["", "1:30", " a", "😀"]"#,
        "- \"\"\n- \"1:30\"\n- ' a'\n- \"\\U0001F600\"\n",
        "- \"\"\n- \"1:30\"\n- ' a'\n- \"\\U0001F600\"\n",
    );
}

#[test]
fn what_stands_behind_a_document_is_found_with_its_place() {
    let found = |text: &str| {
        let parsed = read(text);
        assert_eq!(parsed.documents.len(), 1, "{text:?}");
        parsed.findings.first().map(|finding| {
            (
                finding.kind,
                text.get(finding.span.start as usize..finding.span.end as usize).map(str::to_owned),
            )
        })
    };
    let (json, yaml) = (FindingKind::BehindJson, FindingKind::Behind);
    assert_eq!(found("{\"a\": 1}\n{\"b\": 2}\n"), Some((json, Some("{\"b\": 2}".to_owned()))));
    assert_eq!(found(" {\"a\": 1} x ][\n"), Some((json, Some("x ][".to_owned()))));
    assert_eq!(found("---\n{a: 1}\n{b: 2}\n"), Some((yaml, Some("{b: 2}".to_owned()))));
    assert_eq!(found("[1] 2"), Some((yaml, Some("2".to_owned()))));
    assert_eq!(found("a: 1\n...\n# c\n...\nb: 2\nc: 3\n"), Some((yaml, Some("b: 2".to_owned()))));
    assert_eq!(found("a: 1\n... b\n"), Some((yaml, Some("b".to_owned()))));
    for text in
        ["{a: 1}", "{a: 1} # c\n", "a: &x\n...\n", "a: |\n  b\n...\n\n... # c\n", "a:\n\n# c\n", "a: *x\n"]
    {
        let text = text.replace("*x", "!!str");
        assert_eq!(found(&text), None, "{text:?}");
    }
}
