//! `podsieve psa`: the Pod Security Standards and their admission, as Kubernetes decides them.
//!
//! In: the arguments. Out: for people, as JSON or as SARIF; the exit code. `psa check -f pod.yaml --level baseline` prints
//! each field at fault with its file and line.

mod advise;
mod check;
mod compile;
mod namespace;
mod sarif;

use super::inputs::{self, Objects, line};
use super::mesh::{Arriving, Pair, arriving};
use crate::args::{Format, Psa, PsaCommand, PsaObjects};
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::problems::{Problem, described, is_complete};
use crate::report::sarif::{Scan, document};
use crate::terminal;
use engine::podsecurity::Version;
use engine::podsecurity::admission::Config;
use engine_lenses::psa::{Options, View};
use engine_lenses::run::Positions;
use engine_lenses::wire::PsaOutput;
use std::collections::BTreeMap;

/// Runs the command.
pub(crate) fn run(psa: &Psa) -> Result<u8, Failure> {
    match &psa.command {
        PsaCommand::Check(arguments) => check::run(arguments),
        PsaCommand::Namespace(arguments) => namespace::run(arguments),
        PsaCommand::Advise(arguments) => advise::run(arguments),
        PsaCommand::Compile(arguments) => compile::run(arguments),
    }
}

/// Reads the files with the Pods as they arrive where a mesh is asked for; and what is to be said of those.
fn read_arriving(paths: &[String], mesh: Option<&str>) -> Result<(Objects, Vec<Pair>), Failure> {
    let mut pairs = Vec::new();
    let objects = inputs::read_changed(paths, |inputs| {
        let Some(mesh) = mesh else { return Ok(inputs) };
        let Arriving { inputs: arrived, pairs: made, notes } = arriving(inputs, mesh)?;
        terminal::say(&notes.concat());
        pairs = made;
        Ok(arrived)
    })?;
    Ok((objects, pairs))
}

/// What is asked of the admission beside the objects.
#[derive(Default)]
struct AdmissionInputs {
    config: Config,
    labels: BTreeMap<String, BTreeMap<String, String>>,
    user: String,
}

/// The answer to the objects, and what is wrong with the files.
fn answer(objects: &PsaObjects, asked: AdmissionInputs) -> Result<(PsaOutput, Vec<Problem>), Failure> {
    let version = Version::parse(&objects.version)
        .ok_or_else(|| Failure(format!("--version {}: {}", objects.version, Version::MUST_BE)))?;
    let (Objects { bundle, problems }, pairs) = read_arriving(&objects.filename, objects.mesh.as_deref())?;
    let view = if objects.as_written { View::AsWritten } else { View::Defaulted };
    let AdmissionInputs { config, labels, user } = asked;
    let (defaults, config) = (engine_celpolicy::as_stored, Some(config));
    let options = Options { version, view, defaults, config, namespace_labels: labels, user };
    let positions = Positions::new(&bundle);
    let output = engine_lenses::psa::report(&bundle, &positions, &options);
    let output = PsaOutput { complete: is_complete(&problems), diagnostics: described(&problems), ..output };
    for Pair { namespace, written: (kind, name), mesh, gap, .. } in
        pairs.iter().filter(|pair| !pair.gap.is_empty())
    {
        terminal::say(&format!("{kind} {namespace}/{name} with {mesh}: {gap}\n"));
    }
    if output.objects.is_empty() && output.namespaces.is_empty() {
        terminal::say("warning: there is no Pod or workload in these files\n");
    }
    Ok((output, problems))
}

/// The answer as JSON, as the npm module gives it.
fn json(output: &PsaOutput) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(output).map_err(|error| Failure(error.to_string()))?;
    Ok(text + "\n")
}

/// Prints the answer in the format that is asked for.
fn print_answer(
    format: Format,
    output: &PsaOutput,
    problems: &[Problem],
    text: &dyn Fn(Paint) -> String,
    sarif: &dyn Fn() -> Scan,
) -> Result<(), Failure> {
    let answer = match format {
        Format::Text => text(Paint::out()),
        Format::Json => json(output)?,
        Format::Sarif => document(problems, sarif()),
    };
    if matches!(format, Format::Text) {
        terminal::print(&answer);
    } else {
        terminal::document(&answer);
    }
    Ok(())
}

/// The last line of a text: which version was asked for, and how the objects were looked at.
fn manner(output: &PsaOutput) -> String {
    let version = if output.asked == output.effective {
        output.asked.clone()
    } else {
        format!("{} (the checks of {})", output.asked, output.effective)
    };
    let view = if output.as_written {
        "evaluated as written: no defaults filled in"
    } else {
        "evaluated as an API server sees them: its defaults filled in (--as-written leaves them out)"
    };
    format!("Pod Security Standards {version}; {view}\n")
}
