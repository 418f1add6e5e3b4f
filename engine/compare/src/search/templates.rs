//! Pods that a search has kept, as templates of what makes Pods.
//!
//! In: the objects that were kept. Out: requests for controllers.

use crate::objects::admissible::without_ephemeral;
use crate::objects::kinds::{CONTROLLERS, Target, in_controller};
use crate::search::Search;
use engine_json::Value;

impl Search<'_, '_> {
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
