//! Globs with classes and alternatives: `ghcr.io/*/{app,web}:[0-9]*`. Nothing separates parts: `*` crosses `/` as well.
//!
//! In: a pattern, and texts. Out: whether a whole text fits, or why the pattern cannot be read.
//!
//! Mirrors: github.com/gobwas/glob v0.2.3 (`syntax/lexer`, `syntax/ast`), for its words and for what it takes. A text is matched against
//! all places at once, so that time is pattern × text.

use engine_json::arrange::Arrange as _;

/// Alternatives within alternatives may nest so deep.
pub const MAX_DEPTH: usize = 64;

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `*`, `**`: any run of characters.
    Any,
    /// `?`: one character.
    Single,
    /// These characters.
    Text(Vec<char>),
    /// `[abc]`: one of these, or none of these.
    List { chars: Vec<char>, not: bool },
    /// `[a-z]`: one from here to there, or none of these.
    Range { low: char, high: char, not: bool },
    /// `{a,b}`: one of these.
    Either(Vec<Vec<Part>>),
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn parse(pattern: &str) -> Result<Glob, String> {
        let mut reading =
            Reading { chars: pattern.chars().collect(), at: 0, open: Vec::new(), parts: Vec::new() };
        while let Some(c) = reading.next()? {
            reading.part(c)?;
        }
        while !reading.open.is_empty() {
            reading.close();
        }
        Ok(Glob { parts: reading.parts })
    }

    /// Whether the whole text fits.
    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        behind(&self.parts, &text, vec![0]).last() == Some(&text.len())
    }
}

/// Alternatives that are still open: those that are read, and what stands before them.
struct Open {
    before: Vec<Part>,
    done: Vec<Vec<Part>>,
}

struct Reading {
    chars: Vec<char>,
    at: usize,
    open: Vec<Open>,
    /// The sequence that is being read.
    parts: Vec<Part>,
}

impl Reading {
    /// The next character; none at the end, which a zero byte is for the original, too.
    fn next(&mut self) -> Result<Option<char>, String> {
        let found = self.peek()?;
        self.at += usize::from(found.is_some());
        Ok(found)
    }

    fn peek(&self) -> Result<Option<char>, String> {
        match self.chars.get(self.at) {
            // gobwas/glob: the character that stands for broken text is taken for broken text.
            Some('\u{fffd}') => Err("could not read rune".to_owned()),
            Some('\0') | None => Ok(None),
            Some(c) => Ok(Some(*c)),
        }
    }

