//! What Kyverno takes without a word, and what its author can hardly mean.
//!
//! In: a policy that Kyverno takes. Out: warnings with their places; only what is certain is said. Example: an
//! `exclude` for Deployments in a rule that matches Pods takes nothing out.

use super::conditions::{OPERATORS, each, known_operator};
use super::{expressions, field, given, items, reach, text, texts};
use crate::diag::{Code, Severity};
use crate::load::decode::{Problem, Problems};
use crate::policy::{Policy, Rule};
use engine_json::{Path, Value};

/// The warnings about a policy.
pub(in super::super) fn lint(policy: &Policy) -> Problems {
    let mut problems = Problems::new();
    for rule in &policy.rules {
        for side in ["match", "exclude"] {
            lint_block(field(&rule.raw, side), &rule.path.join(side), &mut problems);
        }
        lint_all(rule, &mut problems);
        lint_exclude(rule, &mut problems);
        lint_conditions(rule, &mut problems);
        expressions::lint(rule, &mut problems);
        super::width::lint_rule(&rule.raw, &rule.path, &mut problems);
    }
    reach::lint(policy, &mut problems);
    problems
}

fn warn(problems: &mut Problems, path: Path, message: String, hint: String) {
    problems.push(Problem { path, code: Code::Suspicious, severity: Severity::Warning, message, hint });
}

/// Kinds that are often written in lower case or in the plural.
const KINDS: &[&str] = &[
    "Pod",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "Service",
    "Ingress",
    "Namespace",
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Node",
];

fn lint_block(block: &Value, path: &Path, problems: &mut Problems) {
    lint_filter(block, path, problems);
    for key in ["any", "all"] {
        for (at, filter) in items(block, key).iter().enumerate() {
            lint_filter(filter, &path.join(key).join(at), problems);
        }
    }
}

fn lint_filter(filter: &Value, path: &Path, problems: &mut Problems) {
    let resources = field(filter, "resources");
    let path = path.join("resources");
    for (at, kind) in texts(resources, "kinds").into_iter().enumerate() {
        let name = kind.rsplit('/').next().unwrap_or(kind);
        let place = path.join("kinds").join(at);
        if kind.split('/').count() > 4 {
            warn(problems, place, format!("`{kind}` names no kind: it never matches"), KIND_FORMS.to_owned());
        } else if let Some(known) = misspelled(name) {
            let message = format!("no kind is called `{name}`: this never matches");
            warn(problems, place, message, format!("write `{known}`"));
        }
    }
    for (at, namespace) in texts(resources, "namespaces").into_iter().enumerate() {
        if namespace.contains(|c: char| {
            !(c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '*' | '?'))
        }) {
            let message = format!("no namespace can be called `{namespace}`: this never matches");
            let hint =
                "names of namespaces hold lower-case letters, digits and `-`; `*` and `?` are wildcards";
            warn(problems, path.join("namespaces").join(at), message, hint.to_owned());
        }
    }
}

const KIND_FORMS: &str =
    "write `Kind`, `version/Kind` or `group/version/Kind`, each with `/subresource` if need be";

/// The known kind that differs in the case of letters or by a plural ending alone.
fn misspelled(name: &str) -> Option<&'static str> {
    let same = |known: &str, name: &str| known.eq_ignore_ascii_case(name);
    let is_known = KINDS.contains(&name);
    let singular = name.strip_suffix('s').unwrap_or(name);
    KINDS.iter().copied().find(|known| !is_known && (same(known, name) || same(known, singular)))
}

/// The kinds of a filter, where all of them are plain names.
fn plain_kinds(filter: &Value) -> Option<Vec<&str>> {
    let kinds = texts(field(filter, "resources"), "kinds");
    let plain = |kind: &&str| !kind.contains(['*', '?', '/', '.']);
    (!kinds.is_empty() && kinds.iter().all(plain)).then_some(kinds)
}

fn disjoint(one: &[&str], other: &[&str]) -> bool {
    !one.iter().any(|kind| other.contains(kind))
}

/// Filters under `all` that no object passes together.
fn lint_all(rule: &Rule, problems: &mut Problems) {
    for side in ["match", "exclude"] {
        let filters = items(field(&rule.raw, side), "all");
        let Some((first, rest)) = filters.split_first() else { continue };
        let Some(first) = plain_kinds(first) else { continue };
        for (at, filter) in rest.iter().enumerate() {
            if plain_kinds(filter).is_some_and(|kinds| disjoint(&first, &kinds)) {
                let path = rule.path.join(side).join("all").join(at + 1).join("resources").join("kinds");
                let message =
                    "no object has a kind of this filter and one of the first: together they never match";
                warn(problems, path, message.to_owned(), "write alternatives under `any`".to_owned());
            }
        }
    }
}

/// Exclusions for kinds that the rule does not match.
fn lint_exclude(rule: &Rule, problems: &mut Problems) {
    let matches = field(&rule.raw, "match");
    let filters = items(matches, "any").iter().chain(items(matches, "all")).chain([matches]);
    let mut matched = Vec::new();
    for filter in filters {
        match plain_kinds(filter) {
            Some(kinds) => matched.extend(kinds),
            None if texts(field(filter, "resources"), "kinds").is_empty() => {}
            None => return,
        }
    }
    let exclude = field(&rule.raw, "exclude");
    let path = rule.path.join("exclude");
    let listed = |key: &'static str| {
        let path = path.join(key);
        items(exclude, key).iter().enumerate().map(move |(at, filter)| (path.join(at), filter))
    };
    for (path, filter) in listed("any").chain(listed("all")).chain([(path.clone(), exclude)]) {
        if !matched.is_empty() && plain_kinds(filter).is_some_and(|kinds| disjoint(&matched, &kinds)) {
            // Kyverno: generateRuleForControllers makes no rule where exclude names kinds and Pod is not among them.
            let hint = if matched.contains(&"Pod") {
                "because of it, autogen makes no rules for the controllers of Pods"
            } else {
                ""
            };
            let message = "the rule matches none of these kinds: this takes nothing out".to_owned();
            warn(problems, path.join("resources").join("kinds"), message, hint.to_owned());
        }
    }
}

/// Operators that nothing knows, where Kyverno does not look.
fn lint_conditions(rule: &Rule, problems: &mut Problems) {
    let mutate = field(&rule.raw, "mutate");
    let targets = items(mutate, "targets").iter().enumerate().map(|(at, target)| {
        let path = rule.path.join("mutate").join("targets").join(at).join("preconditions");
        (path, field(target, "preconditions"))
    });
    let validate = field(&rule.raw, "validate");
    let deny = given(field(validate, "deny"), "conditions");
    let deny =
        deny.map(|conditions| (rule.path.join("validate").join("deny").join("conditions"), conditions));
    let own = (rule.path.join("preconditions"), field(&rule.raw, "preconditions"));
    for (path, conditions) in targets.chain(deny).chain([own]) {
        for (_, inner, condition) in each(conditions) {
            let operator = text(condition, "operator");
            if OPERATORS.contains(&operator) {
                continue;
            }
            let known = known_operator(operator);
            let hint = known.map_or_else(String::new, |known| format!("write `{known}`"));
            let path = path.concat(&inner).join("operator");
            warn(
                problems,
                path,
                format!("operator `{operator}` is unknown: the condition never holds"),
                hint,
            );
        }
    }
}
