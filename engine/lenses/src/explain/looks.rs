//! Which fields of the resource each step looked at, whether it decided or not: who reads this line?
//!
//! In: the steps of a rule, the rule and the resource. Out: [`Look`]s. Steps that know their field say it; conditions are
//! followed as in `reads`; match blocks look at what their filters name; checks of the Pod Security Standards at all that
//! they restrict, also those that pass and are not a step.

use super::reads;
use engine::policy::{Filter, Match, Rule};
use engine::resource::Resource;
use engine::trace::{Detail, Kind, Step};
use engine::value::wildcard;
use engine_json::{Path, Segment, Value};
use engine_podsecurity::{Level, PodView, Version, applicable, pod_of};

/// The fields of so many steps are looked for.
const MAX_STEPS: usize = 300;
/// How many fields are said.
const MAX_LOOKS: usize = 2_000;

/// A field that was looked at.
pub(super) struct Look {
    /// The step, by its place; none for a check that passes and says nothing.
    pub(super) step: Option<usize>,
    pub(super) path: Path,
}

/// The fields that these steps looked at.
pub(super) fn of_each(steps: &[Step], rule: Option<&Rule>, resource: &Resource) -> Vec<Look> {
    let pod = pod_of(&resource.value);
    let mut looks: Vec<Look> = Vec::new();
    let mut described: Vec<&str> = Vec::new();
    let mut standard = None;
    for (at, step) in steps.iter().enumerate().take(MAX_STEPS) {
        let paths = match (&step.detail, step.kind) {
            (_, Kind::Match | Kind::Exclude) => filtered(step, rule),
            (Some(Detail::PodSecurity { level, version, check }), _) => {
                standard = Some((*level, *version));
                described.extend(check);
                restricted(pod.as_ref(), resource, *level, *version, &|id| {
                    check.is_none_or(|check| check == id)
                })
            }
            (_, _) => {
                reads::of_steps(steps, &[at], rule, resource).into_iter().map(|field| field.path).collect()
            }
        };
        looks.extend(paths.into_iter().map(|path| Look { step: Some(at), path }));
    }
    // Where some checks refuse, the others are not steps.
    if let Some((level, version)) = standard.filter(|_| !described.is_empty()) {
        let paths = restricted(pod.as_ref(), resource, level, version, &|id| !described.contains(&id));
        looks.extend(paths.into_iter().map(|path| Look { step: None, path }));
    }
    looks.truncate(MAX_LOOKS);
    looks
}

/// What the filter of a match or exclude block looks at.
fn filtered(step: &Step, rule: Option<&Rule>) -> Vec<Path> {
    let mut paths: Vec<Path> = step.resource_path.iter().filter(|path| !path.is_empty()).cloned().collect();
    let blocks = rule.into_iter().flat_map(|rule| std::iter::once(&rule.matches).chain(&rule.exclude));
    let filter: Option<&Filter> =
        blocks.flat_map(Match::filters).find(|filter| step.policy_path.as_ref() == Some(&filter.path));
    let Some(filter) = filter else { return paths };
    let metadata = |key: &str| Path::from_keys(&["metadata", key]);
    let named: [(bool, Path); 6] = [
        (!filter.kinds.is_empty(), Path::from_keys(&["kind"])),
        (!filter.kinds.is_empty(), Path::from_keys(&["apiVersion"])),
        (filter.name.is_some() || !filter.names.is_empty(), metadata("name")),
        (!filter.namespaces.is_empty(), metadata("namespace")),
        (filter.selector.is_some(), metadata("labels")),
        (!filter.annotations.is_empty(), metadata("annotations")),
    ];
    for (is_named, path) in named {
        if is_named && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The fields that checks of these ids restrict, as far as the resource has them.
fn restricted(
    pod: Option<&PodView<'_>>,
    resource: &Resource,
    level: Level,
    version: Version,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<Path> {
    let Some(pod) = pod else { return Vec::new() };
    let checks = applicable(level, version).filter(|(check, _)| is_wanted(check.id));
    let mut paths: Vec<Path> = Vec::new();
    for (check, _) in checks {
        for path in check.fields.iter().flat_map(|field| expanded(&resource.value, pod, field)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// The places that `spec.containers[*].securityContext.privileged` stands for.
fn expanded(object: &Value, pod: &PodView<'_>, field: &str) -> Vec<Path> {
    let (first, mut rest) = field.split_at(field.find(['.', '[']).unwrap_or(field.len()));
    let mut places = vec![pod.resolve(&Path::from_keys(&[first]))];
    while !rest.is_empty() {
        let (name, behind) = if let Some(inner) = rest.strip_prefix('[') {
            inner.split_once(']').unwrap_or((inner, ""))
        } else {
            let inner = rest.strip_prefix('.').unwrap_or(rest);
            inner.split_at(inner.find(['.', '[']).unwrap_or(inner.len()))
        };
        rest = behind;
        places = places.iter().flat_map(|place| below(object, place, name)).collect();
    }
    places
}

/// The elements or fields below a place that a name with wildcards means.
fn below(object: &Value, place: &Path, name: &str) -> Vec<Path> {
    match object.at_path(place.iter()) {
        Some(Value::Array(list)) if name == "*" => (0..list.len()).map(|at| place.join(at)).collect(),
        Some(Value::Object(map)) => {
            let keys = map.keys().filter(|key| wildcard::matches(name, key));
            keys.map(|key| place.join(Segment::Key(key.clone()))).collect()
        }
        _ => Vec::new(),
    }
}
