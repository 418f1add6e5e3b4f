//! The text of a regular expression to its tree, as Go's `regexp/syntax` reads it.
//!
//! In: `(a|b)*?`. Out: a tree, the names of its groups, and how large its program will be; or the error in Go's
//! words. Nothing here recurses over the text, and no tree is higher than [`MAX_HEIGHT`].
//!
//! Mirrors: Go's regexp/syntax parse.go. Sets and flags are in `parse_class` and `parse_flags`.

use super::ast::{Assert, Node};
use super::class::{Class, Folding};
use super::cursor::Cursor;
use super::error::{Code, SyntaxError};
use super::frame::{Frame, Item};

/// How long an expression may be, in bytes.
pub(super) const MAX_PATTERN: usize = 100_000;
/// How many instructions its program may have.
pub(super) const MAX_SIZE: u64 = 100_000;
/// How many ranges its sets may have together.
pub(super) const MAX_RANGES: usize = 200_000;
/// How high the tree may be; Go takes 1,000.
pub(super) const MAX_HEIGHT: usize = 250;

/// What an expression says.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The expression.
    pub(super) node: Node,
    /// The names of the groups; the first is the whole match, which has none.
    pub(super) names: Vec<Option<String>>,
}

/// Which language is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// That of `regexp.Compile`.
    Perl,
    /// That of `syntax.Parse` without flags: no `(?…)`, `\d`, `\b`, `\p`, and no lazy repetition.
    Plain,
}

/// What `(?i)` and its like have set.
#[expect(clippy::struct_excessive_bools, reason = "they are flags, set one by one")]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) ignores_case: bool,
    pub(super) is_multi_line: bool,
    pub(super) dot_takes_line_end: bool,
    pub(super) is_lazy: bool,
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) dialect: Dialect,
    pub(super) flags: Flags,
    pub(super) names: Vec<Option<String>>,
    pub(super) folding: Folding,
    /// The innermost open group, or the whole expression.
    frame: Frame,
    /// The groups around it, the outermost first.
    outer: Vec<Frame>,
    ranges: usize,
}

/// Reads an expression.
pub(super) fn parse(text: &str, dialect: Dialect) -> Result<Parsed, SyntaxError> {
    if text.len() > MAX_PATTERN {
        return Err(SyntaxError::new(Code::Large, text));
    }
    let mut parser = Parser {
        cursor: Cursor { text, at: 0 },
        dialect,
        flags: Flags::default(),
        names: vec![None],
        folding: Folding::default(),
        frame: Frame::default(),
        outer: Vec::new(),
        ranges: 0,
    };
    // Where the last repetition begins, if nothing stands between it and the cursor.
    let mut last_repetition = None;
    while let Some(c) = parser.cursor.peek() {
        let start = parser.cursor.at;
        let is_repetition = match c {
            '*' | '+' | '?' | '{' => parser.repetition(c, last_repetition)?,
            _ => {
                parser.piece(c)?;
                false
            }
        };
        last_repetition = is_repetition.then_some(start);
    }
    if !parser.outer.is_empty() {
        return Err(SyntaxError::new(Code::MissingParen, text));
    }
    let item = std::mem::take(&mut parser.frame).finish();
    let item = parser.checked(item)?;
    Ok(Parsed { node: item.node, names: parser.names })
}

