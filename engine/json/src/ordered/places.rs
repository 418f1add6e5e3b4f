//! The places of entries in a list, in the order of their keys: one body for keys of all types.
//!
//! In: what compares the entry at a place with what is looked for. Out: the place, or where in the order it would stand.

use std::cmp::Ordering;

/// So many places stand in one block at most.
const BLOCK: usize = 512;

/// Places in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The first block: most maps have no other.
    first: Vec<u32>,
    /// The blocks behind it, none of them empty.
    more: Vec<Vec<u32>>,
}

impl Order {
    pub(super) const fn new() -> Self {
        Order { first: Vec::new(), more: Vec::new() }
    }

    fn block(&self, at: usize) -> &[u32] {
        at.checked_sub(1).map_or(Some(&self.first), |at| self.more.get(at)).map_or(&[], |block| block)
    }

    fn block_mut(&mut self, at: usize) -> Option<&mut Vec<u32>> {
        at.checked_sub(1).map_or(Some(&mut self.first), |at| self.more.get_mut(at))
    }

    /// The place whose entry is `Equal`, or the block and the place in it where one would stand.
    #[inline(never)]
    pub(super) fn find(&self, compare: &mut dyn FnMut(usize) -> Ordering) -> Result<usize, (usize, usize)> {
        let begins_before = |block: &Vec<u32>, compare: &mut dyn FnMut(usize) -> Ordering| match block.first()
        {
            Some(place) => compare(*place as usize).is_le(),
            None => false,
        };
        let block = self.more.partition_point(|block| begins_before(block, compare));
        let places = self.block(block);
        match places.binary_search_by(|place| compare(*place as usize)) {
            Ok(at) => Ok(places.get(at).map_or(0, |place| *place as usize)),
            Err(at) => Err((block, at)),
        }
    }

    /// A further place where [`Order::find`] said.
    #[inline(never)]
    pub(super) fn insert(&mut self, (block, at): (usize, usize), place: usize) {
        let Some(places) = self.block_mut(block) else { return };
        places.insert(at.min(places.len()), u32::try_from(place).unwrap_or(u32::MAX));
        if places.len() > BLOCK {
            // A list that grows at its end stays full, as most do.
            let is_last = at + 1 == places.len();
            let behind = places.split_off(if is_last { BLOCK } else { BLOCK / 2 });
            self.more.insert(block.min(self.more.len()), behind);
        }
    }

    /// Forgets a place of a list of so many entries, the last of which takes it; `compare` compares the entries at two places.
    #[inline(never)]
    pub(super) fn remove(
        &mut self,
        place: usize,
        length: usize,
        compare: &mut dyn FnMut(usize, usize) -> Ordering,
    ) {
        let last = length.saturating_sub(1);
        let spot = self.spot(place, &mut |at| compare(at, place));
        let moved = self.spot(last, &mut |at| compare(at, last));
        if let (Some((block, at)), true) = (moved, last != place)
            && let Some(known) = self.block_mut(block).and_then(|places| places.get_mut(at))
        {
            *known = u32::try_from(place).unwrap_or(u32::MAX);
        }
        if let Some((block, at)) = spot
            && let Some(places) = self.block_mut(block).filter(|places| at < places.len())
        {
            places.remove(at);
            if places.is_empty() && block > 0 {
                self.more.remove(block - 1);
            }
        }
    }

    /// In which block a place is that is known, and where in it.
    fn spot(&self, place: usize, compare: &mut dyn FnMut(usize) -> Ordering) -> Option<(usize, usize)> {
        let block = self.more.partition_point(|block| {
            block.first().is_some_and(|first| *first as usize == place || compare(*first as usize).is_le())
        });
        let at = self.block(block).iter().position(|known| *known as usize == place)?;
        Some((block, at))
    }

    pub(super) fn places(&self) -> Places<'_> {
        Places { order: self, from: (0, 0), to: (self.more.len(), self.block(self.more.len()).len()) }
    }

    /// All places.
    #[inline(never)]
    pub(super) fn all(&self) -> Vec<usize> {
        self.places().collect()
    }
}

/// The places in their order.
#[derive(Clone, Debug)]
pub(super) struct Places<'a> {
    order: &'a Order,
    from: (usize, usize),
    to: (usize, usize),
}

impl Iterator for Places<'_> {
    type Item = usize;

    #[inline(never)]
    fn next(&mut self) -> Option<usize> {
        while self.from < self.to {
            let (block, at) = self.from;
            if let Some(place) = self.order.block(block).get(at) {
                self.from = (block, at + 1);
                return Some(*place as usize);
            }
            self.from = (block + 1, 0);
        }
        None
    }
}

impl DoubleEndedIterator for Places<'_> {
    #[inline(never)]
    fn next_back(&mut self) -> Option<usize> {
        while self.from < self.to {
            let (block, at) = self.to;
            if let Some(at) = at.checked_sub(1) {
                self.to = (block, at);
                return self.order.block(block).get(at).map(|place| *place as usize);
            }
            let block = block.checked_sub(1)?;
            self.to = (block, self.order.block(block).len());
        }
        None
    }
}
