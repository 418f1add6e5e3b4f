//! The Pod in an object: of a Pod itself, or the template of a workload.
//!
//! In: an object. Out: a [`PodView`] of its metadata and spec, with the way to both: of a Deployment
//! `spec.template.metadata` and `spec.template.spec`.

use engine_json::{Path, Segment, Value};

/// Metadata and spec of a Pod, wherever they stand.
#[derive(Clone, Debug)]
pub struct PodView<'v> {
    /// The metadata, of which the annotations are read; null where there is none.
    pub metadata: &'v Value,
    /// The Pod's spec; null where there is none.
    pub spec: &'v Value,
    /// The way to the metadata, from the root of the object.
    pub metadata_path: Path,
    /// The way to the spec, from the root of the object.
    pub spec_path: Path,
}

static NULL: Value = Value::Null;

impl<'v> PodView<'v> {
    /// The metadata and the spec at these keys of the object.
    pub fn at(object: &'v Value, metadata: &[&str], spec: &[&str]) -> PodView<'v> {
        PodView {
            metadata: object.find(metadata).unwrap_or(&NULL),
            spec: object.find(spec).unwrap_or(&NULL),
            metadata_path: Path::from_keys(metadata),
            spec_path: Path::from_keys(spec),
        }
    }

    /// The object itself as a Pod, whatever its kind says.
    pub fn whole(object: &'v Value) -> PodView<'v> {
        PodView::at(object, &["metadata"], &["spec"])
    }

    /// A path that begins at the Pod (`spec.containers[0]`) as a path that begins at the object.
    pub fn resolve(&self, path: &Path) -> Path {
        let mut steps = path.iter();
        let base = match steps.next() {
            Some(Segment::Key(key)) if key == "metadata" => &self.metadata_path,
            Some(Segment::Key(key)) if key == "spec" => &self.spec_path,
            Some(Segment::Key(_) | Segment::Index(_)) | None => return path.clone(),
        };
        base.iter().chain(steps).cloned().collect()
    }
}

/// The Pod that an object is or makes: Pods and the nine kinds of Kubernetes that hold a template of one.
///
/// `None` for other kinds, and for a ReplicationController without a template.
pub fn pod_of(object: &Value) -> Option<PodView<'_>> {
    let group = object.find_str(&["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group);
    let template = ["spec", "template"];
    match (group, object.find_str(&["kind"])) {
        ("", "Pod") => Some(PodView::whole(object)),
        ("", "PodTemplate") => Some(PodView::at(object, &["template", "metadata"], &["template", "spec"])),
        ("", "ReplicationController") if object.find(&template).is_none_or(Value::is_null) => None,
        ("", "ReplicationController")
        | ("apps" | "extensions", "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet")
        | ("batch", "Job") => Some(of_template(object)),
        ("batch", "CronJob") => Some(PodView::at(
            object,
            &["spec", "jobTemplate", "spec", "template", "metadata"],
            &["spec", "jobTemplate", "spec", "template", "spec"],
        )),
        _ => None,
    }
}

/// The Pod of an object whose template stands at `spec.template`.
pub(crate) fn of_template(object: &Value) -> PodView<'_> {
    PodView::at(object, &["spec", "template", "metadata"], &["spec", "template", "spec"])
}
