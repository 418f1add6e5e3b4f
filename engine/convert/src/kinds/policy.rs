//! A ClusterPolicy or Policy as policies in CEL.
//!
//! In: the document and the policy as it is loaded. Out: documents, or what has no faithful form.

use crate::expressions::types::Types;
use crate::kinds::names::shorten;
use crate::kinds::templates::{REPLICATION, for_templates, replication};
use crate::named_kind::CONTROLLERS;
use crate::refusal::{Class, Converted, Refusal, below, refuse};
use crate::rules::apart::Apart;
use crate::rules::ephemeral::of_ephemeral_containers;
use crate::rules::mutate::{self, Form, Mutation};
use crate::rules::own::{self, Own};
use crate::rules::validate::{self, Parts};
use crate::select::Owner;
use engine::policy::{Origin, Policy};
use engine_json::{Map, Path, Segment, Value};

/// The annotation that chooses controllers.
const AUTOGEN: &str = "pod-policies.kyverno.io/autogen-controllers";

/// A policy's documents, and what a reader should know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) documents: Vec<Value>,
    pub(crate) notes: Vec<String>,
    pub(crate) refusals: Vec<(String, Refusal)>,
    /// Whether updates of what failed before are let in by the source alone.
    pub(crate) allows_existing_violations: bool,
    /// The rules of each document, by their names.
    pub(crate) rules: Vec<Vec<String>>,
    /// How many validations or mutations each of them became; nothing for a document that repeats another.
    pub(crate) counts: Vec<Vec<usize>>,
    /// Whether the source alone evaluates deletions.
    pub(crate) leaves_deletions: bool,
}

/// Several rules that are for the same requests.
struct Group {
    name: String,
    /// The names of the rules.
    rules: Vec<String>,
    /// How many validations or mutations each of them became.
    counts: Vec<usize>,
    /// What lifts them.
    lifted: Vec<usize>,
    spec: Map,
    /// Whether it is for the templates of ReplicationControllers too.
    for_replication: bool,
    variables: Vec<(String, String)>,
    validations: Vec<validate::Validation>,
    mutations: Vec<Mutation>,
    template_mutations: Vec<Mutation>,
    /// Policies of their own for templates of Pods.
    apart: Vec<Apart>,
}

/// Converts a policy; `lifts` says which exceptions lift a rule: one policy is made only of rules that the same ones lift.
pub(crate) fn convert(
    document: &Value,
    policy: Option<&Policy>,
    schema: &Types<'_>,
    lifts: &dyn Fn(&str) -> Vec<usize>,
) -> Policies {
    let mut made = Policies::default();
    let spec = Path::from_keys(&["spec"]);
    if let Err(refusal) = settings(document, &spec) {
        made.refusals.push((String::new(), refusal));
    }
    let rules = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    if rules.is_empty() {
        let text = "there are no rules".to_owned();
        made.refusals.push((String::new(), Refusal { class: Class::Rule, path: spec.clone(), text }));
    }
    let mut groups: Vec<Group> = Vec::new();
    // Rules each of which is a policy of its own.
    let mut others: Vec<(String, Own)> = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let path = below(&spec, ["rules"]).concat(&[Segment::from(at)]);
        let name = rule.find_str(&["name"]).to_owned();
        if let Some(made_of_it) = own::rule(document, rule, &path, policy, schema) {
            match made_of_it {
                Ok(one) => {
                    made.notes.extend(one.notes.iter().map(|note| format!("rule `{name}`: {note}")));
                    others.push((name, one));
                }
                Err(refusal) => made.refusals.push((name, refusal)),
            }
            continue;
        }
        match one(document, rule, &path, policy, schema) {
            Ok((parts, spec, allows_existing_violations)) => {
                made.allows_existing_violations |= allows_existing_violations;
                made.leaves_deletions |= parts.leaves_deletions;
                made.notes.extend(parts.notes.iter().map(|note| format!("rule `{name}`: {note}")));
                let lifted = lifts(&name);
                add(
                    &mut groups,
                    (name, lifted),
                    (spec, replicates(rule, policy) && parts.selection.is_for_pods() && !parts.is_apart),
                    parts,
                );
            }
            Err(refusal) => made.refusals.push((name, refusal)),
        }
    }
    if made.refusals.is_empty() {
        finished(&mut made, document, groups, others);
    }
    made.notes.dedup();
    made
}

