//! Values of objects that Kyverno takes for wildcards.
//!
//! In: a side of a condition. Out: the strings of objects that it reads, if a `*` or `?` may stand in them. The operators of the family
//! `In` hold what an object has against what is written both ways round, and `Equals` takes its value for a pattern; CEL compares strings
//! as they stand. Where it can be said plainly (`*` in the rules of a role), the new policy says it; else it is noted with its line.
//! Source: Kyverno's pkg/engine/variables/operator.

use crate::expressions::access::Access;
use crate::expressions::expr::{Attribute, Expr};
use engine_compare::schema::Shape;
use engine_compare::{PlainValue, Taken};
use engine_json::Value;

/// Ends of paths of strings in which an API server takes no `*` and no `?`.
// Kubernetes: pkg/apis/*/validation.
const NEVER: [&[&str]; 24] = [
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "generateName"],
    &["containers", "name"],
    &["initContainers", "name"],
    &["ephemeralContainers", "name"],
    &["volumes", "name"],
    &["volumeMounts", "name"],
    &["spec", "type"],
    &["seccompProfile", "type"],
    &["apiVersion"],
    &["kind"],
    &["imagePullPolicy"],
    &["restartPolicy"],
    &["protocol"],
    &["procMount"],
    &["accessModes"],
    &["dnsPolicy"],
    &["serviceAccountName"],
    &["storageClassName"],
    &["ingressClassName"],
    &["priorityClassName"],
    &["policyTypes"],
    &["sysctls", "name"],
];
/// Ends of paths of strings of which Kubernetes knows all, none of them an amount.
const OF_WORDS: [&[&str]; 10] = [
    &["spec", "type"],
    &["seccompProfile", "type"],
    &["apiVersion"],
    &["kind"],
    &["imagePullPolicy"],
    &["restartPolicy"],
    &["protocol"],
    &["procMount"],
    &["accessModes"],
    &["dnsPolicy"],
];
/// Keys of the rules of roles, where `*` stands for everything.
const OF_ROLES: [&str; 5] = ["verbs", "resources", "apiGroups", "resourceNames", "nonResourceURLs"];

/// Maps whose keys are names, and objects whose fields Kubernetes knows.
const OF_NAMES: [&str; 10] = [
    "labels",
    "annotations",
    "matchLabels",
    "data",
    "binaryData",
    "stringData",
    "metadata",
    "resources",
    "requests",
    "limits",
];

/// The strings of an object that a side reads, if wildcards may stand in them.
pub(crate) fn strings(expr: &Expr) -> Vec<PlainValue> {
    match expr {
        Expr::Field(access)
        | Expr::Defaulted(access, _)
        | Expr::Nullable(access)
        | Expr::Uncertain(access)
        | Expr::OrNull(access) => of_access(access).into_iter().collect(),
        Expr::Elements(elements) if is_key(&elements.item) => {
            keys_of_map(&elements.list).into_iter().collect()
        }
        // What is made of an element is made of what stands at the list.
        Expr::Elements(elements) if matches!(&*elements.item, Expr::Cel(text, Shape::Text) if text.starts_with(&format!("{}.", elements.name))) => {
            of_keys(keys_of_text(&elements.list)).into_iter().collect()
        }
        Expr::Elements(elements) => strings(&elements.item),
        Expr::Where(_, inner, _) => strings(inner),
        Expr::Items(items) => items.iter().flat_map(strings).collect(),
        // Images are taken to be readable, and who asks is not of the object.
        Expr::Cel(text, Shape::Text | Shape::Any | Shape::List(_)) => {
            let is_other =
                ["image(", "parseServiceAccount(", "request."].iter().any(|begin| text.starts_with(begin));
            let is_path = !text.contains([' ', '{']);
            let keys = text.rsplit_once('.').filter(|_| is_path).map(|(of, _)| keys_of_text(of));
            let all = (!is_other).then(|| of_keys(keys.unwrap_or_default()));
            all.flatten().into_iter().collect()
        }
        Expr::Request(_)
        | Expr::Attribute(_)
        | Expr::Listed(_)
        | Expr::Fields(_)
        | Expr::Images(_)
        | Expr::Double(_)
        | Expr::Merged(..)
        | Expr::Cel(..)
        | Expr::Literal(_)
        | Expr::Bool(_)
        | Expr::Count(_) => Vec::new(),
    }
}

