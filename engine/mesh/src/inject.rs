//! The Pod as it arrives.
//!
//! In: an object, a setup, the namespace. Out: an [`Arrival`], or nothing where the object has to do with no Pod.

use crate::data::Data;
use crate::decide::{Decision, decide};
use crate::fill::Fill;
use crate::object::Workload;
use crate::probes;
use crate::setup::Setup;
use crate::shape::{Around, Shape, merge};
use crate::switches::{self, InjectionMode, annotation_of};
use engine_json::{Map, Path, Str, Value, to_json};

/// What becomes of a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The mesh adds its containers.
    Injected,
    /// It leaves the Pod as it is.
    Left,
    /// It has been injected before; this is the Pod as it is.
    Already,
    /// The injector answers with an error, and the API server refuses the Pod.
    Refused,
}

/// A Pod as it arrives.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The Pod, as the mesh leaves it.
    pub pod: Value,
    /// The Pod before the mesh saw it.
    pub bare: Value,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in words: `the namespace's label istio-injection: enabled`.
    pub reason: String,
    /// All that the mesh added or changed, in the order of the Pod.
    pub added: Vec<Added>,
}

/// One piece that is the mesh's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The way to it from the Pod.
    pub path: Path,
    /// What it is: `container istio-init`.
    pub what: String,
}

/// The Pod that an object is or makes, as it arrives; `None` where there is no Pod in it.
pub fn arrive(data: &Data, setup: &Setup, object: &Value, namespace: Option<&Value>) -> Option<Arrival> {
    let workload = Workload::of(object)?;
    let left = |outcome, reason| Arrival {
        pod: workload.pod.clone(),
        bare: workload.pod.clone(),
        outcome,
        reason,
        added: Vec::new(),
    };
    let reason = match decide(setup.row(), &setup.mesh, &workload, namespace) {
        Decision::Inject(reason) => reason,
        Decision::Leave(reason) => return Some(left(Outcome::Left, reason)),
        Decision::Already(reason) => return Some(left(Outcome::Already, reason)),
    };
    let asked = switches::of_pod(setup, &workload.pod, namespace);
    let needs = setup.row().0.get("needs").and_then(Value::as_object);
    for (option, other) in needs.into_iter().flat_map(Map::iter) {
        let has = |name: &str| asked.options.contains(&name);
        let other = other.as_str().unwrap_or_default();
        // Linkerd: it is the template of linkerd-init that fails.
        if has(option) && !has(other) && !asked.is_cni {
            let reason = format!("the injector's template fails: {option} needs {other}");
            return Some(left(Outcome::Refused, reason));
        }
    }
    let Some(shape) = Shape::of(data, setup.row(), &asked) else {
        return Some(left(Outcome::Left, format!("{} has no such mode", setup.release)));
    };
    let mut injection = Injection { setup, workload: &workload, shape, added: Vec::new() };
    let pod = injection.pod(&asked, namespace);
    Some(Arrival {
        pod,
        bare: workload.pod.clone(),
        outcome: Outcome::Injected,
        reason,
        added: injection.added,
    })
}

struct Injection<'a> {
    setup: &'a Setup,
    workload: &'a Workload,
    shape: Shape,
    added: Vec<Added>,
}

