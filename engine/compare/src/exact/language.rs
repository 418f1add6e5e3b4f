//! Tests on a text, and the classes that several of them part all texts into.
//!
//! In: tests. Out: one shortest text for each combination of their answers that some text gives: each test is a small automaton, and all of
//! them are run side by side over every text there is. Example: of `a*` and `*b` come ``, `a`, `b` and `ab`.

use crate::search::random::Random;
use std::collections::BTreeSet;

/// A part of a form that a text must have as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// This character.
    Char(char),
    /// Any character.
    One,
    /// Any run of characters, also none.
    Many,
}

/// A test on a text: it has this form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextTest(Vec<Part>);

/// How many parts a form may have: its places are bits of a number.
const MAX_PARTS: usize = 120;
/// How many states the tests may be in together.
const MAX_STATES: usize = 6_000;
/// How many classes the tests of one place may part its texts into.
const MAX_CLASSES: usize = 48;
/// How many tests one place may have.
const MAX_TESTS: usize = 96;

impl TextTest {
    /// The text is this one.
    pub(crate) fn is(text: &str) -> Self {
        TextTest(text.chars().map(Part::Char).collect())
    }

    /// The text fits a wildcard of Kyverno's.
    pub(crate) fn glob(pattern: &str) -> Self {
        let part = |c| match c {
            '*' => Part::Many,
            '?' => Part::One,
            other => Part::Char(other),
        };
        TextTest(pattern.chars().map(part).collect())
    }

    /// The text begins so.
    pub(crate) fn starts(text: &str) -> Self {
        TextTest(text.chars().map(Part::Char).chain([Part::Many]).collect())
    }

    /// The text ends so.
    pub(crate) fn ends(text: &str) -> Self {
        TextTest([Part::Many].into_iter().chain(text.chars().map(Part::Char)).collect())
    }

    /// The text holds this.
    pub(crate) fn holds(text: &str) -> Self {
        let inner = text.chars().map(Part::Char);
        TextTest([Part::Many].into_iter().chain(inner).chain([Part::Many]).collect())
    }

    /// The text has at least so many characters.
    pub(crate) fn at_least(count: usize) -> Self {
        let ones = std::iter::repeat_n(Part::One, count.min(MAX_PARTS));
        TextTest(ones.chain([Part::Many]).collect())
    }

    fn length(&self) -> usize {
        self.0.len()
    }

    /// What the test says of a text, found without an automaton.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        is_like(&self.0, &text)
    }

    fn characters(&self, found: &mut BTreeSet<char>) {
        found.extend(self.0.iter().filter_map(|part| match part {
            Part::Char(c) => Some(*c),
            Part::One | Part::Many => None,
        }));
    }

    /// The places before anything is read.
    fn begin(&self) -> u128 {
        self.closed(1)
    }

    /// The places that are reached without reading.
    fn closed(&self, mut places: u128) -> u128 {
        for (at, part) in self.0.iter().enumerate() {
            if *part == Part::Many && places >> at & 1 == 1 {
                places |= 1 << (at + 1);
            }
        }
        places
    }

    /// The places after one more character.
    fn step(&self, places: u128, c: char) -> u128 {
        let mut next = 0;
        for (at, part) in self.0.iter().enumerate().filter(|(at, _)| places >> at & 1 == 1) {
            next |= match part {
                Part::Char(wanted) if *wanted == c => 1 << (at + 1),
                Part::Char(_) => 0,
                Part::One => 1 << (at + 1),
                Part::Many => 1 << at,
            };
        }
        self.closed(next)
    }

    fn is_end(&self, places: u128) -> bool {
        places >> self.length() & 1 == 1
    }
}

/// Whether a text has a form: the longest run for the last star that was met, tried again where it does not go on.
fn is_like(parts: &[Part], text: &[char]) -> bool {
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match parts.get(at) {
            Some(Part::Many) => {
                star = Some((at, read));
                at += 1;
            }
            Some(Part::One) => (at, read) = (at + 1, read + 1),
            Some(Part::Char(c)) if text.get(read) == Some(c) => (at, read) = (at + 1, read + 1),
            Some(Part::Char(_)) | None => {
                let Some((place, from)) = star else { return false };
                star = Some((place, from + 1));
                (at, read) = (place + 1, from + 1);
            }
        }
    }
    parts.iter().skip(at).all(|part| *part == Part::Many)
}

/// A class of texts: a shortest member, and what each test says of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextClass {
    /// The member.
    pub(crate) witness: String,
    /// What the tests say.
    pub(crate) answers: Vec<bool>,
}

