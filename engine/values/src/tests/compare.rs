//! Texts compared by what they mean.

use crate::compare::{durations, operand_text, quantities, string_text, versions};
use engine_json::{Value, parse};
use std::cmp::Ordering;

#[test]
fn texts_of_one_kind_are_compared() {
    assert_eq!(durations("1h", "60m"), Some(Ordering::Equal));
    assert_eq!(durations("1h", "60"), None);
    assert_eq!(quantities("1k", "1000"), Some(Ordering::Equal));
    assert_eq!(quantities("1Gi", "1G"), Some(Ordering::Greater));
    assert_eq!(versions("1.10.0", "1.9.0"), Some(Ordering::Greater));
    assert_eq!(versions("1.10", "1.9.0"), None);
}

#[test]
fn values_have_the_texts_that_patterns_see() {
    let texts = |json: &str| {
        let value: Value = parse(json).unwrap();
        (operand_text(&value).map(String::from), string_text(&value).map(String::from))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts("null"), (some("0"), None));
    assert_eq!(texts("true"), (None, some("true")));
    assert_eq!(texts("30"), (some("30"), some("30")));
    assert_eq!(texts("30.0"), (some("30.000000"), some("3E+01")));
    assert_eq!(texts(r#""1Gi""#), (some("1Gi"), some("1Gi")));
    assert_eq!(texts("[1]"), (None, None));
}
