//! A random text that matches a regular expression.
//!
//! In: `[a-z]{5}`. Out: five letters that the host's random numbers chose. The language is a plain one without
//! `\d`, `(?…)` and the like, in which `.` stands for a printable character of ASCII here; the original mostly
//! gives U+FFFD for it.
//!
//! Mirrors: github.com/zach-klippenstein/goregen.

use super::ast::Node;
use super::class::Class;
use super::parse::{Dialect, parse};
use super::{Answer, Refusal};

/// How many bytes a random text may have.
pub const MAX_RANDOM_TEXT: usize = 1 << 20;

/// How many parts one text may be made of.
const MAX_PARTS: u64 = 20_000_000;

/// How often `*` and `+` repeat at most.
const MAX_REPEATS: u32 = 4096;

/// Why there is no random text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RandomError {
    /// The pattern says nothing that a text could match, in the original's words.
    Pattern(String),
    /// It would be longer than [`MAX_RANDOM_TEXT`] ([`Refusal::Memory`]) or made of too many parts.
    Refused(Refusal),
}

/// A text that matches the pattern, made with random numbers.
pub fn random_text(pattern: &str, random: &mut dyn FnMut() -> u64) -> Result<Answer<String>, RandomError> {
    if pattern.is_empty() {
        return Err(RandomError::Pattern("no pattern provided".into()));
    }
    let parsed = parse(pattern, Dialect::Plain).map_err(|error| RandomError::Pattern(error.to_string()))?;
    let mut maker = Maker { pattern, random, out: String::new(), left: MAX_PARTS };
    maker.add(&parsed.node)?;
    Ok(Answer { value: maker.out, steps: MAX_PARTS - maker.left })
}

/// A text that is being made.
struct Maker<'a> {
    pattern: &'a str,
    random: &'a mut dyn FnMut() -> u64,
    out: String,
    /// Parts left.
    left: u64,
}

impl Maker<'_> {
    /// Appends a text that matches a part. The height of the tree is bounded, and every part takes from the budget.
    fn add(&mut self, node: &Node) -> Result<(), RandomError> {
        self.left = self.left.checked_sub(1).ok_or(RandomError::Refused(Refusal::Steps))?;
        if self.out.len() > MAX_RANDOM_TEXT {
            return Err(RandomError::Refused(Refusal::Memory));
        }
        match node {
            Node::Empty | Node::Assert(_) => Ok(()),
            Node::Char(c) => {
                self.out.push(*c);
                Ok(())
            }
            Node::Any { .. } => {
                let code = self.below(0x7f - 0x20);
                self.out.push(char::from_u32(0x20 + code).unwrap_or(' '));
                Ok(())
            }
            Node::Class(class) => {
                let c = self.one_of(class).ok_or_else(|| {
                    let pattern = self.pattern;
                    RandomError::Pattern(format!("invalid generator pattern: /{pattern}/ matches no text"))
                })?;
                self.out.push(c);
                Ok(())
            }
            Node::Capture(_, node) => self.add(node),
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.add(node)),
            Node::Alternate(nodes) => {
                let chosen = self.below(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
                match nodes.get(chosen as usize) {
                    Some(node) => self.add(node),
                    None => Ok(()),
                }
            }
            Node::Repeat { node, min, max, .. } => {
                let max = max.unwrap_or_else(|| MAX_REPEATS.max(*min));
                let count = min + self.below(max - min + 1);
                (0..count).try_for_each(|_| self.add(node))
            }
        }
    }

    /// A random number below `bound`, which is not zero; 0 where it is.
    fn below(&mut self, bound: u32) -> u32 {
        // The high bits of a product: no bound is favoured by more than 2^-32.
        let product = u128::from((self.random)()) * u128::from(bound);
        u32::try_from(product >> 64).unwrap_or(0)
    }

    /// A character of the set, none of them preferred; surrogates become U+FFFD as in Go. NUL is left out.
    fn one_of(&mut self, class: &Class) -> Option<char> {
        let ranges =
            class.ranges().iter().map(|&(low, high)| (low.max(1), high)).filter(|(low, high)| low <= high);
        let total: u32 = ranges.clone().map(|(low, high)| high - low + 1).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total);
        for (low, high) in ranges {
            let size = high - low + 1;
            if left < size {
                return Some(char::from_u32(low + left).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            left -= size;
        }
        None
    }
}
