//! `apply --cluster`: what runs in a cluster, read page by page, evaluated and forgotten.
//!
//! In: policies from files, and the way to a cluster. Out: what [`super::stream`] prints. What cannot be listed is an error by name, and
//! beside one the exit code is never 0. Nothing is written: not one request is anything but a GET.

use super::stream::{Given, evaluate, is_possible};
use crate::args::Apply;
use crate::commands::running::{
    Live, Reading, Wanted, Way, connect, discovered, dry_run, namespaces, refuse_wasi, wanted,
};
use crate::exit::Failure;
use crate::files::Unreadable;
use crate::print::diagnostics;
use crate::report::problems::problems;
use crate::terminal::{self, one_line};
use engine::Bundle;
use engine::apply::{Outside, is_independent_of};
use engine::diag::Diagnostic;
use engine_lenses::run::Positions;

/// Why these arguments and a cluster do not go together.
pub(super) fn refusal(arguments: &Apply) -> Option<String> {
    if !arguments.elsewhere.cluster {
        return None;
    }
    if super::flags::inputs_to_evaluate(arguments).next().is_some() {
        return Some(
            "--cluster reads resources from a cluster: give it without --resource and payloads".to_owned(),
        );
    }
    (!is_possible(arguments)).then(|| {
        "--cluster prints text or --report-format ndjson, as it reads: for tables, explanations, other reports and hosts, write the \
         objects into a file with `kubectl get … -o json` and give it with --resource and --open-lists"
            .to_owned()
    })
}

/// Reads the cluster and evaluates it.
pub(super) fn run(
    arguments: &Apply,
    mut bundle: Bundle,
    said: &[Diagnostic],
    unreadable: &[Unreadable],
) -> Result<u8, Failure> {
    refuse_wasi()?;
    diagnostics::print(&bundle, said);
    if !is_independent_of(&bundle, Outside::Live) {
        let words = "some of these policies look at more than one object of the cluster at once (targets, generated objects, images, the \
                     global context): write the objects into a file with `kubectl get … -o json` and give it with --resource and --open-lists";
        return Err(Failure(words.to_owned()));
    }
    let asked = &arguments.elsewhere;
    let way = Way {
        api: asked.api.as_deref(),
        kubeconfig: asked.kubeconfig.as_deref(),
        context: asked.context.as_deref(),
    };
    let connection = connect(&way)?;
    let api = &connection.api;
    let (known, mut lost) = discovered(api)?;
    if !is_independent_of(&bundle, Outside::Given) {
        lost.extend(namespaces(api, &known, &mut bundle));
    }
    let namespace = asked.namespace.as_deref();
    let Wanted { resources, notes } = wanted(&bundle, &known, namespace, asked.cluster_wide_resources);
    for note in &notes {
        terminal::say(&format!("{}\n", one_line(note)));
    }
    let limit = usize::from(asked.batch_size);
    let reading = Reading { api, resources: &resources, namespace, limit };
    if asked.dry_run {
        let is_whole = dry_run(&reading) && lost.is_empty();
        for why in &lost {
            terminal::say(&format!("error: {}\n", one_line(why)));
        }
        return Ok(u8::from(!is_whole));
    }
    let names: Vec<String> = resources.iter().map(|resource| resource.name()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let lost: Vec<(String, String)> = lost.into_iter().map(|why| ("cluster".to_owned(), why)).collect();
    let live = Live::new(api.clone());
    let given = Given { names: &names, lost: &lost, ask: Some(&live) };
    let problems = problems(&Positions::new(&bundle), unreadable, said);
    Ok(evaluate(arguments, &bundle, &problems, &given, reading.batches()))
}
