//! The recorded answers of Kubernetes' reader and writers, counted field by field.

#![expect(clippy::print_stdout, reason = "the figures are what this test is for")]

use crate::common;
use engine_json::{Number, Value};
use engine_yaml::{emit, parse_one, strict_error};
use std::collections::BTreeMap;

/// Agreed and total for one thing that is compared.
#[derive(Default)]
struct Count {
    agreed: usize,
    total: usize,
}

struct Counts {
    by_name: BTreeMap<&'static str, Count>,
    shown: usize,
}

impl Counts {
    fn add(&mut self, name: &'static str, id: &str, expected: &str, got: &str, yaml: &str) {
        let count = self.by_name.entry(name).or_default();
        count.total += 1;
        if expected == got {
            count.agreed += 1;
        } else if self.shown < 12 {
            self.shown += 1;
            println!("{id}: {name}\n  yaml     {yaml:?}\n  expected {expected:?}\n  got      {got:?}");
        }
    }
}

#[expect(clippy::float_cmp, clippy::cast_possible_truncation, reason = "whole floats below 2^60 are exact")]
/// The value with numbers that are equal made the same, so that texts of values compare as values.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(Number::Float(f)) if *f == f.trunc() && f.abs() < 1e18 => Value::from(*f as i64),
        Value::Array(list) => Value::array(list.iter().map(normal).collect()),
        Value::Object(map) => {
            Value::object(map.iter().map(|(key, value)| (key.clone(), normal(value))).collect())
        }
        other => other.clone(),
    }
}

fn count(suite: &str) -> Option<Counts> {
    let [inputs, answers] =
        ["in", "out"].map(|end| common::recorded(&format!("yaml/{suite}.{end}.jsonl.gz")));
    let (inputs, answers) = (common::rows(&inputs?), common::rows(&answers?));
    assert_eq!(inputs.len(), answers.len());
    let mut counts = Counts { by_name: BTreeMap::new(), shown: 0 };
    for (input, answer) in inputs.iter().zip(&answers) {
        let (id, yaml) = (input.find_str(&["id"]), input.find_str(&["yaml"]));
        assert_eq!(id, answer.find_str(&["id"]));
        compare(&mut counts, id, yaml, answer);
    }
    for (name, count) in &counts.by_name {
        println!("yaml/{suite}: {name} {}/{}", count.agreed, count.total);
    }
    Some(counts)
}

#[expect(clippy::unwrap_used, reason = "what was read once is read again")]
fn compare(counts: &mut Counts, id: &str, yaml: &str, answer: &Value) {
    let read = parse_one(yaml);
    let refused = |is_refused: bool| if is_refused { "refused" } else { "read" };
    let expected = refused(answer.get("error").is_some());
    counts.add("refusals", id, expected, refused(read.is_err()), yaml);
    if let (Some(words), Err(error)) = (answer.get("error").and_then(Value::as_str), &read) {
        counts.add("refusal words", id, words, &error.original, yaml);
    }
    let Ok(value) = read else { return };
    let Some(result) = answer.get("result") else { return };
    counts.add(
        "values",
        id,
        &engine_json::to_json(&normal(result)),
        &engine_json::to_json(&normal(&value)),
        yaml,
    );
    let strict = strict_error(yaml).unwrap();
    let expected = answer.get("strictError").and_then(Value::as_str);
    counts.add("strict findings", id, refused(expected.is_some()), refused(strict.is_some()), yaml);
    counts.add("strict words", id, expected.unwrap_or(""), strict.as_deref().unwrap_or(""), yaml);
    counts.add("emitted", id, answer.find_str(&["emitted"]), &emit::to_yaml(&value), yaml);
    counts.add(
        "emitted4",
        id,
        answer.find_str(&["emitted4"]),
        &emit::to_yaml4(&value.with_float_numbers()),
        yaml,
    );
}

#[track_caller]
fn check(suite: &str) {
    let Some(counts) = count(suite) else { return };
    for (name, count) in &counts.by_name {
        // The words that show a Go map show its keys with their Go types, which a value does not keep.
        if *name != "refusal words" {
            assert_eq!(count.agreed, count.total, "{suite}: {name}");
        }
    }
}

#[test]
fn random_documents_are_read_and_written_as_recorded() {
    check("random");
}

#[test]
fn documents_of_the_policy_library_are_read_and_written_as_recorded() {
    check("trees");
}
