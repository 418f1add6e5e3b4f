//! Whether a text of ASCII matches, with all ways of matching as the bits of one word.
//!
//! In: the program of `^a+b` and the text `aab`. Out: yes. For the expressions that most people write: at most 64 characters
//! or sets, and no places asked for but the two ends of the text. Then a character of the text takes a few instructions of
//! the processor, and nothing is allocated. All others, and texts beyond ASCII, are for the machine.

use super::ast::Assert;
use super::compile::{Instruction, Program};

/// So many characters and sets fit into a word.
const POSITIONS: usize = 64;

/// So many instructions a program may have; following them all from each position stays cheap then.
const INSTRUCTIONS: usize = 512;

/// What can be reached without taking a character.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// The positions that can take the next one.
    positions: u64,
    /// Whether the text matches here, whatever follows.
    matches: bool,
    /// Whether the text matches here if it ends here.
    matches_at_end: bool,
}

/// A program in words of bits.
#[derive(Debug)]
pub(super) struct Bits {
    /// By character, the positions that take it.
    takes: Box<[u64; 128]>,
    /// By position, those that can come next.
    next: Vec<u64>,
    /// The positions behind which the text matches.
    last: u64,
    /// Those behind which it matches where the text ends.
    last_at_end: u64,
    /// What can be reached at the start of the text.
    first: Reach,
    /// What can be reached where another match may begin.
    later: Reach,
    /// What the text must begin with; only where a match can begin at its start alone.
    prefix: String,
}

impl Bits {
    /// The program in bits; `None` where it does not fit.
    pub(super) fn of(program: &Program) -> Option<Self> {
        if program.instructions.len() > INSTRUCTIONS {
            return None;
        }
        let is_position = |at: &usize| program.instructions.get(*at).is_some_and(takes_a_character);
        let positions: Vec<usize> = (0..program.instructions.len()).filter(is_position).collect();
        if positions.len() > POSITIONS {
            return None;
        }
        let reach = |at, at_start| reach(program, &positions, at, at_start);
        let later = if program.is_anchored { Reach::default() } else { reach(0, false)? };
        let mut bits = Bits {
            takes: Box::new([0; 128]),
            next: Vec::with_capacity(positions.len()),
            last: 0,
            last_at_end: 0,
            first: reach(0, true)?,
            later,
            prefix: prefix(program),
        };
        for (number, at) in positions.iter().enumerate() {
            let behind = reach(at + 1, false)?;
            bits.next.push(behind.positions);
            bits.last |= u64::from(behind.matches) << number;
            bits.last_at_end |= u64::from(behind.matches_at_end) << number;
            bits.take(program, *at, 1 << number);
        }
        Some(bits)
    }

    /// Notes which characters a position takes.
    fn take(&mut self, program: &Program, at: usize, bit: u64) {
        let mut add = |low: u32, high: u32| {
            let range = low as usize..=(high as usize).min(127);
            self.takes.get_mut(range).unwrap_or_default().iter_mut().for_each(|taken| *taken |= bit);
        };
        match program.instructions.get(at) {
            Some(Instruction::Char(c)) if c.is_ascii() => add(u32::from(*c), u32::from(*c)),
            Some(Instruction::Any { with_line_end: true }) => add(0, 127),
            Some(Instruction::Any { with_line_end: false }) => {
                add(0, u32::from('\n') - 1);
                add(u32::from('\n') + 1, 127);
            }
            Some(Instruction::Class(number)) => {
                let ranges = program.classes.get(*number).map_or(&[][..], |class| class.ranges());
                ranges.iter().filter(|(low, _)| *low < 128).for_each(|(low, high)| add(*low, *high));
            }
            _ => {}
        }
    }

    /// Whether any part of a text of ASCII matches.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.first.matches || self.first.matches_at_end && text.is_empty() {
            return true;
        }
        let Some(rest) = text.strip_prefix(self.prefix.as_bytes()) else { return false };
        let (mut ways, mut taken) = (self.first.positions, 0);
        if let Some(position) = self.prefix.len().checked_sub(1) {
            // The letters of the prefix are the first positions.
            taken = 1 << position;
            ways = self.behind(taken);
            if taken & self.last != 0 {
                return true;
            }
        }
        // The positions behind which `ways` stands; none before the first character, where other ways may begin.
        let mut settled = None;
        for byte in rest {
            let takes = ways & self.takes.get(usize::from(byte & 0x7f)).copied().unwrap_or(0);
            if settled == Some(takes) {
                // The same positions as before: the same ways lead on.
                continue;
            }
            settled = Some(takes);
            taken = takes;
            if taken & self.last != 0 {
                return true;
            }
            ways = self.behind(taken);
            if ways == 0 && taken & self.last_at_end == 0 && !self.later.matches_at_end {
                // Nothing can begin any more, and what ends here does so before the end.
                return false;
            }
        }
        taken & self.last_at_end != 0 || self.later.matches_at_end
    }

    /// What can come behind these positions, and what can begin anew.
    fn behind(&self, positions: u64) -> u64 {
        let mut ways = self.later.positions;
        let mut rest = positions;
        while rest != 0 {
            ways |= self.next.get(rest.trailing_zeros() as usize).copied().unwrap_or(0);
            rest &= rest - 1;
        }
        ways
    }

    /// How much memory it takes, about.
    pub(super) fn weight(&self) -> usize {
        size_of::<Bits>() + size_of_val(&*self.takes) + self.next.len() * 8
    }
}

