//! Pods that a search has kept, as templates of what makes Pods.
//!
//! In: the objects that were kept. Out: requests for controllers.

use crate::objects::admissible::without_ephemeral;
use crate::objects::kinds::{CONTROLLERS, Target, in_controller};
use crate::reads::field_path::{Elements, put};
use crate::search::Search;
use crate::search::cells::Cells;
use crate::sides::side::Side;
use engine_json::Value;

/// In how many kept Pods each cell is tried where there are exceptions.
const MAX_EXCEPTED: usize = 12;

impl Search<'_, '_> {
    /// Each cell in kept Pods as templates, where there are exceptions: what lies in a Pod that one of them lets in takes no new branch, so it is
    /// not kept, and an exception for Pods need not be one for what makes them.
    pub(crate) fn cells_in_controllers(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let has_exceptions = |side: &Side<'_>| {
            let bundle = &side.bundle;
            !bundle.other_exceptions.is_empty()
                || bundle
                    .documents
                    .iter()
                    .any(|document| document.value.find_str(&["kind"]) == "PolicyException")
        };
        if ![self.old, self.new].into_iter().any(has_exceptions) {
            return;
        }
        let kept: Vec<Value> = self.found.kept_of(kind).take(MAX_EXCEPTED).cloned().collect();
        for pod in kept.iter().filter(|pod| without_ephemeral(pod).is_none()) {
            for one in cells {
                for value in &one.values {
                    let mut changed = pod.clone();
                    put(&mut changed, &one.path, value.as_ref(), Elements::All, self.schema);
                    for (version, kind) in CONTROLLERS.iter().take(2) {
                        if self.is_over(until) {
                            return;
                        }
                        let request = self.bringing(in_controller(&changed, version, kind, &Value::Null));
                        self.try_one(request);
                    }
                }
            }
        }
    }

    /// The kept Pods as templates of controllers.
    pub(crate) fn in_controllers(&mut self, kind: &str, targets: &[Target], until: usize) {
        let kept: Vec<Value> = self.found.suspects.iter().chain(self.found.kept_of(kind)).cloned().collect();
        let nothing = Value::Null;
        for (at, (version, kind)) in CONTROLLERS.iter().enumerate() {
            let is_target = targets.iter().any(|target| target.kind == *kind);
            // Two controllers stand for two variants of autogen; the others are looked at less.
            let most = if at < 2 || is_target { 150 } else { 25 };
            for pod in kept
                .iter()
                .filter(|pod| without_ephemeral(pod).is_none())
                .filter(|object| object.find_str(&["kind"]) == "Pod")
                .take(most)
            {
                if self.is_over(until) {
                    return;
                }
                let request = self.bringing(in_controller(pod, version, kind, &nothing));
                self.try_one(request);
            }
        }
    }
}
