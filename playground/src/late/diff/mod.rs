//! Two texts as stretches that are the same and stretches that differ, line by line.
//!
//! In: a text before and after. Out: [`Hunk`]s in order; long stretches that are the same are folded.
//! Example: `a b` and `a c` (a line each) give `Same [a]`, `Changed { old: [b], new: [c] }`.

use imara_diff::{Algorithm, Diff, InternedInput};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Folding fewer lines than this hides more than it saves.
const FOLD: usize = 4;

/// A line and its number, from 1.
pub(crate) type Line = (usize, String);

/// A stretch of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hunk {
    /// Lines of the new text that stand in the old one too, each with its number there and here.
    Same(Vec<(usize, Line)>),
    /// The same, of no interest to the change.
    Folded(Vec<(usize, Line)>),
    Changed {
        old: Vec<Line>,
        new: Vec<Line>,
    },
}

/// Compares two texts.
pub(crate) fn diff(old: &str, new: &str) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = |all: &[&str], from: usize, to: usize| -> Vec<Line> {
        let numbered = all.iter().enumerate().skip(from).take(to - from);
        numbered.map(|(at, line)| (at + 1, (*line).to_owned())).collect()
    };
    let same = |from: (usize, usize), to: usize| -> Vec<(usize, Line)> {
        (from.0 + 1..).zip(lines(&new, from.1, to)).collect()
    };
    let mut hunks = Vec::new();
    // Up to where both texts have been compared.
    let mut described = (0, 0);
    for hunk in diff.hunks() {
        let (before, after) = (hunk.before.start as usize, hunk.after.start as usize);
        fold(same(described, after), described.1 == 0, false, &mut hunks);
        described = (hunk.before.end as usize, hunk.after.end as usize);
        hunks.push(Hunk::Changed {
            old: lines(&old, before, described.0),
            new: lines(&new, after, described.1),
        });
    }
    fold(same(described, new.len()), described.1 == 0, true, &mut hunks);
    hunks
}

/// Keeps a few lines beside each change and folds what lies between.
fn fold(mut same: Vec<(usize, Line)>, is_first: bool, is_last: bool, hunks: &mut Vec<Hunk>) {
    let before = if is_first { 0 } else { CONTEXT };
    let after = if is_last { 0 } else { CONTEXT };
    if same.is_empty() {
        return;
    }
    if same.len() < before + after + FOLD {
        hunks.push(Hunk::Same(same));
        return;
    }
    let tail = same.split_off(same.len() - after);
    let middle = same.split_off(before);
    for (hunk, wanted) in
        [(Hunk::Same(same), before > 0), (Hunk::Folded(middle), true), (Hunk::Same(tail), after > 0)]
    {
        if wanted {
            hunks.push(hunk);
        }
    }
}

/// How many characters two lines share at their start and at their end, so that what differs can stand out.
pub(crate) fn shared(old: &str, new: &str) -> (usize, usize) {
    let common = |pair: &(char, char)| pair.0 == pair.1;
    let start = old.chars().zip(new.chars()).take_while(common).count();
    let shorter = old.chars().count().min(new.chars().count());
    let end = old.chars().rev().zip(new.chars().rev()).take_while(common).count().min(shorter - start);
    (start, end)
}

#[cfg(test)]
mod tests;
