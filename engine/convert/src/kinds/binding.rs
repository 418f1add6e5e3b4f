//! ValidatingAdmissionPolicies with their bindings as ValidatingPolicies.
//!
//! In: a policy of the API server and all bindings that were given. Out: a ValidatingPolicy for each binding of it, with the constraints of
//! both and the actions of the binding; or what Kyverno does not do.
//! Sources: Kubernetes' `policy/validating/dispatcher.go`, Kyverno's `pkg/cel/policies/vpol/compiler`.

use crate::kinds::{Made, copied, is_nothing, list, map, metadata, place_of, written};
use crate::refusal::{Class, Converted, Refusal, refuse};
use engine_celpolicy::policy::{Program, decode};
use engine_json::{Map, Path, Value};

/// Converts a policy; `bindings` are all that were given.
pub(crate) fn convert(document: &Value, bindings: &[&Value]) -> Made {
    let mut made = Made::default();
    let name = document.find_str(&["metadata", "name"]);
    let own: Vec<&Value> =
        bindings.iter().copied().filter(|one| one.find_str(&["spec", "policyName"]) == name).collect();
    if document.find(&["spec", "paramKind"]).is_some_and(|kind| !is_nothing(kind)) {
        let place = Path::from_keys(&["spec", "paramKind"]);
        made.refusals(Some(Refusal {
            class: Class::Setting,
            path: place,
            text: "parameters: a ValidatingPolicy has none; it can ask for objects with `resource.Get`"
                .into(),
        }));
        return made;
    }
    let bound: Vec<(String, Converted<Value>, Value)> = if own.is_empty() {
        made.policies
            .notes
            .push("no binding was given: the policy is taken as bound to everything with action Deny".into());
        let constraints = document.find(&["spec", "matchConstraints"]).cloned().unwrap_or_default();
        vec![(name.to_owned(), Ok(constraints), Value::array(vec![Value::from("Deny")]))]
    } else {
        own.iter()
            .map(|binding| {
                let of = binding.find_str(&["metadata", "name"]);
                let own_name = if own.len() == 1 { name.to_owned() } else { format!("{name}-{of}") };
                let actions = binding.find(&["spec", "validationActions"]).cloned().unwrap_or_default();
                (own_name, constraints(document, binding), actions)
            })
            .collect()
    };
    for (name, constraints, actions) in bound {
        match constraints {
            Ok(constraints) => made.policies.documents.push(policy(document, &name, constraints, actions)),
            Err(refusal) => made.refusals(Some(refusal)),
        }
    }
    let faults = made.policies.documents.first().map(compiled).unwrap_or_default();
    made.refusals(faults);
    made.beside = [own.into_iter().cloned().collect(), Vec::new()];
    made
}

/// Expressions that Kyverno does not compile, with what they use.
fn compiled(document: &Value) -> Vec<Refusal> {
    let Err(refused) = Program::new(&decode(document)) else { return Vec::new() };
    let one = |(field, fault): (String, engine_celpolicy::compile::Fault)| {
        let problem = fault.problems.first().map_or(fault.text.as_str(), |(_, problem)| problem.as_str());
        Refusal {
            class: Class::Expression,
            path: place_of(&field),
            text: if problem.contains("'authorizer") {
                "`authorizer` is the API server's: Kyverno does not know it".into()
            } else {
                format!("Kyverno does not compile it: `{problem}`")
            },
        }
    };
    refused.faults.into_iter().map(one).collect()
}

/// The constraints of the policy and of a binding, both of which must hold.
fn constraints(document: &Value, binding: &Value) -> Converted<Value> {
    let place = Path::from_keys(&["spec", "matchConstraints"]);
    let of_policy = document.find(&["spec", "matchConstraints"]).cloned().unwrap_or_default();
    let Some(of_binding) = binding.find(&["spec", "matchResources"]).filter(|value| !is_nothing(value))
    else {
        return Ok(of_policy);
    };
    let name = binding.find_str(&["metadata", "name"]);
    let policy_of = |constraints: &Value| match constraints.find_str(&["matchPolicy"]) {
        "" => "Equivalent".to_owned(),
        text => text.to_owned(),
    };
    if policy_of(&of_policy) != policy_of(of_binding) && of_binding.get("resourceRules").is_some() {
        let text = format!("binding `{name}` has another `matchPolicy` than the policy");
        return refuse(Class::Match, &place, text);
    }
    let mut made = of_policy.as_object().cloned().unwrap_or_default();
    for field in ["namespaceSelector", "objectSelector"] {
        let both = selector(of_policy.get(field), of_binding.get(field));
        if let Some(both) = both {
            made.insert(field, both);
        }
    }
    let narrowed = list(of_binding, "resourceRules");
    if !narrowed.is_empty() {
        let mut rules = Vec::new();
        for one in list(&of_policy, "resourceRules") {
            for other in narrowed {
                rules.extend(both(one, other).map_err(|why| Refusal {
                    class: Class::Match,
                    path: place.join("resourceRules"),
                    text: format!("binding `{name}` narrows {why}"),
                })?);
            }
        }
        if rules.is_empty() {
            let text = format!("binding `{name}` selects nothing that the policy selects");
            return refuse(Class::Match, &place, text);
        }
        made.insert("resourceRules", Value::array(rules));
    }
    let excluded: Vec<Value> = [&of_policy, of_binding]
        .into_iter()
        .flat_map(|constraints| list(constraints, "excludeResourceRules"))
        .cloned()
        .collect();
    if !excluded.is_empty() {
        made.insert("excludeResourceRules", Value::array(excluded));
    }
    Ok(Value::object(made))
}

