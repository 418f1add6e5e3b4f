//! Mistakes in patterns that change nothing: what is asked of a field that is always there, or never.
//!
//! In: a rule, a pattern before and after, and the place of the mistake. Out: whether one of a few rules proves that both hold of the same.

use crate::constraints::is_needed;
use crate::mistakes::idle::list;
use crate::mistakes::never_there::is_in_pattern;
use crate::objects::defaults::is_filled_in;
use crate::objects::kinds::{CONTROLLERS, EPHEMERAL_LIST};
use crate::objects::schema::{Schema, Shape};
use crate::objects::valid::NOT_EPHEMERAL;
use crate::reads::classic::without_anchor;
use engine::load::{Host, Role, load};
use engine::yaml::emit::to_yaml_ordered;
use engine_json::Value;
use engine_lenses::wire::Text;

/// The lists of containers, each with a name and an image.
pub(super) const CONTAINERS: [&str; 3] = crate::objects::kinds::CONTAINER_LISTS;

/// A mistake in a pattern.
pub(super) struct InPattern<'a> {
    /// The policy and the rule before.
    pub(super) policy: &'a Value,
    /// The rule.
    pub(super) rule: &'a Value,
    /// The way to what the pattern is held against, and what variables call it.
    pub(super) scope: &'a [String],
    /// The same.
    pub(super) name: &'a str,
    /// The way in the pattern: it ends with the place of a value, or with the map whose key is another one.
    pub(super) below: &'a [&'a str],
    /// The pattern before and after.
    pub(super) both: [&'a Value; 2],
}

/// Whether a mistake in a pattern changes nothing.
pub(super) fn is_idle(at: &InPattern<'_>) -> bool {
    let InPattern { rule, below, both: [before, after], .. } = *at;
    let bare: Vec<&str> =
        at.scope.iter().map(String::as_str).chain(below.iter().map(|key| without_anchor(key))).collect();
    if is_of_no_use(&bare) || is_in_pattern(rule, &bare) {
        return true;
    }
    let is_any = || {
        let leaf = |pattern| follow(pattern, below).and_then(Value::as_str);
        [before, after].into_iter().all(|pattern| matches!(leaf(pattern), Some("*" | "?*")))
    };
    // Names and images of containers are there and not empty: `*` and `?*` hold of the same.
    if let [.., list, "[]", "name" | "image"] = bare.as_slice()
        && CONTAINERS.contains(list)
    {
        return is_any();
    }
    // So are quantities.
    if let [before_last @ .., last] = bare.as_slice()
        && kinds(rule).iter().all(|kind| holds(kind, before_last, last, Held::Quantity))
        && !kinds(rule).is_empty()
        && is_any()
    {
        return true;
    }
    let Some((from, to)) = other_key(follow(before, below), follow(after, below)) else { return false };
    let key = without_anchor(&from);
    let is_equality = |text: &str| text == key || text == format!("=({key})");
    if is_equality(&from) && is_equality(&to) {
        let is_selected = bare == ["metadata"] && key == "labels" && selects_by_label(rule);
        let is_there = || {
            !kinds(rule).is_empty() && kinds(rule).iter().all(|kind| holds(kind, &bare, key, Held::Needed))
        };
        // An API server writes a label into each (`kubernetes.io/metadata.name`).
        let is_namespace = || {
            bare == ["metadata"]
                && key == "labels"
                && !kinds(rule).is_empty()
                && kinds(rule).iter().all(|kind| matches!(*kind, "Namespace" | "v1/Namespace"))
        };
        return is_selected
            || is_namespace()
            || (is_of_pods(rule) && is_filled_in(&bare, key))
            || is_there()
            || is_read_by_variable(at, key)
            || is_requested(at, &bare, key);
    }
    // `X(list): null` and `list: null` both hold where the list is not there, and of no list, no object and no quantity, which is stored as
    // a text with a number in it.
    let is_null =
        |map: Option<&Value>, key: &str| map.and_then(|map| map.get(key)).is_some_and(Value::is_null);
    let is_negation = |text: &str| text == format!("X({key})");
    (is_negation(&from) || is_negation(&to))
        && (from == key || to == key)
        && is_null(follow(before, below), &from)
        && is_null(follow(after, below), &to)
        && kinds(rule).iter().all(|kind| holds(kind, &bare, key, Held::NothingEmpty))
}

