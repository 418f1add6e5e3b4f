//! Answers of PodSecurityPolicy: which policy admits a Pod, what it changes, and the message of a refusal.
//!
//! In: a case with policies, grants, a user and a Pod. Out: the case with `out`: both passes, the policy, the notes for
//! the audit log and what the Pod looks like in the end.

use super::object;
use engine::json::{Map, Value};
use engine::podsecurity::psp::{
    Access, Decision, Operation, Pass, Policies, Release, Request, Use, User, aggregate, review, validity,
};

/// The grants of a row.
struct Grants<'r>(&'r [Value]);

impl Access for Grants<'_> {
    fn may(&self, what: &Use<'_>) -> bool {
        self.0.iter().any(|grant| {
            grant.find_str(&["user"]) == what.user.name
                && grant.find_str(&["policy"]) == what.policy
                && grant.find_str(&["apiGroup"]) == what.group
                && ["", what.namespace].contains(&grant.find_str(&["namespace"]))
        })
    }
}

/// Suite `psp`.
pub(super) fn decide(case: &Value) -> Value {
    let list = |key: &str| case.get(key).and_then(Value::as_array).unwrap_or_default();
    let pod = case.get("pod").map(without_nulls).unwrap_or_default();
    let old_pod = case.get("oldPod").map(without_nulls);
    let is_new = case.find_str(&["operation"]) == "CREATE";
    let request = Request {
        operation: if is_new { Operation::Create } else { Operation::Update },
        name: pod.find_str(&["metadata", "name"]).to_owned(),
        namespace: pod.find_str(&["metadata", "namespace"]).to_owned(),
        user: User::named(case.find_str(&["user"])),
        pod: &pod,
        old_pod: old_pod.as_ref(),
    };
    let policies = Policies::new(list("policies"), Release::default());
    let decision = review(&request, &policies, &Grants(list("grants")));
    let errors =
        list("policies").iter().map(|policy| (policy.find_str(&["metadata", "name"]), validity(policy)));
    let errors: Map = errors
        .filter(|(_, errors)| !errors.is_empty())
        .map(|(name, errors)| (name, Value::from(aggregate(&errors))))
        .collect();
    let mut answer = case.clone();
    if let Some(map) = answer.object_mut() {
        map.insert("out", out(&decision, &pod, errors));
    }
    answer
}

fn out(decision: &Decision, pod: &Value, errors: Map) -> Value {
    let message = |pass| match &decision.message {
        Some(message) if decision.refused_by == Some(pass) => Value::from(message.as_str()),
        _ => Value::Null,
    };
    let mut notes = Map::new();
    if let Some(policy) = decision.policy.as_ref().filter(|_| decision.pod.is_some()) {
        notes.insert("podsecuritypolicy.policy.k8s.io/admit-policy", Value::from(policy.as_str()));
    }
    if let Some(policy) = &decision.validated_by {
        notes.insert("podsecuritypolicy.policy.k8s.io/validate-policy", Value::from(policy.as_str()));
    }
    // The row says which policy is noted in the Pod in the end.
    let last = decision.pod.as_ref().unwrap_or(pod);
    let noted = last.find(&["metadata", "annotations", "kubernetes.io/psp"]).filter(|_| decision.allowed);
    let entries = [
        ("policyErrors", unless_empty(errors)),
        ("admit", message(Pass::Admit)),
        ("validate", message(Pass::Validate)),
        ("allowed", Value::from(decision.allowed)),
        ("policy", noted.cloned().unwrap_or_default()),
        ("auditAnnotations", unless_empty(notes)),
        ("mutated", decision.pod.as_ref().map_or(Value::Null, mutated)),
    ];
    Value::object(entries.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

/// What the row says of the Pod in the end.
fn mutated(pod: &Value) -> Value {
    let find = |keys: &[&str]| pod.find(keys).cloned().unwrap_or_default();
    let containers = find(&["spec", "containers"]);
    let contexts = containers
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(|container| container.get("securityContext").cloned().unwrap_or_default());
    // The recorded Pods have been through the API's defaults.
    let context =
        pod.find(&["spec", "securityContext"]).cloned().unwrap_or_else(|| Value::object(Map::new()));
    object([
        ("annotations", find(&["metadata", "annotations"])),
        ("securityContext", context),
        ("runtimeClassName", find(&["spec", "runtimeClassName"])),
        ("containers", Value::array(contexts.collect())),
    ])
}

fn unless_empty(map: Map) -> Value {
    if map.is_empty() { Value::Null } else { Value::object(map) }
}

/// The value as the API server writes it: what is null is not set.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let set = map.iter().filter(|(_, value)| !value.is_null());
            Value::object(set.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(list) => Value::array(list.iter().map(without_nulls).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
