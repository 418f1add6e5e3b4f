//! What service meshes inject: the data of `engine/mesh` made of what was recorded, and held against it.
//!
//! In: `mesh.json.gz` of the recorded answers: for each release and each set of options what its injector adds to a Pod, and
//! the level of the Pod Security Standards that two shapes of application then reach. Out: `engine/mesh/data/mesh.json`;
//! figures and differences.

mod change;
pub mod check;
mod daemonset;
pub mod generate;
pub mod page;
mod piece;
mod releases;

use crate::recorded::Recorded;
use engine::json::{Value, parse};

/// Where the data stands, below the root of the repository.
pub const DATA: &str = "engine/mesh/data/mesh.json";

/// The records among the recorded answers.
pub fn records(recorded: &Recorded) -> Result<Vec<Value>, String> {
    let text = recorded.text("mesh/mesh.json.gz")?;
    let records = parse(&text).map_err(|error| error.to_string())?;
    Ok(records.as_array().unwrap_or_default().to_vec())
}

/// Whether a record describes an injection, and not a node agent.
fn is_injection(record: &Value) -> bool {
    record.find_str(&["kind"]) == "injection"
}

/// The list under a key.
fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// The strings of a list.
fn strings<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    list(value, key).iter().filter_map(Value::as_str).collect()
}

/// The mode and the options of a record: `native+cni+seccomp` is `native+cni` and `seccomp`.
fn parts(options: &str) -> (String, Vec<&str>) {
    let is_mode = |part: &&str| matches!(*part, "init" | "cni" | "native") || part.starts_with("template:");
    let (modes, others): (Vec<&str>, Vec<&str>) = options.split('+').partition(is_mode);
    (modes.join("+"), others)
}

/// A map of these entries.
fn map(entries: Vec<(&str, Value)>) -> Value {
    Value::object(engine::json::Map::from_entries(entries.into_iter().map(|(k, v)| (k.into(), v)).collect()))
}

/// A string as a value.
fn text(text: &str) -> Value {
    Value::String(text.into())
}
