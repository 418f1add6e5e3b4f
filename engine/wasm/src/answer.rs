//! An answer as JSON, within bounds: what a stranger's text makes long is cut before it leaves the module.
//!
//! In: a shape of `engine_lenses::wire`. Out: JSON, or what to say where there is too much of it. npm gets every text whole; the
//! page draws what it gets, so it asks for [`for_page`] once: a name is then cut at [`NAME`] characters, what is said at
//! [`SAID`], other texts at [`TEXT`], and all at [`NAME`] once they have [`BUDGET`] together.

use std::cell::Cell;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// Characters of a name that the page gets. Kubernetes allows 253.
const NAME: usize = 500;
/// Characters of a message.
const SAID: usize = 50_000;
/// Characters of a text that can be copied or written, such as a changed resource.
const TEXT: usize = 1 << 20;
/// Characters of all strings of an answer beyond which each is as short as a name.
const BUDGET: usize = 16 << 20;
/// Bytes of an answer for the page.
const PAGE: usize = 128 << 20;
/// Bytes of an answer at all: engines of JavaScript hold strings of 2^29 - 24 characters and more.
const MOST: usize = 500_000_000;

/// Fields that hold names of a stranger's making.
const NAMES: [&str; 12] = [
    "apiVersion",
    "autogen",
    "container",
    "exceptions",
    "from",
    "kind",
    "kinds",
    "name",
    "namespace",
    "policy",
    "rule",
    "user",
];
/// Fields that hold sentences.
const SAYINGS: [&str; 13] = [
    "admits",
    "audit",
    "detail",
    "hints",
    "message",
    "noMatch",
    "note",
    "notes",
    "properties",
    "reason",
    "refusal",
    "sentence",
    "warnings",
];

thread_local! {
    static IS_FOR_PAGE: Cell<bool> = const { Cell::new(false) };
}

/// From here on strings are cut.
pub(crate) fn for_page() {
    IS_FOR_PAGE.set(true);
}

/// The answer as JSON.
pub(crate) fn json(answer: &impl Serialize) -> Result<String, String> {
    let is_for_page = IS_FOR_PAGE.get();
    let bytes = Bytes { bytes: Vec::new(), most: if is_for_page { PAGE } else { MOST } };
    write(answer, bytes, is_for_page)
}

/// The answer as JSON with every text whole: for what is written into an editor or a file.
#[cfg(feature = "tools")]
pub(crate) fn whole(answer: &impl Serialize) -> Result<String, String> {
    write(answer, Bytes { bytes: Vec::new(), most: MOST }, false)
}

fn write(answer: &impl Serialize, bytes: Bytes, shortens: bool) -> Result<String, String> {
    let most = bytes.most;
    let mut out = serde_json::Serializer::with_formatter(bytes, Cut { shortens, ..Cut::default() });
    answer
        .serialize(&mut out)
        .map_err(|_| format!("the answer has more than {} MB: ask about less at once", most / 1_000_000))?;
    String::from_utf8(out.into_inner().bytes).map_err(|error| error.to_string())
}

