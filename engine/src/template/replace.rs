//! A text while the variables that were found in it are replaced, one after another.
//!
//! In: the text, then each variable with what stands for it. Out: the text. The original replaces the first occurrence of a
//! variable's text in what the text has become by then. That is the variable itself unless braces stand before it, escaped or
//! in a value; so long the new text is written once, from left to right.
//! Mirrors: substituteVarInPattern of pkg/engine/variables/vars.go.

use super::Found;

/// A text under change.
pub(crate) struct Replacing<'t> {
    round: &'t str,
    /// How much of `round` stands in `built`.
    taken: usize,
    /// The new text as far as it is written.
    built: String,
    /// How much of `built` is known to hold no braces that begin a variable.
    plain: usize,
    /// Whether every variable so far was its own first occurrence.
    in_order: bool,
}

impl<'t> Replacing<'t> {
    pub(crate) fn new(round: &'t str) -> Self {
        Replacing { round, taken: 0, built: String::new(), plain: 0, in_order: true }
    }

    /// How long the text is by now.
    pub(crate) fn len(&self) -> usize {
        self.built.len() + self.round.len().saturating_sub(self.taken)
    }

    /// Puts a text in place of a variable; how many bytes were looked at to do it. Variables come from left to right.
    pub(crate) fn put(&mut self, variable: &Found<'_>, text: &str) -> usize {
        if self.in_order {
            self.take(variable.at + variable.before);
            self.in_order = !self.holds_braces();
            if self.in_order {
                self.built.push_str(text);
                self.taken = variable.at + variable.whole.len();
                return text.len();
            }
            self.take(self.round.len());
        }
        let replacement = format!("{}{text}", variable.prefix());
        self.built = self.built.replacen(variable.whole, &replacement, 1);
        self.built.len()
    }

    /// The text as it is by now.
    pub(crate) fn finish(mut self) -> String {
        self.take(self.round.len());
        self.built
    }

    /// Writes what stands before this place of the round.
    fn take(&mut self, end: usize) {
        self.built.push_str(self.round.get(self.taken..end).unwrap_or(""));
        self.taken = end;
    }

    /// Whether braces stand in what is written, or would with the variable that follows.
    fn holds_braces(&mut self) -> bool {
        let unknown = self.built.as_bytes().get(self.plain.saturating_sub(1)..).unwrap_or_default();
        self.plain = self.built.len();
        unknown.windows(2).any(|pair| pair == b"{{") || unknown.last() == Some(&b'{')
    }
}

#[cfg(test)]
mod tests {
    use super::Replacing;
    use crate::template;

    /// Whatever stands before a variable, and in the values of those before it, the first occurrence is the one that goes.
    #[test]
    fn the_first_occurrence_is_replaced() {
        let parts = ["{", "{{", " {{a}}", "\\{{a}}", "x{{ b }}", "{{{c}}", "é", "}}", "-{{a}}", "{{a}}"];
        let values = ["", "{", "1", " {{a}}", "x{{", "-{{a}}{{a}}"];
        let pick = |number: usize| parts.get(number % parts.len()).copied().unwrap_or("");
        for number in 0..100_000 {
            let text: String = (0..5).map(|at| pick(number / 10_usize.pow(at))).collect();
            let mut replacing = Replacing::new(&text);
            let mut expected = text.clone();
            for (at, variable) in template::variables(&text).iter().enumerate() {
                let value = values.get((number + at) % values.len()).copied().unwrap_or("");
                replacing.put(variable, value);
                expected = expected.replacen(variable.whole, &format!("{}{value}", variable.prefix()), 1);
                assert_eq!(replacing.len(), expected.len(), "{text}");
            }
            assert_eq!(replacing.finish(), expected, "{text}");
        }
    }
}
