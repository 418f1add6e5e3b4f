//! Text that says the same things again and again, each of them held once.
//!
//! In: the parts of a text in their order. Out: the text, when it is wanted. Of ten thousand Pods that fail one rule
//! the rule's words are kept once, and beside them ten thousand names and numbers.

use std::collections::HashMap;
use std::sync::Arc;

/// A text that grows.
#[derive(Default)]
pub(crate) struct Repeated {
    known: HashMap<Arc<str>, u32>,
    parts: Vec<Arc<str>>,
    order: Vec<u32>,
}

impl Repeated {
    /// Adds a part.
    pub(crate) fn push(&mut self, part: &str) {
        let at = if let Some(at) = self.known.get(part) {
            *at
        } else {
            let at = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
            let part: Arc<str> = part.into();
            self.parts.push(Arc::clone(&part));
            self.known.insert(part, at);
            at
        };
        self.order.push(at);
    }

    /// The text, as small as it can be held.
    pub(crate) fn finish(self) -> Finished {
        Finished { parts: self.parts.into_boxed_slice(), order: self.order.into_boxed_slice() }
    }
}

/// A text that does not change any more.
#[derive(Default)]
pub(crate) struct Finished {
    parts: Box<[Arc<str>]>,
    order: Box<[u32]>,
}

impl Finished {
    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The text itself.
    pub(crate) fn text(&self) -> String {
        self.order.iter().filter_map(|at| self.parts.get(*at as usize)).map(|part| &**part).collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_come_in_their_order_and_are_held_once() {
        let mut text = super::Repeated::default();
        for part in ["a", "b", "a", "", "b", "a"] {
            text.push(part);
        }
        let text = text.finish();
        assert_eq!((text.text().as_str(), text.parts.len()), ("ababa", 3));
    }
}
