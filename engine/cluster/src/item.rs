//! What a stream is cut into.
//!
//! In: nothing. Out: the types: a text of one object, or why a stretch of the stream is none.

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One object of JSON.
    Json,
    /// One document of YAML, or a sequence of one element.
    Yaml,
}

/// The kind that a list says for its elements, which have none of their own where an API server wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListKind {
    /// `v1` or `group/version`.
    pub api_version: String,
    /// `Pod` where the list is a `PodList`; empty for a `List`, whose elements say their kind.
    pub kind: String,
}

/// The text of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The bytes, which may not be UTF-8 nor what [`Form`] promises: whoever reads them says so.
    pub text: Vec<u8>,
    /// How they are to be read.
    pub form: Form,
    /// Which object of the stream it is, from 1.
    pub number: usize,
    /// The line of the stream on which it begins, from 1.
    pub line: usize,
    /// What the list around it says, as far as the list has said it before its elements.
    pub list: Option<ListKind>,
}

/// Why a stretch of the stream is not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the stream on which it begins, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

/// What a list says of itself, as far as it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    /// The line of its first byte.
    pub(crate) line: usize,
    /// Whether its `items` were given out one by one.
    pub(crate) is_opened: bool,
}

impl Head {
    /// Whether `items` are elements: of a list, or of what has not said its kind yet, as `kubectl -o json` writes the kind last.
    pub(crate) fn may_be_list(&self) -> bool {
        self.kind.is_empty() || self.kind.ends_with("List")
    }

    /// What it says for its elements.
    pub(crate) fn list(&self) -> Option<ListKind> {
        let kind = self.kind.strip_suffix("List").filter(|kind| !kind.is_empty())?;
        Some(ListKind { api_version: self.api_version.clone(), kind: kind.to_owned() })
    }

    /// What is wrong with an object whose `items` were taken for elements and that turns out to be no list.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let is_wrong = self.is_opened && !self.kind.is_empty() && !self.kind.ends_with("List");
        is_wrong.then(|| Fault {
            line: self.line,
            message: format!(
                "a `{}` has `items`, which were evaluated as objects; it was not evaluated itself: write `kind` before `items`",
                self.kind
            ),
        })
    }
}
