//! Two texts line by line, for people: what differs, with a little around it.
//!
//! In: the legitimate Pod and the attacker as YAML. Out: lines with `+`, `-` or a blank.

use crate::wire::SieveLine;

/// How many lines stand around what differs.
const AROUND: usize = 3;
/// Longer texts are compared only as wholes.
const MAX_LINES: usize = 600;

/// The comparison.
pub(super) fn diff(old: &str, new: &str) -> Vec<SieveLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let line = |sign: &str, text: &str| SieveLine { sign: sign.to_owned(), text: text.to_owned() };
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return Vec::new();
    }
    let common = common(&old, &new);
    let (mut all, mut at, mut to): (Vec<SieveLine>, usize, usize) = (Vec::new(), 0, 0);
    for (from, into) in common.into_iter().chain([(old.len(), new.len())]) {
        all.extend(old.get(at..from).unwrap_or_default().iter().map(|text| line("-", text)));
        all.extend(new.get(to..into).unwrap_or_default().iter().map(|text| line("+", text)));
        all.extend(old.get(from).map(|text| line(" ", text)));
        (at, to) = (from + 1, into + 1);
    }
    let changed: Vec<usize> =
        all.iter().enumerate().filter(|(_, line)| line.sign != " ").map(|(at, _)| at).collect();
    let is_near = |at: usize| changed.iter().any(|other| other.abs_diff(at) <= AROUND);
    all.into_iter().enumerate().filter(|(at, _)| is_near(*at)).map(|(_, line)| line).collect()
}

/// The places of the longest common lines.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut table = vec![0_u16; (old.len() + 1) * width];
    let cell = |table: &[u16], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, from) in old.iter().enumerate().rev() {
        for (j, to) in new.iter().enumerate().rev() {
            let best = if from == to {
                cell(&table, i + 1, j + 1).saturating_add(1)
            } else {
                cell(&table, i + 1, j).max(cell(&table, i, j + 1))
            };
            if let Some(slot) = table.get_mut(i * width + j) {
                *slot = best;
            }
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while let (Some(from), Some(to)) = (old.get(i), new.get(j)) {
        if from == to {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if cell(&table, i + 1, j) >= cell(&table, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}
