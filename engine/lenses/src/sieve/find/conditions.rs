//! Preconditions that skip, and conditions of a deny that let through, by image, name, label or user.
//!
//! A condition is an exemption where it says "not these": with it the rule has a say only about others. One that says
//! "only these" gives the rule its subject and is none; nor is a condition that a deny consists of.

use super::{Exemption, ExemptionSelector, Kind, On, listed, texts};
use crate::sieve::edit::Edit;
use crate::sieve::pod::map;
use engine::resource::DocumentId;
use engine_json::{Path, Value};

/// Foreach within foreach is followed so deep.
const MAX_DEPTH: usize = 4;

pub(super) fn find(rule: &Value, document: DocumentId, path: &Path, found: &mut Vec<Exemption>) {
    let mut of_rule = Vec::new();
    block(rule.get("preconditions"), &path.join("preconditions"), Kind::Precondition, &mut of_rule);
    let validate = path.join("validate");
    if let Some(body) = rule.get("validate") {
        deny(body, &validate, &mut of_rule);
        loops(body, &validate, 0, &mut of_rule);
    }
    found.extend(of_rule.into_iter().map(|mut exemption| {
        exemption.document = document;
        exemption.hints = hints(rule, &exemption);
        exemption
    }));
}

fn loops(body: &Value, path: &Path, depth: usize, found: &mut Vec<Exemption>) {
    if depth >= MAX_DEPTH {
        return;
    }
    let list = body.get("foreach").and_then(Value::as_array).unwrap_or_default();
    for (at, each) in list.iter().enumerate() {
        let path = path.join("foreach").join(at);
        let before = found.len();
        block(each.get("preconditions"), &path.join("preconditions"), Kind::Precondition, found);
        deny(each, &path, found);
        for exemption in found.iter_mut().skip(before) {
            exemption.foreach = Some(path.clone());
        }
        loops(each, &path, depth + 1, found);
    }
}

fn deny(body: &Value, path: &Path, found: &mut Vec<Exemption>) {
    let path = path.join("deny").join("conditions");
    block(body.find(&["deny", "conditions"]), &path, Kind::Condition, found);
}

fn block(block: Option<&Value>, path: &Path, kind: Kind, found: &mut Vec<Exemption>) {
    let Some(block) = block else { return };
    let lists = match block {
        Value::Array(items) => vec![(path.clone(), items.as_slice(), true)],
        _ => ["any", "all"]
            .into_iter()
            .filter_map(|key| {
                let items = block.get(key)?.as_array()?;
                Some((path.join(key), items, key == "all"))
            })
            .collect(),
    };
    for (path, items, is_all) in lists {
        for (at, condition) in items.iter().enumerate() {
            // What a deny consists of is not an exemption from it.
            if kind == Kind::Condition && (items.len() < 2 || !is_all) {
                continue;
            }
            found.extend(exemption(condition, &path.join(at), kind));
        }
    }
}

