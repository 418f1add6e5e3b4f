//! The smallest request that still shows a difference.
//!
//! In: a request on which two sides differ. Out: one with nothing in it that could be left out: each field is taken away in turn, and
//! stays away where the difference stays. What an API server asks of every object stays.

use crate::difference::{By, Direction, difference};
use crate::place::paths;
use crate::possible::is_possible;
use crate::schema::Schema;
use crate::side::{Depth, Side};
use crate::witness::{Around, Operation, Witness};
use engine_json::{Path, Segment};

/// How many requests are tried for one difference.
const MAX_TRIES: usize = 1_500;

/// What a difference is shrunk by.
pub(crate) struct Shrinking<'s, 'w> {
    /// The old side.
    pub(crate) old: &'s Side<'w>,
    /// The new side.
    pub(crate) new: &'s Side<'w>,
    /// What is compared.
    pub(crate) by: By,
    /// The fields of Kubernetes' kinds.
    pub(crate) schema: &'s Schema,
}

impl Shrinking<'_, '_> {
    /// The smallest request.
    pub(crate) fn smallest(&self, witness: &Witness, direction: Direction) -> Witness {
        let mut best = self.plainer(witness.clone(), direction);
        let mut tries = 0;
        loop {
            let mut is_smaller = false;
            // Deep places last, so that whole branches go first; the last elements of a list before the first.
            let mut all = paths(&best.object);
            all.sort_by_key(|path| (path.len(), std::cmp::Reverse(path.clone())));
            for path in all {
                if tries == MAX_TRIES {
                    return best;
                }
                if is_needed(&path) || best.object.at_path(path.iter()).is_none() {
                    continue;
                }
                tries += 1;
                let mut smaller = best.clone();
                smaller.object.put(&path, None);
                if let Some(old) = smaller.around.old.as_mut() {
                    old.put(&path, None);
                }
                if self.still(&smaller, direction) {
                    best = smaller;
                    is_smaller = true;
                }
            }
            if !is_smaller {
                return best;
            }
        }
    }

    fn still(&self, witness: &Witness, direction: Direction) -> bool {
        if !is_possible(witness, self.schema) {
            return false;
        }
        let differs = |witness: &Witness| {
            let old = self.old.ask(witness, Depth::Decision);
            let new = self.new.ask(witness, Depth::Decision);
            difference(&old, &new, self.by, &witness.object) == Some(direction)
        };
        differs(witness) && differs(&witness.arrived())
    }

    /// The same object in plainer surroundings, where they do not matter.
    fn plainer(&self, witness: Witness, direction: Direction) -> Witness {
        let created = Witness { around: Around::plain(), ..witness.clone() };
        if self.still(&created, direction) {
            return created;
        }
        let mut best = witness;
        let with = |change: &dyn Fn(&mut Around)| {
            let mut plainer = best.clone();
            change(&mut plainer.around);
            plainer
        };
        let mut tries =
            vec![with(&|around| around.labels.clear()), with(&|around| around.user = Around::plain().user)];
        if best.around.operation == Operation::Update {
            let unchanged = best.object.clone();
            tries.push(with(&|around| around.old = Some(unchanged.clone())));
        }
        if let Some(plainer) = tries.into_iter().find(|plainer| self.still(plainer, direction)) {
            best = plainer;
        }
        best
    }
}

/// What every object has.
fn is_needed(path: &Path) -> bool {
    let keys: Vec<&str> = path
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) => "[]",
        })
        .collect();
    matches!(
        keys.as_slice(),
        ["apiVersion" | "kind" | "metadata" | "spec"]
            | ["metadata", "name" | "namespace"]
            | [.., "containers" | "initContainers" | "ephemeralContainers", "[]", "name" | "image"]
            | [.., "containers" | "template" | "jobTemplate"]
            | [.., "template", "spec"]
            | ["spec", "jobTemplate", "spec"]
    )
}
