//! Which steps know a line: of a policy those that stand there, of a resource those that read it.
//!
//! In: the explanations of one resource, a line and its text. Out: [`Touch`]es, one a rule, with the places of their steps.
//! Nothing here touches the browser.

use engine_lenses::wire::{Explanation, Range, Step};

/// Keys of a rule that say something once it has decided.
const SAID: [&str; 6] =
    ["name", "message", "failureAction", "failureActionOverrides", "emitWarning", "allowExistingViolations"];

/// What one rule has to do with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The explanation, by its place.
    pub(crate) rule: usize,
    /// The steps that know the line, by their places.
    pub(crate) steps: Vec<usize>,
    pub(crate) why: Why,
}

/// How it is to be described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// By its steps.
    Steps,
    /// The line is said, not decided.
    Said,
    /// The rule ended before it came there.
    NeverReached,
    /// The rule went by it.
    Untouched,
    /// A check that passes read it, beside one that does not.
    PassingCheck,
}

/// The first and the last line of what stands at a line: itself, and what is indented below it.
pub(crate) fn block(text: &str, line: u32) -> (u32, u32) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
    let Some(own) = text.lines().nth(at).filter(|own| !own.trim().is_empty()) else { return (line, line) };
    let (depth, is_item) = (indent(own), own.trim_start().starts_with("- "));
    let mut end = line;
    for (number, below) in (line + 1..).zip(text.lines().skip(at + 1)) {
        let is_inside = indent(below) > depth
            || (indent(below) == depth && !is_item && below.trim_start().starts_with("- "));
        if below.trim().is_empty() {
            continue;
        }
        if !is_inside || below.starts_with("---") {
            break;
        }
        end = number;
    }
    (line, end)
}

/// The key at a line.
pub(crate) fn key(text: &str, line: u32) -> &str {
    let at = usize::try_from(line).unwrap_or(1).saturating_sub(1);
    let line = text.lines().nth(at).unwrap_or_default().trim_start().trim_start_matches("- ");
    line.split_once(':').map_or("", |(key, _)| key.trim())
}

fn holds(range: &Range, input: &str, line: u32) -> bool {
    range.input == input && range.line <= line && line <= range.end_line
}

/// Of places with their lines: those inside the block, or else the narrowest around its first line.
fn nearest(found: &[(usize, &Range)], input: &str, (first, last): (u32, u32)) -> Vec<usize> {
    let is_inside = |range: &Range| range.input == input && range.line >= first && range.end_line <= last;
    let mut inside: Vec<usize> =
        found.iter().filter(|(_, range)| is_inside(range)).map(|(at, _)| *at).collect();
    if inside.is_empty() {
        let around: Vec<_> = found.iter().filter(|(_, range)| holds(range, input, first)).collect();
        let width = |range: &Range| range.end_line - range.line;
        let least = around.iter().map(|(_, range)| width(range)).min();
        inside = around.iter().filter(|(_, range)| Some(width(range)) == least).map(|(at, _)| *at).collect();
    }
    inside.dedup();
    inside
}

/// The lines of the rule in the policies.
fn rule_range(one: &Explanation) -> Option<&Range> {
    one.steps.iter().find(|step| step.kind == "rule").and_then(|step| step.policy_range.as_ref())
}

/// What the rule around a line of a policy or an exception has to do with it; of several made of one rule, the one that
/// knows the line.
pub(crate) fn of_policy(all: &[Explanation], input: &str, text: &str, line: u32) -> Option<Touch> {
    let mut found: Option<Touch> = None;
    for (rule, one) in all.iter().enumerate() {
        let known = |(at, step): (usize, &Step)| {
            let is_own = step.kind != "rule";
            is_own.then_some(at).zip(one.steps.get(at).and_then(|step| step.policy_range.as_ref()))
        };
        let places: Vec<(usize, &Range)> = one.steps.iter().enumerate().filter_map(known).collect();
        let steps = nearest(&places, input, block(text, line));
        // A policy in CEL has no rules: its lines are those of its expressions.
        let is_expression = |at: &usize| {
            let kind = one.steps.get(*at).map_or("", |step| step.kind.as_str());
            matches!(kind, "expression" | "precondition" | "context")
        };
        let is_around = rule_range(one)
            .map_or_else(|| steps.iter().any(is_expression), |range| holds(range, input, line));
        if !is_around && (steps.is_empty() || input == "policies") {
            continue;
        }
        let why = if SAID.contains(&key(text, line)) && block(text, line).1 == line {
            Why::Said
        } else if !steps.is_empty() {
            Why::Steps
        } else if ends_before(one, line) {
            Why::NeverReached
        } else {
            Why::Untouched
        };
        let steps = if why == Why::Steps { steps } else { Vec::new() };
        let is_better = found.as_ref().is_none_or(|known| known.steps.is_empty() && !steps.is_empty());
        if is_better {
            found = Some(Touch { rule, steps, why });
        }
    }
    found
}

/// Whether the step that decided stands above a line, or the rule was not for the resource at all.
fn ends_before(one: &Explanation, line: u32) -> bool {
    let deciding = one.deciding.first().and_then(|at| one.steps.get(*at as usize));
    let is_above = deciding
        .and_then(|step| step.policy_range.as_ref())
        .is_some_and(|range| range.input != "policies" || range.line < line);
    one.verdict != "pass" && is_above
}

/// The rules that read a line of the resource.
pub(crate) fn of_resource(all: &[Explanation], text: &str, line: u32) -> Vec<Touch> {
    let lines = block(text, line);
    let of_rule = |(rule, one): (usize, &Explanation)| {
        // What is absent is read where its holder begins.
        let is_here = |range: &Range, absent: bool| !absent || range.line == line;
        let known = one.reads.iter().enumerate().filter_map(|(at, read)| {
            let range = read.range.as_ref().filter(|range| is_here(range, read.absent))?;
            Some((at, range))
        });
        let places: Vec<(usize, &Range)> = known.collect();
        let reads = nearest(&places, "resources", lines);
        if reads.is_empty() {
            return None;
        }
        let mut steps: Vec<usize> =
            reads.iter().filter_map(|at| one.reads.get(*at)?.step).map(|at| at as usize).collect();
        steps.sort_unstable();
        steps.dedup();
        let why = if steps.is_empty() { Why::PassingCheck } else { Why::Steps };
        Some(Touch { rule, steps, why })
    };
    all.iter().enumerate().filter_map(of_rule).collect()
}

#[cfg(test)]
mod tests;
