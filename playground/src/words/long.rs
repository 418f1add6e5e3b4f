//! Words behind what is drawn in pieces, on the page and in the views that load late.

/// Behind the beginning of a text: how much of it is not shown.
pub(crate) fn more_text(characters: usize) -> String {
    format!("show more of {characters} further characters")
}

/// Behind the first rows of a list; `many` where not even all of them were made.
pub(crate) fn more_rows(rows: usize, many: bool) -> String {
    format!("show more of {}{rows} further entries", if many { "at least " } else { "" })
}
