//! Texts that tell constants of one place apart.
//!
//! In: the constants that a place is held against, and the texts that are tried there already. Out: a few further texts, each of which meets
//! the constants in a way in which none before does, whatever they are: expressions, patterns, beginnings, ends, parts. Example: of
//! `^[a-z]+-dev$` and `[a-z]+-dev$` comes `1a-dev`; of `team-`, `-prod` and `^team-.*-prod$` comes `team-prod`.

use crate::objects::admissible::is_readable;
use crate::search::regex;
use engine::value::re2::Regex;
use engine::value::wildcard::Wildcard;
use std::collections::BTreeSet;

/// How many constants are looked at, how many texts of an expression are put together with others, and how many texts are held against the
/// constants.
const MAX_CONSTANTS: usize = 12;
const MAX_PIECES: usize = 8;
const MAX_MEMBERS: usize = 12;
const MAX_TRIED: usize = 1_200;
/// How many texts come out: with an expression among the constants, and without.
const MAX_FOUND: usize = 12;
const MAX_PLAIN: usize = 6;
/// The length of constants and of texts that are looked at.
const MAX_LENGTH: usize = 200;
/// What is put before a text and behind it: what an anchor refuses, and what many fields allow.
const BEFORE: [&str; 6] = ["1", "x.", "x-", "x", "A", "x/"];
const BEHIND: [&str; 6] = ["1", ".x", "-x", "x", "A", "/x"];
/// A digest, for texts that end where one begins.
const DIGEST: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Amounts as an API server writes them.
const AMOUNTS: [&str; 14] =
    ["1", "12", "5m", "12m", "123m", "12345m", "1Ki", "1Mi", "1Gi", "1Ti", "1k", "1M", "1G", "12Gi"];

/// What texts of a place may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Any.
    Text,
    /// An image.
    Image,
    /// A quantity.
    Amount,
}

/// The further texts to try.
pub(crate) fn apart(constants: &[&str], known: &[&str], of: Sort) -> Vec<String> {
    let is_image = of == Sort::Image;
    let constants: Vec<&str> = constants.iter().copied().filter(|text| is_looked_at(text)).collect();
    let tests: Vec<Test<'_>> = constants.iter().take(MAX_CONSTANTS).map(|text| Test::of(text)).collect();
    let has_expression = tests.iter().any(|test| matches!(test, Test::Expression(..)));
    if tests.len() < 2 {
        return Vec::new();
    }
    let mut sorts: Vec<(Vec<bool>, usize)> = Vec::new();
    for text in known.iter().filter(|text| text.len() <= MAX_LENGTH) {
        sorts.push((met(&tests, text), sort_of(text, is_image)));
    }
    let mut tried = match of {
        Sort::Amount => AMOUNTS.map(str::to_owned).to_vec(),
        Sort::Text | Sort::Image => candidates(&tests, is_image),
    };
    // What more fields take comes first.
    tried.sort_by_key(|text| sort_of(text, is_image));
    let most = if has_expression { MAX_FOUND } else { MAX_PLAIN };
    let mut found = Vec::new();
    for text in tried {
        if found.len() >= most {
            break;
        }
        let (met, sort) = (met(&tests, &text), sort_of(&text, is_image));
        if !sorts.iter().any(|(known, of)| *known == met && *of <= sort) {
            sorts.push((met, sort));
            found.push(text);
        }
    }
    found
}

fn is_looked_at(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_LENGTH && !text.contains(char::is_whitespace)
}

