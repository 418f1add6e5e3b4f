//! What strings of objects are taken to be, where a caller says so.
//!
//! In: the ends of field paths, an object. Out: whether its strings there are such: without `*` and `?`, or base64 with padding, and so on.

use crate::objects::kinds::pod_spec_of;
use engine::value::{Duration, Quantity};
use engine_json::{Value, parse};
use std::collections::BTreeSet;

/// Strings, and keys of maps, of which something is taken for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainValue {
    /// The last keys on the way to it, without those of lists, `*` for each key of a map; every string of the object where there are none.
    pub keys: Vec<String>,
    /// What is taken for granted.
    pub taken: Taken,
}

/// What is taken for granted of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// That they have no `*` and no `?`: Kyverno's operators of the family `In` take what an object has for a pattern.
    NoWildcards,
    /// The same, but for `*` alone, as in the rules of roles.
    NoWildcardsButAll,
    /// That they are no amount which is written otherwise than the field with these keys: Kyverno compares both as amounts where both are
    /// some, and an absent field as 0.
    LikeField(Vec<String>),
    /// That they are no durations, and no amounts which may be written otherwise (`1000m` for `1`): Kyverno compares amounts by what they are.
    WrittenOnce,
    /// That they are neither JSON nor ranges such as `1-9`: Kyverno's operators of the family `In` read both in a string.
    NoListOrRange,
    /// That they are no amount: Kyverno holds one against other amounts alone, and against no pattern.
    NoAmount,
    /// That they are patterns with `*`, `?` and `|` alone: none of their alternatives is an amount, a range or has an operator.
    PlainPattern,
    /// That they are not JSON, or a list of strings in JSON: of other JSON, a number too, no operator of the family `In` holds.
    PlainOrList,
    /// That what is base64 but for its padding has this too: Go's decoder, which Kyverno asks, errs without it, and CEL's does not.
    Padded,
    /// That they are not this text of a pattern, operators and all, which Kyverno lets pass.
    OtherThan(String),
    /// That each element of the list has these keys, with values that no other has: Kyverno merges lists by them, and loses elements else.
    Keyed(Vec<String>),
}

/// How deep an object is looked into.
const MAX_DEPTH: usize = 40;

impl PlainValue {
    /// Which strings, and what they are taken to be, in words.
    pub fn describe(&self) -> String {
        let place =
            if self.keys.is_empty() { "strings".to_owned() } else { format!("`{}`", self.keys.join(".")) };
        match &self.taken {
            Taken::NoWildcards => format!("{place} without `*` and `?`"),
            Taken::NoWildcardsButAll => format!("{place} without `*` and `?`, but for `*` alone"),
            Taken::LikeField(field) => {
                let (one, other) = (self.keys.join("."), field.join("."));
                format!("`{one}` not an amount such as `1` or `0m` where `{other}` is another one or absent")
            }
            Taken::WrittenOnce => {
                format!(
                    "{place} neither a duration such as `60s` nor an amount such as `1000m`, which is `1`"
                )
            }
            Taken::NoListOrRange => {
                format!("{place} neither JSON such as `[\"a\"]` nor a range such as `1-9`")
            }
            Taken::NoAmount => format!("{place} not an amount such as `1` or `0m`"),
            Taken::PlainPattern => format!("{place} without amounts, ranges, `&`, `!`, `<` and `>`"),
            Taken::PlainOrList => format!("{place} in JSON lists of strings"),
            Taken::Padded => format!("base64 in {place} with padding (`eA==`, not `eA`)"),
            Taken::OtherThan(text) => format!("{place} not the text `{text}` itself"),
            Taken::Keyed(keys) => {
                format!("{place} with a `{}` of its own for each element", keys.join("` and `"))
            }
        }
    }

    /// Whether the field is there, and both are written alike if they are amounts; of a controller the same within its template, which autogen
    /// reads.
    fn is_written_alike(&self, field: &[String], object: &Value) -> bool {
        let spec = pod_spec_of(object.find_str(&["kind"])).unwrap_or_default();
        let template = spec.split_last().and_then(|(_, template)| object.find(template));
        [Some(object), template].into_iter().flatten().all(|object| self.is_alike_in(field, object))
    }

