//! What somebody may have meant by a field that is not there.
//!
//! In: the name, and the fields of the type. Out: a hint: a similar name, or a field that has one of this name.

use crate::schema::{Fields, schema};

/// How many letters a typing error changes at most.
const MAX_DISTANCE: usize = 2;

/// `did you mean …?`, where there is something to guess.
pub(crate) fn hint(key: &str, fields: &Fields) -> Option<String> {
    let near = fields.keys().map(|name| (distance(key, name), *name)).min();
    if let Some((_, name)) = near.filter(|(distance, name)| *distance <= MAX_DISTANCE.min(name.len() / 2)) {
        return Some(format!("did you mean `{name}`?"));
    }
    // What stands beside its parent: `labels` beside `metadata`.
    let holds =
        |(_, holds): &(&&str, &&str)| schema().held(holds).is_some_and(|inner| inner.contains_key(key));
    let (parent, _) = fields.iter().find(holds)?;
    Some(format!("did you mean `{parent}.{key}`?"))
}

/// How many letters must be changed, added or taken away; of long names the beginning.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let letters = |text: &str| -> Vec<char> { text.chars().take(LONGEST).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (at, at + 1);
        let mut next = vec![left];
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            left = if x.eq_ignore_ascii_case(y) { diagonal } else { 1 + diagonal.min(left).min(*above) };
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