/// A selector that selects what both select.
fn selector(one: Option<&Value>, other: Option<&Value>) -> Option<Value> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other).cloned() };
    let mut labels = one.get("matchLabels").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut expressions = list(one, "matchExpressions").to_vec();
    for (key, value) in other.get("matchLabels").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        if labels.get(key).is_none_or(|known| known == value) {
            labels.insert(key.clone(), value.clone());
        } else {
            expressions.push(map([
                ("key", Value::String(key.clone())),
                ("operator", Value::from("In")),
                ("values", Value::array(vec![value.clone()])),
            ]));
        }
    }
    expressions.extend(list(other, "matchExpressions").iter().cloned());
    let mut made = Map::new();
    if !labels.is_empty() {
        made.insert("matchLabels", Value::object(labels));
    }
    if !expressions.is_empty() {
        made.insert("matchExpressions", Value::array(expressions));
    }
    Some(Value::object(made))
}

/// A rule for what two rules are for; nothing where they have nothing in common.
fn both(one: &Value, other: &Value) -> Result<Option<Value>, String> {
    let mut made = Map::new();
    for field in ["apiGroups", "apiVersions", "operations", "resources"] {
        let (first, second) = (written(one, field), written(other, field));
        let is_wild = |list: &[&str]| list.contains(&"*") || list.contains(&"*/*");
        let has_part = |list: &[&str]| list.iter().any(|text| text.contains('/'));
        let common: Vec<&str> = if first == second || is_wild(&second) && !has_part(&first) {
            first
        } else if has_part(&first) || has_part(&second) {
            return Err("subresources".to_owned());
        } else if is_wild(&first) {
            second
        } else {
            first.into_iter().filter(|text| second.contains(text)).collect()
        };
        if common.is_empty() {
            return Ok(None);
        }
        made.insert(field, Value::array(common.into_iter().map(Value::from).collect()));
    }
    let (first, second) = (written(one, "resourceNames"), written(other, "resourceNames"));
    let names: Vec<&str> = match (first.is_empty(), second.is_empty()) {
        (true, _) => second,
        (_, true) => first,
        (false, false) => {
            let common: Vec<&str> = first.into_iter().filter(|name| second.contains(name)).collect();
            if common.is_empty() {
                return Ok(None);
            }
            common
        }
    };
    if !names.is_empty() {
        made.insert("resourceNames", Value::array(names.into_iter().map(Value::from).collect()));
    }
    match (one.find_str(&["scope"]), other.find_str(&["scope"])) {
        ("" | "*", "" | "*") => {}
        ("" | "*", scope) | (scope, "" | "*") => drop(made.insert("scope", Value::from(scope))),
        (scope, same) if scope == same => drop(made.insert("scope", Value::from(scope))),
        _ => return Ok(None),
    }
    Ok(Some(Value::object(made)))
}

/// The policy; autogen is off, as the API server extends no policy to controllers.
fn policy(document: &Value, name: &str, constraints: Value, actions: Value) -> Value {
    let source = document.get("spec").unwrap_or(&Value::Null);
    let mut spec = Map::new();
    spec.insert("validationActions", actions);
    if source.find_str(&["failurePolicy"]) == "Ignore" {
        spec.insert("failurePolicy", Value::from("Ignore"));
    }
    let for_pods =
        list(&constraints, "resourceRules").iter().any(|rule| written(rule, "resources") == ["pods"]);
    if for_pods {
        let controllers = map([("controllers", Value::array(Vec::new()))]);
        spec.insert("autogen", map([("podControllers", controllers)]));
    }
    spec.insert("matchConstraints", constraints);
    copied(&mut spec, source, &["matchConditions", "variables", "validations", "auditAnnotations"]);
    map([
        ("apiVersion", Value::from("policies.kyverno.io/v1")),
        ("kind", Value::from("ValidatingPolicy")),
        ("metadata", Value::object(metadata(document, name))),
        ("spec", Value::object(spec)),
    ])
}
