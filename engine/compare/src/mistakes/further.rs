//! Mistakes in what a policy is asked about and what it reads: operations, keys, elements by their number, dry runs, context, exceptions.
//!
//! In: a part of a policy. Out: what stands there instead, with the words for it. One function for each family.

use crate::mistakes::cel_mutants::replaced;
use crate::mistakes::mutants::Class;
use crate::reads::classic::without_anchor;
use engine_json::{Map, Value};

/// A mistake: its class, what stands there instead, and the words for it.
pub(super) type Mistake<T> = (Class, T, String);

/// The operations that a match or a resource rule is for: none are named, or one more is.
pub(super) fn operations(key: &str, map: &Map) -> Vec<Mistake<Option<Value>>> {
    let list = |words: &[&str]| Value::array(words.iter().map(|word| Value::from(*word)).collect());
    let named: Vec<&str> = map
        .get("operations")
        .and_then(Value::as_array)
        .map(|items| items.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let is_of_cel = map.contains_key("apiGroups");
    if !is_of_cel && key != "resources" || named.contains(&"*") {
        return Vec::new();
    }
    let mut all = Vec::new();
    if named.is_empty() {
        if !is_of_cel {
            all.push((Class::Operations, Some(list(&["CREATE"])), "CREATE alone".to_owned()));
        }
        return all;
    }
    if !is_of_cel {
        all.push((Class::Operations, None, "taken away".to_owned()));
    }
    for word in ["CREATE", "UPDATE"].into_iter().filter(|word| !named.contains(word)) {
        let more: Vec<&str> = named.iter().copied().chain([word]).collect();
        all.push((Class::Operations, Some(list(&more)), format!("{word} as well")));
    }
    all
}

/// Another name for the key of a label, an annotation or a plain value, and the other wildcard in one.
pub(super) fn keys(key: &str, below: &Value, of: &str) -> Vec<Mistake<Option<String>>> {
    let bare = without_anchor(key);
    let is_named_freely = matches!(without_anchor(of), "labels" | "annotations" | "matchLabels");
    let is_plain = matches!(below, Value::String(_) | Value::Number(_) | Value::Bool(_));
    let is_everywhere = matches!(bare, "name" | "image" | "kind" | "apiVersion");
    // What is anchored and may hold anything asks for nothing.
    let asks_nothing = bare != key && below.as_str() == Some("*");
    if asks_nothing || !is_named_freely && (!is_plain || is_everywhere) {
        return Vec::new();
    }
    let with = |other: String| {
        (Class::Key, Some(key.replacen(bare, &other, 1)), format!("`{other}` stands for `{bare}`"))
    };
    let mut all = Vec::new();
    if is_named_freely && bare.contains('*') {
        all.push(with(bare.replace('*', "?")));
    } else if is_named_freely && bare.contains('?') {
        all.push(with(bare.replace('?', "*")));
    } else {
        all.push(with(format!("{bare}z")));
    }
    all
}

/// Another element, another bound and another key of data, in an expression of JMESPath.
pub(super) fn jmespath(text: &str) -> Vec<Mistake<String>> {
    let mut all = Vec::new();
    for (from, to) in [("[0]", "[-1]"), ("[-1]", "[0]"), ("[1]", "[0]")] {
        for (at, _) in text.match_indices(from) {
            all.push((
                Class::Order,
                replaced(text, at, from.len(), to),
                format!("`{from}` is `{to}` at {at}"),
            ));
        }
    }
    for (at, _) in text.match_indices('`') {
        let rest = text.get(at + 1..).unwrap_or("");
        let Some((digits, _)) = rest.split_once('`') else { continue };
        if let Ok(number) = digits.trim().parse::<u32>() {
            let next = format!("`{}`", number.saturating_add(1));
            let words = format!("`{digits}` is {next} at {at}");
            all.push((Class::Constant, replaced(text, at, digits.len() + 2, &next), words));
        }
    }
    for (at, _) in text.match_indices(".data.") {
        let start = at + ".data.".len();
        let rest = text.get(start..).unwrap_or("");
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end > 0 {
            all.push((
                Class::Context,
                replaced(text, start + end, 0, "z"),
                format!("another key of data at {at}"),
            ));
        }
    }
    all
}

/// The last element for the first, in an expression of CEL.
pub(super) fn elements(expression: &str, is_in_text: &[bool]) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    for (at, _) in expression.match_indices("[0]") {
        let before = expression.get(..at).unwrap_or("");
        let start = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_'))
            .map_or(0, |at| at + 1);
        let list = before.get(start..).unwrap_or("");
        let is_way = list.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_way && !is_in_text.get(at).copied().unwrap_or(false) {
            found.push((at, "[0]".len(), format!("[size({list}) - 1]")));
        }
    }
    found
}

/// Whether a list holds what an exception is for: each item may be forgotten.
pub(super) fn is_of_exceptions(key: Option<&str>) -> bool {
    matches!(key, Some("exceptions" | "ruleNames" | "policyRefs"))
}

#[cfg(test)]
mod tests {
    use super::{elements, jmespath, keys, operations};
    use engine_json::{Map, Value};

    fn map(text: &str) -> Map {
        engine::yaml::parse_one(text).unwrap_or_default().as_object().cloned().unwrap_or_default()
    }

    fn words<T>(all: Vec<super::Mistake<T>>) -> Vec<String> {
        all.into_iter().map(|(_, _, words)| words).collect()
    }

    #[test]
    fn operations_are_named_or_not() {
        assert_eq!(words(operations("resources", &map("{kinds: [Pod]}"))), ["CREATE alone"]);
        let one = map("{kinds: [Pod], operations: [CREATE]}");
        assert_eq!(words(operations("resources", &one)), ["taken away", "UPDATE as well"]);
        let of_cel = map("{apiGroups: [''], operations: [CREATE, UPDATE]}");
        assert!(operations("[]", &of_cel).is_empty());
        assert!(operations("subjects", &map("{kind: User}")).is_empty());
    }

    #[test]
    fn keys_have_another_name() {
        let other = |key: &str, of: &str| {
            keys(key, &Value::from("x"), of).into_iter().filter_map(|(_, key, _)| key).collect::<Vec<_>>()
        };
        assert_eq!(other("=(a*)", "labels"), ["=(a?)"]);
        assert_eq!(other("team", "=(annotations)"), ["teamz"]);
        assert_eq!(other("hostNetwork", "spec"), ["hostNetworkz"]);
        assert!(other("image", "containers").is_empty());
        assert!(keys("=(a)", &Value::from("*"), "labels").is_empty());
    }

    #[test]
    fn elements_bounds_and_keys_of_data_are_others() {
        let other = |text: &str| jmespath(text).into_iter().map(|(_, text, _)| text).collect::<Vec<_>>();
        assert_eq!(other("{{ a[0].b }}"), ["{{ a[-1].b }}"]);
        assert_eq!(other("{{ length(a) > `2` }}"), ["{{ length(a) > `3` }}"]);
        assert_eq!(other("{{ d.data.roles }}"), ["{{ d.data.rolesz }}"]);
        let text = "object.spec.containers[0].image == 'a[0]'";
        let is_in_text: Vec<bool> = text.char_indices().map(|(at, _)| at > 35).collect();
        let found = elements(text, &is_in_text);
        assert_eq!(found, [(22, 3, "[size(object.spec.containers) - 1]".to_owned())]);
    }
}
