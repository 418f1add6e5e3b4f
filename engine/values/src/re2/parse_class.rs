//! Sets: `[^a-z[:digit:]\pL]`, and `\d`, `\p{Greek}` on their own.
//!
//! In: the text behind the bracket. Out: the set on the parser's stack.
//!
//! Mirrors: Go's regexp/syntax parse.go (`parseClass`, `parseUnicodeClass`, `parsePerlClassEscape`).

use super::class::Class;
use super::error::{Code, SyntaxError};
use super::groups;
use super::parse::{Dialect, Parser};
use super::unicode;

impl Parser<'_> {
    /// A set in brackets.
    pub(super) fn class(&mut self) -> Result<(), SyntaxError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut ranges = Vec::new();
        let is_negated = self.cursor.take("^");
        if is_negated && self.dialect == Dialect::Plain {
            // Without Perl's rules no negated set takes a line end.
            ranges.push((10, 10));
        }
        let mut is_first = true;
        while is_first || self.cursor.peek() != Some(']') {
            self.check_minus(is_first)?;
            is_first = false;
            if self.posix_set(&mut ranges)? || self.named_set(&mut ranges)? {
                continue;
            }
            self.range(start, &mut ranges)?;
            if ranges.len() > super::parse::MAX_RANGES {
                return Err(SyntaxError::new(Code::Large, self.cursor.text));
            }
        }
        self.cursor.at += 1;
        let class = Class::new(ranges);
        self.push_class(if is_negated { class.negated() } else { class })
    }

    /// Without Perl's rules a minus stands first or last.
    fn check_minus(&mut self, is_first: bool) -> Result<(), SyntaxError> {
        let rest = self.cursor.rest();
        if self.is_perl() || is_first || !rest.starts_with('-') || rest.starts_with("-]") {
            return Ok(());
        }
        let start = self.cursor.at;
        self.cursor.next();
        self.cursor.next();
        self.cursor.error(Code::CharRange, start)
    }

    /// A character or a range of them.
    fn range(&mut self, class_start: usize, ranges: &mut Vec<(u32, u32)>) -> Result<(), SyntaxError> {
        let start = self.cursor.at;
        let low = self.class_char(class_start)?;
        let mut high = low;
        let rest = self.cursor.rest();
        if rest.starts_with('-') && rest.len() > 1 && !rest.starts_with("-]") {
            self.cursor.at += 1;
            high = self.class_char(class_start)?;
            if high < low {
                return self.cursor.error(Code::CharRange, start);
            }
        }
        self.add(low, high, ranges);
        Ok(())
    }

    fn class_char(&mut self, class_start: usize) -> Result<u32, SyntaxError> {
        match self.cursor.peek() {
            None => self.cursor.error(Code::MissingBracket, class_start),
            Some('\\') => self.cursor.escaped(),
            Some(c) => {
                self.cursor.next();
                Ok(u32::from(c))
            }
        }
    }

    fn add(&mut self, low: u32, high: u32, ranges: &mut Vec<(u32, u32)>) {
        if self.flags.ignores_case {
            self.folding.add(low, high, ranges);
        } else {
            ranges.push((low, high));
        }
    }

    fn add_group(&mut self, group: groups::Group, ranges: &mut Vec<(u32, u32)>) {
        let (group, is_negated) = group;
        let mut inside = Vec::new();
        for &(low, high) in group {
            self.add(u32::from(low), u32::from(high), &mut inside);
        }
        if is_negated {
            ranges.extend(Class::new(inside).negated().ranges());
        } else {
            ranges.append(&mut inside);
        }
    }

    /// `[:alpha:]`, if it comes next.
    fn posix_set(&mut self, ranges: &mut Vec<(u32, u32)>) -> Result<bool, SyntaxError> {
        let rest = self.cursor.rest();
        let Some((name, _)) = rest.strip_prefix("[:").and_then(|rest| rest.split_once(":]")) else {
            return Ok(false);
        };
        let start = self.cursor.at;
        self.cursor.at += name.len() + 4;
        let Some(group) = groups::posix(name) else {
            return self.cursor.error(Code::CharRange, start);
        };
        self.add_group(group, ranges);
        Ok(true)
    }

    /// `\d` or `\p{Greek}`, if it comes next.
    pub(super) fn named_set(&mut self, ranges: &mut Vec<(u32, u32)>) -> Result<bool, SyntaxError> {
        let mut coming = self.cursor.rest().chars();
        if !self.is_perl() || coming.next() != Some('\\') {
            return Ok(false);
        }
        match coming.next() {
            Some('p') => self.unicode_set(false, ranges).map(|()| true),
            Some('P') => self.unicode_set(true, ranges).map(|()| true),
            Some(letter) => match groups::perl(letter) {
                Some(group) => {
                    self.cursor.at += 2;
                    self.add_group(group, ranges);
                    Ok(true)
                }
                None => Ok(false),
            },
            None => Ok(false),
        }
    }

    fn unicode_set(&mut self, is_negated: bool, ranges: &mut Vec<(u32, u32)>) -> Result<(), SyntaxError> {
        let start = self.cursor.at;
        self.cursor.at += 2;
        let name = if self.cursor.take("{") {
            match self.cursor.take_until("}") {
                Some(name) => name,
                None => return Err(SyntaxError::new(Code::CharRange, self.cursor.from(start))),
            }
        } else {
            let at = self.cursor.at;
            self.cursor.next();
            self.cursor.since(at)
        };
        let (name, is_negated) =
            name.strip_prefix('^').map_or((name, is_negated), |name| (name, !is_negated));
        let Some(set) = unicode::set(name) else {
            return self.cursor.error(Code::CharRange, start);
        };
        let mut inside = Vec::new();
        for (low, high) in set {
            self.add(low, high, &mut inside);
        }
        if is_negated {
            ranges.extend(Class::new(inside).negated().ranges());
        } else {
            ranges.append(&mut inside);
        }
        Ok(())
    }
}
