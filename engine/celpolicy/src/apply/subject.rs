//! What a policy is evaluated over: the object and the request that is made of it.

use crate::functions::outside::Handle;
use engine::body::AskedRule;
use engine::load::{Host, Settings};
use engine::matching::UserInfo;
use engine::resource::{Gvk, Resource, is_cluster_scoped};
use engine_cel::eval::Binding;
use engine_cel::value::{Numbers, Value as Cel};
use engine_json::{Map, Str, Value};
use std::sync::Arc;

/// The value that names the operation.
const OPERATION: &str = "request.operation";

/// An object with its request.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The object, as it will be.
    pub object: Value,
    /// As it was.
    pub old_object: Value,
    /// The request.
    pub request: Value,
    /// The Namespace, where something is known of it.
    pub namespace: Value,
    /// The labels of the namespace, by which policies select.
    pub namespace_labels: Vec<(Str, Str)>,
    /// Whether somebody has given the Namespace; its labels are those of every Namespace else.
    pub namespace_is_given: bool,
    /// Group, version and plural.
    pub resource: [Str; 3],
    /// The operation.
    pub operation: Str,
    /// How whole numbers are read.
    pub numbers: Numbers,
    /// How those of the request are.
    // Kyverno: ConvertObjectToUnstructured writes the request as JSON and reads it again, with integers; what it holds of the
    // object is another reading of it than `object`.
    pub request_numbers: Numbers,
    /// Whether a name that is still to be made is matched by its beginning: Kyverno does, an API server does not.
    pub names_by_start: bool,
    /// The CustomResourceDefinitions that are given: configurations are merged by their schemas.
    pub definitions: Arc<Vec<Value>>,
}

pub(super) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().collect::<Map>().into()
}

pub(super) fn text(text: &str) -> Value {
    Value::from(text)
}

impl Subject {
    /// A resource as the CLI asks about it.
    // Kyverno: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/cel/engine/request.go.
    pub fn of(resource: &Resource, settings: &Settings) -> Self {
        let gvk = &resource.gvk;
        let place = [gvk.group.clone(), gvk.version.clone(), settings.plural(gvk)];
        let operation = operation(settings);
        let value = resource.value.clone();
        let empty = || Value::object(Map::new());
        let (object, old_object, asked, asked_old) = match &*operation {
            "UPDATE" => (value.clone(), value.clone(), value.clone(), value),
            "DELETE" => (empty(), value.clone(), Value::Null, value),
            _ => (value.clone(), empty(), value, Value::Null),
        };
        let namespace = resource.namespace();
        let named = Named { gvk, place: &place, name: resource.name(), namespace };
        let mut request = request(&named, &operation, user(settings.user.as_ref()));
        request.insert("object", asked);
        request.insert("oldObject", asked_old);
        let is_cluster = is_cluster_scoped(resource.api_version(), &gvk.kind);
        Subject {
            object,
            old_object,
            request: Value::object(request),
            namespace: if is_cluster { Value::Null } else { namespace_object(namespace, settings) },
            namespace_labels: namespace_labels(namespace, settings),
            namespace_is_given: true,
            resource: place,
            operation,
            numbers: Numbers::Doubles,
            request_numbers: Numbers::Whole,
            names_by_start: true,
            definitions: Arc::clone(&settings.definitions),
        }
    }

