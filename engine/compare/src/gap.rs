//! Differences that lie between the kinds of policies, whatever the policies say, or in texts that hardly an object has.
//!
//! In: a request and both responses. Out: the gap that it falls into, if it does. Such differences are shown beside others and end no
//! search: a rewrite of nearly every ClusterPolicy has them.

use crate::objects::schema::Schema;
use crate::objects::stored::stored;
use crate::request::{Operation, Request};
use crate::sides::side::{Response, Side};
use engine_json::{Map, Value, to_json};

/// What kinds of policies differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KindGap {
    /// Ephemeral containers are added through `pods/ephemeralcontainers`.
    EphemeralContainers,
    /// Autogen extends rules for Pods to ReplicationControllers.
    ReplicationControllers,
    /// Under Enforce a classic rule lets in updates of objects that failed before.
    ExistingViolations,
    /// An image that a side or a container runtime cannot read.
    UnreadableImages,
    /// A text of the object has `*` or `?`.
    Wildcards,
    /// A classic rule that mutates puts the elements that it changes before those that it leaves as they are.
    ElementOrder,
    /// `podSecurity` reads the annotations of a CronJob at the template of its Jobs.
    JobAnnotations,
}

impl KindGap {
    /// All of them, in the order in which they are shown.
    pub const ALL: [KindGap; 7] = [
        KindGap::EphemeralContainers,
        KindGap::ReplicationControllers,
        KindGap::ExistingViolations,
        KindGap::UnreadableImages,
        KindGap::Wildcards,
        KindGap::ElementOrder,
        KindGap::JobAnnotations,
    ];

    /// Whether it lies in a text that hardly an object in a cluster has.
    pub(crate) fn is_of_texts(self) -> bool {
        matches!(self, KindGap::UnreadableImages | KindGap::Wildcards)
    }

    /// A word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            KindGap::EphemeralContainers => "ephemeral-containers",
            KindGap::ReplicationControllers => "replication-controllers",
            KindGap::ExistingViolations => "existing-violations",
            KindGap::UnreadableImages => "unreadable-images",
            KindGap::Wildcards => "wildcards",
            KindGap::ElementOrder => "element-order",
            KindGap::JobAnnotations => "job-annotations",
        }
    }

    /// The gap in a sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            KindGap::EphemeralContainers => {
                "the request is for pods/ephemeralcontainers, as kubectl debug sends it: ClusterPolicies for Pods are asked about it, policies in CEL must name it"
            }
            KindGap::ReplicationControllers => {
                "autogen extends ClusterPolicies for Pods to ReplicationControllers, policies in CEL it does not"
            }
            KindGap::ExistingViolations => {
                "ClusterPolicies let in updates of objects that failed before (allowExistingViolations), policies in CEL do not"
            }
            KindGap::UnreadableImages => {
                "an image of it cannot be read as a reference by all that read images; with `registry.example/app:1.0`, `nginx`, `nginx:latest` and an image by digest in its place both sides decide the same, and no others were tried there"
            }
            KindGap::Wildcards => {
                "a text of the object has * or ?, which ClusterPolicies may read as wildcards and policies in CEL do not; with `x` in their place the difference is gone"
            }
            KindGap::ElementOrder => {
                "ClusterPolicies put the containers and volumes that they change before those that they leave as they are, policies in CEL keep their order"
            }
            KindGap::JobAnnotations => {
                "podSecurity of ClusterPolicies reads the annotations of a CronJob at the template of its Jobs, policies in CEL at that of its Pods"
            }
        }
    }
}

/// Lists whose order decides nothing in a cluster; init containers run in theirs.
const UNORDERED: [&str; 3] = ["containers", "ephemeralContainers", "volumes"];
/// How deep an object is looked into.
const MAX_DEPTH: usize = 40;

/// Whether both let in the same object but for the order of such lists.
fn is_order(request: &Request, old: &Response, new: &Response, schema: &Schema) -> bool {
    let left = |response: &Response| {
        let object = response.object.as_ref().unwrap_or(&request.object);
        // Beside their order the objects may differ in what an API server does not store.
        stored(object, schema).map(|object| to_json(&arranged(&object, 0)))
    };
    old.effect == new.effect && old.object.is_some() && left(old) == left(new)
}

fn arranged(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(map) if depth < MAX_DEPTH => {
            let entries = map.iter().map(|(key, value)| {
                let made = arranged(value, depth + 1);
                let list = made.as_array().filter(|_| UNORDERED.contains(&key.as_str()));
                let ordered = list.map(|list| {
                    let mut list = list.to_vec();
                    list.sort_by_cached_key(to_json);
                    Value::array(list)
                });
                (key.clone(), ordered.unwrap_or(made))
            });
            Value::object(Map::from_entries(entries.collect()))
        }
        Value::Array(list) if depth < MAX_DEPTH => {
            Value::array(list.iter().map(|one| arranged(one, depth + 1)).collect())
        }
        other => other.clone(),
    }
}

/// Where annotations of AppArmor and seccomp stand in a CronJob.
const OF_JOBS: [&[&str]; 2] = [
    &["spec", "jobTemplate", "metadata", "annotations"],
    &["spec", "jobTemplate", "spec", "template", "metadata", "annotations"],
];
/// How their keys begin.
const PROFILES: [&str; 3] = [
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "seccomp.security.alpha.kubernetes.io/",
];

/// Whether a CronJob has such annotations.
fn has_profiles(object: &Value) -> bool {
    let mut all = OF_JOBS.iter().filter_map(|keys| object.find(keys)?.as_object());
    all.any(|map| map.keys().any(|key| PROFILES.iter().any(|begin| key.starts_with(begin))))
}

/// The gap that a difference of these sides falls into; none lies between sides that both have ClusterPolicies, or neither.
pub(crate) fn gap(
    request: &Request,
    [old, new]: [&Response; 2],
    sides: [&Side<'_>; 2],
    schema: &Schema,
) -> Option<KindGap> {
    let [is_old_classic, is_new_classic] = sides.map(Side::is_classic);
    if is_old_classic == is_new_classic {
        return None;
    }
    // Where policies in CEL name the subresource, what they decide about it is their own.
    let names_subresource = |side: &Side<'_>| !side.is_classic() && side.names_ephemeral();
    if request.adds_ephemeral() && !sides.into_iter().any(names_subresource) {
        return Some(KindGap::EphemeralContainers);
    }
    let is_replication = request.object.find_str(&["kind"]) == "ReplicationController";
    let of_autogen = |response: &Response| response.rules.keys().any(|name| name.contains("/autogen-"));
    let is_gap = |one: &Response, other: &Response| of_autogen(one) && other.rules.is_empty();
    if is_replication && (is_gap(old, new) || is_gap(new, old)) {
        return Some(KindGap::ReplicationControllers);
    }
    let is_classic = |response: &Response| response.rules.keys().any(|name| !name.ends_with('/'));
    if is_classic(old) != is_classic(new) && is_order(request, old, new, schema) {
        return Some(KindGap::ElementOrder);
    }
    let is_update = request.attributes.operation == Operation::Update;
    if is_update && (old.allows_existing || new.allows_existing) {
        return Some(KindGap::ExistingViolations);
    }
    let of_jobs = |response: &Response| response.rules.keys().any(|name| name.contains("/autogen-cronjob-"));
    let is_cron_job = request.object.find_str(&["kind"]) == "CronJob";
    let is_of_profiles = is_cron_job && (of_jobs(old) || of_jobs(new)) && has_profiles(&request.object);
    is_of_profiles.then_some(KindGap::JobAnnotations)
}
