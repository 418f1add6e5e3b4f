//! Texts that nobody writes: random bytes, mutated documents, and attacks. Nothing panics, nothing runs away, and both
//! readers say the same.

#![expect(clippy::print_stdout, reason = "the figures are what this test is for")]

use engine_yaml::{
    FindingKind, MAX_KEYS, Options, Parsed, Reader, Source, SourceId, emit, parse, parse_one, strict_findings,
};

/// A small generator of numbers, the same ones on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.below(list.len());
        list.get(at).copied().unwrap_or("")
    }
}

const SEEDS: &[&str] = &[
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {app: b}\nspec:\n  containers:\n  - name: c\n    image: \"d:1\"\n    ports:\n    - containerPort: 80\n",
    "a: &x\n  b: [1, 2]\nc:\n  <<: *x\n  b: 3\n---\nd: |\n  one\n\n  two\ne: >-\n  three\n  four\n",
    "? a b\n: c\n\"d\\n\": 'e''f'\ng: !!str 1\nh: # i\n- j\n-\n  k: l\n",
    "{\"a\": [true, null, 1.5], \"b\": {\"c\": \"\\u00e9\"}}\n",
];

const PIECES: &[&str] = &[
    "- ",
    "? ",
    ": ",
    ":",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "!!str ",
    "! ",
    "|\n",
    ">-\n",
    "|2\n",
    "\"",
    "'",
    " #",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "  ",
    "---\n",
    "...\n",
    "--- ",
    "%YAML 1.1\n",
    "<<: ",
    "~",
    "\\",
    "@",
    "é",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\u{1}",
    "😀",
    "a: b\n",
    "- a\n",
    "k: |\n  x\n",
    "0x1F",
    ".inf",
    "1e3",
    "- - ",
];

fn read(text: &str, reader: Reader) -> Parsed {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    parse(&source, &Options { reader, ..Options::default() })
}

#[track_caller]
fn check(text: &str) -> usize {
    let quick = read(text, Reader::Fast);
    let full = read(text, Reader::Full);
    assert_eq!(quick.findings, full.findings, "{text:?}");
    for (a, b) in quick.documents.iter().zip(&full.documents) {
        assert_eq!(
            (a.span, emit::to_yaml_ordered(&a.value)),
            (b.span, emit::to_yaml_ordered(&b.value)),
            "{text:?}"
        );
        let spans = b.spans(text);
        let has_root = !b.value.is_null();
        for path in engine_yaml::Spans::paths(&b.value, 50) {
            assert!(!has_root || spans.value_span(&path).is_some(), "{path} in {text:?}");
        }
        emit::to_yaml(&b.value);
        emit::to_yaml4(&b.value);
    }
    assert_eq!(quick.documents.len(), full.documents.len(), "{text:?}");
    let _ = strict_findings(text);
    full.documents.len()
}

fn mutated(random: &mut Random, seed: &str) -> String {
    let mut text = seed.to_owned();
    for _ in 0..=random.below(4) {
        let at = (0..=text.len())
            .rev()
            .find(|at| *at <= random.below(seed.len() + 1) && text.is_char_boundary(*at));
        let at = at.unwrap_or(0);
        match random.below(4) {
            0 => text.insert_str(at, random.pick(PIECES)),
            1 if at < text.len() => drop(text.remove(at)),
            2 => text.insert_str(at, &" ".repeat(1 + random.below(3))),
            _ => text.truncate(at),
        }
        if text.is_empty() {
            text.push_str(random.pick(PIECES));
        }
    }
    text
}

#[test]
fn mutated_documents_are_read_alike_by_both_readers() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let documents: usize = (0..10_000).map(|n| check(&mutated(&mut random, SEEDS[n % SEEDS.len()]))).sum();
    println!("10,000 mutated texts, {documents} documents");
    assert!(documents > 1000);
}

#[test]
fn pieces_of_yaml_in_any_order_are_read_alike_by_both_readers() {
    let mut random = Random(42);
    for _ in 0..10_000 {
        let count = 1 + random.below(12);
        let text: String = (0..count).map(|_| random.pick(PIECES)).collect();
        check(&text);
    }
}

#[test]
fn random_bytes_are_read_alike_by_both_readers() {
    let mut random = Random(7);
    for _ in 0..10_000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect();
        check(&String::from_utf8_lossy(&bytes));
        let ascii: String = bytes.iter().map(|byte| (byte & 0x7f) as char).collect();
        check(&ascii);
    }
}