    /// A resource as Kubernetes' own policies see it in the CLI: it is always created, and never by nobody.
    // Kyverno: pkg/admissionpolicy/validate.go Validate, user_info.go ResolveUser.
    pub fn of_admission(resource: &Resource, settings: &Settings) -> Self {
        const NOBODY: &str = "system:kyverno:background-scan";
        let gvk = &resource.gvk;
        let place = [gvk.group.clone(), gvk.version.clone(), settings.plural(gvk)];
        let operation = Str::new_static("CREATE");
        let namespace = resource.namespace();
        let mut user = user(settings.user.as_ref());
        if let Some(user) = user.object_mut() {
            for name in ["username", "uid"] {
                if user.get(name).is_none() {
                    user.insert(name, text(NOBODY));
                }
            }
            if user.get("groups").is_none() {
                user.insert("groups", Value::array(vec![text(NOBODY)]));
            }
        }
        let named = Named { gvk, place: &place, name: resource.name(), namespace };
        // Kyverno: a Namespace is of no namespace, and labels are those of the values file alone.
        let labels = settings.namespace_labels.get(namespace).cloned().unwrap_or_default();
        let is_namespace = gvk.group.is_empty() && gvk.version == "v1" && gvk.kind == "Namespace";
        let is_of_none = namespace.is_empty() || is_namespace;
        Subject {
            object: resource.value.clone(),
            old_object: Value::Null,
            request: Value::object(request(&named, &operation, user)),
            namespace: bare_namespace(if is_of_none { "" } else { namespace }, &labels),
            namespace_labels: labels,
            namespace_is_given: true,
            resource: place,
            operation,
            numbers: Numbers::Doubles,
            request_numbers: Numbers::Whole,
            names_by_start: true,
            definitions: Arc::default(),
        }
    }

    /// A resource that policies change, as those before have left it; what is asked about stays as they met it.
    // Kyverno: pkg/cel/policies/mpol/compiler/eval.go prepareData: what is not there is an object without fields.
    pub fn of_mutation(resource: &Resource, met: &Resource, settings: &Settings, host: Host) -> Self {
        let mut subject = Self::of(met, settings).read_by(host, met);
        // The object and the old one are put into the request as they are.
        subject.request_numbers = subject.numbers;
        if let Some(request) = subject.request.object_mut() {
            for field in ["object", "oldObject"] {
                if request.get(field).is_none_or(Value::is_null) {
                    request.insert(field, Value::object(Map::new()));
                }
            }
        }
        if subject.operation != "DELETE" {
            let is_cli = host == Host::Cli;
            subject.object = if is_cli { resource.value.clone() } else { resource.typed.clone() };
        }
        subject
    }

    /// Another object that policies change because this resource was asked about: the request is that of the resource.
    // Kyverno: EvaluateTarget in pkg/cel/policies/mpol/compiler/policy.go.
    pub fn of_target(target: &Resource, met: &Resource, settings: &Settings) -> Self {
        let mut subject = Self::of_mutation(met, met, settings, Host::Cli);
        subject.object = target.value.clone();
        subject.old_object = Value::Null;
        subject.namespace = Value::Null;
        subject
    }

    /// The same object as constraints see it: nobody asks for it, and nothing is known of its namespace.
    pub fn of_selection(target: &Resource, settings: &Settings) -> Self {
        let mut subject = Self::of(target, settings);
        subject.object = target.value.clone();
        subject.old_object = Value::Null;
        subject.namespace_labels = Vec::new();
        subject.operation = Str::default();
        subject
    }

    /// An object that a policy may delete: nobody asks for it.
    // Kyverno: pkg/cel/policies/dpol/engine/engine.go Handle.
    pub fn of_deletion(resource: &Resource, settings: &Settings) -> Self {
        let mut subject = Self::of(resource, settings);
        subject.object = resource.value.clone();
        subject.old_object = Value::Null;
        subject.operation = Str::new_static("CREATE");
        if resource.gvk.group.is_empty() && resource.kind() == "Namespace" {
            let name = resource.name();
            let labels = resource.labels().into_iter().flat_map(Map::iter);
            let labels = labels.filter_map(|(key, value)| Some((key.clone(), Str::from(value.as_str()?))));
            subject.namespace = match namespace_object(name, settings) {
                Value::Null => bare_namespace(name, &labels.collect::<Vec<_>>()),
                known => known,
            };
        }
        subject
    }

