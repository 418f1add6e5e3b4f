//! The last details of a piece: names that only the Pod says.
//!
//! In: a piece of the data and the Pod. Out: the piece with `{tag}`, `{app}` and their like replaced, with the capabilities
//! that Linkerd copies from the first container, and with the mount of the service account's token.

use crate::data::Row;
use crate::object::Workload;
use crate::setup::Setup;
use crate::switches::InjectionMode;
use engine_json::{Map, Str, Value};

/// What stands in the place of each word in braces.
pub(crate) struct Fill {
    words: Vec<(&'static str, String)>,
    /// The capabilities of the first container.
    capabilities: Value,
    /// The volume of the service account's token, where the first container mounts one.
    token: Option<Str>,
    keeps_net: bool,
}

const TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const COPIED: &str = "{copied}";

impl Fill {
    pub(crate) fn of(setup: &Setup, row: Row<'_>, workload: &Workload, asked: &InjectionMode<'_>) -> Fill {
        let has = |option| asked.options.contains(&option);
        let mode = if has("tproxy") {
            "TPROXY"
        } else if has("none") {
            "NONE"
        } else {
            "REDIRECT"
        };
        let pod = &workload.pod;
        let first =
            pod.find(&["spec", "containers"]).and_then(|list| list.at(0)).cloned().unwrap_or_default();
        let label = |keys: &[&str], other: &str| {
            let values = keys.iter().map(|key| pod.find_str(&["metadata", "labels", key]));
            values.into_iter().find(|value| !value.is_empty()).unwrap_or(other).to_owned()
        };
        let mounts = first.get("volumeMounts").and_then(Value::as_array).unwrap_or_default();
        let token = mounts.iter().find(|mount| mount.find_str(&["mountPath"]) == TOKEN);
        Fill {
            words: vec![
                ("{tag}", setup.tag.clone()),
                ("{mode}", mode.to_owned()),
                ("{ns}", workload.namespace.clone()),
                ("{kind}", workload.kind.clone()),
                ("{workload}", workload.name.clone()),
                ("{container}", first.find_str(&["name"]).to_owned()),
                (
                    "{app}",
                    label(
                        &["service.istio.io/canonical-name", "app.kubernetes.io/name", "app"],
                        &workload.name,
                    ),
                ),
                (
                    "{revision}",
                    label(
                        &["service.istio.io/canonical-revision", "app.kubernetes.io/version", "version"],
                        "latest",
                    ),
                ),
            ],
            capabilities: first.find(&["securityContext", "capabilities"]).cloned().unwrap_or_default(),
            token: token.map(|mount| mount.find_str(&["name"]).into()),
            keeps_net: row.is("keepsNet"),
        }
    }

    fn text(&self, text: &str) -> Str {
        let mut text = text.to_owned();
        for (word, with) in self.words.iter().filter(|(word, _)| text.contains(word)).collect::<Vec<_>>() {
            text = text.replace(word, with);
        }
        text.into()
    }

    /// The piece, whole.
    pub(crate) fn piece(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains('{') => Value::String(self.text(text)),
            Value::Array(list) => Value::array(
                list.iter().filter(|one| !self.is_lost(one)).map(|one| self.piece(one)).collect(),
            ),
            Value::Object(map) => Value::object(self.map(map)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    /// Whether a mount has no volume.
    fn is_lost(&self, mount: &Value) -> bool {
        self.token.is_none() && mount.find_str(&["name"]) == "{token}"
    }

    fn map(&self, map: &Map) -> Map {
        let mut out = Map::new();
        // The name comes first, as people write it.
        let name = map.get("name").map(|name| (Str::new("name"), name.clone()));
        for (key, value) in name.iter().map(|(key, value)| (key, value)).chain(map.iter()) {
            let value = match value.as_str() {
                Some(COPIED) if key == "capabilities" => self.copied(),
                Some(COPIED) => self.copied_drop(),
                Some("{token}") => self.token.clone().map(Value::String),
                _ => Some(self.piece(value)),
            };
            if let Some(value) = value {
                out.insert(self.text(key), value);
            }
        }
        // Linkerd: what the first container adds comes along.
        if map.get("drop").and_then(Value::as_str) == Some(COPIED)
            && let Some(more) = self.capabilities.get("add").and_then(Value::as_array)
            && let Some(added) = out.get_mut("add").and_then(Value::array_mut)
        {
            let fresh: Vec<Value> = more.iter().filter(|one| !added.contains(one)).cloned().collect();
            added.extend(fresh);
        }
        out
    }

    /// The capabilities of the first container, what it adds and what it drops.
    fn copied(&self) -> Option<Value> {
        let map = self.capabilities.as_object()?;
        let entries: Vec<(Str, Value)> = map
            .iter()
            .filter(|(key, _)| matches!(key.as_str(), "add" | "drop"))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        (!entries.is_empty()).then(|| Value::object(Map::from_entries(entries)))
    }

    /// What the first container drops; since 2.11 without what linkerd-init needs.
    fn copied_drop(&self) -> Option<Value> {
        let drop = self.capabilities.get("drop").and_then(Value::as_array)?;
        let is_needed = |one: &&Value| matches!(one.as_str(), Some("NET_ADMIN" | "NET_RAW"));
        let left: Vec<Value> =
            drop.iter().filter(|one| !(self.keeps_net && is_needed(one))).cloned().collect();
        (!left.is_empty()).then(|| Value::array(left))
    }
}
