//! Rewrites of policies that keep what they decide.
//!
//! In: a policy. Out: the same in other words: other orders, De Morgan, double negations, renamed variables, split rules and validations.

mod cel;
mod classic;

use engine::json::{Map, Str, Value};

/// What writes a policy in other words.
type Rewrite = fn(&Value) -> Value;

/// The rewrites, each with its name; those that change nothing in this policy are left out.
pub fn rewrites(policy: &Value) -> Vec<(&'static str, Value)> {
    let all: [(&'static str, Rewrite); 14] = [
        ("keys the other way round", keys_turned),
        ("kinds and names the other way round", selectors_turned),
        ("every expression negated twice", |policy| each_expression(policy, &|text| format!("!(!({text}))"))),
        ("every expression as a choice", |policy| {
            each_expression(policy, &|text| format!("({text}) ? true : false"))
        }),
        ("De Morgan", |policy| each_expression(policy, &cel::de_morgan)),
        ("operands exchanged", |policy| each_expression(policy, &cel::operands_exchanged)),
        ("has as an optional value", has_as_optional),
        ("validations split", cel::validations_split),
        ("validations as variables", cel::validations_named),
        ("variables renamed", variables_renamed),
        ("rules the other way round", rules_turned),
        ("rules split", classic::rules_split),
        ("blocks of one", classic::blocks_of_one),
        ("patterns the other way round", classic::patterns_turned),
    ];
    all.into_iter()
        .map(|(name, rewrite)| (name, rewrite(policy)))
        .filter(|(_, new)| differs(policy, new))
        .collect()
}

fn differs(old: &Value, new: &Value) -> bool {
    engine::yaml::emit::to_yaml_ordered(old) != engine::yaml::emit::to_yaml_ordered(new)
}

fn mapped(value: &Value, change: &dyn Fn(&str, Value) -> Value, key: &str) -> Value {
    let below = match value {
        Value::Object(map) => {
            Value::object(map.iter().map(|(key, item)| (key.clone(), mapped(item, change, key))).collect())
        }
        Value::Array(items) => Value::array(items.iter().map(|item| mapped(item, change, "")).collect()),
        other => other.clone(),
    };
    change(key, below)
}

fn turned(value: Value) -> Value {
    match value.as_array() {
        Some(items) => Value::array(items.iter().rev().cloned().collect()),
        None => value,
    }
}

fn keys_turned(policy: &Value) -> Value {
    let turn = |_: &str, value: Value| match value.as_object() {
        Some(map) => {
            Value::object(map.iter().rev().map(|(key, item)| (key.clone(), item.clone())).collect::<Map>())
        }
        None => value,
    };
    let Some(map) = policy.as_object() else { return policy.clone() };
    // Patches of mutation write keys in the order in which they stand.
    let is_mutation = engine::json::to_json(policy).contains("\"mutat");
    let spec = |key: &Str, item: &Value| {
        if key == "spec" && !is_mutation { mapped(item, &turn, "spec") } else { item.clone() }
    };
    Value::object(map.iter().map(|(key, item)| (key.clone(), spec(key, item))).collect())
}

fn selectors_turned(policy: &Value) -> Value {
    let turn = |key: &str, value: Value| {
        if matches!(key, "kinds" | "names" | "namespaces" | "operations" | "resources") {
            turned(value)
        } else {
            value
        }
    };
    mapped(policy, &turn, "")
}

fn rules_turned(policy: &Value) -> Value {
    // A rule after a mutation sees what it has left, and one after a rule that fails may not be asked.
    let text = engine::json::to_json(policy);
    let is_ordered = text.contains("\"mutate\"") || text.contains("\"applyRules\"");
    let turn = |key: &str, value: Value| if key == "rules" && !is_ordered { turned(value) } else { value };
    mapped(policy, &turn, "")
}

/// Changes the expressions that are conditions: those of validations and of match conditions.
fn each_expression(policy: &Value, change: &dyn Fn(&str) -> String) -> Value {
    let conditions = |key: &str, value: Value| {
        if !matches!(key, "validations" | "matchConditions" | "expressions" | "celPreconditions") {
            return value;
        }
        let items = value.as_array().unwrap_or_default().iter().map(|item| {
            let mut item = item.clone();
            let expression = item.find_str(&["expression"]).to_owned();
            if let Some(map) = item.object_mut().filter(|_| !expression.is_empty()) {
                map.insert("expression", Value::from(change(&expression)));
            }
            item
        });
        Value::array(items.collect())
    };
    mapped(policy, &conditions, "")
}

/// Autogen of MutatingPolicies moves `object.metadata.annotations` into templates, and leaves `object.metadata.?annotations` as it stands
/// (Kyverno: pkg/cel/policies/mpol/autogen/autogen.go): those policies decide something else.
fn has_as_optional(policy: &Value) -> Value {
    let is_moved = policy.find_str(&["kind"]).ends_with("MutatingPolicy");
    each_expression(policy, &|text| {
        let reads_metadata = is_moved && text.contains("object.metadata");
        if reads_metadata { text.to_owned() } else { cel::has_as_optional(text) }
    })
}

fn variables_renamed(policy: &Value) -> Value {
    let text = engine::json::to_json(policy);
    if !text.contains("variables.") || text.contains("\"variable\"") {
        return policy.clone();
    }
    let rename = |key: &str, value: Value| match (&value, key) {
        (Value::String(text), "expression" | "messageExpression" | "valueExpression") => {
            Value::from(text.replace("variables.", "variables.renamed_"))
        }
        (Value::Array(items), "variables") => {
            let items = items.iter().map(|item| {
                let mut item = item.clone();
                let name = format!("renamed_{}", item.find_str(&["name"]));
                if let Some(map) = item.object_mut() {
                    map.insert("name", Value::from(name));
                }
                item
            });
            Value::array(items.collect())
        }
        _ => value,
    };
    mapped(policy, &rename, "")
}
