//! `podsieve explain`: why each rule decided as it did.
//!
//! In: policies and resources as files. Out: for each policy, resource and rule a sentence with the lines that decided,
//! the smallest edits that would make a refused resource pass, and every step where asked for; or all of it as JSON.

mod frame;
mod text;

use super::inputs::{self, Input};
use crate::args::{Explain, ExplainFormat};
use crate::clock;
use crate::exit::Failure;
use crate::files::{self, Unreadable};
use crate::print::{diagnostics, paint::Paint};
use crate::report::problems::{described, is_complete, problems};
use crate::terminal;
use engine::load::Role;
use engine::resource::Protocol;
use engine_lenses::explain::{Edits, ExplainOptions, explain, output};
use engine_lenses::run::Positions;
use engine_lenses::wire::ExplainOutput;

/// Runs the command.
pub(crate) fn run(arguments: &Explain) -> Result<u8, Failure> {
    inputs::refuse_two_pipes(&arguments.policies, &arguments.resource)?;
    let (all, lost) = read(arguments);
    inputs::say_unreadable(&lost);
    let host = arguments.by.host();
    let (mut bundle, found) =
        inputs::load_sources(inputs::sources(all), arguments.by.followed(), arguments.by.extension());
    inputs::settle_asked(&arguments.asked, &mut bundle)?;
    inputs::say_filled(&bundle);
    diagnostics::print(&bundle, &found);
    inputs::say_idle_exceptions(&bundle);
    let problems = problems(&Positions::new(&bundle), &lost, &found);
    let edits = if arguments.no_edits { Edits::Unsought } else { Edits::Sought };
    let asked = ExplainOptions { host, rule: arguments.rule.clone(), edits, ..ExplainOptions::default() };
    let explanations = explain(&bundle, &asked, &crate::world::at(clock::now()));
    if explanations.is_empty() {
        terminal::say(match &arguments.rule {
            Some(_) => "warning: no rule of this name was evaluated for any resource\n",
            None => "warning: no rule was evaluated for any resource\n",
        });
    }
    match arguments.output {
        ExplainFormat::Text => {
            terminal::print(&text::print(&bundle, &explanations, arguments.tree, Paint::out()));
        }
        ExplainFormat::Json => {
            let output = output(&bundle, explanations, Vec::new());
            let output = ExplainOutput {
                complete: is_complete(&problems),
                diagnostics: described(&problems),
                ..output
            };
            let text = serde_json::to_string_pretty(&output).map_err(|error| Failure(error.to_string()))?;
            terminal::document(&(text + "\n"));
        }
    }
    Ok(u8::from(!is_complete(&problems)))
}

/// The texts of all files that the arguments name, and the files that cannot be read.
fn read(arguments: &Explain) -> (Vec<Input>, Vec<Unreadable>) {
    let mut lost = Vec::new();
    let mut opened = |paths: &[String]| {
        let found = files::opened(paths);
        lost.extend(found.lost);
        found.paths
    };
    let one = |path: &Option<String>| path.iter().cloned().collect::<Vec<_>>();
    // In the order of `apply`.
    let groups = [
        (Role::UserInfo, one(&arguments.userinfo)),
        (Role::Values, one(&arguments.values_file)),
        (Role::ImageData, one(&arguments.context_file)),
        (Role::CustomResourceDefinitions, arguments.crd_paths.clone()),
        (Role::Policies, opened(&arguments.policies)),
        (Role::ImageData, arguments.image_data.clone()),
        (Role::OldResources, opened(&arguments.old_resource)),
        (Role::ClusterResources, opened(&arguments.target_resource)),
        (Role::Parameters, opened(&arguments.parameter_resource)),
        (Role::Exceptions, arguments.exception.clone()),
        (Role::Payloads, arguments.json.clone()),
        (Role::Resources, opened(&arguments.resource)),
        (Role::Requests(Protocol::Http), arguments.http_payload.clone()),
        (Role::Requests(Protocol::Envoy), arguments.envoy_payload.clone()),
    ];
    let mut all = Vec::new();
    for (role, paths) in groups {
        let (texts, unreadable) = inputs::read(role, &paths);
        all.extend(texts);
        lost.extend(unreadable);
    }
    (all, lost)
}
