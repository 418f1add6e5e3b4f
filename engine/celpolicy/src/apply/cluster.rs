//! A request as a cluster makes it: to Kyverno's webhook, to policies of the API server itself, to rules of older policies.
//!
//! In: a resource, and what is given of the cluster around it: the object before, Namespaces, parameters. Out: a [`Subject`] whose
//! whole numbers are integers. Where a cluster knows more than was given, nothing is invented but what every cluster has.
//! Mirrors: `pkg/webhooks/resource/vpol` of Kyverno 1.19, `apiserver/pkg/admission/plugin/{cel,policy}` of Kubernetes 0.36.

use super::labels::of as labels_of;
use super::subject::{Named, Subject, bare_namespace, request, text, user};
use engine::apply::Directory;
use engine::body::{Asked, AskedRule};
use engine::load::{Settings, usual_operation};
use engine::resource::{Gvk, Resource, plural};
use engine::world::World;
use engine_cel::value::Numbers;
use engine_json::{Map, Path, Str, Value};
use engine_values::time::Time;
use std::cell::OnceCell;
use std::sync::Arc;

/// The label that every Namespace of a cluster has.
pub(super) const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// What a cluster knows of a request.
struct Known {
    object: Option<Value>,
    old_object: Option<Value>,
    request: Map,
    /// The Namespace of the request, where it is one that is there.
    namespace: Option<Value>,
    labels: Vec<(Str, Str)>,
    /// Whether somebody has given the Namespace.
    is_given: bool,
    place: [Str; 3],
    operation: Str,
}

impl Known {
    fn of(asked: &Asked<'_>) -> Self {
        let resource = asked.resource;
        let gvk = &resource.gvk;
        let old = asked.old_objects.first(gvk, resource.namespace(), resource.name());
        let part = asked.settings.part_of(gvk);
        let (of, subresource) = match &part {
            Some((parent, name)) => (parent, name.rsplit_once('/').map_or("", |(_, name)| name)),
            None => (gvk, ""),
        };
        let usual = if old.is_some() { "UPDATE" } else { usual_operation(subresource) };
        let operation = operation(asked.settings, usual);
        let int = |resource: &Resource| {
            let mut object = resource.value.with_int_numbers();
            // Kubernetes: what is connected by has no metadata; its name stands in the path of the request.
            if usual_operation(subresource) == "CONNECT" {
                object.make_object().remove("metadata");
            }
            object
        };
        let before = || {
            let old = old.unwrap_or(resource);
            asked.server.map_or_else(|| int(old), |server| server.before(old, asked.world.now()))
        };
        let (object, old_object) = match &*operation {
            // Where nobody gives the object as it was, it is taken for unchanged.
            "UPDATE" => (Some(int(resource)), Some(before())),
            "DELETE" => (None, Some(before())),
            _ => (Some(int(resource)), None),
        };
        let is_namespace = is_namespace(gvk);
        let is_cluster = of.is_cluster_scoped();
        // Kubernetes: a request for a Namespace is one in that Namespace.
        let namespace = match (is_namespace, is_cluster) {
            (true, _) => resource.name(),
            (false, true) => "",
            (false, false) => resource.namespace(),
        };
        let place = place_of(asked.settings, of);
        let named = Named { gvk, place: &place, name: resource.name(), namespace };
        let mut request = request(&named, &operation, user(asked.settings.user.as_ref()));
        if !subresource.is_empty() {
            for name in ["subResource", "requestSubResource"] {
                request.insert(name, text(subresource));
            }
        }
        request.insert("options", options(&operation));
        sent(&mut request, asked.settings);
        let is_given = namespace.is_empty() || is_namespace || is_given(namespace, asked);
        let (namespace, labels) = if is_namespace {
            let labels = old_object.as_ref().map(labels_of).unwrap_or_default();
            (old_object.clone(), labels)
        } else {
            namespace_of(namespace, asked.settings, asked.objects)
        };
        Known { object, old_object, request, namespace, labels, is_given, place, operation }
    }
}

