//! Exclusions: a trial Pod is evaluated, and what fails there is lifted from the Pod's own results.
//!
//! In: `{control: "Capabilities", images: ["istio/*"]}` and the results of a Pod. Out: the results without the errors
//! that a Pod of just those containers has too; a check without errors left is gone.
//!
//! An exclusion without images tries the Pod with one silent container in place of its own, one with images tries a
//! bare Pod of the containers that match. Each error of the trial lifts the *first* error of the Pod with the same
//! field, places aside, and the last error takes its place, as in the original.

use super::{CONTROLS, evaluate};
use crate::{CheckResult, Level, PodView, Version, Violation};
use engine_json::{Map, Path, Str, Value, format_smolstr};

/// One entry of `exclude`, or of a policy exception's `podSecurity`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusion {
    /// The name of the control; an unknown one excludes nothing.
    pub control: Str,
    /// Patterns of images; empty for the fields of the Pod.
    pub images: Vec<Str>,
    /// The field that is meant, `*` for places; empty for all.
    pub restricted_field: Str,
    /// Patterns that every bad value of an error must fit; empty for any.
    pub values: Vec<Str>,
}

/// How a pattern with `*` and `?` is matched: pattern, text.
pub struct Wildcard(pub fn(&str, &str) -> bool);

impl Wildcard {
    pub(super) fn any(&self, patterns: &[Str], text: &str) -> bool {
        patterns.iter().any(|pattern| (self.0)(pattern, text))
    }
}

/// What is left of failed checks after all exclusions, in the order they came in.
// Kyverno: with exclusions the original takes the checks out of a Go map, in random order.
pub fn apply(
    policy: (Level, Version),
    exclusions: &[Exclusion],
    mut results: Vec<CheckResult>,
    pod: &PodView<'_>,
    wildcard: &Wildcard,
) -> Vec<CheckResult> {
    for exclusion in exclusions {
        let Some(control) = CONTROLS.iter().find(|control| control.name == exclusion.control) else {
            continue;
        };
        let spec = trial_spec(exclusion, pod, wildcard);
        let whole_pod = exclusion.images.is_empty();
        let metadata = if whole_pod { pod.metadata } else { &Value::Null };
        let root = Path::root();
        let trial = PodView { metadata, spec: &spec, metadata_path: root.clone(), spec_path: root };
        let tried = evaluate(policy, &trial);
        for trial in tried.iter().filter(|trial| control.checks.contains(&trial.check.id)) {
            lift(exclusion, trial, &mut results, wildcard);
        }
    }
    results
}

/// The spec of the Pod that is tried.
fn trial_spec(exclusion: &Exclusion, pod: &PodView<'_>, wildcard: &Wildcard) -> Value {
    if exclusion.images.is_empty() {
        let mut spec = pod.spec.as_object().cloned().unwrap_or_default();
        spec.remove("initContainers");
        spec.remove("ephemeralContainers");
        let fake: Map = [("name", Value::from("fake"))].into_iter().collect();
        spec.insert("containers", Value::array(vec![Value::object(fake)]));
        return Value::object(spec);
    }
    let mut spec = Map::new();
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let all = pod.spec.get(list).and_then(Value::as_array).unwrap_or(&[]);
        let matching =
            all.iter().filter(|container| wildcard.any(&exclusion.images, container.find_str(&["image"])));
        spec.insert(list, Value::array(matching.cloned().collect()));
    }
    Value::object(spec)
}

/// Takes the errors of the trial out of the results.
fn lift(exclusion: &Exclusion, trial: &CheckResult, results: &mut Vec<CheckResult>, wildcard: &Wildcard) {
    if !trial.check.lists_fields {
        return;
    }
    let Some(at) = results.iter().position(|result| result.check.id == trial.check.id) else { return };
    let Some(result) = results.get_mut(at) else { return };
    let key = |error: &Violation| Key::of(error, exclusion.images.is_empty());
    let mut keys: Vec<Option<Key>> = result.violations.iter().map(key).collect();
    for error in &trial.violations {
        let Some(wanted) = key(error) else { continue };
        let meant = exclusion.restricted_field.is_empty() || exclusion.restricted_field == wanted.field;
        let valued = exclusion.values.is_empty()
            || bad_values(error).iter().all(|value| wildcard.any(&exclusion.values, value));
        if let (true, true, Some(first)) =
            (meant, valued, keys.iter().position(|key| key.as_ref() == Some(&wanted)))
        {
            // Kyverno: the last error takes the place of the one removed.
            result.violations.swap_remove(first);
            keys.swap_remove(first);
        }
    }
    if result.violations.is_empty() {
        results.remove(at);
    }
}

/// What makes two errors the same to an exclusion.
#[derive(PartialEq, Eq)]
struct Key {
    /// The field, its places as stars.
    field: String,
    /// The container, where the exclusion names images.
    container: Option<Str>,
}

impl Key {
    /// The key of an error; none of one about a type, which nothing lifts.
    fn of(error: &Violation, whole_pod: bool) -> Option<Key> {
        let container = error.container().filter(|_| !whole_pod).map(Str::new);
        error.is_readable().then(|| Key { field: without_places(error), container })
    }
}

/// The field with every run of digits as `*`.
pub(super) fn without_places(violation: &Violation) -> String {
    let mut out = String::new();
    for c in violation.field().chars() {
        match c {
            '0'..='9' if out.ends_with('\u{0}') => {}
            '0'..='9' => out.push('\u{0}'),
            c => out.push(c),
        }
    }
    out.replace('\u{0}', "*")
}

/// The bad values as texts; none where the error carries none, so that any `values` fit.
pub(super) fn bad_values(violation: &Violation) -> Vec<Str> {
    match violation.bad_value() {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text],
        Value::Bool(b) => vec![format_smolstr!("{b}")],
        Value::Number(number) => {
            number.as_i64().map(|number| format_smolstr!("{number}")).into_iter().collect()
        }
        Value::Array(list) => list.iter().map(|item| Str::new(item.as_str().unwrap_or(""))).collect(),
        Value::Null | Value::Object(_) => Vec::new(),
    }
}
