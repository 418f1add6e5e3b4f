//! Strings in which no wildcards are taken to stand, where a caller says so.
//!
//! In: the ends of field paths, an object. Out: whether no string there has `*` or `?`.

use engine::value::{Duration, Quantity};
use engine_json::Value;

/// Strings, and keys of maps, that are taken to have no `*` and no `?`: Kyverno's operators of the family `In` take what an object has for a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainValue {
    /// The last keys on the way to it, without those of lists; every string of the object where there are none.
    pub keys: Vec<String>,
    /// Whether `*` alone may stand there, as in the rules of roles.
    pub may_be_all: bool,
    /// The keys of a field that Kyverno compares with the string as amounts are compared, where both are some, and an absent one as 0: there
    /// the string is taken to be no amount that is written otherwise.
    pub compared_with: Option<Vec<String>>,
}

/// How deep an object is looked into.
const MAX_DEPTH: usize = 40;

impl PlainValue {
    /// Which strings, and what they have not, in words.
    pub fn describe(&self) -> String {
        if let Some(field) = &self.compared_with {
            let (one, other) = (self.keys.join("."), field.join("."));
            return format!(
                "`{one}` not an amount such as `1` or `0m` where `{other}` is another one or absent"
            );
        }
        let place =
            if self.keys.is_empty() { "strings".to_owned() } else { format!("`{}`", self.keys.join(".")) };
        let but = if self.may_be_all { ", but for `*` alone" } else { "" };
        format!("{place} without `*` and `?`{but}")
    }

    /// Whether the field is there, and both are written alike if they are amounts.
    fn is_written_alike(&self, field: &[String], object: &Value) -> bool {
        let text = |keys: &[String]| {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            object
                .find(&keys)
                .map(|value| value.as_str().map_or_else(|| engine_json::to_json(value), str::to_owned))
        };
        let is_amount = |text: &String| Quantity::parse(text).is_ok() || Duration::parse(text).is_ok();
        let Some(one) = text(&self.keys).filter(is_amount) else { return true };
        text(field).is_some_and(|other| other == one || !is_amount(&other))
    }

    fn takes(&self, value: &Value, path: &mut Vec<String>) -> bool {
        match value {
            Value::String(text) => {
                let is_meant = path.ends_with(&self.keys);
                !is_meant || !text.contains(['*', '?']) || (self.may_be_all && **text == *"*")
            }
            Value::Array(items) => items.iter().all(|item| self.takes(item, path)),
            Value::Object(map) if path.len() < MAX_DEPTH => map.iter().all(|(key, value)| {
                let is_meant = !self.keys.is_empty() && path.ends_with(&self.keys);
                if is_meant && key.contains(['*', '?']) {
                    return false;
                }
                path.push(key.to_string());
                let is_taken = self.takes(value, path);
                path.pop();
                is_taken
            }),
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }
}

/// Whether an object has only such strings.
pub(crate) fn all_are_plain(plain: &[PlainValue], object: &Value) -> bool {
    plain.iter().all(|one| match &one.compared_with {
        Some(field) => one.is_written_alike(field, object),
        None => one.takes(object, &mut Vec::new()),
    })
}

#[cfg(test)]
mod tests {
    use super::{PlainValue, all_are_plain};
    use engine::yaml::parse_one;

    #[test]
    fn strings_at_the_ends_of_paths_are_meant() {
        let object = parse_one(
            "spec: {template: {spec: {containers: [{image: 'a*', name: 'b?'}]}}, hosts: ['*'], labels: {'a*': b}}",
        );
        let object = object.unwrap();
        let plain = |keys: &[&str], may_be_all| PlainValue {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            may_be_all,
            compared_with: None,
        };
        for (one, expected) in [
            (plain(&["spec", "containers", "image"], false), false),
            (plain(&["containers", "image"], true), false),
            (plain(&["metadata", "image"], false), true),
            (plain(&["hosts"], false), false),
            (plain(&["hosts"], true), true),
            (plain(&[], true), false),
            (plain(&["labels"], false), false),
        ] {
            assert_eq!(all_are_plain(std::slice::from_ref(&one), &object), expected, "{one:?}");
        }
    }

    #[test]
    fn amounts_that_are_written_otherwise_are_not_taken() {
        let names = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let one = PlainValue {
            keys: names(&["metadata", "name"]),
            may_be_all: false,
            compared_with: Some(names(&["spec", "project"])),
        };
        for (object, expected) in [
            ("{metadata: {name: app}, spec: {}}", true),
            ("{metadata: {name: 0m}, spec: {}}", false),
            ("{metadata: {name: '1'}, spec: {project: 1000m}}", false),
            ("{metadata: {name: '1'}, spec: {project: '1'}}", true),
            ("{metadata: {name: '1'}, spec: {project: app}}", true),
        ] {
            let object = parse_one(object).unwrap();
            assert_eq!(all_are_plain(std::slice::from_ref(&one), &object), expected, "{object:?}");
        }
    }
}
