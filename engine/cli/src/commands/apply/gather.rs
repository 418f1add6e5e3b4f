//! What a run of `apply` is made of: files by their flags, read and loaded.
//!
//! In: the arguments. Out: a bundle, what is to be said about the texts, and whether all of it could be used; or
//! the error with which the original ends, such as `require policy`.

use super::beside;
use super::evaluate::keeps_responses;
use super::flags::{requests, say_unused};
use super::inputs::{self, Input, deprecated};
use super::read::{Read, read};
use super::settle::{refuse_broken_settings, say_without_exceptions, settle, settle_exceptions_within};
use super::stream;
use crate::args::Apply;
use crate::clock;
use crate::commands::mesh::Pair;
use crate::exit::Failure;
use crate::files::Unreadable;
use crate::terminal;
use engine::Bundle;
use engine::apply::is_independent;
use engine::diag::{Code, Diagnostic};
use engine::load::{Cluster, Host, Role};
use engine::yaml::Source;
use engine_celpolicy::{WITH_STEPS, request_fault};
use std::ops::Range;

/// A run before anything is evaluated.
pub(super) struct Gathered {
    pub(super) bundle: Bundle,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Policies and resources that cannot be read.
    pub(super) unreadable: Vec<Unreadable>,
    pub(super) resources: Resources,
    /// Controllers and their Pods as they arrive, where a mesh is asked for.
    pub(super) pairs: Vec<Pair>,
}

/// Where the resources are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resources {
    /// In the bundle.
    Loaded,
    /// Their texts are among the sources of the bundle, and nothing else is known of them.
    Texts,
    /// In streams, of which nothing is read.
    Streams,
    /// In a cluster.
    Live,
}

/// Reads all files and loads them; resources that can be evaluated one after the other stay texts.
pub(super) fn gather(arguments: &Apply) -> Result<Gathered, Failure> {
    say_unused(arguments);
    let Read { mut inputs, mut evaluated, found, mut unreadable, pairs } = read(arguments)?;
    if let Some(gathered) = streamed(arguments, &inputs, &mut evaluated, &found, &mut unreadable)? {
        return Ok(gathered);
    }
    let first_resource = inputs.len();
    inputs.extend(evaluated);
    let sources = inputs::sources(inputs);
    let (bundle, diagnostics, resources) = without_resources(arguments, &sources, first_resource)
        .unwrap_or_else(|| {
            let (bundle, diagnostics) =
                inputs::load_sources(sources, arguments.by.followed(), arguments.by.extension());
            (bundle, diagnostics, Resources::Loaded)
        });
    let (bundle, diagnostics) = settled(arguments, bundle, diagnostics, &found)?;
    Ok(Gathered { bundle, diagnostics, unreadable, resources, pairs })
}

/// What is evaluated by flags, and said of it, before the first verdict.
fn settled(
    arguments: &Apply,
    mut bundle: Bundle,
    mut diagnostics: Vec<Diagnostic>,
    found: &[Range<usize>],
) -> Result<(Bundle, Vec<Diagnostic>), Failure> {
    let mut deprecated = deprecated::find(&bundle, &diagnostics, found);
    if arguments.exceptions_within_resources {
        deprecated.retain(deprecated::Deprecated::is_policy);
    }
    terminal::say(&deprecated::lines(&deprecated));
    refuse_broken_requests(arguments, &bundle)?;
    beside::settle(&bundle, found, &mut diagnostics);
    let check = if arguments.check_resources { engine_kinds::check } else { engine_kinds::slips };
    diagnostics.extend(check(&bundle));
    // What `--set` says of the operation is not looked at.
    let unknown_operation = bundle.settings.unknown_operation();
    settle(arguments, &mut bundle);
    inputs::settle_asked(&arguments.asked, &mut bundle)?;
    if arguments.exceptions_within_resources {
        settle_exceptions_within(&mut bundle, &mut diagnostics);
    }
    refuse_broken_settings(arguments, &bundle, &diagnostics, unknown_operation)?;
    if arguments.warnings_as_errors {
        deprecated::refuse(&deprecated, Role::Exceptions)?;
    }
    say_without_exceptions(&bundle);
    inputs::say_filled(&bundle);
    inputs::say_idle_exceptions(&bundle);
    if let Some((_, words)) = engine::apply::broken_projection(&bundle, &crate::world::at(clock::now())) {
        return Err(Failure(words));
    }
    Ok((bundle, diagnostics))
}

