//! Bindings for policies of the API server that a side has without one.
//!
//! In: what was read, and for which kinds of policies bindings are given. Out: the text of bindings to everything, and words for each.

use crate::objects::kinds::map;
use crate::reads::params::ADDED;
use engine::Bundle;
use engine::policy::PolicyKind;
use engine::resource::DocumentId;
use engine_json::Value;
use engine_lenses::wire::Text;

/// What differs where one side alone has policies of the API server that no binding names: those decide nothing until one does.
pub(crate) fn unlike_bindings(are_unbound: [bool; 2]) -> Option<String> {
    let side = match are_unbound {
        [true, false] => "old",
        [false, true] => "new",
        _ => return None,
    };
    Some(format!("the {side} side has policies without a binding, which decide nothing until one names them"))
}

/// For which kinds of policies of the API server bindings are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    validating: bool,
    mutating: bool,
}

impl Given {
    /// Those of a side.
    pub(crate) fn of(bundle: &Bundle) -> Self {
        let has = |kind: &str| bundle.bindings.iter().any(|(_, binding)| binding.find_str(&["kind"]) == kind);
        Given {
            validating: has("ValidatingAdmissionPolicyBinding"),
            mutating: has("MutatingAdmissionPolicyBinding"),
        }
    }

    fn has(self, kind: &str) -> bool {
        if kind == "ValidatingAdmissionPolicy" { self.validating } else { self.mutating }
    }
}

/// Bindings for policies of the API server that have none, and of whose kind neither this side nor the other one has any: without a
/// binding they decide nothing.
pub(crate) fn missing_bindings(bundle: &Bundle, on_other: Given) -> (Option<Text>, Vec<String>) {
    let own = Given::of(bundle);
    let mut text = String::new();
    let mut added = Vec::new();
    for policy in &bundle.policies {
        let PolicyKind::Extension(kind @ ("ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy")) =
            policy.kind
        else {
            continue;
        };
        let is_bound = |binding: &(DocumentId, Value)| {
            binding.1.find_str(&["spec", "policyName"]) == policy.name.as_str()
        };
        if bundle.bindings.iter().any(is_bound) {
            continue;
        }
        // Who writes bindings means what they bind; without any they are taken to lie elsewhere.
        if own.has(kind) {
            added.push(format!("`{}` decides nothing: no binding that is given names it", policy.name));
            continue;
        }
        // Where they are not elsewhere on one side, they are lost on the other.
        if on_other.has(kind) {
            added.push(format!(
                "`{}` decides nothing: it has no binding, and the other side has some",
                policy.name
            ));
            continue;
        }
        let mut spec = map([("policyName", Value::String(policy.name.clone()))]);
        if kind == "ValidatingAdmissionPolicy" {
            spec.insert("validationActions", Value::array(vec![Value::from("Deny")]));
        }
        let takes_parameters = bundle.documents.iter().map(|document| &document.value).any(|document| {
            document.find_str(&["kind"]) == kind
                && document.find_str(&["metadata", "name"]) == policy.name.as_str()
                && document.find(&["spec", "paramKind"]).is_some()
        });
        if takes_parameters {
            let reference = [("name", Value::from(ADDED)), ("parameterNotFoundAction", Value::from("Deny"))];
            spec.insert("paramRef", Value::object(map(reference)));
        }
        let binding = map([
            ("apiVersion", Value::String(policy.api_version.clone())),
            ("kind", Value::from(format!("{kind}Binding"))),
            ("metadata", Value::object(map([("name", Value::String(policy.name.clone()))]))),
            ("spec", Value::object(spec)),
        ]);
        text.push_str("---\n");
        text.push_str(&engine::yaml::emit::to_yaml_ordered(&Value::object(binding)));
        added.push(format!(
            "`{}` has no binding: it is compared as if bound to everything{}{}",
            policy.name,
            if kind == "ValidatingAdmissionPolicy" { " with action Deny" } else { "" },
            if takes_parameters { ", and to a parameter that must be there" } else { "" }
        ));
    }
    let text = (!text.is_empty()).then(|| Text { name: "bindings".to_owned(), text });
    (text, added)
}
