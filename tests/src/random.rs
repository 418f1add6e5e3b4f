//! Seeded choices that can be made again: random texts and cases that are the same in every run, and shrink.
//!
//! In: a seed. Out: numbers; and every number that was given, so that the same case, or a smaller one, can be made of
//! the list. What makes a case takes 0 for the plainest thing, so that a shorter list makes a plainer case.

/// Where numbers come from.
#[derive(Clone, Debug)]
pub struct Choices {
    state: u64,
    /// The numbers to give instead; zeros behind their end.
    again: Option<Vec<u64>>,
    /// The numbers that were given.
    pub taken: Vec<u64>,
}

impl Choices {
    /// New numbers.
    pub fn new(seed: u64) -> Self {
        Choices { state: seed, again: None, taken: Vec::new() }
    }

    /// These numbers, and zeros behind them.
    pub fn again(numbers: &[u64]) -> Self {
        Choices { state: 0, again: Some(numbers.to_vec()), taken: Vec::new() }
    }

    /// The next number: SplitMix64.
    pub fn number(&mut self) -> u64 {
        let number = if let Some(again) = &self.again {
            again.get(self.taken.len()).copied().unwrap_or_default()
        } else {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        };
        self.taken.push(number);
        number
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.number() % bound).unwrap_or_default()
    }

    /// True once in so many times; never for the number 0.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// One of these.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or("")
    }

    /// These in another order.
    pub fn shuffled<T: Clone>(&mut self, list: &[T]) -> Vec<T> {
        let mut rest = list.to_vec();
        (0..list.len()).map(|_| rest.remove(self.below(rest.len()))).collect()
    }
}

/// How many smaller lists are tried.
const MAX_TRIES: usize = 3_000;

/// A list of choices that still fails and of which little can be taken away.
pub fn shrunk(numbers: &[u64], fails: impl Fn(&[u64]) -> bool) -> Vec<u64> {
    let mut best = numbers.to_vec();
    let mut tries = 0;
    let mut size = best.len().div_ceil(2);
    while size > 0 && tries < MAX_TRIES {
        let mut at = 0;
        while at < best.len() && tries < MAX_TRIES {
            let end = (at + size).min(best.len());
            let without: Vec<u64> = best.iter().take(at).chain(best.iter().skip(end)).copied().collect();
            let zeroed: Vec<u64> =
                (0..).zip(&best).map(|(n, x)| if n >= at && n < end { 0 } else { *x }).collect();
            tries += 2;
            if fails(&without) {
                best = without;
            } else if zeroed != best && fails(&zeroed) {
                best = zeroed;
                at = end;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    best
}
