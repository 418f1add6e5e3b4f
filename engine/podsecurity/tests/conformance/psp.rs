//! Suite `psp`: PodSecurityPolicy, from the choice of the policy to what it sets.

use crate::{hold_each, object, rows, with};
use engine_json::{Map, Value};
use engine_podsecurity::psp::{
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

/// A case of suite `psp` with what the admission says.
fn answer(case: &Value) -> Value {
    let list = |key: &str| case.get(key).and_then(Value::as_array).unwrap_or(&[]);
    let pod = without_nulls(case.get("pod").unwrap());
    let old_pod = case.get("oldPod").map(without_nulls);
    let request = Request {
        operation: if case.find_str(&["operation"]) == "CREATE" {
            Operation::Create
        } else {
            Operation::Update
        },
        name: pod.find_str(&["metadata", "name"]).to_owned(),
        namespace: pod.find_str(&["metadata", "namespace"]).to_owned(),
        user: User::named(case.find_str(&["user"])),
        pod: &pod,
        old_pod: old_pod.as_ref(),
    };
    let decision =
        review(&request, &Policies::new(list("policies"), Release::default()), &Grants(list("grants")));
    let errors: Map = list("policies")
        .iter()
        .map(|policy| (policy.find_str(&["metadata", "name"]), validity(policy)))
        .filter(|(_, errors)| !errors.is_empty())
        .map(|(name, errors)| (name, Value::from(aggregate(&errors))))
        .collect();
    with(case, [("out", out(&decision, &pod, errors))])
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
    object([
        ("policyErrors", if errors.is_empty() { Value::Null } else { Value::object(errors) }),
        ("admit", message(Pass::Admit)),
        ("validate", message(Pass::Validate)),
        ("allowed", Value::from(decision.allowed)),
        ("policy", noted.cloned().unwrap_or_default()),
        ("auditAnnotations", if notes.is_empty() { Value::Null } else { Value::object(notes) }),
        ("mutated", decision.pod.as_ref().map_or(Value::Null, mutated)),
    ])
}

/// What the row tells of the Pod in the end.
fn mutated(pod: &Value) -> Value {
    let find = |keys: &[&str]| pod.find(keys).cloned().unwrap_or_default();
    let containers = find(&["spec", "containers"]);
    let contexts = containers
        .as_array()
        .unwrap_or(&[])
        .iter()
        .map(|container| container.get("securityContext").cloned().unwrap_or_default());
    // The recorded Pods have been through the API's defaults.
    let context =
        pod.find(&["spec", "securityContext"]).cloned().unwrap_or_else(|| Value::object(Map::new()));
    let map: Map = [
        ("annotations", find(&["metadata", "annotations"])),
        ("securityContext", context),
        ("runtimeClassName", find(&["spec", "runtimeClassName"])),
        ("containers", Value::array(contexts.collect())),
    ]
    .into_iter()
    .collect();
    Value::object(map)
}

/// The value as the API server writes it: what is null is not set.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let set = map.iter().filter(|(_, value)| !value.is_null());
            Value::object(set.map(|(key, value)| (key.clone(), without_nulls(value))).collect())
        }
        Value::Array(list) => Value::array(list.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[test]
fn pod_security_policies_decide_and_speak_as_the_original() {
    let Some(rows) = rows("psp.jsonl") else { return };
    hold_each("psp.jsonl", &rows, answer);
}
