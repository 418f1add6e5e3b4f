//! Mutations for Pods and for what holds templates of them, where autogen does not move them: it leaves JSON patches and variables as they
//! stand.
//!
//! In: a rule whose strategic merge patch no configuration says, or a rule whose configuration reads what autogen does not move. Out: mutations
//! for the kinds that it names, and for each way to a template mutations of their own, which become policies of their own.

use crate::expressions::access::Access;
use crate::expressions::formula::Formula;
use crate::expressions::scope::Scope;
use crate::expressions::types::Types;
use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::merged::{Merged, merged};
use crate::rules::mutate::{Form, Mutation, in_template_of, of_the_request, opened};
use crate::rules::validate::Parts;
use crate::select::Owner;
use engine_json::{Path, Value};

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
    /// Names and expressions of `variables`, which read the template.
    pub(crate) variables: Vec<(String, String)>,
}

impl Apart {
    /// Whether another one can be part of the same policy.
    pub(crate) fn fits(&self, other: &Apart) -> bool {
        let clashes = other
            .variables
            .iter()
            .any(|(name, text)| self.variables.iter().any(|(known, other)| known == name && other != text));
        self.suffix == other.suffix
            && self.kinds == other.kinds
            && self.condition == other.condition
            && !clashes
    }

    /// Takes up another one that fits.
    pub(crate) fn extend(&mut self, other: Apart) {
        self.mutations.extend(other.mutations);
        let more: Vec<_> = other.variables.into_iter().filter(|one| !self.variables.contains(one)).collect();
        self.variables.extend(more);
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
    let of_pods = if is_for_pods { scope.of_pods_alone() } else { scope.clone() };
    let made = merged(&Access::root("object", scope.shape.clone()), &patch, &place, &of_pods)?;
    let (condition, mutations) = parts(made);
    conditions.extend(condition.map(|text| (CONDITION.to_owned(), text)));
    let of_holder = |holder: &str, of_template: &Scope<'_>| {
        let object = Access::root("object", of_template.shape.clone());
        merged(&object, &in_template_of(&patch, holder), &place, of_template).map(parts)
    };
    let apart = if is_for_pods { for_holders((controllers, owner), &scope, of_holder)? } else { Vec::new() };
    let texts: Vec<&str> = mutations.iter().map(|one| one.expression.as_str()).collect();
    let (variables, notes) = (of_pods.variables(&texts), scope.notes());
    let is_apart = is_for_pods;
    Ok(Parts { selection, conditions, variables, mutations, apart, is_apart, notes, ..Parts::default() })
}

/// For each way to a template of these controllers what is made of it.
fn for_holders<'s>(
    (controllers, owner): (&[String], Owner),
    scope: &Scope<'s>,
    make: impl Fn(&str, &Scope<'s>) -> Converted<(Option<String>, Vec<Mutation>)>,
) -> Converted<Vec<Apart>> {
    let mut controllers = controllers.to_vec();
    if owner.replicates {
        controllers.push("ReplicationController".to_owned());
    }
    let mut apart = Vec::new();
    for (suffix, holder, version, kind) in HOLDERS {
        let kinds = controllers.iter().filter(|kind| (kind.as_str() == "CronJob") == (suffix == "-cronjobs"));
        let kinds: Vec<String> = kinds.cloned().collect();
        if !kinds.is_empty() {
            let of_template = scope.of_template(version, kind);
            let (condition, mutations) = make(holder, &of_template)?;
            let texts: Vec<&str> = mutations.iter().map(|one| one.expression.as_str()).collect();
            let variables = of_template.variables(&texts);
            apart.push(Apart { suffix, holder, kinds, condition, mutations, variables });
        }
    }
    Ok(apart)
}

/// The configurations of a rule for each way to a template, where autogen would not move all that the rule reads of a Pod: its conditions and
/// mutations, and its variables.
pub(crate) fn configured<'s>(
    extended: (&[String], Owner),
    scope: &Scope<'s>,
    (read, variables): (&[&str], &[(String, String)]),
    make: impl Fn(&str, &Scope<'s>) -> Converted<Vec<Mutation>>,
) -> Converted<Vec<Apart>> {
    let is_moved = read
        .iter()
        .all(|text| reads_of_pod(text).all(|part| MOVED.iter().any(|known| part.starts_with(known))))
        && variables.iter().all(|(_, text)| reads_of_pod(text).next().is_none());
    if is_moved {
        return Ok(Vec::new());
    }
    for_holders(extended, scope, |holder, of_template| Ok((None, make(holder, of_template)?)))
}

/// What autogen of MutatingPolicies moves in conditions and configurations; it moves nothing in variables.
// Kyverno: pkg/cel/policies/mpol/autogen/autogen.go, specRe, metadataLabelsRe, metadataAnnotationsRe.
const MOVED: [&str; 3] = [".spec", ".metadata.labels", ".metadata.annotations"];

/// Where an expression reads what a template has of its own, each with all that follows. What is read as `object['spec']` is meant of the whole, and
/// so is a namespace.
fn reads_of_pod(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.match_indices("object").chain(text.match_indices("oldObject"));
    let behind = behind.filter_map(|(at, name)| text.get(at + name.len()..));
    behind.filter(|rest| {
        let is_of_pod =
            [".spec", ".?spec", ".metadata", ".?metadata"].iter().any(|part| rest.starts_with(part));
        is_of_pod && !rest.starts_with(".metadata.namespace")
    })
}

fn parts(made: Merged) -> (Option<String>, Vec<Mutation>) {
    let condition = Formula::and(made.conditions);
    let mutations = made.mutations.into_iter();
    let mutations = mutations.map(|expression| Mutation { form: Form::JsonPatch, expression }).collect();
    ((condition != Formula::True).then(|| condition.text()), mutations)
}
