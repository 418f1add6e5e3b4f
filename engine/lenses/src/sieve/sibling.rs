//! The other Pods of one controller: how their names go, and one that stands for all of them.
//!
//! In: a workload and the resources beside it. Out: the pattern of the names of its Pods, and a Pod of another name that an
//! exemption for them has to let in as well.

use super::edit::{Edit, edited};
use super::legit::key;
use super::pod::{map, spec_of};
use super::runner::{Case, TrialRunner};
use engine::resource::Resource;
use engine_json::{Path, Value};

/// What stands at the end of the name that is made.
const END: &str = "7c9f4d5b8-q2x5k";

/// A Pod of the same controller, of a name that nobody has written down.
#[derive(Clone, Debug)]
pub(super) struct SiblingPod {
    pub(super) case: Case,
    /// Who refuses it for other reasons.
    ignored: Vec<(String, String)>,
}

impl SiblingPod {
    /// The one of a workload that a rule refuses, as policy and rule; none where that rule does not refuse it.
    pub(super) fn of(
        runner: &TrialRunner<'_>,
        workload: &Resource,
        names: Option<&str>,
        rule: &(String, String),
    ) -> Option<SiblingPod> {
        let object = made(workload, names?)?;
        let case = Case::of(object);
        let (own, ignored): (Vec<_>, Vec<_>) =
            runner.refusals(&case).iter().map(key).partition(|refused| refused == rule);
        (!own.is_empty()).then_some(SiblingPod { case, ignored })
    }

    /// Whether a runner lets it in.
    pub(super) fn is_in(&self, runner: &TrialRunner<'_>) -> bool {
        runner.refusals(&self.case).iter().map(key).all(|refused| self.ignored.contains(&refused))
    }
}

/// The Pod of a workload, with another name of this pattern.
fn made(workload: &Resource, names: &str) -> Option<Value> {
    let name =
        Edit::Set(Path::from_keys(&["metadata", "name"]), Value::from(names.replace('*', END).as_str()));
    if workload.kind() == "Pod" {
        return edited(&workload.value, &[name]);
    }
    let spec = spec_of(&workload.value)?;
    let template = spec.parent();
    let metadata = workload.value.at_path(template.join("metadata").iter()).cloned();
    let pod = map([
        ("apiVersion", "v1".into()),
        ("kind", "Pod".into()),
        ("metadata", metadata.filter(|known| known.as_object().is_some()).unwrap_or_else(|| map([]))),
        ("spec", workload.value.at_path(spec.iter())?.clone()),
    ]);
    let namespace = Value::from(workload.namespace());
    edited(&pod, &[name, Edit::Set(Path::from_keys(&["metadata", "namespace"]), namespace)])
}

/// The pattern of the names of a workload's Pods: of a workload by its own name; of a Pod by its owner, by
/// `generateName`, or by a workload among the resources whose Pods look like it. None for a Pod that stands alone.
pub(super) fn names(workload: &Resource, resources: &[Resource]) -> Option<String> {
    if workload.kind() != "Pod" {
        return Some(format!("{}-*", workload.name_or_generate_name()));
    }
    let pod = &workload.value;
    // A Deployment's Pods bear the hash of their ReplicaSet, which the next release changes.
    let hash = pod.find_str(&["metadata", "labels", "pod-template-hash"]);
    let of_maker = |name: &str| {
        let name = name.trim_end_matches('-');
        let base = name.strip_suffix(hash).filter(|base| !hash.is_empty() && base.ends_with('-'));
        format!("{}-*", base.unwrap_or(name).trim_end_matches('-'))
    };
    let owners = pod.find(&["metadata", "ownerReferences"]).and_then(Value::as_array).unwrap_or_default();
    let is_maker = |owner: &&Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
    let owner = owners.iter().find(is_maker).or(owners.first()).map_or("", |owner| owner.find_str(&["name"]));
    let generated = pod.find_str(&["metadata", "generateName"]);
    if !owner.is_empty() && workload.name().starts_with(owner) {
        return Some(of_maker(owner));
    }
    if !generated.is_empty() {
        return Some(of_maker(generated));
    }
    let maker = resources.iter().find(|maker| makes(maker, workload))?;
    Some(format!("{}-*", maker.name()))
}

/// Whether a Pod looks like one of a workload's: by namespace, the beginning of its name and the labels of the template.
fn makes(maker: &Resource, pod: &Resource) -> bool {
    let Some(spec) = spec_of(&maker.value).filter(|_| maker.kind() != "Pod") else { return false };
    let labels = spec.parent();
    let labels =
        maker.value.at_path(labels.join("metadata").join("labels").iter()).and_then(Value::as_object);
    let has = |(key, value): (&engine_json::Str, &Value)| {
        pod.value.find(&["metadata", "labels", key]).is_some_and(|found| found == value)
    };
    maker.namespace() == pod.namespace()
        && pod.name().strip_prefix(maker.name()).is_some_and(|rest| rest.starts_with('-'))
        && labels.is_some_and(|labels| labels.iter().next().is_some() && labels.iter().all(has))
}
