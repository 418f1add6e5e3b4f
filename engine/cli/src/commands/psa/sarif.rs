//! The answers of `psa` as SARIF: one rule a check, one result a field at fault.
//!
//! In: a [`PsaOutput`]. Out: the document; files and lines as in the text.

use super::check::is_unread;
use crate::report::sarif::{Finding, document};
use engine::json::Value;
use engine::podsecurity::CHECKS;
use engine::report::object;
use engine::wire::{PsaObject, PsaOutput};
use std::collections::BTreeSet;

/// What the checks of the level that `asked` names say of each object.
pub(super) fn of_checks(output: &PsaOutput, asked: impl Fn(&PsaObject) -> &'static str) -> String {
    let mut findings = Vec::new();
    for told in &output.objects {
        let asked = asked(told);
        let mut unread = BTreeSet::new();
        for check in &told.checks {
            let cell = if asked == "baseline" { &check.baseline } else { &check.restricted };
            if cell != "fail" {
                continue;
            }
            for finding in &check.findings {
                let who = format!("{} {}", told.resource.kind, told.resource.name);
                // Many checks look at one field; what cannot be read is told once.
                if is_unread(finding) && !unread.insert(&finding.path) {
                    continue;
                }
                findings.push(Finding {
                    rule: check.id.clone(),
                    level: "error",
                    text: format!("{who}: {} ({}); {}", check.reason, check.detail, finding.message),
                    range: finding.range.clone().or_else(|| told.resource.range.clone()),
                });
            }
        }
    }
    document(rules(), &findings)
}

/// Refusals as errors, warnings as warnings.
pub(super) fn of_admission(output: &PsaOutput) -> String {
    let mut findings = Vec::new();
    let of_objects = output.objects.iter().map(|told| (&told.admission, &told.resource.range));
    let of_namespaces = output.namespaces.iter().map(|told| (&told.admission, &told.range));
    for (admission, range) in of_namespaces.chain(of_objects) {
        let Some(admission) = admission else { continue };
        let warnings = admission.warnings.iter().map(|text| ("warning", text));
        let refusal = (!admission.message.is_empty()).then_some(("error", &admission.message));
        for (level, text) in refusal.into_iter().chain(warnings) {
            let (rule, text, range) = ("pod-security-admission".to_owned(), text.clone(), range.clone());
            findings.push(Finding { rule, level, text, range });
        }
    }
    let rule = described("pod-security-admission", "What Pod Security Admission says");
    document(vec![rule], &findings)
}

/// What keeps namespaces down, as notes with the change that lifts it.
pub(super) fn of_advice(output: &PsaOutput) -> String {
    let mut findings = Vec::new();
    let advice = output.namespaces.iter().filter_map(|namespace| namespace.advice.as_ref());
    for obstacle in advice.flat_map(|advice| &advice.obstacles) {
        for finding in &obstacle.findings {
            let changes = obstacle.changes.iter().filter(|change| change.check == finding.check);
            let changes: Vec<&str> = changes.map(|change| change.text.as_str()).collect();
            let change = if changes.is_empty() { String::new() } else { format!("; {}", changes.join(", ")) };
            let who = format!("{} {}", obstacle.resource.kind, obstacle.resource.name);
            findings.push(Finding {
                rule: finding.check.clone(),
                level: "note",
                text: format!("{who}: {} ({}){change}", finding.reason, finding.detail),
                range: finding.range.clone(),
            });
        }
    }
    document(rules(), &findings)
}

fn rules() -> Vec<Value> {
    CHECKS.iter().map(|check| described(check.id, check.section)).collect()
}

fn described(id: &str, title: &str) -> Value {
    object([("id", Value::from(id)), ("shortDescription", object([("text", Value::from(title))]))])
}
