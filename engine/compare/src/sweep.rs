//! Changes to one object, one place after another.
//!
//! In: an object and the cells of its kind. Out: requests in which one place has another value, or two; and the object of which least fails.

use crate::objects::schema::Schema;
use crate::reads::field_path::{Elements, put};
use crate::search::cells::Cells;
use crate::search::{Frontier, Search};
use engine_json::Value;
use std::ops::Range;

/// How often all cells are gone through to make less of an object fail.
const MAX_CLIMBS: usize = 3;
/// How many changes are swept over one kept request.
const MAX_SWEEP: usize = 900;
/// How many values of each place are tried before further ones of any, where there are too many to try them all.
const FIRST_VALUES: usize = 8;
/// How many places that a policy names are tried two at a time, and how many values of each.
const MAX_PAIRED: usize = 8;
const MAX_PAIRED_VALUES: usize = 8;

impl Search<'_, '_> {
    /// An object of which less fails than of the base, cell by cell: what lets it in may only show beside it. `None` where nothing fails.
    pub(crate) fn climb(&mut self, base: &Value, cells: &[Cells], until: usize) -> Option<Value> {
        let request = self.bringing(base.clone());
        self.try_one(request);
        let mut left = self.found.last_failures.filter(|failures| *failures > 0)?;
        let mut best = base.clone();
        // The first values of all places come before further ones of any: mostly one of them is enough, and the requests are few.
        for ranks in [0..FIRST_VALUES, FIRST_VALUES..MAX_SWEEP] {
            for _ in 0..MAX_CLIMBS {
                let before = left;
                self.climb_by(&mut best, &mut left, (cells, ranks.clone()), until);
                if left == before || left == 0 {
                    break;
                }
            }
        }
        (best != *base).then_some(best)
    }

    /// Values of these ranks of each place, of which each stays that makes less fail.
    fn climb_by(
        &mut self,
        best: &mut Value,
        left: &mut usize,
        (cells, ranks): (&[Cells], Range<usize>),
        until: usize,
    ) {
        let longest = cells.iter().map(|cells| cells.values.len()).max().unwrap_or(0);
        for rank in ranks.start..ranks.end.min(longest) {
            for cells in cells {
                if *left == 0 || self.is_over(until) {
                    return;
                }
                let Some(value) = cells.values.get(rank) else { continue };
                let mut object = best.clone();
                put(&mut object, &cells.path, value.as_ref(), Elements::All, self.schema);
                if object == *best {
                    continue;
                }
                let request = self.bringing(object.clone());
                // Of an update less may fail because it failed before.
                if request.attributes.operation != self.bringing(best.clone()).attributes.operation {
                    continue;
                }
                self.try_one(request);
                if let Some(failures) = self.found.last_failures.filter(|failures| *failures < *left) {
                    (*best, *left) = (object, failures);
                }
            }
        }
    }

    /// Each cell of each place in turn.
    pub(crate) fn sweep(&mut self, base: &Value, cells: &[Cells], until: usize) {
        let count: usize = cells.iter().map(|cells| cells.values.len()).sum();
        let tries = |cells: &Cells| cells.values.len() * if cells.is_in_list { 3 } else { 1 };
        let left = until.saturating_sub(self.found.tried + self.found.impossible / 4).max(1);
        // Where not all can be tried, the last places are not the ones that are left out.
        let planned: usize = cells.iter().map(tries).sum();
        let one_in = (count / MAX_SWEEP).max(planned / left).max(1);
        if one_in > 1 {
            self.sweep_first(base, cells, until);
        }
        for cells in cells {
            for value in &cells.values {
                if one_in > 1 && self.random.below(one_in) != 0 {
                    continue;
                }
                for which in elements(cells) {
                    if self.is_over(until) {
                        return;
                    }
                    let mut object = base.clone();
                    put(&mut object, &cells.path, value.as_ref(), *which, self.schema);
                    self.try_object(base, object);
                }
            }
        }
    }

