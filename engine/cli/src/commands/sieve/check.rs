//! `podsieve sieve check`: who gets in through each exemption.
//!
//! In: files. Out: for each exemption its place, the Pods that it is meant for, the attackers that get in, and the change
//! that shuts each out.

use super::{BAD_INPUT, answer, line, print_answer};
use crate::args::SieveCheck;
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::terminal;
use engine_lenses::wire::{ObjectRef, SieveAttack, SieveExemption, SieveInput, SieveOutput, SievePod};
use std::fmt::Write;

/// The status of what nothing can be said of, which is not a pass.
const UNTRIED: &str = "untried";

/// Runs the command.
pub(super) fn run(arguments: &SieveCheck) -> Result<u8, Failure> {
    let Some(output) = answer(&arguments.files, |input| SieveInput {
        meant_for: arguments.meant_for.clone(),
        not_meant_for: arguments.not_meant_for.clone(),
        ..input
    })?
    else {
        return Ok(BAD_INPUT);
    };
    print_answer(arguments.files.format, &output, &|paint| text(&output, arguments, paint))?;
    if output.exemptions.is_empty() {
        terminal::say("note: there is no exemption in these files\n");
    }
    let is_wider =
        |exemption: &SieveExemption| exemption.width > arguments.max_width || exemption.status == UNTRIED;
    Ok(u8::from(output.exemptions.iter().any(is_wider)))
}

fn text(output: &SieveOutput, arguments: &SieveCheck, paint: Paint) -> String {
    let mut out = String::new();
    for exemption in &output.exemptions {
        describe(&mut out, exemption, arguments.diff, paint);
        out.push('\n');
    }
    let count = |status: &str| output.exemptions.iter().filter(|found| found.status == status).count();
    let untried = match count(UNTRIED) {
        0 => String::new(),
        count => format!(", not tried: {count}"),
    };
    let widest = output.exemptions.iter().map(|exemption| exemption.width).max().unwrap_or(0);
    let _ = writeln!(
        out,
        "exemptions: {}, wide: {}, narrow: {}, idle: {}, not decided: {}{untried}; widest: {widest}; Pods evaluated: {}",
        output.exemptions.len(),
        count("wide"),
        count("narrow"),
        count("idle"),
        count("unknown"),
        output.tried
    );
    out
}

fn describe(out: &mut String, exemption: &SieveExemption, with_diff: bool, paint: Paint) {
    let place = line(exemption.range.as_ref());
    let place = if place.is_empty() { owner(&exemption.owner) } else { place };
    let verdict = match exemption.status.as_str() {
        "wide" => paint.bad(&format!("✗ wide, {} get in", exemption.width)),
        "narrow" => paint.good("✓ narrow"),
        "idle" => paint.doubtful("⤼ idle"),
        UNTRIED => paint.doubtful("? not tried"),
        _ => paint.doubtful("? not decided"),
    };
    let _ = writeln!(out, "{}  {verdict}  {}", paint.faint(&place), exemption.kind);
    let _ = writeln!(out, "  {}", exemption.text);
    let of = if exemption.rule.is_empty() { String::new() } else { format!(", rule {}", exemption.rule) };
    let _ = writeln!(out, "  {}", paint.faint(&format!("{}{of}", owner(&exemption.owner))));
    for note in &exemption.notes {
        let _ = writeln!(out, "  {} {note}", paint.doubtful("!"));
    }
    for pod in &exemption.legitimate {
        let _ = writeln!(out, "  meant for {}", meant(pod, paint));
    }
    for pod in &exemption.strangers {
        let key = &pod.key;
        let why = paint.faint(&format!("({}; if it is meant for it: --meant-for {key})", pod.doubt));
        let _ = writeln!(out, "  not meant for {} {why}", meant(pod, paint));
    }
    let changes = exemption.attacks.iter().filter_map(|attack| attack.tightening.as_ref());
    let mut notes: Vec<&String> = Vec::new();
    for note in changes.flat_map(|change| &change.notes) {
        if !notes.contains(&note) {
            notes.push(note);
            let _ = writeln!(out, "  {} {note}, and a change below writes it", paint.doubtful("!"));
        }
    }
    let mut said = String::new();
    for attack in &exemption.attacks {
        let remedy = remedy(attack, paint);
        if !said.is_empty() && said != remedy {
            let _ = writeln!(out, "{said}");
        }
        said = remedy;
        let _ = writeln!(out, "  {}", described(attack, paint));
        if with_diff {
            for line in &attack.diff {
                let text = format!("      {} {}", line.sign, line.text);
                let _ = writeln!(out, "{}", if line.sign == " " { paint.faint(&text) } else { text });
            }
        }
    }
    if !said.is_empty() {
        let _ = writeln!(out, "{said}");
    }
    more(out, exemption, paint);
}

/// What is not listed: further attackers of a family, and the families of which nobody gets in.
fn more(out: &mut String, exemption: &SieveExemption, paint: Paint) {
    let mut kept = Vec::new();
    for family in &exemption.families {
        let listed = exemption.attacks.iter().filter(|attack| attack.family == family.name).count();
        let listed = u32::try_from(listed).unwrap_or(u32::MAX);
        if family.admitted == 0 {
            kept.push(format!("{} ({})", family.name, family.tried));
        } else if family.admitted > listed {
            let _ = writeln!(out, "  and {} more of {}", family.admitted - listed, family.name);
        }
    }
    if !kept.is_empty() {
        let _ = writeln!(out, "  {}", paint.faint(&format!("refused: {}", kept.join(", "))));
    }
}

fn described(attack: &SieveAttack, paint: Paint) -> String {
    let who = if attack.who == "publisher" { " (needs push rights there)" } else { "" };
    let user = attack.user.as_ref().map(|user| format!(" asked for by {user}")).unwrap_or_default();
    let sign = if attack.who == "anyone" { paint.bad("✗") } else { paint.doubtful("!") };
    format!("{sign} {:<11}{}{user}{}", attack.family, attack.text, paint.faint(who))
}

fn remedy(attack: &SieveAttack, paint: Paint) -> String {
    match &attack.tightening {
        Some(tightening) => {
            let place = line(tightening.range.as_ref());
            let place = if place.is_empty() { place } else { format!("  {}", paint.faint(&place)) };
            format!("      {} {}{place}", paint.good("to refuse them:"), tightening.text)
        }
        None => format!(
            "      {}",
            paint.doubtful("no single change refuses this and still admits the Pods that it is meant for")
        ),
    }
}

fn meant(pod: &SievePod, paint: Paint) -> String {
    let name = owner(&pod.resource);
    if pod.made && pod.namespace.is_some() {
        return format!("{name} {}", paint.faint("(made of what the exemption says, with its Namespace)"));
    }
    if pod.made {
        return format!("{name} {}", paint.faint("(made of what the exemption says)"));
    }
    let place = line(pod.resource.range.as_ref());
    format!("{name}  {}", paint.faint(&place))
}

fn owner(object: &ObjectRef) -> String {
    let name = if object.namespace.is_empty() {
        object.name.clone()
    } else {
        format!("{}/{}", object.namespace, object.name)
    };
    format!("{} {name}", object.kind)
}
