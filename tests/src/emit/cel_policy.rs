//! What policies in CEL say, in the recorded format.
//!
//! In: what came of them. Out: rows beside those of other policies, and the text with which the original ends a run.

use engine::json::{Map, Value};
use engine::load::Bundle;
use engine_celpolicy::apply::{Outcome, Verdict};

/// The rows, one result for each policy and resource.
pub(super) fn results(outcome: &Outcome, bundle: &Bundle) -> Vec<Value> {
    outcome.verdicts.iter().filter_map(|verdict| result(verdict, outcome, bundle)).collect()
}

/// The text with which the original ends its run at the first resource, where a policy does not compile.
pub(super) fn refusal(outcome: &Outcome, bundle: &Bundle) -> Option<String> {
    let (place, refused) = outcome.refused.first()?;
    let policy = outcome.policies.get(*place)?;
    let resource = bundle.resources.first()?.name();
    let why = format!("failed to compile policy {} ({})", policy.name, refused.text);
    Some(format!("failed to apply policies on resource {resource} ({why})"))
}

fn result(verdict: &Verdict, outcome: &Outcome, bundle: &Bundle) -> Option<Value> {
    let policy = outcome.policies.get(verdict.policy)?;
    let resource = bundle.resources.get(verdict.resource)?;
    let row = &verdict.row;
    let mut rule = Map::new();
    rule.insert("rule", Value::from(row.rule));
    rule.insert("type", Value::from("Validation"));
    rule.insert("status", Value::from(row.status.as_str()));
    rule.insert("message", Value::from(row.message.as_str()));
    if !row.properties.is_empty() {
        let properties = row.properties.iter();
        let properties: Map =
            properties.map(|(key, value)| (key.as_str(), Value::from(value.as_str()))).collect();
        rule.insert("properties", Value::object(properties));
    }
    if !row.exceptions.is_empty() {
        let keys = row.exceptions.iter().map(|key| Value::from(key.as_str()));
        rule.insert("exceptions", Value::array(keys.collect()));
    }
    let mut entry = Map::new();
    entry.insert("policyKind", Value::from(policy.kind.as_str()));
    entry.insert("policy", Value::from(policy.name.as_str()));
    entry.insert("resource", Value::from(resource.key()));
    if !policy.namespace.is_empty() {
        entry.insert("policyNamespace", Value::from(policy.namespace.as_str()));
    }
    entry.insert("rules", Value::array(vec![Value::object(rule)]));
    Some(Value::object(entry))
}
