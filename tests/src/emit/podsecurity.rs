//! Answers of the Pod Security Standards, under Kubernetes' own evaluation and under Kyverno's.
//!
//! In: a case with a level, a version and a Pod. Out: the row of the recorded file: allowed or not, and each check
//! with its reason, its detail and its errors.

use super::object;
use engine::json::{Map, Str, Value};
use engine::podsecurity::exclude::{self, Exclusion, Wildcard};
use engine::podsecurity::{
    CheckResult, Fault, Level, PodView, Version, Violation, aggregate, applicable, evaluate,
};
use engine::value::wildcard;

/// Suite `psa`: every check that applies.
pub(super) fn psa(case: &Value) -> Value {
    let (level, version) = policy(case);
    let pod = case.get("pod").cloned().unwrap_or_default();
    let results = evaluate(level, version, &PodView::whole(&pod));
    let check = |result: &CheckResult| {
        some([
            ("id", Value::from(result.check.id)),
            ("allowed", Value::from(result.allowed)),
            ("reason", optional(result.reason)),
            ("detail", optional(&result.detail)),
        ])
    };
    let mut answer = asked(case);
    let entries = [
        ("allowed", Value::from(aggregate::is_allowed(&results))),
        ("forbiddenReason", optional(&aggregate::reason(&results))),
        ("forbiddenDetail", optional(&aggregate::detail(&results))),
        ("checks", Value::array(results.iter().map(check).collect())),
    ];
    put(&mut answer, entries);
    Value::object(answer)
}

/// Suite `psa-order`: the checks of a level and version, in the order in which they run.
pub(super) fn order(case: &Value) -> Value {
    let (level, version) = policy(case);
    let ids = applicable(level, version).map(|(check, _)| Value::from(check.id)).collect();
    let mut answer = asked(case);
    put(&mut answer, [("checks", Value::array(ids))]);
    Value::object(answer)
}

/// Suite `kyverno-pss`: the checks that fail with Kyverno's exclusions.
pub(super) fn kyverno(case: &Value) -> Value {
    let policy = policy(case);
    let pod = case.get("pod").cloned().unwrap_or_default();
    let pod = PodView::whole(&pod);
    let listed = case.get("excludes").and_then(Value::as_array).unwrap_or_default();
    let exclusions: Vec<Exclusion> = listed.iter().map(exclusion).collect();
    let mut failed = exclude::apply(
        policy,
        &exclusions,
        exclude::evaluate(policy, &pod),
        &pod,
        &Wildcard(wildcard::matches),
    );
    let mut answer = asked(case);
    // With exclusions the original's order is random: the recorded rows are sorted and hold no message.
    if listed.is_empty() {
        let message = exclude::failure_text(&failed, &str::to_owned);
        put(&mut answer, [("message", optional(&message))]);
    } else {
        failed.sort_by_key(|result| result.check.id);
    }
    let entries = [
        ("allowed", Value::from(failed.is_empty())),
        ("checks", Value::array(failed.iter().map(kyverno_check).collect())),
    ];
    put(&mut answer, entries);
    Value::object(answer)
}

fn policy(case: &Value) -> (Level, Version) {
    let level = Level::parse(case.find_str(&["level"])).unwrap_or(Level::Privileged);
    (level, Version::parse(case.find_str(&["version"])).unwrap_or(Version::Latest))
}

/// What the case says of itself, which the answer repeats.
fn asked(case: &Value) -> Map {
    let field = |name: &&'static str| Some((*name, case.get(name)?.clone()));
    ["id", "level", "version", "exclude"].iter().filter_map(field).collect()
}

fn exclusion(entry: &Value) -> Exclusion {
    let texts = |key: &str| {
        let list = entry.get(key).and_then(Value::as_array).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(Str::new).collect()
    };
    Exclusion {
        control: Str::new(entry.find_str(&["controlName"])),
        images: texts("images"),
        restricted_field: Str::new(entry.find_str(&["restrictedField"])),
        values: texts("values"),
    }
}

fn kyverno_check(result: &CheckResult) -> Value {
    let control = exclude::control_of(result.check.id).map_or("", |control| control.name);
    let errors = Value::array(result.violations.iter().map(field_error).collect());
    some([
        ("id", Value::from(result.check.id)),
        ("control", Value::from(control)),
        ("reason", Value::from(result.reason)),
        ("detail", Value::from(result.detail.as_str())),
        ("errors", if result.check.lists_fields() { errors } else { Value::Null }),
    ])
}

fn field_error(violation: &Violation) -> Value {
    let kind = match violation.fault {
        Fault::Forbidden | Fault::Unset => "FieldValueForbidden",
        Fault::Required => "FieldValueRequired",
        Fault::WrongType(_) => "FieldValueTypeInvalid",
    };
    let field = violation.field();
    object([
        ("type", Value::from(kind)),
        ("text", Value::from(violation.error_text(&field))),
        ("field", Value::from(field)),
        ("badValue", violation.bad_value()),
    ])
}

fn optional(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

fn put<const N: usize>(map: &mut Map, entries: [(&str, Value); N]) {
    for (key, value) in entries.into_iter().filter(|(_, value)| !value.is_null()) {
        map.insert(key, value);
    }
}

fn some<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let mut map = Map::new();
    put(&mut map, entries);
    Value::object(map)
}