    fn part(&mut self, c: char) -> Result<(), String> {
        let is_within = !self.open.is_empty();
        match c {
            '{' if self.open.len() >= MAX_DEPTH => {
                return Err(format!("alternatives nest deeper than {MAX_DEPTH} levels"));
            }
            '{' => self.open.push(Open { before: std::mem::take(&mut self.parts), done: Vec::new() }),
            ',' if is_within => {
                let read = std::mem::take(&mut self.parts);
                if let Some(open) = self.open.last_mut() {
                    open.done.push(read);
                }
            }
            '}' if is_within => self.close(),
            '[' => {
                let part = self.class()?;
                self.parts.push(part);
            }
            '?' => self.parts.push(Part::Single),
            '*' => self.parts.push(Part::Any),
            _ => {
                self.at -= 1;
                let stops: &[char] =
                    if is_within { &['?', '*', '[', '{', '}', ','] } else { &['?', '*', '[', '{'] };
                let text = self.text(stops)?;
                if !text.is_empty() {
                    self.parts.push(Part::Text(text));
                }
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(Open { before, mut done }) = self.open.pop() else { return };
        done.push(std::mem::replace(&mut self.parts, before));
        self.parts.push(Part::Either(done));
    }

    /// Characters up to one of these; a backslash takes the next one as it is.
    fn text(&mut self, stops: &[char]) -> Result<Vec<char>, String> {
        let mut text = Vec::new();
        let mut is_escaped = false;
        while let Some(c) = self.peek()? {
            if !is_escaped {
                if c == '\\' {
                    is_escaped = true;
                    self.at += 1;
                    continue;
                }
                if stops.contains(&c) {
                    break;
                }
            }
            is_escaped = false;
            text.push(c);
            self.at += 1;
        }
        Ok(text)
    }

    /// What stands in brackets.
    fn class(&mut self) -> Result<Part, String> {
        let end = || "unexpected end of input".to_owned();
        let mut first = self.next()?.ok_or_else(end)?;
        let not = first == '!';
        if not {
            first = self.next()?.ok_or_else(end)?;
        }
        if self.peek()? == Some('-') {
            self.at += 1;
            let high = self.next()?.ok_or_else(end)?;
            if self.next()?.ok_or_else(end)? != ']' {
                return Err("expected close range character".to_owned());
            }
            if high < first {
                return Err(format!("hi character '{high}' should be greater than lo '{first}'"));
            }
            return Ok(Part::Range { low: first, high, not });
        }
        self.at -= 1;
        let chars = self.text(&[']'])?;
        self.next()?.ok_or_else(end)?;
        if chars.is_empty() {
            return Err("could not parse range".to_owned());
        }
        Ok(Part::List { chars, not })
    }
}

impl Part {
    /// The length of what it takes, where the original holds it for known.
    // gobwas/glob: AnyOf.Len forgets that the first way has no length, and takes that of the others for all.
    fn length(&self) -> Option<usize> {
        match self {
            Part::Any => None,
            Part::Single | Part::List { .. } | Part::Range { .. } => Some(1),
            Part::Text(text) => Some(text.len()),
            Part::Either(ways) => {
                let mut known = None;
                for way in ways {
                    let length = way.iter().try_fold(0_usize, |sum, part| Some(sum + part.length()?));
                    match (known, length) {
                        (None, _) => known = length,
                        (Some(known), Some(length)) if known == length => {}
                        (Some(_), _) => return None,
                    }
                }
                known
            }
        }
    }
}

/// All places at which a sequence that begins at one of these can end; those and these in order, each once.
fn behind(parts: &[Part], text: &[char], from: Vec<usize>) -> Vec<usize> {
    let has_length =
        |at: Option<usize>| at.and_then(|at| parts.get(at)).is_some_and(|part| part.length().is_some());
    parts.iter().enumerate().fold(from, |from, (at, part)| {
        let one = |fits: &dyn Fn(char) -> bool| {
            let fitting = from.iter().filter(|at| text.get(**at).is_some_and(|c| fits(*c)));
            fitting.map(|at| at + 1).collect()
        };
        match part {
            Part::Any => from.first().map_or_else(Vec::new, |first| (*first..=text.len()).collect()),
            Part::Single => one(&|_| true),
            Part::List { chars, not } => one(&|c| chars.contains(&c) != *not),
            Part::Range { low, high, not } => one(&|c| (*low..=*high).contains(&c) != *not),
            Part::Text(wanted) => {
                let fits = |at: &&usize| text.get(**at..).is_some_and(|rest| rest.starts_with(wanted));
                from.iter().filter(fits).map(|at| at + wanted.len()).collect()
            }
            // gobwas/glob: neighbours of known lengths are one row, in which each takes no more and no less.
            Part::Either(ways) => {
                let is_in_row = has_length(at.checked_sub(1)) || has_length(Some(at + 1));
                let all = |from: Vec<usize>| {
                    let ends = ways.iter().flat_map(|way| behind(way, text, from.clone()));
                    let mut ends: Vec<usize> = ends.collect();
                    ends.arrange();
                    ends.dedup();
                    ends
                };
                match part.length().filter(|_| is_in_row) {
                    None => all(from),
                    Some(length) => {
                        let ends = from.into_iter().filter(|at| all(vec![*at]).contains(&(at + length)));
                        ends.map(|at| at + length).collect()
                    }
                }
            }
        }
    })
}
