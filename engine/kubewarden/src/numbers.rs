//! Numbers of an object that mutation has left: policies see every number as a `float64`, the API server does not.
//!
//! In: the object as it came and as policies have left it. Out: the latter, with the numbers that no policy has changed as they came.
//! Example: `9007199254740993` has no `float64`, and stays what it is.

use engine_json::{Number, Value};

/// The object with the numbers that are still the same as they were written.
pub(crate) fn restored(came: &Value, left: &Value) -> Value {
    match (came, left) {
        (Value::Number(before), Value::Number(after)) => {
            let is_same = before.as_f64().to_bits() == after.as_f64().to_bits();
            if is_same { came.clone() } else { whole(*after) }
        }
        (Value::Object(before), Value::Object(after)) => {
            let entries = after.iter().map(|(key, value)| {
                let before = before.get(key).unwrap_or(&Value::Null);
                (key.clone(), restored(before, value))
            });
            Value::object(entries.collect())
        }
        (Value::Array(before), Value::Array(after)) => {
            let items = after.iter().enumerate().map(|(at, value)| {
                let same = before.get(at).filter(|before| is_about(before, value));
                let named = || before.iter().find(|before| is_about(before, value));
                restored(same.or_else(named).unwrap_or(&Value::Null), value)
            });
            Value::array(items.collect())
        }
        _ => left.with_int_numbers(),
    }
}

fn whole(number: Number) -> Value {
    Value::Number(number).with_int_numbers()
}

/// Whether two elements of a list are the same one: by name, where they have one.
fn is_about(before: &Value, after: &Value) -> bool {
    before.find_str(&["name"]) == after.find_str(&["name"])
}

#[cfg(test)]
mod tests {
    use super::restored;
    use engine_json::{parse, to_json};

    #[test]
    fn unchanged_numbers_stay_as_they_came() {
        let came = r#"{"a":9007199254740993,"b":1.0,"list":[{"name":"x","n":9007199254740995},{"name":"y","n":2}],"gone":1}"#;
        let came = parse(came).unwrap();
        let left = r#"{"a":9007199254740992,"b":1,"list":[{"name":"new","n":5},{"name":"x","n":9007199254740996}],"c":3}"#;
        let left = parse(left).unwrap().with_float_numbers();
        let expected = r#"{"a":9007199254740993,"b":1,"c":3,"list":[{"n":5,"name":"new"},{"n":9007199254740995,"name":"x"}]}"#;
        assert_eq!(to_json(&restored(&came, &left)), expected);
    }
}
