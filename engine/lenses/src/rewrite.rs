//! A text in which one document says something else, its comments and its layout left alone.
//!
//! In: a [`wire::RewriteInput`]: the text, a place in the document, what it shall say or which fields change. Out: the whole
//! text. Example: the `edits` of an explanation, put into the text that was explained.

use crate::wire;
use engine_json::arrange::Arrange as _;
use engine_json::{Path, Value};
use engine_yaml::{LineIndex, Options, Source, SourceId, parse, parse_one, revise};

/// How many edits one question may have.
const MAX_EDITS: usize = 1_000;

/// Writes the text.
pub fn run(input: &wire::RewriteInput) -> Result<wire::RewriteOutput, String> {
    let source = Source { id: SourceId(0), name: String::new(), text: input.text.as_str().into() };
    let lines = LineIndex::new(&input.text);
    let parsed = parse(&source, &Options::default());
    let begins_before = |document: &&engine_yaml::Document| lines.utf16(document.span.start) <= input.at;
    let document = parsed.documents.iter().rev().find(begins_before).ok_or("there is no document there")?;
    let mut wanted = match &input.object {
        Some(object) => parse_one(object).map_err(|error| format!("object: {}", error.message))?,
        None => document.value.clone(),
    };
    edit(&mut wanted, &input.edits)?;
    let (from, to) = (document.span.start as usize, document.span.end as usize);
    let part = |range: std::ops::Range<usize>| input.text.get(range).unwrap_or_default();
    let mut text = part(0..from).to_owned();
    let revised = revise(part(from..to), &wanted);
    // New lines end as the lines of the text do.
    let has_crlf = input.text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
    text.push_str(&if has_crlf { revised.replace("\r\n", "\n").replace('\n', "\r\n") } else { revised });
    let rest = part(to..input.text.len());
    // What separates documents begins a line.
    if !text.ends_with('\n') && !rest.is_empty() && !rest.starts_with(['\n', '\r']) {
        text.push_str(if has_crlf { "\r\n" } else { "\n" });
    }
    text.push_str(rest);
    Ok(wire::RewriteOutput { text })
}

/// The value after the edits: first what is set, then what goes, from the end, so that no place moves before its turn.
fn edit(value: &mut Value, edits: &[wire::Edit]) -> Result<(), String> {
    if edits.len() > MAX_EDITS {
        return Err(format!("{} edits are more than {MAX_EDITS}: ask several times", edits.len()));
    }
    let (mut set, mut gone) = (Vec::new(), Vec::new());
    for edit in edits {
        let path: Path = edit.path.parse().map_err(|()| format!("`{}` is not a path", edit.path))?;
        match &edit.after {
            Some(after) => {
                let after = engine_json::parse(after).map_err(|error| format!("{path}: {error}"))?;
                set.push((path, after));
            }
            None => gone.push(path),
        }
    }
    set.arrange_by(|(a, _), (b, _)| a.cmp(b));
    gone.arrange();
    for (path, after) in set {
        if !value.put(&path, Some(after)) {
            return Err(format!("`{path}` is not there"));
        }
    }
    for path in gone.into_iter().rev() {
        value.put(&path, None);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::wire::{Edit, RewriteInput};

    fn edit(path: &str, after: Option<&str>) -> Edit {
        Edit { path: path.to_owned(), after: after.map(str::to_owned), ..Edit::default() }
    }

    #[test]
    fn fields_change_in_the_document_at_the_place_alone() {
        let text = "# ä first\na: 1\n---\n# second\na: 1 # one\nlist: [p, q, r]\n---\na: 1\n";
        let at = u32::try_from(text.find("# second").unwrap()).unwrap() - 1;
        let edits =
            vec![edit("a", Some("2")), edit("labels[\"b.c/d\"]", Some("\"e\"")), edit("list[0]", None)];
        let output = run(&RewriteInput { text: text.to_owned(), at, object: None, edits }).unwrap();
        let expected =
            "# ä first\na: 1\n---\n# second\na: 2 # one\nlist: [q, r]\nlabels:\n  b.c/d: e\n---\na: 1\n";
        assert_eq!(output.text, expected);
    }

    #[test]
    fn a_whole_object_takes_the_place_of_another() {
        let object = Some("a: 1\nb: [x]\n".to_owned());
        let input = RewriteInput { text: "a: 1 # one\n".to_owned(), at: 3, object, edits: Vec::new() };
        assert_eq!(run(&input).unwrap().text, "a: 1 # one\nb:\n- x\n");
    }

    #[test]
    fn new_lines_end_as_the_lines_of_the_text_do() {
        let text = "a: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\na: 1\r\n";
        let edits = vec![edit("a", Some("2")), edit("c", Some("[\"d\", \"e\"]"))];
        let output = run(&RewriteInput { text: text.to_owned(), at: 0, object: None, edits }).unwrap();
        assert_eq!(output.text, "a: 2\r\nb: |\r\n  x\r\n  y\r\nc:\r\n- d\r\n- e\r\n---\r\na: 1\r\n");
    }

    #[test]
    fn what_cannot_be_is_said() {
        let input = |path: &str| RewriteInput {
            text: "a: 1\n".to_owned(),
            edits: vec![edit(path, Some("1"))],
            ..RewriteInput::default()
        };
        assert_eq!(run(&input("a[")).unwrap_err(), "`a[` is not a path");
        assert_eq!(run(&input("a[1]")).unwrap_err(), "`a[1]` is not there");
        assert_eq!(run(&RewriteInput::default()).unwrap_err(), "there is no document there");
        let many = RewriteInput { edits: vec![edit("a", Some("1")); 1_001], ..input("a") };
        assert_eq!(run(&many).unwrap_err(), "1001 edits are more than 1000: ask several times");
    }
}