fn of_access(access: &Access) -> Option<PlainValue> {
    let is_text = |shape: Option<&Shape>| matches!(shape, None | Some(Shape::Text | Shape::Any));
    let is_read = match &access.shape {
        Some(Shape::List(inner)) => is_text(Some(inner)),
        shape => is_text(shape.as_ref()),
    };
    if !is_read {
        return None;
    }
    if access.shape.is_some() { of_keys(keys(access)) } else { of_unknown(keys(access)) }
}

/// Strings of which nothing is known.
fn of_unknown(keys: Vec<String>) -> Option<PlainValue> {
    let is_of_all = [&["apiVersion"][..], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];
    let is_label = keys.iter().rev().nth(1).is_some_and(|key| key == "labels");
    let is_valid = is_label || is_of_all.iter().any(|path| keys == *path);
    (!is_valid).then_some(PlainValue { taken: Taken::NoWildcards, keys })
}

/// The strings at the end of a path, if wildcards may stand in them.
fn of_keys(keys: Vec<String>) -> Option<PlainValue> {
    let is_label =
        keys.iter().rev().nth(1).is_some_and(|key| matches!(key.as_str(), "labels" | "matchLabels"));
    let is_never = NEVER.iter().any(|end| ends(&keys, end)) && !names_other_kind(&keys);
    (!is_label && !is_never).then(|| PlainValue {
        taken: if may_be_all(&keys) { Taken::NoWildcardsButAll } else { Taken::NoWildcards },
        keys,
    })
}

/// Whether a string names the kind of another object, of which an API server knows no list but in the bindings of roles.
fn names_other_kind(keys: &[String]) -> bool {
    match keys {
        [.., holder, last] => {
            matches!(last.as_str(), "kind" | "apiVersion")
                && !matches!(holder.as_str(), "roleRef" | "subjects")
        }
        _ => false,
    }
}

/// A string that is taken not to be the text of a pattern; an API server takes no operators in names, labels and the like.
pub(crate) fn other_than(access: &Access, pattern: &str) -> Option<PlainValue> {
    let keys = keys(access);
    // What may have no wildcard may have other signs.
    let is_valid = if access.shape.is_some() { of_keys(keys.clone()) } else { of_unknown(keys.clone()) };
    let is_name = is_valid.is_none() && !keys.iter().any(|key| key == "sysctls");
    (!is_name).then(|| PlainValue { keys, taken: Taken::OtherThan(pattern.to_owned()) })
}

/// Whether it is the key of a map.
fn is_key(item: &Expr) -> bool {
    matches!(item, Expr::Cel(text, Shape::Text) if text == "key")
}

/// Keys of a map, if they may be other than names.
fn keys_of_map(list: &str) -> Option<PlainValue> {
    let keys = keys_of_text(list);
    let is_of_names = keys.last().is_some_and(|last| OF_NAMES.contains(&last.as_str()));
    (!is_of_names).then_some(PlainValue { keys, taken: Taken::NoWildcards })
}

/// The keys of a path in CEL without its root; those of a list that is put together of several are not known.
fn keys_of_text(text: &str) -> Vec<String> {
    if text.contains([' ', '{']) && !text.ends_with(".orValue({})") {
        return Vec::new();
    }
    let parts = text.split('.').skip(1).map(|part| part.trim_start_matches('?'));
    let is_name = |key: &&str| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    parts.filter(is_name).map(str::to_owned).collect()
}

/// The text of an answer of the cluster in which the source reads JSON, taken to be a list of strings or plain.
pub(crate) fn listed(expr: &Expr) -> Option<PlainValue> {
    let (Expr::Field(access) | Expr::Defaulted(access, _) | Expr::Nullable(access) | Expr::OrNull(access)) =
        expr
    else {
        return None;
    };
    let is_text = access.is_outside && access.parsed_of().is_none() && access.shape == Some(Shape::Text);
    is_text.then(|| PlainValue { keys: keys(access), taken: Taken::PlainOrList })
}

/// A string that is taken to be neither JSON nor a range, as the operators of the family `In` read one.
pub(crate) fn no_list(access: &Access) -> PlainValue {
    PlainValue { keys: keys(access), taken: Taken::NoListOrRange }
}

