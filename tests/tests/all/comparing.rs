//! What counts as agreement.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine::json::{Value, parse};
use tests::compare::{Tally, case, same_words};
use tests::rows::sorted;

fn tally(want: &str, got: &str) -> Tally {
    let mut tally = Tally::default();
    case(&parse(want).unwrap(), Some(&parse(got).unwrap()), &mut tally, &mut Vec::new());
    tally
}

#[test]
fn numbers_compare_by_value_and_an_error_of_the_reader_is_a_verdict() {
    assert!(tally(r#"{"id":"a","result":{"x":[1]}}"#, r#"{"id":"a","result":{"x":[1.0]}}"#).is_whole());
    assert!(!tally(r#"{"id":"a","result":{"x":[1]}}"#, r#"{"id":"a","result":{"x":["1"]}}"#).is_whole());
    // Another number where a float was printed: the whole number that its text names, and the next one.
    let large = |number: &str| format!(r#"{{"id":"a","result":{number}}}"#);
    assert!(tally(&large("9223372036854776000"), &large("9.223372036854776e+18")).is_whole());
    assert!(!tally(&large("9223372036854776001"), &large("9.223372036854776e+18")).is_whole());
    assert!(tally(r#"{"id":"a","error":"line 3"}"#, r#"{"id":"a","error":"other words"}"#).is_whole());
    assert!(!tally(r#"{"id":"a","error":"x"}"#, r#"{"id":"a","result":null}"#).is_whole());
}

#[test]
fn words_are_counted_apart_from_verdicts() {
    let answer = |status: &str, message: &str| {
        format!(
            r#"{{"id":"a","results":[{{"policyKind":"ClusterPolicy","policy":"p","resource":"v1/Pod/d/x",
            "rules":[{{"rule":"r","type":"Validation","status":"{status}","message":"{message}"}}]}}]}}"#
        )
    };
    let other_words = tally(&answer("fail", "m"), &answer("fail", "n"));
    assert_eq!((other_words.verdicts_agree, other_words.words_agree, other_words.agree), (1, 0, 1));
    assert!(!tally(&answer("fail", "m"), &answer("pass", "m")).is_whole());
}

#[test]
fn failed_checks_come_in_any_order() {
    let text =
        |a: &str, b: &str| Value::from(format!("It violates PodSecurity: (Forbidden {a})(Forbidden {b})"));
    assert!(same_words(&text("1", "2"), &text("2", "1")));
    assert!(!same_words(&text("1", "2"), &text("1", "3")));
}

#[test]
fn rows_of_every_format_come_in_one_order() {
    for (one, other) in [
        ("│ 1 │ b │\n│ 2 │ a │\nend", "│ 1  │ a │\n│ 2  │ b │\nend"),
        ("| 1 | b |\n| 2 | a |", "| 1 | a |\n| 2 | b |"),
        (
            "[\n  {\n    \"ID\": 1,\n    \"P\": \"b\"\n  },\n  {\n    \"ID\": 2,\n    \"P\": \"a\"\n  }\n]",
            "[\n  {\n    \"ID\": 1,\n    \"P\": \"a\"\n  },\n  {\n    \"ID\": 2,\n    \"P\": \"b\"\n  }\n]",
        ),
        (
            "  <testcase name=\"b\">\n  x\n  </testcase>\n  <testcase name=\"a\">\n  </testcase>",
            "  <testcase name=\"a\">\n  </testcase>\n  <testcase name=\"b\">\n  x\n  </testcase>",
        ),
    ] {
        assert_ne!(one, other);
        assert_eq!(sorted(one), sorted(other));
    }
    assert_ne!(sorted("│ 1 │ a │"), sorted("│ 1 │ b │"));
}
