//! What an API server fills in, written with other values: a difference that is gone with what is filled in may be there with another value.
//!
//! In: objects that differ as they are written alone, and the values of each place. Out: the same objects with a value in one place that an
//! API server would fill in. Example: an image without a tag is pulled `Always` where nothing else is written.

use crate::objects::defaults::defaulted;
use crate::reads::field_path::{Elements, Step, put};
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
            let is_filled_in = |one: &&Cells| !is_there(object, &one.path) && is_there(&filled, &one.path);
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

/// Whether something stands at a place, in any element of the lists on the way.
fn is_there(value: &Value, path: &[Step]) -> bool {
    match path.split_first() {
        None => true,
        Some((Step::Key(key), rest)) => value.get(key).is_some_and(|below| is_there(below, rest)),
        Some((Step::Each, rest)) => {
            value.as_array().is_some_and(|list| list.iter().any(|element| is_there(element, rest)))
        }
    }
}
