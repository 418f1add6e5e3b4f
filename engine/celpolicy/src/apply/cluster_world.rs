//! What functions are answered where a cluster is asked about: by the objects of the run, beside what context files say.
//!
//! In: a question. Out: an object or a list that is given; an object that is not given is an error, since a cluster may have it, and a list of
//! objects of which none is given is empty and named as assumed.

use super::known::serves;
use super::outside::CliWorld;
use crate::functions::native::{from_json, to_json};
use engine::apply::{Directory, RuleResult};
use engine::body::Asked;
use engine::load::Host;
use engine::resource::{Gvk, Resource, plural};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::Outside;
use engine_cel::value::{Numbers, Value as Cel};
use engine_json::{Map, Value};
use std::cell::RefCell;

/// A cluster that holds the objects of the run.
pub struct ClusterWorld<'w> {
    /// What answers all else.
    pub cli: CliWorld<'w>,
    /// The objects.
    pub objects: &'w Directory<'w>,
    /// Whose cluster it is.
    pub host: Host,
    /// What was answered that nobody has given.
    assumed: RefCell<Vec<String>>,
}

impl Outside for ClusterWorld<'_> {
    fn ask(&self, function: &str, args: &[Cel<'_>]) -> Outcome<'static> {
        let text = |at: usize| args.get(at).and_then(Cel::as_str).unwrap_or("");
        let here = self.cli.namespace;
        match function {
            "resource.get" => self.object(text(0), text(1), text(2), text(3)),
            "resource.getHere" => self.object(text(0), text(1), here, text(2)),
            "resource.list" => self.list(text(0), text(1), text(2), args.get(3)),
            "resource.listHere" => self.list(text(0), text(1), here, args.get(2)),
            other => self.cli.ask(other, args),
        }
    }
}

impl<'w> ClusterWorld<'w> {
    /// What answers a policy of this namespace.
    pub fn of(asked: &Asked<'w>, namespace: &'w str) -> Self {
        let cli = CliWorld { world: asked.world, settings: asked.settings, namespace, also: &[] };
        ClusterWorld { cli, objects: asked.objects, host: asked.host, assumed: RefCell::default() }
    }

    /// What functions ask: the CLI knows no cluster.
    pub fn outside(&self) -> &dyn Outside {
        if self.host == Host::Cli { &self.cli } else { self }
    }

    /// A result, marked where something was assumed for it.
    pub fn marked(&self, result: RuleResult) -> RuleResult {
        let assumed = self.assumed.borrow();
        if assumed.is_empty() { result } else { result.assuming(&assumed.join("; ")) }
    }
}

impl ClusterWorld<'_> {
    fn of_kind(&self, api_version: &str, resource: &str) -> impl Iterator<Item = &Resource> {
        let wanted = Gvk::new(api_version, "");
        self.objects.in_cluster_of(self.host).filter(move |object| {
            let of = &object.gvk;
            of.group == wanted.group && of.version == wanted.version && plural(&of.kind) == resource
        })
    }

    /// What a cluster answers, where there is one to ask.
    fn asked(
        &self,
        api_version: &str,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Result<Value, Box<Error>>> {
        let root = if api_version.contains('/') { "apis" } else { "api" };
        let namespace = if namespace.is_empty() { String::new() } else { format!("/namespaces/{namespace}") };
        let name = if name.is_empty() { String::new() } else { format!("/{name}") };
        let answer =
            self.cli.world.kubernetes(&format!("/{root}/{api_version}{namespace}/{resource}{name}"))?;
        let what = if name.is_empty() { "list" } else { "get" };
        Some(answer.map_err(|error| Error::text(format!("failed to {what} resource: {error}"))))
    }

    fn object(&self, api_version: &str, resource: &str, namespace: &str, name: &str) -> Outcome<'static> {
        if let Some(answer) = self.asked(api_version, resource, namespace, name) {
            return Ok(from_json(&answer?.with_int_numbers(), Numbers::AsWritten));
        }
        let is_meant = |object: &&Resource| object.namespace() == namespace && object.name() == name;
        if let Some(found) = self.of_kind(api_version, resource).find(is_meant) {
            return Ok(from_json(&found.value.with_int_numbers(), Numbers::AsWritten));
        }
        match self.cli.object(api_version, resource, namespace, name) {
            Cel::Null => {
                let name = engine_json::quote(name);
                Err(Error::text(format!("failed to get resource: {resource} {name} not found")))
            }
            found => Ok(found),
        }
    }

    fn assume(&self, what: String) {
        let mut assumed = self.assumed.borrow_mut();
        if !assumed.contains(&what) {
            assumed.push(what);
        }
    }

    fn list(
        &self,
        api_version: &str,
        resource: &str,
        namespace: &str,
        labels: Option<&Cel<'_>>,
    ) -> Outcome<'static> {
        let wanted = labels.and_then(|labels| to_json(labels).ok());
        let wanted = wanted.as_ref().and_then(Value::as_object);
        let has_labels = |object: &Value| {
            let has = |name: &str, value: &Value| object.find(&["metadata", "labels", name]) == Some(value);
            wanted.is_none_or(|wanted| wanted.iter().all(|(name, value)| has(name, value)))
        };
        if let Some(answer) = self.asked(api_version, resource, namespace, "") {
            let answer = answer?;
            let all = answer.get("items").and_then(Value::as_array).unwrap_or_default();
            let items = all.iter().filter(|object| has_labels(object));
            let items = items.map(|object| named_by(&answer, &object.with_int_numbers())).collect();
            let list: Map = [("items", Value::array(items))].into_iter().collect();
            return Ok(from_json(&list.into(), Numbers::AsWritten));
        }
        let is_meant = |object: &&Resource| {
            (namespace.is_empty() || object.namespace() == namespace) && has_labels(&object.value)
        };
        let mut of_kind = self.of_kind(api_version, resource).peekable();
        if of_kind.peek().is_none() {
            let given = self.cli.list(api_version, resource, namespace);
            if given.is_ok() || self.host != Host::Cluster || !serves(api_version, resource) {
                return given;
            }
            self.assume(format!(
                "the list of `{resource}` is empty, as none of them is given (`--target-resource`)"
            ));
        }
        let items = of_kind.filter(is_meant).map(|object| object.value.with_int_numbers()).collect();
        let list: Map = [("items", Value::array(items))].into_iter().collect();
        Ok(from_json(&list.into(), Numbers::AsWritten))
    }
}

/// An item of a list, with the version and the kind that the list says, where the item says neither: Kubernetes leaves them out.
// client-go: unstructuredJSONScheme.decodeToList.
fn named_by(list: &Value, item: &Value) -> Value {
    let (version, kind) = (list.find_str(&["apiVersion"]), list.find_str(&["kind"]));
    let is_named = ["apiVersion", "kind"].iter().all(|field| !item.find_str(&[field]).is_empty());
    let mut item = item.clone();
    if let (false, Some(fields)) = (is_named || kind.is_empty(), item.object_mut()) {
        fields.insert("apiVersion", Value::from(version));
        fields.insert("kind", Value::from(kind.strip_suffix("List").unwrap_or(kind)));
    }
    item
}
