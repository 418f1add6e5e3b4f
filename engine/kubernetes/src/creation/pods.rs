//! Pods that are created.
//!
//! Mirrors: k8s.io/kubernetes pkg/registry/core/pod/strategy.go, pkg/api/pod/util.go, pkg/apis/core/helper/qos/qos.go.

use crate::admission::add;
use crate::tree::{items, made, set, text, within};
use engine_json::{Map, Value};
use engine_values::quantity::Quantity;
use std::cmp::Ordering;

/// The annotations that hold profiles, with the name of the container behind it.
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

pub(super) fn prepare(pod: &mut Map, time: &str) {
    let none = Map::new();
    let given = pod.get("spec").and_then(Value::as_object).unwrap_or(&none);
    let (class, is_plain) = (class_of(given), is_plain(given));
    let status = made(pod, "status");
    set(status, "phase", "Pending");
    set(status, "qosClass", class);
    if !is_plain {
        let labels = pod.get("metadata").and_then(|metadata| metadata.get("labels")).cloned();
        let spec = made(pod, "spec");
        drop_disabled(spec);
        if let Some(labels) = labels.as_ref().and_then(Value::as_object) {
            select_alike(spec, labels);
        }
    }
    let gates = pod.get("spec").and_then(|spec| spec.get("schedulingGates")).and_then(Value::as_array);
    if gates.is_some_and(|gates| !gates.is_empty()) {
        let mut condition = Map::new();
        set(&mut condition, "type", "PodScheduled");
        set(&mut condition, "status", "False");
        set(&mut condition, "lastTransitionTime", time);
        set(&mut condition, "reason", "SchedulingGated");
        set(&mut condition, "message", "Scheduling is blocked due to non-empty scheduling gates");
        add(made(pod, "status"), "conditions", vec![Value::object(condition)]);
    }
    copy_app_armor(pod);
}

/// Whether a spec has nothing of what changes when a Pod is created: most are left alone, and not copied.
fn is_plain(spec: &Map) -> bool {
    const CHANGING: [&str; 3] = ["affinity", "schedulingGroup", "topologySpreadConstraints"];
    let has = |list: &str, path: &[&str]| {
        let items = spec.get(list).and_then(Value::as_array).unwrap_or_default();
        items.iter().any(|item| item.find(path).is_some())
    };
    CHANGING.iter().all(|key| !spec.contains_key(key))
        && CONTAINERS.iter().all(|list| !has(list, &["lifecycle", "stopSignal"]))
        && !has("volumes", &["projected"])
}

/// Takes away what belongs to gates that are off: stop signals, two kinds of projections, groups of scheduling.
pub(super) fn drop_disabled(spec: &mut Map) {
    spec.remove("schedulingGroup");
    for list in CONTAINERS {
        for container in items(spec, list) {
            let Some(lifecycle) = within(container, "lifecycle") else { continue };
            if lifecycle.remove("stopSignal").is_some() && lifecycle.is_empty() {
                container.remove("lifecycle");
            }
        }
    }
    for volume in items(spec, "volumes") {
        let Some(projected) = within(volume, "projected") else { continue };
        for source in items(projected, "sources") {
            source.remove("clusterTrustBundle");
            source.remove("podCertificate");
        }
    }
}

