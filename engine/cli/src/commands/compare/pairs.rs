//! Which texts are compared with which.
//!
//! In: the arguments. Out: pairs. Folders are paired by the names of the files below them that hold policies; exceptions, bindings and parameters in
//! other files of a folder count for each of its policies that they belong to.

use super::beside::{Named, Other, beside, is_broken, is_broken_policy, is_policy};
use crate::args::Compare;
use crate::exit::Failure;
use crate::files;
use engine::podsecurity::{Level, Version};
use engine_lenses::wire::Text;
use std::collections::BTreeMap;
use std::path::Path;

/// One side of a pair: its texts, or why there are none.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) texts: Result<Vec<Text>, String>,
}

/// Two sides.
pub(super) struct Pair {
    pub(super) old: Side,
    pub(super) new: Side,
}

/// How many pairs one run compares.
const MAX_PAIRS: usize = 10_000;

/// The pairs that are meant.
pub(super) fn read(arguments: &Compare) -> Result<Vec<Pair>, Failure> {
    let pairs = match (&arguments.old, &arguments.new, &arguments.pairs) {
        (Some(old), Some(new), _) if files::is_folder(old) && files::is_folder(new) && !arguments.whole => {
            of_folders(old, new)?
        }
        (Some(old), Some(new), _) => vec![Pair { old: side(old), new: side(new) }],
        (_, _, Some(list)) => of_list(list)?,
        _ => Vec::new(),
    };
    if pairs.is_empty() {
        let why = match &arguments.pairs {
            Some(list) => format!("{list} names no pair: write an old and a new path on each line"),
            None => "no file of either folder holds a policy".to_owned(),
        };
        return Err(Failure(format!("there is nothing to compare: {why}")));
    }
    if pairs.len() > MAX_PAIRS {
        return Err(Failure(format!("{} pairs: at most {MAX_PAIRS} are compared in one run", pairs.len())));
    }
    Ok(pairs)
}

/// A level of Pod Security, a file, or all policies below a folder.
fn side(path: &str) -> Side {
    let name = path.to_owned();
    if let Some(level) = path.strip_prefix("level:") {
        let (level, version) = level.split_once('@').unwrap_or((level, "latest"));
        if let Some(why) = why_no_level(level, version) {
            return Side { name, texts: Err(why) };
        }
        let text = format!("level: {level}\nversion: {version}\n");
        return Side { name: name.clone(), texts: Ok(vec![Text { name, text }]) };
    }
    let opened = files::opened(&[path.to_owned()]);
    if let Some(lost) = opened.lost.into_iter().next() {
        return Side { name, texts: Err(lost.original) };
    }
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    let mut named = Named::default();
    for path in &opened.paths {
        match files::read(path) {
            Ok(text) => {
                let text = Text { name: text.name, text: text.text };
                if is_policy(&text.text) || is_broken_policy(&text.text) || !files::is_folder(&name) {
                    named.add(&text.text);
                    texts.push(text);
                } else {
                    others.push(Other::of(text));
                }
            }
            Err(lost) => return Side { name, texts: Err(lost.original) },
        }
    }
    texts.extend(beside(&named, &others));
    let texts = if texts.is_empty() { Err(format!("there is no policy in {name}")) } else { Ok(texts) };
    Side { name, texts }
}

/// Why these words do not name a level of Pod Security.
fn why_no_level(level: &str, version: &str) -> Option<String> {
    if Level::parse(level).is_none() {
        return Some(format!(
            "`{level}` is not a level: write `level:baseline` or `level:restricted`, with `@v1.30` for a version"
        ));
    }
    let is_version = Version::parse(version).is_some();
    (!is_version).then(|| format!("`{version}` is not a version: write `level:{level}@v1.30`"))
}

