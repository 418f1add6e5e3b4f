//! Controllers that pass while their Pods will not.
//!
//! In: controllers with their Pods as a mesh lets them arrive, and all verdicts. Out: one sentence for each controller that
//! no rule fails and whose Pod some rule fails.

use crate::commands::mesh::Pair;
use engine::apply::Status;
use engine_lenses::report::Response;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Kind, namespace and name.
type ObjectName = [String; 3];

fn place(kind: &str, namespace: &str, name: &str) -> ObjectName {
    [kind, namespace, name].map(str::to_owned)
}

/// The sentences.
pub(super) fn gaps(pairs: &[Pair], responses: &[Response<'_>]) -> String {
    let mut failed: BTreeMap<ObjectName, Vec<(&Response<'_>, &str)>> = BTreeMap::new();
    for response in responses.iter().filter(|_| !pairs.is_empty()) {
        let resource = response.resource;
        let namespace = if resource.namespace().is_empty() { "default" } else { resource.namespace() };
        let rules = response.rules.iter().filter(|rule| rule.status == Status::Fail);
        let named = rules.map(|rule| (response, rule.rule.as_str()));
        failed.entry(place(resource.kind(), namespace, resource.name())).or_default().extend(named);
    }
    let of = |kind: &str, namespace: &str, name: &str| {
        failed.get(&place(kind, namespace, name)).map(Vec::as_slice).unwrap_or_default()
    };
    let mut out = String::new();
    for Pair { namespace, written: (kind, name), pod, mesh, .. } in
        pairs.iter().filter(|one| one.written.0 != "Pod")
    {
        let of_pod = of("Pod", namespace, pod);
        if of_pod.is_empty() || !of(kind, namespace, name).is_empty() {
            continue;
        }
        let is_refused = of_pod.iter().any(|(response, _)| !response.audits);
        let fate = if is_refused { "refused" } else { "reported as failing" };
        let rules: Vec<String> =
            of_pod.iter().map(|(response, rule)| format!("{}/{rule}", response.policy.name)).collect();
        let _ = writeln!(
            out,
            "{kind} {namespace}/{name} passes, and its Pods will be {fate} as they arrive with {mesh}: {}",
            rules.join(", ")
        );
    }
    out
}
