//! The small grammar of the findings: plurals, quoted lists, who set what.
//!
//! In: violations. Out: `pod and containers "a", "b"`, `"NET_RAW", "SYS_ADMIN"`.

use crate::{Subject, Violation};
use engine_json::Value;
use engine_json::ordered::OrderedSet;

/// The violations of one check that are about values, not about types.
pub(crate) type Found<'v> = [&'v Violation];

/// `"a", "b"`; names are not escaped, as in the original.
pub(crate) fn quoted<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let quoted: Vec<String> = items.into_iter().map(|item| format!("\"{}\"", item.as_ref())).collect();
    quoted.join(", ")
}

/// The word for one, or the word for any other number.
pub(crate) fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// `container "a"` or `containers "a", "b"`: each container once, in the order found.
pub(crate) fn containers<'v>(found: impl IntoIterator<Item = &'v &'v Violation>) -> String {
    let names = container_names(found);
    format!("{} {}", plural(names.len(), "container", "containers"), quoted(names))
}

/// The names of the containers found, one for each container even where two share a name.
pub(crate) fn container_names<'v>(found: impl IntoIterator<Item = &'v &'v Violation>) -> Vec<&'v str> {
    let mut names = Vec::new();
    let mut last = None;
    for violation in found {
        let Some(name) = violation.container() else { continue };
        // The first three steps of the path say which container it is: spec, the list, the place in it.
        let place = violation.path.get(..3);
        if last != place {
            names.push(name);
        }
        last = place;
    }
    names
}

/// Who set something: `pod`, the containers, or both joined by `and`.
pub(crate) fn setters(found: &Found<'_>) -> String {
    let mut parts = Vec::new();
    if found.iter().any(|violation| violation.subject == Subject::Pod) {
        parts.push("pod".to_owned());
    }
    if found.iter().any(|violation| violation.container().is_some()) {
        parts.push(containers(found));
    }
    parts.join(" and ")
}

/// The values found, each once and sorted by bytes; of a list its items.
pub(crate) fn values(found: &Found<'_>) -> OrderedSet<String> {
    let mut set = OrderedSet::new();
    for violation in found {
        match &violation.value {
            Some(Value::String(text)) => {
                set.insert(text.to_string());
            }
            Some(Value::Array(list)) => set.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
            Some(Value::Number(number)) => {
                set.extend(number.as_i64().map(|number| number.to_string()));
            }
            Some(Value::Null | Value::Bool(_) | Value::Object(_)) | None => {}
        }
    }
    set
}

/// Sorted texts, each once, as a list value.
pub(crate) fn sorted_list<'t>(texts: impl IntoIterator<Item = &'t str>) -> Value {
    let set: OrderedSet<&str> = engine_json::arrange::set(texts);
    Value::array(set.into_iter().map(Value::from).collect())
}

/// An annotation as the messages write it: `key="value"`, the value as Go quotes it.
pub(crate) fn annotation(violation: &Violation) -> String {
    let key = match violation.path.last() {
        Some(engine_json::Segment::Key(key)) => key.as_str(),
        Some(engine_json::Segment::Index(_)) | None => "",
    };
    let value = violation.value.as_ref().and_then(Value::as_str).unwrap_or("");
    format!("{key}={}", engine_json::quote(value))
}
