//! The world of policies that are evaluated by a host of Kubewarden.
//!
//! In: the host. Out: the time, random numbers, and what Kubernetes says.

use crate::Host;
use crate::path::{Asked, is_published};
use engine::load::Extension;
use engine::resource::is_cluster_scoped;
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
    pub(crate) fn get(&self, asked: &Asked<'_>) -> Result<Value, String> {
        let mut question = about(asked);
        question.insert("name", Value::from(asked.name));
        let namespace = Some(asked.namespace).filter(|namespace| !namespace.is_empty());
        question.insert("namespace", namespace.map_or(Value::Null, Value::from));
        // Kubewarden: what is answered may be five seconds old.
        question.insert("disable_cache", Value::Bool(false));
        self.ask("get_resource", question)
    }

    /// The objects of this kind, in a namespace or in all of them, and of a name where there is one: a list as Kubernetes gives it.
    pub(crate) fn list(&self, asked: &Asked<'_>) -> Result<Value, String> {
        let mut question = about(asked);
        if !asked.name.is_empty() {
            question.insert("field_selector", Value::from(format!("metadata.name={}", asked.name)));
        }
        if asked.namespace.is_empty() {
            return self.ask("list_resources_all", question);
        }
        question.insert("namespace", Value::from(asked.namespace));
        self.ask("list_resources_by_namespace", question)
    }

    /// The Namespace of this name.
    pub(crate) fn namespace(&self, name: &str) -> Result<Value, String> {
        let (api_version, kind) = ("v1".to_owned(), "Namespace".to_owned());
        self.get(&Asked { api_version, kind, namespace: "", name })
    }

    fn ask(&self, operation: &str, question: Map) -> Result<Value, String> {
        let answer = self.host.kubernetes(operation, &to_json(&Value::object(question)))?;
        parse(&answer).map_err(|error| format!("the host's answer is not JSON: {error}"))
    }
}

/// The objects of a list.
pub(crate) fn items(list: &Value) -> &[Value] {
    list.get("items").and_then(Value::as_array).unwrap_or_default()
}

/// The kind that is asked for.
fn about(asked: &Asked<'_>) -> Map {
    let entries = [("api_version", &asked.api_version), ("kind", &asked.kind)];
    entries.into_iter().map(|(key, text)| (key, Value::from(text.as_str()))).collect()
}

impl World for Cluster<'_> {
    fn now(&self) -> i64 {
        self.clock.now()
    }

    fn random(&self) -> u64 {
        self.clock.random()
    }

    fn kubernetes(&self, path: &str) -> Option<Result<Value, String>> {
        let Some(asked) = Asked::read(path) else {
            return Some(Err(format!("not decided: a host of Kubewarden does not answer `{path}`")));
        };
        Some(if asked.name.is_empty() { self.list(&asked) } else { self.get(&asked) })
    }

    fn parameters(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Result<Vec<Value>, String>> {
        let (version, kind) = (api_version.to_owned(), kind.to_owned());
        // A kind that is not Kubernetes' own may be of the whole cluster, where no namespace may be named: what is answered says it.
        let has_namespaces = is_published(api_version, &kind) && !is_cluster_scoped(api_version, &kind);
        let namespace = if has_namespaces { namespace } else { "" };
        let answer = self.list(&Asked { api_version: version, kind, namespace, name });
        Some(answer.map(|list| items(&list).to_vec()))
    }

    fn extension(&self) -> &'static Extension {
        engine_celpolicy::OF_REQUESTS
    }
}
