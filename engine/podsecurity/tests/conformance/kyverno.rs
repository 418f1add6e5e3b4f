//! Suite `kyverno-pss`: Kyverno's own evaluation, with and without exclusions.

use crate::standards::{pods, policy};
use crate::{hold_each, rows, text, with};
use engine_json::{Value, parse};
use engine_podsecurity::exclude::{self, Exclusion, Wildcard};
use engine_podsecurity::{CheckResult, Fault, PodView, Violation};

/// A case of suite `kyverno-pss` as a row.
fn answer(case: &Value) -> Value {
    let pod = case.get("pod").cloned().unwrap_or_default();
    let pod = PodView::whole(&pod);
    let policy = policy(case);
    let exclusions: Vec<Exclusion> =
        case.get("excludes").and_then(Value::as_array).unwrap_or(&[]).iter().map(exclusion).collect();
    let failed = exclude::evaluate(policy, &pod);
    let failed = exclude::apply(policy, &exclusions, failed, &pod, &Wildcard(wildcard));
    // With exclusions the order of the original is random; without, annotations are.
    let message = case.get("message").map(|_| exclude::failure_text(&failed, &str::to_owned));
    let entries = [
        ("allowed", Value::from(failed.is_empty())),
        ("checks", Value::array(failed.iter().map(check).collect())),
        ("message", message.map_or(Value::Null, Value::from)),
        ("pod", Value::Null),
        ("excludes", Value::Null),
    ];
    with(case, entries)
}

fn exclusion(entry: &Value) -> Exclusion {
    let texts = |key| {
        let list = entry.get(key).and_then(Value::as_array).unwrap_or(&[]);
        list.iter().map(|text| text.as_str().unwrap().into()).collect()
    };
    Exclusion {
        control: entry.find_str(&["controlName"]).into(),
        images: texts("images"),
        restricted_field: entry.find_str(&["restrictedField"]).into(),
        values: texts("values"),
    }
}

fn check(result: &CheckResult) -> Value {
    let control = exclude::control_of(result.check.id).map_or("", |control| control.name);
    let errors = Value::array(result.violations.iter().map(error).collect());
    let map: engine_json::Map = [
        ("id", Value::from(result.check.id)),
        ("control", Value::from(control)),
        ("reason", Value::from(result.reason)),
        ("detail", Value::from(result.detail.as_str())),
        ("errors", if result.check.lists_fields() { errors } else { Value::Null }),
    ]
    .into_iter()
    .collect();
    Value::object(map)
}

fn error(violation: &Violation) -> Value {
    let kind = match violation.fault {
        Fault::Forbidden | Fault::Unset => "FieldValueForbidden",
        Fault::Required => "FieldValueRequired",
        Fault::WrongType(_) => "FieldValueTypeInvalid",
    };
    let field = violation.field();
    let map: engine_json::Map = [
        ("type", Value::from(kind)),
        ("text", Value::from(violation.error_text(&field))),
        ("field", Value::from(field)),
        ("badValue", violation.bad_value()),
    ]
    .into_iter()
    .collect();
    Value::object(map)
}

/// Stars and question marks, as the engine's own matcher has them.
fn wildcard(pattern: &str, text: &str) -> bool {
    fn fits(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], text) => text.is_empty(),
            (['*', rest @ ..], text) => (0..=text.len()).any(|at| fits(rest, &text[at..])),
            ([wanted, rest @ ..], [found, more @ ..]) => {
                (*wanted == '?' || wanted == found) && fits(rest, more)
            }
            ([_, ..], []) => false,
        }
    }
    fits(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>())
}

/// The row with what the original leaves to chance in one order.
fn in_order(row: &Value) -> Value {
    let key = |value: &Value| engine_json::to_json(value);
    let mut checks = row.get("checks").and_then(Value::as_array).unwrap_or(&[]).to_vec();
    for check in &mut checks {
        // Go: only errors about annotations come in the random order of a map.
        let errors = check.get("errors").and_then(Value::as_array).unwrap_or(&[]);
        let annotations = errors.iter().filter(|e| e.find_str(&["field"]).starts_with("metadata"));
        let mut sorted: Vec<Value> = annotations.cloned().collect();
        sorted.sort_by_key(key);
        let others = errors.iter().filter(|e| !e.find_str(&["field"]).starts_with("metadata"));
        let errors: Vec<Value> = others.cloned().chain(sorted).collect();
        if check.get("errors").is_some_and(|errors| !errors.is_null()) {
            *check = with(check, [("errors", Value::array(errors))]);
        }
    }
    with(row, [("checks", Value::array(checks))])
}

#[test]
fn kyvernos_evaluation_has_the_verdicts_errors_and_words_of_the_original() {
    let (Some(rows), Some(mut pods), Some(fuzz), Some(excludes)) = (
        rows("kyverno-pss.jsonl.gz"),
        pods("pods.jsonl"),
        pods("fuzz-pods.jsonl.gz"),
        text("kyverno-excludes.json"),
    ) else {
        return;
    };
    pods.extend(fuzz);
    let excludes = parse(&excludes).unwrap();
    let rows: Vec<Value> = rows.iter().map(in_order).collect();
    hold_each("kyverno-pss.jsonl.gz", &rows, |row| {
        let pod = pods[row.find_str(&["id"])].clone();
        let list = excludes.get(row.find_str(&["exclude"])).cloned().unwrap_or_default();
        in_order(&answer(&with(row, [("pod", pod), ("excludes", list)])))
    });
}