impl Injection<'_> {
    fn pod(&mut self, asked: &InjectionMode<'_>, namespace: Option<&Value>) -> Value {
        let fill = Fill::of(self.setup, self.setup.row(), self.workload, asked);
        let mut pod = self.workload.pod.clone();
        let mut spec = pod.get("spec").cloned().unwrap_or_default();
        let own = self.own_names(&spec);
        let (init, containers) = (self.filled(&fill, &spec, true), self.filled(&fill, &spec, false));
        self.wrap(&mut spec, "initContainers", init, asked);
        self.wrap(&mut spec, "containers", containers, asked);
        self.volumes(&fill, &mut spec);
        self.security(&mut spec);
        let mut meta = pod.get("metadata").cloned().unwrap_or_default();
        self.names(&fill, &mut meta, "labels", &self.shape.labels.clone());
        let mut annotations = self.shape.annotations.clone();
        self.more_annotations(&mut annotations, &spec, &own, namespace);
        self.names(&fill, &mut meta, "annotations", &annotations);
        if meta.find_str(&["annotations", "sidecar.istio.io/rewriteAppHTTPProbers"]) != "false" {
            for path in probes::rewrite(self.setup.row(), &mut spec, &own) {
                self.added.push(Added { path, what: "probe turned to the mesh's agent".to_owned() });
            }
        }
        let map = pod.make_object();
        map.insert("metadata", meta);
        map.insert("spec", spec);
        pod
    }

    /// The names of the Pod's own containers; what it says of a container of the mesh makes none of its own.
    fn own_names(&self, spec: &Value) -> Vec<String> {
        let both = list(spec, "initContainers").iter().chain(list(spec, "containers"));
        let names = both.map(|one| one.find_str(&["name"]).to_owned());
        names.filter(|name| !self.shape.names().any(|theirs| theirs == name)).collect()
    }

    /// The containers of one list, with what the author of the Pod says about them.
    fn filled(&self, fill: &Fill, spec: &Value, is_init: bool) -> Around {
        let around = if is_init { &self.shape.init } else { &self.shape.containers };
        let whole = |one: &Value| {
            let mut container = fill.piece(one);
            let name = container.find_str(&["name"]).to_owned();
            if let Some(own) =
                list(spec, "containers").iter().chain(list(spec, "initContainers")).find(|own| is(own, &name))
            {
                overlay(&mut container, own);
            }
            self.uid(&mut container);
            self.user_mounts(&mut container);
            container
        };
        Around {
            before: around.before.iter().map(whole).collect(),
            after: around.after.iter().map(whole).collect(),
        }
    }

    /// Linkerd: the user of the proxy by annotation.
    fn uid(&self, container: &mut Value) {
        let uid = annotation_of(&self.workload.pod, None, "config.linkerd.io/proxy-uid").parse::<i64>();
        if let (Ok(uid), true) = (uid, is(container, "linkerd-proxy")) {
            merge(container, &object("securityContext", object("runAsUser", Value::from(uid))));
        }
    }

    /// Puts the containers of the mesh around those of the Pod.
    fn wrap(&mut self, spec: &mut Value, key: &str, around: Around, asked: &InjectionMode<'_>) {
        let injected: Vec<&str> = self.shape.names().collect();
        let is_lost = key == "initContainers" && self.shape.drops_init && asked.template.is_none();
        let own: Vec<Value> = list(spec, key)
            .iter()
            .filter(|one| !is_lost && !injected.contains(&one.find_str(&["name"])))
            .cloned()
            .collect();
        let (first, last) = (around.before.len(), around.before.len() + own.len());
        let all: Vec<Value> = around.before.into_iter().chain(own).chain(around.after).collect();
        for (at, container) in all.iter().enumerate().filter(|(at, _)| *at < first || *at >= last) {
            let path = Path::from_keys(&["spec", key]).join(at);
            self.added.push(Added { path, what: format!("container {}", container.find_str(&["name"])) });
        }
        if !all.is_empty() {
            spec.make_object().insert(key, Value::array(all));
        } else if let Some(spec) = spec.object_mut() {
            spec.remove(key);
        }
    }

    fn volumes(&mut self, fill: &Fill, spec: &mut Value) {
        let mut all = list(spec, "volumes").to_vec();
        let theirs = self.shape.volumes.iter().map(|volume| fill.piece(volume));
        for volume in theirs.chain(self.user_volumes()) {
            if !all.iter().any(|known| is(known, volume.find_str(&["name"]))) {
                let path = Path::from_keys(&["spec", "volumes"]).join(all.len());
                self.added.push(Added { path, what: format!("volume {}", volume.find_str(&["name"])) });
                all.push(volume);
            }
        }
        if !all.is_empty() {
            spec.make_object().insert("volumes", Value::array(all));
        }
    }

    /// Istio: volumes of the author's annotation, of whatever kind.
    fn user_volumes(&self) -> Vec<Value> {
        self.user("sidecar.istio.io/userVolume")
    }

    fn user_mounts(&self, container: &mut Value) {
        let more = self.user("sidecar.istio.io/userVolumeMount");
        if is(container, "istio-proxy") && !more.is_empty() {
            let all = list(container, "volumeMounts").iter().cloned().chain(more).collect();
            container.make_object().insert("volumeMounts", Value::array(all));
        }
    }

    /// An annotation of named objects, or of a list of them.
    fn user(&self, key: &str) -> Vec<Value> {
        let text = annotation_of(&self.workload.pod, None, key);
        let is_istio = self.setup.mesh == "istio";
        let said = is_istio.then(|| engine_json::parse(text).ok()).flatten().unwrap_or_default();
        let named = |(name, body): (&Str, &Value)| {
            let mut body = body.clone();
            body.make_object().insert("name", Value::String(name.clone()));
            body
        };
        match &said {
            Value::Object(map) => map.iter().map(named).collect(),
            Value::Array(list) => list.to_vec(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }

    fn security(&mut self, spec: &mut Value) {
        let fields = self.shape.security.clone();
        for key in fields.as_object().into_iter().flat_map(Map::keys) {
            let path = Path::from_keys(&["spec", "securityContext"]).join(key.clone());
            self.added.push(Added { path, what: format!("securityContext.{key} of the Pod") });
        }
        if fields.as_object().is_some() {
            merge(spec, &object("securityContext", fields));
        }
    }

    /// Labels or annotations that the Pod does not have.
    fn names(&mut self, fill: &Fill, meta: &mut Value, key: &str, more: &Value) {
        let kind = key.trim_end_matches('s');
        let Value::Object(more) = fill.piece(more) else { return };
        let mut all = meta.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in more.iter() {
            // A controller alone is named in labels.
            if all.contains_key(name) || (name.ends_with("proxy-") && self.workload.kind.is_empty()) {
                continue;
            }
            all.insert(name.clone(), value.clone());
            let path = Path::from_keys(&["metadata", key]).join(name.clone());
            self.added.push(Added { path, what: format!("{kind} {name}") });
        }
        if !all.is_empty() {
            meta.make_object().insert(key, Value::object(all));
        }
    }

    /// Istio's list of what it added; the namespace's annotations that Linkerd copies.
    fn more_annotations(
        &self,
        annotations: &mut Value,
        spec: &Value,
        own: &[String],
        namespace: Option<&Value>,
    ) {
        let map = annotations.make_object();
        if self.setup.mesh == "istio" {
            let known =
                list(&self.workload.pod.find(&["spec"]).cloned().unwrap_or_default(), "volumes").len();
            let names = |key: &str, from: usize| {
                let all = list(spec, key).iter().skip(from).map(|one| one.find_str(&["name"]));
                let fresh = all.filter(|name| key == "volumes" || !own.iter().any(|known| known == name));
                Value::array(fresh.map(|name| Value::String(name.into())).collect())
            };
            let status = Value::object(Map::from_entries(vec![
                ("initContainers".into(), names("initContainers", 0)),
                ("containers".into(), names("containers", 0)),
                ("volumes".into(), names("volumes", known)),
                ("imagePullSecrets".into(), Value::Null),
                ("revision".into(), Value::String("default".into())),
            ]));
            map.insert("sidecar.istio.io/status", Value::String(to_json(&status).into()));
            return;
        }
        let of_namespace = namespace.and_then(|namespace| namespace.find(&["metadata", "annotations"]));
        for (key, value) in of_namespace.and_then(Value::as_object).into_iter().flat_map(Map::iter) {
            if key.starts_with("config.linkerd.io/") {
                map.insert(key.clone(), value.clone());
            }
        }
    }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

fn is(value: &Value, name: &str) -> bool {
    value.find_str(&["name"]) == name
}

fn object(key: &str, value: Value) -> Value {
    Value::object(Map::from_entries(vec![(key.into(), value)]))
}

/// Lays what the author of the Pod says of a container of the mesh over it; the image `auto` is the mesh's.
// Istio: `applyContainer` merges the author's container over the template's, list items by their key.
fn overlay(container: &mut Value, own: &Value) {
    for (key, said) in own.as_object().into_iter().flat_map(Map::iter) {
        match (key.as_str(), said) {
            ("image", Value::String(image)) if image.is_empty() || image == "auto" => {}
            ("ports" | "volumeMounts" | "env", Value::Array(more)) => {
                let all = more.iter().chain(list(container, key)).cloned().collect();
                container.make_object().insert(key.clone(), Value::array(all));
            }
            _ => merge(container, &object(key, said.clone())),
        }
    }
}
