//! What an API server fills in, written with other values: a difference that is gone with what is filled in may be there with another value.
//!
//! In: objects that differ as they are written alone, and the values of each place. Out: the same objects with a value in one place that an
//! API server would fill in. Example: an image without a tag is pulled `Always` where nothing else is written.

use crate::objects::defaults::defaulted;
use crate::reads::field_path::{Elements, put, values_at};
use crate::search::Search;
use crate::search::cells::Cells;
use engine_json::Value;

/// How many values of one place are tried.
const MAX_VALUES: usize = 5;

impl Search<'_, '_> {
    /// Tries them in the objects of a kind that were found so far.
    pub(super) fn beside_filled_in(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let all = self.found.suspects.iter().filter(|object| object.find_str(&["kind"]) == kind);
        let all: Vec<Value> = all.cloned().collect();
        for object in &all {
            let filled = defaulted(object);
            let is_there = |object: &Value, one: &Cells| !values_at(object, &one.path).is_empty();
            let is_filled_in = |one: &&Cells| !is_there(object, one) && is_there(&filled, one);
            for one in cells.iter().filter(is_filled_in) {
                for value in one.values.iter().filter(|value| value.is_some()).take(MAX_VALUES) {
                    if self.is_over(until) {
                        return;
                    }
                    let mut changed = object.clone();
                    put(&mut changed, &one.path, value.as_ref(), Elements::All, self.schema);
                    let request = self.bringing(changed);
                    self.try_one(request);
                }
            }
        }
    }
}
