//! The node agents of the records: the level that their Pods reach.
//!
//! In: a record of a DaemonSet. Out: what differs from the recorded level and reasons.

use super::check::{Found, level};
use super::{list, map, text};
use engine::json::Value;

/// Compares one.
pub(super) fn compare(record: &Value) -> Found {
    let mut found = Found::new();
    level(&mut found, record.get("pss").unwrap_or(&Value::Null), &pod(record));
    found
}

/// The Pod that the DaemonSet makes, as far as the checks look at it.
fn pod(record: &Value) -> Value {
    let field = |key: &str| record.get(key).cloned().unwrap_or_default();
    let given = |of: &Value, keys: &[&'static str]| -> Vec<(&str, Value)> {
        keys.iter()
            .filter_map(|key| Some((*key, of.get(key).filter(|value| !value.is_null())?.clone())))
            .collect()
    };
    let container = |one: &Value| map(given(one, &["name", "image", "command", "securityContext", "ports"]));
    let volume = |one: &Value| {
        let path = map(given(one, &["path"]));
        let kind = one.find_str(&["type"]);
        map(vec![
            ("name", text(one.find_str(&["name"]))),
            (if kind == "hostPath" { "hostPath" } else { "emptyDir" }, path),
        ])
    };
    let mut spec = vec![
        ("containers", Value::array(list(record, "containers").iter().map(container).collect())),
        ("volumes", Value::array(list(record, "volumes").iter().map(volume).collect())),
        ("hostNetwork", field("hostNetwork")),
    ];
    spec.extend(
        given(record, &["podSecurityContext"]).into_iter().map(|(_, value)| ("securityContext", value)),
    );
    let meta = map(vec![
        ("name", text("agent")),
        ("annotations", field("podAnnotations")),
        ("labels", field("podLabels")),
    ]);
    map(vec![("apiVersion", text("v1")), ("kind", text("Pod")), ("metadata", meta), ("spec", map(spec))])
}
