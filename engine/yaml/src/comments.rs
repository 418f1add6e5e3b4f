//! The comments of a document, each with the value that it is about.
//!
//! In: the places of a document, and its text. Out: what stands behind each `#` that is not part of a scalar. In `a: 1 # x\n# y\nb: 2\n`
//! the comment `# x` stands beside `a` and `# y` above `b`.

use crate::spans::{Entry, Inside, Spans};
use engine_json::{Path, Segment};

/// Where a comment stands, seen from the value that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On lines of its own before it.
    Above,
    /// On its line.
    Beside,
    /// Behind it, where nothing follows that stands as far to the right.
    Below,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its text from the `#` on, without blanks at its end.
    pub text: String,
    /// The value that it is about; the root for one above all values.
    pub path: Path,
    /// Where it stands.
    pub side: Side,
}

/// The beginning of a value: its byte and column, and what it is.
struct Begin {
    at: usize,
    column: usize,
    path: Path,
}

/// What leads to a list or a map: its key or its dash, before which comments about it stand.
struct Waiting {
    id: u32,
    path: Path,
}

impl Spans {
    /// The comments of the document in their order. `text` is the whole text of its source.
    pub fn comments(&self, text: &str) -> Vec<Comment> {
        let body = text.get(self.document.start as usize..self.document.end as usize).unwrap_or("");
        let begins = self.begins(body);
        let comments = self.found(body).into_iter();
        comments.map(|(at, comment)| about(body, &begins, at, comment)).collect()
    }

    /// Where comments begin, with their texts.
    fn found<'t>(&self, body: &'t str) -> Vec<(usize, &'t str)> {
        let scalars =
            self.places.iter().filter(|place| !matches!(place.inside, Inside::List(_) | Inside::Map(_)));
        let mut scalars: Vec<(usize, usize)> =
            scalars.map(|place| (behind_header(body, place.start as usize), place.end as usize)).collect();
        scalars.sort_unstable();
        let mut found = Vec::new();
        let mut at = 0;
        // What lies between two scalars, or behind the last.
        for (start, end) in scalars.into_iter().chain([(body.len(), body.len())]) {
            while let Some(gap) = body.get(at..start.max(at)) {
                let Some(sign) = gap.find('#') else { break };
                let comment = body.get(at + sign..).and_then(|rest| rest.lines().next()).unwrap_or("");
                found.push((at + sign, comment.trim_end()));
                at += sign + comment.len().max(1);
            }
            at = at.max(end);
        }
        found
    }

    /// Where the keys of maps and the items of lists begin, in their order.
    fn begins(&self, body: &str) -> Vec<Begin> {
        let mut begins = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        waiting.extend(self.root.map(|id| Waiting { id, path: Path::root() }));
        while let Some(Waiting { id, path }) = waiting.pop() {
            let Some(place) = self.places.get(id as usize) else { continue };
            let children: Vec<(usize, u32, Segment)> = match &place.inside {
                Inside::Nothing | Inside::Alias(_) => Vec::new(),
                Inside::List(items) => {
                    let items = items.iter().enumerate();
                    items.map(|(at, id)| (self.dash_of(body, *id), *id, Segment::from(at))).collect()
                }
                Inside::Map(entries) => {
                    let entry = |entry: &Entry| match entry {
                        Entry::Key(text, key, value) => {
                            let start =
                                self.places.get(*key as usize).map_or(0, |place| place.start as usize);
                            Some((start, *value, Segment::from(text.clone())))
                        }
                        // What is merged stands where it is written.
                        Entry::Merge(_) => None,
                    };
                    entries.iter().filter_map(entry).collect()
                }
            };
            for (at, id, segment) in children {
                let path = path.join(segment);
                let line = body.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
                begins.push(Begin { at, column: at - line, path: path.clone() });
                waiting.push(Waiting { id, path });
            }
        }
        // A list without indentation begins where its first item does.
        begins.sort_by_key(|one| (one.at, one.path.len()));
        begins
    }

    /// Where the item of a list begins: its dash, where it has one.
    fn dash_of(&self, body: &str, id: u32) -> usize {
        let start = self.places.get(id as usize).map_or(0, |place| place.start as usize);
        let before = body.get(..start).unwrap_or("").trim_end();
        if before.ends_with('-') { before.len() - 1 } else { start }
    }
}

