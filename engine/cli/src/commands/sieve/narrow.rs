//! `podsieve sieve narrow`: the narrowest exemption for what is refused.
//!
//! In: files in which something is refused. Out: for each refusal a PolicyException, an exclude of podSecurity or an edit
//! of the rule, with the number of attackers that it refuses; with `-o FILE` the objects alone, in that file.

use super::{BAD_INPUT, answer, print_answer, refusing};
use crate::args::SieveNarrow;
use crate::exit::Failure;
use crate::files;
use crate::print::paint::Paint;
use crate::terminal;
use engine_lenses::wire::{self, SieveOutput};
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(arguments: &SieveNarrow) -> Result<u8, Failure> {
    let asked = |input| wire::SieveInput {
        ask: Some("narrow".to_owned()),
        level: arguments.level.map(|level| level.name().to_owned()),
        form: arguments.form.map(|form| form.name().to_owned()),
        expires: arguments.expires.clone(),
        exact_images: arguments.exact_images,
        ..input
    };
    let Some(output) = answer(&arguments.files, asked)? else { return Ok(BAD_INPUT) };
    print_answer(arguments.files.format, &output, &|paint| text(&output, paint))?;
    if let Some(path) = &arguments.output {
        let Some(first) = output.narrowest.first() else { return Ok(1) };
        // One form for each refusal: a file with all of them would lift everything twice.
        let chosen = output.narrowest.iter().filter(|narrow| narrow.form == first.form);
        let objects: Vec<&str> = chosen.map(|narrow| narrow.object.as_str()).collect();
        files::overwrite(path, &objects.join("---\n"))?;
        terminal::say(&format!("wrote {path}\n"));
    }
    Ok(u8::from(output.narrowest.is_empty()))
}

fn text(output: &SieveOutput, paint: Paint) -> String {
    let mut out = String::new();
    if output.narrowest.is_empty() {
        out.push_str(
            "no exemption: no workload is refused here, or only a change of the workload itself would let it in\n",
        );
    }
    for narrow in &output.narrowest {
        let resource = &narrow.resource;
        let who = format!("{} {}/{}", resource.kind, resource.namespace, resource.name);
        let form = match narrow.form.as_str() {
            "podSecurity" => "in the podSecurity rule",
            "exception" => "as a PolicyException",
            _ if narrow.rule.is_empty() => "in the policy",
            _ => "in the rule",
        };
        let _ = writeln!(out, "{who}, refused by {}: {form}", refusing(&narrow.policy, &narrow.rule));
        for line in narrow.change.lines() {
            let _ = writeln!(out, "    {line}");
        }
        let shut = paint.good(&format!("✓ refuses {}", narrow.refuses.len()));
        let _ = writeln!(out, "  {shut}, {} get in", narrow.admits.len());
        for name in &narrow.admits {
            let _ = writeln!(out, "    {} {name}", paint.doubtful("!"));
        }
        for note in &narrow.notes {
            let _ = writeln!(out, "  {}", paint.faint(note));
        }
        out.push('\n');
    }
    out
}
