//! Pods, Services and the other kinds of the first group.
//!
//! Mirrors: k8s.io/kubernetes pkg/apis/core/v1/defaults.go.

use super::resources;
use crate::tree::{Change, count, fill, items, made, nothing, set, text, within};
use engine_json::{Map, Value};
use engine_values::image::reference::Reference;

pub(super) const CHANGES: &[(&str, Change)] = &[
    ("core.v1.Container", container),
    ("core.v1.EphemeralContainer", container),
    ("core.v1.Endpoints", endpoints),
    ("core.v1.LimitRangeItem", limit_range_item),
    ("core.v1.Namespace", namespace),
    ("core.v1.NodeStatus", node_status),
    ("core.v1.Pod", pod),
    ("core.v1.ReplicationController", replication_controller),
    ("core.v1.Service", service),
    ("core.v1.ServiceAccountTokenProjection", token),
    ("core.v1.Volume", volume),
];

/// The lists of containers in which a Pod fills in amounts and ports.
const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// How an image is pulled where nothing is said.
// pkg/util/parsers: what names neither tag nor digest is of the tag latest; what is no image has none.
fn pull_policy(image: &str) -> &'static str {
    let is_latest = Reference::parse(image)
        .is_ok_and(|image| image.tag == "latest" || (image.tag.is_empty() && image.digest.is_empty()));
    if is_latest { "Always" } else { "IfNotPresent" }
}

fn container(container: &mut Map) {
    if !container.contains_key("imagePullPolicy") {
        set(container, "imagePullPolicy", pull_policy(text(container, "image")));
    }
    fill(container, "terminationMessagePath", "/dev/termination-log");
    fill(container, "terminationMessagePolicy", "File");
}

fn volume(volume: &mut Map) {
    if volume.keys().all(|key| key == "name") {
        set(volume, "emptyDir", nothing());
    }
    if let Some(image) = within(volume, "image")
        && !image.contains_key("pullPolicy")
    {
        set(image, "pullPolicy", pull_policy(text(image, "reference")));
    }
}

fn token(token: &mut Map) {
    fill(token, "expirationSeconds", 3600_i64);
}

fn pod(pod: &mut Map) {
    let spec = made(pod, "spec");
    for container in CONTAINERS {
        items(spec, container).for_each(resources::request_limits);
    }
    resources::fill_pod(spec);
    fill(spec, "enableServiceLinks", true);
    if spec.get("hostNetwork").and_then(Value::as_bool) == Some(true) {
        for list in CONTAINERS {
            for container in items(spec, list) {
                items(container, "ports").for_each(open_on_host);
            }
        }
    }
}

/// What listens in the network of the host listens on a port of the host.
fn open_on_host(port: &mut Map) {
    if let (None, Some(number)) = (port.get("hostPort"), port.get("containerPort").cloned()) {
        set(port, "hostPort", number);
    }
}

fn replication_controller(controller: &mut Map) {
    let template = controller.get("spec").and_then(|spec| spec.find(&["template", "metadata", "labels"]));
    let Some(labels @ Value::Object(_)) = template.cloned() else { return };
    let spec = made(controller, "spec");
    if count(spec, "selector") == 0 {
        set(spec, "selector", labels.clone());
    }
    label(controller, labels);
}

/// Gives an object the labels of its template, where it has none.
pub(super) fn label(object: &mut Map, labels: Value) {
    if object
        .get("metadata")
        .is_none_or(|metadata| metadata.as_object().is_none_or(|metadata| count(metadata, "labels") == 0))
    {
        set(made(object, "metadata"), "labels", labels);
    }
}

fn service(service: &mut Map) {
    let spec = made(service, "spec");
    fill(spec, "sessionAffinity", "None");
    match text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let known = spec
                .get("sessionAffinityConfig")
                .and_then(|config| config.find(&["clientIP", "timeoutSeconds"]));
            if known.is_none() {
                let mut client = Map::new();
                set(&mut client, "timeoutSeconds", 10800_i64);
                let mut config = Map::new();
                set(&mut config, "clientIP", Value::object(client));
                set(spec, "sessionAffinityConfig", Value::object(config));
            }
        }
        _ => {}
    }
    fill(spec, "type", "ClusterIP");
    for port in items(spec, "ports") {
        fill(port, "protocol", "TCP");
        let is_open = port.get("targetPort").is_none_or(|target| *target == Value::from(""));
        if let (true, Some(number)) = (is_open, port.get("port").cloned()) {
            set(port, "targetPort", number);
        }
    }
    traffic(spec);
    if text(spec, "type") == "LoadBalancer"
        && let Some(balancer) = within(service, "status").and_then(|status| within(status, "loadBalancer"))
    {
        items(balancer, "ingress")
            .filter(|ingress| ingress.contains_key("ip"))
            .for_each(|ingress| fill(ingress, "ipMode", "VIP"));
    }
}

fn traffic(spec: &mut Map) {
    let kind = text(spec, "type").to_owned();
    let is_outside = matches!(kind.as_str(), "LoadBalancer" | "NodePort")
        || (kind == "ClusterIP" && count(spec, "externalIPs") > 0);
    if is_outside {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        fill(spec, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill(spec, "allocateLoadBalancerNodePorts", true);
    }
}

fn endpoints(endpoints: &mut Map) {
    for subset in items(endpoints, "subsets") {
        items(subset, "ports").for_each(|port| fill(port, "protocol", "TCP"));
    }
}

fn namespace(namespace: &mut Map) {
    let name = namespace.get("metadata").map_or("", |metadata| metadata.find_str(&["name"])).to_owned();
    if !name.is_empty() {
        set(made(made(namespace, "metadata"), "labels"), "kubernetes.io/metadata.name", name);
    }
}

fn node_status(status: &mut Map) {
    if let (None, Some(capacity)) = (status.get("allocatable"), status.get("capacity").cloned()) {
        set(status, "allocatable", capacity);
    }
}

fn limit_range_item(item: &mut Map) {
    if text(item, "type") != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let amounts = item.get(from).cloned();
        resources::complete(made(item, to), amounts.as_ref().and_then(Value::as_object));
    }
}
