//! The files of a run, read and loaded side by side.
//!
//! In: paths with their roles. Out: a bundle and diagnostics. A large file is cut into pieces, which are read on all
//! cores; resources can also be read piece by piece while they are evaluated.

use crate::args::Asked;
use crate::exit::Failure;
use crate::files::{self, Text, Unreadable};
use crate::parallel;
use crate::terminal::{self, one_line, plural};
use engine::Bundle;
use engine::diag::Diagnostic;
use engine::load::{Extension, Filled, Followed, Host, Role, load_parsed};
use engine::yaml::{Document, Parsed, Source, SourceId};
use engine_celpolicy::WITH_STEPS;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) mod deprecated;
mod objects;
mod pieces;

pub(crate) use objects::{Objects, line, read_changed, read_objects};
pub(crate) use pieces::{Loaded, Piece, load_piece, with_open_lists};
use pieces::{PIECE, parse_piece, pieces};

/// A text with the role it plays.
#[derive(Clone)]
pub(crate) struct Input {
    pub(crate) role: Role,
    pub(crate) text: Text,
}

/// Refuses to read standard input twice: the second time it is empty.
// Kyverno: commands/apply/command.go, checkArguments.
pub(crate) fn refuse_two_pipes(policies: &[String], resources: &[String]) -> Result<(), Failure> {
    let is_stdin = |paths: &[String]| paths.iter().any(|path| path == "-");
    if is_stdin(policies) && is_stdin(resources) {
        let words = "a stdin pipe can be used for either policies or resources, not both";
        return Err(Failure(words.to_owned()));
    }
    Ok(())
}

/// The texts of these paths in order; those that cannot be read stand beside them.
pub(crate) fn read(role: Role, paths: &[String]) -> (Vec<Input>, Vec<Unreadable>) {
    let mut inputs = Vec::new();
    let mut unreadable = Vec::new();
    for result in parallel::map(paths, |path| files::read(path)) {
        match result {
            Ok(text) => inputs.push(Input { role, text }),
            Err(error) => unreadable.push(error),
        }
    }
    (inputs, unreadable)
}

/// Exceptions that are named one by one where they exempt nothing; of more only the number is given.
const MAX_IDLE: usize = 10;

/// Warns of exceptions that name a policy or a rule that is not there: the original says nothing.
pub(crate) fn say_idle_exceptions(bundle: &Bundle) {
    if bundle.exceptions.iter().next().is_none() {
        return;
    }
    // Each key is made once: there may be thousands of exceptions.
    let mut policies = BTreeMap::new();
    for policy in &bundle.policies {
        policies.entry(policy.key()).or_insert(policy);
    }
    let refused = bundle.refused.iter().map(|of| of.policy.as_str());
    let not_evaluated: BTreeSet<&str> =
        refused.chain(bundle.unsupported.iter().map(|of| of.policy.as_str())).collect();
    let mut idle = bundle.exceptions.iter().filter_map(|exception| {
        if exception.targets.iter().any(|target| not_evaluated.contains(target.policy.as_str())) {
            return None;
        }
        Some((exception.key(), exception.exempts_nothing(|key| policies.get(key).copied())?))
    });
    for (key, why) in idle.by_ref().take(MAX_IDLE) {
        terminal::say(&format!(
            "warning: exception `{}` exempts nothing: {}\n",
            one_line(&key),
            one_line(&why)
        ));
    }
    let more = idle.count();
    if more > 0 {
        terminal::say(&format!("warning: {more} more exceptions exempt nothing\n"));
    }
}

/// The failure of a command that needs a file which cannot be read.
pub(crate) fn failure(Unreadable { path, original }: &Unreadable) -> Failure {
    Failure(format!("`{path}` cannot be read: {original}"))
}

/// Makes the requests of a run those that flags ask for, and says what of it no policy hears.
pub(crate) fn settle_asked(asked: &Asked, bundle: &mut Bundle) -> Result<(), Failure> {
    asked.settle(bundle).map_err(Failure)?;
    if let Some(unheard) = asked.unheard(bundle) {
        terminal::say(&format!("warning: {unheard}\n"));
    }
    Ok(())
}

