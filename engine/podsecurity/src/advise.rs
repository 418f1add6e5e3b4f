//! Which level a namespace could ask for, what stands in the way of the next, and the smallest change that lifts it.
//!
//! In: the objects of a namespace. Out: the strictest level that all of them satisfy, and for each workload the level
//! it reaches and what fails above it: `Deployment web: baseline, because of runAsNonRoot != true`.
//! [`repair`] then says `set spec.securityContext.runAsNonRoot: true`, having tried it.

use crate::{Check, CheckResult, Fault, Level, PodView, Version, Violation, aggregate, evaluate, pod_of};
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Segment, Value};

/// What a namespace could ask for.
#[derive(Debug)]
pub struct Advice {
    /// The strictest level that every workload satisfies; restricted when there is none.
    pub level: Level,
    /// The workloads, in the order of the objects.
    pub workloads: Vec<Workload>,
}

/// What one object reaches.
#[derive(Debug)]
pub struct Workload {
    /// Its place among the objects given.
    pub at: usize,
    /// The strictest level it satisfies.
    pub level: Level,
    /// What fails at the level above: findings with paths from the Pod. Empty when it is restricted already.
    pub obstacles: Vec<CheckResult>,
}

/// The advice for these objects; those that make no Pods do not count.
pub fn advise<'v>(objects: impl IntoIterator<Item = &'v Value>, version: Version) -> Advice {
    let each = objects.into_iter().enumerate();
    let workloads: Vec<Workload> = each.filter_map(|(at, object)| workload(at, object, version)).collect();
    let level = workloads.iter().map(|workload| workload.level).min().unwrap_or(Level::Restricted);
    Advice { level, workloads }
}

fn workload(at: usize, object: &Value, version: Version) -> Option<Workload> {
    let pod = pod_of(object)?;
    for (above, level) in [(Level::Baseline, Level::Privileged), (Level::Restricted, Level::Baseline)] {
        let mut obstacles = evaluate(above, version, &pod);
        if !aggregate::is_allowed(&obstacles) {
            obstacles.retain(|result| !result.allowed);
            return Some(Workload { at, level, obstacles });
        }
    }
    Some(Workload { at, level: Level::Restricted, obstacles: Vec::new() })
}

/// One change of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The way to the field from the object.
    pub path: Path,
    /// The value to set; none where the field is to go.
    pub value: Option<Value>,
    /// The check that asks for it.
    pub check: &'static str,
}

/// Changes that lift one another's findings settle within so many rounds, or never.
const MAX_ROUNDS: usize = 4;

/// The changes after which an object satisfies a level, tried on the object; `None` where no change of single fields
/// does it. `prepare` makes of an object what is evaluated: itself, or the object with an API server's defaults.
pub fn repair(
    object: &Value,
    level: Level,
    version: Version,
    prepare: &dyn Fn(&Value) -> Value,
) -> Option<Vec<Change>> {
    let mut changed = object.clone();
    let mut changes: OrderedMap<Path, Change> = OrderedMap::new();
    for _ in 0..MAX_ROUNDS {
        let evaluated = prepare(&changed);
        let pod = pod_of(&evaluated)?;
        let results = evaluate(level, version, &pod);
        if aggregate::is_allowed(&results) {
            return Some(changes.into_values().collect());
        }
        let mut round: OrderedMap<Path, Change> = OrderedMap::new();
        for result in results.iter().filter(|result| !result.allowed) {
            for violation in &result.violations {
                let change = proposal(result.check, violation, &pod)?;
                round.entry(change.path.clone()).or_insert(change);
            }
        }
        // From the end, so that what goes out of a list moves nothing that is still to be changed.
        for (path, change) in round.into_iter().rev() {
            if changed.put(&path, change.value.clone()) {
                changes.insert(path, change);
            }
        }
    }
    None
}

/// The smallest change that could lift a finding.
fn proposal(check: &'static Check, violation: &Violation, pod: &PodView<'_>) -> Option<Change> {
    if !violation.is_readable() {
        return None;
    }
    let of_pod = |keys: &[&str]| Path::from_keys(&[&["spec", "securityContext"], keys].concat());
    let is_of_pod = violation.container().is_none();
    let parent = || violation.path.parent();
    let own = violation.path.clone();
    let is_missing = matches!(violation.fault, Fault::Required | Fault::Unset);
    let (path, value) = match check.id {
        "allowPrivilegeEscalation" => (own, Some(Value::from(false))),
        "capabilities_baseline" | "capabilities_restricted" => capabilities(violation, pod),
        "runAsNonRoot" if is_missing || is_of_pod => (of_pod(&["runAsNonRoot"]), Some(Value::from(true))),
        // What goes from a container has to be set for the Pod then: where the others have their own, this is one change less.
        "runAsNonRoot" => (own, Some(Value::from(true))),
        "seccompProfile_restricted" if is_missing || is_of_pod => {
            (of_pod(&["seccompProfile", "type"]), Some(Value::from("RuntimeDefault")))
        }
        "seccompProfile_restricted" if has_type_alone(violation, pod) => {
            (own, Some(Value::from("RuntimeDefault")))
        }
        // A profile without a type is none: the whole of it goes.
        "seccompProfile_baseline" | "seccompProfile_restricted" | "appArmorProfile"
            if violation.path.last() == Some(&Segment::from("type")) =>
        {
            (parent(), None)
        }
        "sysctls" => (parent(), None),
        "restrictedVolumes" if violation.path.last() == Some(&Segment::from("unknown")) => return None,
        _ => (own, None),
    };
    Some(Change { path: pod.resolve(&path), value, check: check.id })
}

/// Whether the finding is about the type of a profile that holds nothing else.
fn has_type_alone(violation: &Violation, pod: &PodView<'_>) -> bool {
    let profile = violation.path.parent();
    let held = pod.spec.at_path(profile.iter().skip(1)).and_then(Value::as_object);
    violation.path.last() == Some(&Segment::from("type")) && held.is_some_and(|held| held.len() == 1)
}

/// What is left of a list of capabilities.
fn capabilities(violation: &Violation, pod: &PodView<'_>) -> (Path, Option<Value>) {
    let path = violation.path.clone();
    if path.last() == Some(&Segment::from("drop")) {
        return (path, Some(Value::array(vec![Value::from("ALL")])));
    }
    let refused = violation.value.as_ref().and_then(Value::as_array).unwrap_or_default();
    let listed = pod.spec.at_path(path.iter().skip(1)).and_then(Value::as_array).unwrap_or_default();
    let left: Vec<Value> = listed.iter().filter(|item| !refused.contains(item)).cloned().collect();
    let value = (!left.is_empty()).then(|| Value::array(left));
    (path, value)
}
