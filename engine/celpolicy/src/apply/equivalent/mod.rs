//! The versions under which an API server serves one kind: a rule for one of them matches objects of the others, which the policy sees in
//! the version of the rule.
//!
//! In: what is asked about. Out: the other versions, or that they are not known; the object in one of them.
//! Mirrors: `runtime.EquivalentResourceRegistry` as a kube-apiserver 1.36 fills it, `admission.NewVersionedAttributes`.

mod autoscaler;

use super::Subject;
use super::known::is_of_kubernetes;
use engine::resource::Gvk;
use engine_json::{Map, Str, Value};

/// A version of a kind.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Group, version and plural.
    pub(crate) resource: [Str; 3],
    kind: Str,
    shape: Shape,
}

/// How an object becomes one of another version of its kind.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// By its `apiVersion` alone.
    Same,
    /// By the names of its fields: these in the group of the first row, and those in the other.
    Renamed(&'static [(&'static str, &'static str)]),
    /// By the rules of HorizontalPodAutoscalers.
    Autoscaler,
    /// By rules that are not known here.
    Unknown,
}

/// A kind that is served in several versions.
struct Kindred {
    kind: &'static str,
    resource: &'static str,
    /// The versions that every cluster serves.
    always: &'static [(&'static str, &'static str)],
    /// Those that are served where somebody asks for it: that an object has one of them says so.
    on_request: &'static [(&'static str, &'static str)],
    shape: Shape,
}

/// The fields of an Event of the core, and what they are called in `events.k8s.io`.
// Kubernetes: pkg/apis/events/v1/conversion.go.
const OF_EVENTS: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// The kinds of Kubernetes 1.36 that have several versions.
// Kubernetes: pkg/controlplane/instance.go DefaultAPIResourceConfigSource and the storages of pkg/registry.
const ALL: &[Kindred] = &[
    Kindred {
        kind: "HorizontalPodAutoscaler",
        resource: "horizontalpodautoscalers",
        always: &[("autoscaling", "v2"), ("autoscaling", "v1")],
        on_request: &[],
        shape: Shape::Autoscaler,
    },
    Kindred {
        kind: "Event",
        resource: "events",
        always: &[("", "v1"), ("events.k8s.io", "v1")],
        on_request: &[],
        shape: Shape::Renamed(OF_EVENTS),
    },
    of_one_shape("networking.k8s.io", "IPAddress", "ipaddresses"),
    of_one_shape("networking.k8s.io", "ServiceCIDR", "servicecidrs"),
    of_one_shape("storage.k8s.io", "VolumeAttributesClass", "volumeattributesclasses"),
    Kindred {
        kind: "ClusterTrustBundle",
        resource: "clustertrustbundles",
        always: &[],
        on_request: &[("certificates.k8s.io", "v1beta1"), ("certificates.k8s.io", "v1alpha1")],
        shape: Shape::Same,
    },
    Kindred {
        kind: "LeaseCandidate",
        resource: "leasecandidates",
        always: &[],
        on_request: &[("coordination.k8s.io", "v1beta1"), ("coordination.k8s.io", "v1alpha2")],
        shape: Shape::Same,
    },
    of_devices("DeviceClass", "deviceclasses", Shape::Same),
    of_devices("ResourceClaim", "resourceclaims", Shape::Unknown),
    of_devices("ResourceClaimTemplate", "resourceclaimtemplates", Shape::Unknown),
    of_devices("ResourceSlice", "resourceslices", Shape::Unknown),
];

const fn of_one_shape(group: &'static str, kind: &'static str, resource: &'static str) -> Kindred {
    let (always, on_request): (&[_], &[_]) = match group.as_bytes() {
        b"storage.k8s.io" => (&[("storage.k8s.io", "v1")], &[("storage.k8s.io", "v1beta1")]),
        _ => (&[("networking.k8s.io", "v1")], &[("networking.k8s.io", "v1beta1")]),
    };
    Kindred { kind, resource, always, on_request, shape: Shape::Same }
}

const fn of_devices(kind: &'static str, resource: &'static str, shape: Shape) -> Kindred {
    const GROUP: &str = "resource.k8s.io";
    let on_request = &[(GROUP, "v1beta2"), (GROUP, "v1beta1")];
    Kindred { kind, resource, always: &[(GROUP, "v1")], on_request, shape }
}

