//! Labels and annotations in patterns and patches must be texts.
//! Mirrors: isLabelAndAnnotationsString in pkg/validation/policy/validate.go.

use super::refusal::Refusal;
use super::{field, given, has_mutate, has_validate, items};
use crate::policy::Rule;
use engine_json::{Map, Segment, Value};

/// The first pattern or patch of a rule whose labels or annotations hold something else.
pub(super) fn check(rule: &Rule) -> Result<(), Refusal> {
    let raw = &rule.raw;
    let found = validate_part(raw).or_else(|| mutate_part(raw));
    let Some(steps) = found else { return Ok(()) };
    let path = steps.iter().fold(rule.path.clone(), |path, step| path.join(step.clone()));
    let reason = "labels and annotations supports only string values, \"use double quotes around the non string values\"";
    Err(Refusal::new(reason, path))
}

type Steps = Vec<Segment>;

fn validate_part(rule: &Value) -> Option<Steps> {
    if !has_validate(rule) {
        return None;
    }
    let validate = field(rule, "validate");
    if given(validate, "foreach").is_some() {
        return first_loop(validate, "pattern").map(|steps| under(&["validate".into()], steps));
    }
    if let Some(pattern) = field(validate, "pattern").as_object() {
        return metadata(pattern).map(|steps| under(&["validate".into(), "pattern".into()], steps));
    }
    let mut patterns = items(validate, "anyPattern").iter().enumerate();
    patterns
        .find_map(|(at, pattern)| Some((at, metadata(pattern.as_object()?)?)))
        .map(|(at, steps)| under(&["validate".into(), "anyPattern".into(), at.into()], steps))
}

fn mutate_part(rule: &Value) -> Option<Steps> {
    if !has_mutate(rule) {
        return None;
    }
    let mutate = field(rule, "mutate");
    if given(mutate, "foreach").is_some() {
        return first_loop(mutate, "patchStrategicMerge").map(|steps| under(&["mutate".into()], steps));
    }
    let patch = field(mutate, "patchStrategicMerge").as_object()?;
    metadata(patch).map(|steps| under(&["mutate".into(), "patchStrategicMerge".into()], steps))
}

/// What the first loop that holds a map says; the others are not looked at.
fn first_loop(body: &Value, key: &str) -> Option<Steps> {
    let mut loops = items(body, "foreach").iter().enumerate();
    let (at, pattern) = loops.find_map(|(at, each)| Some((at, field(each, key).as_object()?)))?;
    metadata(pattern).map(|steps| under(&["foreach".into(), at.into(), key.into()], steps))
}

fn under(prefix: &[Segment], steps: Steps) -> Steps {
    prefix.iter().cloned().chain(steps).collect()
}

/// The way to labels or annotations that hold something other than texts.
// Kyverno: checkMetadata walks a Go map and decides with the key it meets first, `metadata` or `spec`; the order
// is random there and as written here.
fn metadata(pattern: &Map) -> Option<Steps> {
    for (key, value) in pattern.iter() {
        if key == "metadata"
            && let Some(map) = value.as_object()
        {
            return not_texts(map).map(|found| vec!["metadata".into(), found.into()]);
        }
        if key == "spec" {
            let map = value.find(&["template", "metadata"]).and_then(Value::as_object)?;
            let keys = ["spec", "template", "metadata"].map(Segment::from);
            return not_texts(map).map(|found| under(&keys, vec![found.into()]));
        }
    }
    None
}

fn not_texts(metadata: &Map) -> Option<&'static str> {
    let bad = |key: &str| {
        let map = metadata.get(key).and_then(Value::as_object);
        map.is_some_and(|map| map.values().any(|value| value.as_str().is_none()))
    };
    ["labels", "annotations"].into_iter().find(|key| bad(key))
}
