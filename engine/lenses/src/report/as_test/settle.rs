//! What a test makes of what it has loaded, before anything is evaluated.
//!
//! In: a bundle as `apply` has it. Out: the bundle as a test has it.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, the first half of runTest.

use engine::load::{Bundle, Cluster, Role};
use engine::resource::{DocumentId, Resource};
use engine_json::arrange::Arrange as _;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Str, Value};

/// Leaves out what a test does not look at; gives the resources that were left out as they were there before.
pub fn settle(bundle: &mut Bundle) -> Vec<Resource> {
    leave_exceptions(bundle);
    keep_global_entries(bundle);
    remove_duplicates(bundle)
}

/// Leaves out the exceptions that stand beside policies.
// Kyverno: they are loaded and never looked at.
fn leave_exceptions(bundle: &mut Bundle) {
    let policies = bundle.sources.iter().map(|(role, _)| *role == Role::Policies).collect::<Vec<_>>();
    let stands_apart = |bundle: &Bundle, document: DocumentId| {
        let source = bundle.document(document).map(|document| document.source.0 as usize);
        !source.and_then(|at| policies.get(at).copied()).unwrap_or_default()
    };
    let mut exceptions = std::mem::take(&mut bundle.exceptions);
    exceptions.retain(|exception| stands_apart(bundle, exception.document));
    bundle.exceptions = exceptions;
}

/// Makes resources of the GlobalContextEntries among them again.
// Kyverno: only `apply` takes them for what they are; a test has `globalContextEntries`.
fn keep_global_entries(bundle: &mut Bundle) {
    let answers = &mut bundle.settings.answers;
    if !answers.has_entries {
        return;
    }
    answers.has_entries = false;
    answers.entries.clear();
    for (at, document) in bundle.documents.iter().enumerate() {
        let is_resource =
            bundle.sources.get(document.source.0 as usize).is_some_and(|(role, _)| *role == Role::Resources);
        if !is_resource || document.value.find_str(&["kind"]) != "GlobalContextEntry" {
            continue;
        }
        let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
        let mut value = document.value.with_float_numbers();
        let has_namespace = !value.find_str(&["metadata", "namespace"]).is_empty();
        if let Some(metadata) = value.make_object().get_mut("metadata").filter(|_| !has_namespace) {
            metadata.make_object().insert("namespace", Value::from("default"));
        }
        if !bundle.resources.iter().any(|known| known.document == id) {
            bundle.resources.push(Resource::new(value, id));
        }
    }
    bundle.resources.arrange_by_key(|resource| resource.document);
}

/// Only the first of several resources of one kind, namespace and name is evaluated; gives the others.
// Kyverno: RemoveDuplicates; the version does not count.
fn remove_duplicates(bundle: &mut Bundle) -> Vec<Resource> {
    let mut known = OrderedSet::new();
    let is_first = |resource: &Resource| {
        if resource.is_payload {
            return true;
        }
        let gvk = &resource.gvk;
        known.insert([gvk.group.as_str(), &gvk.kind, resource.namespace(), resource.name()].join("\n"))
    };
    let (kept, others) = std::mem::take(&mut bundle.resources).into_iter().partition(is_first);
    bundle.resources = kept;
    others
}

/// With a cluster, the labels of a namespace are those of its object, which has to be there.
///
/// # Errors
///
/// The original's words for a resource whose namespace is not there.
// Kyverno: policy_processor.go, ApplyPoliciesOnResource.
pub fn label_namespaces(bundle: &mut Bundle) -> Result<(), String> {
    let Cluster::Objects(objects) = &bundle.settings.answers.cluster else { return Ok(()) };
    for resource in &bundle.resources {
        let namespace = resource.namespace();
        let has_labels = bundle.settings.namespace_labels.contains_key(namespace);
        if has_labels || resource.kind() == "Namespace" || namespace.is_empty() {
            continue;
        }
        let object = objects.iter().find(|object| object.kind() == "Namespace" && object.name() == namespace);
        let Some(object) = object else {
            return Err(format!(
                "failed to apply policies on resource {} (failed to get the resource's namespace (namespaces \"{namespace}\" not found))",
                resource.name()
            ));
        };
        let labels = object.labels().into_iter().flat_map(Map::iter);
        let labels = labels.map(|(name, value)| (name.clone(), Str::new(value.as_str().unwrap_or(""))));
        bundle.settings.namespace_labels.insert(Str::new(namespace), labels.collect());
    }
    Ok(())
}
