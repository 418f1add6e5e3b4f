//! What an object has otherwise than the signed manifest.
//!
//! In: both, and the fields that may differ. Out: the differences in the order of their keys, and their text.
//! Mirrors: k8s-manifest-sigstore pkg/util/mapnode (FindDiffBetweenNodes), k8smanifest directMatch.

use crate::flat::{Budget, Flat, Leaf, flat};
use crate::ignore::Fields;
use engine::json::{Map, Value, to_json};
use regex::{Regex, RegexBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    key: String,
    before: Value,
    after: Value,
}

/// How many differences are looked at in pairs.
const MAX_PAIRED: usize = 500;
/// How many bytes their keys may have for that.
const MAX_PAIRED_BYTES: usize = 128 << 10;
/// How much memory the expression of a key may take: the original takes the key for one, whatever stands in it.
const MAX_EXPRESSION: usize = 64 << 10;

/// What is otherwise; nothing where the object is the manifest's. An error where they cannot be compared.
pub(crate) fn diff(
    manifest: &Value,
    object: &Value,
    ignored: &Fields,
    budget: &mut Budget,
) -> Result<Vec<Difference>, String> {
    let nothing = Fields::default();
    let (before, after) = (flat(manifest, &nothing, budget)?, flat(object, &nothing, budget)?);
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let (mut items, mut of_type) = (Vec::new(), Vec::new());
    for key in keys {
        match difference(key, &before, &after) {
            Some((item, Way::Type)) => of_type.push(item),
            Some((item, Way::Value)) => items.push(item),
            None => {}
        }
    }
    let mut items = without_moved(items);
    items.retain(|item| !is_left_out(item));
    items.extend(of_type);
    items.sort_by(|a, b| a.key.cmp(&b.key));
    items.retain(|item| !is_canonical_image(item) && !ignored.has(&item.key) && !is_namespace(item));
    Ok(items)
}

/// The differences as the original prints them.
pub(crate) fn text(items: &[Difference]) -> String {
    let entry = |item: &Difference| {
        let values: Map =
            [("after", item.after.clone()), ("before", item.before.clone())].into_iter().collect();
        let entry: Map =
            [("key", Value::from(item.key.clone())), ("values", Value::object(values))].into_iter().collect();
        Value::object(entry)
    };
    let whole: Map = [("items", Value::array(items.iter().map(entry).collect()))].into_iter().collect();
    to_json(&Value::object(whole))
}

enum Way {
    Value,
    Type,
}

fn difference(key: &str, before: &Flat<'_>, after: &Flat<'_>) -> Option<(Difference, Way)> {
    let item = |before: Value, after: Value| Difference { key: key.to_owned(), before, after };
    match (before.get(key), after.get(key)) {
        (Some(one), Some(other)) if one == other => None,
        (Some(one), Some(other)) if std::mem::discriminant(one) != std::mem::discriminant(other) => {
            Some((item(typed(*one).into(), typed(*other).into()), Way::Type))
        }
        (one, other) => {
            let value = |leaf: Option<&Leaf<'_>>| leaf.map_or(Value::Null, |leaf| value(*leaf));
            Some((item(value(one), value(other)), Way::Value))
        }
    }
}

fn value(leaf: Leaf<'_>) -> Value {
    match leaf {
        Leaf::Bool(flag) => flag.into(),
        Leaf::Number(float) => float.into(),
        Leaf::Text(text) => text.into(),
    }
}

/// `(type: %T) %s`, as Go prints it, with its complaint where the value is not a string.
fn typed(leaf: Leaf<'_>) -> String {
    match leaf {
        Leaf::Bool(flag) => format!("(type: bool) %!s(bool={flag})"),
        Leaf::Number(float) => format!("(type: float64) %!s(float64={float})"),
        Leaf::Text(text) => format!("(type: string) {text}"),
    }
}

/// Without values that only moved within a list: one place lost what another place of the same list has got.
// removeKeyDiffsInListNode
fn without_moved(items: Vec<Difference>) -> Vec<Difference> {
    let Ok(index) = Regex::new(r"\.\d+\.") else { return items };
    let bytes: usize = items.iter().map(|item| item.key.len()).sum();
    if items.len() > MAX_PAIRED || bytes > MAX_PAIRED_BYTES {
        return items;
    }
    // Many values of one list have one expression.
    let mut places: BTreeMap<String, Option<Regex>> = BTreeMap::new();
    let mut has_moved = |item: &Difference| {
        if !index.is_match(&item.key) || !(item.before.is_null() || item.after.is_null()) {
            return false;
        }
        let place = index.replace_all(&item.key, regex::NoExpand(r"\.\d+\.")).into_owned();
        let read = |place: &String| RegexBuilder::new(place).size_limit(MAX_EXPRESSION).build().ok();
        let same_place = places.entry(place).or_insert_with_key(read).as_ref();
        let Some(same_place) = same_place else { return false };
        let is_counterpart = |other: &Difference| {
            let came = item.after.is_null() && other.before.is_null() && item.before == other.after;
            let went = item.before.is_null() && other.after.is_null() && item.after == other.before;
            came || went
        };
        items.iter().any(|other| same_place.is_match(&other.key) && is_counterpart(other))
    };
    items.iter().filter(|item| !has_moved(item)).cloned().collect()
}

/// Whether one side merely leaves an empty string out.
// removeDiffWithDefaultConversion: of the zero values only the empty string is equal to Go's reflect.Zero.
fn is_left_out(item: &Difference) -> bool {
    let is_empty = |value: &Value| value.as_str() == Some("");
    (item.before.is_null() && is_empty(&item.after)) || (item.after.is_null() && is_empty(&item.before))
}

/// Whether both name the same image, one of them with Docker's registry or the tag that is meant without one.
// removeCanonicalizedImageDiff
fn is_canonical_image(item: &Difference) -> bool {
    let (Some(before), Some(after)) = (item.before.as_str(), item.after.as_str()) else { return false };
    item.key.ends_with("image")
        && (format!("docker.io/{before}") == after || format!("{before}:latest") == after)
}

/// A manifest may be signed before anybody knows the namespace.
fn is_namespace(item: &Difference) -> bool {
    item.key == "metadata.namespace" && item.before.is_null()
}