/// The documents of the policy.
fn finished(made: &mut Policies, document: &Value, groups: Vec<Group>, others: Vec<(String, Own)>) {
    let is_one = groups.len() + others.len() == 1;
    for group in groups {
        let for_replication = group.for_replication;
        let of_template = group.template_mutations.clone();
        let rules = group.rules.clone();
        let (apart, counts) = (group.apart.clone(), group.counts.clone());
        let document = finish(document, group, is_one);
        let more = [
            of_ephemeral_containers(&document),
            for_replication.then(|| replication(&document, &of_template)),
        ];
        let of_templates: Vec<Value> = apart.iter().map(|one| for_templates(&document, one)).collect();
        if !of_templates.is_empty() {
            let is_patch = |one: &Mutation| one.form == Form::JsonPatch;
            let what = if apart.iter().flat_map(|one| &one.mutations).any(is_patch) {
                "JSON patches"
            } else {
                "variables of MutatingPolicies, and metadata other than `object.metadata.labels` and `object.metadata.annotations`,"
            };
            made.notes.push(format!(
                "autogen leaves {what} as they stand, so what holds templates of Pods gets policies of its own"
            ));
        }
        let documents: Vec<Value> =
            std::iter::once(document).chain(more.into_iter().flatten()).chain(of_templates).collect();
        made.rules.extend(std::iter::repeat_n(rules, documents.len()));
        made.counts.push(counts);
        made.counts.resize(made.rules.len(), Vec::new());
        made.documents.extend(documents);
    }
    for (rule, own) in others {
        let documents = own.documents(document, &rule, is_one).into_iter();
        let documents: Vec<Value> = documents
            .flat_map(|one| [of_ephemeral_containers(&one), Some(one)].into_iter().flatten().rev())
            .collect();
        made.rules.extend(std::iter::repeat_n(vec![rule], documents.len()));
        made.counts.push(vec![0]);
        made.counts.resize(made.rules.len(), Vec::new());
        made.documents.extend(documents);
    }
    let has = |suffix: &str| {
        let mut names = made.documents.iter().map(|document| document.find_str(&["metadata", "name"]));
        names.any(|name| name.ends_with(suffix))
    };
    let (of_ephemeral, of_replication) = (has(crate::rules::ephemeral::SUFFIX), has(REPLICATION));
    if of_ephemeral {
        made.notes.push(
            "Kyverno asks ClusterPolicies for Pods about ephemeral containers that are added to a Pod (`kubectl debug`); policies in CEL must name pods/ephemeralcontainers, so they get a policy of their own".into(),
        );
    }
    if of_replication {
        made.notes.push(
            "autogen does not extend policies in CEL to ReplicationControllers, so they get a policy of their own".into(),
        );
    }
    made.notes.extend(shorten(&mut made.documents));
}

fn add(
    groups: &mut Vec<Group>,
    (name, lifted): (String, Vec<usize>),
    (spec, for_replication): (Map, bool),
    parts: Parts,
) {
    let fits = |group: &Group| {
        let clashes = parts.variables.iter().any(|(name, expression)| {
            group.variables.iter().any(|(known, other)| known == name && other != expression)
        });
        let has_same_apart = group.apart.len() == parts.apart.len()
            && group.apart.iter().zip(&parts.apart).all(|(one, other)| one.fits(other));
        group.spec == spec
            && group.for_replication == for_replication
            && group.lifted == lifted
            && !clashes
            && has_same_apart
    };
    let at = groups.iter().position(fits).unwrap_or_else(|| {
        groups.push(Group {
            name: name.clone(),
            rules: Vec::new(),
            counts: Vec::new(),
            lifted,
            spec,
            for_replication,
            variables: Vec::new(),
            validations: Vec::new(),
            mutations: Vec::new(),
            template_mutations: Vec::new(),
            apart: parts
                .apart
                .iter()
                .map(|one| Apart { mutations: Vec::new(), variables: Vec::new(), ..one.clone() })
                .collect(),
        });
        groups.len() - 1
    });
    let Some(group) = groups.get_mut(at) else { return };
    group.rules.push(name);
    group.counts.push(parts.validations.len() + parts.mutations.len());
    for variable in parts.variables {
        if !group.variables.contains(&variable) {
            group.variables.push(variable);
        }
    }
    group.validations.extend(parts.validations);
    group.mutations.extend(parts.mutations);
    group.template_mutations.extend(parts.template_mutations);
    for (one, more) in group.apart.iter_mut().zip(parts.apart) {
        one.extend(more);
    }
}

/// What a rule does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Validate,
    Mutate,
}

/// Refuses rules that do something else.
fn body(rule: &Value, path: &Path) -> Converted<Body> {
    match (rule.get("validate"), rule.get("mutate")) {
        (Some(_), None) => Ok(Body::Validate),
        (None, Some(_)) => Ok(Body::Mutate),
        _ => refuse(Class::Rule, path, "a rule without a body, or with several"),
    }
}

