//! What somebody may have meant by a name that is not there.
//!
//! In: the name and those that are there. Out: the nearest few, those that differ least first.

/// How many letters a typing error changes at most.
const MAX_DISTANCE: usize = 2;
/// So many names are proposed.
const MAX_NAMES: usize = 3;
/// Of longer names the beginning is compared.
const LONGEST: usize = 64;

/// The names that are near.
pub fn names<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let most = MAX_DISTANCE.min(wanted.len() / 2);
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (distance(wanted, name), name))
        .filter(|(distance, name)| *distance <= most && *name != wanted)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MAX_NAMES).map(|(_, name)| name).collect()
}

/// How many letters must be changed, added, taken away or swapped with the next; the size of a letter counts for nothing.
fn distance(a: &str, b: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.chars().take(LONGEST).map(|c| c.to_ascii_lowercase()).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    let at = |rows: &[Vec<usize>], row: usize, column: usize| {
        rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or(LONGEST)
    };
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let change = at(&rows, i, j) + usize::from(x != y);
            let other = 1 + at(&rows, i, j + 1).min(row.last().copied().unwrap_or(LONGEST));
            let is_swapped = i > 0 && j > 0 && Some(x) == b.get(j - 1) && a.get(i - 1) == Some(y);
            let swapped = if is_swapped { at(&rows, i - 1, j - 1) + 1 } else { LONGEST };
            row.push(change.min(other).min(swapped));
        }
        rows.push(row);
    }
    at(&rows, a.len(), b.len())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn what_differs_in_two_letters_or_in_their_order_is_near() {
        let known = ["startsWith", "endsWith", "size", "matches"];
        let near = |wanted: &str| names(wanted, known.into_iter());
        assert_eq!(near("startWith"), ["startsWith"]);
        assert_eq!(near("StartsWith"), ["startsWith"]);
        assert_eq!(near("szie"), ["size"]);
        assert_eq!(near("x"), Vec::<&str>::new());
        assert_eq!(near("contains"), Vec::<&str>::new());
    }
}
