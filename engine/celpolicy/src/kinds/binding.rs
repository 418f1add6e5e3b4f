//! What binds a policy of Kubernetes to resources, and to parameters.
//!
//! In: documents. Out: the bindings of a policy, and the parameters that the CLI takes for one.
//! Mirrors: `pkg/admissionpolicy` of Kyverno 1.19 for the parameters.

use crate::apply::select;
use engine::apply::Effect;
use engine::body::Asked;
use engine::load::Host;
use engine::resource::{Gvk, Resource};
use engine_json::{Map, Str, Value};

/// The worst of the actions of a binding.
fn action(actions: &[&str]) -> Effect {
    let of = |action: &&str| match *action {
        "Deny" => Effect::Deny,
        "Warn" => Effect::Warn,
        _ => Effect::Report,
    };
    actions.iter().map(of).max().unwrap_or(Effect::Allow)
}

/// A reference to parameters as an API server stores it.
// Kubernetes: pkg/apis/admissionregistration/v1alpha1/defaults.go; the other versions refuse one that does not say it.
fn with_defaults(mut reference: Value, api_version: &str) -> Value {
    let field = "parameterNotFoundAction";
    if api_version.ends_with("/v1alpha1") && reference.find_str(&[field]).is_empty() {
        reference.make_object().insert(field, Value::from("Deny"));
    }
    reference
}

/// The texts of a list of the spec.
fn list<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    let list = value.find(&["spec", field]).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect()
}

/// A binding of a policy.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) name: Str,
    /// What it selects; nothing where it says nothing.
    pub(super) constraints: Option<Value>,
    /// Which parameters it takes; nothing where it takes none.
    pub(super) params: Option<Value>,
    /// What is done where the policy denies: the worst of what it names.
    pub(super) action: Effect,
}

impl Binding {
    /// The bindings of the policies of a kind that name this one.
    pub(super) fn all_of(kind: &str, policy: &Str, given: &[&Value]) -> Vec<Self> {
        let is_of_kind = |value: &&&Value| value.find_str(&["kind"]).strip_suffix("Binding") == Some(kind);
        let read = given.iter().filter(is_of_kind).map(|value| Binding::read(value));
        read.filter(|(named, _)| named == policy).map(|(_, binding)| binding).collect()
    }

    /// The binding that a document is, and the policy that it names.
    fn read(value: &Value) -> (Str, Self) {
        let field = |name: &str| value.find(&["spec", name]).filter(|value| !value.is_null()).cloned();
        let binding = Binding {
            name: Str::from(value.find_str(&["metadata", "name"])),
            constraints: field("matchResources"),
            params: field("paramRef")
                .map(|reference| with_defaults(reference, value.find_str(&["apiVersion"]))),
            action: action(&list(value, "validationActions")),
        };
        (Str::from(value.find_str(&["spec", "policyName"])), binding)
    }

    /// The parameters: of a selector a list of all it selects, else the first that is meant; null where there is none.
    // Kyverno: the namespace is not compared where a name is given, and the kind never.
    pub(super) fn params(&self, given: &[Resource]) -> Value {
        let Some(reference) = &self.params else { return Value::Null };
        if let Some(selector) = reference.get("selector").filter(|selector| !selector.is_null()) {
            let selected = given.iter().filter(|param| select(selector, &param.value));
            let items: Vec<Value> = selected.map(|param| param.value.clone()).collect();
            return if items.is_empty() {
                Value::Null
            } else {
                [("items", Value::array(items))].into_iter().collect::<Map>().into()
            };
        }
        let (name, namespace) = (reference.find_str(&["name"]), reference.find_str(&["namespace"]));
        let is_meant = |param: &&Resource| match (name, namespace) {
            ("", "") => false,
            ("", namespace) => param.namespace() == namespace,
            (name, _) => param.name() == name,
        };
        given.iter().find(is_meant).map_or(Value::Null, |param| param.value.clone())
    }
}

/// The objects that a policy's bindings can take as parameters of this kind: those that are given as such, and in the Playground,
/// which has no place for them, all of that kind.
pub(super) fn given_params(asked: &Asked<'_>, kind: Option<&(Str, Str)>) -> Vec<Resource> {
    let mut all = asked.settings.parameters.clone();
    if let Some((api_version, kind)) = kind.filter(|_| asked.host == Host::Playground) {
        all.extend(asked.objects.of_kind(&Gvk::new(api_version, kind)).into_iter().cloned());
    }
    all
}
