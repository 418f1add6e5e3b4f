//! Holds this crate against the recorded answers of the original, those in the repository and those beside it.
//!
//! Prints how many verdicts and messages agree; fails below the bar. Without the folder it says "skipped".
#![expect(clippy::print_stdout, reason = "the figures are the point of the test")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use engine_jmespath::{EvalError, Node, Registry, Runtime, parse};
use engine_json::{Number, Value, to_json};
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
        text.lines().map(|line| engine_json::parse(line).unwrap()).collect::<Vec<_>>()
    };
    let answers = rows(folder.join(format!("{name}.out.jsonl.gz")));
    let answers = answers.into_iter().map(|row| (row.find_str(&["id"]).to_owned(), row)).collect();
    Some((rows(folder.join(format!("{name}.in.jsonl.gz"))), answers))
}

/// What this crate says: a value, or the kind and the words of an error.
fn answer(text: &str, input: &Value, registry: &Registry) -> Result<Value, (&'static str, String)> {
    let expression = parse(text).map_err(|error| ("parse", error.message))?;
    let value = expression.search(&input.with_float_numbers(), &Runtime::new(registry));
    value.map_err(|error| match error {
        EvalError::Crash { message } => ("panic", message),
        error => ("eval", error.to_string()),
    })
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

fn score(name: &str, takes: impl Fn(&Node, &Registry) -> bool) -> Option<Score> {
    let Some((cases, answers)) = suite(name) else {
        println!("skipped: no recorded answers beside this repository");
        return None;
    };
    let registry = Registry::standard();
    let mut score = Score::default();
    for case in &cases {
        let (id, text) = (case.find_str(&["id"]), case.find_str(&["expr"]));
        let wanted = &answers[id];
        let kind = wanted.find_str(&["error"]);
        let unanswered = wanted.get("unstable").is_some() || matches!(kind, "panic" | "unserialisable");
        if unanswered || parse(text).is_ok_and(|expression| !takes(expression.ast(), &registry)) {
            continue;
        }
        score.rows += 1;
        let got = answer(text, case.get("input").unwrap_or(&Value::Null), &registry);
        let agrees = match &got {
            Ok(value) => kind.is_empty() && same(value, wanted.get("result").unwrap_or(&Value::Null)),
            Err((got, _)) => kind == *got,
        };
        score.verdicts += usize::from(agrees);
        let mut same_words = true;
        if let (Err((_, message)), true) = (&got, agrees) {
            score.errors += 1;
            same_words = message == wanted.find_str(&["message"]);
            score.words += usize::from(same_words);
        }
        if !agrees || !same_words {
            let got = got.map(|value| to_json(&value));
            println!("{id}: {text}\n  wanted {}\n  got    {got:?}", to_json(wanted));
        }
    }
    let Score { rows, verdicts, errors, words } = &score;
    println!("{name}: {verdicts}/{rows} verdicts, {words}/{errors} error messages");
    Some(score)
}

#[test]
fn the_standard_suite_is_answered_as_by_the_original() {
    // Kyverno replaces `sum`; its own functions are held against the recorded answers where they live.
    let Some(score) = score("jmespath-standard/cases", |ast, _| calls(ast).all(|name| name != "sum")) else {
        return;
    };
    assert!(score.rows > 890, "{score:?}");
    assert_eq!((score.verdicts, score.words), (score.rows, score.errors), "{score:?}");
}

#[test]
fn random_expressions_without_functions_of_kyverno_are_answered_as_by_the_original() {
    let standard = |ast: &Node, registry: &Registry| {
        calls(ast).all(|name| name != "sum" && registry.get(name).is_some())
    };
    let Some(score) = score("random/jmespath", standard) else { return };
    assert!(score.rows > 300, "{score:?}");
    assert_eq!((score.verdicts, score.words), (score.rows, score.errors), "{score:?}");
}

fn calls(ast: &Node) -> impl Iterator<Item = &str> {
    ast.walk().filter_map(|node| match node {
        Node::FunctionExpression { name, .. } => name.as_deref(),
        _ => None,
    })
}