fn of_folders(old: &str, new: &str) -> Result<Vec<Pair>, Failure> {
    let mut by_name: BTreeMap<String, [Option<String>; 2]> = BTreeMap::new();
    let mut others = [Vec::new(), Vec::new()];
    // What cannot be read, and may be the other half of a pair.
    let mut broken: [BTreeMap<String, String>; 2] = Default::default();
    for (place, folder) in [old, new].into_iter().enumerate() {
        let opened = files::opened(&[folder.to_owned()]);
        if let Some(lost) = opened.lost.into_iter().next() {
            return Err(Failure(lost.original));
        }
        for path in opened.paths {
            let text = files::read(&path).map_err(|lost| Failure(lost.original))?;
            let name = Path::new(&path).strip_prefix(folder).unwrap_or(Path::new(&path));
            let name = name.to_string_lossy().into_owned();
            if !is_policy(&text.text) && !is_broken_policy(&text.text) {
                if let Some(broken) = broken.get_mut(place).filter(|_| is_broken(&text.text)) {
                    broken.insert(name, path);
                }
                if let Some(others) = others.get_mut(place) {
                    others.push(Other::of(Text { name: text.name, text: text.text }));
                }
                continue;
            }
            if let Some(side) = by_name.entry(name).or_default().get_mut(place) {
                *side = Some(path);
            }
        }
    }
    for (name, sides) in &mut by_name {
        for (side, broken) in sides.iter_mut().zip(&broken) {
            if side.is_none() {
                *side = broken.get(name).cloned();
            }
        }
    }
    let [of_old, of_new] = &others;
    let one = |path: Option<String>, folder: &str, name: &str, others: &[Other]| match path {
        Some(path) => with_beside(side(&path), others),
        None => {
            Side { name: format!("{folder}/{name}"), texts: Err(format!("no such file: {folder}/{name}")) }
        }
    };
    let pairs = by_name.into_iter().map(|(name, [first, second])| Pair {
        old: one(first, old.trim_end_matches('/'), &name, of_old),
        new: one(second, new.trim_end_matches('/'), &name, of_new),
    });
    Ok(pairs.collect())
}

/// The side with what else of its folder counts for its policies.
fn with_beside(mut side: Side, others: &[Other]) -> Side {
    let mut named = Named::default();
    if let Ok(texts) = &mut side.texts {
        for text in texts.iter() {
            named.add(&text.text);
        }
        texts.extend(beside(&named, others));
    }
    side
}

/// The paths of a line, up to a comment: words, or what stands in double quotes.
fn paths(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let (path, after) = quoted.unwrap_or_else(|| {
            rest.split_at(rest.find(|letter: char| letter.is_whitespace()).unwrap_or(rest.len()))
        });
        found.push(path);
        rest = after.trim_start();
    }
    found
}

fn of_list(list: &str) -> Result<Vec<Pair>, Failure> {
    let text = files::read(list).map_err(|lost| Failure(lost.original))?;
    let folder = Path::new(list).parent().unwrap_or(Path::new(""));
    let beside = |path: &str| {
        if path.starts_with("level:") {
            path.to_owned()
        } else {
            folder.join(path).to_string_lossy().into_owned()
        }
    };
    let mut pairs = Vec::new();
    for (number, line) in text.text.lines().enumerate() {
        match &*paths(line) {
            [] => {}
            [old, new] => pairs.push(Pair { old: side(&beside(old)), new: side(&beside(new)) }),
            _ => {
                return Err(Failure(format!(
                    "{list}:{}: write an old and a new path, those with spaces in \"double quotes\"",
                    number + 1
                )));
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn a_line_has_paths_and_a_comment() {
        assert_eq!(paths("a.yaml  b.yaml # c"), ["a.yaml", "b.yaml"]);
        assert_eq!(paths("\"my policies/a.yaml\"\tb#1.yaml"), ["my policies/a.yaml", "b#1.yaml"]);
        assert_eq!(paths("  # nothing"), [""; 0]);
        assert_eq!(paths("\"a b.yaml").len(), 2);
    }
}