    /// A request as a rule of a ClusterPolicy or Policy sees it in the CLI.
    // Kyverno: validate_cel.go; what is requested stays empty there, the kind does not.
    pub fn of_rule(asked: &AskedRule<'_>) -> Self {
        let of_kind = |resource: &Resource| {
            let mut value = resource.typed.clone();
            if resource.gvk == *asked.gvk {
                return value;
            }
            if let Some(map) = value.object_mut() {
                let Gvk { group, version, kind } = asked.gvk;
                let is_core = group.is_empty();
                let version = if is_core { version.to_string() } else { format!("{group}/{version}") };
                map.insert("apiVersion", Value::from(version));
                map.insert("kind", Value::String(kind.clone()));
            }
            value
        };
        let present = asked.object.or(asked.old_object);
        let name = present.map_or("", Resource::name);
        let Gvk { group, version, kind } = asked.gvk;
        let is_namespace = group.is_empty() && version == "v1" && kind == "Namespace";
        let namespace = present.map_or("", Resource::namespace);
        let namespace = if is_namespace { "" } else { namespace };
        let place = [Str::default(), Str::default(), Str::default()];
        let named = Named { gvk: asked.gvk, place: &place, name, namespace };
        let request = request(&named, asked.operation, user(Some(asked.user)));
        Subject {
            object: asked.object.map_or(Value::Null, of_kind),
            old_object: asked.old_object.map_or(Value::Null, of_kind),
            request: Value::object(request),
            namespace: if namespace.is_empty() { Value::Null } else { bare_namespace(namespace, &[]) },
            namespace_labels: Vec::new(),
            namespace_is_given: true,
            resource: place,
            operation: Str::new(asked.operation),
            numbers: if asked.host == Host::Playground { Numbers::AsWritten } else { Numbers::Doubles },
            request_numbers: Numbers::Whole,
            names_by_start: true,
            definitions: Arc::default(),
        }
    }

    /// A document of any form: nothing is known of a request.
    pub fn of_payload(payload: &Resource) -> Self {
        Subject {
            object: payload.value.clone(),
            old_object: Value::Null,
            request: Value::Null,
            namespace: Value::Null,
            namespace_labels: Vec::new(),
            namespace_is_given: true,
            resource: [Str::default(), Str::default(), Str::default()],
            operation: Str::default(),
            // What was JSON has none.
            numbers: if payload.is_payload { Numbers::AsWritten } else { Numbers::Doubles },
            request_numbers: Numbers::Whole,
            names_by_start: true,
            definitions: Arc::default(),
        }
    }

    /// The same with whole numbers where the host has them.
    // The Playground: numbers of resources stay what they are; those of the CLI are doubles.
    #[must_use]
    pub fn read_by(mut self, host: Host, resource: &Resource) -> Self {
        if host == Host::Playground {
            self.numbers = Numbers::AsWritten;
            for object in [&mut self.object, &mut self.old_object] {
                if *object == resource.value {
                    *object = resource.typed.clone();
                }
            }
        }
        self
    }

    /// The `apiVersion` of the object, or of what it was.
    pub fn object_version(&self) -> &str {
        let version = self.object.find_str(&["apiVersion"]);
        if version.is_empty() { self.old_object.find_str(&["apiVersion"]) } else { version }
    }

    /// The kind of the object, or of what it was.
    pub fn object_kind(&self) -> &str {
        let kind = self.object.find_str(&["kind"]);
        if kind.is_empty() { self.old_object.find_str(&["kind"]) } else { kind }
    }

    /// The name that policies select by.
    pub fn name(&self) -> &str {
        self.request.find_str(&["name"])
    }

    /// The namespace of the request.
    pub fn request_namespace(&self) -> &str {
        self.request.find_str(&["namespace"])
    }
}

/// What a request names.
pub(super) struct Named<'a> {
    pub(super) gvk: &'a Gvk,
    /// Group, version and plural.
    pub(super) place: &'a [Str; 3],
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
}

/// A request without its objects.
pub(super) fn request(named: &Named<'_>, operation: &str, user: Value) -> Map {
    let Named { gvk, place: [group, version, resource], name, namespace } = named;
    let kind =
        object([("group", text(&gvk.group)), ("version", text(&gvk.version)), ("kind", text(&gvk.kind))]);
    let place = object([("group", text(group)), ("version", text(version)), ("resource", text(resource))]);
    let entries = [
        ("uid", text("")),
        ("kind", kind.clone()),
        ("resource", place.clone()),
        ("requestKind", kind),
        ("requestResource", place),
        ("name", text(name)),
        ("operation", text(operation)),
        ("userInfo", user),
        ("object", Value::Null),
        ("oldObject", Value::Null),
        ("dryRun", Value::Bool(false)),
        ("options", Value::Null),
    ];
    let mut request: Map = entries.into_iter().collect();
    if !namespace.is_empty() {
        request.insert("namespace", text(namespace));
    }
    request
}

