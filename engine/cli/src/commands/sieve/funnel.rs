//! `podsieve sieve funnel`: the ways to let a refused workload in, from the widest to the narrowest.
//!
//! In: files in which something is refused. Out: for each refusal the six widths, what each system writes for them, and
//! how many attackers get in with it.

use super::{BAD_INPUT, answer, print_answer, refusing};
use crate::args::SieveFunnel;
use crate::exit::Failure;
use crate::print::paint::Paint;
use engine_lenses::wire::{self, SieveForm, SieveOutput};
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(arguments: &SieveFunnel) -> Result<u8, Failure> {
    let level = arguments.level.map(|level| level.name().to_owned());
    let asked = |input| wire::SieveInput { ask: Some("funnel".to_owned()), level, ..input };
    let Some(output) = answer(&arguments.files, asked)? else { return Ok(BAD_INPUT) };
    print_answer(arguments.files.format, &output, &|paint| text(&output, arguments.changes, paint))?;
    Ok(0)
}

/// The systems, as they are called in the table.
const SYSTEMS: [(&str, &str); 4] = [
    ("psa", "Pod Security Admission"),
    ("podSecurity", "exclude of podSecurity"),
    ("exception", "PolicyException"),
    ("rule", "edit of the rule"),
];

fn text(output: &SieveOutput, with_changes: bool, paint: Paint) -> String {
    let mut out = String::new();
    if output.funnels.is_empty() {
        out.push_str("nothing is refused: the funnel begins with a workload that a policy refuses\n");
    }
    for funnel in &output.funnels {
        let resource = &funnel.resource;
        let who = format!("{} {}/{}", resource.kind, resource.namespace, resource.name);
        let _ =
            writeln!(out, "{} {who}, refused by {}", paint.bad("✗"), refusing(&funnel.policy, &funnel.rule));
        let _ = writeln!(out, "  {}", paint.faint(&funnel.refusal));
        let _ = writeln!(out, "  each way is tried with {} attackers", funnel.attackers.len());
        for step in &funnel.steps {
            let _ = writeln!(out, "  {}", step.title);
            for form in &step.forms {
                describe(&mut out, form, with_changes, paint);
            }
        }
        out.push('\n');
    }
    out
}

fn describe(out: &mut String, form: &SieveForm, with_changes: bool, paint: Paint) {
    let name = SYSTEMS.iter().find(|(system, _)| *system == form.system).map_or("", |(_, name)| name);
    let verdict = match (form.can, form.admits) {
        (false, _) => paint.faint(&format!("– cannot: {}", form.note)),
        (true, false) => paint.doubtful("! does not let it in"),
        (true, true) if form.let_in == 0 => paint.good(&format!("✓ {} of {} get in", 0, form.tried)),
        (true, true) => paint.bad(&format!("✗ {} of {} get in", form.let_in, form.tried)),
    };
    let note = if form.can && !form.note.is_empty() { format!("  ({})", form.note) } else { String::new() };
    let _ = writeln!(out, "    {name:<24}{verdict}{}", paint.faint(&note));
    if !form.can || !with_changes {
        return;
    }
    for line in form.text.lines() {
        let _ = writeln!(out, "        {line}");
    }
    for name in &form.names {
        let _ = writeln!(out, "      {} {name}", paint.bad("✗"));
    }
}
