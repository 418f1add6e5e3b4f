//! `exclude` blocks of rules, filter by filter, and what filters look at.

use super::{Exemption, ExemptionSelector, Kind, On, texts};
use crate::sieve::edit::Edit;
use engine::resource::DocumentId;
use engine_json::{Path, Value};

pub(super) fn find(rule: &Value, document: DocumentId, path: &Path, found: &mut Vec<Exemption>) {
    let Some(exclude) = rule.get("exclude").filter(|exclude| !exclude.is_null()) else { return };
    let path = path.join("exclude");
    let list = |key: &str| exclude.get(key).and_then(Value::as_array).unwrap_or_default();
    let mut push = |at: Path, filters: Vec<Path>| {
        let mut exemption = Exemption::new(Kind::Exclude, document, at.clone());
        exemption.removal = vec![Edit::Remove(at)];
        exemption.selectors =
            filters.iter().flat_map(|filter| selectors(rule, &relative(filter, &path), filter)).collect();
        exemption.text =
            text(&filters.iter().filter_map(|filter| at_of(rule, filter, &path)).collect::<Vec<_>>());
        exemption.filters = filters;
        found.push(exemption);
    };
    // Kyverno: any goes before all, and both before the old form.
    if !list("any").is_empty() {
        for at in 0..list("any").len() {
            let filter = path.join("any").join(at);
            push(filter.clone(), vec![filter]);
        }
    } else if list("all").is_empty() {
        push(path.clone(), vec![path.clone()]);
    } else {
        let filters = (0..list("all").len()).map(|at| path.join("all").join(at)).collect();
        push(path.clone(), filters);
    }
}

/// The way from the rule to a filter, whose path is that in the document.
fn relative(filter: &Path, exclude: &Path) -> Path {
    let base = exclude.len().saturating_sub(1);
    filter.iter().skip(base).cloned().collect()
}

fn at_of<'v>(rule: &'v Value, filter: &Path, exclude: &Path) -> Option<&'v Value> {
    rule.at_path(relative(filter, exclude).iter())
}

/// What a filter looks at; `within` is its way in `root`, `path` its way in the document.
pub(super) fn selectors(root: &Value, within: &Path, path: &Path) -> Vec<ExemptionSelector> {
    let Some(filter) = root.at_path(within.iter()) else { return Vec::new() };
    let resources = filter.get("resources").unwrap_or(&Value::Null);
    let at = path.join("resources");
    let mut selectors = Vec::new();
    for (key, on) in [("name", On::Name), ("names", On::Name), ("namespaces", On::Namespace)] {
        let value = resources.get(key).unwrap_or(&Value::Null);
        let found = texts(value, &at.join(key));
        selectors
            .extend(found.into_iter().map(|(path, text)| ExemptionSelector::new(on.clone(), path, text)));
    }
    let mut pairs = |keys: &[&str], on: &dyn Fn(&str) -> On| {
        let map = resources.find(keys).and_then(Value::as_object);
        let path: Path = at.iter().cloned().chain(keys.iter().map(|key| (*key).into())).collect();
        for (key, value) in map.into_iter().flat_map(engine_json::Map::iter) {
            selectors.push(ExemptionSelector::new(
                on(key),
                path.join(key.clone()),
                value.as_str().unwrap_or(""),
            ));
        }
    };
    pairs(&["selector", "matchLabels"], &|key| On::Label(key.to_owned()));
    pairs(&["annotations"], &|key| On::Annotation(key.to_owned()));
    let subjects = filter.get("subjects").and_then(Value::as_array).unwrap_or_default();
    for (place, subject) in subjects.iter().enumerate() {
        let on =
            On::Subject(subject.find_str(&["kind"]).to_owned(), subject.find_str(&["namespace"]).to_owned());
        let path = path.join("subjects").join(place).join("name");
        selectors.push(ExemptionSelector::new(on, path, subject.find_str(&["name"])));
    }
    selectors
}

/// Filters in a line.
pub(super) fn text(filters: &[&Value]) -> String {
    let one = |filter: &&Value| {
        let mut parts = Vec::new();
        let resources = filter.get("resources").and_then(Value::as_object);
        for (key, value) in resources.into_iter().flat_map(engine_json::Map::iter) {
            parts.push(format!("{key} {}", brief(value)));
        }
        for key in ["subjects", "roles", "clusterRoles"] {
            if let Some(value) = filter.get(key).filter(|value| !value.is_null()) {
                parts.push(format!("{key} {}", brief(value)));
            }
        }
        parts.join(", ")
    };
    let all: Vec<String> = filters.iter().map(one).filter(|text| !text.is_empty()).collect();
    if all.is_empty() { "everything".to_owned() } else { all.join(" and ") }
}

/// A value in a line: its texts alone.
fn brief(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Array(items) => items.iter().map(brief).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let entry = |(key, value): (&engine_json::Str, &Value)| match key.as_str() {
                "matchLabels" => brief(value),
                _ => format!("{key} {}", brief(value)),
            };
            map.iter().map(entry).collect::<Vec<_>>().join(" ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("`{}`", engine_json::to_json(value)),
    }
}
