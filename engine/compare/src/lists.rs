//! Lists of documents (`kind: List`), as `kubectl get -o yaml` writes them, read as the documents that they hold.
//!
//! In: a text. Out: one in which each item of a List is a document of its own, with its comments, and which line of the first each of its
//! lines was. So does kubectl with what it applies, with the lists of one kind (`ClusterPolicyList`) and Lists within Lists too.
// k8s.io/cli-runtime/pkg/resource/visitor.go: FlattenListVisitor; k8s.io/apimachinery: unstructured.IsList.

use engine::yaml::{Options, Parsed, Source, SourceId, parse};
use engine_json::{Path, Value, to_json};
use engine_lenses::wire::{Range, Text};

/// How deep Lists within Lists are opened.
const MAX_DEPTH: usize = 4;

/// The groups whose lists of one kind are opened: those of policies, exceptions and bindings.
const GROUPS: [&str; 4] =
    ["kyverno.io/", "policies.kyverno.io/", "admissionregistration.k8s.io/", "policy/v1beta1"];

/// A text without Lists, and for each of its lines the number of the line that it was, from 1.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The text.
    pub text: Text,
    /// The line of each line.
    pub lines: Vec<u32>,
}

impl Unfolded {
    /// A place in it as the lines of the text that it was.
    pub fn of_source(&self, range: Range, source: &Text) -> Range {
        let line_of = |line: u32| {
            let at = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
            at.and_then(|at| self.lines.get(at)).copied()
        };
        let Some(line) = line_of(range.line) else { return range };
        let end_line = line_of(range.end_line).unwrap_or(line).max(line);
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let before = |line: u32| usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let begin_of =
            |line: u32| -> u32 { source.text.split_inclusive('\n').take(before(line)).map(units).sum() };
        let to = begin_of(end_line) + source.text.lines().nth(before(end_line)).map_or(0, units);
        Range { from: begin_of(line), to, line, column: 1, end_line, ..range }
    }
}