    fn is_alike_in(&self, field: &[String], object: &Value) -> bool {
        let text = |keys: &[String]| {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            object
                .find(&keys)
                .map(|value| value.as_str().map_or_else(|| engine_json::to_json(value), str::to_owned))
        };
        let Some(one) = text(&self.keys).filter(|text| is_amount(text)) else { return true };
        text(field).is_some_and(|other| other == one || !is_amount(&other))
    }

    /// Whether a path ends so.
    fn ends(&self, path: &[String]) -> bool {
        let mut pairs = path.iter().rev().zip(self.keys.iter().rev());
        self.keys.len() <= path.len() && pairs.all(|(key, wanted)| wanted == "*" || key == wanted)
    }

    /// Whether a string is such.
    fn takes_text(&self, text: &str) -> bool {
        match &self.taken {
            Taken::NoWildcards => !text.contains(['*', '?']),
            Taken::NoWildcardsButAll => !text.contains(['*', '?']) || text == "*",
            Taken::WrittenOnce => is_written_once(text),
            Taken::NoListOrRange => parse(text).is_err() && !is_range(text),
            Taken::NoAmount => !is_amount(text),
            Taken::PlainPattern => text.split('|').all(|one| is_plain_pattern(one.trim())),
            Taken::PlainOrList => is_plain_or_list(text),
            Taken::Padded => is_padded(text),
            Taken::OtherThan(pattern) => text != pattern,
            Taken::LikeField(_) | Taken::Keyed(_) => true,
        }
    }

    /// Whether the elements of a list are such.
    fn takes_list(&self, items: &[Value]) -> bool {
        let Taken::Keyed(keys) = &self.taken else { return true };
        let mut known = BTreeSet::new();
        let of_item = |item: &Value| {
            let texts = keys.iter().map(|key| item.get(key).and_then(Value::as_str).map(str::to_owned));
            texts.collect::<Option<Vec<_>>>()
        };
        items.iter().all(|item| of_item(item).is_some_and(|texts| known.insert(texts)))
    }

    /// Whether the key of a map is such.
    fn takes_key(&self, key: &str) -> bool {
        let is_meant = matches!(self.taken, Taken::NoWildcards | Taken::NoWildcardsButAll);
        self.keys.is_empty() || !is_meant || !key.contains(['*', '?'])
    }