/// The other versions of the kind that is asked about; nothing where nobody has given the definition that says them.
pub(crate) fn others(subject: &Subject) -> Option<Vec<Place>> {
    let [group, version, resource] = &subject.resource;
    let kindred = ALL.iter().find(|kindred| {
        let mut all = kindred.always.iter().chain(kindred.on_request);
        *kindred.resource == **resource && all.any(|(of, in_version)| group == of && version == in_version)
    });
    if let Some(Kindred { kind, resource, always, shape, .. }) = kindred {
        let others = always.iter().filter(|(of, in_version)| group != of || version != in_version);
        let place = |(group, version): &(&'static str, &'static str)| Place {
            resource: [group, version, resource].map(|text| Str::new_static(text)),
            kind: Str::new_static(kind),
            shape: *shape,
        };
        return Some(others.map(place).collect());
    }
    let is_defined = |definition: &&Value| {
        definition.find_str(&["spec", "group"]) == group.as_str()
            && definition.find_str(&["spec", "names", "plural"]) == resource.as_str()
    };
    match subject.definitions.iter().find(is_defined) {
        Some(definition) => Some(of_definition(definition, subject)),
        None => is_of_kubernetes(group).then(Vec::new),
    }
}

/// The other versions that a definition serves.
// Kubernetes: apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
fn of_definition(definition: &Value, subject: &Subject) -> Vec<Place> {
    let [group, version, resource] = &subject.resource;
    let is_converted = definition.find_str(&["spec", "conversion", "strategy"]) == "Webhook";
    let shape = if is_converted { Shape::Unknown } else { Shape::Same };
    let versions = definition.find(&["spec", "versions"]).and_then(Value::as_array).unwrap_or_default();
    let is_served = |of: &&Value| of.get("served").and_then(Value::as_bool) == Some(true);
    let names = versions.iter().filter(is_served).map(|of| of.find_str(&["name"]));
    let others = names.filter(|name| version != name);
    let place = |name: &str| Place {
        resource: [group.clone(), Str::from(name), resource.clone()],
        kind: Str::from(definition.find_str(&["spec", "names", "kind"])),
        shape,
    };
    others.map(place).collect()
}

impl Subject {
    /// The same in another version of its kind.
    ///
    /// # Errors
    /// It is not known here how it becomes one.
    pub(crate) fn in_version(&self, place: &Place) -> Result<Subject, String> {
        let mut subject = self.clone();
        for object in [&mut subject.object, &mut subject.old_object] {
            *object = place.convert(object)?;
        }
        let [group, version, resource] = &place.resource;
        let text = |text: &Str| Value::String(text.clone());
        let named = |name: &str, last: &Str| -> Value {
            [("group", text(group)), ("version", text(version)), (name, text(last))]
                .into_iter()
                .collect::<Map>()
                .into()
        };
        if let Some(request) = subject.request.object_mut() {
            // Kubernetes: `requestKind` and `requestResource` stay those of the request.
            request.insert("kind", named("kind", &place.kind));
            request.insert("resource", named("resource", resource));
        }
        subject.resource.clone_from(&place.resource);
        Ok(subject)
    }

    /// The version that the request is in, to which an object comes back.
    pub(crate) fn own_place(&self, other: &Place) -> Place {
        Place { resource: self.resource.clone(), ..other.clone() }
    }
}

impl Place {
    /// An object of the kind in this version; another object stays as it is.
    pub(crate) fn convert(&self, object: &Value) -> Result<Value, String> {
        let [group, version, _] = &self.resource;
        let api_version = if group.is_empty() { version.to_string() } else { format!("{group}/{version}") };
        let written = object.find_str(&["apiVersion"]);
        let is_there = object.find_str(&["kind"]) == self.kind.as_str();
        if !is_there || written == api_version {
            return Ok(object.clone());
        }
        let mut made = object.clone();
        match self.shape {
            Shape::Same => {}
            Shape::Renamed(fields) => renamed(&mut made, fields, group.is_empty()),
            Shape::Autoscaler => made = autoscaler::converted(object, version),
            Shape::Unknown => {
                let of = Gvk::new(written, &self.kind);
                return Err(format!(
                    "not decided: how a `{}` of `{}` becomes one of `{api_version}` is not known here",
                    of.kind, written
                ));
            }
        }
        made.make_object().insert("apiVersion", Value::from(api_version));
        Ok(made)
    }
}

/// Renames fields, to the first names or to the second.
fn renamed(object: &mut Value, fields: &[(&str, &str)], to_first: bool) {
    let fields =
        fields.iter().map(|(first, second)| if to_first { (second, first) } else { (first, second) });
    let object = object.make_object();
    for (from, to) in fields {
        if let Some(value) = object.remove(from) {
            object.insert(*to, value);
        }
    }
}
