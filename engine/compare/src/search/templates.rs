//! Pods that a search has kept, as templates of what makes Pods.
//!
//! In: the objects that were kept. Out: requests for controllers.

use crate::objects::admissible::without_ephemeral;
use crate::objects::kinds::{CONTROLLERS, NamedKind, Target, custom_workloads, in_controller};
use crate::reads::field_path::{Elements, Step, put};
use crate::search::Search;
use crate::search::cells::Cells;
use crate::sides::side::Side;
use engine_json::{Map, Path, Str, Value};

/// In how many kept Pods each cell is tried where there are exceptions.
const MAX_EXCEPTED: usize = 12;
/// Of how many kept Pods the labels and annotations are tried in a template alone, and in its controller alone; and of how many where
/// controllers are looked at less.
const MAX_APART: usize = 20;
const FEW_APART: usize = 3;
/// What a template and its controller have each for itself.
const OWN_METADATA: [&str; 2] = ["labels", "annotations"];

/// Whether exceptions belong to a side.
fn has_exceptions(side: &Side<'_>) -> bool {
    let bundle = &side.bundle;
    let mut documents = bundle.documents.iter();
    !bundle.other_exceptions.is_empty()
        || documents.any(|document| document.value.find_str(&["kind"]) == "PolicyException")
}

/// Whether a text within a value names a kind: alone (`DaemonSet`, `apps/v1/DaemonSet`) or in an expression.
fn names(value: &Value, kind: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    match value {
        Value::String(text) => text.split(|letter| !is_part(letter)).any(|word| word == kind),
        Value::Array(list) => list.iter().any(|value| names(value, kind)),
        Value::Object(map) => map.values().any(|value| names(value, kind)),
        _ => false,
    }
}

impl Search<'_, '_> {
    /// Each cell in kept Pods as templates, first those of the metadata, where there are exceptions or policies name a kind of controllers: what
    /// lies in a Pod that one of them lets in takes no new branch, so it is not kept, and what is left out of controllers is not left out of Pods.
    pub(crate) fn cells_in_controllers(&mut self, kind: &str, cells: &[Cells], until: usize) {
        let named = self.named_controllers();
        let sides = [self.old, self.new];
        let mut controllers = named.clone();
        // One that is not named stands for all of them.
        let unnamed = CONTROLLERS.iter().filter(|controller| !named.contains(controller));
        controllers.extend(unnamed.take(match named.len() {
            0 if sides.into_iter().any(has_exceptions) => 2,
            0 => 0,
            _ => 1,
        }));
        if controllers.is_empty() {
            return;
        }
        let kept: Vec<Value> = self.found.kept_of(kind).take(MAX_EXCEPTED).cloned().collect();
        let pods: Vec<&Value> = kept.iter().filter(|pod| without_ephemeral(pod).is_none()).collect();
        let of_metadata = |one: &&Cells| one.path.first() == Some(&Step::Key(Str::new_static("metadata")));
        let (metadata, others): (Vec<&Cells>, Vec<&Cells>) = cells.iter().partition(of_metadata);
        for cells in [metadata, others] {
            for (pod, one) in pods.iter().flat_map(|pod| cells.iter().map(move |one| (*pod, *one))) {
                for value in &one.values {
                    let mut changed = pod.clone();
                    put(&mut changed, &one.path, value.as_ref(), Elements::All, self.schema);
                    for (version, kind) in &controllers {
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

    /// The kinds of controllers that a policy, an exception or an expression names.
    fn named_controllers(&self) -> Vec<(&'static str, &'static str)> {
        let is_named = |(_, kind): &&(&str, &str)| {
            let documents = [self.old, self.new].into_iter().flat_map(|side| &side.bundle.documents);
            documents.map(|document| &document.value).any(|value| names(value, kind))
        };
        CONTROLLERS.iter().filter(is_named).copied().collect()
    }

    /// The custom workloads in which a policy looks for templates.
    fn custom_workloads(&self) -> Vec<NamedKind> {
        let documents = [self.old, self.new].into_iter().flat_map(|side| &side.bundle.documents);
        documents.flat_map(|document| custom_workloads(&document.value)).collect()
    }

    /// The kept Pods as templates of controllers, and of custom workloads.
    pub(crate) fn in_controllers(&mut self, kind: &str, targets: &[Target], until: usize) {
        let kept: Vec<Value> = self.found.suspects.iter().chain(self.found.kept_of(kind)).cloned().collect();
        let (nothing, named) = (Value::Null, self.named_controllers());
        let custom = self.custom_workloads();
        let custom = targets.iter().filter(|target| custom.iter().any(|one| one.is_of(&target.kind)));
        let custom: Vec<_> = custom.map(|target| (&*target.version, &*target.kind)).collect();
        for (at, (version, kind)) in CONTROLLERS.iter().chain(&custom).enumerate() {
            let is_target = targets.iter().any(|target| target.kind == *kind);
            // Two controllers stand for two variants of autogen; the others are looked at less.
            let most = if at < 2 || is_target || named.contains(&(*version, *kind)) { 150 } else { 25 };
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
