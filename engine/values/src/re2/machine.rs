//! A program held against a text: all ways of matching are followed at once, one character after the other, so that
//! the time is the length of the text times that of the program, whatever the expression.
//!
//! In: the program of `a|ab`, the text `xab`. Out: the places 1 and 2: of the ways that begin first, the preferred
//! one. Mirrors: Go's regexp exec.go, in its results.

use super::ast::Assert;
use super::compile::{Instruction, Program};

/// A place that has not been seen.
pub(super) const NONE: usize = usize::MAX;

/// More steps than were allowed would have been needed.
#[derive(Debug)]
pub(super) struct TooLong;

/// The ways that are being followed, the preferred one first.
#[derive(Default)]
struct Ways {
    /// Instructions that take a character, or `Match`.
    order: Vec<usize>,
    /// By instruction, the step in which it was last reached.
    reached: Vec<u64>,
    step: u64,
    /// By instruction, the places its way has kept.
    kept: Vec<usize>,
}

impl Ways {
    fn new(instructions: usize, slots: usize) -> Self {
        Ways { reached: vec![0; instructions], kept: vec![NONE; instructions * slots], ..Ways::default() }
    }

    fn clear(&mut self) {
        self.order.clear();
        self.step += 1;
    }

    fn kept(&self, at: usize, slots: usize) -> &[usize] {
        self.kept.get(at * slots..(at + 1) * slots).unwrap_or(&[])
    }
}

/// What is still to be done while the ways from one instruction are followed.
enum Todo {
    Follow(usize),
    /// Back to what this slot held.
    Restore(usize, usize),
}

