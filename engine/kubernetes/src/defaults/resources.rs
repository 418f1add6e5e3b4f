//! Amounts of resources: what is requested where only a limit is written, and what a Pod requests as a whole.
//!
//! Mirrors: k8s.io/kubernetes pkg/apis/core/v1/defaults.go, k8s.io/component-helpers/resource/helpers.go.

use crate::scalar;
use crate::tree::{Change, count, items, made, set, text, within};
use engine_json::{Map, Value};
use engine_values::quantity::Quantity;
use std::cmp::Ordering;

pub(super) const CHANGES: &[(&str, Change)] = &[("core.v1.ResourceList", round)];

const HUGE: &str = "hugepages-";

/// Amounts below a thousandth are rounded up.
fn round(amounts: &mut Map) {
    for (_, amount) in amounts.iter_mut() {
        if let Some(rounded) = amount.as_str().and_then(scalar::rounded) {
            *amount = rounded;
        }
    }
}

/// Adds the amounts that are not there.
pub(super) fn complete(amounts: &mut Map, from: Option<&Map>) {
    for (name, amount) in from.into_iter().flat_map(Map::iter) {
        if !amounts.contains_key(name) {
            amounts.insert(name.clone(), amount.clone());
        }
    }
}

/// What a container may use at most is what it requests, where it does not say.
pub(super) fn request_limits(container: &mut Map) {
    let Some(resources) = within(container, "resources") else { return };
    let Some(limits) = resources.get("limits").cloned() else { return };
    complete(made(resources, "requests"), limits.as_object());
}

/// What a Pod as a whole requests and may use, where it says a part of it.
pub(super) fn fill_pod(spec: &mut Map) {
    let Some(resources) = spec.get("resources").and_then(Value::as_object).cloned() else { return };
    let mut resources = resources;
    let (limits, requests) = (count(&resources, "limits"), count(&resources, "requests"));
    if limits + requests > 0 {
        let of_containers = together(spec, "limits");
        let requests = resources.get("requests").cloned().unwrap_or_default();
        let huge =
            of_containers.iter().filter(|(name, _)| name.starts_with(HUGE) && requests.get(name).is_none());
        let huge: Map = huge.map(|(name, amount)| (name.clone(), amount.clone())).collect();
        if limits + huge.len() > 0 {
            complete(made(&mut resources, "limits"), Some(&huge));
        }
    }
    if count(&resources, "limits") > 0 {
        let limits = resources.get("limits").cloned().unwrap_or_default();
        let is_plain = |name: &str| matches!(name, "cpu" | "memory");
        let of_containers = together(spec, "requests");
        let plain: Map = of_containers
            .iter()
            .filter(|(name, _)| is_plain(name))
            .map(|(name, amount)| (name.clone(), amount.clone()))
            .collect();
        let rest = limits
            .as_object()
            .into_iter()
            .flat_map(Map::iter)
            .filter(|(name, _)| is_plain(name) || name.starts_with(HUGE));
        let rest: Map = rest.map(|(name, amount)| (name.clone(), amount.clone())).collect();
        if count(&resources, "requests") + plain.len() + rest.len() > 0 {
            let requests = made(&mut resources, "requests");
            complete(requests, Some(&plain));
            complete(requests, Some(&rest));
        }
    }
    set(spec, "resources", Value::object(resources));
}

/// The amounts of all containers of a Pod together: those that run beside one another are added, those that run before are the least.
fn together(spec: &mut Map, of: &str) -> Map {
    let amounts = |container: &Map| {
        let found = container.get("resources").and_then(|resources| resources.get(of));
        found.and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let mut all = Map::new();
    items(spec, "containers").for_each(|container| combine(&mut all, &amounts(container), sum));
    let (mut beside, mut before) = (Map::new(), Map::new());
    for container in items(spec, "initContainers") {
        let own = amounts(container);
        if text(container, "restartPolicy") == "Always" {
            combine(&mut all, &own, sum);
            combine(&mut beside, &own, sum);
            combine(&mut before, &beside, greater);
        } else {
            let mut needed = own;
            combine(&mut needed, &beside, sum);
            combine(&mut before, &needed, greater);
        }
    }
    combine(&mut all, &before, greater);
    all
}

fn combine(into: &mut Map, from: &Map, how: fn(&Quantity, &Quantity) -> Quantity) {
    for (name, amount) in from.iter() {
        let parse = |value: &Value| value.as_str().and_then(|text| Quantity::parse(text).ok());
        let made = match (into.get(name).and_then(parse), parse(amount)) {
            (Some(known), Some(other)) => Value::from(how(&known, &other).to_string()),
            _ => amount.clone(),
        };
        into.insert(name.clone(), made);
    }
}

fn sum(one: &Quantity, other: &Quantity) -> Quantity {
    one.plus(other).unwrap_or_else(|_| one.clone())
}

fn greater(one: &Quantity, other: &Quantity) -> Quantity {
    if one.partial_cmp(other) == Some(Ordering::Less) { other.clone() } else { one.clone() }
}
