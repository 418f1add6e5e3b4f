//! What the CLI answers where a function asks for a cluster, a server or a registry.
//!
//! In: a question, and what the texts say: a context file, mocked answers. Out: the answer of `kyverno apply` and `kyverno test`
//! without a network; what nobody knows is an error. Mirrors: `pkg/cel/libs/fake_context.go` of Kyverno 1.19.

use crate::functions::native::from_json;
use engine::load::{Cluster, Settings};
use engine::resource::{Gvk, Resource, plural};
use engine::world::World;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::Outside;
use engine_cel::value::{Numbers, Timestamp, Value as Cel};
use engine_json::{Map, Value};
use engine_values::network::egress::Server;

/// The CLI, for the policies of one namespace.
pub struct CliWorld<'w> {
    /// The host's answers.
    pub world: &'w dyn World,
    /// What the texts say.
    pub settings: &'w Settings,
    /// The namespace that a policy asks about which names none.
    pub namespace: &'w str,
    /// Objects that are there beside those of the context files.
    pub also: &'w [Resource],
}

impl Outside for CliWorld<'_> {
    fn ask(&self, function: &str, args: &[Cel<'_>]) -> Outcome<'static> {
        let text = |at: usize| args.get(at).and_then(Cel::as_str).unwrap_or("");
        match function {
            "time.now" => {
                let now = self.world.now();
                let nanoseconds = u32::try_from(now.rem_euclid(1_000_000_000)).unwrap_or(0);
                let seconds = now.div_euclid(1_000_000_000);
                Ok(Cel::Timestamp(Timestamp { seconds, nanoseconds, offset: 0 }))
            }
            "random" => Ok(Cel::Uint(self.world.random())),
            "resource.get" => Ok(self.object(text(0), text(1), text(2), text(3))),
            "resource.getHere" => Ok(self.object(text(0), text(1), self.namespace, text(2))),
            "resource.list" => self.list(text(0), text(1), text(2)),
            "resource.listHere" => self.list(text(0), text(1), self.namespace),
            "resource.post" | "resource.toGVR" => Err(Error::text("internal error: not implemented")),
            // Kyverno: pkg/cel/compiler/http.go ConfineGlobalContext.
            "globalContext.get" if !self.namespace.is_empty() => Err(Error::text(
                "failed to get global reference: globalContext.* is not allowed in namespaced policies",
            )),
            "globalContext.get" => self.global(text(0), text(1)),
            "image.getMetadata" => self.image(text(0)),
            "http.get" => self.call("GET", text(0)),
            "http.post" => self.call("POST", text(0)),
            other => Err(Error::text(format!("{other}: not decided, no server is asked here"))),
        }
    }
}

impl CliWorld<'_> {
    /// The items of a list of the context files.
    fn given(&self, list: &'static str) -> impl Iterator<Item = &Value> {
        self.settings
            .contexts
            .iter()
            .flat_map(move |spec| spec.find(&[list]).and_then(Value::as_array).unwrap_or_default().iter())
    }

    /// The objects of a resource.
    fn objects(&self, api_version: &str, resource: &str) -> impl Iterator<Item = &Value> {
        let wanted = Gvk::new(api_version, "");
        // Kyverno: a test with cluster resources asks these, and no context file.
        let cluster: &[Resource] = match &self.settings.answers.cluster {
            Cluster::Objects(objects) => objects,
            Cluster::Resources | Cluster::Nobody => &[],
        };
        let cluster = cluster.iter().map(|resource| &resource.value);
        let also = self.also.iter().map(|resource| &resource.value);
        self.given("resources").chain(cluster).chain(also).filter(move |object| {
            let found = Gvk::new(object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
            found.group == wanted.group && found.version == wanted.version && plural(&found.kind) == resource
        })
    }

    /// One object; null where it is not there.
    pub(super) fn object(
        &self,
        api_version: &str,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Cel<'static> {
        let found = self.objects(api_version, resource).find(|object| {
            object.find_str(&["metadata", "namespace"]) == namespace
                && object.find_str(&["metadata", "name"]) == name
        });
        found.map_or(Cel::Null, |object| from_json(object, Numbers::AsWritten))
    }

    /// All objects of just this namespace.
    pub(super) fn list(&self, api_version: &str, resource: &str, namespace: &str) -> Outcome<'static> {
        if api_version.matches('/').count() > 1 {
            let why = format!("unexpected GroupVersion string: {api_version}");
            return Err(Error::text(format!("failed to list resource: {why}")));
        }
        let objects: Vec<&Value> = self.objects(api_version, resource).collect();
        if objects.is_empty() {
            // Go: schema.GroupResource.String.
            let group = Gvk::new(api_version, "").group;
            let dot = if group.is_empty() { "" } else { "." };
            return Err(Error::text(format!(
                "failed to list resource: {resource}{dot}{group} resource not found"
            )));
        }
        let is_here = |object: &&&Value| object.find_str(&["metadata", "namespace"]) == namespace;
        let items = objects.iter().filter(is_here).map(|object| (*object).clone()).collect();
        let list: Map = [("items", Value::array(items))].into_iter().collect();
        Ok(from_json(&list.into(), Numbers::AsWritten))
    }

    /// What an entry of the global context holds; null where there is no such entry.
    fn global(&self, name: &str, projection: &str) -> Outcome<'static> {
        let entries = &self.settings.answers.global;
        let Some((_, held)) = entries.iter().rfind(|(known, _)| known == name) else { return Ok(Cel::Null) };
        let held = held.as_ref().map_err(|error| Error::text(error.clone()))?;
        if projection.is_empty() {
            return Ok(from_json(held, Numbers::AsWritten));
        }
        held.get(projection).map(|value| from_json(value, Numbers::AsWritten)).ok_or_else(|| {
            Error::text(format!("projection \"{projection}\" not found in global context entry \"{name}\""))
        })
    }

    /// What is given of an image.
    fn image(&self, reference: &str) -> Outcome<'static> {
        let found = self.given("images").find(|image| image.find_str(&["image"]) == reference);
        found.map(|image| from_json(image, Numbers::AsWritten)).ok_or_else(|| {
            let why = format!("image data for {reference} not found in the context");
            Error::text(format!("failed to get image data: {why}"))
        })
    }

    /// What a server is said to answer; else why none would be asked.
    fn call(&self, method: &str, url: &str) -> Outcome<'static> {
        let calls = &self.settings.answers.calls;
        let of = |wanted: &str| calls.iter().rfind(|call| call.method == wanted && call.url == url);
        let Some(call) = of(method).or_else(|| of("")) else {
            let failed = |why: &str| Error::text(format!("request failed: {why}"));
            // Kyverno: namespacedHTTPContext.
            if !self.namespace.is_empty() {
                return Err(failed(
                    "http calls are not allowed in namespaced policies: set --allowHTTPInNamespacedPolicies to enable",
                ));
            }
            let server = Server::parse(url).map_err(|why| failed(&why))?;
            server.connect(method).map_err(|why| failed(&format!("request failed: {why}")))?;
            let words = format!("http.{}: not decided, no server is asked here", method.to_lowercase());
            return Err(Error::text(words));
        };
        let answer: Map =
            [("body", call.body.clone()), ("statusCode", Value::from(call.status))].into_iter().collect();
        Ok(from_json(&answer.into(), Numbers::AsWritten))
    }
}
