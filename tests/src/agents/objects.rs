//! Objects that an agent changes as `explain` says.
//!
//! In: policies and an object that fails. Out: whether `evaluate` lets the object pass after the edits.

use super::{Server, list, named, text};
use engine::json::{Path, Segment, Value, parse, to_json};
use engine::yaml::emit::to_yaml;
use serde_json::json;

/// How many edits an object gets at most.
const MAX_EDITS: usize = 8;

/// What becomes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No policy fails it, so there is nothing to repair.
    Good,
    /// After the edits a rule passes, and none fails or errs.
    Repaired,
    /// There is no edit, or it is not enough.
    Left,
}

/// Repairs an object by the edits that are offered, the first of the first explanation each time.
///
/// # Errors
/// The server is gone.
pub fn repair(server: &mut Server, policies: &[String], object: &Value) -> Result<Outcome, String> {
    let mut object = object.clone();
    for step in 0..=MAX_EDITS {
        let asked =
            json!({"policies": named("policy", policies), "resources": named("object", &[to_yaml(&object)])});
        let answer = server.call("evaluate", &asked)?;
        let count = |status: &str| {
            answer
                .pointer(&format!("/counts/{status}"))
                .and_then(serde_json::Value::as_u64)
                .unwrap_or_default()
        };
        if count("fail") + count("warn") + count("error") == 0 {
            return Ok(match step {
                0 => Outcome::Good,
                _ if count("pass") > 0 => Outcome::Repaired,
                _ => Outcome::Left,
            });
        }
        if step == 0 && count("error") > 0 {
            return Ok(Outcome::Good);
        }
        let answer = server.call("explain", &asked)?;
        let edit = list(&answer, "explanations").iter().find_map(|one| list(one, "edits").first());
        let Some(edit) = edit else { break };
        let after = edit.get("after").and_then(serde_json::Value::as_str);
        let after = after.map(parse).transpose().map_err(|error| format!("{edit}: {error}"))?;
        let path = path(text(edit, "path"));
        if !object.put(&path, after) {
            return Err(format!("{edit}: no such place in {}", to_json(&object)));
        }
    }
    Ok(Outcome::Left)
}

/// The way that an edit names: `spec.containers[0].name`, `metadata.labels["a/b"]`.
fn path(written: &str) -> Path {
    let mut path = Path::root();
    let mut rest = written;
    while !rest.is_empty() {
        let (segment, behind) = if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, behind) = quoted.split_once("\"]").unwrap_or((quoted, ""));
            (Segment::from(key), behind)
        } else if let Some(index) = rest.strip_prefix('[') {
            let (index, behind) = index.split_once(']').unwrap_or((index, ""));
            (Segment::from(index.parse::<usize>().unwrap_or_default()), behind)
        } else {
            let key = rest.trim_start_matches('.');
            let (key, behind) = key.split_at(key.find(['.', '[']).unwrap_or(key.len()));
            (Segment::from(key), behind)
        };
        path = path.join(segment);
        rest = behind;
    }
    path
}
