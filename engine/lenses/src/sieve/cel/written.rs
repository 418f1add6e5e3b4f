//! The expressions of a policy by what they are for.
//!
//! In: a policy, in CEL or with rules. Out: for the policy, or for each of its rules `validate.cel`, a [`Written`]: match
//! conditions, validations, and what selects images, each with its path.

use super::policies::{is_policy, workload, workload_of};
use super::reader::{At, Reader};
use engine_celpolicy::policy::{items, texts};
use engine_json::{Path, Value};

/// Expressions that see the same variables.
#[derive(Debug)]
pub(super) struct Written {
    /// The rule they stand in; empty for a policy without rules.
    pub(super) rule: String,
    /// The kind of Pods, or of what makes them, that they are for.
    pub(super) workload: Option<&'static str>,
    pub(super) reader: Reader,
    /// Match conditions, which say what a policy is for.
    pub(super) conditions: Vec<At>,
    pub(super) validations: Vec<At>,
    /// What selects images, over `ref`.
    pub(super) references: Vec<At>,
}

/// Where expressions stand.
struct Places {
    variables: Path,
    conditions: Path,
    validations: Path,
    /// Where a policy of images says which it is for.
    references: Option<Path>,
}

/// The expressions of a policy; nothing of one that does not refuse by them.
pub(super) fn read(value: &Value) -> Vec<Written> {
    if is_policy(value) {
        let spec = Path::from_keys(&["spec"]);
        let places = Places {
            variables: spec.join("variables"),
            conditions: spec.join("matchConditions"),
            validations: spec.join("validations"),
            references: Some(spec.join("matchImageReferences")),
        };
        return vec![at(value, String::new(), workload(value), &places)];
    }
    let is_classic = value.find_str(&["apiVersion"]).starts_with("kyverno.io/")
        && ["ClusterPolicy", "Policy"].contains(&value.find_str(&["kind"]));
    let rules = items(value.find(&["spec", "rules"])).enumerate().filter(|_| is_classic);
    rules.filter_map(|(place, rule)| of_rule(value, place, rule)).collect()
}

fn of_rule(policy: &Value, place: usize, rule: &Value) -> Option<Written> {
    rule.find(&["validate", "cel"])?;
    let path = Path::from_keys(&["spec", "rules"]).join(place);
    let cel = path.join("validate").join("cel");
    let places = Places {
        variables: cel.join("variables"),
        conditions: path.join("celPreconditions"),
        validations: cel.join("expressions"),
        references: None,
    };
    Some(at(policy, rule.find_str(&["name"]).to_owned(), of_match(rule), &places))
}

fn at(value: &Value, rule: String, workload: Option<&'static str>, places: &Places) -> Written {
    let mut reader = Reader::default();
    let written = |list: &Path| value.at_path(list.iter());
    for (at, variable) in items(written(&places.variables)).enumerate() {
        let (name, text) = (variable.find_str(&["name"]), variable.find_str(&["expression"]));
        reader.add_variable(name, places.variables.join(at).join("expression"), text);
    }
    let mut list = |list: &Path| {
        let written = items(written(list)).enumerate();
        let added = written
            .map(|(at, one)| reader.add(list.join(at).join("expression"), one.find_str(&["expression"])));
        added.collect::<Vec<_>>().into_iter().flatten().collect::<Vec<_>>()
    };
    let (conditions, validations) = (list(&places.conditions), list(&places.validations));
    let references = places.references.as_ref().map(list).unwrap_or_default();
    Written { rule, workload, reader, conditions, validations, references }
}

/// The kind of Pods, or of what makes them, that a rule is for.
fn of_match(rule: &Value) -> Option<&'static str> {
    let wanted = rule.get("match");
    let lists = ["any", "all"].into_iter().flat_map(|list| items(wanted.and_then(|wanted| wanted.get(list))));
    let filters: Vec<&Value> = wanted.into_iter().chain(lists).collect();
    // `Pod`, `v1/Pod`, `apps/v1/Deployment`.
    let names = |kind: &str| {
        let is_it = |written: &str| written == "*" || written.split('/').any(|part| part == kind);
        let kinds =
            |filter: &&&Value| texts(filter.find(&["resources", "kinds"])).iter().any(|kind| is_it(kind));
        filters.iter().any(|filter| kinds(&filter))
    };
    workload_of(&|kind, _| names(kind))
}
