//! Exemptions in policies in CEL, for the sieve of the engine.
//!
//! In: policies, exceptions and bindings. Out: what they leave out, as far as expressions, selectors and rules say it, and
//! expressions for what a tightening wants to say. Whether somebody gets in is decided by running policies, never here.
//!
//! Reading order: `reader`, `subject`, `parts`, `written`, `policies`, `exceptions`, `guards`.

mod exceptions;
mod guards;
mod parts;
mod policies;
mod reader;
mod regex;
mod subject;
mod written;

pub(super) use exceptions::written as exception;
pub(super) use guards::{argument, guard, is_among};

use super::found::{Documents, Found};

/// The exemptions in documents.
pub(super) fn find(documents: &Documents<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (document, key, value) in &documents.policies {
        policies::of_policy(*document, key, value, &mut found);
    }
    for (document, value) in &documents.bindings {
        policies::of_binding(*document, value, documents, &mut found);
    }
    found.extend(
        documents
            .exceptions
            .iter()
            .map(|(document, value)| exceptions::of_exception(*document, value, documents)),
    );
    found
}

/// A list of patterns as text: `` `a`, `b` ``.
fn listed<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts.into_iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}