/// Where the text of a scalar begins: that of a block on the line behind its `|` or `>`.
fn behind_header(body: &str, start: usize) -> usize {
    let rest = body.get(start..).unwrap_or("");
    if !rest.starts_with(['|', '>']) {
        return start;
    }
    rest.find('\n').map_or(body.len(), |end| start + end)
}

/// What a comment is about.
fn about(body: &str, begins: &[Begin], at: usize, text: &str) -> Comment {
    let before = body.get(..at).unwrap_or("");
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let is_beside = !before.get(line..).unwrap_or("").trim().is_empty();
    let next = begins.partition_point(|begin| begin.at < at);
    let (earlier, later) = begins.split_at(next);
    let comment = |path: &Path, side| Comment { text: text.to_owned(), path: path.clone(), side };
    let Some(last) = earlier.last() else { return comment(&Path::root(), Side::Above) };
    if is_beside {
        return comment(&last.path, Side::Beside);
    }
    let column = at - line;
    let owner = earlier.iter().rfind(|begin| begin.column <= column).unwrap_or(last);
    let is_item = |begin: &Begin| matches!(begin.path.last(), Some(Segment::Index(_)));
    // An item that is not in use is about the list at whose items it stands.
    let reads_as_item = text.trim_start_matches(['#', ' ']).starts_with("- ");
    if reads_as_item && is_item(owner) && owner.column == column && !later.first().is_some_and(is_item) {
        return comment(&owner.path, Side::Below);
    }
    // Before what a key holds nothing of it has ended.
    let is_first = |next: &Begin| next.path.len() > last.path.len() && next.path.starts_with(&last.path);
    if let Some(next) = later.first().filter(|next| next.column >= column || is_first(next)) {
        return comment(&next.path, Side::Above);
    }
    comment(&owner.path, Side::Below)
}

#[cfg(test)]
mod tests {
    use super::Side;
    use crate::{Options, Source, SourceId, parse};

    fn comments(text: &str) -> Vec<String> {
        let source = Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() };
        let parsed = parse(&source, &Options::default());
        let found = parsed.documents.iter().flat_map(|document| document.spans(text).comments(text));
        let side = |side| match side {
            Side::Above => "above",
            Side::Beside => "beside",
            Side::Below => "below",
        };
        found.map(|one| format!("{} {} {}", one.text, side(one.side), one.path)).collect()
    }

    #[test]
    fn each_comment_is_about_a_value() {
        let text = "# head\na: # of a\n  # first\n  - b: 1 # of b\n    # end of b\n  # second\n  - c: [x, # in flow\n      y]\n# of d\nd: 'e'\n# end\n";
        let expected = [
            "# head above ",
            "# of a beside a",
            "# first above a[0]",
            "# of b beside a[0].b",
            "# end of b below a[0].b",
            "# second above a[1]",
            "# in flow beside a[1].c[0]",
            "# of d above d",
            "# end below d",
        ];
        assert_eq!(comments(text), expected);
    }

    #[test]
    fn a_comment_before_the_first_item_is_above_it() {
        let text = "a:\n    # far to the right\n  # at its place\n  - b\n";
        assert_eq!(comments(text), ["# far to the right above a[0]", "# at its place above a[0]"]);
    }

    #[test]
    fn an_item_that_is_not_in_use_is_of_its_list() {
        let text = "a:\n- b\n# - c\n# of d\nd: e\n";
        assert_eq!(comments(text), ["# - c below a[0]", "# of d above d"]);
    }

    #[test]
    fn what_is_part_of_a_scalar_is_not_a_comment() {
        let text =
            "a: |- # of a\n  # text\n  more # text\nb: 'x # y'\nc: z#z\nd: \"# e\"\n# last\nf: x # g\n";
        let expected = ["# of a beside a", "# last above f", "# g beside f"];
        assert_eq!(comments(text), expected);
    }

    #[test]
    fn comments_of_every_document_are_its_own() {
        let text = "# a\n--- # b\na: 1 # c\n---\n# d\nb: 2";
        // What stands between two documents is not part of either.
        assert_eq!(comments(text), ["# c beside a", "# d above "]);
    }
}
