//! In which lines an object differs from the one that a test expects.
//!
//! In: two objects. Out: the lines.

use engine::json::Value;
use engine::yaml::emit::to_yaml;
use engine_lenses::report::as_test::comparable;
use std::fmt::Write;

/// Texts of more lines are not compared line by line.
const MAX_LINES: usize = 3_000;
/// How many lines stand around a difference.
const AROUND: usize = 2;

/// The lines in which two objects differ: `-` before what only the expected one has, `+` before what only the actual
/// one has, with a few lines around.
pub(super) fn difference(actual: &Value, expected: &Value) -> String {
    let (expected, actual) = (to_yaml(&comparable(expected)), to_yaml(&comparable(actual)));
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return "(too long to be shown)\n".to_owned();
    }
    let lines = merged(&old, &new);
    let differs: Vec<usize> =
        lines.iter().enumerate().filter(|(_, (sign, _))| *sign != ' ').map(|(at, _)| at).collect();
    let mut out = String::new();
    let mut last = None;
    for (at, (sign, line)) in lines.iter().enumerate() {
        if !differs.iter().any(|other| other.abs_diff(at) <= AROUND) {
            continue;
        }
        if last.is_some_and(|last: usize| last + 1 < at) {
            out.push_str("  …\n");
        }
        last = Some(at);
        let _ = writeln!(out, "{sign} {line}");
    }
    out
}

/// Both texts as one, each line with its sign; a longest common subsequence stays unsigned.
fn merged<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let width = new.len() + 1;
    // How many lines are common from here on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            let get = |place: usize| common.get(place).copied().unwrap_or_default();
            let longest = if old.get(row) == new.get(column) {
                get(at(row + 1, column + 1)) + 1
            } else {
                get(at(row + 1, column)).max(get(at(row, column + 1)))
            };
            if let Some(cell) = common.get_mut(at(row, column)) {
                *cell = longest;
            }
        }
    }
    let get = |row: usize, column: usize| common.get(at(row, column)).copied().unwrap_or_default();
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(row), new.get(column)) {
            (None, None) => return lines,
            (Some(left), Some(right)) if left == right => {
                lines.push((' ', *left));
                row += 1;
                column += 1;
            }
            (Some(left), right) if right.is_none() || get(row + 1, column) >= get(row, column + 1) => {
                lines.push(('-', *left));
                row += 1;
            }
            (_, Some(right)) => {
                lines.push(('+', *right));
                column += 1;
            }
            (Some(_), None) => row += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::json::parse;

    #[test]
    fn a_difference_shows_both_sides() {
        let actual = parse(r#"{"kind":"Pod","spec":{"a":1,"b":2}}"#).unwrap();
        let expected = parse(r#"{"kind":"Pod","spec":{"a":1,"b":3}}"#).unwrap();
        let shown = difference(&actual, &expected);
        assert!(shown.contains("-   b: 3\n+   b: 2\n"), "{shown}");
    }
}
