//! Changes of one line after which a text of policies loads.
//!
//! In: texts of policies. Out: for each that does not load, or holds what can hardly be meant, the lines that would mend it: their indentation, a quote or bracket
//! that is missing. Each was tried: with it fewer problems are left, and of several the first leaves the fewest.

use crate::run::read;
use crate::wire::{Input, Text};
use engine::diag::{Code, Diagnostic, Severity};
use engine::world::World;
use std::cmp::Reverse;

/// Lines above and below a problem that are tried.
const ABOVE: usize = 14;
const BELOW: usize = 3;
/// Problems of a text that are looked at.
const MAX_PROBLEMS: usize = 4;
/// Bytes that are read for one text in all.
const MAX_READ: usize = 8 << 20;
/// Changes that are given.
const MAX_GIVEN: usize = 3;

/// A line that is written differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Which text, from 0.
    pub index: usize,
    /// The line, from 1.
    pub line: usize,
    /// As it is.
    pub old: String,
    /// As it would be.
    pub new: String,
    /// What is wrong with the text as it is.
    pub message: String,
}

/// The changes that would mend the policies of an input, the best of each text first.
pub fn repairs(input: &Input, world: &dyn World) -> Vec<Repair> {
    let texts = input.policies.iter().enumerate();
    texts.flat_map(|(index, text)| of_text(index, &text.text, input, world)).collect()
}

/// How bad a text is, and where: errors, then warnings.
struct State {
    errors: usize,
    warnings: usize,
    /// The problems, with their places in bytes.
    problems: Vec<(usize, String)>,
}

impl State {
    fn of(text: &str, input: &Input, world: &dyn World) -> State {
        let alone = Input {
            policies: vec![Text { name: "policies".to_owned(), text: text.to_owned() }],
            custom_resource_definitions: input.custom_resource_definitions.clone(),
            config: input.config.clone(),
            ..Input::default()
        };
        let (_, said) = read(&alone, world);
        let is_meant = |one: &&Diagnostic| one.severity == Severity::Error || one.code == Code::Suspicious;
        let said: Vec<Diagnostic> = said.iter().filter(is_meant).cloned().collect();
        let errors = said.iter().filter(|one| one.severity == Severity::Error).count();
        let problems =
            said.iter().map(|one| (one.span.map_or(0, |span| span.start as usize), one.message.clone()));
        State { errors, warnings: said.len() - errors, problems: problems.collect() }
    }

    fn weight(&self) -> (usize, usize) {
        (self.errors, self.warnings)
    }
}

fn of_text(index: usize, text: &str, input: &Input, world: &dyn World) -> Vec<Repair> {
    let now = State::of(text, input, world);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut tried = Vec::new();
    let mut room = MAX_READ;
    for (at, message) in now.problems.iter().take(MAX_PROBLEMS) {
        let line = text.as_bytes().iter().take(*at).filter(|byte| **byte == b'\n').count();
        for near in nearest_first(line, lines.len()) {
            let Some(old) = lines.get(near) else { continue };
            for new in others(old) {
                let Some(left) = room.checked_sub(text.len()) else { return best(tried, now.weight()) };
                room = left;
                let changed = with_line(&lines, near, &new);
                let weight = State::of(&changed, input, world).weight();
                let repair =
                    Repair { index, line: near + 1, old: (*old).to_owned(), new, message: message.clone() };
                let rank = (weight, Reverse(is_aligned(&lines, near, &repair.new)), near.abs_diff(line));
                if !tried
                    .iter()
                    .any(|(_, known): &(Rank, Repair)| known.new == repair.new && known.line == repair.line)
                {
                    tried.push((rank, repair));
                }
            }
        }
    }
    best(tried, now.weight())
}

/// What is left, whether the line is as far in as one beside it, and how far it is from the problem.
type Rank = ((usize, usize), Reverse<bool>, usize);

fn best(mut tried: Vec<(Rank, Repair)>, now: (usize, usize)) -> Vec<Repair> {
    tried.retain(|((weight, ..), _)| *weight < now);
    tried.sort_by_key(|(rank, _)| *rank);
    let least = tried.first().map(|((weight, ..), _)| *weight);
    let as_good = tried.into_iter().take_while(|((weight, ..), _)| Some(*weight) == least);
    as_good.take(MAX_GIVEN).map(|(_, repair)| repair).collect()
}

/// The lines around one, the nearest first.
fn nearest_first(line: usize, count: usize) -> impl Iterator<Item = usize> {
    let mut all: Vec<usize> = (line.saturating_sub(ABOVE)..count.min(line + BELOW + 1)).collect();
    all.sort_by_key(|near| near.abs_diff(line));
    all.into_iter()
}

/// The ways in which a line could have been meant.
fn others(line: &str) -> Vec<String> {
    let body = line.trim();
    if body.is_empty() || body.starts_with('#') {
        return Vec::new();
    }
    let mut found: Vec<String> = [" ", "  "].iter().map(|more| format!("{more}{line}")).collect();
    found.extend([" ", "  "].iter().filter_map(|less| line.strip_prefix(less)).map(str::to_owned));
    let end = line.trim_end();
    for (open, close) in [('"', '"'), ('\'', '\''), ('(', ')'), ('[', ']')] {
        let count = |wanted: char| end.matches(wanted).count();
        if if open == close { count(open) % 2 == 1 } else { count(open) > count(close) } {
            found.push(format!("{end}{close}"));
            if let Some(inner) = end.strip_suffix(['"', '\'']) {
                found.push(format!("{inner}{close}{}", end.get(inner.len()..).unwrap_or_default()));
            }
        }
    }
    if end.matches("{{").count() > end.matches("}}").count() {
        let alone = |(at, _): &(usize, &str)| !end.get(at + 1..).is_some_and(|rest| rest.starts_with('}'));
        found.extend(end.match_indices('}').filter(alone).map(|(at, _)| {
            let (before, behind) = end.split_at(at);
            format!("{before}}}{behind}")
        }));
    }
    found
}

/// Whether a line begins where the one before it or behind it does.
fn is_aligned(lines: &[&str], at: usize, line: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let beside = [at.checked_sub(1), at.checked_add(1)];
    beside.into_iter().flatten().filter_map(|near| lines.get(near)).any(|near| indent(near) == indent(line))
}

fn with_line(lines: &[&str], at: usize, line: &str) -> String {
    let mut changed = lines.to_vec();
    if let Some(place) = changed.get_mut(at) {
        *place = line;
    }
    changed.join("\n")
}
