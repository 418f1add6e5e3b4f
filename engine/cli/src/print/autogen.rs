//! `--show-autogen`: the rules that autogen makes of each policy, or what keeps it from making them.
//!
//! In: loaded policies. Out: text, such as
//! `  autogen-team, made of team (policy.yaml:7) for DaemonSet, Deployment`, with the rule as YAML below it.

use super::explain::place;
use engine::Bundle;
use engine::autogen::{Hindrance, hindrances};
use engine::json::{Path, Str};
use engine::policy::Policy;
use engine::yaml::emit::to_yaml_ordered;
use engine_lenses::run::Positions;
use std::fmt::Write;

/// What autogen makes of all policies.
pub(crate) fn print(bundle: &Bundle) -> String {
    let positions = Positions::new(bundle);
    let mut out = String::from("\nAutogen:\n");
    for policy in &bundle.policies {
        let _ = writeln!(out, "\npolicy {}", policy.key());
        describe(&mut out, policy, &positions);
    }
    out
}

fn describe(out: &mut String, policy: &Policy, positions: &Positions<'_>) {
    let at = |path: &Path| {
        place(positions, policy.document, path).map(|place| format!(" ({place})")).unwrap_or_default()
    };
    for rule in &policy.autogen {
        let kinds: Vec<&str> = rule.controllers.iter().map(Str::as_str).collect();
        let made_of = format!("made of {}{} for {}", rule.written_name, at(&rule.path), kinds.join(", "));
        let _ = writeln!(out, "  {}, {made_of}", rule.name);
        for line in to_yaml_ordered(&rule.raw).lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    for Hindrance { rule, reason, path } in hindrances(policy) {
        let whose = rule.map_or_else(|| "no rules".to_owned(), |rule| format!("no rules of {rule}"));
        let _ = writeln!(out, "  {whose}: {reason}{}", at(&path));
    }
}
