//! Requests in which many places have other values at once.
//!
//! In: the cells of a kind. Out: requests in which the cells of any three places meet, and such with random ones.

use crate::objects::kinds::{Target, smallest};
use crate::reads::field_path::{Elements, put};
use crate::request::Attributes;
use crate::search::Search;
use crate::search::cells::Cells;
use crate::search::covering::{self, Covering};
use engine_json::Value;

impl Search<'_, '_> {
    /// Rows in which the cells of any three places meet, then rows of random cells.
    pub(crate) fn rows(&mut self, target: &Target, cells: &[Cells], until: usize) {
        let base = smallest(target, self.schema);
        let attributes = self.attributes_to_try();
        let start = self.found.tried;
        self.covering(&base, cells, &attributes, start + until.saturating_sub(start) / 2);
        while !self.is_over(until) && !cells.is_empty() {
            let mut object = base.clone();
            let one_in = 1 + self.random.below(4);
            for cells in cells {
                if self.random.below(one_in) == 0 {
                    self.change(&mut object, cells);
                }
            }
            self.copy_linked(&mut object);
            let request = self.with_attributes(object, &attributes);
            self.try_one(request);
        }
    }

    /// Rows in which any three cells meet, of as many places as are combined: of the others, and of further cells, some are drawn.
    fn covering(&mut self, base: &Value, cells: &[Cells], attributes: &[Attributes], until: usize) {
        let mut drawn: Vec<Cells> = cells.to_vec();
        while drawn.len() > covering::MAX_PLACES {
            drawn.swap_remove(self.random.below(drawn.len()));
        }
        for cells in &mut drawn {
            // One cell less stands for what the smallest object has there.
            while cells.values.len() >= covering::MAX_VALUES {
                cells.values.swap_remove(self.random.below(cells.values.len()));
            }
        }
        let sizes: Vec<usize> = drawn.iter().map(|cells| cells.values.len() + 1).collect();
        let mut rows = Covering::new(&sizes);
        while !self.is_over(until) {
            let Some(row) = rows.next_row(&mut self.random) else { return };
            let mut object = base.clone();
            let which = [Elements::First, Elements::All, Elements::Further];
            let which = self.random.of(&which).copied().unwrap_or(Elements::All);
            for (cells, at) in drawn.iter().zip(row) {
                if let Some(value) = at.checked_sub(1).and_then(|at| cells.values.get(at)) {
                    put(&mut object, &cells.path, value.as_ref(), which, self.schema);
                }
            }
            let request = self.with_attributes(object, attributes);
            self.try_one(request);
        }
    }
}