/// Whether a document is a list of documents: one at least that is not null.
pub(crate) fn is_list(value: &Value) -> bool {
    let (version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
    let is_of_kind = kind == "List" && version == "v1"
        || kind.ends_with("List") && GROUPS.iter().any(|group| version.starts_with(group));
    is_of_kind
        && value
            .get("items")
            .is_some_and(|items| items.as_array().is_some_and(|items| !items.iter().all(Value::is_null)))
}

/// A text whose Lists are unfolded; `None` where it has none.
pub fn unfolded(text: &Text) -> Option<Unfolded> {
    let mut made = unfolded_once(text)?;
    for _ in 1..MAX_DEPTH {
        let Some(inner) = unfolded_once(&made.text) else { break };
        let line = |line: &u32| made.lines.get(usize::try_from(line.saturating_sub(1)).ok()?).copied();
        let lines = inner.lines.iter().map(|at| line(at).unwrap_or(1)).collect();
        made = Unfolded { text: inner.text, lines };
    }
    Some(made)
}

fn read(text: &str) -> Parsed {
    parse(&Source { id: SourceId(0), name: String::new(), text: text.into() }, &Options::default())
}

fn unfolded_once(text: &Text) -> Option<Unfolded> {
    if !text.text.contains("List") {
        return None;
    }
    let Parsed { documents, findings } = read(&text.text);
    if !documents.iter().any(|document| is_list(&document.value)) {
        return None;
    }
    let all: Vec<&str> = text.text.lines().collect();
    let lines_before = |at: u32| {
        let before = text.text.get(..usize::try_from(at).ok()?)?;
        Some((before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |end| end + 1)))
    };
    // Where the items of Lists begin, and each document with the line where it begins.
    let (mut begins, mut items) = (Vec::new(), Vec::new());
    for document in &documents {
        let value = &document.value;
        let spans = document.spans(&text.text);
        let begin_of = |path: Path, value: &Value| {
            let keys = value.as_object()?.keys().map(|key| spans.key_span(&path.join(key.clone())));
            lines_before(keys.flatten().map(|span| span.start).min()?)
        };
        let begin = begin_of(Path::root(), value);
        let (first, _) = begin.or_else(|| lines_before(document.span.start)).unwrap_or_default();
        if !is_list(value) {
            items.extend((!value.is_null()).then_some((first, value)));
            continue;
        }
        for (at, item) in value.get("items").and_then(Value::as_array).unwrap_or_default().iter().enumerate()
        {
            if item.is_null() {
                continue;
            }
            let begin = begin_of(Path::from_keys(&["items"]).join(at), item);
            items.push((begin.map_or(first, |(line, _)| line), item));
            begins.push(begin);
        }
    }
    let is_below_dash = |(line, column): &(usize, usize)| {
        all.get(*line).and_then(|line| line.get(..*column)).is_some_and(|before| before.trim() == "-")
    };
    let begins: Option<Vec<(usize, usize)>> = begins.into_iter().collect();
    if let Some(begins) = begins.filter(|begins| begins.iter().all(is_below_dash)) {
        let made = written(&text.name, &all, &begins);
        // Anchors of one item are not known in the next one.
        let read = self::read(&made.text.text).documents.into_iter().map(|document| document.value);
        if read.filter(|value| !value.is_null()).eq(items.iter().map(|(_, item)| (*item).clone())) {
            return Some(made);
        }
    }
    // What cannot be read stands in no document, and must not get lost.
    if !findings.is_empty() {
        return None;
    }
    // In brackets: each item, and each document beside the List, on one line.
    let lines =
        items.iter().flat_map(|(line, _)| [*line; 2]).map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
    let lines = lines.collect();
    let made =
        items.iter().flat_map(|(_, item)| ["---\n".to_owned(), to_json(item), "\n".to_owned()]).collect();
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
    use super::{Unfolded, unfolded};
    use engine_lenses::wire::{Range, Text};

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

    #[test]
    fn what_cannot_be_cut_from_its_list_is_written_anew() {
        let of = |text: &str| unfolded(&Text { name: "l.yaml".into(), text: text.into() }).unwrap();
        let anchored = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  a: &a [b]\n- kind: E\n  a: *a\n";
        let made = of(anchored);
        assert_eq!(
            made.text.text,
            "---\n{\"a\":[\"b\"],\"kind\":\"A\"}\n---\n{\"a\":[\"b\"],\"kind\":\"E\"}\n"
        );
        assert_eq!(made.lines, [4, 4, 6, 6]);
        // Nothing is lost of what is no object: it is said of it that it is no policy.
        let made = of("apiVersion: v1\nkind: List\nitems:\n- kind: A\n- text\n");
        assert_eq!(
            (made.text.text.as_str(), made.lines),
            ("---\n{\"kind\":\"A\"}\n---\n\"text\"\n", vec![4, 4, 1, 1])
        );
    }

    #[test]
    fn lists_of_one_kind_and_lists_within_lists_are_opened() {
        let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: kyverno.io/v1\n  kind: ClusterPolicyList\n  items:\n  - kind: A\n  - kind: E\n";
        let made = unfolded(&Text { name: "l.yaml".into(), text: text.into() }).unwrap();
        assert_eq!(
            (made.text.text.as_str(), made.lines),
            ("---\n---\nkind: A\n---\nkind: E\n", vec![4, 7, 7, 8, 8])
        );
        let range = Range { line: 2, end_line: 4, ..Range::default() };
        let text = Text { name: "l.yaml".into(), text: text.into() };
        let of_source = Unfolded { text: text.clone(), lines: vec![7, 7, 8, 8] }.of_source(range, &text);
        assert_eq!((of_source.line, of_source.end_line), (7, 8));
        assert_eq!(
            text.text.get(of_source.from as usize..of_source.to as usize),
            Some("  - kind: A\n  - kind: E")
        );
    }
}
