//! The pieces that are injected: a base of the data, changed by options.
//!
//! In: the row of a release and what is asked. Out: a [`Shape`], whose pieces still have to be filled in.

use crate::data::{Data, Row};
use crate::switches::InjectionMode;
use engine_json::{Map, Value};

/// Containers around those of the Pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    pub(crate) before: Vec<Value>,
    pub(crate) after: Vec<Value>,
}

impl Around {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Value> {
        self.before.iter().chain(&self.after)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        [&mut self.before, &mut self.after].into_iter().find_map(|side| {
            let at = side.iter().position(|one| is_named(one, name))?;
            Some(side.remove(at))
        })
    }
}

/// All that a mesh adds to a Pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) init: Around,
    pub(crate) containers: Around,
    pub(crate) volumes: Vec<Value>,
    pub(crate) labels: Value,
    pub(crate) annotations: Value,
    /// What is merged into the Pod's security context.
    pub(crate) security: Value,
    /// Whether the Pod's own init containers are lost.
    // Istio before 1.26 with interception mode NONE: `initContainers: null` in a strategic merge.
    pub(crate) drops_init: bool,
}

fn is_named(container: &Value, name: &str) -> bool {
    container.find_str(&["name"]) == name
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

impl Shape {
    /// The shape for what is asked; `None` where the data has no such base.
    pub(crate) fn of(data: &Data, row: Row<'_>, asked: &InjectionMode<'_>) -> Option<Shape> {
        let base = row.base(asked.template.unwrap_or(asked.base()))?;
        let pieces = |places: &Value| -> Vec<Value> {
            places
                .as_array()
                .unwrap_or_default()
                .iter()
                .filter_map(|place| data.piece(place).cloned())
                .collect()
        };
        let around = |key| Around {
            before: base.get(key).and_then(|sides| sides.at(0)).map(pieces).unwrap_or_default(),
            after: base.get(key).and_then(|sides| sides.at(1)).map(pieces).unwrap_or_default(),
        };
        let piece = |key| base.get(key).and_then(|place| data.piece(place)).cloned().unwrap_or_default();
        let mut shape = Shape {
            init: around("init"),
            containers: around("containers"),
            volumes: base.get("volumes").map(pieces).unwrap_or_default(),
            labels: piece("labels"),
            annotations: piece("annotations"),
            security: piece("security"),
            drops_init: false,
        };
        for option in &asked.options {
            if let Some(change) = row.option(option).and_then(|place| data.piece(place)) {
                shape.change(data, change, asked.is_native);
            }
        }
        Some(shape)
    }

    /// The names of the containers.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.init.iter().chain(self.containers.iter()).map(|one| one.find_str(&["name"]))
    }

    fn around(&mut self, key: &str) -> &mut Around {
        if key == "init" { &mut self.init } else { &mut self.containers }
    }

    fn change(&mut self, data: &Data, change: &Value, is_native: bool) {
        // What moves the proxy among the containers has no say over a native sidecar.
        if change.get("isClassic").is_some() && is_native {
            return;
        }
        for name in list(change, "drop").iter().filter_map(Value::as_str) {
            self.init.take(name);
            self.containers.take(name);
        }
        for place in list(change, "place") {
            self.place(data, place, is_native);
        }
        for (name, patch) in change.get("patch").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            let Around { before: a, after: b } = &mut self.init;
            let Around { before: c, after: d } = &mut self.containers;
            let all = [a, b, c, d].into_iter().flatten();
            all.filter(|one| is_named(one, name)).for_each(|one| merge(one, patch));
        }
        self.volumes.extend(list(change, "volumes").iter().filter_map(|place| data.piece(place).cloned()));
        if let Some(security) = change.get("security") {
            merge(&mut self.security, security);
        }
        self.drops_init |= change.get("dropsInit").is_some() && !is_native;
    }

    /// Puts a container where it belongs: `[list, side, name, the one that follows it, the piece if it is new]`.
    fn place(&mut self, data: &Data, place: &Value, is_native: bool) {
        let text = |at| place.at(at).and_then(Value::as_str).unwrap_or_default();
        let (name, next) = (text(2), text(3));
        let around = self.around(text(0));
        let known = around.take(name);
        let Some(container) = known.or_else(|| place.at(4).and_then(|piece| data.piece(piece)).cloned())
        else {
            return;
        };
        // Istio: with a native sidecar all injected init containers come first.
        let is_before = text(1) == "before" || (is_native && text(0) == "init");
        let side = if is_before { &mut around.before } else { &mut around.after };
        let at = side.iter().position(|one| is_named(one, next)).unwrap_or(side.len());
        side.insert(at, container);
    }
}

/// Merges a change into a value as JSON merge patches do; capabilities are added to those that are there.
pub(crate) fn merge(value: &mut Value, patch: &Value) {
    let Some(changes) = patch.as_object() else {
        *value = patch.clone();
        return;
    };
    let map = value.make_object();
    for (key, change) in changes.iter() {
        match (map.get_mut(key), change) {
            (_, Value::Null) => {
                map.remove(key);
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "add" || key == "drop" => {
                let fresh: Vec<Value> = more.iter().filter(|one| !known.contains(one)).cloned().collect();
                std::sync::Arc::make_mut(known).extend(fresh);
            }
            (Some(known), _) => merge(known, change),
            (None, _) => {
                let mut fresh = Value::Null;
                merge(&mut fresh, change);
                map.insert(key.clone(), fresh);
            }
        }
    }
}
