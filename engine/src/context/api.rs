//! Answers of the Kubernetes API out of the objects that are at hand.
//!
//! In: a path such as `/api/v1/namespaces/default/secrets/db`. Out: the object, or a list of objects; or Kyverno's
//! words for what is not there.
//! Mirrors: pkg/clients/dclient/client.go rawAbsPathForFakeClient, with which the CLI serves `apiCall`.

use super::directory::Listed;
use crate::cluster::{Cluster, Wanted};
use crate::resource::{ApiPath, Gvk, Resource, plural};
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Str, Value};

/// Resources that the original's stand-in for a cluster knows even where it holds none of them.
// Kyverno: NewFakeDiscoveryClient.
const ALWAYS_KNOWN: &[(&str, &str)] = &[
    ("configmaps", ""),
    ("endpoints", ""),
    ("namespaces", ""),
    ("resourcequotas", ""),
    ("secrets", ""),
    ("serviceaccounts", ""),
    ("daemonsets", "apps"),
    ("deployments", "apps"),
    ("statefulsets", "apps"),
];

/// Where objects are looked for: among those that are given, and in the cluster of a `generate` rule before them.
pub(super) struct ObjectSources<'o> {
    pub(super) given: Vec<&'o Listed<'o>>,
    pub(super) cluster: Option<&'o Cluster>,
}

impl ObjectSources<'_> {
    /// The kind of the first object that a path means.
    fn kind(&self, path: &ApiPath<'_>) -> Option<Gvk> {
        self.cluster.and_then(|cluster| cluster.kind(path.plural())).or_else(|| {
            let (group, version, plural) = path.plural();
            self.given.iter().find_map(|list| {
                let kinds = list.index().by_plural(group, version, plural);
                let first = kinds.filter_map(|(gvk, of)| Some((of.all().next()?, gvk)));
                first.min_by_key(|(place, _)| *place).map(|(_, gvk)| gvk)
            })
        })
    }

    /// Group, version and plural under which the original finds a kind that it does not know by its path: of any group.
    // Kyverno: fakeDiscoveryClient.GetGVRFromGVK.
    fn by_name(&self, kind: &str) -> Option<(Str, Str, String)> {
        let name = format!("{}s", kind.to_lowercase());
        let given = self.given.iter().find_map(|list| {
            let kinds = list.index().kinds().filter(|(gvk, _)| plural(&gvk.kind) == name);
            let first = kinds.filter_map(|(gvk, of)| Some((of.all().next()?, gvk)));
            first.min_by_key(|(place, _)| *place).map(|(_, gvk)| (gvk.group, gvk.version))
        });
        let known = || {
            let row = ALWAYS_KNOWN.iter().find(|(known, _)| *known == name);
            row.map(|(_, group)| (Str::new_static(group), Str::new_static("v1")))
        };
        given.or_else(known).map(|(group, version)| (group, version, name))
    }

    /// The plural that a path lists, where no object of such a kind is at hand.
    pub(super) fn unknown_list<'p>(&self, path: &'p str) -> Option<&'p str> {
        let wanted = ApiPath::parse(path.trim_start_matches('/')).filter(|path| path.name.is_empty())?;
        self.kind(&wanted).is_none().then_some(wanted.resource)
    }

    /// The objects that are wanted of those that a path means, those of the cluster first.
    fn objects(&self, path: &ApiPath<'_>, wanted: Wanted<'_>) -> Vec<Resource> {
        let (group, version, plural) = path.plural();
        let mut found =
            self.cluster.map_or_else(Vec::new, |cluster| cluster.by_plural(path.plural(), wanted));
        let is_known = |object: &&Resource| {
            self.cluster.is_some_and(|cluster| cluster.holds(&object.gvk, object.namespace(), object.name()))
        };
        for list in &self.given {
            let kinds = list.index().by_plural(group, version, plural);
            let mut places: Vec<usize> = kinds.flat_map(|(_, of)| wanted.places(of)).collect();
            places.arrange();
            let given = places.into_iter().filter_map(|at| list.objects.get(at));
            found.extend(given.filter(|object| !is_known(object)).cloned());
        }
        found
    }
}

/// The answer to a GET of this path.
pub(super) fn get(place: &ObjectSources<'_>, path: &str) -> Result<Value, String> {
    let path = path.trim_start_matches('/');
    let wanted = ApiPath::parse(path).ok_or_else(|| format!("failed to parse path: {path}"))?;
    let known = place.kind(&wanted);
    let guessed = || Gvk {
        group: Str::new(wanted.group),
        version: Str::new(wanted.version),
        kind: Str::from(singular(wanted.resource)),
    };
    let gvk = known.clone().unwrap_or_else(guessed);
    let elsewhere = if known.is_none() { place.by_name(&gvk.kind) } else { None };
    let found_at = match &elsewhere {
        Some((group, version, resource)) => ApiPath { group, version, resource, ..wanted },
        None => wanted,
    };
    if wanted.name.is_empty() {
        let gvk = place.kind(&found_at).unwrap_or(gvk);
        // Kyverno: the stand-in of the cluster lists by namespace and name (client-go testing, filterByNamespace).
        let mut found = place.objects(&found_at, Wanted::Of(wanted.namespace));
        found.arrange_by(|a, b| (a.namespace(), a.name()).cmp(&(b.namespace(), b.name())));
        let items: Vec<Value> = found.into_iter().map(|object| object.value).collect();
        let entries = [
            ("apiVersion", Value::from(api_version(&gvk))),
            ("items", Value::array(items)),
            ("kind", Value::from(format!("{}List", gvk.kind))),
            ("metadata", Map::from_iter([("resourceVersion", Value::from(""))]).into()),
        ];
        return Ok(entries.into_iter().collect::<Map>().into());
    }
    let object = place.objects(&found_at, Wanted::One(wanted.namespace, wanted.name)).into_iter().next();
    object.map(|object| object.value).ok_or_else(|| {
        let resource = match (known.is_some() || elsewhere.is_some(), found_at.group) {
            (false, _) => String::new(),
            (true, "") => found_at.resource.to_owned(),
            (true, group) => format!("{}.{group}", found_at.resource),
        };
        let (api_version, name) = (api_version(&gvk), wanted.name);
        format!("failed to get resource {api_version}/{}/{name}: {resource} \"{name}\" not found", gvk.kind)
    })
}

fn api_version(gvk: &Gvk) -> String {
    if gvk.group.is_empty() { gvk.version.to_string() } else { format!("{}/{}", gvk.group, gvk.version) }
}

/// The kind that a plural seems to mean.
// Kyverno: inferKindFromResourceName.
fn singular(resource: &str) -> String {
    let stem = resource.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let stem = stem.or_else(|| resource.strip_suffix("es").map(str::to_owned));
    let stem =
        stem.or_else(|| resource.strip_suffix('s').map(str::to_owned)).unwrap_or_else(|| resource.to_owned());
    let mut chars = stem.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
