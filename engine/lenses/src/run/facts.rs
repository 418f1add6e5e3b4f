//! What a run says beside its answer: by this the next run knows what can stay.
//!
//! In: a bundle that was evaluated. Out: where its resources stand, and whether each is evaluated by itself.

use super::complete;
use engine::apply;
use engine::diag::Diagnostic;
use engine::load::{Bundle, Role};
use engine::resource::Resource;

/// What a run says beside its answer.
pub(super) struct Facts {
    /// How many diagnostics were said of the policies when they were loaded.
    pub(super) said_of_policies: usize,
    /// Whether each resource has its verdicts whatever others there are, and whenever it is asked.
    pub(super) is_apart: bool,
    /// The resources: which of the texts that are evaluated holds each one, and at which byte.
    pub(super) resources: Vec<(usize, usize)>,
    /// The same of what could not be read or used.
    pub(super) wrong: Vec<(usize, usize)>,
}

impl Facts {
    pub(super) fn of(bundle: &Bundle, said_of_policies: usize, said: &[Diagnostic]) -> Self {
        let first = bundle.sources.iter().position(|(role, _)| *role == Role::Resources).unwrap_or_default();
        let place = |resource: &Resource| {
            let document = bundle.document(resource.document)?;
            Some(((document.source.0 as usize).checked_sub(first)?, document.span.start as usize))
        };
        let is_evaluated =
            |source: usize| bundle.sources.get(source).is_some_and(|(role, _)| *role == Role::Resources);
        let wrong = complete::wrong(bundle, said).into_iter().filter(|(source, _)| is_evaluated(*source));
        Facts {
            said_of_policies,
            is_apart: apply::is_independent(bundle)
                && bundle.settings.answers.entries.is_empty()
                && bundle.settings.subresource.is_none(),
            resources: bundle.resources.iter().filter_map(place).collect(),
            wrong: wrong.map(|(source, byte)| (source.saturating_sub(first), byte)).collect(),
        }
    }
}
