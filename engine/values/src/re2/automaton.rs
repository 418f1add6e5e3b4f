//! Whether a text matches, where the machine takes long: each set of ways is met once, and known from then on.
//!
//! In: the program of `(x?){200}y`, 200,000 times `x`. Out: no match. All 200 ways are open at each character, which are
//! 160 million steps to the machine; here it is the same set over and over, and one step for each character.
//!
//! What follows a set is decided by the character and by what stands behind it, as far as assertions ask for that. Sets are
//! made when they are met, and forgotten together when they take too much memory: an expression with very many of them takes
//! as long as with the machine, and its budget. Mirrors: RE2's dfa.cc in its idea; the answers are the machine's.

use super::Answer;
use super::compile::{Instruction, Program};
use super::machine::{Machine, TooLong};
use engine_json::arrange::Arrange as _;
use std::collections::BTreeMap;

/// How many ways all sets may hold together, and how many moves between sets are known.
const MAX_WAYS: usize = 200_000;
const MAX_MOVES: usize = 100_000;

/// What stands behind a place, as far as assertions can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Behind {
    TextEnd,
    LineEnd,
    Word,
    Other,
}

/// A program at work on one text.
pub(super) struct Automaton<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    budget: u64,
    sets: Vec<Vec<usize>>,
    numbers: BTreeMap<Vec<usize>, usize>,
    moves: BTreeMap<(usize, char, Behind), usize>,
    /// How many ways the sets hold.
    held: usize,
}

impl<'p> Automaton<'p> {
    pub(super) fn new(program: &'p Program, budget: u64) -> Self {
        let machine = Machine::new(program, 0, budget);
        let (sets, numbers, moves) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Automaton { program, machine, budget, sets, numbers, moves, held: 0 }
    }

    /// Whether any part of the text matches.
    pub(super) fn search(mut self, text: &str) -> Result<Answer<bool>, TooLong> {
        let value = self.is_match(text)?;
        Ok(Answer { value, steps: self.budget - self.machine.budget() })
    }

    fn is_match(&mut self, text: &str) -> Result<bool, TooLong> {
        let Some(start) = self.machine.candidate(text, 0) else { return Ok(false) };
        let ways = self.machine.first_ways(text, start)?;
        if self.has_match(&ways) {
            return Ok(true);
        }
        let mut set = self.number(ways);
        let mut at = start;
        for c in text.get(start..).unwrap_or("").chars() {
            at += c.len_utf8();
            self.machine.spend(1)?;
            let place = (set, c, behind(text, at));
            if let Some(known) = self.moves.get(&place) {
                set = *known;
                continue;
            }
            let ways = self.sets.get(set).cloned().unwrap_or_default();
            self.machine.spend(ways.len())?;
            let ways = self.machine.next_ways(&ways, text, c, at)?;
            if self.has_match(&ways) {
                return Ok(true);
            }
            if ways.is_empty() && self.program.is_anchored {
                return Ok(false);
            }
            let is_full = self.held + ways.len() > MAX_WAYS || self.moves.len() >= MAX_MOVES;
            if is_full {
                self.sets.clear();
                self.numbers.clear();
                self.moves.clear();
                self.held = 0;
            }
            set = self.number(ways);
            if !is_full {
                self.moves.insert(place, set);
            }
        }
        Ok(false)
    }

    fn has_match(&self, ways: &[usize]) -> bool {
        ways.iter().any(|at| matches!(self.program.instructions.get(*at), Some(Instruction::Match)))
    }

    /// The number of a set; the order of its ways does not matter to the question.
    fn number(&mut self, mut ways: Vec<usize>) -> usize {
        ways.arrange();
        if let Some(known) = self.numbers.get(&ways) {
            return *known;
        }
        let number = self.sets.len();
        self.held += ways.len();
        self.sets.push(ways.clone());
        self.numbers.insert(ways, number);
        number
    }
}

fn behind(text: &str, at: usize) -> Behind {
    match text.as_bytes().get(at) {
        None => Behind::TextEnd,
        Some(b'\n') => Behind::LineEnd,
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => Behind::Word,
        Some(_) => Behind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::re2::{MAX_STEPS, Refusal, Regex, Template};

    /// Numbers that look random and are the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % bound
        }

        fn some(&mut self, parts: &[&str], most: usize) -> String {
            (0..=self.below(most)).map(|_| parts[self.below(parts.len())]).collect()
        }
    }

    #[test]
    fn the_automaton_says_what_the_machine_says() {
        let parts = [
            "a",
            "b",
            "_",
            ".",
            "a*",
            "b+?",
            "(a|b)",
            "(a|bc?){2,3}",
            "[^a]",
            "\\b",
            "\\B",
            "^",
            "$",
            "(?m:^)",
            "(?m:$)",
            "\\A",
            "\\z",
            "é",
            "|",
            "(?i:K)",
            "(b?){3}",
        ];
        let letters = ["a", "b", "c", "_", " ", "\n", "é", "k", "-"];
        let mut numbers = Numbers(7);
        let mut seen = [0, 0];
        for _ in 0..2000 {
            let pattern = numbers.some(&parts, 5);
            let Ok(regex) = Regex::new(&pattern) else { continue };
            for _ in 0..5 {
                let text = if numbers.below(9) == 0 { String::new() } else { numbers.some(&letters, 12) };
                let wanted = Machine::new(&regex.program, 0, MAX_STEPS).search(&text, 0).unwrap().is_some();
                let found = Automaton::new(&regex.program, MAX_STEPS).search(&text).unwrap();
                assert_eq!(found.value, wanted, "{pattern} {text:?}");
                seen[usize::from(wanted)] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
    }

    #[test]
    fn many_open_ways_in_a_long_text_are_answered() {
        let regex = Regex::new("(x?){200}y").unwrap();
        let mut text = "x".repeat(200_000);
        let answer = regex.is_match(&text).unwrap();
        assert!(!answer.value && answer.steps < 3_000_000, "{}", answer.steps);
        assert_eq!(regex.replace_all(&text, &Template::Literal("-"), 1 << 20).unwrap().value, text);
        assert_eq!(regex.replace_all(&text, &Template::Literal("-"), 10), Err(Refusal::Memory));
        text.push('y');
        assert!(regex.is_match(&text).unwrap().value);
        // Nearly every set is new, and they are forgotten together again and again.
        let many = Regex::new("[ab]*a[ab]{20}c").unwrap();
        let mut numbers = Numbers(3);
        let text: String = (0..40_000).map(|_| if numbers.below(2) == 0 { 'a' } else { 'b' }).collect();
        let automaton = Automaton::new(&many.program, MAX_STEPS).search(&text).unwrap();
        assert!(!automaton.value && automaton.steps > 500_000, "{}", automaton.steps);
    }
}
