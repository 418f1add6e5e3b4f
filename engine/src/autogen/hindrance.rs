//! Why autogen makes no rules: for a policy as a whole, or for one of its rules.
//!
//! In: the rules of a policy as written. Out: the controllers that rules are made for, or a [`Hindrance`] with the
//! place that rules it out.
//! Mirrors: pkg/autogen/v1 (CanAutoGen, checkAutogenSupport, generateRuleForControllers).

use super::ANNOTATION;
use crate::policy::{Filter, Match, Policy, Rule};
use crate::resource::POD_CONTROLLERS;
use engine_json::{Map, Path, Str, Value};
use std::sync::Arc;

/// Why rules for controllers are not made.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindrance {
    /// The rule for which none are made; `None` where there are none for the whole policy.
    pub rule: Option<Str>,
    /// One sentence.
    pub reason: String,
    /// The place in the policy's document that decides.
    pub path: Path,
}

/// Everything that keeps autogen from the rules of this policy; empty where it makes rules of all of them.
pub fn hindrances(policy: &Policy) -> Vec<Hindrance> {
    if policy.body.is_some() {
        return Vec::new();
    }
    if let Err(whole) = controllers(&policy.rules, &policy.annotations) {
        return vec![whole];
    }
    let is_made = |rule: &Rule| policy.autogen.iter().any(|made| made.written_name == rule.name);
    let left_out = policy.rules.iter().filter(|rule| !is_made(rule));
    let name = |rule: &Rule| Some(rule.name.clone());
    left_out
        .map(|rule| {
            let (reason, path) = spared(rule).unwrap_or_else(|| {
                let reason = "what the rule does cannot be carried over to the template of a controller";
                (reason.to_owned(), rule.path.clone())
            });
            Hindrance { rule: name(rule), reason, path }
        })
        .collect()
}

/// The controllers that rules are made for; otherwise what rules it out for the whole policy.
// Kyverno: CanAutoGen; one rule can forbid it for all.
pub(super) fn controllers(rules: &[Arc<Rule>], annotations: &Map) -> Result<Vec<Str>, Hindrance> {
    if let Some(hindrance) = rules.iter().find_map(|rule| forbids_all(rule)) {
        return Err(hindrance);
    }
    let whole = |reason: String, path: Path| Hindrance { rule: None, reason, path };
    let known = |kind: &str| kind == "Pod" || POD_CONTROLLERS.iter().any(|(name, _)| *name == kind);
    if !rules.iter().any(|rule| blocks(rule).any(|filter| filter.kinds.iter().any(|kind| known(&kind.text))))
    {
        let path = rules.first().map_or_else(Path::root, |rule| rule.path.join("match"));
        let pod = rules.iter().flat_map(|rule| rule.matches.filters()).find(|filter| has_pod(filter));
        return Err(match pod {
            None => whole("no rule matches Pods".to_owned(), path),
            Some(filter) => whole(
                "autogen looks for the kind written `Pod`, without a version".to_owned(),
                filter.path.join("resources").join("kinds"),
            ),
        });
    }
    match annotations.get(ANNOTATION).and_then(Value::as_str) {
        Some("none") => {
            Err(whole(format!("the annotation `{ANNOTATION}` says `none`"), annotation_path(rules)))
        }
        Some(list) if list.split(',').all(str::is_empty) => {
            Err(whole(format!("the annotation `{ANNOTATION}` names no controller"), annotation_path(rules)))
        }
        Some(list) => Ok(list.split(',').map(Str::new).collect()),
        None => Ok(POD_CONTROLLERS.iter().map(|(name, _)| Str::new(name)).collect()),
    }
}

/// What in this rule forbids autogen for all rules of its policy.
fn forbids_all(rule: &Rule) -> Option<Hindrance> {
    let name = &rule.name;
    let whole = |what: String, path: Path| {
        let reason = format!("rule `{name}` {what}: one such rule keeps autogen from all rules of a policy");
        Some(Hindrance { rule: None, reason, path })
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    if rule.raw.get("generate").and_then(Value::as_object).is_some_and(|generate| !generate.is_empty()) {
        return whole("generates".to_owned(), rule.path.join("generate"));
    }
    let mutate = rule.raw.get("mutate");
    let path = rule.path.join("mutate");
    let patches = "patchesJson6902";
    if text(mutate.and_then(|mutate| mutate.get(patches))) {
        return whole(format!("mutates by `{patches}`"), path.join(patches));
    }
    let loops = mutate.and_then(|mutate| mutate.get("foreach")).and_then(Value::as_array).unwrap_or_default();
    if let Some(at) = loops.iter().position(|each| text(each.get(patches))) {
        return whole(format!("mutates by `{patches}`"), path.join("foreach").join(at).join(patches));
    }
    let (filter, field) = blocks(rule).find_map(|filter| Some((filter, forbidding_field(filter)?)))?;
    let what = match field {
        "kinds" => "names other kinds beside `Pod` in one filter".to_owned(),
        field => format!("selects by `{field}`"),
    };
    whole(what, filter.path.join("resources").join(field))
}

/// The field of a filter that controllers cannot share with their Pods.
fn forbidding_field(filter: &Filter) -> Option<&'static str> {
    if filter.name.is_some() {
        Some("name")
    } else if !filter.names.is_empty() {
        Some("names")
    } else if filter.selector.is_some() {
        Some("selector")
    } else if filter.has_annotations {
        Some("annotations")
    } else {
        (filter.kinds.len() > 1 && has_pod(filter)).then_some("kinds")
    }
}

/// Why this rule alone gets none, and where that stands.
// Kyverno: generateRuleForControllers.
pub(super) fn spared(rule: &Rule) -> Option<(String, Path)> {
    if rule.name.starts_with("autogen-") {
        return Some(("its name begins with `autogen-`".to_owned(), rule.path.join("name")));
    }
    if !rule.matches.filters().any(has_pod) {
        return Some(("the rule does not match Pods".to_owned(), rule.path.join("match")));
    }
    let mut excluded = rule.exclude.iter().flat_map(Match::filters).filter(|filter| !filter.kinds.is_empty());
    let first = excluded.next()?;
    if has_pod(first) || excluded.any(has_pod) {
        return None;
    }
    let reason = "`exclude` names kinds and `Pod` is not among them".to_owned();
    Some((reason, first.path.join("resources").join("kinds")))
}

fn annotation_path(rules: &[Arc<Rule>]) -> Path {
    // `spec`, `rules` and the number lie between a policy and its rule.
    let rule = rules.first().map_or_else(Path::root, |rule| rule.path.clone());
    let policy = rule.get(..rule.len().saturating_sub(3)).unwrap_or_default();
    Path::from(policy).join("metadata").join("annotations").join(ANNOTATION)
}

fn blocks(rule: &Rule) -> impl Iterator<Item = &Filter> {
    rule.matches.filters().chain(rule.exclude.iter().flat_map(Match::filters))
}

fn has_pod(filter: &Filter) -> bool {
    filter.kinds.iter().any(|kind| kind.kind.pattern() == "Pod")
}
