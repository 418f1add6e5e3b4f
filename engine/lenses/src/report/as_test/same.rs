//! Whether an object is the one that a test expects.
//!
//! In: two objects. Out: whether they are the same but for empty values and Kyverno's own labels.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/resource/{compare,tidy,labels}.go.

use engine_json::{Map, Value};

/// Whether they are the same, with the labels of generated objects made the same.
pub fn is_same(actual: &Value, expected: &Value) -> bool {
    comparable(actual) == comparable(expected)
}

/// Without what is empty, and with every number a float.
pub fn comparable(object: &Value) -> Value {
    tidy(&with_fixed_labels(object)).unwrap_or_default().with_float_numbers()
}

// Kyverno: FixupGenerateLabels; both sides get the label, whether or not anything was generated.
fn with_fixed_labels(object: &Value) -> Value {
    let mut object = object.clone();
    let map = object.make_object();
    if map.get("metadata").is_none_or(|metadata| metadata.as_object().is_none()) {
        map.insert("metadata", Value::object(Map::new()));
    }
    let Some(metadata) = map.get_mut("metadata").map(Value::make_object) else { return object };
    let mut labels = Map::new();
    labels.insert("app.kubernetes.io/managed-by", Value::from("kyverno"));
    for (name, value) in metadata.get("labels").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        if !name.starts_with("generate.kyverno.io/") {
            labels.insert(name.clone(), value.clone());
        }
    }
    metadata.insert("labels", Value::object(labels));
    object
}

fn tidy(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(map) => {
            let kept: Map =
                map.sorted().into_iter().filter_map(|(key, item)| Some((key.clone(), tidy(item)?))).collect();
            (!kept.is_empty()).then(|| Value::object(kept))
        }
        Value::Array(list) => {
            let kept: Vec<Value> = list.iter().filter_map(tidy).collect();
            (!kept.is_empty()).then(|| Value::array(kept))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_json::parse;

    #[test]
    fn empty_values_and_generate_labels_make_no_difference() {
        let actual = parse(
            r#"{"metadata":{"labels":{"generate.kyverno.io/policy-name":"p"}},"spec":{"n":1,"x":null,"e":[{}]}}"#,
        );
        let expected = parse(r#"{"spec":{"n":1.0}}"#);
        assert!(is_same(&actual.unwrap(), &expected.unwrap()));
        let (one, other) = (parse(r#"{"a":""}"#).unwrap(), parse("{}").unwrap());
        assert!(!is_same(&one, &other));
    }
}
