//! Pods that a search has kept, as templates of what makes Pods.
//!
//! In: the objects that were kept. Out: requests for controllers.

use crate::objects::admissible::without_ephemeral;
use crate::objects::kinds::{CONTROLLERS, Target, in_controller};
use crate::reads::field_path::{Elements, put};
use crate::search::Search;
use crate::search::cells::Cells;
use crate::sides::side::Side;
use engine_json::{Map, Path, Value};

/// In how many kept Pods each cell is tried where there are exceptions.
const MAX_EXCEPTED: usize = 12;
/// Of how many kept Pods the labels and annotations are tried in a template alone, and in its controller alone; and of how many where
/// controllers are looked at less.
const MAX_APART: usize = 20;
const FEW_APART: usize = 3;
/// What a template and its controller have each for itself.
const OWN_METADATA: [&str; 2] = ["labels", "annotations"];

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
            let most = if at < 2 || is_target { MAX_APART } else { FEW_APART };
            self.apart(&kept, (version, kind), most, until);
        }
    }

    /// Controllers that have other labels and annotations than their templates: one without any, and one with those of another Pod. What is asked
    /// about a Pod is asked about the template by autogen of ClusterPolicies, and about either by a rewrite.
    fn apart(&mut self, kept: &[Value], (version, kind): (&str, &str), most: usize, until: usize) {
        let read = self.reads.object.fields.get("metadata");
        let read: Vec<&'static str> = OWN_METADATA
            .into_iter()
            .filter(|field| read.is_some_and(|read| read.fields.contains_key(*field)))
            .collect();
        let has_any = |pod: &&Value| read.iter().any(|field| pod.find(&["metadata", field]).is_some());
        let is_new_pod = |pod: &&Value| pod.find_str(&["kind"]) == "Pod" && without_ephemeral(pod).is_none();
        let pods: Vec<&Value> = kept.iter().filter(is_new_pod).filter(has_any).take(most).collect();
        let bare = Value::object(Map::new());
        let all = pods.iter().enumerate();
        let tries = all.flat_map(|(at, pod)| {
            let other = pods.get((at + 1) % pods.len()).copied().unwrap_or(&bare);
            [(*pod, &bare), (&bare, *pod), (*pod, other)].map(|metadata| (*pod, metadata))
        });
        for (pod, (of_template, of_controller)) in tries {
            if self.is_over(until) {
                return;
            }
            let mut template = pod.clone();
            for field in OWN_METADATA {
                let path = Path::from_keys(&["metadata", field]);
                template.put(&path, of_template.at_path(path.iter()).cloned());
            }
            let mut object = in_controller(&template, version, kind, &Value::Null);
            for field in OWN_METADATA {
                let path = Path::from_keys(&["metadata", field]);
                object.put(&path, of_controller.at_path(path.iter()).cloned());
            }
            let request = self.bringing(object);
            self.try_one(request);
        }
    }
}
