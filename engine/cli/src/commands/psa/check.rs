//! `podsieve psa check`: each object by the checks of a level.
//!
//! In: files, a level, a version. Out: for each object whether it satisfies the level, with Kubernetes' words and the line
//! of each field at fault; and the versions in which the verdict is another.

use super::{AdmissionInputs, answer, line, manner, print_answer, sarif};
use crate::args::{self, PsaLevel};
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::problems::is_complete;
use engine_lenses::wire::{PsaCheck, PsaFinding, PsaObject, PsaOutput, PsaStretch};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(arguments: &args::PsaCheck) -> Result<u8, Failure> {
    let (output, problems) = answer(&arguments.objects, AdmissionInputs::default())?;
    let level = arguments.level;
    print_answer(
        arguments.objects.format,
        &output,
        &problems,
        &|paint| text(&output, level, paint),
        &|| {
            // Where no level is asked for nothing fails, whatever stands in the way of the next.
            let degree = if level.is_some() { "error" } else { "warning" };
            sarif::of_checks(&output, degree, |object| level.map_or_else(|| next(object), name))
        },
    )?;
    let is_satisfied =
        level.is_none_or(|level| output.objects.iter().all(|object| satisfies(object, name(level))));
    Ok(u8::from(!is_satisfied || !is_complete(&problems)))
}

fn name(level: PsaLevel) -> &'static str {
    match level {
        PsaLevel::Baseline => "baseline",
        PsaLevel::Restricted => "restricted",
    }
}

/// The level above what an object reaches.
fn next(object: &PsaObject) -> &'static str {
    if object.reaches == "privileged" { "baseline" } else { "restricted" }
}

fn satisfies(object: &PsaObject, level: &str) -> bool {
    object.levels.iter().all(|said| said.level != level || said.allowed)
}

fn text(output: &PsaOutput, level: Option<PsaLevel>, paint: Paint) -> String {
    let mut out = String::new();
    let mut reached = [0_usize; 3];
    for object in &output.objects {
        let at = ["privileged", "baseline", "restricted"].iter().position(|level| *level == object.reaches);
        if let Some(count) = at.and_then(|at| reached.get_mut(at)) {
            *count += 1;
        }
        let asked = level.map_or_else(|| next(object), name);
        describe(&mut out, object, asked, level.is_some(), paint);
    }
    let [privileged, baseline, restricted] = reached;
    let _ = writeln!(
        out,
        "objects: {}, satisfy restricted: {restricted}, baseline only: {baseline}, neither: {privileged}",
        output.objects.len()
    );
    out + &manner(output)
}

fn describe(out: &mut String, object: &PsaObject, asked: &str, is_wanted: bool, paint: Paint) {
    let resource = &object.resource;
    let who = format!("{} {}/{}", resource.kind, resource.namespace, resource.name);
    let place = paint.faint(&line(resource.range.as_ref()));
    let is_good = satisfies(object, asked);
    let verdict = match (is_good, is_wanted) {
        (true, _) => paint.good(&format!("satisfies {asked}")),
        (false, true) => paint.bad(&format!("violates {asked}")),
        (false, false) => paint.doubtful(&format!("reaches {}, not {asked}", object.reaches)),
    };
    let _ = writeln!(out, "{place}  {who}: {verdict}");
    let failed = |check: &&PsaCheck| {
        let cell = if asked == "baseline" { &check.baseline } else { &check.restricted };
        cell == "fail"
    };
    let failed: Vec<&PsaCheck> = object.checks.iter().filter(failed).collect();
    let described = |out: &mut String, finding: &PsaFinding| {
        let _ = writeln!(out, "    {}  {}", paint.faint(&line(finding.range.as_ref())), finding.message);
    };
    // Many checks look at one field; what cannot be read is said once.
    let unread: BTreeMap<&str, &PsaFinding> = failed
        .iter()
        .flat_map(|check| check.findings.iter().filter(|finding| is_unread(finding)))
        .map(|finding| (finding.path.as_str(), finding))
        .collect();
    if !unread.is_empty() {
        let _ = writeln!(out, "  {}", paint.bad("no API server can read it"));
        for finding in unread.values() {
            described(out, finding);
        }
    }
    for check in
        failed.iter().filter(|check| check.findings.is_empty() || !check.findings.iter().all(is_unread))
    {
        let _ = writeln!(out, "  {} ({})", paint.bad(&check.reason), check.detail);
        check
            .findings
            .iter()
            .filter(|finding| !is_unread(finding))
            .for_each(|finding| described(out, finding));
    }
    if let Some(described) = changes(&object.strip, asked) {
        let _ = writeln!(out, "  by version: {described}");
    }
}

/// Whether a field has a type that Kubernetes does not read there.
pub(super) fn is_unread(finding: &PsaFinding) -> bool {
    finding.fault == "wrongType"
}

/// In which versions the verdict of a level is which; nothing where it never changes.
fn changes(strip: &[PsaStretch], level: &str) -> Option<String> {
    let passes =
        |stretch: &PsaStretch| if level == "baseline" { stretch.baseline } else { stretch.restricted };
    let mut parts: Vec<(bool, String, String, Vec<String>)> = Vec::new();
    for stretch in strip {
        let because: Vec<String> = stretch.starts.iter().chain(&stretch.stops).cloned().collect();
        match parts.last_mut() {
            Some(last) if last.0 == passes(stretch) => stretch.to.clone_into(&mut last.2),
            _ => parts.push((passes(stretch), stretch.from.clone(), stretch.to.clone(), because)),
        }
    }
    let described = |(passes, from, to, because): &(bool, String, String, Vec<String>)| {
        let verdict = if *passes { "satisfied" } else { "violated" };
        let because = if because.is_empty() { String::new() } else { format!(" ({})", because.join(", ")) };
        format!("{from} to {to} {verdict}{because}")
    };
    (parts.len() > 1).then(|| parts.iter().map(described).collect::<Vec<_>>().join("; "))
}
