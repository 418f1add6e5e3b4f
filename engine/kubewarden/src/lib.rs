//! A policy for Kubewarden: Kyverno's policies and Kubernetes' own, decided inside of somebody else's admission controller.
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
mod decide;
mod loaded;
mod numbers;
mod pod_security;
mod request;
mod settings;
mod subresource;
mod words;
mod world;

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
    /// Says something to whoever reads the host's log.
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
    prepared: Option<(Value, Loaded)>,
}

impl Guest {
    /// Answers a call of this name.
    pub fn call(&mut self, operation: &str, payload: &[u8], host: &dyn Host) -> Result<Vec<u8>, String> {
        match operation {
            // Kubewarden: ProtocolVersion.
            "protocol_version" => Ok(b"\"v1\"".to_vec()),
            "validate_settings" => {
                let settings = read(payload)?;
                Ok(verdict_on_settings(&settings, host).into_bytes())
            }
            "validate" => Ok(self.validate(payload, host)?.into_bytes()),
            _ => Err(format!("`{operation}` is not a call of Kubewarden's")),
        }
    }

    fn validate(&mut self, payload: &[u8], host: &dyn Host) -> Result<String, String> {
        let payload = read(payload)?;
        let settings = payload.get("settings").cloned().unwrap_or_default();
        let mut loaded = match self.prepared.take() {
            Some((known, loaded)) if known == settings => loaded,
            _ => match load(&settings) {
                Ok(loaded) => loaded,
                Err(reason) => {
                    return Ok(Answer::refused(format!("the settings cannot be used: {reason}")).json());
                }
            },
        };
        let answer = match Request::read(payload.get("request").unwrap_or(&Value::Null)) {
            Ok(request) => decide::decide(&mut loaded, &request, host),
            Err(reason) => Answer::refused(format!("the request cannot be read: {reason}")),
        };
        self.prepared = Some((settings, loaded));
        Ok(answer.json())
    }
}

fn load(settings: &Value) -> Result<Loaded, String> {
    Loaded::new(&Settings::read(settings)?)
}

/// Whether settings can be used, as the host wants to hear it.
fn verdict_on_settings(settings: &Value, host: &dyn Host) -> String {
    let mut answer = Map::new();
    match load(settings) {
        Ok(loaded) => {
            loaded.notes.iter().for_each(|note| host.log(note));
            answer.insert("valid", Value::Bool(true));
        }
        Err(reason) => {
            answer.insert("valid", Value::Bool(false));
            answer.insert("message", Value::from(reason));
        }
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

#[cfg(test)]
mod tests;
