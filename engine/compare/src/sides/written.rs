//! The texts of a side as they were given, and as they are read: Lists are opened.
//!
//! In: texts. Out: texts without Lists; and a place in them as that of the text that was given.

use crate::lists::{Unfolded, unfolded};
use engine::load::Role;
use engine_lenses::wire::{Range, Text};

/// Texts with Lists, and how they were opened.
#[derive(Debug, Default)]
pub(crate) struct Written {
    given: Vec<Text>,
    opened: Vec<Option<Unfolded>>,
    /// For each source that was read its role, and the text that it is of.
    sources: Vec<(Role, usize)>,
}

impl Written {
    /// The texts as they are read, and how they were written.
    pub(crate) fn of(given: &[Text]) -> (Vec<Text>, Self) {
        let opened: Vec<Option<Unfolded>> = given.iter().map(unfolded).collect();
        if opened.iter().all(Option::is_none) {
            return (given.to_vec(), Written::default());
        }
        let texts = given.iter().zip(&opened);
        let texts = texts.map(|(text, opened)| opened.as_ref().map_or(text, |opened| &opened.text).clone());
        (texts.collect(), Written { given: given.to_vec(), opened, sources: Vec::new() })
    }

    /// Remembers of which texts the sources are that were read.
    pub(crate) fn note_sources(&mut self, sources: impl IntoIterator<Item = (Role, usize)>) {
        if !self.given.is_empty() {
            self.sources = sources.into_iter().collect();
        }
    }

    /// A place as that of the text that was given.
    pub(crate) fn place(&self, range: Range) -> Range {
        let of_role = self.sources.iter().filter(|(role, _)| role.as_str() == range.input.as_str());
        let at = of_role.map(|(_, text)| *text).nth(usize::try_from(range.index).unwrap_or(usize::MAX));
        let text = at.and_then(|at| Some((self.opened.get(at)?.as_ref()?, self.given.get(at)?)));
        match text {
            Some((opened, given)) => opened.of_source(range, given),
            None => range,
        }
    }
}
