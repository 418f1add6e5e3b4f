//! What an exclusion lifts of a fault.
//!
//! In: the exclusions of a control, a field, and what its values are. Out: never, always, or on a condition in CEL.

use super::words::{all, like_any};
use crate::expressions::formula::quoted;
use engine_json::Str;
use engine_podsecurity::exclude::Exclusion;

/// When a fault is lifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lifted {
    Never,
    Always,
    When(String),
}

/// What is held against the values of an exclusion.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// Nothing: something is missing, and every exclusion of the field lifts that.
    Missing,
    /// Always this text.
    Constant(&'static str),
    /// The text of an expression.
    Text(String),
    /// Each text of a list, but for those that are allowed anyway.
    Each(String, &'static [&'static str]),
    /// A number.
    Number(String),
}

/// When one of these exclusions lifts a fault of this field; the image is compared where the fault is of a container.
pub(super) fn lifted(exclusions: &[&Exclusion], field: &str, values: &Values, image: Option<&str>) -> Lifted {
    let mut conditions: Vec<String> = Vec::new();
    for exclusion in exclusions {
        let is_of_container = image.is_some();
        let is_meant = exclusion.restricted_field.is_empty() || exclusion.restricted_field == field;
        if exclusion.images.is_empty() == is_of_container || !is_meant {
            continue;
        }
        let valued = fitting(values, &exclusion.values);
        let imaged = image.and_then(|image| like_any(image, &exclusion.images));
        match (imaged, valued) {
            (_, Lifted::Never) => {}
            (None, Lifted::Always) => return Lifted::Always,
            (Some(only), Lifted::Always) | (None, Lifted::When(only)) => push(&mut conditions, only),
            (Some(image), Lifted::When(value)) => {
                push(&mut conditions, all(&[image, value]).replace('\n', "\n  "));
            }
        }
    }
    match conditions.as_slice() {
        [] => Lifted::Never,
        [one] => Lifted::When(one.clone()),
        several => Lifted::When(several.join(" || ")),
    }
}

fn push(conditions: &mut Vec<String>, one: String) {
    if !conditions.contains(&one) {
        conditions.push(one);
    }
}

/// Whether the values fit these patterns; all do where there are none.
fn fitting(values: &Values, patterns: &[Str]) -> Lifted {
    if patterns.is_empty() {
        return Lifted::Always;
    }
    let when = |condition: Option<String>| condition.map_or(Lifted::Always, Lifted::When);
    match values {
        Values::Missing => Lifted::Always,
        Values::Constant(text) => {
            let fits = patterns.iter().any(|pattern| engine::value::wildcard::matches(pattern, text));
            if fits { Lifted::Always } else { Lifted::Never }
        }
        Values::Text(expression) => when(like_any(expression, patterns)),
        Values::Each(expression, allowed) => {
            let with: Vec<Str> = allowed.iter().map(Str::new).chain(patterns.to_vec()).collect();
            when(like_any("value", &with).map(|like| {
                let like = like.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(&like);
                format!("{expression}.all(value, {like})")
            }))
        }
        Values::Number(expression) => {
            let is_number = |pattern: &&Str| pattern.parse::<i64>().is_ok_and(|n| n.to_string() == **pattern);
            let numbers: Vec<&str> = patterns.iter().filter(is_number).map(Str::as_str).collect();
            if numbers.len() == patterns.len() {
                return Lifted::When(format!("{expression} in [{}]", numbers.join(", ")));
            }
            when(like_any(&format!("string({expression})"), patterns))
        }
    }
}

/// The key of an annotation is like a field of which every run of digits is a star.
pub(super) fn key_condition(field: &str) -> Option<Lifted> {
    if field.is_empty() {
        return Some(Lifted::Always);
    }
    let key = field.strip_prefix("metadata.annotations[")?.strip_suffix(']')?;
    if !key.contains('*') {
        return Some(Lifted::When(format!("key == {}", quoted(key))));
    }
    let escaped: Vec<String> = key.split('*').map(|part| part.replace('.', "\\.")).collect();
    Some(Lifted::When(format!("key.matches({})", quoted(&format!("^{}$", escaped.join("[0-9]+"))))))
}
