//! A policy for Kubewarden: Kyverno's policies and Kubernetes' own, decided inside an admission controller that is not ours.
//!
//! In: the payloads of the calls that a Kubewarden host makes, as JSON. Out: its answers, as JSON. The settings hold policies as
//! texts or objects; a request is decided by them as Kyverno's webhooks would, in their words. Only the host is asked for anything
//! else: for the time, and for objects of the cluster.
//!
//! ```
//! use engine_kubewarden::{Guest, Nowhere};
//! let payload = r#"{
//!   "settings": {"policies": {"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "labels"}, "spec": {
//!     "rules": [{"name": "team", "match": {"any": [{"resources": {"kinds": ["Pod"]}}]}, "validate": {"failureAction": "Enforce",
//!       "message": "The label team is required.", "pattern": {"metadata": {"labels": {"team": "?*"}}}}}]}}},
//!   "request": {"operation": "CREATE", "kind": {"version": "v1", "kind": "Pod"}, "name": "web", "namespace": "shop",
//!     "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": []}}}
//! }"#;
//! let answer = Guest::default().call("validate", payload.as_bytes(), &Nowhere).unwrap();
//! let answer = engine_json::parse(&String::from_utf8(answer).unwrap()).unwrap();
//! assert_eq!(answer.get("accepted").unwrap().as_bool(), Some(false));
//! assert!(answer.find_str(&["message"]).starts_with("\n\nresource Pod/shop/web was blocked due to the following policies"));
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod answer;
mod numbers;
mod path;
mod part;
mod settings;
mod reasons;
mod loaded;
mod subresource;
mod request;
mod words;
mod world;
mod pod_security;
mod roles;
mod decide;

pub use loaded::{asks_namespaces, asks_roles};
pub use path::kind_of_path;
pub use request::creating;

use answer::Answer;
use engine_json::{Map, Value};
use loaded::Loaded;
use request::Request;
use settings::Settings;

/// So many bytes a payload may have: an API server sends no object of more than 3 MiB, and ConfigMaps hold no more than 1 MiB.
pub const MAX_PAYLOAD_BYTES: usize = 32 * 1024 * 1024;

/// What lies outside: the host that has called.
pub trait Host {
    /// Asks Kubernetes: an operation of the host's binding `kubernetes`, question and answer as JSON.
    fn kubernetes(&self, operation: &str, question: &str) -> Result<String, String>;
    /// Now, in nanoseconds since 1970.
    fn now(&self) -> i64;
    /// Writes a line to the host's log.
    fn log(&self, _line: &str) {}
}

/// A host without a cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Host for Nowhere {
    fn kubernetes(&self, _: &str, _: &str) -> Result<String, String> {
        Err("no cluster is within reach".to_owned())
    }

    fn now(&self) -> i64 {
        0
    }
}

/// The policy between two calls: what it has made of the settings is kept for the next one.
#[derive(Default)]
pub struct Guest {
    /// The settings that came with the module, before those of a call; null for none.
    bundled: Value,
    /// Settings of a call, and what was made of them.
    prepared: Option<(Value, Loaded)>,
}

impl Guest {
    /// The policy as it begins, with what came with the module: for the call after one that has not come back.
    #[must_use]
    pub fn anew(&self) -> Self {
        Guest { bundled: self.bundled.clone(), prepared: None }
    }

    /// Answers a call of this name.
    pub fn call(&mut self, operation: &str, payload: &[u8], host: &dyn Host) -> Result<Vec<u8>, String> {
        match operation {
            // Kubewarden: ProtocolVersion.
            "protocol_version" => Ok(b"\"v1\"".to_vec()),
            "validate_settings" => {
                let settings = merged(&self.bundled, &read(payload)?)?;
                Ok(verdict(load(&settings).as_ref(), host).into_bytes())
            }
            // `podsieve bundle` asks: what is prepared here becomes a part of the module.
            "bundle" => {
                let settings = read(payload)?;
                let loaded = load(&settings);
                let said = verdict(loaded.as_ref(), host);
                self.prepared = loaded.ok().map(|loaded| (Value::Null, loaded));
                self.bundled = settings;
                Ok(said.into_bytes())
            }
            "validate" => Ok(self.validate(payload, host)?.into_bytes()),
            _ => Err(format!("`{operation}` is not a call of Kubewarden's")),
        }
    }