/// What follows where a rule fails, and whether updates of what failed before are let in.
pub(crate) fn actions(
    rule: &Value,
    source: &Value,
    path: &Path,
    does: Body,
) -> Converted<(Vec<&'static str>, bool)> {
    let body = rule.get("validate").cloned().unwrap_or_default();
    for (value, place) in [(&body, path.join("validate")), (source, Path::from_keys(&["spec"]))] {
        for field in ["failureActionOverrides", "validationFailureActionOverrides"] {
            if value.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
                return refuse(
                    Class::Setting,
                    &place.join(field),
                    "actions by namespace: write a policy for each action, with those namespaces in `match`, and exclude them from the other",
                );
            }
        }
    }
    let action = [body.find_str(&["failureAction"]), source.find_str(&["validationFailureAction"])]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or("Audit");
    let is_enforced = does == Body::Validate && action.eq_ignore_ascii_case("enforce");
    let mut actions = vec![if is_enforced { "Deny" } else { "Audit" }];
    if !is_enforced && source.find(&["emitWarning"]).and_then(Value::as_bool) == Some(true) {
        actions.push("Warn");
    }
    let allows_existing_violations =
        is_enforced && body.get("allowExistingViolations").and_then(Value::as_bool) != Some(false);
    Ok((actions, allows_existing_violations))
}

/// A rule, and the part of `spec` that is about which requests it is for and what follows.
fn one(
    document: &Value,
    rule: &Value,
    path: &Path,
    policy: Option<&Policy>,
    schema: &Types<'_>,
) -> Converted<(Parts, Map, bool)> {
    let does = body(rule, path)?;
    let controllers = controllers(rule.find_str(&["name"]), policy);
    let owner = Owner {
        is_namespaced: document.find_str(&["kind"]) == "Policy",
        ignores_errors: document.find_str(&["spec", "failurePolicy"]) == "Ignore",
        is_extended: !controllers.is_empty() || replicates(rule, policy),
        replicates: replicates(rule, policy),
    };
    let parts = match does {
        Body::Validate => validate::rule(rule, path, owner, schema)?,
        Body::Mutate => mutate::rule(rule, path, (&controllers, owner), schema)?,
    };
    let source = document.get("spec").cloned().unwrap_or_default();
    let (actions, allows_existing_violations) = actions(rule, &source, path, does)?;
    let mut spec = Map::new();
    if does == Body::Validate {
        spec.insert("validationActions", texts(&actions));
    }
    if let Some(evaluation) = evaluation(&source, does) {
        spec.insert("evaluation", evaluation);
    }
    around(&mut spec, &source);
    if parts.is_apart {
        spec.insert("autogen", for_controllers(&[]));
    } else if parts.selection.is_for_pods() {
        autogen(&mut spec, rule.find_str(&["name"]), policy);
    }
    let given: Vec<&str> = parts.selection.operations.iter().map(String::as_str).collect();
    let operations = if given.is_empty() { vec!["CREATE", "UPDATE"] } else { given };
    spec.insert("matchConstraints", parts.selection.constraints(&operations));
    let mut conditions: Vec<Value> = source
        .find(&["webhookConfiguration", "matchConditions"])
        .and_then(Value::as_array)
        .unwrap_or_default()
        .to_vec();
    conditions.extend(parts.conditions.iter().map(named));
    if !conditions.is_empty() {
        spec.insert("matchConditions", Value::array(conditions));
    }
    Ok((parts, spec, allows_existing_violations))
}

/// What is asked where the webhook cannot be, and how long it may take.
pub(crate) fn around(spec: &mut Map, source: &Value) {
    if source.find_str(&["failurePolicy"]) == "Ignore" {
        spec.insert("failurePolicy", Value::from("Ignore"));
    }
    if let Some(seconds) =
        source.find(&["webhookConfiguration", "timeoutSeconds"]).or(source.get("webhookTimeoutSeconds"))
    {
        spec.insert(
            "webhookConfiguration",
            Value::object(Map::from_entries(vec![("timeoutSeconds".into(), seconds.clone())])),
        );
    }
}

fn settings(document: &Value, spec: &Path) -> Converted<()> {
    let source = document.get("spec").cloned().unwrap_or_default();
    let rules = source.get("rules").and_then(Value::as_array).unwrap_or_default();
    if source.find_str(&["applyRules"]) == "One" && rules.len() > 1 {
        return refuse(
            Class::Setting,
            &spec.join("applyRules"),
            "`One` of several rules, of which policies in CEL apply all: write conditions of which only one holds",
        );
    }
    Ok(())
}

pub(crate) fn evaluation(source: &Value, does: Body) -> Option<Value> {
    let off = |field: &str| source.get(field).and_then(Value::as_bool) == Some(false);
    let mut map = Map::new();
    for (field, name) in [("admission", "admission"), ("background", "background")] {
        // What mutates is asked at admission alone.
        if off(field) && (does == Body::Validate || field == "admission") {
            map.insert(name, Value::object(Map::from_entries(vec![("enabled".into(), Value::Bool(false))])));
        }
    }
    (!map.is_empty()).then(|| Value::object(map))
}

