//! What changes because a server keeps objects in types of its own and converts them there and back.
//!
//! In: an object once all is filled in. Out: the same as it comes back.
//! Mirrors: k8s.io/kubernetes pkg/apis/{apps,autoscaling,core}/v1/conversion.go.

use crate::tree::{Change, fill, items, made, set, within};
use engine_json::{Map, Value};
use engine_values::base64::encode;

/// The change for a type.
pub(crate) fn of(name: &str) -> Option<Change> {
    CHANGES.iter().find(|(of, _)| *of == name).map(|(_, change)| *change)
}

const CHANGES: &[(&str, Change)] = &[
    ("apps.v1.DaemonSet", daemon_set),
    ("apps.v1.StatefulSetSpec", stateful_set_spec),
    ("autoscaling.v1.HorizontalPodAutoscaler", autoscaler),
    ("core.v1.NodeSpec", node_spec),
    ("core.v1.Pod", pod),
    ("core.v1.PodSpec", pod_spec),
    ("core.v1.PodStatus", pod_status),
    ("core.v1.PodTemplateSpec", drop_init_containers),
    ("core.v1.Secret", secret),
];

/// Annotations that held containers before there were fields for them.
const INIT_CONTAINERS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];
/// The annotation of a DaemonSet that says how often its template changed.
pub(crate) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn drop_init_containers(pod: &mut Map) {
    if let Some(annotations) = within(pod, "metadata").and_then(|metadata| within(metadata, "annotations")) {
        for name in INIT_CONTAINERS {
            annotations.remove(name);
        }
    }
}

fn pod(pod: &mut Map) {
    drop_init_containers(pod);
    if let Some(spec) = within(pod, "spec")
        && spec
            .get("terminationGracePeriodSeconds")
            .and_then(Value::as_i64)
            .is_some_and(|seconds| seconds < 0)
    {
        set(spec, "terminationGracePeriodSeconds", 1_i64);
    }
}

fn pod_spec(spec: &mut Map) {
    // The older name is what the newer one says.
    let name = spec.get("serviceAccountName").or_else(|| spec.get("serviceAccount")).cloned();
    if let Some(name) = name {
        set(spec, "serviceAccountName", name.clone());
        set(spec, "serviceAccount", name);
    }
}

/// A field with the first of the items of another; of the two the first one decides.
fn first_of(
    map: &mut Map,
    one: &'static str,
    all: &'static str,
    item: fn(&Value) -> Value,
    field: fn(&Value) -> Option<&Value>,
) {
    let first = map.get(all).and_then(|all| all.at(0)).and_then(field).cloned();
    match (map.get(one).cloned(), first) {
        (Some(known), first) if first.as_ref() != Some(&known) => {
            set(map, all, Value::array(vec![item(&known)]));
        }
        (None, Some(first)) => set(map, one, first),
        _ => {}
    }
}

fn pod_status(status: &mut Map) {
    let item = |ip: &Value| {
        let mut item = Map::new();
        set(&mut item, "ip", ip.clone());
        Value::object(item)
    };
    first_of(status, "podIP", "podIPs", item, |item| item.get("ip"));
}

fn node_spec(spec: &mut Map) {
    first_of(spec, "podCIDR", "podCIDRs", Value::clone, |item| Some(item));
}

fn secret(secret: &mut Map) {
    let Some(texts) = secret.remove("stringData") else { return };
    let data = made(secret, "data");
    for (key, text) in texts.as_object().into_iter().flat_map(Map::iter) {
        data.insert(key.clone(), Value::from(encode(text.as_str().unwrap_or("").as_bytes())));
    }
}

fn stateful_set_spec(spec: &mut Map) {
    for claim in items(spec, "volumeClaimTemplates") {
        set(claim, "apiVersion", "v1");
        set(claim, "kind", "PersistentVolumeClaim");
    }
}

fn daemon_set(daemon: &mut Map) {
    fill(made(made(daemon, "metadata"), "annotations"), TEMPLATE_GENERATION, "0");
}

/// The annotation that holds what the older version of autoscalers has no field for.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

fn autoscaler(autoscaler: &mut Map) {
    let metrics = autoscaler.get("metadata").and_then(|metadata| metadata.find(&["annotations", METRICS]));
    if metrics.is_none() {
        fill(made(autoscaler, "spec"), "targetCPUUtilizationPercentage", 80_i64);
    }
}
