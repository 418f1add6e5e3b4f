//! In which order the entries of a map are iterated.
//!
//! In: how many there are and how two places compare. Out: the place that comes at each turn. Few entries are put in order
//! where they lie on the stack: a map of labels is iterated in less time than a list is made.

use engine_json::arrange::Arrange as _;
use std::cmp::Ordering;

/// So many places are put in order on the stack.
const FEW: usize = 16;

/// The place that comes at each turn.
#[derive(Debug)]
pub(crate) enum Turns {
    /// That of the turn itself.
    Written,
    /// One of a few.
    Few([u8; FEW]),
    /// One of many.
    Many(Vec<u32>),
}

impl Turns {
    /// The order of so many places; `sorted` holds it where the map keeps it already.
    pub(super) fn of(count: usize, sorted: &[u32], compare: impl Fn(usize, usize) -> Ordering) -> Self {
        if (1..count).all(|at| compare(at - 1, at).is_le()) {
            return Turns::Written;
        }
        if sorted.len() == count {
            return Turns::Many(sorted.to_vec());
        }
        if count > FEW {
            let mut places: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
            places.arrange_by(|a, b| compare(*a as usize, *b as usize));
            return Turns::Many(places);
        }
        let mut places = [0; FEW];
        for (next, place) in (0_u8..).zip(0..count) {
            let mut at = place;
            // Each goes in front of those that come behind it; what is equal stays as it stands.
            while let Some(before) = at.checked_sub(1).and_then(|at| places.get(at)).copied()
                && compare(usize::from(before), place).is_gt()
            {
                if let Some(free) = places.get_mut(at) {
                    *free = before;
                }
                at -= 1;
            }
            if let Some(free) = places.get_mut(at) {
                *free = next;
            }
        }
        Turns::Few(places)
    }

    /// The place that comes at a turn.
    pub(crate) fn place(&self, turn: usize) -> usize {
        match self {
            Turns::Written => turn,
            Turns::Few(places) => places.get(turn).map_or(turn, |place| usize::from(*place)),
            Turns::Many(places) => places.get(turn).map_or(turn, |place| *place as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_in_order_and_equal_ones_as_they_stand() {
        for count in 0..40_usize {
            let keys: Vec<usize> = (0..count).map(|at| at * 7 % 11).collect();
            let mut wanted: Vec<usize> = (0..count).collect();
            wanted.arrange_by_key(|at| keys[*at]);
            let turns = Turns::of(count, &[], |a, b| keys[a].cmp(&keys[b]));
            assert_eq!((0..count).map(|turn| turns.place(turn)).collect::<Vec<_>>(), wanted, "{count}");
        }
    }

    #[test]
    fn what_lies_in_order_needs_no_places() {
        assert!(matches!(Turns::of(3, &[], |a, b| a.cmp(&b)), Turns::Written));
        let kept: Vec<u32> = (0..20).rev().collect();
        assert!(matches!(Turns::of(20, &kept, |a, b| b.cmp(&a)), Turns::Many(places) if places == kept));
    }
}