/// A program at work on texts.
pub(super) struct Machine<'p> {
    program: &'p Program,
    /// How many places are kept; 0 where only the fact of a match is asked for.
    slots: usize,
    now: Ways,
    next: Ways,
    /// The places of the way that is being followed.
    places: Vec<usize>,
    todo: Vec<Todo>,
    /// Steps left.
    budget: u64,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, slots: usize, budget: u64) -> Self {
        let ways = || {
            let mut ways = Ways::new(program.instructions.len(), slots);
            ways.step = 1;
            ways
        };
        let (now, next) = (ways(), ways());
        Machine { program, slots, now, next, places: vec![NONE; slots], todo: Vec::new(), budget }
    }

    /// How many steps are left.
    pub(super) fn budget(&self) -> u64 {
        self.budget
    }

    /// Takes steps from the budget.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooLong> {
        self.budget = self.budget.checked_sub(steps as u64).ok_or(TooLong)?;
        Ok(())
    }

    /// The instructions that take the first character behind a place, or end the match there.
    pub(super) fn first_ways(&mut self, text: &str, place: usize) -> Result<Vec<usize>, TooLong> {
        self.now.clear();
        self.follow(0, text, place)?;
        Ok(std::mem::take(&mut self.now.order))
    }

    /// The same one character later: where these ways lead, and those that begin there.
    pub(super) fn next_ways(
        &mut self,
        ways: &[usize],
        text: &str,
        c: char,
        behind: usize,
    ) -> Result<Vec<usize>, TooLong> {
        self.now.order = ways.to_vec();
        self.advance(text, Some(c), behind)?;
        if !self.program.is_anchored {
            self.follow(0, text, behind)?;
        }
        Ok(std::mem::take(&mut self.now.order))
    }

    /// The places of the first match from `start` on, two for each group.
    pub(super) fn search(&mut self, text: &str, start: usize) -> Result<Option<Vec<usize>>, TooLong> {
        let mut found: Option<Vec<usize>> = None;
        let mut at = start;
        self.now.clear();
        loop {
            if found.is_none() {
                if self.now.order.is_empty() {
                    let Some(candidate) = self.candidate(text, at) else { return Ok(None) };
                    at = candidate;
                }
                if !self.program.is_anchored || at == 0 {
                    self.places.fill(NONE);
                    self.follow(0, text, at)?;
                }
            }
            if self.now.order.is_empty() && found.is_some() {
                return Ok(found);
            }
            let next = text.get(at..).and_then(|rest| rest.chars().next());
            let behind = at + next.map_or(0, char::len_utf8);
            if let Some(places) = self.advance(text, next, behind)? {
                found = Some(places);
                if self.slots == 0 {
                    return Ok(found);
                }
            }
            if next.is_none() {
                return Ok(found);
            }
            at = behind;
        }
    }

    /// Where a match can begin, from `at` on.
    pub(super) fn candidate(&self, text: &str, at: usize) -> Option<usize> {
        if self.program.is_anchored {
            return (at == 0).then_some(0);
        }
        if self.program.prefix.is_empty() {
            return Some(at);
        }
        text.get(at..)?.find(&self.program.prefix).map(|further| at + further)
    }

    /// One character for every way; the places of the preferred match, if one ends here. Ways behind it are given up.
    fn advance(&mut self, text: &str, c: Option<char>, behind: usize) -> Result<Option<Vec<usize>>, TooLong> {
        let order = std::mem::take(&mut self.now.order);
        let mut found = None;
        std::mem::swap(&mut self.now, &mut self.next);
        // From here on `next` holds the ways before the character, and `now` those behind it.
        self.now.clear();
        for &at in &order {
            let takes = match (self.program.instructions.get(at), c) {
                (Some(Instruction::Match), _) => {
                    found = Some(self.next.kept(at, self.slots).to_vec());
                    break;
                }
                (Some(Instruction::Char(wanted)), Some(c)) => *wanted == c,
                (Some(Instruction::Any { with_line_end }), Some(c)) => *with_line_end || c != '\n',
                (Some(Instruction::Class(number)), Some(c)) => {
                    self.program.classes.get(*number).is_some_and(|class| class.contains(c))
                }
                _ => false,
            };
            if takes {
                self.places.copy_from_slice(self.next.kept(at, self.slots));
                self.follow(at + 1, text, behind)?;
            }
        }
        self.next.order = order;
        Ok(found)
    }

    /// Follows all ways from an instruction up to those that take a character.
    fn follow(&mut self, start: usize, text: &str, place: usize) -> Result<(), TooLong> {
        self.todo.push(Todo::Follow(start));
        while let Some(todo) = self.todo.pop() {
            let mut at = match todo {
                Todo::Follow(at) => at,
                Todo::Restore(slot, old) => {
                    if let Some(kept) = self.places.get_mut(slot) {
                        *kept = old;
                    }
                    continue;
                }
            };
            while let Some(reached) = self.now.reached.get_mut(at)
                && *reached != self.now.step
            {
                *reached = self.now.step;
                self.budget = self.budget.checked_sub(1).ok_or(TooLong)?;
                match self.program.instructions.get(at) {
                    Some(Instruction::Jump(target)) => at = *target,
                    Some(Instruction::Split(first, second)) => {
                        self.todo.push(Todo::Follow(*second));
                        at = *first;
                    }
                    Some(Instruction::Assert(assert)) if holds(*assert, text, place) => at += 1,
                    Some(Instruction::Save(slot)) => {
                        if let Some(kept) = self.places.get_mut(*slot) {
                            self.todo.push(Todo::Restore(*slot, std::mem::replace(kept, place)));
                        }
                        at += 1;
                    }
                    Some(Instruction::Assert(_)) | None => break,
                    Some(
                        Instruction::Char(_)
                        | Instruction::Any { .. }
                        | Instruction::Class(_)
                        | Instruction::Match,
                    ) => {
                        self.now.order.push(at);
                        if let Some(kept) = self.now.kept.get_mut(at * self.slots..(at + 1) * self.slots) {
                            kept.copy_from_slice(&self.places);
                        }
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

fn holds(assert: Assert, text: &str, place: usize) -> bool {
    let bytes = text.as_bytes();
    let before = place.checked_sub(1).and_then(|before| bytes.get(before));
    let after = bytes.get(place);
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    match assert {
        Assert::TextStart => before.is_none(),
        Assert::TextEnd => after.is_none(),
        Assert::LineStart => before.is_none_or(|byte| *byte == b'\n'),
        Assert::LineEnd => after.is_none_or(|byte| *byte == b'\n'),
        Assert::WordBoundary => is_word(before) != is_word(after),
        Assert::NoWordBoundary => is_word(before) == is_word(after),
    }
}
