//! A text in which one reference after the other is replaced, each where it first occurs by then.
//!
//! In: a text, and what takes the place of what. Out: the text. What has been passed is not searched again, as long as
//! no `$(` is in it: a reference cannot begin there then, but for the character before it.

/// The text so far.
pub(super) struct Replaced {
    // INVARIANT: no `$(` is in it, and no `$` at its end.
    passed: String,
    rest: String,
    /// Where the rest begins.
    at: usize,
}

impl Replaced {
    pub(super) fn new(text: &str) -> Self {
        Replaced { passed: String::with_capacity(text.len()), rest: text.to_owned(), at: 0 }
    }

    /// Replaces the first occurrence of a reference, with the character before it, where there is one; how many bytes
    /// it took.
    pub(super) fn put(&mut self, whole: &str, new: &str) -> usize {
        let Replaced { passed, rest, at } = self;
        let text = rest.get(*at..).unwrap_or("");
        let (head, tail) = whole.split_at_checked(whole.find("$(").unwrap_or(0)).unwrap_or(("", whole));
        let (before, after) = if let Some(after) = text.strip_prefix(tail)
            && !head.is_empty()
            && passed.ends_with(head)
        {
            passed.truncate(passed.len() - head.len());
            ("", after)
        } else if let Some(parts) = text.split_once(whole) {
            parts
        } else {
            return text.len();
        };
        if [before, new].iter().all(|part| !part.contains("$(") && !part.ends_with('$')) {
            passed.push_str(before);
            passed.push_str(new);
            *at = rest.len() - after.len();
            return before.len() + new.len();
        }
        *rest = [passed.as_str(), before, new, after].concat();
        *at = 0;
        passed.clear();
        rest.len()
    }

    /// The text in the end.
    pub(super) fn finish(self) -> String {
        let Replaced { mut passed, rest, at } = self;
        passed.push_str(rest.get(at..).unwrap_or(""));
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::Replaced;

    /// Both ways, held against `replacen` over the whole text.
    #[track_caller]
    fn check(text: &str, replacements: &[(&str, &str)]) {
        let mut replaced = Replaced::new(text);
        let mut expected = text.to_owned();
        for (whole, new) in replacements {
            replaced.put(whole, new);
            expected = expected.replacen(whole, new, 1);
        }
        assert_eq!(replaced.finish(), expected);
    }

    #[test]
    fn each_is_replaced_where_it_first_occurs_by_then() {
        check("$(a) $(b)", &[("$(a)", "x"), (" $(b)", " y")]);
        // The first brings the second once more, before it.
        check("$(a) $(b)", &[("$(a)", "z $(b) "), (" $(b)", " y")]);
        // The character before the second is the last of the first's text.
        check("u$(a)$(b)", &[("u$(a)", "uv"), ("v$(b)", "vy")]);
        // A reference comes together of two texts.
        check("u$(a)(b)w$(b)", &[("u$(a)", "uw$"), ("w$(b)", "wy")]);
        check("u $(a)(b)w$(b)", &[(" $(a)", "$"), ("w$(b)", "wy"), ("$(b)", "x")]);
        check("$$(a)$$(a)", &[("$$(a)", "$"), ("$$(a)", "$x"), ("absent$(", "")]);
    }
}