/// The letters that the text must begin with.
fn prefix(program: &Program) -> String {
    let behind_start = program.instructions.iter().skip(if program.is_anchored { 2 } else { usize::MAX });
    let letters = behind_start.map_while(|instruction| match instruction {
        Instruction::Char(c) if c.is_ascii() => Some(*c),
        _ => None,
    });
    letters.collect()
}

fn takes_a_character(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Char(_) | Instruction::Any { .. } | Instruction::Class(_))
}

/// Follows all ways from an instruction; `None` where another place is asked for than an end of the text.
fn reach(program: &Program, positions: &[usize], start: usize, at_start: bool) -> Option<Reach> {
    let mut reach = Reach::default();
    // Each instruction is seen at most twice: before and behind the end of the text.
    let mut seen = vec![[false; 2]; program.instructions.len()];
    let mut todo = vec![(start, false)];
    while let Some((at, at_end)) = todo.pop() {
        let Some(seen) = seen.get_mut(at).and_then(|seen| seen.get_mut(usize::from(at_end))) else {
            continue;
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        match program.instructions.get(at)? {
            Instruction::Jump(target) => todo.push((*target, at_end)),
            Instruction::Split(first, second) => todo.extend([(*first, at_end), (*second, at_end)]),
            Instruction::Save(_) => todo.push((at + 1, at_end)),
            Instruction::Assert(Assert::TextStart) => todo.extend(at_start.then_some((at + 1, at_end))),
            Instruction::Assert(Assert::TextEnd) => todo.push((at + 1, true)),
            Instruction::Assert(_) => return None,
            Instruction::Match if at_end => reach.matches_at_end = true,
            Instruction::Match => reach.matches = true,
            Instruction::Char(_) | Instruction::Any { .. } | Instruction::Class(_) if at_end => {}
            Instruction::Char(_) | Instruction::Any { .. } | Instruction::Class(_) => {
                reach.positions |= 1 << positions.binary_search(&at).ok()?;
            }
        }
    }
    Some(reach)
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::super::{MAX_STEPS, Regex};
    use super::*;

    /// Numbers without a pattern, from a seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 >> 11).unwrap() % bound
        }
    }

    fn pick(random: &mut Random, parts: &[&str], most: usize) -> String {
        (0..random.below(most + 1)).map(|_| parts[random.below(parts.len())]).collect()
    }

    #[test]
    fn it_says_what_the_machine_says() {
        let parts = [
            "a", "b", "ab", ".", "[ab]", "[^a]", "(a|b)", "(a|ba|)", "a*", "b+?", "(ab)*", "b{2,3}", "^",
            "^ab", "$", "|", "\n",
        ];
        let letters = ["a", "b", "ab", "\n", "c"];
        let mut random = Random(7);
        let (mut fits, mut matched) = (0, 0);
        for _ in 0..20_000 {
            let Ok(regex) = Regex::new(&pick(&mut random, &parts, 6)) else { continue };
            let Some(bits) = Bits::of(&regex.program) else { continue };
            let text = pick(&mut random, &letters, 6);
            let wanted = Machine::new(&regex.program, 0, MAX_STEPS).search(&text, 0).unwrap().is_some();
            assert_eq!(bits.is_match(text.as_bytes()), wanted, "{regex:?} {text:?}");
            fits += 1;
            matched += usize::from(wanted);
        }
        assert!(fits > 10_000 && matched > 1_000 && fits - matched > 1_000, "{fits} {matched}");
    }

    #[test]
    fn what_does_not_fit_is_for_the_machine() {
        let fits = |text: &str| Bits::of(&Regex::new(text).unwrap().program).is_some();
        assert!(fits("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"));
        assert!(!fits("[a-z]{65}"));
        assert!(!fits(r"\bweb"));
        assert!(!fits("(?m)^web"));
    }

    #[test]
    fn a_text_beyond_ascii_and_an_expression_that_does_not_fit_are_answered_too() {
        let says = |regex: &str, text: &str| Regex::new(regex).unwrap().is_match(text).unwrap().value;
        assert!(says("^.ä?$", "é"));
        assert!(!says("^[a-z]$", "é"));
        assert!(says(r"\bweb\b", "a web"));
        assert!(says("^[a-z]{65}$", &"a".repeat(65)));
    }
}
