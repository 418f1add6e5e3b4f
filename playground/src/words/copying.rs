//! The words of a button that copies, on the page and in the views that load late.

pub(crate) const COPY: &str = "Copy";
pub(crate) const COPIED: &str = "Copied";

/// What a button copies, for those who do not see where it stands.
pub(crate) fn copy(what: &str) -> String {
    format!("Copy {what}")
}
