//! Holds the parser against the recorded answers of the original, read in place from the shared folder.
//!
//! Prints how many verdicts and texts agree; fails below the bar. Without the folder it says "skipped".
#![expect(clippy::print_stdout, reason = "the figures are the point of the test")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_cel::report::render;
use engine_cel::syntax::{
    BINDINGS, LISTS, MATH, Macro, OPTIONAL, Options, PROTOS, STANDARD, TWO_VARIABLES, parse, print,
};
use engine_json::{Value, quote};
use flate2::read::MultiGzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What the policies of the recorded answers have.
const OPTIONS: Options<'static> = Options {
    macros: &[STANDARD, OPTIONAL, TWO_VARIABLES, BINDINGS, MATH, LISTS, PROTOS, OR_VALUE],
    optional_syntax: true,
};
const OR_VALUE: &[Macro] = &[Macro::method_to_function("orValue", 1, "__orValueCompat__")];

/// A package has none of them.
fn folder() -> Option<PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.map(|folder| folder.join("tests/recorded/random-cel")).find(|folder| folder.is_dir())
}

fn rows(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| engine_json::parse(line).unwrap()).collect()
}

/// The expressions of a policy, wherever they stand in it.
fn expressions(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(map) = value.as_object() {
        for (key, value) in map.iter() {
            match value.as_str() {
                Some(text) if key.to_ascii_lowercase().ends_with("expression") => {
                    found.insert(text.to_owned());
                }
                _ => expressions(value, found),
            }
        }
    }
    value.as_array().unwrap_or_default().iter().for_each(|value| expressions(value, found));
}

/// What the original says of an expression: the text behind the expression itself, without what encloses it.
fn said<'e>(error: &'e str, expression: &str) -> Option<&'e str> {
    let (_, text) = error.split_once(&format!("Invalid value: {}: ", quote(expression)))?;
    Some(text.strip_suffix("]))").unwrap_or(text))
}

#[derive(Debug, Default)]
struct Score {
    refused: usize,
    accepted: usize,
    verdicts: usize,
    words: usize,
    printed: usize,
}

fn score(suite: &str, folder: &Path) -> Score {
    let answers = rows(&folder.join(format!("{suite}.out.jsonl.gz")));
    let errors: BTreeMap<String, String> = answers
        .iter()
        .map(|row| (row.find_str(&["id"]).to_owned(), row.find_str(&["error"]).to_owned()))
        .collect();
    let mut score = Score::default();
    for row in rows(&folder.join(format!("{suite}.in.jsonl.gz"))) {
        let error = errors.get(row.find_str(&["id"])).cloned().unwrap_or_default();
        let mut found = BTreeSet::new();
        for policy in row.get("policies").and_then(Value::as_array).unwrap_or_default() {
            expressions(&engine_yaml::parse_one(policy.as_str().unwrap()).unwrap(), &mut found);
        }
        for expression in &found {
            one(expression, &error, &mut score);
        }
    }
    score
}

/// Compares one expression. What the checker says is not the parser's: it is known by its words.
fn one(expression: &str, error: &str, score: &mut Score) {
    let said = said(error, expression).filter(|text| text.starts_with("ERROR: <input>"));
    let syntax = said.filter(|text| text.contains(": Syntax error: "));
    match (parse(expression, &OPTIONS), said) {
        (Ok(ast), _) if syntax.is_none() => {
            score.accepted += 1;
            let text = print(&ast, &OPTIONS);
            let again = parse(&text, &OPTIONS).map(|again| print(&again, &OPTIONS));
            score.printed += usize::from(again.as_ref() == Ok(&text));
        }
        (Err(issues), Some(said)) => {
            score.refused += 1;
            let text = render(expression, &issues);
            score.words += usize::from(text == said);
            if text != said {
                println!("{expression:?}\n{text}\ninstead of\n{said}");
            }
        }
        // An error in another place of the policy hides what the original would say here.
        (Err(_), None) if !error.is_empty() => {}
        (parsed, said) => {
            score.verdicts += 1;
            println!(
                "{expression:?}: {} instead of {said:?}",
                if parsed.is_ok() { "accepted" } else { "refused" }
            );
        }
    }
}

#[test]
fn recorded_expressions_are_read_as_the_original_reads_them() {
    let Some(folder) = folder() else {
        println!("skipped: no folder `tests/recorded` above");
        return;
    };
    for suite in ["cel-syntax", "cel-expressions", "cel-functions"] {
        let score = score(suite, &folder);
        println!("{suite}: {score:?}");
        assert_eq!(score.verdicts, 0, "{suite}");
        assert_eq!(score.words, score.refused, "{suite}");
        assert_eq!(score.printed, score.accepted, "{suite}");
        assert!(score.accepted > 500, "{suite}");
    }
}
