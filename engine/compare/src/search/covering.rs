//! Rows in which the values of any three places meet.
//!
//! In: how many values each place has. Out: one row after another, each with a number for each place, until every three values of three places
//! have met in some row. Each row begins with three values that have not met yet, and takes for each further place the value that brings
//! most of those together that have not: the greedy way of AETG and IPOG.

use crate::search::random::Random;

/// How many places are combined.
pub(crate) const MAX_PLACES: usize = 20;
/// How many values of one place are combined.
pub(crate) const MAX_VALUES: usize = 7;

/// The rows that are still to come.
pub(crate) struct Covering {
    sizes: Vec<usize>,
    /// For each three places, one after another, whether three of their values have met.
    met: Vec<bool>,
    /// Where the values of three places begin in it.
    starts: Vec<usize>,
    /// Before this, everything has met.
    first: usize,
}

impl Covering {
    /// Nothing has met yet; places and values beyond the bounds are left out.
    pub(crate) fn new(sizes: &[usize]) -> Self {
        let sizes: Vec<usize> =
            sizes.iter().take(MAX_PLACES).map(|size| (*size).clamp(1, MAX_VALUES)).collect();
        let mut starts = Vec::new();
        let mut all = 0;
        for [one, two, three] in triples(sizes.len()) {
            starts.push(all);
            all += size(&sizes, one) * size(&sizes, two) * size(&sizes, three);
        }
        Covering { sizes, met: vec![false; all], starts, first: 0 }
    }

    /// The next row; nothing once all have met, or where there are fewer than three places.
    pub(crate) fn next_row(&mut self, random: &mut Random) -> Option<Vec<usize>> {
        while *self.met.get(self.first)? {
            self.first += 1;
        }
        let mut row: Vec<Option<usize>> = vec![None; self.sizes.len()];
        for (place, value) in self.values_of(self.first)? {
            *row.get_mut(place)? = Some(value);
        }
        let begin = random.below(self.sizes.len());
        for step in 0..self.sizes.len() {
            let place = (begin + step) % self.sizes.len();
            if row.get(place)?.is_none() {
                let best = self.best(place, &row, random);
                *row.get_mut(place)? = Some(best);
            }
        }
        let row: Vec<usize> = row.into_iter().map(Option::unwrap_or_default).collect();
        for (number, [one, two, three]) in triples(self.sizes.len()).enumerate() {
            let at = self.index(number, [one, two, three], [one, two, three].map(|place| value(&row, place)));
            if let Some(met) = self.met.get_mut(at) {
                *met = true;
            }
        }
        Some(row)
    }

    /// The value of a place that brings most together that has not met, among those of the places that are decided.
    fn best(&self, place: usize, row: &[Option<usize>], random: &mut Random) -> usize {
        let mut gains = vec![0_usize; size(&self.sizes, place)];
        let decided: Vec<(usize, usize)> =
            row.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
        for (at, (one, first)) in decided.iter().enumerate() {
            for (two, second) in decided.iter().skip(at + 1) {
                for (candidate, gain) in gains.iter_mut().enumerate() {
                    let mut three = [(*one, *first), (*two, *second), (place, candidate)];
                    three.sort_unstable();
                    let places = three.map(|(place, _)| place);
                    let at = self.index(self.number(places), places, three.map(|(_, value)| value));
                    *gain += usize::from(self.met.get(at) == Some(&false));
                }
            }
        }
        let most = gains.iter().copied().max().unwrap_or(0);
        let best: Vec<usize> = gains
            .iter()
            .enumerate()
            .filter(|(_, gain)| **gain == most)
            .map(|(candidate, _)| candidate)
            .collect();
        random.of(&best).copied().unwrap_or(0)
    }

    /// The number of three places among all threes.
    fn number(&self, [one, two, three]: [usize; 3]) -> usize {
        let count = self.sizes.len();
        let pairs_from = |at: usize| (count - at) * (count - at).saturating_sub(1) / 2;
        let before: usize = (0..one).map(|first| pairs_from(first + 1)).sum();
        let within: usize = (one + 1..two).map(|second| count - second - 1).sum();
        before + within + (three - two - 1)
    }

    /// Where it stands whether these values of three places have met.
    fn index(&self, number: usize, [_, two, three]: [usize; 3], values: [usize; 3]) -> usize {
        let [first, second, third] = values;
        let within = (first * size(&self.sizes, two) + second) * size(&self.sizes, three) + third;
        self.starts.get(number).copied().unwrap_or(0) + within
    }

    /// The places and values that stand for an index.
    fn values_of(&self, index: usize) -> Option<[(usize, usize); 3]> {
        let number = self.starts.partition_point(|start| *start <= index).checked_sub(1)?;
        let [one, two, three] = triples(self.sizes.len()).nth(number)?;
        let within = index - self.starts.get(number)?;
        let (third, rest) = (within % size(&self.sizes, three), within / size(&self.sizes, three));
        let (second, first) = (rest % size(&self.sizes, two), rest / size(&self.sizes, two));
        Some([(one, first), (two, second), (three, third)])
    }
}

fn size(sizes: &[usize], place: usize) -> usize {
    sizes.get(place).copied().unwrap_or(1)
}

fn value(row: &[usize], place: usize) -> usize {
    row.get(place).copied().unwrap_or(0)
}

/// All threes of so many places, in order.
fn triples(count: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..count).flat_map(move |one| {
        (one + 1..count).flat_map(move |two| (two + 1..count).map(move |three| [one, two, three]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sizes: &[usize]) -> Vec<Vec<usize>> {
        let (mut covering, mut random) = (Covering::new(sizes), Random(1));
        std::iter::from_fn(|| covering.next_row(&mut random)).collect()
    }

    #[test]
    fn any_three_values_of_three_places_meet() {
        for sizes in [vec![2, 2, 2], vec![2, 3, 4, 5], vec![3; 9], vec![1, 5, 2, 2, 7, 3], vec![2; 14]] {
            let rows = rows(&sizes);
            assert!(rows.iter().all(|row| row.iter().zip(&sizes).all(|(value, size)| value < size)));
            for [one, two, three] in triples(sizes.len()) {
                for first in 0..sizes[one] {
                    for second in 0..sizes[two] {
                        for third in 0..sizes[three] {
                            let meets = |row: &&Vec<usize>| {
                                (row[one], row[two], row[three]) == (first, second, third)
                            };
                            assert!(rows.iter().any(|row| meets(&row)), "{sizes:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn there_are_few_rows_and_bounds() {
        // Fewer than a tenth of all combinations, and not more than a row for each three values.
        assert!(rows(&[3; 9]).len() < 140, "{}", rows(&[3; 9]).len());
        assert!(rows(&[2; 14]).len() < 40, "{}", rows(&[2; 14]).len());
        assert!(rows(&[4, 4]).is_empty());
        let row = rows(&[99; 25]).swap_remove(0);
        assert_eq!((row.len(), row.iter().all(|value| *value < MAX_VALUES)), (MAX_PLACES, true));
    }
}
