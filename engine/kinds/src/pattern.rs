//! Patterns held against the kinds that their rule is for: `labels` beside `metadata` is asked of no Pod.
//!
//! In: a rule. Out: each key of `validate.pattern` and `validate.anyPattern` that none of the kinds has. Keys with wildcards or
//! variables are left alone, and so are rules that match kinds which are not Kubernetes' own, or not by name.

use crate::near;
use crate::schema::{Fields, schema};
use crate::walk::with_article;
use crate::{Finding, MAX_FINDINGS};
use engine::diag::Code;
use engine::json::{Map, Path, Value};
use engine::policy::Rule;

/// What no resource can have that this rule is for.
pub(crate) fn findings(rule: &Rule) -> Vec<Finding> {
    let Some(kinds) = kinds(rule) else { return Vec::new() };
    let types: Vec<&Fields> = kinds.iter().flat_map(|kind| schema().named(kind)).collect();
    let mut walk = Walk { kinds: &kinds, found: Vec::new() };
    let path = rule.path.join("validate");
    if let Some(pattern) = rule.raw.find(&["validate", "pattern"]) {
        walk.pattern(pattern, &types, &path.join("pattern"));
    }
    let patterns = rule.raw.find(&["validate", "anyPattern"]).and_then(Value::as_array).unwrap_or_default();
    for (at, pattern) in patterns.iter().enumerate() {
        walk.pattern(pattern, &types, &path.join("anyPattern").join(at));
    }
    walk.found
}

/// The kinds that a rule matches; nothing where one of them is not known.
fn kinds(rule: &Rule) -> Option<Vec<String>> {
    let mut kinds = Vec::new();
    for kind in rule.matches.filters().flat_map(|filter| &filter.kinds) {
        let name = kind.text.rsplit('/').next().unwrap_or_default();
        // Neither `Pod/exec` nor `Pod.status` is about a whole object.
        if schema().named(name).is_empty() {
            return None;
        }
        kinds.push(name.to_owned());
    }
    kinds.sort();
    kinds.dedup();
    (!kinds.is_empty()).then_some(kinds)
}

struct Walk<'k> {
    kinds: &'k [String],
    found: Vec<Finding>,
}

impl Walk<'_> {
    fn pattern(&mut self, pattern: &Value, types: &[&Fields], path: &Path) {
        if let Some(map) = pattern.as_object() {
            self.fields(map, types, path, 0);
        }
    }

    // Patterns nest no deeper than the reader lets them.
    fn fields(&mut self, map: &Map, types: &[&Fields], path: &Path, depth: usize) {
        for (written, value) in map.iter() {
            let key = without_anchor(written);
            if key.contains(['*', '?', '{', '}']) || key == "status" || self.found.len() >= MAX_FINDINGS {
                continue;
            }
            let path = path.join(written.clone());
            let held: Vec<&str> = types.iter().filter_map(|fields| fields.get(key).copied()).collect();
            if held.is_empty() {
                let hint = types.iter().find_map(|fields| near::hint(key, fields));
                let hint = hint.or_else(|| of_rule(key).filter(|_| depth == 0));
                let kinds: Vec<String> = self.kinds.iter().map(|kind| with_article(kind)).collect();
                let message = format!(
                    "the pattern asks for `{key}`, which {} cannot have at this place",
                    kinds.join(" or ")
                );
                self.found.push(Finding { path, code: Code::UnknownField, message, hint });
            } else {
                self.held(value, &held, &path);
            }
        }
    }

    fn held(&mut self, value: &Value, held: &[&str], path: &Path) {
        match value {
            Value::Object(map) => {
                let types: Vec<&Fields> = held.iter().filter_map(|holds| schema().held(holds)).collect();
                // A map of any keys, or something that no type is known of, takes whatever is asked.
                if types.len() == held.len() {
                    self.fields(map, &types, path, 1);
                }
            }
            Value::Array(list) => {
                let of: Vec<&str> = held.iter().filter_map(|holds| holds.strip_prefix("[]")).collect();
                if of.len() == held.len() {
                    list.iter().enumerate().for_each(|(at, item)| self.held(item, &of, &path.join(at)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// What stands in a pattern by one level of indentation too much.
fn of_rule(key: &str) -> Option<String> {
    let is_beside = ["message", "failureAction", "deny", "foreach", "podSecurity"].contains(&key);
    is_beside.then(|| format!("`{key}` belongs beside `pattern`"))
}

/// The key within its anchor: `=(securityContext)`, `X(hostPath)`, `(image)`.
fn without_anchor(key: &str) -> &str {
    let inner = key.strip_suffix(')').and_then(|key| key.split_once('('));
    match inner {
        Some(("" | "=" | "X" | "^" | "+" | "<", inner)) => inner,
        _ => key,
    }
}
