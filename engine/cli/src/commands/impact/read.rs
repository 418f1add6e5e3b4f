//! The policies of both sides.
//!
//! In: the words of the command line. Out: for each side its texts, what it is called, and what of it could not be read.

use super::refs;
use crate::exit::Failure;
use crate::files::{self, Text, Unreadable};
use std::path::Path;

/// One side.
#[derive(Default)]
pub(super) struct Given {
    /// What people call it: a path, or a reference.
    pub(super) name: String,
    /// The commit, where it is one.
    pub(super) commit: Option<String>,
    pub(super) texts: Vec<Text>,
    /// What could not be read.
    pub(super) lost: Vec<String>,
}

/// Where the policies of a side are.
enum Place {
    Paths(Vec<String>),
    Commit { name: String, id: String, paths: Vec<String> },
}

/// Both sides, the old one first.
pub(super) fn sides(words: &[String]) -> Result<[Given; 2], Failure> {
    let places = places(words).map_err(Failure)?;
    let [old, new] = places.map(given);
    let sides = [old?, new?];
    if sides.iter().all(|side| side.texts.is_empty() && side.lost.is_empty()) {
        return Err(Failure(
            "neither side has a policy file: only names that end in .yaml or .yml are read".to_owned(),
        ));
    }
    Ok(sides)
}

fn places(words: &[String]) -> Result<[Place; 2], String> {
    let (first, rest) = words.split_first().ok_or("give OLD and NEW")?;
    if let Some((old, new, is_from_base)) = range(first).filter(|_| !is_path(first)) {
        let [old_id, new_id] = [refs::resolve(old)?, refs::resolve(new)?];
        let old_id = if is_from_base { refs::merge_base(&old_id, &new_id)? } else { old_id };
        let place = |name: &str, id| Place::Commit { name: name.to_owned(), id, paths: rest.to_vec() };
        return Ok([place(old, old_id), place(new, new_id)]);
    }
    let (second, paths) = rest.split_first().ok_or_else(|| {
        format!("give two sides: `podsieve impact {first} NEW`, or a range of commits such as `main..HEAD`")
    })?;
    match (path_or_ref(first)?, path_or_ref(second)?) {
        (None, None) if paths.is_empty() => Ok([first, second].map(|path| Place::Paths(vec![path.clone()]))),
        (None, None) => {
            Err(format!("three paths: OLD and NEW are one path each, and `{first}` is no commit"))
        }
        (None, Some(_)) => Err(format!("`{first}` is a path and `{second}` a commit: name the commit first")),
        (Some(id), None) => {
            Ok([Place::Commit { name: first.clone(), id, paths: rest.to_vec() }, Place::Paths(rest.to_vec())])
        }
        (Some(old), Some(new)) => Ok([
            Place::Commit { name: first.clone(), id: old, paths: paths.to_vec() },
            Place::Commit { name: second.clone(), id: new, paths: paths.to_vec() },
        ]),
    }
}

/// `a..b`, or `a...b` from where `b` left `a`.
fn range(word: &str) -> Option<(&str, &str, bool)> {
    let (old, new, is_from_base) = match word.split_once("...") {
        Some((old, new)) => (old, new, true),
        None => word.split_once("..").map(|(old, new)| (old, new, false))?,
    };
    let is_relative = old.is_empty() && (new.is_empty() || new.starts_with('/'));
    (!is_relative).then(|| (or_head(old), or_head(new), is_from_base))
}

/// A side of a range that is left out is where one is.
fn or_head(part: &str) -> &str {
    if part.is_empty() { "HEAD" } else { part }
}

fn is_path(word: &str) -> bool {
    Path::new(word).exists() || word.contains(['*', '?', '[', '{'])
}

/// The commit of a word that is no path; an error where it is both, or neither.
fn path_or_ref(word: &str) -> Result<Option<String>, String> {
    if !is_path(word) {
        return refs::resolve(word).map(Some);
    }
    // What has a slash or a point is written as a path.
    if !word.contains(['/', '.']) && refs::is_ref(word) {
        return Err(format!("`{word}` is a path and a reference: write `./{word}`, or `refs/heads/{word}`"));
    }
    Ok(None)
}

fn given(place: Place) -> Result<Given, Failure> {
    match place {
        Place::Commit { name, id, paths } => {
            let refs::Commit { texts, lost } =
                refs::read(&id, &paths).map_err(|why| Failure(format!("{name}: {why}")))?;
            let short = id.get(..12).unwrap_or(&id).to_owned();
            Ok(Given { name, commit: Some(short), texts, lost })
        }
        Place::Paths(paths) => {
            let mut given = Given { name: paths.join(" "), ..Given::default() };
            for path in &paths {
                match files::policy_paths(path) {
                    Ok(found) => {
                        for file in &found {
                            match files::read(file) {
                                Ok(text) => given.texts.push(text),
                                Err(lost) => given.lost.push(unreadable(&lost)),
                            }
                        }
                    }
                    Err(lost) => return Err(Failure(unreadable(&lost))),
                }
            }
            Ok(given)
        }
    }
}

fn unreadable(lost: &Unreadable) -> String {
    format!("`{}` cannot be read: {}", lost.path, lost.original)
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("main..HEAD"), Some(("main", "HEAD", false)));
        assert_eq!(range("main...topic"), Some(("main", "topic", true)));
        assert_eq!(range("main.."), Some(("main", "HEAD", false)));
        assert_eq!((range("../policies"), range(".."), range("policies/")), (None, None, None));
    }
}
