//! Strings with wildcards that amounts may be like.
//!
//! In: a string with `*` and `?`. Out: whether a quantity such as `5`, `1.5` or `10Gi` is like it. To `Equals` a value of the object that reads as a
//! quantity is one, which no string with wildcards equals (Kyverno's pkg/engine/variables/operator/equal.go).

use crate::expressions::formula::Formula;

/// What of a quantity is read.
// Kubernetes: resource.ParseQuantity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Nothing,
    Sign,
    Whole,
    Point,
    /// A unit that may stand alone.
    Unit,
    /// `K`, behind which `i` must stand.
    Kilo,
    /// `e`, behind which a number must stand.
    Exponent,
    /// `E`, behind which a number may stand.
    UnitOrExponent,
    SignOfExponent,
    DigitsOfExponent,
    /// All that there may be.
    Done,
}

use Read::{
    DigitsOfExponent, Done, Exponent, Kilo, Nothing, Point, Sign, SignOfExponent, Unit, UnitOrExponent, Whole,
};

/// All of them.
const ALL: [Read; 11] = [
    Nothing,
    Sign,
    Whole,
    Point,
    Unit,
    Kilo,
    Exponent,
    UnitOrExponent,
    SignOfExponent,
    DigitsOfExponent,
    Done,
];
/// The letters of quantities.
const LETTERS: &str = "0+.nkMKEei";

/// What is read after one more letter.
fn step(read: Read, letter: char) -> Option<Read> {
    Some(match (read, letter) {
        (Nothing, '+' | '-') => Sign,
        (Nothing | Sign | Whole, '0'..='9') => Whole,
        (Nothing | Sign | Whole, '.') | (Point, '0'..='9') => Point,
        (Whole | Point, 'n' | 'u' | 'm' | 'k') | (Unit | Kilo | UnitOrExponent, 'i') => Done,
        (Whole | Point, 'M' | 'G' | 'T' | 'P') => Unit,
        (Whole | Point, 'K') => Kilo,
        (Whole | Point, 'e') => Exponent,
        (Whole | Point, 'E') => UnitOrExponent,
        (Exponent | UnitOrExponent, '+' | '-') => SignOfExponent,
        (Exponent | UnitOrExponent | SignOfExponent | DigitsOfExponent, '0'..='9') => DigitsOfExponent,
        _ => return None,
    })
}

/// Whether some quantity is like a text with wildcards.
pub(crate) fn may_be_like(pattern: &str) -> bool {
    let behind = |from: &[Read], letters: &str| {
        let reached = |to: &Read| {
            from.iter().any(|read| letters.chars().any(|letter| step(*read, letter) == Some(*to)))
        };
        ALL.into_iter().filter(reached).collect::<Vec<_>>()
    };
    let mut reads = vec![Nothing];
    for part in pattern.chars() {
        reads = match part {
            // As many letters as there are states lead wherever letters lead.
            '*' => (0..ALL.len()).fold(reads, |mut reads, _| {
                let more = behind(&reads, LETTERS);
                reads.extend(more.into_iter().filter(|one| !reads.contains(one)).collect::<Vec<_>>());
                reads
            }),
            '?' => behind(&reads, LETTERS),
            letter => behind(&reads, letter.encode_utf8(&mut [0; 4])),
        };
    }
    reads.iter().any(|read| matches!(read, Whole | Point | Unit | UnitOrExponent | DigitsOfExponent | Done))
}

/// The text is not a quantity.
pub(crate) fn is_none(text: &str) -> Formula {
    let test = format!("isQuantity({text})");
    Formula::test(test).negated()
}

#[cfg(test)]
mod tests {
    use super::may_be_like;

    #[test]
    fn wildcards_that_fit_amounts_are_told_from_others() {
        for pattern in ["?*", "*", "??", "1?", "*m", "?Gi", "*.5", "-*", "1*e3", "*Ki", "1.?", "5*", "*E"] {
            assert!(may_be_like(pattern), "{pattern}");
        }
        for pattern in ["kube-*", "*:latest", "a-?", "?*/?*", "?K", "*i*i", "a*", "*mm", "1e?e*", "v?"] {
            assert!(!may_be_like(pattern), "{pattern}");
        }
    }
}
