//! Slips of the hand in the text of a policy.
//!
//! In: a text, choices. Out: the text with one slip of a kind, where it has a place for one.

use crate::random::Choices;

/// A kind of slips.
pub type Slip = fn(&str, &mut Choices) -> Option<String>;

/// All kinds, by their names.
pub const SLIPS: &[(&str, Slip)] = &[
    ("field", field),
    ("indentation", indentation),
    ("function", function),
    ("quote", quote),
    ("has", has),
    ("operator", operator),
    ("brace", brace),
    ("kind", kind),
];

/// A stretch of the text below `spec`, in bytes.
type Place = (usize, usize);

/// Lines below `spec`, with their places.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let spec = text.find("\nspec:").map_or(text.len(), |at| at + 1);
    let mut begin = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        begin += line.len();
        (begin - line.len(), line.trim_end_matches('\n'))
    });
    lines.filter(move |(begin, _)| *begin > spec)
}

fn one(places: &[Place], choices: &mut Choices) -> Option<Place> {
    if places.is_empty() { None } else { places.get(choices.below(places.len())).copied() }
}

fn with(text: &str, (from, to): Place, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..from)?, text.get(to..)?))
}

/// A word without one of its inner letters.
fn shorter(word: &str, choices: &mut Choices) -> String {
    let gone = 1 + choices.below(word.len().saturating_sub(2));
    word.char_indices().filter(|(at, _)| *at != gone).map(|(_, letter)| letter).collect()
}

/// The place of a key with at least so many letters.
fn key((begin, line): (usize, &str), least: usize) -> Option<Place> {
    let body = line.trim_start_matches([' ', '-']);
    let word = body.split(':').next().filter(|word| body.len() > word.len())?;
    let is_plain = word.len() >= least && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let at = begin + line.len() - body.len();
    is_plain.then_some((at, at + word.len()))
}

/// Two letters of a field change places.
fn field(text: &str, choices: &mut Choices) -> Option<String> {
    let keys: Vec<Place> = lines(text).filter_map(|line| key(line, 5)).collect();
    let place = one(&keys, choices)?;
    let word = text.get(place.0..place.1)?;
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + choices.below(letters.len() - 3);
    letters.swap(at, at + 1);
    with(text, place, &letters.into_iter().collect::<String>())
}

/// A line with a key is one column off.
fn indentation(text: &str, choices: &mut Choices) -> Option<String> {
    let is_inside = |(_, line): &(usize, &str)| line.starts_with("  ");
    let keys: Vec<Place> = lines(text)
        .filter(is_inside)
        .filter(|line| key(*line, 1).is_some())
        .map(|(begin, _)| (begin, begin))
        .collect();
    let (from, to) = one(&keys, choices)?;
    if choices.once_in(2) { with(text, (from, to), " ") } else { with(text, (from, to + 1), "") }
}

/// A function without a letter.
fn function(text: &str, choices: &mut Choices) -> Option<String> {
    let mut calls = Vec::new();
    for (begin, line) in lines(text) {
        for (bracket, _) in line.match_indices('(') {
            let word = line.get(..bracket).unwrap_or_default();
            let start = word
                .rfind(|letter: char| !letter.is_ascii_alphabetic() && letter != '_')
                .map_or(0, |at| at + 1);
            if bracket - start > 3 {
                calls.push((begin + start, begin + bracket));
            }
        }
    }
    let place = one(&calls, choices)?;
    let word = text.get(place.0..place.1)?;
    with(text, place, &shorter(word, choices))
}

/// A line without the quote at its end.
fn quote(text: &str, choices: &mut Choices) -> Option<String> {
    let ends: Vec<Place> = lines(text)
        .filter(|(_, line)| line.trim_end().ends_with(['"', '\'']))
        .map(|(begin, line)| (begin + line.trim_end().len() - 1, begin + line.trim_end().len()))
        .collect();
    with(text, one(&ends, choices)?, "")
}

/// `has(…)` before `&&` or `||` is forgotten.
fn has(text: &str, choices: &mut Choices) -> Option<String> {
    let mut guards = Vec::new();
    for (at, _) in text.match_indices("has(") {
        let Some(end) = text.get(at..).and_then(|rest| rest.find(')')).map(|end| at + end + 1) else {
            continue;
        };
        let rest = text.get(end..).unwrap_or_default();
        let is_guard = rest.starts_with(" && ") || rest.starts_with(" || ");
        if is_guard && !text.get(at + 4..end - 1).is_some_and(|inner| inner.contains('(')) {
            let is_negated = text.get(..at).is_some_and(|before| before.ends_with('!'));
            guards.push((at - usize::from(is_negated), end + 4));
        }
    }
    with(text, one(&guards, choices)?, "")
}

/// An operator without a letter.
fn operator(text: &str, choices: &mut Choices) -> Option<String> {
    let operators: Vec<Place> = lines(text)
        .filter_map(|(begin, line)| {
            let at = begin + line.find("operator: ")? + "operator: ".len();
            let word = line
                .rsplit(' ')
                .next()
                .filter(|word| word.len() > 3 && at + word.len() == begin + line.len())?;
            Some((at, at + word.len()))
        })
        .collect();
    let place = one(&operators, choices)?;
    let word = text.get(place.0..place.1)?;
    with(text, place, &shorter(word, choices))
}

/// A variable without one of the braces that close it.
fn brace(text: &str, choices: &mut Choices) -> Option<String> {
    let spec = text.find("\nspec:")?;
    let is_below = |at: &usize| *at > spec && text.get(spec..*at).is_some_and(|before| before.contains("{{"));
    let ends: Vec<Place> =
        text.match_indices("}}").map(|(at, _)| at).filter(is_below).map(|at| (at, at + 1)).collect();
    with(text, one(&ends, choices)?, "")
}

/// A kind in lower case, or in the plural.
fn kind(text: &str, choices: &mut Choices) -> Option<String> {
    let mut kinds = Vec::new();
    let mut is_below = false;
    for (begin, line) in lines(text) {
        let body = line.trim_start();
        match body.strip_prefix("- ") {
            Some(word) if is_below && word.chars().all(|letter| letter.is_ascii_alphabetic()) => {
                let at = begin + line.len() - word.len();
                kinds.push((at, at + word.len()));
            }
            _ => is_below = body.trim_start_matches("- ") == "kinds:",
        }
    }
    let place = one(&kinds, choices)?;
    let word = text.get(place.0..place.1)?;
    let new = if choices.once_in(2) { word.to_lowercase() } else { format!("{word}s") };
    with(text, place, &new)
}
