//! JSON patches for Pods and for what holds templates of them: autogen leaves JSON patches as they stand.
//!
//! In: a rule whose strategic merge patch no configuration says. Out: patches for the kinds that it names, and for each way to a template patches
//! of their own, which become policies of their own.

use crate::expressions::access::Access;
use crate::expressions::formula::Formula;
use crate::expressions::types::Types;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::merged::{Merged, merged};
use crate::rules::mutate::{Form, Mutation, in_template_words, of_the_request, opened};
use crate::rules::validate::Parts;
use crate::select::Owner;
use engine_json::{Map, Path, Value};

/// The name of the condition on which a patch is made.
pub(crate) const CONDITION: &str = "patched";

/// A policy for what holds templates of Pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Apart {
    /// The end of its name.
    pub(crate) suffix: &'static str,
    /// The keys on the way to the template.
    pub(crate) holder: &'static str,
    /// The kinds.
    pub(crate) kinds: Vec<String>,
    /// On which condition a patch is made.
    pub(crate) condition: Option<String>,
    pub(crate) mutations: Vec<Mutation>,
}

impl Apart {
    /// Whether another one can be part of the same policy.
    pub(crate) fn fits(&self, other: &Apart) -> bool {
        self.suffix == other.suffix && self.kinds == other.kinds && self.condition == other.condition
    }
}

/// Ways to templates: the end of a name, the keys, a kind whose fields are known.
const HOLDERS: [(&str, &str, &str, &str); 2] = [
    ("-controllers", "spec.template", "v1", "ReplicationController"),
    ("-cronjobs", "spec.jobTemplate.spec.template", "batch/v1", "CronJob"),
];

/// A rule as JSON patches.
pub(crate) fn patched(
    rule: &Value,
    path: &Path,
    (controllers, owner): (&[String], Owner),
    schema: &Types<'_>,
) -> Converted<Parts> {
    let (selection, scope, mut conditions) = opened(rule, path, owner, schema)?;
    of_the_request(&rule.get("mutate").cloned().unwrap_or_default(), &below(path, ["mutate"]))?;
    let place = below(path, ["mutate", "patchStrategicMerge"]);
    let patch = rule.find(&["mutate", "patchStrategicMerge"]).cloned().unwrap_or_default();
    let is_for_pods = selection.is_for_pods();
    if !is_for_pods && selection.kinds.iter().any(|kind| kind.name == "Pod") {
        return refuse(Class::Rule, &place, "a patch for Pods and other kinds that is not a configuration");
    }
    let made = merged(&Access::root("object", scope.shape.clone()), &patch, &place, &scope)?;
    let (condition, mutations) = parts(made);
    conditions.extend(condition.map(|text| (CONDITION.to_owned(), text)));
    let mut apart = Vec::new();
    let mut controllers = controllers.to_vec();
    if owner.replicates {
        controllers.push("ReplicationController".to_owned());
    }
    for (suffix, holder, version, kind) in HOLDERS {
        let kinds = controllers.iter().filter(|kind| (kind.as_str() == "CronJob") == (suffix == "-cronjobs"));
        let kinds: Vec<String> = kinds.cloned().collect();
        if kinds.is_empty() || !is_for_pods {
            continue;
        }
        let of_template = scope.of_kind(version, kind);
        let moved = holder.rsplit('.').fold(in_template_words(&patch, 0, holder), |inner, key| {
            Value::object(Map::from_entries(vec![(key.into(), inner)]))
        });
        let object = Access::root("object", of_template.shape.clone());
        let (condition, mutations) = parts(merged(&object, &moved, &place, &of_template)?);
        apart.push(Apart { suffix, holder, kinds, condition, mutations });
    }
    let written = mutations.iter().chain(apart.iter().flat_map(|one| &one.mutations));
    let texts: Vec<&str> = written.map(|one| one.expression.as_str()).collect();
    let (variables, notes) = (scope.variables(&texts), scope.notes());
    let is_apart = is_for_pods;
    Ok(Parts { selection, conditions, variables, mutations, apart, is_apart, notes, ..Parts::default() })
}

fn parts(made: Merged) -> (Option<String>, Vec<Mutation>) {
    let condition = Formula::and(made.conditions);
    let mutations = made.mutations.into_iter();
    let mutations = mutations.map(|expression| Mutation { form: Form::JsonPatch, expression }).collect();
    ((condition != Formula::True).then(|| condition.text()), mutations)
}
