//! The quick reader against the full one: same values, findings and spans, on every text at hand.

#![expect(clippy::print_stdout, reason = "the figures are what this test is for")]

use crate::common;
use engine_yaml::{Options, Parsed, Reader, Source, SourceId, parse};
use std::path::Path;

#[derive(Default)]
struct Figures {
    texts: usize,
    documents: usize,
    quick: usize,
}

impl Figures {
    #[track_caller]
    fn check(&mut self, text: &str) {
        let quick = read(text, Reader::Fast);
        let full = read(text, Reader::Full);
        assert_eq!(quick.findings, full.findings, "{text:?}");
        assert_eq!(quick.documents.len(), full.documents.len(), "{text:?}");
        for (a, b) in quick.documents.iter().zip(&full.documents) {
            assert_eq!((a.span, &a.value), (b.span, &b.value), "{text:?}");
            assert_eq!(written_order(&a.value), written_order(&b.value), "{text:?}");
        }
        self.texts += 1;
        self.documents += full.documents.len();
        self.quick += full.documents.iter().filter(|document| document.was_read_quickly(text)).count();
    }
}

/// The value with the order of its keys.
fn written_order(value: &engine_yaml::Value) -> String {
    engine_yaml::emit::to_yaml_ordered(value)
}

fn read(text: &str, reader: Reader) -> Parsed {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    parse(&source, &Options { reader, ..Options::default() })
}

#[expect(clippy::unwrap_used, reason = "a folder that cannot be read fails the test")]
fn files_below(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            found.extend(std::fs::read_to_string(&path).ok());
        }
    }
}

#[test]
fn both_readers_agree_on_the_recorded_texts() {
    for suite in ["random", "trees"] {
        let Some(file) = common::recorded(&format!("yaml/{suite}.in.jsonl.gz")) else { continue };
        let mut figures = Figures::default();
        for row in common::rows(&file) {
            figures.check(row.find_str(&["yaml"]));
        }
        let Figures { texts, documents, quick } = figures;
        println!(
            "yaml/{suite}: {texts} texts, {documents} documents, {quick} of them by the quick reader alone"
        );
    }
}

#[test]
fn both_readers_agree_on_the_policy_trees() {
    let Some(folder) = common::recorded("trees") else { return };
    let mut texts = Vec::new();
    files_below(&folder, &mut texts);
    let mut figures = Figures::default();
    for text in &texts {
        figures.check(text);
    }
    let Figures { texts, documents, quick } = figures;
    println!("trees: {texts} texts, {documents} documents, {quick} of them by the quick reader alone");
}
