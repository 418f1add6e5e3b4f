//! What the engine answers: all fields, each with its name in JSON where that is another. The tests hold them against
//! what `engine_lenses::wire` writes.

use engine_lenses::wire::{
    Autogen, AutogenHindrance, AutogenRule, Changes, CheckOutput, Counts, Diagnostic, Drift, DriftOf, Loaded,
    ObjectRef, Output, PolicyResult, PsaAdmission, PsaAdvice, PsaChange, PsaCheck, PsaFinding, PsaLevel,
    PsaNamespace, PsaObject, PsaObstacle, PsaObstacleFinding, PsaOutput, PsaStretch, Range, Refused,
    ReportOutput, RuleResult, Schedule, Step, Target, TestFolder, Text, Version,
};

use super::shapes;

shapes! {
    Changes {
        since, head, tail, index, units_added "unitsAdded", units_removed "unitsRemoved", lines_added "linesAdded",
        lines_removed "linesRemoved", output,
    }
    Output { version, complete, results, counts, refused, diagnostics, autogen, loaded, schedules, drift }
    Version { podsieve, kyverno }
    PolicyResult { policy, resource, rules, effect, patched, original, no_match "noMatch", in_cluster "inCluster", steps }
    ObjectRef { api_version "apiVersion", kind, namespace, name, range }
    Range { input, index, name, from, to, line, column, end_line "endLine" }
    RuleResult {
        rule, kind "type", status, message, effect, autogen, properties, exceptions, warnings,
        policy_ranges "policyRanges", resource_ranges "resourceRanges", steps, generated, note, target,
    }
    Step { depth, kind, outcome, text, policy_range "policyRange", resource_range "resourceRange" }
    Target { resource, original, patched }
    Counts { pass, fail, warn, error, skip, undecided }
    Refused { policy, reason, range }
    Diagnostic { code, severity, message, range, hints }
    Autogen { policy, rules, hindrances }
    AutogenRule { rule, from, kinds, text, range }
    AutogenHindrance { rule, reason, range }
    Loaded { policies, rules, resources, exceptions }
    Schedule { policy, schedule, next, propagation }
    Drift { objects, ignore_differences "ignoreDifferences" }
    DriftOf { resource, changed, added, removed }
    PsaOutput { version, complete, asked, effective, as_written "asWritten", objects, namespaces, others, diagnostics }
    PsaObject { resource, reaches, levels, checks, strip, admission }
    PsaLevel { level, allowed, detail }
    PsaCheck { id, section, level, baseline, restricted, note, fields, reason, detail, findings }
    PsaFinding { path, fault, value, container, message, range }
    PsaStretch { from, to, baseline, restricted, starts, stops }
    PsaAdmission { allowed, message, warnings, audit }
    PsaNamespace { name, declared, enforce, audit, warn, admission, advice, range }
    PsaAdvice { level, labels, obstacles }
    PsaObstacle { resource, next, findings, changes }
    PsaObstacleFinding { check, reason, detail, exclusion, range }
    PsaChange { path, value, check, text, range }
    ReportOutput { text, complete }
    CheckOutput { version, complete, diagnostics }
    TestFolder { files, notes }
    Text { name, text }
}
