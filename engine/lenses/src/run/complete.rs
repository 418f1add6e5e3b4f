//! Whether everything that was given was read and evaluated: zero failures are a pass only then.
//!
//! In: what is to be said about the texts, and the results. Out: [`is_complete`], and how much is undecided.
//! Example: a policy of a kind that is not evaluated gives no result at all; it makes an answer incomplete and
//! `undecided` 1.

use crate::wire;
use engine::apply::PolicyResult;
use engine::diag::{Diagnostic, Severity};
use engine::load::Bundle;
use engine::resource::DocumentId;
use engine_json::ordered::OrderedSet;
use engine_yaml::Span;

/// Whether everything was read and evaluated: what could not be is named by an error.
pub fn is_complete(said: &[wire::Diagnostic]) -> bool {
    said.iter().all(|said| said.severity != Severity::Error.as_str())
}

/// How much is undecided: for each resource the rules that match it and are not evaluated, and each document that could
/// not be read or used and is not counted by such rules. A policy that Kyverno refuses counts as an error instead.
pub(super) fn undecided(bundle: &Bundle, results: &[PolicyResult], said: &[Diagnostic]) -> u32 {
    let matched: usize = results.iter().map(|result| result.undecided.len()).sum();
    let with_matches = results.iter().filter(|result| !result.undecided.is_empty());
    let policies = with_matches.filter_map(|result| bundle.policies.get(result.policy));
    let counted: OrderedSet<u32> = engine_json::arrange::set(
        policies
            .map(|policy| policy.document.0)
            .chain(bundle.refused.iter().map(|refused| refused.document.0)),
    );
    let errors = said.iter().filter(|said| said.severity == Severity::Error);
    let places: OrderedSet<Scope> = engine_json::arrange::set(errors.map(|said| place(bundle, said.span)));
    let left = |place: &&Scope| !matches!(place, Scope::Document(id) if counted.contains(id));
    u32::try_from(matched + places.iter().filter(left).count()).unwrap_or(u32::MAX)
}

/// Where the documents begin, or the texts that are none, which have an error: by the number of their text and the byte.
pub(super) fn wrong(bundle: &Bundle, said: &[Diagnostic]) -> OrderedSet<(usize, usize)> {
    let errors = said.iter().filter(|said| said.severity == Severity::Error);
    let begin = |place: Scope| match place {
        Scope::Document(id) => {
            let document = bundle.document(DocumentId(id))?;
            Some((document.source.0 as usize, document.span.start as usize))
        }
        Scope::Text(source, start) => Some((source as usize, start as usize)),
        Scope::Nowhere => None,
    };
    engine_json::arrange::set(errors.filter_map(|said| begin(place(bundle, said.span))))
}

/// Where something is wrong; what is wrong in several places of one document leaves one document undecided.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Document(u32),
    /// What is not a document, by text and place.
    Text(u32, u32),
    Nowhere,
}

fn place(bundle: &Bundle, span: Option<Span>) -> Scope {
    let Some(span) = span else { return Scope::Nowhere };
    // Documents stand in the order of the texts.
    let behind = bundle
        .documents
        .partition_point(|document| (document.source, document.span.start) <= (span.source, span.start));
    let Some(at) = behind.checked_sub(1) else { return Scope::Text(span.source.0, span.start) };
    let id = DocumentId(u32::try_from(at).unwrap_or(u32::MAX));
    match bundle.document(id) {
        Some(document) if document.source == span.source && span.start < document.span.end => {
            Scope::Document(id.0)
        }
        _ => Scope::Text(span.source.0, span.start),
    }
}