/// Says on standard error which files cannot be read, and why.
pub(crate) fn say_unreadable(lost: &[Unreadable]) {
    for Unreadable { path, original } in lost {
        terminal::say(&format!("error: `{path}` cannot be read: {original}\n"));
    }
}

/// Reads the documents of all texts and loads them.
pub(crate) fn load(inputs: Vec<Input>) -> (Bundle, Vec<Diagnostic>) {
    load_sources(sources(inputs), Host::Cli, WITH_STEPS)
}

/// The texts with their numbers.
pub(crate) fn sources(inputs: Vec<Input>) -> Vec<(Role, Source)> {
    let numbered = inputs.into_iter().enumerate().map(|(at, Input { role, text })| {
        let id = SourceId(u32::try_from(at).unwrap_or(u32::MAX));
        (role, Source { id, name: text.name, text: text.text.into() })
    });
    numbered.collect()
}

/// Reads the documents of numbered texts and loads them for a host, with what other crates evaluate.
pub(crate) fn load_sources(
    sources: Vec<(Role, Source)>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
) -> (Bundle, Vec<Diagnostic>) {
    load_changed(sources, followed, extension, |_, parsed| parsed)
}

/// The same, of what a change has made of the documents.
pub(crate) fn load_changed(
    sources: Vec<(Role, Source)>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
    change: impl Fn(&(Role, Source), Parsed) -> Parsed,
) -> (Bundle, Vec<Diagnostic>) {
    let pieces: Vec<Piece<'_>> = sources.iter().flat_map(|(role, source)| pieces(*role, source)).collect();
    // Little text is read sooner than a thread begins.
    let bytes: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    let parsed = if bytes < PIECE {
        pieces.iter().map(parse_piece).collect()
    } else {
        parallel::map(&pieces, parse_piece)
    };
    let mut parsed = parsed.into_iter().peekable();
    let mut all = Vec::with_capacity(sources.len());
    for source in &sources {
        let mut whole = Parsed::default();
        while let Some((_, part)) = parsed.next_if(|(id, _)| *id == source.1.id) {
            whole.documents.extend(part.documents);
            whole.findings.extend(part.findings);
        }
        all.push(change(source, whole));
    }
    drop(pieces);
    let sources = sources.into_iter().zip(all).map(|((role, source), parsed)| (role, source, parsed));
    load_parsed(sources, followed, extension)
}

/// Says how much an API server fills in that nobody wrote.
pub(crate) fn say_filled(bundle: &Bundle) {
    let Filled { fields, resources } = bundle.filled;
    if fields > 0 {
        terminal::say(&format!(
            "note: an API server fills in {} of {} before policies see them (--as-written leaves them out)\n",
            plural(fields, "field"),
            plural(resources, "resource"),
        ));
    }
}

/// The pieces of the texts of resources.
pub(crate) fn resource_pieces(bundle: &Bundle) -> Vec<Piece<'_>> {
    let is_of_resources = |role: &Role| matches!(role, Role::Resources | Role::Opened);
    let of_resources = bundle.sources.iter().filter(|(role, _)| is_of_resources(role));
    of_resources.flat_map(|(role, source)| pieces(*role, source)).collect()
}

/// Whether a text of this role has a document without `apiVersion` or `kind`, or no document at all: it is of an older
/// schema for the original.
// Kyverno: deprecations/check.go, after what was read into an empty object.
pub(crate) fn has_no_kind(bundle: &Bundle, role: Role) -> bool {
    let is_bare = |document: &Document| {
        ["apiVersion", "kind"].iter().any(|name| document.value.find_str(&[name]).is_empty())
    };
    bundle.sources.iter().filter(|(of, _)| *of == role).any(|(_, source)| {
        let mut documents =
            bundle.documents.iter().filter(|document| document.source == source.id).peekable();
        documents.peek().is_none() || documents.any(is_bare)
    })
}

#[cfg(test)]
mod tests;
