//! Expressions with all functions held against the recorded answers of the original, which are read in place.
//!
//! Prints how many verdicts and messages agree; fails below the bar. Without the shared folder it says "skipped".
#![expect(clippy::print_stdout, reason = "the figures are the point of the test")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use engine::jmespath::EvalError;
use engine::json::{Number, Value, parse};
use engine::world::StaticWorld;
use engine::{QueryError, query};
use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

fn suite(name: &str) -> Option<(Vec<Value>, BTreeMap<String, Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .flat_map(|folder| ["tests/recorded", "shared/conformance"].map(|home| folder.join(home)))
        .find(|home| home.join(format!("{name}.in.jsonl.gz")).is_file())?;
    let rows = |path: PathBuf| {
        let mut text = String::new();
        GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        text.lines().map(|line| parse(line).unwrap()).collect::<Vec<_>>()
    };
    let answers = rows(folder.join(format!("{name}.out.jsonl.gz")));
    let answers = answers.into_iter().map(|row| (row.find_str(&["id"]).to_owned(), row)).collect();
    Some((rows(folder.join(format!("{name}.in.jsonl.gz"))), answers))
}

/// What the engine says: a value, or the kind and the words of an error.
fn answer(text: &str, input: &Value) -> Result<Value, (&'static str, String)> {
    let document = input.with_float_numbers();
    match query(text, &document, &StaticWorld::default()) {
        Ok(value) if is_finite(&value) => Ok(value),
        // Go cannot write such a number as JSON.
        Ok(_) => Err(("unserialisable", String::new())),
        Err(QueryError::Parse(error)) => Err(("parse", error.message)),
        Err(QueryError::Eval(EvalError::Crash { message })) => Err(("panic", message)),
        Err(QueryError::Eval(error)) => Err(("eval", error.to_string())),
    }
}

fn is_finite(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_finite(),
        Value::Array(list) => list.iter().all(is_finite),
        Value::Object(map) => map.values().all(is_finite),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// Whether two values are the same JSON, whatever the types of their numbers.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Number::same_value(*a, *b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[derive(Debug, Default)]
struct Score {
    rows: usize,
    verdicts: usize,
    errors: usize,
    words: usize,
}

fn score(name: &str) -> Option<Score> {
    let Some((cases, answers)) = suite(name) else {
        println!("skipped: no recorded answers beside this repository");
        return None;
    };
    let mut score = Score::default();
    for case in &cases {
        let (id, text) = (case.find_str(&["id"]), case.find_str(&["expr"]));
        let wanted = &answers[id];
        if wanted.get("unstable").is_some() {
            continue;
        }
        score.rows += 1;
        let given = answer(text, case.get("input").unwrap_or(&Value::Null));
        match (wanted.find_str(&["error"]), given) {
            ("", Ok(value)) if same(&value, wanted.get("result").unwrap_or(&Value::Null)) => {
                score.verdicts += 1;
            }
            (kind, Err((given, words))) if kind == given => {
                score.verdicts += 1;
                score.errors += 1;
                if words == wanted.find_str(&["message"]) {
                    score.words += 1;
                } else {
                    println!("{id} {text}: words {words}");
                }
            }
            (_, given) => println!("{id} {text}: verdict {given:?}"),
        }
    }
    let Score { rows, verdicts, errors, words } = score;
    println!("{name}: {verdicts} of {rows} verdicts, {words} of {errors} messages");
    Some(score)
}

/// The words of two rows hold the keys of a map in the random order that Go gave them that day.
const RANDOM_WORDS: usize = 2;

#[test]
fn random_expressions_are_answered() {
    if let Some(score) = score("random/jmespath") {
        assert_eq!(score.verdicts, score.rows);
        assert!(score.words + RANDOM_WORDS >= score.errors);
    }
}

#[test]
fn the_standard_suite_is_answered() {
    if let Some(score) = score("jmespath-standard/cases") {
        assert_eq!((score.verdicts, score.words), (score.rows, score.errors));
    }
}
