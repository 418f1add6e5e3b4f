//! References of a message, led to where autogen has moved what they name.
//!
//! In: a message, the steps that come in between, and behind which step: `$(./../pattern/metadata)`, `spec/template`,
//! `pattern`. Out: the message with `$(./../pattern/spec/template/metadata)`.
//! Mirrors: pkg/autogen/v1/autogen.go FindAndShiftReferences.

use crate::template::{self, Found};
use engine_json::ordered::OrderedSet;

// Kyverno: the pivot grows when it is `anyPattern`.
pub(super) fn shift_references(message: &str, shift: &str, pivot: &str) -> String {
    let mut pivot = pivot.to_owned();
    let mut text = Shifting::new(message);
    for found in template::references(message) {
        let reference = found.text();
        if pivot == "anyPattern"
            && let Some(at) = reference.find("anyPattern")
        {
            let rest = reference.get(at + "anyPattern".len() + 1..).unwrap_or("");
            pivot = format!("{pivot}/{}", rest.split('/').next().unwrap_or(""));
        }
        text.put(&found, &reference.replace(&pivot, &format!("{pivot}/{shift}")));
    }
    text.finish()
}

/// A message while its references are replaced, each where it first occurs by then. That is where it was found, unless a
/// text that was put in before looks like it; so long the new text is written once, from left to right.
struct Shifting<'m> {
    message: &'m str,
    /// How much of the message stands in `built`.
    taken: usize,
    built: String,
    /// The references that stand in `built`, with the characters before them.
    there: OrderedSet<String>,
    in_order: bool,
}

impl<'m> Shifting<'m> {
    fn new(message: &'m str) -> Self {
        Shifting { message, taken: 0, built: String::new(), there: OrderedSet::new(), in_order: true }
    }

    fn put(&mut self, found: &Found<'m>, shifted: &str) {
        let replacement = format!("{}{shifted}", found.prefix());
        // What is replaced by itself may be replaced anywhere.
        let is_first = shifted == found.text() || !self.there.contains(found.whole);
        // A text with references or brackets inside could be met in its midst.
        let is_plain = |text: &str| text.matches("$(").count() == 1 && text.matches(')').count() == 1;
        if self.in_order && is_first && is_plain(shifted) && is_plain(found.text()) {
            self.take(found.at);
            self.built.push_str(&replacement);
            self.taken = found.at + found.whole.len();
            self.there.insert(replacement);
            return;
        }
        self.in_order = false;
        self.take(self.message.len());
        self.built = self.built.replacen(found.whole, &replacement, 1);
    }

    fn take(&mut self, end: usize) {
        self.built.push_str(self.message.get(self.taken..end).unwrap_or(""));
        self.taken = end;
    }

    fn finish(mut self) -> String {
        self.take(self.message.len());
        self.built
    }
}

#[cfg(test)]
mod tests {
    use super::Shifting;
    use crate::template;

    /// Whatever stands around a reference and in those before it, the first occurrence is the one that goes.
    #[test]
    fn the_first_occurrence_is_replaced() {
        let parts =
            ["$(a)", " $(a)", "x$(b)", "\\$(a)", "$(a", ")", "$(", " ", "x$(xa)", "$(a/$(b))", "é$(a)"];
        let values = ["$(a)", "$(xa)", "$(b)", "$(b)x$(a)", "b", "$(a/b)"];
        let pick = |number: usize| parts.get(number % parts.len()).copied().unwrap_or("");
        for number in 0..160_000 {
            let text: String = (0..5).map(|at| pick(number / 11_usize.pow(at))).collect();
            let mut shifting = Shifting::new(&text);
            let mut expected = text.clone();
            for (at, found) in template::references(&text).iter().enumerate() {
                let value = values.get((number + at) % values.len()).copied().unwrap_or("");
                shifting.put(found, value);
                expected = expected.replacen(found.whole, &format!("{}{value}", found.prefix()), 1);
            }
            assert_eq!(shifting.finish(), expected, "{text}");
        }
    }
}