impl Parser<'_> {
    pub(super) fn is_perl(&self) -> bool {
        self.dialect == Dialect::Perl
    }

    /// Reads anything but a repetition.
    fn piece(&mut self, c: char) -> Result<(), SyntaxError> {
        match c {
            '(' if self.is_perl() && self.cursor.rest().starts_with("(?") => self.flags_or_group(),
            '(' => {
                self.cursor.at += 1;
                self.open_capture(None);
                Ok(())
            }
            ')' => self.close(),
            '[' => self.class(),
            '\\' => self.escape(),
            _ => {
                self.cursor.next();
                match c {
                    '|' => {
                        self.frame.next_alternative();
                        Ok(())
                    }
                    '^' if self.flags.is_multi_line => self.push(Node::Assert(Assert::LineStart)),
                    '^' => self.push(Node::Assert(Assert::TextStart)),
                    '$' if self.flags.is_multi_line => self.push(Node::Assert(Assert::LineEnd)),
                    '$' => self.push(Node::Assert(Assert::TextEnd)),
                    '.' => self.push(Node::Any { with_line_end: self.flags.dot_takes_line_end }),
                    c => self.literal(u32::from(c)),
                }
            }
        }
    }

    /// Opens a group that is to be numbered.
    pub(super) fn open_capture(&mut self, name: Option<String>) {
        let number = self.names.len();
        self.names.push(name);
        self.open(Some(number));
    }

    /// Opens a group.
    pub(super) fn open(&mut self, capture: Option<usize>) {
        let outer = std::mem::replace(&mut self.frame, Frame::new(capture, self.flags));
        self.outer.push(outer);
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        self.cursor.at += 1;
        let Some(outer) = self.outer.pop() else {
            return Err(SyntaxError::new(Code::UnexpectedParen, self.cursor.text));
        };
        let frame = std::mem::replace(&mut self.frame, outer);
        self.flags = frame.outer_flags;
        let capture = frame.capture;
        let item = frame.finish();
        self.push_item(match capture {
            Some(number) => item.captured(number),
            None => item,
        })
    }

    pub(super) fn push(&mut self, node: Node) -> Result<(), SyntaxError> {
        self.push_item(Item::of(node))
    }

    fn push_item(&mut self, item: Item) -> Result<(), SyntaxError> {
        let item = self.checked(item)?;
        self.frame.push(item);
        if self.frame.size() > MAX_SIZE {
            return Err(SyntaxError::new(Code::Large, self.cursor.text));
        }
        Ok(())
    }

    fn checked(&self, item: Item) -> Result<Item, SyntaxError> {
        if item.size > MAX_SIZE {
            return Err(SyntaxError::new(Code::Large, self.cursor.text));
        }
        if item.height > MAX_HEIGHT {
            return Err(SyntaxError::new(Code::NestingDepth, self.cursor.text));
        }
        Ok(item)
    }

    /// One character, in all its cases if case does not count.
    pub(super) fn literal(&mut self, code: u32) -> Result<(), SyntaxError> {
        let Some(c) = char::from_u32(code) else {
            return self.push(Node::Class(Class::new(vec![(code, code)])));
        };
        if self.flags.ignores_case {
            let class = self.folding.of(c);
            if class.contains_more_than(c) {
                return self.push_class(class);
            }
        }
        self.push(Node::Char(c))
    }

    pub(super) fn push_class(&mut self, class: Class) -> Result<(), SyntaxError> {
        self.ranges += class.ranges().len();
        if self.ranges > MAX_RANGES {
            return Err(SyntaxError::new(Code::Large, self.cursor.text));
        }
        self.push(Node::Class(class))
    }

    /// A backslash outside of a set.
    fn escape(&mut self) -> Result<(), SyntaxError> {
        if self.is_perl() {
            let assert = match self.cursor.rest().chars().nth(1) {
                Some('A') => Some(Assert::TextStart),
                Some('z') => Some(Assert::TextEnd),
                Some('b') => Some(Assert::WordBoundary),
                Some('B') => Some(Assert::NoWordBoundary),
                _ => None,
            };
            if let Some(assert) = assert {
                self.cursor.at += 2;
                return self.push(Node::Assert(assert));
            }
            if self.cursor.rest().starts_with(r"\C") {
                return Err(SyntaxError::new(Code::Escape, r"\C"));
            }
            if self.cursor.take(r"\Q") {
                return self.quoted();
            }
            let mut ranges = Vec::new();
            if self.named_set(&mut ranges)? {
                return self.push_class(Class::new(ranges));
            }
        }
        let code = self.cursor.escaped()?;
        self.literal(code)
    }

    /// Plain characters up to `\E`, or to the end.
    fn quoted(&mut self) -> Result<(), SyntaxError> {
        let rest = self.cursor.rest();
        let quoted = self.cursor.take_until(r"\E").unwrap_or_else(|| {
            self.cursor.at += rest.len();
            rest
        });
        quoted.chars().try_for_each(|c| self.literal(u32::from(c)))
    }

    /// Reads a repetition, and says whether it was one: `{` may be a plain character.
    fn repetition(&mut self, c: char, last: Option<usize>) -> Result<bool, SyntaxError> {
        let start = self.cursor.at;
        let (min, max) = match c {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => match self.counts() {
                None => {
                    self.cursor.at = start + 1;
                    return self.literal(u32::from('{')).map(|()| false);
                }
                Some((min, max)) => {
                    let is_wrong = min > 1000 || max.is_some_and(|max| max > 1000 || min > max);
                    if is_wrong {
                        return self.cursor.error(Code::RepeatSize, start);
                    }
                    (min, max)
                }
            },
        };
        let is_counted = c == '{';
        if !is_counted {
            self.cursor.at += 1;
        }
        let mut is_greedy = !self.flags.is_lazy;
        if self.is_perl() {
            if self.cursor.take("?") {
                is_greedy = !is_greedy;
            }
            if let Some(last) = last {
                return self.cursor.error(Code::RepeatOp, last);
            }
        }
        let Some(item) = self.frame.pop() else {
            return self.cursor.error(Code::MissingRepeatArgument, start);
        };
        let item = self.checked(item.repeated(min, max, is_greedy, is_counted))?;
        if is_counted && (min >= 2 || max.is_some_and(|max| max >= 2)) && item.repeats > 1000 {
            return self.cursor.error(Code::RepeatSize, start);
        }
        self.push_item(item)?;
        Ok(true)
    }

    /// The numbers of `{2,5}`; nothing where it is not of this form. Too large numbers become larger than allowed.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        self.cursor.at += 1;
        let min = self.count()?;
        let max = if !self.cursor.take(",") {
            Some(min)
        } else if self.cursor.peek() == Some('}') {
            None
        } else {
            Some(self.count()?)
        };
        self.cursor.take("}").then_some((min, max))
    }

    fn count(&mut self) -> Option<u32> {
        let rest = self.cursor.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let digits = rest.get(..digits).filter(|digits| !digits.is_empty())?;
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        self.cursor.at += digits.len();
        Some(digits.parse().unwrap_or(u32::MAX))
    }
}
