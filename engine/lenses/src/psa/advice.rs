//! What a namespace could ask for, and what keeps its workloads from asking for more.
//!
//! In: the objects of a namespace. Out: a [`wire::PsaAdvice`]: labels, and for each object that keeps the namespace down
//! its findings, the smallest change that lifts all of them, and Kyverno's narrowest exclusions that lift each. Change
//! and exclusions have been tried on the object.

use super::{Object, Options};
use crate::wire;
use engine::value::wildcard;
use engine_json::{Map, Path, Value, to_json};
use engine_podsecurity::advise::{Change, Workload, advise, repair};
use engine_podsecurity::exclude::{Exclusion, Wildcard, narrowest};
use engine_podsecurity::{CheckResult, Level, pod_of};

/// Finds the lines of a path of an object.
pub(super) type RangeOf<'p> = dyn Fn(&Object, &Path) -> Option<wire::Range> + 'p;

/// The advice for the objects of one namespace.
pub(super) fn of(objects: &[&Object], options: &Options, place: &RangeOf<'_>) -> wire::PsaAdvice {
    let advice = advise(objects.iter().map(|object| &object.value), options.version);
    let label = |name: &str, value: &str| (format!("pod-security.kubernetes.io/{name}"), value.to_owned());
    let labels =
        vec![label("enforce", advice.level.name()), label("enforce-version", &options.version.to_string())];
    let keeps_down = |workload: &&Workload| workload.level == advice.level && !workload.obstacles.is_empty();
    let obstacles = advice.workloads.iter().filter(keeps_down);
    let obstacles =
        obstacles.filter_map(|workload| Some(obstacle(objects.get(workload.at)?, workload, options, place)));
    wire::PsaAdvice { level: advice.level.name().to_owned(), labels, obstacles: obstacles.collect() }
}

fn obstacle(
    object: &Object,
    workload: &Workload,
    options: &Options,
    place: &RangeOf<'_>,
) -> wire::PsaObstacle {
    let next = if workload.level == Level::Privileged { Level::Baseline } else { Level::Restricted };
    let changes = repair(&object.written, next, options.version, &options.seen());
    wire::PsaObstacle {
        resource: super::table::reference(object, place(object, &Path::root())),
        next: next.name().to_owned(),
        findings: workload
            .obstacles
            .iter()
            .map(|result| finding(object, result, next, options, place))
            .collect(),
        changes: changes.unwrap_or_default().iter().map(|change| described(object, change, place)).collect(),
    }
}

fn finding(
    object: &Object,
    result: &CheckResult,
    next: Level,
    options: &Options,
    place: &RangeOf<'_>,
) -> wire::PsaObstacleFinding {
    let pod = pod_of(&object.value);
    let path = match (&pod, result.violations.first()) {
        (Some(pod), Some(violation)) => pod.resolve(&violation.path),
        _ => Path::root(),
    };
    let exclusions =
        pod.and_then(|pod| narrowest((next, options.version), result, &pod, &Wildcard(wildcard::matches)));
    wire::PsaObstacleFinding {
        check: result.check.id.to_owned(),
        reason: result.reason.to_owned(),
        detail: result.detail.clone(),
        range: place(object, &path),
        exclusion: exclusions.map(|exclusions| yaml(&exclusions)).unwrap_or_default(),
    }
}

fn described(object: &Object, change: &Change, place: &RangeOf<'_>) -> wire::PsaChange {
    let text = match &change.value {
        Some(value) => format!("set {}: {}", change.path, to_json(value).trim_matches('"')),
        None => format!("remove {}", change.path),
    };
    wire::PsaChange {
        path: change.path.to_string(),
        value: change.value.as_ref().map(to_json),
        check: change.check.to_owned(),
        text,
        range: place(object, &change.path),
    }
}

/// Exclusions as they stand below `exclude:` of a rule.
fn yaml(exclusions: &[Exclusion]) -> String {
    let list = |texts: &[engine_json::Str]| Value::array(texts.iter().cloned().map(Value::String).collect());
    let entry = |exclusion: &Exclusion| {
        let mut map = Map::new();
        map.insert("controlName", Value::String(exclusion.control.clone()));
        if !exclusion.images.is_empty() {
            map.insert("images", list(&exclusion.images));
        }
        map.insert("restrictedField", Value::String(exclusion.restricted_field.clone()));
        map.insert("values", list(&exclusion.values));
        Value::object(map)
    };
    engine_yaml::emit::to_yaml_ordered(&Value::array(exclusions.iter().map(entry).collect()))
}
