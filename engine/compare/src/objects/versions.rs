//! Versions of one kind: an API server converts an object to the version that policies name.
//!
//! In: the policies of a side, and a request. Out: the request as it reaches them. Both webhooks of Kyverno and policies of the API server have the
//! match policy Equivalent where they say nothing else: a rule for `autoscaling/v2` is asked about an object of `autoscaling/v1` too, as one of `autoscaling/v2`.
//! Here such an object gets the other `apiVersion` and nothing else changes; kinds of whose fields that is not so are not tried.
// k8s.io/apiserver/pkg/admission/plugin/policy/matching/matching.go: matchesResourceRules; pkg/admission/plugin/webhook/generic/webhook.go:
// ShouldCallHook. Kyverno: pkg/controllers/webhook/controller.go and validating.go (MatchPolicy).

use crate::objects::kinds::{NamedKind, Target, named_kinds};
use crate::objects::schema::{Schema, Shape};
use crate::reads::tree::Tree;
use crate::request::Request;
use engine::resource::{Gvk, plural};
use engine_json::{Str, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Which versions of which kinds the policies of a side name: those of a group and a plural.
#[derive(Debug, Default)]
pub(crate) struct Versions(BTreeMap<(String, String), BTreeSet<String>>);

impl Versions {
    /// The versions that policies name; none where one of them is asked about no other (`matchPolicy: Exact`).
    pub(crate) fn named(policies: &[&Value]) -> Self {
        let is_exact = |policy: &&Value| {
            ["matchConstraints", "matchResources"]
                .iter()
                .any(|field| policy.find_str(&["spec", field, "matchPolicy"]) == "Exact")
        };
        let mut all: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        if policies.iter().any(is_exact) {
            return Versions(all);
        }
        for one in named_kinds(policies) {
            let NamedKind { group, version, name, is_plural } = one;
            let name = if is_plural { name } else { plural(&name) };
            // A version that no API server has is converted to by none.
            let is_named = version.contains('*') || is_served(&group, &version, &name);
            let versions = all.entry((group, name)).or_default();
            versions.extend(is_named.then_some(version));
        }
        Versions(all)
    }

    /// The version that an object of this one is converted to: none where policies name it, or no version of the kind.
    fn instead_of(&self, version: &str, kind: &str) -> Option<String> {
        let gvk = Gvk::new(version, kind);
        let name = plural(kind);
        let is_any = |group: &str| self.0.get(&(group.to_owned(), name.clone()));
        // What is named in every group is named in every version, or in one of an unknown group.
        if self.0.keys().any(|(group, known)| (group == "*" && *known == name) || known == "*") {
            return None;
        }
        let known = is_any(&gvk.group)?;
        if !is_served(&gvk.group, &gvk.version, &name) {
            return None;
        }
        if known.iter().any(|one| one.contains('*') || *one == *gvk.version) {
            return None;
        }
        let other = known.iter().next_back()?;
        Some(if gvk.group.is_empty() { other.clone() } else { format!("{}/{other}", gvk.group) })
    }

    /// The request as it reaches the policies, where it does not as it is.
    pub(crate) fn converted(&self, request: &Request) -> Option<Request> {
        let (version, kind) = (request.object.find_str(&["apiVersion"]), request.object.find_str(&["kind"]));
        let other = self.instead_of(version, kind)?;
        let with = |object: &Value| {
            let mut object = object.clone();
            object.make_object().insert("apiVersion", Value::from(other.as_str()));
            object
        };
        let mut converted = request.clone();
        converted.object = with(&request.object);
        converted.attributes.old = request.attributes.old.as_ref().map(with);
        Some(converted)
    }
}

/// Whether Kubernetes serves a version of a kind: of custom kinds it is not known.
fn is_served(group: &str, version: &str, plural_name: &str) -> bool {
    static SERVED: OnceLock<BTreeSet<(String, String, String)>> = OnceLock::new();
    let served = SERVED.get_or_init(|| {
        let schema = Schema::new();
        let of = |(version, kind): (&str, &str)| {
            let gvk = Gvk::new(version, kind);
            (gvk.group.to_string(), gvk.version.to_string(), plural(kind))
        };
        schema.kinds().map(of).collect()
    });
    served.contains(&(group.to_owned(), version.to_owned(), plural_name.to_owned()))
}

/// The targets that are tried, with what is to be said of versions that are converted; what cannot be tried is left out.
pub(crate) fn reaching(
    targets: Vec<Target>,
    sides: [&Versions; 2],
    reads: &Tree,
    schema: &Schema,
    left_out: &mut BTreeSet<String>,
) -> (Vec<Target>, Vec<String>) {
    let mut converted = Vec::new();
    let mut targets = with_siblings(targets, sides, schema);
    let served: Vec<Target> = targets
        .iter()
        .filter(|target| schema.kind(&target.version, &target.kind).is_some())
        .cloned()
        .collect();
    targets.retain(|target| match conversion(target, sides, reads, schema) {
        None => {
            let group = |target: &Target| Gvk::new(&target.version, &target.kind).group.to_string();
            let is_old = |other: &Target| other.kind == target.kind && group(other) == group(target);
            let is_unserved = !served.contains(target) && served.iter().any(is_old);
            if is_unserved {
                let what = format!("{} {}", target.version, target.kind);
                left_out.insert(format!("{what}, which Kubernetes 1.32 does not serve"));
            }
            !is_unserved
        }
        Some(Converted::Alike(line)) => {
            converted.push(line);
            true
        }
        Some(Converted::Unlike(line)) => {
            left_out.insert(line);
            false
        }
    });
    (targets, converted)
}

/// The targets with those versions of a kind beside them that Kubernetes serves too, where a policy names one version of it.
fn with_siblings(targets: Vec<Target>, sides: [&Versions; 2], schema: &Schema) -> Vec<Target> {
    let mut all = targets;
    for (version, kind) in schema.kinds() {
        let gvk = Gvk::new(version, kind);
        let is_stable = !version.contains("alpha") && !version.contains("beta");
        let is_sibling = |target: &Target| {
            target.kind == kind
                && target.version != version
                && Gvk::new(&target.version, kind).group == gvk.group
        };
        let new = Target { version: Str::new(version), kind: Str::new(kind) };
        let is_converted = sides.iter().any(|side| side.instead_of(version, kind).is_some());
        if is_stable && is_converted && all.iter().any(is_sibling) && !all.contains(&new) {
            all.push(new);
        }
    }
    all
}

/// What is to be said of a version that is converted for one side at least.
enum Converted {
    /// It differs in its `apiVersion` alone, in what is read.
    Alike(String),
    /// It has other fields.
    Unlike(String),
}

/// How a target reaches the sides, where it does not reach both as it is.
fn conversion(target: &Target, sides: [&Versions; 2], reads: &Tree, schema: &Schema) -> Option<Converted> {
    let others = sides.map(|side| side.instead_of(&target.version, &target.kind));
    let other = others.into_iter().flatten().next()?;
    let what = format!("{} {}", target.version, target.kind);
    let (of, to) = (schema.kind(&target.version, &target.kind), schema.kind(&other, &target.kind));
    Some(match (of, to) {
        (Some(of), Some(to)) if !are_alike(reads, &of, &to, schema) => Converted::Unlike(format!(
            "{what}, which an API server converts to {other} for policies that name that version: what they read differs"
        )),
        _ => Converted::Alike(format!(
            "{what} reaches policies that name {other} as that (matchPolicy Equivalent), and differs in its apiVersion alone in what they read"
        )),
    })
}

/// Whether two types have the same in the places that are read.
fn are_alike(reads: &Tree, one: &Shape, other: &Shape, schema: &Schema) -> bool {
    let is_metadata = |key: &Str| matches!(key.as_str(), "apiVersion" | "kind" | "metadata");
    reads.fields.iter().filter(|(key, _)| !is_metadata(key)).all(|(key, below)| {
        match (schema.field(one, key), schema.field(other, key)) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                one == other || has_fields(&one, &other) && are_alike(below, &one, &other, schema)
            }
            _ => false,
        }
    })
}

