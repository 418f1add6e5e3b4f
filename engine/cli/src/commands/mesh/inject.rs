//! `podsieve mesh inject`: each Pod as it arrives.
//!
//! In: files and a mesh. Out: one YAML document a Pod, with the lines of the mesh marked where that is asked for; or the
//! whole answer as JSON.

use super::{data, setup};
use crate::args::{MeshFormat, MeshInject};
use crate::commands::inputs::{Objects, line, read_objects};
use crate::exit::Failure;
use crate::report::problems::{described, is_complete};
use crate::terminal;
use engine_lenses::injection::Data;
use engine_lenses::run::Positions;
use engine_lenses::wire::{MeshInput, MeshObject, MeshOutput};
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(arguments: &MeshInject) -> Result<u8, Failure> {
    let (data, asked) = (data()?, arguments.installed.in_one());
    let Objects { bundle, problems } = read_objects(&arguments.filename)?;
    let output = MeshOutput {
        complete: is_complete(&problems),
        diagnostics: described(&problems),
        ..answer(&data, &asked, &bundle)?
    };
    if output.objects.is_empty() {
        terminal::say("warning: there is no Pod or workload in these files\n");
    }
    let text = match arguments.format {
        MeshFormat::Json => {
            serde_json::to_string_pretty(&output).map_err(|error| Failure(error.to_string()))? + "\n"
        }
        MeshFormat::Yaml => {
            describe(&output);
            yaml(&output, arguments.mark)
        }
    };
    terminal::document(&text);
    let is_refused = output.objects.iter().any(|object| object.outcome == "refused");
    Ok(u8::from(!is_complete(&problems) || is_refused))
}

fn answer(data: &Data, asked: &str, bundle: &engine::Bundle) -> Result<MeshOutput, Failure> {
    let setup = setup(data, asked)?;
    let arrived = engine_lenses::mesh::arrivals(bundle, data, &setup);
    let objects = engine_lenses::mesh::describe(&arrived.iter().collect::<Vec<_>>(), &Positions::new(bundle));
    let empty = engine_lenses::mesh::run(&MeshInput { mesh: asked.to_owned(), ..MeshInput::default() }, data);
    Ok(MeshOutput { objects, ..empty })
}

/// Says on standard error what became of each.
fn describe(output: &MeshOutput) {
    let mut out = String::new();
    if !output.note.is_empty() {
        let _ = writeln!(out, "note: {}", output.note);
    }
    for object in &output.objects {
        let MeshObject { resource, outcome, reason, gap, .. } = object;
        let who = format!("{} {}/{}", resource.kind, resource.namespace, resource.name);
        let what = match outcome.as_str() {
            "left" => "not injected",
            "already" => "injected already",
            other => other,
        };
        let _ = writeln!(out, "{}  {who}: {what}: {reason}", line(resource.range.as_ref()));
        if !gap.is_empty() {
            let _ = writeln!(out, "  {gap}");
        }
    }
    terminal::say(&out);
}

fn yaml(output: &MeshOutput, is_marked: bool) -> String {
    let mut out = String::new();
    for (at, object) in output.objects.iter().filter(|object| object.outcome != "refused").enumerate() {
        if at > 0 {
            out.push_str("---\n");
        }
        if is_marked { mark(&mut out, object, output) } else { out.push_str(&object.pod) }
    }
    out
}

/// The Pod with a comment behind each line that is the mesh's.
fn mark(out: &mut String, object: &MeshObject, output: &MeshOutput) {
    let MeshOutput { mesh, asked, .. } = output;
    let resource = &object.resource;
    let _ = writeln!(
        out,
        "# {} {}/{} with {mesh} {asked}: {} ({})",
        resource.kind, resource.namespace, resource.name, object.outcome, object.reason
    );
    let ranges = object.added.iter().filter_map(|added| added.range.as_ref());
    let lines: Vec<std::ops::RangeInclusive<u32>> = ranges.map(|range| range.line..=range.end_line).collect();
    for (number, line) in (1_u32..).zip(object.pod.lines()) {
        let is_theirs = lines.iter().any(|range| range.contains(&number));
        let _ = if is_theirs { writeln!(out, "{line}  # {mesh}") } else { writeln!(out, "{line}") };
    }
}