/// A Namespace of which no more is known than its name and labels.
pub(super) fn bare_namespace(name: &str, labels: &[(Str, Str)]) -> Value {
    let mut metadata = Map::new();
    if !name.is_empty() {
        metadata.insert("name", text(name));
    }
    if !labels.is_empty() {
        let labels: Map =
            labels.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect();
        metadata.insert("labels", Value::object(labels));
    }
    let empty = || Value::object(Map::new());
    object([("metadata", Value::object(metadata)), ("spec", empty()), ("status", empty())])
}

fn operation(settings: &Settings) -> Str {
    // Kyverno: the processors of these kinds take `GlobalOperation`, which reads the values file alone.
    let is_given = |(name, _): &&(Str, Value)| name == OPERATION && !settings.flag_values.contains(name);
    let given = settings.global_values.iter().rfind(is_given);
    let given = given.and_then(|(_, value)| value.as_str()).or(settings.operation.as_deref());
    // Kyverno: CONNECT is taken, and is CREATE for these kinds.
    match given {
        Some("UPDATE") => Str::new_static("UPDATE"),
        Some("DELETE") => Str::new_static("DELETE"),
        _ => Str::new_static("CREATE"),
    }
}

pub(super) fn user(user: Option<&UserInfo>) -> Value {
    let mut info = Map::new();
    if let Some(user) = user {
        for (name, text) in [("username", &user.username), ("uid", &user.uid)] {
            if !text.is_empty() {
                info.insert(name, Value::String(text.clone()));
            }
        }
        if !user.groups.is_empty() {
            info.insert("groups", Value::array(user.groups.iter().cloned().map(Value::String).collect()));
        }
        if !user.extra.is_empty() {
            info.insert("extra", Value::object(user.extra.clone()));
        }
    }
    Value::object(info)
}

fn namespace_object(name: &str, settings: &Settings) -> Value {
    if let Some(given) = settings.namespaces.get(name).and_then(Value::as_object) {
        let mut given = given.clone();
        for field in ["spec", "status"] {
            if given.get(field).is_none() {
                given.insert(field, Value::object(Map::new()));
            }
        }
        return Value::object(given);
    }
    let Some(labels) = settings.namespace_labels.get(name) else { return Value::Null };
    let labels: Map = labels.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect();
    let metadata = object([("name", text(name)), ("labels", Value::object(labels))]);
    let empty = || Value::object(Map::new());
    object([
        ("apiVersion", text("v1")),
        ("kind", text("Namespace")),
        ("metadata", metadata),
        ("spec", empty()),
        ("status", empty()),
    ])
}

fn namespace_labels(name: &str, settings: &Settings) -> Vec<(Str, Str)> {
    let own = || vec![(Str::new_static("kubernetes.io/metadata.name"), Str::from(name))];
    settings.namespace_labels.get(name).cloned().unwrap_or_else(own)
}

/// The bindings of the names that every policy has, in the order of the environment: `variables` and `exceptions` are not
/// bound yet.
pub fn bindings<'v>(subject: &'v Subject, names: &[Str]) -> Vec<Binding<'v>> {
    let document = |value: &'v Value| Binding::Value(Cel::json(value, subject.numbers));
    let handle = |type_name: &'static str| Binding::Value(Cel::Opaque(Arc::new(Handle { type_name })));
    let bind = |name: &Str| match name.as_str() {
        "object" => document(&subject.object),
        "oldObject" => document(&subject.old_object),
        "request" => Binding::Value(Cel::json(&subject.request, subject.request_numbers)),
        "namespaceObject" => document(&subject.namespace),
        "resource" => handle("resource.Context"),
        "http" => handle("http.Context"),
        "globalContext" => handle("globalcontext.Context"),
        "image" => handle("imagedata.Context"),
        "json" => handle("json.Json"),
        "yaml" => handle("yaml.Yaml"),
        "generator" => handle("generator.Context"),
        _ => Binding::Missing,
    };
    names.iter().map(bind).collect()
}