    /// Each cell of each place in turn, the first values first; where one takes a branch that none before has taken, the rest waits.
    pub(crate) fn sweep_on(&mut self, from: Frontier, cells: &[Cells], until: usize) {
        let Frontier { object: base, failures, rank } = from;
        let known = self.found.frontier.len();
        let longest = cells.iter().map(|cells| cells.values.len()).max().unwrap_or(0);
        for rank in rank..longest {
            for cells in cells {
                let Some(value) = cells.values.get(rank) else { continue };
                let mut first = None;
                for which in elements(cells).iter().chain(cells.is_in_list.then_some(&Elements::Last)) {
                    if self.is_over(until) {
                        return;
                    }
                    let mut object = base.clone();
                    put(&mut object, &cells.path, value.as_ref(), *which, self.schema);
                    // The last of one is the first.
                    if *which == Elements::Last && first.as_ref() == Some(&object) {
                        continue;
                    }
                    first.get_or_insert_with(|| object.clone());
                    self.try_object(&base, object);
                }
            }
            if self.found.frontier.len() > known {
                self.found.frontier.insert(known, Frontier { object: base, failures, rank: rank + 1 });
                return;
            }
        }
    }

    /// The first values of each place, of which no place has so many that others are left without a try.
    fn sweep_first(&mut self, base: &Value, cells: &[Cells], until: usize) {
        for rank in 0..FIRST_VALUES {
            for cells in cells {
                if self.is_over(until) {
                    return;
                }
                if let Some(value) = cells.values.get(rank) {
                    self.try_object(base, with_cell(base, cells, value.as_ref(), self.schema));
                }
            }
        }
    }

    /// Any two values of any two places that a policy names, the first values first: an exception for an image shows only beside what it excepts.
    pub(crate) fn paired(&mut self, base: &Value, cells: &[Cells], until: usize) {
        let named: Vec<&Cells> =
            cells.iter().filter(|cells| self.reads.named.contains(&cells.path)).take(MAX_PAIRED).collect();
        for ranks in 0..2 * MAX_PAIRED_VALUES {
            for (at, one) in named.iter().enumerate() {
                for other in named.iter().skip(at + 1) {
                    for rank in 0..=ranks.min(MAX_PAIRED_VALUES) {
                        let values = (one.values.get(rank), other.values.get(ranks - rank));
                        let (Some(first), Some(second)) = values else { continue };
                        if self.is_over(until) {
                            return;
                        }
                        let object = with_cell(base, one, first.as_ref(), self.schema);
                        self.try_object(base, with_cell(&object, other, second.as_ref(), self.schema));
                    }
                }
            }
        }
    }

    /// The places that a policy names, beside each failure that was found alone: what is left out for an image shows beside what it is left out of.
    pub(crate) fn beside_failures(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let named: Vec<&Cells> =
            cells.iter().filter(|cells| self.reads.named.contains(&cells.path)).take(MAX_PAIRED).collect();
        if named.is_empty() {
            return;
        }
        let frontier = self.found.frontier.iter();
        let fails = |known: &&Frontier| known.failures > 0 && known.object.find_str(&["kind"]) == kind;
        let mut failing: Vec<(usize, Value)> =
            frontier.filter(fails).map(|known| (known.failures, known.object.clone())).collect();
        failing.sort_by_key(|(failures, _)| *failures);
        for rank in 0..MAX_PAIRED_VALUES {
            for (_, base) in &failing {
                for cells in &named {
                    if self.is_over(until) {
                        return;
                    }
                    if let Some(value) = cells.values.get(rank) {
                        self.try_object(base, with_cell(base, cells, value.as_ref(), self.schema));
                    }
                }
            }
        }
    }

    fn try_object(&mut self, base: &Value, object: Value) {
        if object != *base {
            let request = self.bringing(object);
            self.try_one(request);
        }
    }
}

/// In which elements the values of a place are tried.
fn elements(cells: &Cells) -> &'static [Elements] {
    if cells.is_in_list { &[Elements::First, Elements::Further, Elements::All] } else { &[Elements::First] }
}

/// The object with a value at a place, in every element of lists, and in a first one where there is none.
fn with_cell(base: &Value, cells: &Cells, value: Option<&Value>, schema: &Schema) -> Value {
    let mut object = base.clone();
    put(&mut object, &cells.path, value, Elements::All, schema);
    if object == *base {
        put(&mut object, &cells.path, value, Elements::First, schema);
    }
    object
}
