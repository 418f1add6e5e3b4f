//! `podsieve legacy`: what a cluster without ClusterPolicies would lose.
//!
//! In: files. Out: each rule of a classic policy, each cleanup policy and each exception with its line, what replaces it, and whether
//! `convert` can; the exit code 1 where there is one, or where not everything can be read.

use super::convert::{Documents, place, read, reason};
use crate::args::{ConvertFormat, Legacy};
use crate::exit::Failure;
use crate::terminal;
use engine::json::Value;
use engine_convert::{Conversion, Target};
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use std::fmt::Write as _;

/// Runs the command.
pub(crate) fn run(arguments: &Legacy) -> Result<u8, Failure> {
    let Documents { all, is_whole, .. } = read(&arguments.files, Target::Cel)?;
    match arguments.format {
        ConvertFormat::Text => terminal::print(&text(&all)),
        ConvertFormat::Json => terminal::document(&json(&all)),
    }
    if !is_whole {
        terminal::say("not everything was read, see the errors above: policies may stand there\n");
    }
    Ok(u8::from(!is_whole || !all.is_empty()))
}

/// The kind that replaces one that has no rules.
fn replacement(conversion: &Conversion) -> Option<&'static str> {
    match conversion.kind.as_str() {
        "ClusterCleanupPolicy" => Some("DeletingPolicy"),
        "CleanupPolicy" => Some("NamespacedDeletingPolicy"),
        "PolicyException" => Some("PolicyException of policies.kyverno.io"),
        _ => None,
    }
}

/// The rules of a policy: the name, and the kind that replaces it.
fn rules(conversion: &Conversion) -> Vec<(String, &'static str)> {
    let rules = conversion.source.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    let is_cluster = conversion.kind == "ClusterPolicy";
    rules
        .iter()
        .map(|rule| {
            let (cluster, namespaced) = [
                ("mutate", ("MutatingPolicy", "NamespacedMutatingPolicy")),
                ("generate", ("GeneratingPolicy", "NamespacedGeneratingPolicy")),
                ("verifyImages", ("ImageValidatingPolicy", "NamespacedImageValidatingPolicy")),
            ]
            .into_iter()
            .find(|(body, _)| rule.get(body).is_some())
            .map_or(("ValidatingPolicy", "NamespacedValidatingPolicy"), |(_, kinds)| kinds);
            (rule.find_str(&["name"]).to_owned(), if is_cluster { cluster } else { namespaced })
        })
        .collect()
}

fn text(all: &[(String, Conversion)]) -> String {
    if all.is_empty() {
        return format!("there is no {} in these files\n", Target::Cel.sources());
    }
    let mut out = String::new();
    for (file, conversion) in all {
        let line = place(file, conversion.range.as_ref());
        let can = if conversion.is_whole() { "can be converted" } else { "cannot be converted" };
        let _ = writeln!(out, "{line}: {} `{}`: {can}", conversion.kind, conversion.name);
        if let Some(kind) = replacement(conversion) {
            let _ = writeln!(out, "  {kind}");
        }
        for (rule, kind) in rules(conversion) {
            let _ = writeln!(out, "  rule `{rule}`: {kind}");
        }
        for refused in &conversion.refused {
            let _ = writeln!(out, "  {}: {}", place(file, refused.range.as_ref()), reason(refused));
        }
    }
    let can = all.iter().filter(|(_, conversion)| conversion.is_whole()).count();
    let count: usize = all.iter().map(|(_, conversion)| conversion.rules).sum();
    let _ = writeln!(out, "policies: {}, rules: {count}, convertible: {can}", all.len());
    out
}

fn json(all: &[(String, Conversion)]) -> String {
    let policies = all.iter().map(|(file, conversion)| {
        let rules = rules(conversion)
            .into_iter()
            .map(|(name, kind)| object([("name", Value::from(name)), ("replacedBy", Value::from(kind))]));
        let line = conversion.range.as_ref().map_or(Value::Null, |range| Value::from(i64::from(range.line)));
        object([
            ("file", Value::from(file.as_str())),
            ("line", line),
            ("kind", Value::from(conversion.kind.as_str())),
            ("name", Value::from(conversion.name.as_str())),
            ("convertible", Value::Bool(conversion.is_whole())),
            ("replacedBy", replacement(conversion).map_or(Value::Null, Value::from)),
            ("rules", Value::array(rules.collect())),
        ])
    });
    pretty(&object([("policies", Value::array(policies.collect()))])) + "\n"
}