impl Subject {
    /// A resource as Kyverno's webhook is asked about it.
    // Kyverno: what is not there is an empty object, in a cluster too.
    pub fn of_webhook(asked: &Asked<'_>) -> Self {
        let Known { object, old_object, mut request, namespace, labels, is_given, place, operation } =
            Known::of(asked);
        let empty = || Value::object(Map::new());
        for (name, value) in [("object", &object), ("oldObject", &old_object)] {
            request.insert(name, value.clone().unwrap_or_default());
        }
        Subject {
            object: object.unwrap_or_else(empty),
            old_object: old_object.unwrap_or_else(empty),
            request: Value::object(request),
            namespace: namespace.map(|namespace| as_stored(namespace, asked.world)).unwrap_or_default(),
            namespace_labels: labels,
            namespace_is_given: is_given,
            resource: place,
            operation,
            numbers: Numbers::AsWritten,
            request_numbers: Numbers::Whole,
            names_by_start: true,
            definitions: definitions(asked),
        }
    }

    /// A resource that policies change, as those before have left it; the request is that about the resource as they met it.
    pub fn of_mutation_in_cluster(asked: &Asked<'_>, met: &Resource) -> Self {
        let mut subject = Self::of_webhook(&Asked { resource: met, made: OnceCell::new(), ..*asked });
        // Kyverno: what is not there is an object without fields.
        if let Some(request) = subject.request.object_mut() {
            for field in ["object", "oldObject"] {
                if request.get(field).is_none_or(Value::is_null) {
                    request.insert(field, Value::object(Map::new()));
                }
            }
        }
        if subject.operation != "DELETE" {
            subject.object = asked.resource.value.with_int_numbers();
        }
        subject
    }

    /// An object that a policy may delete.
    // Kyverno: the deleting controller lists objects and their Namespaces; nobody asks for anything.
    pub fn of_deletion_in_cluster(asked: &Asked<'_>) -> Self {
        let cli = Self::of_deletion(asked.resource, asked.settings);
        let of_request = Self::of_webhook(asked);
        let is_namespace = is_namespace(&asked.resource.gvk);
        let namespace = if is_namespace { cli.namespace.clone() } else { of_request.namespace };
        let namespace_labels =
            if is_namespace { cli.namespace_labels.clone() } else { of_request.namespace_labels };
        let object = asked.resource.value.with_int_numbers();
        Subject { object, namespace, namespace_labels, numbers: Numbers::AsWritten, ..cli }
    }

    /// A resource as an API server asks its own policies about it.
    pub fn of_api_server(asked: &Asked<'_>) -> Self {
        let Known { object, old_object, request, namespace, labels, is_given, place, operation } =
            Known::of(asked);
        // Kubernetes: for a Namespace there is none around it, as for all that is of no Namespace.
        let namespace = namespace.filter(|_| !is_namespace(&asked.resource.gvk));
        Subject {
            object: object.unwrap_or_default(),
            old_object: old_object.unwrap_or_default(),
            request: Value::object(request),
            namespace: namespace.map(|namespace| as_stored(namespace, asked.world)).unwrap_or_default(),
            namespace_labels: labels,
            namespace_is_given: is_given,
            resource: place,
            operation,
            numbers: Numbers::AsWritten,
            request_numbers: Numbers::Whole,
            names_by_start: false,
            definitions: definitions(asked),
        }
    }

    /// The same once its policies have changed the resource: one that has no name yet was given one.
    // Kubernetes: apiserver/pkg/registry/rest/create.go.
    pub fn of_validation(asked: &Asked<'_>) -> Self {
        let mut subject = Self::of_api_server(asked);
        let base = subject.object.find_str(&["metadata", "generateName"]).to_owned();
        if subject.operation != "CREATE" || base.is_empty() || !subject.name().is_empty() {
            return subject;
        }
        let name = Value::from(generated_name(&base));
        if let Some(request) = subject.request.object_mut() {
            request.insert("name", name.clone());
        }
        subject.object.put(&Path::from_keys(&["metadata", "name"]), Some(name));
        subject
    }

