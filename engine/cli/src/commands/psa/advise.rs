//! `podsieve psa advise`: how strict each namespace could be, and what stands in the way of the next level.
//!
//! In: files. Out: for each namespace the strictest labels that everything in it satisfies; for each object that keeps it
//! down its findings, the smallest change that lifts them, and the narrowest Kyverno exclusion for each.

use super::{AdmissionInputs, answer, line, manner, print_answer, sarif};
use crate::args::PsaAdvise;
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::problems::is_complete;
use engine_lenses::wire::{PsaAdvice, PsaObstacle, PsaOutput};
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(arguments: &PsaAdvise) -> Result<u8, Failure> {
    let (output, problems) = answer(&arguments.objects, AdmissionInputs::default())?;
    let format = arguments.objects.format;
    print_answer(format, &output, &problems, &|paint| text(&output, paint), &|| sarif::of_advice(&output))?;
    Ok(u8::from(!is_complete(&problems)))
}

fn text(output: &PsaOutput, paint: Paint) -> String {
    let mut out = String::new();
    for namespace in &output.namespaces {
        let Some(advice) = &namespace.advice else { continue };
        let _ = writeln!(out, "namespace {}: {}", namespace.name, paint.good(&advice.level));
        if advice.level == "privileged" {
            let _ = writeln!(out, "  it can enforce nothing yet; what stands in the way of baseline:");
        } else {
            for (name, value) in &advice.labels {
                let _ = writeln!(out, "    {name}: {value}");
            }
            if let Some(first) = advice.obstacles.first() {
                let _ = writeln!(out, "  what stands in the way of {}:", first.next);
            }
        }
        obstacles(&mut out, advice, paint);
    }
    out + &manner(output)
}

fn obstacles(out: &mut String, advice: &PsaAdvice, paint: Paint) {
    for obstacle in &advice.obstacles {
        let resource = &obstacle.resource;
        let place = paint.faint(&line(resource.range.as_ref()));
        let _ = writeln!(out, "  {place}  {} {}", resource.kind, resource.name);
        for finding in &obstacle.findings {
            let place = paint.faint(&line(finding.range.as_ref()));
            let _ = writeln!(out, "    {place}  {} ({})", paint.bad(&finding.reason), finding.detail);
        }
        remedies(out, obstacle, paint);
    }
}

fn remedies(out: &mut String, obstacle: &PsaObstacle, paint: Paint) {
    if obstacle.changes.is_empty() {
        let _ = writeln!(out, "    no change of single fields satisfies {}", obstacle.next);
    } else {
        let _ = writeln!(out, "    {}", paint.good(&format!("this change satisfies {}:", obstacle.next)));
    }
    for change in &obstacle.changes {
        let _ = writeln!(out, "      {}  {}", paint.faint(&line(change.range.as_ref())), change.text);
    }
    let exclusions: Vec<&str> = obstacle.findings.iter().map(|finding| finding.exclusion.as_str()).collect();
    if exclusions.iter().any(|exclusion| !exclusion.is_empty()) {
        let _ =
            writeln!(out, "    or let it through: the narrowest `exclude` of a Kyverno podSecurity rule:");
    }
    for text in exclusions.iter().flat_map(|exclusion| exclusion.lines()) {
        let _ = writeln!(out, "      {text}");
    }
    for finding in obstacle.findings.iter().filter(|finding| finding.exclusion.is_empty()) {
        let _ = writeln!(out, "    no exclusion lifts {}: only the change does", finding.check);
    }
}
