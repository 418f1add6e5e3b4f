//! Resources: Pods, workloads, and what has none; small, and alike enough for patterns to fit now and then.

use super::{object, odd, texts};
use crate::random::Choices;
use engine::json::Value;

const NAMES: &[&str] = &["web", "web-1", "db", "a", "über"];
const IMAGES: &[&str] = &[
    "nginx",
    "nginx:1.2",
    "ghcr.io/a/b:latest",
    "registry.example:5000/x/y@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "UPPER/Case",
    "",
];
const QUANTITIES: &[&str] = &["1", "100m", "256Mi", "1Gi", "2Gi", "1e3", "-1", "0.5", "x"];

/// A resource; `n` is in its name, so that no two of a case are the same.
pub(super) fn resource(choices: &mut Choices, n: usize) -> Value {
    let (api_version, kind) = match choices.below(10) {
        0..=4 => ("v1", "Pod"),
        5 => ("apps/v1", "Deployment"),
        6 => ("batch/v1", "CronJob"),
        7 => ("v1", "ConfigMap"),
        8 => ("v1", "Namespace"),
        _ => ("example.com/v1beta1", "Thing"),
    };
    let spec = match kind {
        "Pod" => pod_spec(choices),
        "Deployment" => object([("replicas", Value::from(2_i64)), ("template", template(choices))]),
        "CronJob" => {
            let job = object([("spec", object([("template", template(choices))]))]);
            object([("schedule", Value::from("*/5 * * * *")), ("jobTemplate", job)])
        }
        "Thing" => things(choices, 3),
        _ => Value::Null,
    };
    let data = if kind == "ConfigMap" { things(choices, 1) } else { Value::Null };
    object([
        ("apiVersion", Value::from(api_version)),
        ("kind", Value::from(kind)),
        ("metadata", metadata(choices, n)),
        ("spec", odd(choices, spec)),
        ("data", data),
    ])
}

fn metadata(choices: &mut Choices, n: usize) -> Value {
    let namespace =
        if choices.once_in(3) { Value::Null } else { Value::from(choices.pick(&["default", "prod", "dev"])) };
    let name = format!("{}-{n}", choices.pick(NAMES));
    object([
        ("name", Value::from(name)),
        ("namespace", namespace),
        ("labels", labels(choices)),
        ("annotations", if choices.once_in(3) { labels(choices) } else { Value::Null }),
    ])
}

/// Labels, or annotations.
pub(super) fn labels(choices: &mut Choices) -> Value {
    let mut entries = Vec::new();
    for key in ["app", "team", "example.com/tier"] {
        if choices.once_in(2) {
            let value = Value::from(choices.pick(&["web", "db", "", "a-b", "10"]));
            entries.push((key, odd(choices, value)));
        }
    }
    if entries.is_empty() { Value::Null } else { object(entries) }
}

fn template(choices: &mut Choices) -> Value {
    object([("metadata", object([("labels", labels(choices))])), ("spec", pod_spec(choices))])
}

fn pod_spec(choices: &mut Choices) -> Value {
    let mut entries = vec![("containers", containers(choices))];
    if choices.once_in(4) {
        entries.push(("initContainers", containers(choices)));
    }
    if choices.once_in(8) {
        entries.push(("ephemeralContainers", containers(choices)));
    }
    if choices.once_in(3) {
        entries.push(("hostNetwork", Value::from(choices.once_in(2))));
    }
    if choices.once_in(2) {
        entries.push(("securityContext", security_context(choices)));
    }
    if choices.once_in(4) {
        let source = match choices.below(3) {
            0 => ("emptyDir", object::<&str>([])),
            1 => ("hostPath", object([("path", Value::from("/var/run"))])),
            _ => ("configMap", object([("name", Value::from("c"))])),
        };
        let volume = object([("name", Value::from("v")), source]);
        entries.push(("volumes", Value::array(vec![volume])));
    }
    object(entries)
}

fn containers(choices: &mut Choices) -> Value {
    let list = (0..=choices.below(2)).map(|_| container(choices)).collect();
    let list = Value::array(list);
    odd(choices, list)
}

fn container(choices: &mut Choices) -> Value {
    let mut entries =
        vec![("name", Value::from(choices.pick(NAMES))), ("image", Value::from(choices.pick(IMAGES)))];
    if choices.once_in(2) {
        entries.push(("securityContext", security_context(choices)));
    }
    if choices.once_in(2) {
        let amounts = |choices: &mut Choices| {
            let cpu = Value::from(choices.pick(QUANTITIES));
            object([("cpu", cpu), ("memory", Value::from(choices.pick(QUANTITIES)))])
        };
        let limits = object([("limits", amounts(choices)), ("requests", amounts(choices))]);
        entries.push(("resources", limits));
    }
    if choices.once_in(3) {
        let port = object([
            ("containerPort", Value::from(80_i64)),
            ("hostPort", if choices.once_in(2) { Value::from(8080_i64) } else { Value::Null }),
        ]);
        entries.push(("ports", Value::array(vec![port])));
    }
    let container = object(entries);
    odd(choices, container)
}

fn security_context(choices: &mut Choices) -> Value {
    let mut entries = Vec::new();
    for key in ["runAsNonRoot", "privileged", "allowPrivilegeEscalation", "readOnlyRootFilesystem"] {
        if choices.once_in(3) {
            let value = Value::from(choices.once_in(2));
            entries.push((key, odd(choices, value)));
        }
    }
    if choices.once_in(3) {
        let add = texts(&[choices.pick(&["NET_ADMIN", "CHOWN", "SYS_ADMIN", "NET_BIND_SERVICE"])]);
        let drop = texts(&[choices.pick(&["ALL", "KILL"])]);
        entries.push(("capabilities", object([("add", add), ("drop", drop)])));
    }
    if choices.once_in(3) {
        entries.push(("runAsUser", Value::from(if choices.once_in(2) { 0_i64 } else { 1000 })));
    }
    if choices.once_in(4) {
        let kind = Value::from(choices.pick(&["RuntimeDefault", "Unconfined", "Localhost", ""]));
        entries.push(("seccompProfile", object([("type", kind)])));
    }
    object(entries)
}

/// Any small tree.
pub(super) fn things(choices: &mut Choices, depth: usize) -> Value {
    let keys = ["a", "b", "c"];
    let entries: Vec<(&str, Value)> = keys
        .into_iter()
        .filter_map(|key| {
            let value = match choices.below(if depth == 0 { 6 } else { 9 }) {
                0 => return None,
                1 => Value::from(choices.pick(QUANTITIES)),
                2 => Value::from(i64::try_from(choices.below(20)).unwrap_or_default() - 5),
                3 => Value::from(0.25),
                4 => Value::from(choices.once_in(2)),
                5 => Value::from(choices.pick(NAMES)),
                6 => Value::array((0..choices.below(3)).map(|_| things(choices, depth - 1)).collect()),
                7 => texts(&["web", "db"]),
                _ => things(choices, depth - 1),
            };
            Some((key, value))
        })
        .collect();
    object(entries)
}