fn exemption(condition: &Value, path: &Path, kind: Kind) -> Option<Exemption> {
    let key = condition.get("key")?;
    let key = key.as_str()?;
    let value = condition.get("value").unwrap_or(&Value::Null);
    let operator = condition.find_str(&["operator"]);
    let on = subject(key)?;
    let is_negative = matches!(operator, "NotEquals" | "NotEqual" | "NotIn" | "AnyNotIn" | "AllNotIn");
    let truth = match value {
        Value::Bool(b) => Some(*b),
        Value::String(text) => text.parse::<bool>().ok(),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    // `contains(…) Equals false`: the key says "one of these", and the condition that it is not so.
    let asks = ["contains(", "regex_match(", "starts_with(", "ends_with(", "pattern_match("];
    let is_refusing = asks.iter().any(|function| key.contains(function))
        && match truth {
            Some(wanted) => (wanted == key.trim_start_matches(['{', ' ']).starts_with('!')) != is_negative,
            None => false,
        };
    let is_exempting = if truth.is_some() { is_refusing } else { is_negative };
    if !is_exempting {
        return None;
    }
    let mut exemption = Exemption::new(kind, DocumentId(0), path.clone());
    let found = if truth.is_some() { Vec::new() } else { texts(value, &path.join("value")) };
    let names = found.iter().map(|(_, text)| *text).filter(|text| !text.contains("{{"));
    exemption.text = match (listed(names), truth) {
        (_, Some(_)) => format!("`{key}`"),
        (names, None) if names.is_empty() => format!("`{key}` {operator} a variable"),
        (names, None) => format!("{} {names}", word(&on)),
    };
    let selectors = found.into_iter().filter(|(_, text)| !text.contains("{{"));
    exemption.selectors =
        selectors.map(|(path, text)| ExemptionSelector::new(on.clone(), path, text)).collect();
    let always = map([("key", "always".into()), ("operator", "Equals".into()), ("value", "always".into())]);
    exemption.removal = vec![Edit::Set(path.clone(), always)];
    Some(exemption)
}

/// Images of a condition that has no patterns: of the texts that its function asks for, and of the variable that it names.
fn hints(rule: &Value, exemption: &Exemption) -> Vec<String> {
    let way = exemption.path.iter().skip(3);
    let Some(condition) = rule.at_path(way).filter(|_| exemption.selectors.is_empty()) else {
        return Vec::new();
    };
    let key = condition.find_str(&["key"]);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_');
    let quoted = key.split('\'').skip(1).step_by(2);
    let mut found: Vec<String> = quoted
        .map(|text| text.trim_matches(|c: char| !is_plain(c)).to_owned())
        .filter(|text| !text.is_empty() && text.chars().all(|c| is_plain(c) || c == '.'))
        .map(|text| format!("registry.example/{text}:1.0"))
        .collect();
    let named = condition.find_str(&["value"]).trim_matches(['{', '}', ' ']);
    let context = rule.get("context").and_then(Value::as_array).unwrap_or_default();
    for entry in context.iter().filter(|entry| entry.find_str(&["name"]) == named) {
        let value = entry.find(&["variable", "value"]).unwrap_or(&Value::Null);
        let patterns = texts(value, &Path::root()).into_iter();
        found.extend(patterns.flat_map(|(_, pattern)| crate::sieve::images::meant(pattern)));
    }
    found
}

/// What the key of a condition looks at, if that is something an object is known by.
fn subject(key: &str) -> Option<On> {
    let lower = key.to_lowercase();
    let after = |word: &str| {
        let rest = key.split(word).nth(1)?.trim_start_matches(['.', '[', ' ']);
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split('"').next());
        let end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
        let name = quoted.or_else(|| rest.split(end).next())?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    if lower.contains("image") {
        return Some(On::Image);
    }
    if lower.contains("metadata.labels") {
        return after("labels").map(On::Label);
    }
    if lower.contains("metadata.annotations") {
        return after("annotations").map(On::Annotation);
    }
    if lower.contains("userinfo.username") {
        return Some(On::Subject("User".to_owned(), String::new()));
    }
    if lower.contains("userinfo.groups") {
        return Some(On::Subject("Group".to_owned(), String::new()));
    }
    if lower.contains("request.namespace") || lower.contains("metadata.namespace") {
        return Some(On::Namespace);
    }
    if lower.contains("metadata.name") || lower.contains("request.name") {
        return Some(On::Name);
    }
    (lower.contains("element.name") || lower.contains("containers[].name")).then_some(On::Container)
}

fn word(on: &On) -> String {
    match on {
        On::Image => "images".to_owned(),
        On::Container => "containers named".to_owned(),
        On::Name => "objects named".to_owned(),
        On::Namespace => "namespaces".to_owned(),
        On::Label(key) => format!("label `{key}`:"),
        On::Annotation(key) => format!("annotation `{key}`:"),
        On::NamespaceLabel(key) => format!("label `{key}` of the namespace:"),
        On::Field(path) => format!("objects with `{path}`"),
        On::Subject(kind, _) => format!("{}s", kind.to_lowercase()),
    }
}
