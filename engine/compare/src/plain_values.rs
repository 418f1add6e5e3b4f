//! Strings in which no wildcards are taken to stand, where a caller says so.
//!
//! In: the ends of field paths, an object. Out: whether no string there has `*` or `?`.

use engine_json::Value;

/// Strings, and keys of maps, that are taken to have no `*` and no `?`: Kyverno's operators of the family `In` take what an object has for a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainValue {
    /// The last keys on the way to it, without those of lists; every string of the object where there are none.
    pub keys: Vec<String>,
    /// Whether `*` alone may stand there, as in the rules of roles.
    pub may_be_all: bool,
}

/// How deep an object is looked into.
const MAX_DEPTH: usize = 40;

impl PlainValue {
    /// Which strings, and what they have not, in words.
    pub fn describe(&self) -> String {
        let place =
            if self.keys.is_empty() { "strings".to_owned() } else { format!("`{}`", self.keys.join(".")) };
        let but = if self.may_be_all { ", but for `*` alone" } else { "" };
        format!("{place} without `*` and `?`{but}")
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
    plain.iter().all(|one| one.takes(object, &mut Vec::new()))
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
}