/// What a constant asks of a text.
enum Test<'c> {
    Expression(&'c str, Regex),
    Pattern(&'c str, Wildcard),
    Plain(&'c str),
}

impl<'c> Test<'c> {
    fn of(constant: &'c str) -> Self {
        if (constant.contains(['\\', '^', '$', '[', '(', '+']) || constant.contains(".*"))
            && let Ok(regex) = Regex::new(constant)
        {
            return Test::Expression(constant, regex);
        }
        if constant.contains(['*', '?']) {
            return Test::Pattern(constant, Wildcard::new(constant));
        }
        Test::Plain(constant)
    }

    /// The plain texts in it.
    fn pieces(&self) -> Vec<&'c str> {
        match self {
            Test::Expression(..) => Vec::new(),
            Test::Pattern(pattern, _) => {
                pattern.split(['*', '?']).filter(|piece| !piece.is_empty()).collect()
            }
            Test::Plain(text) => vec![*text],
        }
    }
}

/// In which ways a text meets the constants.
fn met(tests: &[Test<'_>], text: &str) -> Vec<bool> {
    let mut met = Vec::new();
    for test in tests {
        match test {
            Test::Expression(_, regex) => met.push(regex.is_match(text).is_ok_and(|answer| answer.value)),
            Test::Pattern(_, pattern) => met.push(pattern.matches(text)),
            Test::Plain(part) => {
                met.extend([
                    text == *part,
                    text.starts_with(part),
                    text.ends_with(part),
                    text.contains(part),
                ]);
            }
        }
    }
    met
}

/// How many fields take a text: all do, those that take names with dots, those that take any.
fn sort_of(text: &str, is_image: bool) -> usize {
    if is_image {
        return usize::from(!is_readable(text)) * 2;
    }
    let is_end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let has_ends = is_end(text.chars().next()) && is_end(text.chars().next_back());
    let is_label = |label: &str| {
        label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && is_end(label.chars().next())
            && is_end(label.chars().next_back())
    };
    match (has_ends && is_label(text), text.split('.').all(is_label)) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// Texts of each expression, with something before and behind, and with the plain constants around them; two plain constants in one text.
fn candidates(tests: &[Test<'_>], is_image: bool) -> Vec<String> {
    let between = if is_image { "app" } else { "x" };
    let mut pieces: Vec<&str> = tests.iter().flat_map(Test::pieces).collect();
    pieces.truncate(MAX_PIECES);
    let mut found = Vec::new();
    for test in tests {
        let Test::Expression(text, regex) = test else { continue };
        let is_met = |text: &String| regex.is_match(text).is_ok_and(|answer| answer.value);
        let mut seen = BTreeSet::new();
        let members = regex::sample(text).into_iter().take(MAX_MEMBERS).chain(regex::with_members(text));
        let members = members.filter(|text| is_met(text) && seen.insert(text.clone()));
        for (at, member) in members.take(4 * MAX_MEMBERS).enumerate() {
            if at < MAX_MEMBERS / 2 {
                found.extend(BEFORE.iter().map(|before| format!("{before}{member}")));
                found.extend(BEHIND.iter().map(|behind| format!("{member}{behind}")));
            }
            if at < MAX_MEMBERS {
                for piece in &pieces {
                    found.extend([
                        format!("{piece}{member}"),
                        format!("{piece}{between}{member}"),
                        format!("{member}{piece}"),
                        format!("{member}{between}{piece}"),
                    ]);
                }
            }
            found.push(member);
        }
    }
    for first in &pieces {
        for second in &pieces {
            let are_parts = first.ends_with(|c: char| c.is_ascii_punctuation())
                || second.starts_with(|c: char| c.is_ascii_punctuation());
            if !are_parts || first == second {
                continue;
            }
            let inner = format!("{first}{between}{second}");
            let of_digest = if is_image && second.ends_with('@') { DIGEST } else { between };
            found.extend([overlapping(first, second), format!("{inner}{of_digest}"), inner]);
        }
    }
    found.truncate(MAX_TRIED);
    found
}

/// Both texts, of which what the first ends with and the second begins with is there once.
fn overlapping(first: &str, second: &str) -> String {
    let ends = first.char_indices().map(|(at, _)| at);
    let shared =
        ends.filter_map(|at| first.get(at..)).find(|end| second.starts_with(end)).unwrap_or_default();
    format!("{first}{}", second.strip_prefix(shared).unwrap_or(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_constant_meets_and_another_does_not() {
        let rows: [(&[&str], &str); 8] = [
            // Of images more are read where the repository has more than a letter.
            (&["^[a-z]+-(dev|prd)$", "[a-z]+-(dev|prd)$"], "1a-dev"),
            (&["^(dev|prd)-[a-z]+$", "^(dev|prd)-[a-z]+"], "dev-a1"),
            (&["^team-[a-z]+-dev$", "^team-[a-z-]+-dev$"], "team-a-a-dev"),
            (&["team-", "-prod", "^team-.*-prod$"], "team-prod"),
            (&["a.io/", ":[0-9]+[.][0-9]+$", ":[0-9.]+$"], "a.io/app:0"),
            (&["a.io/", "/test/", "a.io/test/"], "a.io/app/test/app"),
            (&["^([1-9]|[14][0-9]|50)%$", "^([1-9]|[1-4][0-9]|50)%$"], "20%"),
            (&["^[a-c]", "^[ac]"], "b1"),
        ];
        for (constants, wanted) in rows {
            let of = if wanted.starts_with("a.io/") { Sort::Image } else { Sort::Text };
            let found = apart(constants, &[], of);
            assert!(found.iter().any(|text| text == wanted), "{constants:?} -> {wanted}: {found:?}");
            let further = apart(constants, &[wanted], of);
            assert!(further.iter().all(|text| text != wanted), "{constants:?}: {further:?}");
        }
        assert!(apart(&["a"], &[], Sort::Text).is_empty());
        let amounts = apart(&["Mi", "i$", "^[0-9]{2,4}m$"], &[], Sort::Amount);
        assert!(["1Ki", "12m"].iter().all(|wanted| amounts.iter().any(|text| text == wanted)), "{amounts:?}");
    }
}
