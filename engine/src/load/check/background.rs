//! What is known of the user has no place in background scans.
//! Mirrors: pkg/validation/policy/background.go.

use super::refusal::Refusal;
use super::schema::{POLICY, go_json};
use super::{Subject, field, given, items};
use crate::policy::Rule;
use crate::template;
use engine_json::{Path, Value};

/// What background scans do not know.
const USER: &[&str] = &[
    "serviceAccountName",
    "serviceAccountNamespace",
    "request.userInfo",
    "request.roles",
    "request.clusterRoles",
];

/// The words for the first thing that a background scan cannot know, and its place.
// Kyverno: containsUserVariables.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Refusal> {
    for (at, rule) in subject.rules.iter().enumerate() {
        check_blocks(rule, at)?;
    }
    let rules = items(subject.spec(), "rules");
    if rules.iter().any(|rule| given(field(rule, "mutate"), "targets").is_some()) {
        return Ok(());
    }
    let text = policy_text(subject);
    for found in template::variables(&text) {
        let variable = found.text();
        if USER.iter().any(|name| mentions(variable, name)) {
            let path = place_of(&subject.policy.raw, variable, subject.path);
            return Err(Refusal::new(format!("variable {variable} is not allowed"), path));
        }
    }
    Ok(())
}

/// Whether any variable stands in the policy.
pub(super) fn has_variables(subject: &Subject<'_>) -> bool {
    !template::variables(&policy_text(subject)).is_empty()
}

/// The policy as JSON, in which Kyverno looks for variables; what `kubectl apply` left in it does not count.
fn policy_text(subject: &Subject<'_>) -> String {
    let mut policy = subject.policy.raw.clone();
    if !template::has_markers(&policy) {
        return String::new();
    }
    let metadata = policy.object_mut().and_then(|map| map.get_mut("metadata")).and_then(Value::object_mut);
    if let Some(annotations) = metadata.and_then(|map| map.get_mut("annotations")).and_then(Value::object_mut)
    {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    go_json(&policy, &POLICY)
}

fn check_blocks(rule: &Rule, at: usize) -> Result<(), Refusal> {
    let refuse = |side: &str, inner: String, path: Path| {
        Err(Refusal::new(format!("invalid variable used at path: spec/rules[{at}]/{side}/{inner}"), path))
    };
    for (side, lists) in [("match", ["any", "all"]), ("exclude", ["all", "any"])] {
        let block = field(&rule.raw, side);
        let path = rule.path.join(side);
        if let Some(key) = user_info(block) {
            return refuse(side, key.to_owned(), path.join(key));
        }
        for list in lists {
            for (filter_at, filter) in items(block, list).iter().enumerate() {
                if let Some(key) = user_info(filter) {
                    let path = path.join(list).join(filter_at).join(key);
                    return refuse(side, format!("{list}[{filter_at}]/{key}"), path);
                }
            }
        }
    }
    Ok(())
}

fn user_info(filter: &Value) -> Option<&'static str> {
    ["roles", "clusterRoles", "subjects"].into_iter().find(|key| !items(filter, key).is_empty())
}

// Go: `[^\.](name)\b` with name as it is; its dots match any character.
fn mentions(variable: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts: Vec<usize> = variable.char_indices().map(|(at, _)| at).collect();
    starts.iter().any(|at| {
        let rest = variable.get(*at..).unwrap_or("");
        let mut chars = rest.chars();
        let before = chars.next();
        let named = name
            .chars()
            .all(|wanted| chars.next().is_some_and(|c| c == wanted || (wanted == '.' && c != '\n')));
        before.is_some_and(|c| c != '.') && named && !chars.next().is_some_and(is_word)
    })
}

/// The first text that holds this variable, which is quoted as in JSON.
fn place_of(value: &Value, variable: &str, path: &Path) -> Path {
    find(value, variable, path).unwrap_or_else(|| path.clone())
}

fn find(value: &Value, variable: &str, path: &Path) -> Option<Path> {
    let holds = |text: &str| {
        let mut quoted = String::new();
        engine_json::write_string(&mut quoted, text);
        quoted.contains(variable)
    };
    match value {
        Value::Object(map) => map.iter().find_map(|(key, item)| {
            let path = path.join(key.clone());
            if holds(key) { Some(path) } else { find(item, variable, &path) }
        }),
        Value::Array(list) => {
            list.iter().enumerate().find_map(|(at, item)| find(item, variable, &path.join(at)))
        }
        Value::String(text) => holds(text).then(|| path.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
