//! Links: what the address bar or a pasted text says, and the links that this page gives away.
//!
//! In: any sloppy form of a Kyverno Playground link. Out: texts and what is to be said about them. The format itself
//! is `engine_lenses::share`'s.

use engine_lenses::share;

use crate::browser;
use crate::slot::Slot;
use crate::state::{Source, Work};
use crate::texts::Texts;
use crate::words::{open, share as words};

/// Where the Kyverno Playground is.
const ORIGINAL: &str = "https://playground.kyverno.io/";

/// Reads the address bar; `None` where it holds no link. Some people move the `#`, so the query counts too.
pub(crate) fn from_address_bar() -> Option<Result<(Work, Vec<String>), String>> {
    let parts = [browser::fragment(), browser::query()];
    parts.iter().find(|part| part.contains("content=")).map(|part| read(part))
}

/// Whether the address bar holds anything of that kind.
pub(crate) fn is_in_address_bar() -> bool {
    from_address_bar().is_some() || library_in_address_bar().is_some()
}

/// The policy of Kyverno's library that the address bar names beside no state: `#/?policy=best-practices/require-labels`.
pub(crate) fn library_in_address_bar() -> Option<String> {
    let parts = [browser::fragment(), browser::query()];
    parts.iter().find_map(|part| library(part))
}

/// The same of a pasted link.
pub(crate) fn library(link: &str) -> Option<String> {
    let policy = share::parameter(link, "policy").filter(|_| !link.contains("content="))?;
    let policy = policy.trim().trim_matches('/');
    (!policy.is_empty()).then(|| policy.to_owned())
}

/// Where Kyverno's library keeps a policy: a folder and a file of its name, whether the link names the folder or the file.
pub(crate) fn library_path(policy: &str) -> String {
    let mut names = policy.rsplit('/');
    match (names.next(), names.next()) {
        (Some(file), Some(folder)) if file == folder => policy.to_owned(),
        (Some(file), _) => format!("{policy}/{file}"),
        (None, _) => String::new(),
    }
}

/// Reads a pasted link, or the part of one.
pub(crate) fn read(text: &str) -> Result<(Work, Vec<String>), String> {
    let decoded = share::decode(text).map_err(|error| {
        if text.trim_start().lines().any(|line| line.starts_with("apiVersion:")) {
            open::YAML.to_owned()
        } else {
            error.to_string()
        }
    })?;
    let mut notes: Vec<String> = decoded.notes.into_iter().map(|note| note.message).collect();
    let texts = Texts::of_link(decoded.state);
    if texts.get(Slot::Resource).trim().is_empty() && decoded.complete {
        notes.push(open::NO_RESOURCE.to_owned());
    }
    Ok((Work { texts, source: Source::Link }, notes))
}

/// The link for this page.
pub(crate) fn to_this_page(state: &share::State) -> String {
    share::link(&browser::page_url(), state)
}

/// The same for the Kyverno Playground.
pub(crate) fn to_the_original(state: &share::State) -> String {
    share::link(ORIGINAL, state)
}

/// The page inside another one; compact, and without a memory of its own.
pub(crate) fn frame(state: &share::State) -> String {
    words::frame(&share::link_with(&browser::page_url(), state, &[("embed", "1")]))
}

/// Whether the page is to be compact, inside another one.
pub(crate) fn is_embedded() -> bool {
    share::parameter(&browser::fragment(), "embed").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_the_library_lies_in_a_folder_of_its_name() {
        let path = "best-practices/disallow-latest-tag/disallow-latest-tag";
        assert_eq!(library_path("best-practices/disallow-latest-tag"), path);
        assert_eq!(library_path(path), path);
        assert_eq!(library_path("alone"), "alone/alone");
    }
}