/// The classes of these tests, all of them; nothing where there are too many to tell.
pub(crate) fn classes(tests: &[TextTest]) -> Option<Vec<TextClass>> {
    if tests.len() > MAX_TESTS || tests.iter().any(|test| test.length() > MAX_PARTS) {
        return None;
    }
    let mut letters = BTreeSet::new();
    for test in tests {
        test.characters(&mut letters);
    }
    let other = other_than(&letters)?;
    letters.insert(other);
    // Plain letters before signs, so that the shortest members are readable.
    let mut letters: Vec<char> = letters.into_iter().collect();
    letters.sort_by_key(|c| (*c != other, !c.is_ascii_alphanumeric(), *c));
    let begin: Vec<u128> = tests.iter().map(TextTest::begin).collect();
    let mut seen = BTreeSet::from([begin.clone()]);
    let mut found: BTreeSet<Vec<bool>> = BTreeSet::new();
    let mut order = Vec::new();
    let mut level = vec![(begin, String::new())];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (places, text) in level {
            let answers: Vec<bool> =
                tests.iter().zip(&places).map(|(test, places)| test.is_end(*places)).collect();
            if found.insert(answers.clone()) {
                order.push(TextClass { witness: text.clone(), answers });
            }
            for c in &letters {
                let after: Vec<u128> =
                    tests.iter().zip(&places).map(|(test, places)| test.step(*places, *c)).collect();
                if seen.len() >= MAX_STATES || order.len() > MAX_CLASSES {
                    return None;
                }
                if seen.insert(after.clone()) {
                    let mut longer = text.clone();
                    longer.push(*c);
                    next.push((after, longer));
                }
            }
        }
        level = next;
    }
    // What the automata say is what the tests say of the text itself.
    let agrees = |class: &TextClass| {
        let said = tests.iter().map(|test| test.accepts(&class.witness));
        said.eq(class.answers.iter().copied())
    };
    order.iter().all(agrees).then_some(order)
}

/// A character that stands in none of the tests.
fn other_than(letters: &BTreeSet<char>) -> Option<char> {
    "xyzabcdefghijklmnopqrstuvw0123456789XYZ_~".chars().find(|c| !letters.contains(c))
}

/// What a text is made of at random: pieces of the tests, and characters that stand in none.
pub(crate) fn random_text(tests: &[TextTest], random: &mut Random) -> String {
    const OTHERS: [&str; 12] = ["q", "Q", "7", "-", ".", "/", ":", "@", " ", "é", "\n", "zz"];
    let mut text = String::new();
    for _ in 0..random.below(4) {
        match (random.below(3), random.of(tests)) {
            (0 | 1, Some(test)) => text.push_str(&some_member(test, random)),
            _ => text.push_str(random.of(&OTHERS).copied().unwrap_or("q")),
        }
    }
    if random.below(4) == 0 {
        // One character less.
        let at = random.below(text.chars().count().max(1));
        text = text.chars().enumerate().filter(|(place, _)| *place != at).map(|(_, c)| c).collect();
    }
    text
}

fn some_member(test: &TextTest, random: &mut Random) -> String {
    let parts = test.0.iter().flat_map(|part| match part {
        Part::Char(c) => vec![*c],
        Part::One => vec!['k'],
        Part::Many => vec!['m'; random.below(3)],
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::value::wildcard;

    fn witnesses(tests: &[TextTest]) -> Vec<String> {
        classes(tests).unwrap().into_iter().map(|class| class.witness).collect()
    }

    #[test]
    fn each_combination_of_answers_has_a_shortest_text() {
        assert_eq!(witnesses(&[TextTest::glob("a*"), TextTest::glob("*b")]), ["", "a", "b", "ab"]);
        assert_eq!(witnesses(&[TextTest::is("latest")]), ["", "latest"]);
        assert_eq!(witnesses(&[TextTest::glob("?*")]), ["", "x"]);
        let tests = [TextTest::glob("*:*"), TextTest::glob("*:latest"), TextTest::holds("@")];
        assert_eq!(witnesses(&tests), ["", ":", "@", ":@", ":latest", "@:latest"]);
        assert_eq!(classes(&vec![TextTest::at_least(1); MAX_TESTS + 1]), None);
    }

    #[test]
    fn no_random_text_is_outside_of_the_classes() {
        let mut random = Random(7);
        let constants = ["", "a", "ab", "a*", "*b", "a?c", "*ab*", "x/*:?*", "latest", "*:latest", "aa"];
        for _ in 0..300 {
            let pick = |random: &mut Random| {
                let text = random.of(&constants).copied().unwrap_or("");
                match random.below(6) {
                    0 => TextTest::is(text),
                    1 => TextTest::starts(text),
                    2 => TextTest::ends(text),
                    3 => TextTest::holds(text),
                    _ => TextTest::glob(text),
                }
            };
            let tests: Vec<TextTest> = (0..=random.below(4)).map(|_| pick(&mut random)).collect();
            let Some(classes) = classes(&tests) else { continue };
            for _ in 0..100 {
                let text = random_text(&tests, &mut random);
                let answers: Vec<bool> = tests.iter().map(|test| test.accepts(&text)).collect();
                assert!(classes.iter().any(|class| class.answers == answers), "{tests:?}: {text:?}");
            }
        }
    }

    #[test]
    fn a_form_is_kyvernos_wildcard() {
        let mut random = Random(3);
        for _ in 0..2_000 {
            let make = |random: &mut Random, letters: &[char]| -> String {
                (0..random.below(6)).filter_map(|_| random.of(letters).copied()).collect()
            };
            let (pattern, text) =
                (make(&mut random, &['a', 'b', '*', '?']), make(&mut random, &['a', 'b', 'é']));
            assert_eq!(
                TextTest::glob(&pattern).accepts(&text),
                wildcard::matches(&pattern, &text),
                "{pattern} {text}"
            );
        }
    }
}