/// The quality of service: best effort, guaranteed or between.
fn class_of(spec: &Map) -> &'static str {
    let resources = |holder: &Map| holder.get("resources").and_then(Value::as_object).cloned();
    let all: Vec<Map> = if let Some(of_pod) = resources(spec) {
        vec![of_pod]
    } else {
        let containers = ["containers", "initContainers"].into_iter();
        let containers =
            containers.flat_map(|list| spec.get(list).and_then(Value::as_array).unwrap_or_default());
        containers
            .filter_map(Value::as_object)
            .map(|container| resources(container).unwrap_or_default())
            .collect()
    };
    let amounts = |resources: &Map, of: &str| {
        ["cpu", "memory"].map(|name| {
            let amount = resources.get(of).and_then(|amounts| amounts.get(name)).and_then(Value::as_str);
            amount.and_then(|text| Quantity::parse(text).ok()).filter(|amount| amount.sign() > 0)
        })
    };
    let total = |of: &str| {
        let mut sums: [Option<Quantity>; 2] = [None, None];
        for resources in &all {
            for (sum, amount) in sums.iter_mut().zip(amounts(resources, of)) {
                *sum = match (sum.take(), amount) {
                    (Some(sum), Some(amount)) => sum.plus(&amount).ok().or(Some(sum)),
                    (sum, amount) => sum.or(amount),
                };
            }
        }
        sums
    };
    let (requests, limits) = (total("requests"), total("limits"));
    if requests.iter().chain(&limits).all(Option::is_none) {
        return "BestEffort";
    }
    let has_all_limits = all.iter().all(|resources| amounts(resources, "limits").iter().all(Option::is_some));
    let is_same = |(request, limit): (&Option<Quantity>, &Option<Quantity>)| match (request, limit) {
        (Some(request), Some(limit)) => request.partial_cmp(limit) == Some(Ordering::Equal),
        (None, None) => true,
        (None, Some(_)) | (Some(_), None) => false,
    };
    if has_all_limits && requests.iter().zip(&limits).all(is_same) { "Guaranteed" } else { "Burstable" }
}

/// Keys of labels that a term of affinity or a constraint of spreading names become conditions of its selector.
fn select_alike(spec: &mut Map, labels: &Map) {
    let affinity = within(spec, "affinity");
    if let Some(affinity) = affinity {
        for key in ["podAffinity", "podAntiAffinity"] {
            let Some(terms) = within(affinity, key) else { continue };
            for preferred in items(terms, "preferredDuringSchedulingIgnoredDuringExecution") {
                select(made(preferred, "podAffinityTerm"), labels);
            }
            items(terms, "requiredDuringSchedulingIgnoredDuringExecution")
                .for_each(|term| select(term, labels));
        }
    }
    items(spec, "topologySpreadConstraints").for_each(|constraint| select(constraint, labels));
}

fn select(term: &mut Map, labels: &Map) {
    let mut made = Vec::new();
    for (keys, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let keys = term.get(keys).and_then(Value::as_array).unwrap_or_default();
        for key in keys.iter().filter_map(Value::as_str) {
            let Some(value) = labels.get(key) else { continue };
            let mut condition = Map::new();
            set(&mut condition, "key", key);
            set(&mut condition, "operator", operator);
            set(&mut condition, "values", Value::array(vec![value.clone()]));
            made.push(Value::object(condition));
        }
    }
    if let Some(selector) = within(term, "labelSelector") {
        add(selector, "matchExpressions", made);
    }
}

/// Profiles of AppArmor that are still annotations are written into the fields.
fn copy_app_armor(pod: &mut Map) {
    let annotations = pod.get("metadata").and_then(|metadata| metadata.get("annotations")).cloned();
    let Some(annotations) = annotations.as_ref().and_then(Value::as_object) else { return };
    if !annotations.iter().any(|(key, _)| key.starts_with(APP_ARMOR)) {
        return;
    }
    let spec = made(pod, "spec");
    if spec.get("os").is_some_and(|os| os.find_str(&["name"]) == "windows") {
        return;
    }
    let of_pod = spec.get("securityContext").and_then(|context| context.get("appArmorProfile")).cloned();
    for list in CONTAINERS {
        for container in items(spec, list) {
            let annotation = text(annotations, &format!("{APP_ARMOR}{}", text(container, "name")));
            let is_written = container
                .get("securityContext")
                .is_some_and(|context| context.get("appArmorProfile").is_some());
            let Some(profile) =
                app_armor(annotation).filter(|profile| !is_written && Some(profile) != of_pod.as_ref())
            else {
                continue;
            };
            set(made(container, "securityContext"), "appArmorProfile", profile);
        }
    }
}

fn app_armor(annotation: &str) -> Option<Value> {
    let mut profile = Map::new();
    match annotation {
        "unconfined" => set(&mut profile, "type", "Unconfined"),
        "runtime/default" => set(&mut profile, "type", "RuntimeDefault"),
        annotation => {
            let file = annotation.strip_prefix("localhost/")?;
            if file.is_empty() || file.trim() != file || file.len() > 4095 {
                return None;
            }
            set(&mut profile, "type", "Localhost");
            set(&mut profile, "localhostProfile", file);
        }
    }
    Some(Value::object(profile))
}