    fn validate(&mut self, payload: &[u8], host: &dyn Host) -> Result<String, String> {
        let payload = read(payload)?;
        let given = payload.get("settings").filter(|settings| !is_empty(settings));
        let settings = given.cloned().unwrap_or_default();
        let mut loaded = match self.prepared(&settings) {
            Ok(loaded) => loaded,
            Err(reason) => {
                return Ok(Answer::refused(format!("the settings cannot be used: {reason}")).json());
            }
        };
        let answer = match Request::read(payload.get("request").unwrap_or(&Value::Null)) {
            Ok(request) => decide::decide(&mut loaded, &request, host),
            Err(reason) => Answer::refused(format!("the request cannot be read: {reason}")),
        };
        self.prepared = Some((settings, loaded));
        Ok(answer.json())
    }

    /// What is made of settings: what was made of them before, where it is there.
    fn prepared(&mut self, settings: &Value) -> Result<Loaded, String> {
        let holds_texts = ["policies", "exceptions"].iter().any(|field| settings.get(field).is_some());
        match self.prepared.take() {
            Some((known, loaded)) if known == *settings => Ok(loaded),
            // The policies that came with the module are not read again where they are only decided otherwise.
            Some((Value::Null, mut loaded)) if !self.bundled.is_null() && !holds_texts => {
                loaded.settle(&Settings::read(settings)?);
                Ok(loaded)
            }
            _ => load(&merged(&self.bundled, settings)?),
        }
    }
}

fn load(settings: &Value) -> Result<Loaded, String> {
    Loaded::new(&Settings::read(settings)?)
}

fn is_empty(settings: &Value) -> bool {
    settings.is_null() || settings.as_object().is_some_and(Map::is_empty)
}

/// The settings of a call beside those that came with the module: lists are appended, all else replaces what came.
fn merged(bundled: &Value, settings: &Value) -> Result<Value, String> {
    if bundled.is_null() || is_empty(settings) {
        return Ok(if is_empty(settings) { bundled.clone() } else { settings.clone() });
    }
    let (Some(bundled), Some(fields)) = (bundled.as_object(), settings.as_object()) else {
        return Err("the settings must be an object".to_owned());
    };
    let mut all = bundled.clone();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let list = |value: &Value| match value {
            Value::Array(list) => list.to_vec(),
            one => vec![one.clone()],
        };
        let value = match all.get(name) {
            Some(before) if matches!(name.as_str(), "policies" | "exceptions") => {
                Value::array([list(before), list(value)].concat())
            }
            _ => value.clone(),
        };
        all.insert(name.clone(), value);
    }
    Ok(Value::object(all))
}

/// Whether settings can be used, as the host wants to hear it.
fn verdict(loaded: Result<&Loaded, &String>, host: &dyn Host) -> String {
    let mut answer = Map::new();
    answer.insert("valid", Value::Bool(loaded.is_ok()));
    match loaded {
        Ok(loaded) => loaded.notes.iter().for_each(|note| host.log(note)),
        Err(reason) => drop(answer.insert("message", Value::from(reason.as_str()))),
    }
    engine_json::to_json(&Value::object(answer))
}

fn read(payload: &[u8]) -> Result<Value, String> {
    if payload.len() > MAX_PAYLOAD_BYTES {
        return Err(format!("the payload has {} bytes, at most {MAX_PAYLOAD_BYTES} are read", payload.len()));
    }
    let text = std::str::from_utf8(payload).map_err(|_| "the payload is not UTF-8".to_owned())?;
    engine_json::parse(text).map_err(|error| format!("the payload is not JSON: {error}"))
}
