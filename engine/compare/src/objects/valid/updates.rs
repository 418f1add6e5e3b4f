//! What an update may change.
//!
//! In: an object as it was and as it is to be. Out: whether an API server takes the update, and an object as it could have been before, where
//! it does not. Of kinds that are not named here everything may change.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core,apps,batch,rbac}/validation/validation.go

use crate::objects::defaults::defaulted;
use crate::objects::kinds::is_pod;
use crate::request::{Operation, Request};
use engine_json::{Path, Value};

/// Kinds with a field that no update changes, and the way to it.
// ValidateDeploymentUpdate, ValidateDaemonSetUpdate, ValidateReplicaSetUpdate, ValidateStatefulSetUpdate, ValidateRoleBindingUpdate,
// ValidateClusterRoleBindingUpdate, ValidateSecretUpdate.
const FIXED: [(&str, &[&str]); 7] = [
    ("Deployment", &["spec", "selector"]),
    ("DaemonSet", &["spec", "selector"]),
    ("ReplicaSet", &["spec", "selector"]),
    ("StatefulSet", &["spec", "selector"]),
    ("RoleBinding", &["roleRef"]),
    ("ClusterRoleBinding", &["roleRef"]),
    ("Secret", &["type"]),
];

/// Whether an API server takes the update that a request is; true of other requests.
pub(super) fn is_allowed(request: &Request) -> bool {
    let Some(old) = updated(request) else { return true };
    let as_it_was = as_before(old, &request.object);
    as_it_was == *old || as_before(&defaulted(old), &defaulted(&request.object)) == defaulted(old)
}

/// Makes the object as it was one that may become what it is to be.
pub(crate) fn settle(request: &mut Request) {
    let Some(old) = updated(request) else { return };
    let before = as_before(old, &request.object);
    if before != *old {
        request.attributes.old = Some(before);
    }
}

/// The object as it was, where a request changes one of Kubernetes' own kinds.
fn updated(request: &Request) -> Option<&Value> {
    let is_update = request.attributes.operation == Operation::Update && request.subresource().is_none();
    request.attributes.old.as_ref().filter(|_| is_update)
}

/// An object as it could have been before: what no update changes is as it is to be.
fn as_before(old: &Value, new: &Value) -> Value {
    let kind = new.find_str(&["kind"]);
    if is_pod(new) {
        return pod_before(old, new);
    }
    let mut before = old.clone();
    for (_, keys) in FIXED.iter().filter(|(known, _)| *known == kind) {
        if before.find(keys) != new.find(keys) {
            before.put(&Path::from_keys(keys), new.find(keys).cloned());
        }
    }
    before
}

/// Of the spec of a Pod the images of containers change, and tolerations are added.
// ValidatePodUpdate; a deadline that is set or shortened is taken for one that stays.
fn pod_before(old: &Value, new: &Value) -> Value {
    let (Some(spec), Some(old_spec)) = (new.get("spec"), old.get("spec")) else { return old.clone() };
    if spec == old_spec {
        return old.clone();
    }
    let mut before_spec = spec.clone();
    for list in ["containers", "initContainers"] {
        let images = old_spec.get(list).and_then(Value::as_array).unwrap_or_default();
        let containers =
            before_spec.object_mut().and_then(|spec| spec.get_mut(list)).and_then(Value::array_mut);
        for (container, image) in containers.into_iter().flatten().zip(images) {
            if let Some(image) = image.get("image").filter(|image| container.get("image") != Some(image)) {
                container.make_object().insert("image", image.clone());
            }
        }
    }
    let tolerations = |spec: &Value| {
        spec.get("tolerations").and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default()
    };
    if tolerations(old_spec).iter().all(|one| tolerations(spec).contains(one)) {
        before_spec.put(&Path::from_keys(&["tolerations"]), old_spec.get("tolerations").cloned());
    }
    let mut before = old.clone();
    before.make_object().insert("spec", before_spec);
    before
}

#[cfg(test)]
mod tests {
    use super::{is_allowed, settle};
    use crate::request::{Attributes, Operation, Request};
    use engine_json::Value;

    fn pod(labels: &str, spec: &str) -> Value {
        let text = format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default, labels: {{{labels}}}}}, spec: {{{spec}}}}}"
        );
        engine::yaml::parse_one(&text).unwrap_or_default().with_int_numbers()
    }

    fn update(old: Value, object: Value) -> Request {
        let attributes =
            Attributes { operation: Operation::Update, old: Some(old), ..Attributes::creation() };
        Request { object, attributes }
    }

    #[test]
    fn labels_images_and_more_tolerations_change_and_nothing_else_of_a_pod() {
        let plain = "containers: [{name: c, image: a}]";
        let tolerating = "containers: [{name: c, image: a}], tolerations: [{operator: Exists}]";
        for (labels, from, to) in [
            ("", plain, plain),
            ("a: b", plain, "containers: [{name: c, image: b}]"),
            ("", plain, tolerating),
            // What an API server fills in is not a change.
            ("", plain, "containers: [{name: c, image: a}], restartPolicy: Always"),
        ] {
            assert!(is_allowed(&update(pod("", from), pod(labels, to))), "{from} to {to}");
        }
        for (from, to) in [
            (plain, "containers: [{name: c, image: a}], hostNetwork: true"),
            (plain, "containers: [{name: c, image: a}, {name: d, image: a}]"),
            (plain, "containers: [{name: c, image: a, securityContext: {privileged: true}}]"),
            (tolerating, plain),
        ] {
            let mut request = update(pod("a: b", from), pod("", to));
            assert!(!is_allowed(&request), "{from} to {to}");
            settle(&mut request);
            assert!(is_allowed(&request), "{from} to {to}");
            assert_eq!(request.object, pod("", to));
        }
    }

    #[test]
    fn what_no_update_changes_is_as_it_was() {
        let binding = |role: &str| {
            let text = format!(
                "{{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {{name: b}}, roleRef: {{kind: Role, name: {role}}}}}"
            );
            engine::yaml::parse_one(&text).unwrap_or_default()
        };
        assert!(is_allowed(&update(binding("a"), binding("a"))));
        assert!(!is_allowed(&update(binding("a"), binding("b"))));
    }
}
