//! The world of policies that are evaluated by a host of Kubewarden.
//!
//! In: the host. Out: the time, random numbers, and what Kubernetes says.

use crate::Host;
use engine::load::Extension;
use engine::world::{StaticWorld, World};
use engine_json::{Map, Value, parse, to_json};

/// A host as policies see it.
pub(crate) struct Cluster<'h> {
    host: &'h dyn Host,
    clock: StaticWorld,
}

impl<'h> Cluster<'h> {
    /// The world of this host, at the time of the call.
    pub(crate) fn new(host: &'h dyn Host) -> Self {
        Cluster { host, clock: StaticWorld::at(host.now()) }
    }

    /// The object of this kind and these names.
    pub(crate) fn get(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Value, String> {
        let mut question = Map::new();
        question.insert("api_version", Value::from(api_version));
        question.insert("kind", Value::from(kind));
        question.insert("name", Value::from(name));
        let namespace = if namespace.is_empty() { Value::Null } else { Value::from(namespace) };
        question.insert("namespace", namespace);
        // Kubewarden: what is answered may be five seconds old.
        question.insert("disable_cache", Value::Bool(false));
        self.ask("get_resource", question)
    }

    /// The objects of this kind in a namespace.
    pub(crate) fn list(&self, api_version: &str, kind: &str, namespace: &str) -> Result<Vec<Value>, String> {
        let mut question = Map::new();
        question.insert("api_version", Value::from(api_version));
        question.insert("kind", Value::from(kind));
        question.insert("namespace", Value::from(namespace));
        let list = self.ask("list_resources_by_namespace", question)?;
        Ok(list.get("items").and_then(Value::as_array).unwrap_or_default().to_vec())
    }

    fn ask(&self, operation: &str, question: Map) -> Result<Value, String> {
        let answer = self.host.kubernetes(operation, &to_json(&Value::object(question)))?;
        parse(&answer).map_err(|error| format!("the host's answer is not JSON: {error}"))
    }
}

impl World for Cluster<'_> {
    fn now(&self) -> i64 {
        self.clock.now()
    }

    fn random(&self) -> u64 {
        self.clock.random()
    }

    fn extension(&self) -> &'static Extension {
        engine_celpolicy::WITHOUT_STEPS
    }
}