    /// A resource that policies of an API server change, as those before have left it; `met` is the resource as the first met it.
    pub(crate) fn of_api_server_after(asked: &Asked<'_>, met: &Resource) -> Self {
        let mut subject = Self::of_api_server(&Asked { resource: met, made: OnceCell::new(), ..*asked });
        if !subject.object.is_null() {
            subject.object = asked.resource.value.with_int_numbers();
        }
        subject
    }

    /// A request as a rule of a ClusterPolicy or Policy sees it in a cluster.
    pub fn of_rule_in_cluster(asked: &AskedRule<'_>) -> Self {
        let mut subject = Subject::of_rule(asked);
        let place = [asked.gvk.group.clone(), asked.gvk.version.clone(), Str::from(plural(&asked.gvk.kind))];
        let namespace = Str::from(subject.request_namespace());
        if let Some(request) = subject.request.object_mut() {
            let [group, version, resource] = &place;
            let named: Map = [("group", group), ("version", version), ("resource", resource)]
                .into_iter()
                .map(|(name, text)| (name, Value::String(text.clone())))
                .collect();
            for name in ["resource", "requestResource"] {
                request.insert(name, Value::object(named.clone()));
            }
            request.insert("options", options(asked.operation));
        }
        for object in [&mut subject.object, &mut subject.old_object] {
            *object = object.with_int_numbers();
        }
        if !namespace.is_empty() {
            let mut labels = asked.namespace_labels.to_vec();
            name_label(&mut labels, &namespace);
            let given = asked.objects.find(&Gvk::new("v1", "Namespace"), "", &namespace);
            for (key, value) in given.map(|given| labels_of(&given.value)).unwrap_or_default() {
                if !labels.iter().any(|(known, _)| *known == key) {
                    labels.push((key, value));
                }
            }
            subject.namespace = whole_namespace(given.map(|given| &given.value), &namespace, &labels);
        }
        subject.resource = place;
        subject.numbers = Numbers::AsWritten;
        subject
    }
}

