//! The parameters that a cluster gives a policy or a rule.
//!
//! In: the kind of parameters, a reference, the objects at hand. Out: objects; or Kubernetes' words for why there can be none.
//! Mirrors: `apiserver/pkg/admission/plugin/policy/generic/{policy_dispatcher,policy_source}.go` of Kubernetes 0.36.

use super::cluster::namespace_of;
use super::known::is_served;
use super::labels::select;
use engine::apply::Directory;
use engine::load::Settings;
use engine::resource::{DocumentId, Gvk, Resource, is_cluster_scoped, plural};
use engine::world::World;
use engine_json::{Str, Value, quote};

/// Which parameters somebody takes.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// `apiVersion` of their kind.
    pub api_version: &'a str,
    /// `kind`.
    pub kind: &'a str,
    /// `paramRef`.
    pub reference: &'a Value,
    /// The namespace of the request.
    pub namespace: &'a str,
    /// For whom: the settings of the run for the API server; nothing where it is Kyverno that looks for them, for a rule.
    pub settings: Option<&'a Settings>,
}

/// Why there are no parameters, where the kind is none that the cluster serves: every binding of the policy fares so.
// Kubernetes: policy_source.go ensureParamsForPolicyLocked.
pub(crate) fn unknown_kind(
    api_version: &str,
    kind: &str,
    settings: &Settings,
    objects: &Directory<'_>,
) -> Option<String> {
    let gvk = Gvk::new(api_version, kind);
    let is_known = is_served(api_version, kind)
        || definition(&gvk, settings.definitions.iter(), objects)
            .is_some_and(|found| serves(found, &gvk.version))
        || !objects.of_kind(&gvk).is_empty();
    let Gvk { group, version, kind } = gvk;
    (!is_known)
        .then(|| format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'"))
}

/// Parameters that were found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The objects.
    pub objects: Vec<Value>,
    /// Whether a cluster was asked: else one may have others than those at hand.
    pub is_answered: bool,
}

/// The parameters that a cluster takes: those of the kind, in the namespace that is named or in that of the request; none where
/// that is allowed.
///
/// # Errors
/// Kubernetes' words for why there can be none.
// Kubernetes: policy_dispatcher.go CollectParams.
pub fn parameters(wanted: &Wanted<'_>, objects: &Directory<'_>, world: &dyn World) -> Result<Found, String> {
    let Wanted { api_version, kind, reference, namespace, settings } = wanted;
    let is_rule = settings.is_none();
    let named = reference.find_str(&["namespace"]);
    let name = reference.find_str(&["name"]);
    let within = if named.is_empty() { namespace } else { named };
    let resource = |object: Value| Resource::new(object, DocumentId(u32::MAX));
    let answered = world.parameters(api_version, kind, within, name).transpose()?;
    let is_answered = answered.is_some();
    let answered = answered.or_else(|| settings.and_then(|settings| namespaces(wanted, settings, objects)));
    let answered = answered.map(|all| all.into_iter().map(resource).collect::<Vec<_>>());
    let gvk = Gvk::new(api_version, kind);
    let is_of_cluster = if let Some(found @ [_, ..]) = answered.as_deref() {
        found.iter().all(|object| object.namespace().is_empty())
    } else {
        let given = settings.iter().flat_map(|settings| settings.definitions.iter());
        match definition(&gvk, given, objects) {
            Some(definition) => definition.find_str(&["spec", "scope"]) == "Cluster",
            None => is_cluster_scoped(api_version, kind),
        }
    };
    let within = match (is_of_cluster, named) {
        (true, "") => None,
        (true, _) => {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
        (false, "") if namespace.is_empty() => {
            return Err(if is_rule {
                "can't use namespaced paramRef to match cluster-scoped resources".to_owned()
            } else {
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
                    .to_owned()
            });
        }
        (false, "") => Some(*namespace),
        (false, named) => Some(named),
    };
    let selector = reference.get("selector").filter(|selector| !selector.is_null());
    let is_meant = |object: &&Resource| {
        within.is_none_or(|within| object.namespace() == within)
            && match (name, selector) {
                ("", Some(selector)) => select(selector, &object.value),
                ("", None) => false,
                (name, _) => object.name() == name,
            }
    };
    let of_kind = match &answered {
        Some(answered) => answered.iter().collect(),
        None => objects.of_kind(&gvk),
    };
    let found: Vec<Value> =
        of_kind.into_iter().filter(is_meant).map(|object| object.value.with_int_numbers()).collect();
    let is_denied = reference.find_str(&["parameterNotFoundAction"]) == "Deny";
    match (found.is_empty(), is_rule) {
        (true, true) if !name.is_empty() => {
            let plural = plural(kind);
            let plural = if gvk.group.is_empty() { plural } else { format!("{plural}.{}", gvk.group) };
            Err(format!("{plural} {} not found", quote(name)))
        }
        (true, true) if is_denied => Err("no params found".to_owned()),
        (true, false) if is_denied => {
            Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned())
        }
        _ => Ok(Found { objects: found, is_answered }),
    }
}

/// The Namespaces that every cluster has.
const OF_EVERY_CLUSTER: &[&str] = &["default", "kube-node-lease", "kube-public", "kube-system"];

/// The Namespaces that are known, where parameters are of that kind: those that are given, that of the request, and those of every
/// cluster.
fn namespaces(wanted: &Wanted<'_>, settings: &Settings, objects: &Directory<'_>) -> Option<Vec<Value>> {
    let of = Gvk::new("v1", "Namespace");
    if (wanted.api_version, wanted.kind) != ("v1", "Namespace") {
        return None;
    }
    let given = objects.of_kind(&of);
    let names = settings.namespaces.keys().chain(settings.namespace_labels.keys()).map(Str::as_str);
    let names = names.chain(given.iter().map(|object| object.name())).chain([wanted.namespace]);
    let mut all: Vec<&str> =
        names.chain(OF_EVERY_CLUSTER.iter().copied()).filter(|name| !name.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    let whole = |name: &str| {
        let mut namespace = namespace_of(name, settings, objects).0.unwrap_or_default();
        let fields = namespace.make_object();
        fields.insert("apiVersion", Value::from("v1"));
        fields.insert("kind", Value::from("Namespace"));
        namespace
    };
    Some(all.into_iter().map(whole).collect())
}

/// The definition of a custom kind: one that is given as such, or one among the objects.
fn definition<'v>(
    gvk: &Gvk,
    given: impl Iterator<Item = &'v Value>,
    objects: &Directory<'v>,
) -> Option<&'v Value> {
    let stored = objects.of_kind(&Gvk::new("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
    let mut all = given.chain(stored.into_iter().map(|object| &object.value));
    all.find(|definition| {
        definition.find_str(&["spec", "group"]) == gvk.group.as_str()
            && definition.find_str(&["spec", "names", "kind"]) == gvk.kind.as_str()
    })
}

/// Whether a definition serves a version.
fn serves(definition: &Value, version: &str) -> bool {
    let versions = definition.find(&["spec", "versions"]).and_then(Value::as_array).unwrap_or_default();
    versions.iter().any(|of| {
        of.find_str(&["name"]) == version && of.get("served").and_then(Value::as_bool) == Some(true)
    })
}