/// Whether a rule is made for ReplicationControllers too.
pub(crate) fn replicates(rule: &Value, policy: Option<&Policy>) -> bool {
    let name = rule.find_str(&["name"]);
    let mut made = policy.into_iter().flat_map(|policy| &policy.autogen);
    made.any(|made| {
        *made.written_name == *name && made.controllers.iter().any(|kind| kind == "ReplicationController")
    })
}

/// Which controllers a rule for Pods is for as well.
pub(crate) fn autogen(spec: &mut Map, rule: &str, policy: Option<&Policy>) {
    let kinds = controllers(rule, policy);
    if kinds.len() == CONTROLLERS.len() {
        return;
    }
    let plurals: Vec<String> = kinds.iter().map(|kind| engine::resource::plural(kind)).collect();
    let plurals: Vec<&str> = plurals.iter().map(String::as_str).collect();
    spec.insert("autogen", for_controllers(&plurals));
}

fn for_controllers(plurals: &[&str]) -> Value {
    let controllers = Map::from_entries(vec![("controllers".into(), texts(plurals))]);
    Value::object(Map::from_entries(vec![("podControllers".into(), Value::object(controllers))]))
}

/// The controllers to which a rule for Pods is extended, as far as policies in CEL know them.
pub(crate) fn controllers(rule: &str, policy: Option<&Policy>) -> Vec<String> {
    let mut kinds: Vec<String> = policy
        .into_iter()
        .flat_map(|policy| &policy.autogen)
        .filter(|made| *made.written_name == *rule && made.origin != Origin::Written)
        .flat_map(|made| made.controllers.iter().map(ToString::to_string))
        .filter(|kind| CONTROLLERS.contains(&kind.as_str()))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

pub(crate) fn texts(all: &[&str]) -> Value {
    Value::array(all.iter().map(|one| Value::from(*one)).collect())
}

pub(crate) fn named((name, expression): &(String, String)) -> Value {
    Value::object(Map::from_entries(vec![
        ("name".into(), Value::from(name.as_str())),
        ("expression".into(), Value::from(expression.as_str())),
    ]))
}

pub(crate) fn documents(mutations: &[Mutation]) -> Value {
    Value::array(mutations.iter().map(Mutation::document).collect())
}

/// The policy of a kind, of the cluster or of a namespace as the source; one of several has the name of a rule.
pub(crate) fn whole(document: &Value, kind: &str, rule: &str, is_one: bool, spec: Map) -> Value {
    let is_cluster = document.find_str(&["kind"]) == "ClusterPolicy";
    let kind = if is_cluster { kind.to_owned() } else { format!("Namespaced{kind}") };
    let mut metadata = Map::new();
    let own = document.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in own.iter() {
        match key.as_str() {
            "name" if !is_one => {
                let name = format!("{}-{rule}", value.as_str().unwrap_or(""));
                metadata.insert("name", Value::from(name.to_lowercase().replace(['_', ' '], "-")));
            }
            "annotations" => {
                let mut kept = value.as_object().cloned().unwrap_or_default();
                kept.remove(AUTOGEN);
                if !kept.is_empty() {
                    metadata.insert("annotations", Value::object(kept));
                }
            }
            "name" | "namespace" | "labels" => {
                metadata.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    Value::object(Map::from_entries(vec![
        ("apiVersion".into(), Value::from("policies.kyverno.io/v1")),
        ("kind".into(), Value::from(kind)),
        ("metadata".into(), Value::object(metadata)),
        ("spec".into(), Value::object(spec)),
    ]))
}

fn finish(document: &Value, group: Group, is_one: bool) -> Value {
    let mutates = !group.mutations.is_empty();
    let mut spec = group.spec;
    if !group.variables.is_empty() {
        spec.insert("variables", Value::array(group.variables.iter().map(named).collect()));
    }
    let validations = group.validations.iter().map(|one| {
        let mut map = Map::new();
        map.insert("expression", Value::from(one.expression.as_str()));
        for (key, text) in [("message", &one.message), ("messageExpression", &one.message_expression)] {
            if let Some(text) = text {
                map.insert(key, Value::from(text.as_str()));
            }
        }
        Value::object(map)
    });
    if mutates {
        spec.insert("mutations", documents(&group.mutations));
    } else {
        spec.insert("validations", Value::array(validations.collect()));
    }
    whole(document, if mutates { "MutatingPolicy" } else { "ValidatingPolicy" }, &group.name, is_one, spec)
}
