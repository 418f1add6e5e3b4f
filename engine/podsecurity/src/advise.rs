//! Which level a namespace could ask for, and what stands in the way of the next.
//!
//! In: the objects of a namespace. Out: the strictest level that all of them satisfy, and for each workload the level
//! it reaches and what fails above it: `Deployment web: baseline, because of runAsNonRoot != true`.

use crate::{CheckResult, Level, Version, aggregate, evaluate, pod_of};
use engine_json::Value;

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
pub fn advise(objects: &[Value], version: Version) -> Advice {
    let each = objects.iter().enumerate();
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
