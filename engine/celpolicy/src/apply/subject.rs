//! What a policy is evaluated over: the object and the request that is made of it.

use crate::functions::outside::Handle;
use engine::load::Settings;
use engine::matching::UserInfo;
use engine::resource::{Resource, is_cluster_scoped, plural};
use engine_cel::eval::Binding;
use engine_cel::value::{Map as CelMap, Numbers, Value as Cel};
use engine_json::{Map, Str, Value};
use std::sync::Arc;

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
    /// Group, version and plural.
    pub resource: [Str; 3],
    /// The operation.
    pub operation: Str,
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().collect::<Map>().into()
}

fn text(text: &str) -> Value {
    Value::from(text)
}

impl Subject {
    /// A resource as the CLI asks about it.
    // Kyverno: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/cel/engine/request.go.
    pub fn of(resource: &Resource, settings: &Settings) -> Self {
        let gvk = &resource.gvk;
        let plural = plural(&gvk.kind);
        let operation = operation(settings);
        let value = resource.value.clone();
        let empty = || Value::object(Map::new());
        let (object_, old, asked, asked_old) = match &*operation {
            "UPDATE" => (value.clone(), value.clone(), value.clone(), value),
            "DELETE" => (empty(), value.clone(), Value::Null, value),
            _ => (value.clone(), empty(), value, Value::Null),
        };
        let kind =
            object([("group", text(&gvk.group)), ("version", text(&gvk.version)), ("kind", text(&gvk.kind))]);
        let place = object([
            ("group", text(&gvk.group)),
            ("version", text(&gvk.version)),
            ("resource", text(&plural)),
        ]);
        let mut request = Map::new();
        let entries = [
            ("uid", text("")),
            ("kind", kind.clone()),
            ("resource", place.clone()),
            ("requestKind", kind),
            ("requestResource", place),
            ("name", text(resource.name())),
            ("operation", text(&operation)),
            ("userInfo", user(settings.user.as_ref())),
            ("object", asked),
            ("oldObject", asked_old),
            ("dryRun", Value::Bool(false)),
            ("options", Value::Null),
        ];
        for (name, value) in entries {
            request.insert(name, value);
        }
        let namespace = resource.namespace();
        if !namespace.is_empty() {
            request.insert("namespace", text(namespace));
        }
        let is_cluster = is_cluster_scoped(resource.api_version(), &gvk.kind);
        Subject {
            object: object_,
            old_object: old,
            request: Value::object(request),
            namespace: if is_cluster { Value::Null } else { namespace_object(namespace, settings) },
            namespace_labels: namespace_labels(namespace, settings),
            resource: [gvk.group.clone(), gvk.version.clone(), Str::from(plural)],
            operation,
        }
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

fn operation(settings: &Settings) -> Str {
    let given = settings.global_values.iter().rfind(|(name, _)| name == "request.operation");
    let given = given.and_then(|(_, value)| value.as_str()).or(settings.operation.as_deref());
    // Kyverno: CONNECT is taken, and is CREATE for these kinds.
    match given {
        Some("UPDATE") => Str::new_static("UPDATE"),
        Some("DELETE") => Str::new_static("DELETE"),
        _ => Str::new_static("CREATE"),
    }
}

fn user(user: Option<&UserInfo>) -> Value {
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
    let document = |value: &'v Value| Binding::Value(Cel::json(value, Numbers::Doubles));
    let handle = |type_name: &'static str| Binding::Value(Cel::Opaque(Arc::new(Handle { type_name })));
    let bind = |name: &Str| match name.as_str() {
        "object" => document(&subject.object),
        "oldObject" => document(&subject.old_object),
        "request" => document(&subject.request),
        "namespaceObject" => document(&subject.namespace),
        "resource" => handle("resource.Context"),
        "http" => handle("http.Context"),
        "globalContext" => handle("globalcontext.Context"),
        "image" => handle("imagedata.Context"),
        "json" => handle("json.Json"),
        "yaml" => handle("yaml.Yaml"),
        _ => Binding::Missing,
    };
    names.iter().map(bind).collect()
}

/// What `variables` is as a whole: the original has no entries there that could be seen.
pub(super) fn no_entries<'v>() -> Cel<'v> {
    Cel::map(CelMap::default())
}
