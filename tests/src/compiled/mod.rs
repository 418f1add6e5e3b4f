//! The recorded answers of Pod Security Admission, put to what the compiler makes of each level and version.
//!
//! In: a folder of recorded answers, a target. Out: how many rows are the same, in verdict and in words, and which are not.

pub mod attackers;

use crate::recorded::Recorded;
use crate::suites::{FUZZ_PODS, PODS};
use engine::apply::{Host, Locations, Options, Recording, Status, apply};
use engine::json::{Map, Value};
use engine::load::{Role, load_with};
use engine::podsecurity::{Level, Version};
use engine::world::StaticWorld;
use engine::yaml::emit::to_yaml_ordered;
use engine::yaml::{Source as Text, SourceId};
use engine_convert::podsecurity::{Source, Target, compile};
use std::collections::BTreeMap;

/// The files with answers, each beside the file with its Pods.
pub const FILES: [(&str, &str); 4] = [
    ("podsecurity/results.jsonl.gz", PODS),
    ("podsecurity/results-boundaries.jsonl.gz", PODS),
    ("podsecurity/fuzz-results.jsonl.gz", FUZZ_PODS),
    ("podsecurity/fuzz-results-more.jsonl.gz", FUZZ_PODS),
];

/// What policies say of an object.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Whether no rule fails and none could not be decided.
    pub allowed: bool,
    /// The messages of rules that fail, and of those that could not be decided.
    pub messages: Vec<String>,
}

/// What a text of policies says of each object, in their order. A policy that is refused refuses everything.
pub fn verdicts(policies: &str, objects: &[Value]) -> Vec<Verdict> {
    let text = |name: &str, text: String| Text { id: SourceId(0), name: name.into(), text: text.into() };
    let objects_text: Vec<String> =
        objects.iter().enumerate().map(|(at, object)| to_yaml_ordered(&named(at, object))).collect();
    let sources = vec![
        (Role::Policies, text("policies.yaml", policies.to_owned())),
        (Role::Resources, text("resources.yaml", objects_text.join("---\n"))),
    ];
    let (bundle, _) = load_with(sources, Host::Cluster, engine_celpolicy::AS_WRITTEN);
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let world = StaticWorld {
        extension: Some(engine_celpolicy::AS_WRITTEN),
        ..StaticWorld::at(1_795_132_800_000_000_000)
    };
    let outcome = apply(&bundle, &world, &options);
    let refused: Vec<String> =
        bundle.refused.iter().map(|one| format!("refused: {}: {}", one.policy, one.reason)).collect();
    let unread = Verdict { allowed: false, messages: vec!["the object is not read".to_owned()] };
    let mut all = vec![unread; objects.len()];
    let place = |name: &str| name.strip_prefix("object-").and_then(|at| at.parse::<usize>().ok());
    for resource in &bundle.resources {
        if let Some(verdict) = place(resource.name()).and_then(|at| all.get_mut(at)) {
            *verdict = Verdict { allowed: refused.is_empty(), messages: refused.clone() };
        }
    }
    for result in &outcome.results {
        let resource = bundle.resources.get(result.resource).and_then(|resource| place(resource.name()));
        let Some(verdict) = resource.and_then(|at| all.get_mut(at)) else { continue };
        for rule in &result.rules {
            if matches!(rule.status, Status::Fail | Status::Error) {
                verdict.allowed = false;
                verdict.messages.push(rule.message.clone());
            }
        }
    }
    all
}

/// A Pod as an API server hands it to admission: nothing is null.
pub fn as_admitted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key.clone(), as_admitted(value))).collect::<Map>().into()
        }
        Value::Array(list) => Value::array(list.iter().map(as_admitted).collect()),
        other => other.clone(),
    }
}

/// How rows compare.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Rows.
    pub rows: usize,
    /// Rows with the same verdict.
    pub same: usize,
    /// Rows that are refused by both, and of these how many in the same words.
    pub refused: (usize, usize),
    /// Rows of versions for which nothing is made.
    pub unmade: usize,
    /// Rows of which the compiler says that they may differ.
    pub said: usize,
    /// Rows that differ: level, version, Pod, what was said.
    pub differing: Vec<String>,
}

/// Puts all rows of a file to a target; `wanted` of every so many Pods.
pub fn tally(recorded: &Recorded, file: (&str, &str), target: Target, every: usize) -> Result<Tally, String> {
    let pods = recorded.rows(file.1)?;
    let pods: BTreeMap<String, Value> = pods
        .into_iter()
        .map(|row| {
            (row.find_str(&["id"]).to_owned(), as_admitted(&row.get("pod").cloned().unwrap_or_default()))
        })
        .collect();
    let wanted: Vec<&String> = pods.keys().step_by(every).collect();
    let mut groups: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for row in recorded.rows(file.0)? {
        if wanted.binary_search_by(|id| id.as_str().cmp(row.find_str(&["id"]))).is_ok() {
            let key = (row.find_str(&["level"]).to_owned(), row.find_str(&["version"]).to_owned());
            groups.entry(key).or_default().push(row);
        }
    }
    let mut tally = Tally::default();
    for ((level, version), rows) in groups {
        let (Some(level), Some(version)) = (Level::parse(&level), Version::parse(&version)) else {
            return Err(format!("no such level or version: {level} {version}"));
        };
        let compiled = compile(&Source::new(level, version), target);
        if compiled.refused.is_some() {
            tally.rows += rows.len();
            tally.unmade += rows.len();
            continue;
        }
        let objects: Vec<Value> =
            rows.iter().filter_map(|row| pods.get(row.find_str(&["id"])).cloned()).collect();
        let found = verdicts(&compiled.text(), &objects);
        for (row, verdict) in rows.iter().zip(found) {
            tally.rows += 1;
            let allowed = row.get("allowed").and_then(Value::as_bool) == Some(true);
            if allowed == verdict.allowed {
                tally.same += 1;
            } else if !compiled.differing.is_empty() && allowed {
                tally.said += 1;
            } else {
                tally.differing.push(format!(
                    "{level} {version} {}: {allowed} {:?}",
                    row.find_str(&["id"]),
                    verdict.messages
                ));
            }
            if !allowed && !verdict.allowed {
                let words = words(row);
                let is_same =
                    words.iter().all(|words| verdict.messages.iter().any(|said| said.contains(words)));
                tally.refused = (tally.refused.0 + 1, tally.refused.1 + usize::from(is_same));
            }
        }
    }
    Ok(tally)
}

/// The reason and the detail of each check that fails.
fn words(row: &Value) -> Vec<String> {
    let checks = row.get("checks").and_then(Value::as_array).unwrap_or_default();
    let failed = checks.iter().filter(|check| check.get("allowed").and_then(Value::as_bool) == Some(false));
    failed.map(|check| format!("{} ({})", check.find_str(&["reason"]), check.find_str(&["detail"]))).collect()
}

/// The object as a document of its own: no other of the same run has its name.
fn named(at: usize, object: &Value) -> Value {
    let mut map = object.as_object().cloned().unwrap_or_default();
    for (key, value) in [("apiVersion", "v1"), ("kind", "Pod")] {
        if map.get(key).is_none() {
            map.insert(key, Value::from(value));
        }
    }
    let mut metadata = map.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    metadata.insert("name", Value::from(format!("object-{at}")));
    map.insert("metadata", Value::object(metadata));
    Value::object(map)
}
