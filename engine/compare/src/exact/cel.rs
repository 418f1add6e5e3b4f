//! What policies in CEL ask, if they are inside the fragment.
//!
//! In: a policy as written, and a kind. Out: the tests on each place of objects of that kind; or what of the policy is outside.

use crate::exact::asked::Test;
use crate::exact::asked::{Asked, Outside};
use crate::exact::classic::read_written_selector;
use crate::exact::language::TextTest;
use crate::exact::reader::Reader;
use crate::objects::kinds::CONTROLLERS;
use crate::reads::field_path::field_path;
use engine_celpolicy::policy::custom;
use engine_json::{Str, Value};

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

fn is_given(value: Option<&Value>) -> bool {
    value.is_some_and(|value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    })
}

/// Whether nothing but these fields is given.
fn has_only(value: &Value, fields: &[&str]) -> bool {
    let map = value.as_object();
    map.is_some_and(|map| {
        map.iter().all(|(key, item)| fields.contains(&key.as_str()) || !is_given(Some(item)))
    })
}

/// Notes what `validate.cel` of a rule asks: the rule as autogen has made it.
pub(crate) fn read_rule(cel: &Value, asked: &mut Asked) -> Result<(), Outside> {
    if !has_only(cel, &["expressions", "variables", "generate"]) {
        return Err("parameters or audit annotations of `validate.cel`");
    }
    let mut reader = Reader::new(asked, Vec::new());
    read_variables(cel.get("variables"), &mut reader)?;
    read_validations(cel.get("expressions"), &mut reader)
}

/// The fields of a policy in CEL that are looked at, or do not decide.
const SPEC: [&str; 9] = [
    "matchConstraints",
    "matchConditions",
    "variables",
    "validations",
    "failurePolicy",
    "validationActions",
    "evaluation",
    "autogen",
    "webhookConfiguration",
];

/// Notes what a policy asks of objects of a kind.
pub(crate) fn read(policy: &Value, kind: &str, asked: &mut Asked) -> Result<(), Outside> {
    let spec = policy.get("spec").unwrap_or(&Value::Null);
    if !matches!(policy.find_str(&["kind"]), "ValidatingPolicy" | "ValidatingAdmissionPolicy") {
        return Err("a kind of policies in CEL that does not validate");
    }
    if !has_only(spec, &SPEC) {
        return Err("parameters, audit annotations or other fields of a policy in CEL");
    }
    if !matches!(spec.find_str(&["evaluation", "mode"]), "" | "Kubernetes") {
        return Err("a mode of evaluation that is not Kubernetes");
    }
    if custom(policy).is_some() {
        return Err("templates of Pods in custom workloads");
    }
    read_constraints(spec.get("matchConstraints"), asked)?;
    // Only what is for Pods is taken to templates by autogen.
    let is_for_pods = list(spec.find(&["matchConstraints", "resourceRules"]))
        .iter()
        .any(|rule| list(rule.get("resources")).iter().any(|name| name.as_str() == Some("pods")));
    let template: &[&str] = match kind {
        _ if !is_for_pods => &[],
        "CronJob" => &["spec", "jobTemplate", "spec", "template"],
        kind if CONTROLLERS.iter().any(|(_, known)| *known == kind) => &["spec", "template"],
        _ => &[],
    };
    let mut reader = Reader::new(asked, field_path(template));
    for condition in list(spec.get("matchConditions")) {
        let value = reader.read(condition.find_str(&["expression"]))?;
        reader.as_truth(&value)?;
    }
    read_variables(spec.get("variables"), &mut reader)?;
    read_validations(spec.get("validations"), &mut reader)
}

/// A binding of a policy of the API server.
pub(crate) fn read_binding(binding: &Value, asked: &mut Asked) -> Result<(), Outside> {
    let spec = binding.get("spec").unwrap_or(&Value::Null);
    if !has_only(spec, &["policyName", "validationActions", "matchResources"]) {
        return Err("parameters of a binding");
    }
    read_constraints(spec.get("matchResources"), asked)
}

fn read_constraints(constraints: Option<&Value>, asked: &mut Asked) -> Result<(), Outside> {
    let Some(constraints) = constraints else { return Ok(()) };
    if !has_only(constraints, &["resourceRules", "excludeResourceRules", "objectSelector", "matchPolicy"]) {
        return Err("labels of the Namespace");
    }
    read_written_selector(constraints.get("objectSelector"), asked);
    for field in ["resourceRules", "excludeResourceRules"] {
        for rule in list(constraints.get(field)) {
            for name in list(rule.get("resources")).iter().filter_map(Value::as_str) {
                if name.contains(['*', '/']) {
                    return Err("kinds with wildcards, or subresources");
                }
            }
            for name in list(rule.get("resourceNames")).iter().filter_map(Value::as_str) {
                asked.test(&field_path(&["metadata", "name"]), Test::Text(TextTest::is(name)));
            }
        }
    }
    Ok(())
}

/// Whether a policy selects objects by labels: an update is for it where the object as it was is selected.
pub(crate) fn selects_objects(policy: &Value) -> bool {
    ["matchConstraints", "matchResources"]
        .iter()
        .any(|field| is_given(policy.find(&["spec", field, "objectSelector"])))
}

fn read_variables(variables: Option<&Value>, reader: &mut Reader<'_>) -> Result<(), Outside> {
    for variable in list(variables) {
        let value = reader.read(variable.find_str(&["expression"]))?;
        reader.name(Str::new(variable.find_str(&["name"])), value);
    }
    Ok(())
}

fn read_validations(validations: Option<&Value>, reader: &mut Reader<'_>) -> Result<(), Outside> {
    for validation in list(validations) {
        let value = reader.read(validation.find_str(&["expression"]))?;
        reader.as_truth(&value)?;
        // What cannot be said decides nothing, but what it asks outside can end an evaluation.
        let message = validation.find_str(&["messageExpression"]);
        let asks =
            ["resource", "http", "globalContext", "image", "authorizer", "json", "yaml", "x509", "time"];
        if asks.iter().any(|name| message.contains(name)) {
            return Err("a message that asks something outside");
        }
    }
    Ok(())
}
