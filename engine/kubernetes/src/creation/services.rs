//! The addresses and ports that a Service is given.
//!
//! Mirrors: k8s.io/kubernetes pkg/registry/core/service/storage/{storage,alloc}.go, in a cluster with addresses of one family, IPv4.

use super::Creation;
use crate::tree::{count, fill, items, set, text};
use engine_json::{Map, Value};

pub(super) fn prepare(spec: &mut Map, creation: &Creation<'_>) {
    let kind = text(spec, "type").to_owned();
    if let (Some(address), None) = (spec.get("clusterIP").cloned(), spec.get("clusterIPs")) {
        set(spec, "clusterIPs", Value::array(vec![address]));
    }
    if kind == "ExternalName" {
        return;
    }
    let is_headless = text(spec, "clusterIP") == "None";
    let is_unselective = is_headless && count(spec, "selector") == 0;
    fill(spec, "ipFamilyPolicy", if is_unselective { "RequireDualStack" } else { "SingleStack" });
    if count(spec, "ipFamilies") == 0 {
        let family = if text(spec, "clusterIP").contains(':') { "IPv6" } else { "IPv4" };
        set(spec, "ipFamilies", Value::array(vec![Value::from(family)]));
    }
    if is_unselective && count(spec, "ipFamilies") == 1 && text(spec, "ipFamilyPolicy") != "SingleStack" {
        let first = spec.get("ipFamilies").and_then(|families| families.at(0)).cloned().unwrap_or_default();
        let other = Value::from(if first.as_str() == Some("IPv4") { "IPv6" } else { "IPv4" });
        set(spec, "ipFamilies", Value::array(vec![first, other]));
    }
    if text(spec, "clusterIP").is_empty() {
        set(spec, "clusterIP", creation.address);
        set(spec, "clusterIPs", Value::array(vec![Value::from(creation.address)]));
    }
    open(spec, &kind, creation.node_port);
}

/// Gives ports of the nodes: one for each number of a port, whatever its protocol.
fn open(spec: &mut Map, kind: &str, first: u16) {
    let is_given = match kind {
        "NodePort" => true,
        "LoadBalancer" => spec.get("allocateLoadBalancerNodePorts").and_then(Value::as_bool) != Some(false),
        _ => false,
    };
    let mut next = i64::from(first);
    let mut given: Vec<(Option<i64>, i64)> = Vec::new();
    let number = |port: &Map, key: &str| port.get(key).and_then(Value::as_i64);
    if is_given {
        given.extend(
            items(spec, "ports")
                .filter_map(|port| number(port, "nodePort").map(|node| (number(port, "port"), node))),
        );
        for port in items(spec, "ports") {
            let known = given.iter().find(|(known, _)| *known == number(port, "port")).map(|(_, node)| *node);
            let node = known.unwrap_or(next);
            if known.is_none() {
                given.push((number(port, "port"), node));
                next += 1;
            }
            fill(port, "nodePort", node);
        }
    }
    if kind == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local" {
        fill(spec, "healthCheckNodePort", next);
    }
}
