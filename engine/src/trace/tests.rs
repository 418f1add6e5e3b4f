//! What steps say, and that nothing is done for them where nobody asks.

use super::{Compared, Detail, Kind, Recording, Step, StepOutcome, Trace, Variable};
use engine_json::{Str, Value};

#[test]
fn nothing_is_made_where_no_step_is_kept() {
    let made = |recording: Recording| {
        let mut trace = Trace::new(recording);
        let mut made = 0;
        trace.matched();
        trace.record(|| {
            made += 1;
            Step::new(Kind::Match, true, "it fits")
        });
        (made, trace.say(|| "said".to_owned()), trace.take().len())
    };
    assert_eq!(made(Recording::Off), (0, String::new(), 0));
    assert_eq!(made(Recording::NonMatchingOnly), (0, String::new(), 0));
    assert_eq!(made(Recording::On), (1, "said".to_owned(), 1));
}

#[test]
fn a_condition_says_what_was_written_where_variables_stood() {
    let text = |written: (&str, &str), resolved: (Value, Value)| {
        let compared = Compared {
            operator: Str::from("AnyIn"),
            written: (written.0.into(), written.1.into()),
            resolved,
            elements: Vec::new(),
        };
        Step::of(Kind::Condition, true, Detail::Condition(Box::new(compared))).text().into_owned()
    };
    let list = Value::array(vec!["a".into(), 1_i64.into()]);
    assert_eq!(text(("b", "c"), ("b\"".into(), list.clone())), r#""b\"" AnyIn ["a",1]"#);
    assert_eq!(
        text(("{{ x }}", "{{ y }}"), (Value::Null, list)),
        "null AnyIn [\"a\",1], from key `{{ x }}` and value `{{ y }}`"
    );
    assert_eq!(text(("a", "{{ y }}"), ("a".into(), "b".into())), "\"a\" AnyIn \"b\", from value `{{ y }}`");
}

#[test]
fn a_long_value_is_cut() {
    let text = |value: Value| {
        let variable = Variable { expression: "x".to_owned(), value, origin: ", from the request" };
        let detail = Detail::Variable(Box::new(variable));
        Step::of(Kind::Variable, StepOutcome::Note, detail).text().into_owned()
    };
    // The quotes count here: 120 bytes with them are whole.
    assert_eq!(text("é".repeat(59).into()), format!("`x` is \"{}\", from the request", "é".repeat(59)));
    assert_eq!(text("é".repeat(121).into()), format!("`x` is \"{}…\", from the request", "é".repeat(120)));
    let list = Value::array(vec!["a".repeat(130).into()]);
    assert_eq!(text(list), format!("`x` is \"[\\\"{}…\", from the request", "a".repeat(118)));
}
