//! Objects that policies take as their parameters (`paramKind`, `paramRef`).
//!
//! In: the kind that a policy names, and what its bindings refer to. Out: what `params` stands for in its expressions: objects of the
//! cluster, which the search makes as it makes all others that policies ask for.
//! Source: k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go `CollectParams`.

use crate::reads::field_path::{Step, field_path};
use crate::reads::{Origin, Reads};
use crate::search::cluster::Asked;
use engine::resource::{is_cluster_scoped, plural};
use engine_json::{Map, Str, Value};

/// The parameter that a binding means which is added to a policy without one.
pub(crate) const ADDED: &str = "params";

/// Where the values of `params` come from in the expressions of a policy, with the bindings of its side.
pub(crate) fn of_policy(policy: &Value, bindings: &[&Value], reads: &mut Reads) -> Option<Origin> {
    let kind = policy.find(&["spec", "paramKind"])?;
    let name = policy.find_str(&["metadata", "name"]);
    let own: Vec<&&Value> =
        bindings.iter().filter(|binding| binding.find_str(&["spec", "policyName"]) == name).collect();
    if own.is_empty() {
        let added = Value::object([("name", Value::from(ADDED))].into_iter().collect::<Map>());
        return Some(of_reference(kind, &added, reads));
    }
    let references = own.iter().filter_map(|binding| binding.find(&["spec", "paramRef"]));
    Some(references.fold(Origin::default(), |all, reference| all.and(of_reference(kind, reference, reads))))
}

/// The same of one reference.
pub(crate) fn of_reference(kind: &Value, reference: &Value, reads: &mut Reads) -> Origin {
    let (version, kind) = (kind.find_str(&["apiVersion"]), kind.find_str(&["kind"]));
    let name = reference.find_str(&["name"]);
    // The namespace of the request, where none is named.
    let namespace = match reference.find_str(&["namespace"]) {
        "" if is_cluster_scoped(version, kind) => Some(""),
        "" => None,
        namespace => Some(namespace),
    };
    if namespace.is_none() {
        // In another namespace there are others.
        reads.note_object(
            &field_path(&["metadata", "namespace"]),
            &[Value::from("default"), Value::from("x")],
        );
    }
    let asked = Asked::new(version, &plural(kind), namespace, Some(name));
    let Step::Key(step) = asked.step() else { return Origin::default() };
    reads.kinds.insert((Str::new(version), Str::from(plural(kind))), Str::new(kind));
    reads.parameters.insert(step);
    if !name.is_empty() {
        let whole = Origin::path(vec![asked.step()]);
        reads.note(&whole);
        return whole;
    }
    let items = [asked.step(), Step::Key(Str::new_static("items")), Step::Each];
    let mut note = |key: &str, values: &[Value]| {
        let labels = field_path(&["metadata", "labels", key]);
        let path = items.iter().cloned().chain(labels).collect();
        reads.note(&Origin { constants: values.to_vec(), ..Origin::path(path) });
    };
    let labels = reference.find(&["selector", "matchLabels"]).and_then(Value::as_object);
    for (key, value) in labels.into_iter().flat_map(Map::iter) {
        note(key, std::slice::from_ref(value));
    }
    let expressions = reference.find(&["selector", "matchExpressions"]).and_then(Value::as_array);
    for one in expressions.unwrap_or_default() {
        note(one.find_str(&["key"]), one.get("values").and_then(Value::as_array).unwrap_or_default());
    }
    let origin = Origin::path(items.to_vec());
    reads.note(&origin);
    origin
}
