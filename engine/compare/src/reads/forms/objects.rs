//! Texts that are read as an object, and parts of images.

use super::Form;
use crate::search::texts::{IMAGES, images};
use engine_json::{Map, Value, to_json};

/// Functions that read an object from a text.
const READERS: [&str; 7] =
    ["json.unmarshal", "json.Unmarshal", "unmarshal", "parse_json", "parse_yaml", "yaml.parse", "parse"];

/// Whether a function reads an object from a text.
pub(super) fn is_reader(function: &str) -> bool {
    READERS.contains(&function)
}

/// What becomes the result.
pub(super) fn before(form: &Form, result: &Value) -> Vec<Value> {
    match form.function.as_str() {
        function if is_reader(function) => {
            // The keys on the way, the innermost last; an element has none.
            let wrapped =
                form.arguments.iter().rev().fold(result.clone(), |inner, step| match step.as_str() {
                    Some(key) => Value::object([(key, inner)].into_iter().collect::<Map>()),
                    None if step.is_null() => Value::array(vec![inner]),
                    None => inner,
                });
            vec![Value::from(to_json(&wrapped)), Value::from("{}")]
        }
        "marshal" | "json.marshal" | "json.Marshal" | "json.encode" => {
            let read = result.as_str().and_then(|text| engine::yaml::parse_one(text).ok());
            read.into_iter().collect()
        }
        "registry"
        | "repository"
        | "tag"
        | "digest"
        | "identifier"
        | "identifierWithSeparator"
        | "containsDigest" => {
            let of_text = result.as_str().map(images).unwrap_or_default();
            of_text.into_iter().chain(IMAGES.map(str::to_owned)).map(Value::from).collect()
        }
        "string" | "to_string" => {
            let number = result.as_str().and_then(|text| text.parse::<i64>().ok());
            number.map(Value::from).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