/// Whether both are objects, whose fields can be held against each other.
fn has_fields(one: &Shape, other: &Shape) -> bool {
    matches!((one, other), (Shape::Object(_), Shape::Object(_)))
}

#[cfg(test)]
mod tests {
    use super::Versions;
    use crate::request::Request;

    #[test]
    fn an_object_reaches_policies_in_the_version_that_they_name() {
        let policy = |versions: &str, rest: &str| {
            let text = format!(
                "{{kind: ValidatingPolicy, spec: {{matchConstraints: {{{rest}resourceRules: [{{apiGroups: [autoscaling], apiVersions: {versions}, resources: [horizontalpodautoscalers]}}]}}}}}}"
            );
            engine::yaml::parse_one(&text).unwrap_or_default()
        };
        let object = engine::yaml::parse_one("{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler}")
            .unwrap_or_default();
        let arrives = |policy: &engine_json::Value| {
            let converted = Versions::named(&[policy]).converted(&Request::of(object.clone()));
            converted.map(|request| request.object.find_str(&["apiVersion"]).to_owned())
        };
        assert_eq!(arrives(&policy("[v2]", "")).as_deref(), Some("autoscaling/v2"));
        assert_eq!(arrives(&policy("[v1, v2]", "")), None);
        assert_eq!(arrives(&policy("['*']", "")), None);
        assert_eq!(arrives(&policy("[v2]", "matchPolicy: Exact, ")), None);
    }
}