/// Whether nothing ever stands there: ephemeral containers have no amounts, and what a pattern asks below them is not looked at.
// Kubernetes: allowedEphemeralContainerFields.
fn is_of_no_use(bare: &[&str]) -> bool {
    let list = bare.iter().position(|key| *key == EPHEMERAL_LIST);
    let below = list.and_then(|at| bare.get(at + 1..)).unwrap_or_default();
    matches!(below, ["[]", field, _, ..] if NOT_EPHEMERAL.contains(field))
}

/// Whether a variable in the pattern reads the field or what lies below it: where it is not there, the rule is an error before a pattern is
/// looked at.
fn is_read_by_variable(at: &InPattern<'_>, key: &str) -> bool {
    if at.below.contains(&"[]") {
        return false;
    }
    let keys = at.below.iter().map(|key| without_anchor(key)).chain([key]);
    let way = keys.fold(at.name.to_owned(), |way, key| format!("{way}.{key}"));
    let reads = |text: &str| {
        let bare = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).map(str::trim);
        // A way of names alone: with an alternative it has a value always.
        let is_way = |bare: &&str| bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        let rest = bare.filter(is_way).and_then(|bare| bare.strip_prefix(way.as_str()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    at.both.iter().all(|pattern| has_leaf(pattern, &reads))
}

/// Whether a text below a value is such a one.
fn has_leaf(value: &Value, is_it: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_it(text),
        Value::Array(items) => items.iter().any(|item| has_leaf(item, is_it)),
        Value::Object(map) => map.iter().any(|(_, item)| has_leaf(item, is_it)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether an amount is requested wherever the pattern may hold: it asks for the same limit, and of Pods what is limited is requested. Of the
/// templates of controllers it is not, so that nothing is said of rules that autogen extends to them.
// Kubernetes: SetDefaults_Pod.
fn is_requested(at: &InPattern<'_>, bare: &[&str], key: &str) -> bool {
    let parts = match bare {
        ["spec", "containers" | "initContainers", "[]", "resources", "requests"] => {
            at.below.split_last().map(|(_, way)| (way, vec![key]))
        }
        ["spec", "containers" | "initContainers", "[]", "resources"] if key == "requests" => {
            let requests = follow(at.both[0], at.below).and_then(|resources| {
                resources.get(key).or_else(|| resources.get("=(requests)")).and_then(Value::as_object)
            });
            requests.map(|requests| (at.below, requests.keys().map(|name| without_anchor(name)).collect()))
        }
        _ => None,
    };
    let Some((way, names)) = parts else { return false };
    let limits = follow(at.both[0], way).and_then(|resources| resources.get("limits"));
    // Without a limit the pattern holds of nothing, as `?*` asks for one.
    let is_limited = names.iter().any(|name| limits.is_some_and(|limits| limits.find_str(&[*name]) == "?*"));
    // Where an anchor stands on the way, what is limited may not be looked at.
    let is_plain = at.below.iter().all(|key| without_anchor(key) == *key);
    is_limited && is_plain && is_of_pods(at.rule) && !has_templates(at.policy)
}

/// Whether autogen extends a policy to what makes Pods.
fn has_templates(policy: &Value) -> bool {
    let text = Text { name: "policy.yaml".into(), text: to_yaml_ordered(policy) };
    let (bundle, _) = load(vec![(Role::Policies, (&text).into())], Host::Cluster);
    bundle.policies.is_empty() || bundle.policies.iter().any(|policy| !policy.autogen.is_empty())
}

/// What stands at a place of a pattern; `[]` is the only element.
pub(super) fn follow<'v>(pattern: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(pattern, |value, key| match *key {
        "[]" => value.at(0).filter(|_| list(Some(value)).len() == 1),
        key => value.get(key),
    })
}

/// The key that is another one.
fn other_key(before: Option<&Value>, after: Option<&Value>) -> Option<(String, String)> {
    let (before, after) = (before?.as_object()?, after?.as_object()?);
    let missing = |map: &engine_json::Map, other: &engine_json::Map| {
        let mut keys = map.keys().filter(|key| !other.contains_key(key));
        let first = keys.next()?.to_string();
        keys.next().is_none().then_some(first)
    };
    Some((missing(before, after)?, missing(after, before)?))
}

/// The kinds that a rule is for; none where it does not name them plainly.
pub(super) fn kinds(rule: &Value) -> Vec<&str> {
    let Some(block) = rule.get("match") else { return Vec::new() };
    let filters = list(block.get("any")).iter().chain(list(block.get("all"))).chain([block]);
    let kinds = filters.flat_map(|filter| list(filter.find(&["resources", "kinds"])));
    kinds.filter_map(Value::as_str).collect()
}

/// Whether a rule is for Pods alone, or for what makes them.
pub(super) fn is_of_pods(rule: &Value) -> bool {
    let kinds = kinds(rule);
    let is_known = |kind: &&str| {
        let name = kind.rsplit('/').next().unwrap_or(kind);
        name == "Pod" || CONTROLLERS.iter().any(|(_, known)| *known == name)
    };
    !kinds.is_empty() && kinds.iter().all(is_known)
}

/// Whether every object that a rule is for has a label.
fn selects_by_label(rule: &Value) -> bool {
    let needs_label = |filter: &Value| {
        let labels = filter.find(&["resources", "selector", "matchLabels"]);
        labels.and_then(Value::as_object).is_some_and(|labels| !labels.is_empty())
    };
    let Some(block) = rule.get("match") else { return false };
    let (any, all) = (list(block.get("any")), list(block.get("all")));
    needs_label(block) || all.iter().any(needs_label) || (!any.is_empty() && any.iter().all(needs_label))
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// A list, an object or a quantity, which is never an empty text, a zero or false.
    NothingEmpty,
    /// A quantity.
    Quantity,
    /// What its type takes none without.
    Needed,
    /// One text, number or truth.
    Plain,
}

/// Whether a field of one of Kubernetes' own kinds holds this, in each version of the kind.
pub(super) fn holds(kind: &str, keys: &[&str], last: &str, held: Held) -> bool {
    let schema = Schema::new();
    let kind = kind.rsplit('/').next().unwrap_or(kind);
    let versions: Vec<(&str, &str)> = schema.kinds().filter(|(_, known)| *known == kind).collect();
    let is_held = |holder: &Shape| {
        let is_quantity = match holder {
            // A map of quantities is a field that holds them.
            Shape::Map(inner) => **inner == Shape::Either,
            holder => {
                schema.holds_quantities(holder, last) && schema.field(holder, last) == Some(Shape::Either)
            }
        };
        let is_whole =
            matches!(schema.field(holder, last), Some(Shape::List(_) | Shape::Object(_) | Shape::Map(_)));
        match (held, holder) {
            (Held::NothingEmpty, _) => is_whole || is_quantity,
            (Held::Quantity, _) => is_quantity,
            (Held::Needed, Shape::Object(of)) => is_needed(of, last),
            (Held::Needed, _) => false,
            (Held::Plain, holder) => matches!(
                schema.field(holder, last),
                Some(Shape::Text | Shape::Number | Shape::Truth | Shape::Either)
            ),
        }
    };
    let in_version = |(version, kind): &(&str, &str)| Some(is_held(&shape_at(&schema, version, kind, keys)?));
    !versions.is_empty() && versions.iter().all(|version| in_version(version) == Some(true))
}

/// The shape at a place of a kind in one version.
fn shape_at(schema: &Schema, version: &str, kind: &str, keys: &[&str]) -> Option<Shape> {
    keys.iter().try_fold(schema.kind(version, kind)?, |shape, key| match *key {
        "[]" => Schema::element(&shape),
        key => schema.field(&shape, key),
    })
}

/// The shapes at a place of a kind, one for each version of it; nothing where one does not know the place.
pub(super) fn shapes(kind: &str, way: &[String]) -> Option<Vec<Shape>> {
    let schema = Schema::new();
    let kind = kind.rsplit('/').next().unwrap_or(kind);
    let keys: Vec<&str> = way.iter().map(String::as_str).collect();
    let versions = schema.kinds().filter(|(_, known)| *known == kind);
    let found: Option<Vec<Shape>> =
        versions.map(|(version, kind)| shape_at(&schema, version, kind, &keys)).collect();
    found.filter(|found| !found.is_empty())
}