#[track_caller]
fn check_refused(text: &str, kind: FindingKind, words: &str) {
    for reader in [Reader::Fast, Reader::Full] {
        let parsed = read(text, reader);
        assert!(parsed.documents.is_empty());
        let found = parsed.findings.first().map(|finding| (finding.kind, finding.message.contains(words)));
        assert_eq!(found, Some((kind, true)), "{:?}", parsed.findings);
    }
}

/// Nine anchors, each a list of nine aliases to the one before.
fn laughs() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..10 {
        let before = n - 1;
        let aliases = vec![format!("*a{before}"); 9].join(", ");
        text = format!("{text}a{n}: &a{n} [{aliases}]\n");
    }
    text
}

#[test]
fn every_limit_is_an_error_that_says_what_to_do() {
    check_refused(&laughs(), FindingKind::Limit, "excessive aliasing: write the repeated parts out");
    check_refused(&"[".repeat(200_000), FindingKind::Limit, "nested deeper than 256 levels");
    check_refused(&"- ".repeat(200_000), FindingKind::Limit, "nested deeper than 256 levels");
    check_refused(&"? ".repeat(100_000), FindingKind::Limit, "nested deeper than 256 levels");
    check_refused(&"{a: ".repeat(100_000), FindingKind::Limit, "nested deeper than 256 levels");
    let keys: Vec<String> = (0..=MAX_KEYS).map(|n| format!("k{n}: 1\n")).collect();
    check_refused(&keys.concat(), FindingKind::Limit, "more than 100000 keys: split it");
    let long_key = format!("{}: 1\n", "k".repeat(1100));
    check_refused(&long_key, FindingKind::Syntax, "mapping values are not allowed in this context");
    let source = Source { id: SourceId(0), name: String::new(), text: "a: 1\n".into() };
    let parsed = parse(&source, &Options { max_bytes: 4, ..Options::default() });
    assert_eq!(parsed.findings[0].message, "the text is longer than 4 bytes: split it into several files");
}

#[test]
fn aliases_may_not_nest_deeper_than_the_text() {
    let lists = |depth: usize| format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
    let text = format!("a: &a {}\nb: {}\n", lists(200), lists(100).replace('x', "*a"));
    check_refused(&text, FindingKind::Limit, "nested deeper than 256 levels");
}

#[test]
fn many_values_from_few_aliases_are_refused_as_in_the_original() {
    // 300 aliases to a list of 3,000: 900,000 values, of which more than the allowed share are from aliases.
    let list = vec!["x"; 3_000].join(", ");
    let aliases = vec!["*a"; 300].join(", ");
    check_refused(&format!("a: &a [{list}]\nb: [{aliases}]\n"), FindingKind::Limit, "excessive aliasing");
    let aliases = ["*a"; 10].join(", ");
    assert!(parse_one(&format!("a: &a [{list}]\nb: [{aliases}]\n")).is_ok());
}

#[test]
fn repeated_keys_in_large_maps_cost_little() {
    let keys: Vec<String> = (0..60_000).map(|n| format!("k{}: 1\n", n % 30_000)).collect();
    assert_eq!(read(&keys.concat(), Reader::Fast).findings.len(), 30_000);
}

#[test]
fn a_broken_document_leaves_the_others() {
    let text = "a: 1\n---\nb: [1\n---\nc: 2\n--- d: 3\n---\ne: *f\n---\ng: .nan\n---\nh: 1\nh: 2\n";
    let parsed = read(text, Reader::Fast);
    let values: Vec<String> =
        parsed.documents.iter().map(|document| engine_json::to_json(&document.value)).collect();
    assert_eq!(values, [r#"{"a":1}"#, r#"{"c":2}"#, r#"{"h":2}"#]);
    let shown = |finding: &engine_yaml::Finding| {
        let line = engine_yaml::LineIndex::new(text).position(finding.span.start).0;
        format!("{line} {:?} {}", finding.kind, finding.message)
    };
    assert_eq!(
        parsed.findings.iter().map(shown).collect::<Vec<_>>(),
        [
            "4 Syntax did not find expected ',' or ']'",
            "6 Syntax invalid Yaml document separator: d: 3",
            "8 Syntax unknown anchor 'f' referenced",
            "10 Unsupported json: unsupported value: NaN",
            "13 DuplicateKey key \"h\" already set in map",
        ]
    );
}
