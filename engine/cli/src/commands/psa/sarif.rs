//! The answers of `psa` as SARIF: one rule a check, one result a field at fault.
//!
//! In: a [`PsaOutput`]. Out: rules and findings; files and lines as in the text.

use super::check::is_unread;
use crate::report::sarif::{Finding, Rules, Scan, rule};
use engine::podsecurity::CHECKS;
use engine_lenses::wire::{PsaObject, PsaOutput};
use std::collections::BTreeSet;

/// The notes of the audit log about something wrong; the others say which level was asked about, and who is exempt.
const WRONG: [&str; 2] = ["audit-violations", "error"];

/// What the checks of the level that `asked` names say of each object, with that SARIF level.
pub(super) fn of_checks(
    output: &PsaOutput,
    level: &'static str,
    asked: impl Fn(&PsaObject) -> &'static str,
) -> Scan {
    let mut findings = Vec::new();
    for described in &output.objects {
        let asked = asked(described);
        let mut unread = BTreeSet::new();
        for check in &described.checks {
            let cell = if asked == "baseline" { &check.baseline } else { &check.restricted };
            if cell != "fail" {
                continue;
            }
            let who = format!(
                "{} {}: {} ({})",
                described.resource.kind, described.resource.name, check.reason, check.detail
            );
            if check.findings.is_empty() {
                findings.push(Finding::at(described.resource.range.clone(), &check.id, level, who));
                continue;
            }
            for finding in &check.findings {
                // Many checks look at one field; what cannot be read is said once.
                if is_unread(finding) && !unread.insert(&finding.path) {
                    continue;
                }
                let range = finding.range.clone().or_else(|| described.resource.range.clone());
                let text = format!("{who}; {}", finding.message);
                findings.push(Finding::at(range, &check.id, level, text));
            }
        }
    }
    (rules(), findings)
}

/// Refusals as errors, warnings as warnings, what stands in the audit log as notes.
pub(super) fn of_admission(output: &PsaOutput) -> Scan {
    let mut findings = Vec::new();
    let of_objects = output.objects.iter().map(|described| (&described.admission, &described.resource.range));
    let of_namespaces = output.namespaces.iter().map(|described| (&described.admission, &described.range));
    for (admission, range) in of_namespaces.chain(of_objects) {
        let Some(admission) = admission else { continue };
        let warnings = admission.warnings.iter().map(|text| ("warning", text));
        let refusal = (!admission.message.is_empty()).then(|| ("error", admission.message.clone()));
        let warnings = warnings.map(|(level, text)| (level, text.clone()));
        let audited = admission.audit.iter().filter(|(name, _)| WRONG.contains(&name.as_str()));
        let audited = audited.map(|(name, text)| ("note", format!("audit {name}: {text}")));
        for (level, text) in refusal.into_iter().chain(warnings).chain(audited) {
            findings.push(Finding::at(range.clone(), "pod-security-admission", level, text));
        }
    }
    (vec![rule("pod-security-admission", "What Pod Security Admission says")], findings)
}

/// What keeps namespaces down, as notes with the change that lifts it.
pub(super) fn of_advice(output: &PsaOutput) -> Scan {
    let mut findings = Vec::new();
    let advice = output.namespaces.iter().filter_map(|namespace| namespace.advice.as_ref());
    for obstacle in advice.flat_map(|advice| &advice.obstacles) {
        for finding in &obstacle.findings {
            let changes = obstacle.changes.iter().filter(|change| change.check == finding.check);
            let changes: Vec<&str> = changes.map(|change| change.text.as_str()).collect();
            let change = if changes.is_empty() { String::new() } else { format!("; {}", changes.join(", ")) };
            let who = format!("{} {}", obstacle.resource.kind, obstacle.resource.name);
            let range = finding.range.clone().or_else(|| obstacle.resource.range.clone());
            let text = format!("{who}: {} ({}){change}", finding.reason, finding.detail);
            findings.push(Finding::at(range, &finding.check, "note", text));
        }
    }
    (rules(), findings)
}

fn rules() -> Rules {
    CHECKS.iter().map(|check| rule(check.id, check.section)).collect()
}
