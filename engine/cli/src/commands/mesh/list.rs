//! `podsieve mesh list`: the releases and their options.
//!
//! In: a format. Out: one line a release, or the list as JSON.

use super::data;
use crate::args::MeshFormat;
use crate::exit::Failure;
use crate::terminal;
use engine_lenses::wire::MeshInput;
use std::fmt::Write;

/// Runs the command.
pub(super) fn run(format: MeshFormat) -> Result<u8, Failure> {
    let releases = engine_lenses::mesh::run(&MeshInput::default(), &data()?).releases;
    let mut out = String::new();
    if format == MeshFormat::Json {
        out = serde_json::to_string_pretty(&releases).map_err(|error| Failure(error.to_string()))? + "\n";
    } else {
        let _ = writeln!(out, "{:<8} {:<15} {:<6} {:<8} OPTIONS", "MESH", "RELEASE", "FROM", "SIDECAR");
        for one in &releases {
            let sidecar = if one.native { "native" } else { "classic" };
            let options = one.options.join(" ");
            let _ =
                writeln!(out, "{:<8} {:<15} {:<6} {sidecar:<8} {options}", one.mesh, one.version, one.from);
        }
    }
    terminal::print(&out);
    Ok(0)
}
