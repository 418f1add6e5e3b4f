//! What a match is replaced by: a text, or a template with `$1`, `${name}` and `$$`.
//!
//! In: `$1x ${1}x $$`, and a match whose first group is `a`. Out: ` ax $`, for `$1x` asks for a group named `1x`.
//!
//! Mirrors: Go's regexp.go (`expand`, `extract`).

use super::machine::NONE;
use super::unicode;

/// A replacement.
#[derive(Clone, Copy, Debug)]
pub enum Template<'a> {
    /// This text.
    Literal(&'a str),
    /// This text with groups put in.
    Expand(&'a str),
}

/// A part of a template.
enum Part<'a> {
    Text(&'a str),
    Number(usize),
    Name(&'a str),
}

impl Template<'_> {
    /// The number of the last group that the template needs.
    pub(super) fn last_group(&self, names: &[Option<String>]) -> usize {
        let Template::Expand(template) = self else { return 0 };
        let last = names.len().saturating_sub(1);
        let needed = Parts(template).map(|part| match part {
            Part::Text(_) => 0,
            Part::Number(number) => number,
            Part::Name(name) => named(names, name).max().unwrap_or(0),
        });
        needed.filter(|number| *number <= last).max().unwrap_or(0)
    }

    /// Appends the replacement of a match with these places.
    pub(super) fn write(&self, out: &mut String, text: &str, places: &[usize], names: &[Option<String>]) {
        let template = match self {
            Template::Literal(text) => {
                out.push_str(text);
                return;
            }
            Template::Expand(template) => template,
        };
        let group = |number: usize| {
            let (start, end) = (*places.get(number * 2)?, *places.get(number * 2 + 1)?);
            if start == NONE { None } else { text.get(start..end) }
        };
        for part in Parts(template) {
            out.push_str(match part {
                Part::Text(text) => text,
                Part::Number(number) => group(number).unwrap_or(""),
                Part::Name(name) => named(names, name).find_map(group).unwrap_or(""),
            });
        }
    }
}

/// The numbers of the groups with this name.
fn named<'n>(names: &'n [Option<String>], name: &'n str) -> impl Iterator<Item = usize> + 'n {
    let has_name = move |given: &Option<String>| given.as_deref() == Some(name);
    names.iter().enumerate().filter(move |(_, given)| has_name(given)).map(|(number, _)| number)
}

/// The parts of a template, and what of it is left.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        if self.0.is_empty() {
            return None;
        }
        let Some(rest) = self.0.strip_prefix('$') else {
            let end = self.0.find('$').unwrap_or(self.0.len());
            let (text, rest) = self.0.split_at_checked(end)?;
            self.0 = rest;
            return Some(Part::Text(text));
        };
        if let Some(rest) = rest.strip_prefix('$') {
            self.0 = rest;
            return Some(Part::Text("$"));
        }
        let Some((name, behind)) = reference(rest) else {
            self.0 = rest;
            return Some(Part::Text("$"));
        };
        self.0 = behind;
        Some(part_of(name))
    }
}

/// The name behind a `$`, with or without braces, and what follows.
fn reference(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_prefix('{').unwrap_or(text);
    let behind = body.trim_start_matches(unicode::is_name);
    let name = body.strip_suffix(behind).filter(|name| !name.is_empty())?;
    let behind = if body.len() < text.len() { behind.strip_prefix('}')? } else { behind };
    Some((name, behind))
}

/// A number if the name is one without leading zeros.
fn part_of(name: &str) -> Part<'_> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = name.len() > 1 && name.starts_with('0');
    match name.parse::<u32>() {
        // Go: nine digits are a name.
        Ok(number) if is_number && !has_leading_zero && name.len() < 9 => Part::Number(number as usize),
        _ => Part::Name(name),
    }
}