/// What was written, and how much that may be.
struct Bytes {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Bytes {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes JSON as `serde_json` does, and of each string as much as its field may have.
#[derive(Default)]
struct Cut {
    shortens: bool,
    /// Whether the string is the name of a field, and that name.
    is_field: bool,
    field: String,
    /// Characters that the string may still have, those that it has had beyond, those of all strings.
    left: usize,
    beyond: usize,
    spent: usize,
}

impl Cut {
    fn most(&self) -> usize {
        let field = self.field.as_str();
        if self.spent > BUDGET || NAMES.contains(&field) {
            NAME
        } else if SAYINGS.contains(&field) {
            SAID
        } else {
            TEXT
        }
    }
}

impl Formatter for Cut {
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_field = true;
        self.field.clear();
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_field = false;
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.left = if !self.shortens {
            usize::MAX
        } else if self.is_field {
            NAME
        } else {
            self.most()
        };
        writer.write_all(b"\"")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if !self.shortens {
            return writer.write_all(fragment.as_bytes());
        }
        let end = fragment.char_indices().nth(self.left).map_or(fragment.len(), |(at, _)| at);
        let (kept, cut) = fragment.split_at_checked(end).unwrap_or((fragment, ""));
        if self.is_field {
            self.field.push_str(kept);
        }
        let characters = kept.chars().count();
        self.left -= characters.min(self.left);
        self.spent += characters;
        self.beyond += cut.chars().count();
        writer.write_all(kept.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: serde_json::ser::CharEscape,
    ) -> io::Result<()> {
        if self.left == 0 {
            self.beyond += 1;
            return Ok(());
        }
        self.left -= 1;
        self.spent += 1;
        serde_json::ser::CompactFormatter.write_char_escape(writer, escape)
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let beyond = std::mem::take(&mut self.beyond);
        if beyond > 0 {
            // In a text that is YAML this is a remark.
            let before = if self.is_field || self.most() < TEXT { "" } else { "\\n# " };
            write!(writer, "{before}… ({beyond} more characters)")?;
        }
        writer.write_all(b"\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_lenses::wire::{Diagnostic, ObjectRef, Output, PolicyResult, RuleResult};

    fn page(answer: &impl Serialize) -> String {
        write(answer, Bytes { bytes: Vec::new(), most: PAGE }, true).unwrap()
    }

    fn hostile(length: usize) -> Output {
        let long = |sign: &str| sign.repeat(length);
        let resource = ObjectRef { name: long("n"), ..ObjectRef::default() };
        let rule = RuleResult {
            message: long("\n"),
            warnings: vec![long("ä"), long("\u{301}")],
            ..RuleResult::default()
        };
        let patched = Some(long("\"a\\\u{1}é"));
        let result = PolicyResult { resource, rules: vec![rule], patched, ..PolicyResult::default() };
        Output { results: vec![result], ..Output::default() }
    }

    #[test]
    fn what_is_short_is_written_as_it_is() {
        let output = hostile(99);
        assert_eq!(page(&output), serde_json::to_string(&output).unwrap());
        assert_eq!(json(&output).unwrap(), serde_json::to_string(&output).unwrap());
    }

    #[test]
    fn npm_gets_every_text_whole() {
        let output = hostile(2_000_000);
        assert_eq!(json(&output).unwrap(), serde_json::to_string(&output).unwrap());
    }

    #[test]
    fn the_page_gets_of_a_name_and_a_message_what_it_can_draw() {
        let read: Output = serde_json::from_str(&page(&hostile(1_000_000))).unwrap();
        let [result] = read.results.as_slice() else { panic!("{}", read.results.len()) };
        assert_eq!(result.resource.name, "n".repeat(NAME) + "… (999500 more characters)");
        let [rule] = result.rules.as_slice() else { panic!("{}", result.rules.len()) };
        assert_eq!(rule.message, "\n".repeat(SAID) + "… (950000 more characters)");
        assert_eq!(
            rule.warnings,
            ["ä", "\u{301}"].map(|sign| sign.repeat(SAID) + "… (950000 more characters)")
        );
        let patched = result.patched.as_ref().unwrap();
        assert!(patched.ends_with("\n# … (3951424 more characters)"), "{}", patched.len());
    }

    #[test]
    #[cfg(feature = "tools")]
    fn what_is_written_into_an_editor_or_a_file_is_whole_and_objects_are_no_names() {
        let text = "a: b\n".repeat(300_000);
        let output = engine_lenses::wire::RewriteOutput { text };
        for_page();
        assert_eq!(whole(&output).unwrap(), serde_json::to_string(&output).unwrap());
        let object = "a: b\n".repeat(1_000);
        let narrow = engine_lenses::wire::SieveNarrow { object, ..Default::default() };
        assert_eq!(page(&narrow), serde_json::to_string(&narrow).unwrap());
    }

    #[test]
    fn many_long_texts_share_a_budget() {
        let said = |_| Diagnostic { message: "x".repeat(60_000), ..Diagnostic::default() };
        let output = Output { diagnostics: (0..2_000).map(said).collect(), ..Output::default() };
        let text = page(&output);
        assert!(text.len() < BUDGET + 2_000 * (NAME + 200) + SAID, "{}", text.len());
    }

    #[test]
    fn an_answer_without_end_is_an_error() {
        let bytes = Bytes { bytes: Vec::new(), most: 1_000_000 };
        let error = write(&hostile(2_000_000), bytes, false).unwrap_err();
        assert_eq!(error, "the answer has more than 1 MB: ask about less at once");
    }
}