/// A name that an API server could make of its beginning: which one is random there.
// Kubernetes: apiserver/pkg/storage/names/generate.go.
fn generated_name(base: &str) -> String {
    const MAX_BASE: usize = 58;
    const END: &str = "xxxxx";
    let cut = (0..=MAX_BASE.min(base.len())).rev().find(|at| base.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{END}", base.get(..cut).unwrap_or(base))
}

/// Whether somebody has given this Namespace, or its labels.
fn is_given(name: &str, asked: &Asked<'_>) -> bool {
    asked.settings.namespaces.contains_key(name)
        || asked.settings.namespace_labels.contains_key(name)
        || asked.objects.find(&Gvk::new("v1", "Namespace"), "", name).is_some()
}

fn is_namespace(gvk: &Gvk) -> bool {
    gvk.group.is_empty() && gvk.version == "v1" && gvk.kind == "Namespace"
}

/// What is done with the object: as values say it, else what is usual.
fn operation(settings: &Settings, usual: &'static str) -> Str {
    let given = settings.global_values.iter().rfind(|(name, _)| name == "request.operation");
    let given = given.and_then(|(_, value)| value.as_str()).or(settings.operation.as_deref());
    match given {
        Some("UPDATE") => Str::new_static("UPDATE"),
        Some("DELETE") => Str::new_static("DELETE"),
        Some("CONNECT") => Str::new_static("CONNECT"),
        Some("CREATE") => Str::new_static("CREATE"),
        _ => Str::new_static(usual),
    }
}

/// Group, version and plural: as a request that was sent names them, else as the kind lets expect.
fn place_of(settings: &Settings, gvk: &Gvk) -> [Str; 3] {
    let sent = settings.request.as_ref().and_then(|request| request.get("resource"));
    match sent.filter(|sent| !sent.find_str(&["resource"]).is_empty()) {
        Some(sent) => ["group", "version", "resource"].map(|field| Str::from(sent.find_str(&[field]))),
        None => [gvk.group.clone(), gvk.version.clone(), settings.plural(gvk)],
    }
}

/// Takes over what a request says that an API server sent; its objects are those that policies have left.
fn sent(request: &mut Map, settings: &Settings) {
    let fields = settings.request.as_ref().and_then(Value::as_object);
    for (name, value) in fields.into_iter().flat_map(Map::iter) {
        if !matches!(name.as_str(), "object" | "oldObject" | "userInfo") {
            request.insert(name.clone(), value.with_int_numbers());
        }
    }
}

/// The options of a request in which nobody asked for anything.
fn options(operation: &str) -> Value {
    let kind = match operation {
        "UPDATE" => "UpdateOptions",
        "DELETE" => "DeleteOptions",
        "CREATE" => "CreateOptions",
        _ => return Value::Null,
    };
    [("kind", Value::from(kind)), ("apiVersion", Value::from("meta.k8s.io/v1"))]
        .into_iter()
        .collect::<Map>()
        .into()
}

fn name_label(labels: &mut Vec<(Str, Str)>, name: &str) {
    if !labels.iter().any(|(known, _)| known == NAME_LABEL) {
        labels.push((Str::new_static(NAME_LABEL), Str::from(name)));
    }
}

/// The Namespace of this name and its labels: as values or objects give it, else as every cluster would have it.
pub(super) fn namespace_of(
    name: &str,
    settings: &Settings,
    objects: &Directory<'_>,
) -> (Option<Value>, Vec<(Str, Str)>) {
    if name.is_empty() {
        return (None, Vec::new());
    }
    let found = || objects.find(&Gvk::new("v1", "Namespace"), "", name).map(|object| &object.value);
    let given = settings.namespaces.get(name).or_else(found);
    let labels = settings.namespace_labels.get(name).cloned();
    let mut labels = labels.or_else(|| given.map(labels_of)).unwrap_or_default();
    name_label(&mut labels, name);
    (Some(whole_namespace(given, name, &labels)), labels)
}

/// A Namespace with these labels, and all else that is given of it.
// Kubernetes: an object of a lister has no version and no kind.
pub(super) fn whole_namespace(given: Option<&Value>, name: &str, labels: &[(Str, Str)]) -> Value {
    let mut whole = bare_namespace(name, labels);
    let Some(given) = given.and_then(Value::as_object) else { return whole };
    if let Some(fields) = whole.object_mut() {
        for (field, value) in given.iter() {
            match (field.as_str(), fields.get_mut("metadata").and_then(Value::object_mut)) {
                ("apiVersion" | "kind", _) => {}
                ("metadata", Some(metadata)) => {
                    let own = value.as_object().into_iter().flat_map(Map::iter);
                    for (name, value) in own.filter(|(name, _)| *name != "labels") {
                        metadata.insert(name.clone(), value.with_int_numbers());
                    }
                }
                _ => {
                    fields.insert(field.clone(), value.with_int_numbers());
                }
            }
        }
    }
    whole
}

/// A Namespace with what every stored one has.
// Kubernetes: pkg/registry/core/namespace/strategy.go.
fn as_stored(mut namespace: Value, world: &dyn World) -> Value {
    let created = Time::from_unix(world.now().div_euclid(1_000_000_000), 0).to_rfc3339();
    let rows: [(&[&str], Value); 4] = [
        (&["metadata", "creationTimestamp"], Value::from(created)),
        (&["metadata", "resourceVersion"], Value::from("1")),
        (&["spec", "finalizers"], Value::array(vec![Value::from("kubernetes")])),
        (&["status", "phase"], Value::from("Active")),
    ];
    for (path, value) in rows {
        if namespace.find(path).is_none() {
            namespace.put(&Path::from_keys(path), Some(value));
        }
    }
    namespace
}

/// The definitions of custom kinds: those that are given as such, and those among the objects.
fn definitions(asked: &Asked<'_>) -> Arc<Vec<Value>> {
    let stored = asked.objects.of_kind(&Gvk::new("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
    if stored.is_empty() {
        return Arc::clone(&asked.settings.definitions);
    }
    let stored = stored.into_iter().map(|object| object.value.clone());
    Arc::new(asked.settings.definitions.iter().cloned().chain(stored).collect())
}