    fn takes(&self, value: &Value, path: &mut Vec<String>) -> bool {
        let is_meant = self.ends(path);
        match value {
            Value::String(text) => !is_meant || self.takes_text(text),
            Value::Array(items) if is_meant && !self.takes_list(items) => false,
            Value::Array(items) => items.iter().all(|item| self.takes(item, path)),
            Value::Object(map) if path.len() < MAX_DEPTH => map.iter().all(|(key, value)| {
                if is_meant && !self.takes_key(key) {
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

fn is_amount(text: &str) -> bool {
    Quantity::parse(text).is_ok() || Duration::parse(text).is_ok()
}

/// Whether a text is no amount, or a quantity as Kubernetes writes it.
fn is_written_once(text: &str) -> bool {
    match Quantity::parse(text) {
        Ok(quantity) => quantity.to_string() == text,
        Err(_) => Duration::parse(text).is_err(),
    }
}

/// Whether a text is an alternative with a range.
fn is_range(text: &str) -> bool {
    text.match_indices('-').any(|(at, _)| {
        let ends = text.split_at_checked(at).map(|(from, to)| [from, to.trim_start_matches('-')]);
        ends.is_some_and(|ends| {
            ends.iter().all(|end| Quantity::parse(end.trim_end_matches('!').trim()).is_ok())
        })
    })
}

/// Whether an alternative of a pattern has nothing but wildcards.
// Kyverno: pkg/utils/operator: GetOperatorFromStringPattern; pkg/engine/pattern: validateStringPatterns.
fn is_plain_pattern(text: &str) -> bool {
    !is_amount(text) && !is_range(text) && !text.contains('&') && !text.starts_with(['!', '<', '>'])
}

/// Whether a text is not JSON, or a list of strings in JSON; what begins and ends as a list is one.
fn is_plain_or_list(text: &str) -> bool {
    match parse(text) {
        Ok(Value::Array(items)) => items.iter().all(|item| item.as_str().is_some()),
        Ok(_) => false,
        Err(_) => !(text.starts_with('[') && text.ends_with(']')),
    }
}

/// Whether a text lacks no padding of base64.
fn is_padded(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    text.len().is_multiple_of(4) || !text.chars().all(is_letter)
}

/// Whether an object has only such strings.
pub(crate) fn all_are_plain(plain: &[PlainValue], object: &Value) -> bool {
    plain.iter().all(|one| match &one.taken {
        Taken::LikeField(field) => one.is_written_alike(field, object),
        _ => one.takes(object, &mut Vec::new()),
    })
}

#[cfg(test)]
mod tests {
    use super::{PlainValue, Taken, all_are_plain};
    use engine::yaml::parse_one;

    #[test]
    fn strings_at_the_ends_of_paths_are_meant() {
        let object = parse_one(
            "spec: {template: {spec: {containers: [{image: 'a*', name: 'b?'}]}}, hosts: ['*'], labels: {'a*': b}}",
        );
        let object = object.unwrap();
        let plain = |keys: &[&str], may_be_all| PlainValue {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            taken: if may_be_all { Taken::NoWildcardsButAll } else { Taken::NoWildcards },
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
            taken: Taken::LikeField(names(&["spec", "project"])),
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

    #[test]
    fn elements_of_keyed_lists_have_keys_of_their_own() {
        let keys = ["containers", "env"].map(str::to_owned).to_vec();
        let one = PlainValue { keys, taken: Taken::Keyed(vec!["name".to_owned()]) };
        for (env, expected) in [
            ("[]", true),
            ("[{name: a}, {name: b}]", true),
            ("[{name: a}, {name: a}]", false),
            ("[{name: a}, {value: a}]", false),
        ] {
            let object = parse_one(&format!("{{spec: {{containers: [{{env: {env}}}]}}}}")).unwrap();
            assert_eq!(all_are_plain(std::slice::from_ref(&one), &object), expected, "{env}");
        }
    }

    #[test]
    fn texts_in_json_are_lists_and_base64_has_its_padding() {
        for (taken, text, expected) in [
            (Taken::PlainOrList, "web", true),
            (Taken::PlainOrList, "[\"a\", \"b\"]", true),
            (Taken::PlainOrList, "[1]", false),
            (Taken::PlainOrList, "[a]", false),
            (Taken::PlainOrList, "10", false),
            (Taken::PlainOrList, "{}", false),
            (Taken::OtherThan("!a".to_owned()), "!a", false),
            (Taken::OtherThan("!a".to_owned()), "a", true),
            (Taken::NoAmount, "10m", false),
            (Taken::WrittenOnce, "1", true),
            (Taken::WrittenOnce, "web", true),
            (Taken::WrittenOnce, "1000m", false),
            (Taken::WrittenOnce, "0Gi", false),
            (Taken::WrittenOnce, "60s", false),
            (Taken::NoListOrRange, "web-1", true),
            (Taken::NoListOrRange, "1-9", false),
            (Taken::NoListOrRange, "[\"a\"]", false),
            (Taken::NoAmount, "10x", true),
            (Taken::Padded, "eA", false),
            (Taken::Padded, "eA==", true),
            (Taken::Padded, "e-A", true),
        ] {
            let object = parse_one(&format!("{{data: {{value: '{text}'}}}}")).unwrap();
            let one = PlainValue { keys: vec!["data".into(), "value".into()], taken };
            assert_eq!(all_are_plain(std::slice::from_ref(&one), &object), expected, "{one:?} {text}");
        }
    }
}