/// The strings of a side that are compared with others, taken to be amounts as they are written in one way alone.
pub(crate) fn written_once(expr: &Expr) -> Option<PlainValue> {
    let (Expr::Field(access) | Expr::Defaulted(access, _) | Expr::Nullable(access)) = expr else {
        return None;
    };
    let is_text = matches!(&access.shape, None | Some(Shape::Text | Shape::Any)) && !access.is_outside;
    let keys = keys(access);
    (is_text && !keys.is_empty() && !is_word(expr)).then_some(PlainValue { keys, taken: Taken::WrittenOnce })
}

/// The field whose base64 is taken to have its padding.
pub(crate) fn padded(expr: &Expr) -> Option<PlainValue> {
    let keys = keys_of(expr);
    (!keys.is_empty()).then_some(PlainValue { keys, taken: Taken::Padded })
}

/// The keys on the way to a value, as far as they are known.
pub(crate) fn keys_of(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Field(access) | Expr::Defaulted(access, _) | Expr::Nullable(access) => keys(access),
        _ => Vec::new(),
    }
}

/// Whether a side is an answer of the cluster, or a part of one.
pub(crate) fn is_outside(expr: &Expr) -> bool {
    match expr {
        Expr::Field(access) | Expr::Defaulted(access, _) | Expr::Nullable(access) => {
            access.is_outside && access.parsed_of().is_none()
        }
        Expr::Elements(elements) => elements.is_outside(),
        _ => false,
    }
}

/// Whether a side is a string of which Kubernetes knows all that there are, none of them an amount.
pub(crate) fn is_word(expr: &Expr) -> bool {
    let keys = keys_of(expr);
    let is_of_words = OF_WORDS.iter().any(|end| ends(&keys, end)) && !names_other_kind(&keys);
    matches!(expr, Expr::Attribute(Attribute::Operation)) || is_of_words
}

/// Whether a path ends so.
fn ends(keys: &[String], end: &[&str]) -> bool {
    end.len() <= keys.len() && keys.iter().rev().zip(end.iter().rev()).all(|(key, end)| key == end)
}

/// Whether `*` alone is a common value of the field.
pub(crate) fn has_star(expr: &Expr) -> bool {
    matches!(expr, Expr::Field(access) if !access.is_outside && may_be_all(&keys(access)))
}

/// Whether a side is written words without wildcards.
pub(crate) fn is_plain(expr: &Expr) -> bool {
    let is_word = |one: &Value| one.as_str().is_some_and(|word| !word.contains(['*', '?']));
    match expr {
        Expr::Literal(Value::Array(all)) => all.iter().all(is_word),
        Expr::Literal(one) => is_word(one),
        _ => false,
    }
}

fn may_be_all(keys: &[String]) -> bool {
    keys.last().is_some_and(|last| OF_ROLES.contains(&last.as_str()))
}

/// The keys on the way to a value, as far as they are known.
fn keys(access: &Access) -> Vec<String> {
    if let Some(keys) = access.parsed_of() {
        return keys.to_vec();
    }
    if let Some(path) = access.path() {
        return path.iter().filter(|key| *key != "[]").cloned().collect();
    }
    // Below an element whose list is put together of several. The variables of the metadata of Pods and templates and of what was there before,
    // and those of answers, stand for roots.
    let held = [("metadata", "metadata"), ("oldMetadata", "metadata"), ("oldSpec", "spec")];
    let plain = held.iter().fold(access.plain().to_owned(), |plain, (name, key)| {
        plain.replace(&format!("variables.{name}."), &format!("variables.of.{key}."))
    });
    let roots = if plain.starts_with("variables.") { 2 } else { 1 };
    steps(&plain).into_iter().skip(roots).filter(|key| !key.contains([' ', '('])).collect()
}

/// The keys of a way in CEL, with `*` for those that an expression gives, and without places in lists.
fn steps(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut within = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        depth = match c {
            '[' => depth + 1,
            ']' => depth.saturating_sub(1),
            _ => depth,
        };
        match c {
            ']' if depth == 0 => all.extend(bracketed(&std::mem::take(&mut within))),
            '[' if depth == 1 => {}
            _ if depth > 0 => within.push(c),
            '.' => all.push(String::new()),
            '?' => {}
            _ => all.last_mut().into_iter().for_each(|last| last.push(c)),
        }
    }
    all
}

/// The key that stands in brackets.
fn bracketed(text: &str) -> Option<String> {
    let text = text.trim_start_matches('?');
    let is_place = text.parse::<u64>().is_ok();
    let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    (!is_place).then(|| key.map_or_else(|| "*".to_owned(), str::to_owned))
}
