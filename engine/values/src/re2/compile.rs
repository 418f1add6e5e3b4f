//! The tree of an expression to a program of simple instructions.
//!
//! In: `ab*`. Out: `Char a; Split 2 4; Char b; Jump 1; Match`, with the places of the whole match saved around it.
//!
//! Mirrors: Go's regexp/syntax simplify.go and compile.go, in what a repeated empty text matches.

use super::ast::{Assert, Node};
use super::class::Class;

/// A step of a program; the next one follows it unless it says otherwise.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// Takes this character.
    Char(char),
    /// Takes any character; a line end only with the flag.
    Any { with_line_end: bool },
    /// Takes a character of the set with this number.
    Class(usize),
    /// Goes on if the place is such.
    Assert(Assert),
    /// Goes on at both, at the first with preference.
    Split(usize, usize),
    /// Goes on there.
    Jump(usize),
    /// Keeps the place.
    Save(usize),
    /// The text matches.
    Match,
}

/// An expression ready to be held against texts.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) classes: Vec<Class>,
    /// What every match begins with; empty where that is not one text.
    pub(super) prefix: String,
    /// Whether a match can only begin at the start of the text.
    pub(super) is_anchored: bool,
}

impl Program {
    pub(super) fn of(node: &Node) -> Program {
        let mut program = Program::default();
        program.push(Instruction::Save(0));
        program.add(node);
        program.push(Instruction::Save(1));
        program.push(Instruction::Match);
        program.prefix = program.literal_prefix();
        program.is_anchored =
            matches!(program.instructions.get(1), Some(Instruction::Assert(Assert::TextStart)));
        program
    }

    fn literal_prefix(&self) -> String {
        let letters = self.instructions.iter().skip(1).map_while(|instruction| match instruction {
            Instruction::Char(c) => Some(*c),
            Instruction::Any { .. }
            | Instruction::Class(_)
            | Instruction::Assert(_)
            | Instruction::Split(..)
            | Instruction::Jump(_)
            | Instruction::Save(_)
            | Instruction::Match => None,
        });
        letters.collect()
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        self.instructions.push(instruction);
        self.instructions.len() - 1
    }

    /// Where the next instruction will stand.
    fn here(&self) -> usize {
        self.instructions.len()
    }

    /// Adds the instructions of a part. The height of the tree is bounded.
    fn add(&mut self, node: &Node) {
        match node {
            Node::Empty => {}
            Node::Char(c) => {
                self.push(Instruction::Char(*c));
            }
            Node::Any { with_line_end } => {
                self.push(Instruction::Any { with_line_end: *with_line_end });
            }
            Node::Class(class) => {
                let known = self.classes.iter().rev().take(8).position(|known| known == class);
                let number = known.map_or(self.classes.len(), |back| self.classes.len() - 1 - back);
                if known.is_none() {
                    self.classes.push(class.clone());
                }
                self.push(Instruction::Class(number));
            }
            Node::Assert(assert) => {
                self.push(Instruction::Assert(*assert));
            }
            Node::Capture(number, node) => {
                self.push(Instruction::Save(number * 2));
                self.add(node);
                self.push(Instruction::Save(number * 2 + 1));
            }
            Node::Concat(nodes) => nodes.iter().for_each(|node| self.add(node)),
            Node::Alternate(nodes) => self.alternate(nodes),
            Node::Repeat { node, min, max, is_greedy } => self.repeat(node, *min, *max, *is_greedy),
        }
    }

    fn alternate(&mut self, nodes: &[Node]) {
        let mut ends = Vec::with_capacity(nodes.len());
        for (n, node) in nodes.iter().enumerate() {
            if n + 1 == nodes.len() {
                self.add(node);
                break;
            }
            let split = self.push(Instruction::Split(0, 0));
            self.add(node);
            ends.push(self.push(Instruction::Jump(0)));
            self.set(split, Instruction::Split(split + 1, self.here()));
        }
        let end = self.here();
        for jump in ends {
            self.set(jump, Instruction::Jump(end));
        }
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, is_greedy: bool) {
        match max {
            None if min == 0 && is_nullable(node) => {
                // Go: compile.go star: a part that may be empty is taken once or more, or not at all, so that the
                // empty alternative keeps its place in the order of preference.
                let split = self.push(Instruction::Split(0, 0));
                self.at_least_once(node, is_greedy);
                self.set_split(split, split + 1, self.here(), is_greedy);
            }
            None if min == 0 => {
                let split = self.push(Instruction::Split(0, 0));
                self.add(node);
                self.push(Instruction::Jump(split));
                self.set_split(split, split + 1, self.here(), is_greedy);
            }
            None => {
                (1..min).for_each(|_| self.add(node));
                self.at_least_once(node, is_greedy);
            }
            Some(max) => {
                (0..min).for_each(|_| self.add(node));
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.push(Instruction::Split(0, 0)));
                    self.add(node);
                }
                let end = self.here();
                for split in splits {
                    self.set_split(split, split + 1, end, is_greedy);
                }
            }
        }
    }

    fn at_least_once(&mut self, node: &Node, is_greedy: bool) {
        let start = self.here();
        self.add(node);
        let split = self.push(Instruction::Split(0, 0));
        self.set_split(split, start, split + 1, is_greedy);
    }

    /// A split that prefers to go `into` a part, or, if it is lazy, past it.
    fn set_split(&mut self, at: usize, into: usize, past: usize, is_greedy: bool) {
        let split = if is_greedy { Instruction::Split(into, past) } else { Instruction::Split(past, into) };
        self.set(at, split);
    }

    fn set(&mut self, at: usize, instruction: Instruction) {
        if let Some(place) = self.instructions.get_mut(at) {
            *place = instruction;
        }
    }
}

/// Whether a part may match the empty text.
fn is_nullable(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Assert(_) => true,
        Node::Char(_) | Node::Any { .. } | Node::Class(_) => false,
        Node::Capture(_, node) => is_nullable(node),
        Node::Concat(nodes) => nodes.iter().all(is_nullable),
        Node::Alternate(nodes) => nodes.iter().any(is_nullable),
        Node::Repeat { node, min, .. } => *min == 0 || is_nullable(node),
    }
}
