//! Lists of documents (`kind: List`), as `kubectl get -o yaml` writes them, read as the documents that they hold.
//!
//! In: a text. Out: one in which each item of a List is a document of its own, with its comments, and which line of the first each of its
//! lines was.

use engine::wire::{Range, Text};
use engine_json::{Path, Value, to_json};
use engine_yaml::{Options, Source, SourceId, parse};

/// A text without Lists, and for each of its lines the number of the line that it was, from 1.
pub(crate) struct Unfolded {
    pub(crate) text: Text,
    pub(crate) lines: Vec<u32>,
}

impl Unfolded {
    /// A place in it as the line of the text that it was.
    pub(crate) fn of_source(&self, range: Range, source: &Text) -> Range {
        let at = usize::try_from(range.line).ok().and_then(|line| line.checked_sub(1));
        let Some(line) = at.and_then(|at| self.lines.get(at)).copied() else { return range };
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let before = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let from = source.text.split_inclusive('\n').take(before).map(units).sum();
        let own = source.text.lines().nth(before).map_or(0, units);
        Range { from, to: from + own, line, column: 1, ..range }
    }
}

/// A text whose Lists are unfolded; `None` where it has none.
pub(crate) fn unfolded(text: &Text) -> Option<Unfolded> {
    if !text.text.contains("List") {
        return None;
    }
    let source = Source { id: SourceId(0), name: String::new(), text: text.text.as_str().into() };
    let parsed = parse(&source, &Options::default());
    let is_list =
        |value: &Value| value.find_str(&["kind"]) == "List" && value.find_str(&["apiVersion"]) == "v1";
    if !parsed.documents.iter().any(|document| is_list(&document.value)) {
        return None;
    }
    let all: Vec<&str> = text.text.lines().collect();
    let (mut begins, mut items) = (Vec::new(), Vec::new());
    for document in &parsed.documents {
        let value = &document.value;
        let spans = document.spans(&text.text);
        if !is_list(value) {
            let first = value.as_object().and_then(|map| map.keys().next());
            let start = first.and_then(|key| spans.key_span(&Path::root().join(key.clone())));
            let before = start.and_then(|span| text.text.get(..usize::try_from(span.start).ok()?));
            items.extend(before.map(|before| (before.matches('\n').count(), to_json(value))));
            continue;
        }
        let all = value.get("items").and_then(Value::as_array).unwrap_or_default();
        for (at, item) in all.iter().enumerate() {
            let Some(key) = item.as_object().and_then(|item| item.keys().next()) else { continue };
            let path = Path::from_keys(&["items"]).join(at).join(key.clone());
            let start = usize::try_from(spans.key_span(&path)?.start).ok()?;
            let before = text.text.get(..start)?;
            let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
            begins.push((before.matches('\n').count(), column));
            items.push((before.matches('\n').count(), to_json(item)));
        }
    }
    let is_below_dash = |(line, column): &(usize, usize)| {
        all.get(*line).and_then(|line| line.get(..*column)).is_some_and(|before| before.trim() == "-")
    };
    if begins.is_empty() {
        return None;
    }
    if begins.iter().all(is_below_dash) {
        return Some(written(&text.name, &all, &begins));
    }
    // In brackets: each item, and each document beside the List, on one line.
    let lines =
        items.iter().flat_map(|(line, _)| [*line; 2]).map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
    let lines = lines.collect();
    let made = items.iter().flat_map(|(_, item)| ["---\n", item, "\n"]).collect();
    Some(Unfolded { text: Text { name: text.name.clone(), text: made }, lines })
}

/// The items that begin at these lines and columns as documents; what is beside them in a List is left out but for comments.
fn written(name: &str, all: &[&str], begins: &[(usize, usize)]) -> Unfolded {
    let mut made: Vec<(String, usize)> = Vec::new();
    let is_separator = |line: &str| line.starts_with("---");
    let documents = all.split_inclusive(|line| is_separator(line));
    let mut first = 0;
    for document in documents {
        let own = first..first + document.len();
        let items: Vec<&(usize, usize)> = begins.iter().filter(|(line, _)| own.contains(line)).collect();
        if items.is_empty() {
            made.extend(document.iter().zip(own.clone()).map(|(line, at)| ((*line).to_owned(), at)));
        } else {
            unfold(all, own.clone(), &items, &mut made);
        }
        first = own.end;
    }
    let lines = made.iter().map(|(_, at)| u32::try_from(at + 1).unwrap_or(u32::MAX)).collect();
    let text: String = made.iter().flat_map(|(line, _)| [line, "\n"]).collect();
    Unfolded { text: Text { name: name.to_owned(), text }, lines }
}

fn unfold(
    all: &[&str],
    own: std::ops::Range<usize>,
    items: &[&(usize, usize)],
    made: &mut Vec<(String, usize)>,
) {
    let mut comments: Vec<(String, usize)> = Vec::new();
    let mut column = None;
    for at in own {
        let line = all.get(at).copied().unwrap_or("");
        let indent = line.len() - line.trim_start().len();
        let is_comment = line.trim_start().starts_with('#');
        if let Some((_, begin)) = items.iter().find(|(line, _)| *line == at) {
            made.push(("---".to_owned(), at));
            made.append(&mut comments);
            made.push((line.get(*begin..).unwrap_or("").to_owned(), at));
            column = Some(*begin);
        } else if line.starts_with("---") {
            made.append(&mut comments);
            made.push((line.to_owned(), at));
        } else if let Some(begin) = column.filter(|begin| indent >= *begin || line.trim().is_empty()) {
            made.append(&mut comments);
            made.push((line.get(begin..).unwrap_or("").to_owned(), at));
        } else if is_comment {
            comments.push((line.trim_start().to_owned(), at));
        } else {
            column = None;
        }
    }
    made.append(&mut comments);
}

#[cfg(test)]
mod tests {
    use super::unfolded;
    use engine::wire::Text;

    #[test]
    fn each_item_is_a_document() {
        let list = "# head\napiVersion: v1\nkind: List\nitems:\n  # one\n  - kind: A\n    spec:\n      # b\n      b: |\n        c\n\n        d\n  # two\n  - kind: E\nmetadata:\n  resourceVersion: ''\n---\nkind: F\n";
        let made = unfolded(&Text { name: "l.yaml".into(), text: list.into() }).unwrap();
        let expected = "---\n# head\n# one\nkind: A\nspec:\n  # b\n  b: |\n    c\n\n    d\n---\n# two\nkind: E\n---\nkind: F\n";
        assert_eq!(made.text.text, expected);
        assert_eq!(made.lines, [6, 1, 5, 6, 7, 8, 9, 10, 11, 12, 14, 13, 14, 17, 18]);
        let in_brackets = "{apiVersion: v1, kind: List,\n  items: [{kind: A}]}";
        let made = unfolded(&Text { name: "l.yaml".into(), text: in_brackets.into() }).unwrap();
        assert_eq!((made.text.text.as_str(), made.lines), ("---\n{\"kind\":\"A\"}\n", vec![2, 2]));
        assert!(unfolded(&Text { name: "l.yaml".into(), text: "kind: ListMap\n".into() }).is_none());
    }
}