/// The run without its streams, where its policies can be asked about one resource after the other; else the streams are read.
fn streamed(
    arguments: &Apply,
    inputs: &[Input],
    evaluated: &mut Vec<Input>,
    found: &[Range<usize>],
    unreadable: &mut Vec<Unreadable>,
) -> Result<Option<Gathered>, Failure> {
    if arguments.elsewhere.cluster {
        let (mut bundle, mut diagnostics) =
            inputs::load_sources(inputs::sources(inputs.to_vec()), Host::Cli, WITH_STEPS);
        // The cluster has what context entries ask for.
        bundle.settings.answers.cluster = Cluster::Objects(Vec::new());
        diagnostics.retain(|said| said.code != Code::MissingContext);
        let (bundle, diagnostics) = settled(arguments, bundle, diagnostics, found)?;
        let (unreadable, resources) = (std::mem::take(unreadable), Resources::Live);
        return Ok(Some(Gathered { bundle, diagnostics, unreadable, resources, pairs: Vec::new() }));
    }
    if !arguments.open_lists {
        return Ok(None);
    }
    if stream::is_possible(arguments) && evaluated.is_empty() {
        let sources = inputs::sources(inputs.to_vec());
        let (bundle, diagnostics) = inputs::load_sources(sources, Host::Cli, WITH_STEPS);
        if is_independent(&bundle) {
            let (bundle, diagnostics) = settled(arguments, bundle, diagnostics, found)?;
            let unreadable = std::mem::take(unreadable);
            let resources = Resources::Streams;
            return Ok(Some(Gathered { bundle, diagnostics, unreadable, resources, pairs: Vec::new() }));
        }
    }
    let (texts, lost) = stream::collect(arguments);
    evaluated.extend(texts);
    unreadable.extend(lost);
    Ok(None)
}

/// A request that its reader refuses ends the run.
fn refuse_broken_requests(arguments: &Apply, bundle: &Bundle) -> Result<(), Failure> {
    for resource in &bundle.resources {
        let Some(fault) = request_fault(resource) else { continue };
        let source = bundle.document(resource.document).and_then(|document| bundle.source(document.source));
        let name = source.map_or("", |(_, source)| source.name.as_str());
        let words = requests(arguments).find(|(_, path, _)| path.as_str() == name).map(|(_, _, words)| words);
        return Err(Failure(format!("{}: {fault}", words.unwrap_or_default())));
    }
    Ok(())
}

/// So many bytes of resources are read and forgotten piece by piece; less is held as a whole.
const LARGE: usize = 256 * 1024;

/// The bundle with nothing of the resources but their texts, where they can be evaluated one after the other.
fn without_resources(
    arguments: &Apply,
    sources: &[(Role, Source)],
    first_resource: usize,
) -> Option<(Bundle, Vec<Diagnostic>, Resources)> {
    let (others, evaluated) = sources.split_at_checked(first_resource)?;
    let bytes: usize = evaluated.iter().map(|(_, source)| source.text.len()).sum();
    // An entry of the global context is made of resources, and a mistake in one ends the run.
    let entry = memchr::memmem::Finder::new("GlobalContextEntry");
    let asks_all = evaluated.iter().any(|(_, source)| entry.find(source.text.as_bytes()).is_some());
    let is_other = arguments.by.host() != Host::Cli || arguments.asked.is_given();
    let needs_all = arguments.check_resources || is_other || keeps_responses(arguments);
    if bytes < LARGE || asks_all || needs_all {
        return None;
    }
    let (mut bundle, diagnostics) = inputs::load_sources(others.to_vec(), Host::Cli, WITH_STEPS);
    bundle.sources.extend(evaluated.iter().cloned());
    is_independent(&bundle).then_some((bundle, diagnostics, Resources::Texts))
}
