//! What is compiled: the `podSecurity` rules of policies of Kyverno.
//!
//! In: ClusterPolicies and Policies as YAML. Out: a [`Source`] for each rule, or what is wrong, with lines. Which controllers a rule is for as
//! well, is what Kyverno's autogen makes of it.

use super::source::{Fault, OfPolicy, Source, Wrong, of_rule, sources};
use crate::expressions::types::Types;
use crate::kinds::policy::{Body, actions, controllers, replicates};
use crate::kinds::usable::without_namespace;
use crate::select::selection;
use engine::Bundle;
use engine::load::{Host, Role, load_with};
use engine::policy::Policy;
use engine::resource::plural;
use engine_compare::schema::Schema;
use engine_json::{Map, Path, Segment, Value};
use engine_lenses::wire::Text;

/// The `podSecurity` rules of the policies of a text; the faults of those that cannot be compiled.
pub fn read_rules(name: &str, text: &str) -> Result<Vec<Source>, Vec<Fault>> {
    let schema = Schema::new();
    let types = Types::new(&schema);
    let whole = Text { name: name.to_owned(), text: text.to_owned() };
    let loaded =
        load_with(vec![(Role::Policies, (&whole).into())], Host::Cluster, engine_celpolicy::AS_WRITTEN);
    sources(name, text, "there is no policy with a podSecurity rule", |document, wrong| {
        of_policy(document, &loaded.0, &types, wrong)
    })
}

fn of_policy(document: &Value, bundle: &Bundle, types: &Types<'_>, wrong: &mut Wrong) -> Vec<Source> {
    let rules = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    if rules.is_empty() {
        return Vec::new();
    }
    let conditions = Path::from_keys(&["spec", "webhookConfiguration", "matchConditions"]);
    if document.find(&["spec", "webhookConfiguration", "matchConditions"]).is_some() {
        let words =
            "is not compiled: write them as `matchConditions` of what is made of the policy without them";
        wrong.push((conditions.clone(), words.to_owned()));
    }
    for refused in bundle.refused.iter().filter(|refused| refused.path != conditions) {
        let place = usize::try_from(refused.document.0).ok().and_then(|at| bundle.documents.get(at));
        if place.is_some_and(|place| place.value == *document) {
            wrong.push((refused.path.clone(), format!("Kyverno refuses it: {}", refused.reason)));
        }
    }
    let policy = bundle.policies.iter().find(|policy| {
        let place = usize::try_from(policy.document.0).ok().and_then(|at| bundle.documents.get(at));
        place.is_some_and(|place| place.value == *document)
    });
    let mut found = Vec::new();
    for (at, one) in rules.iter().enumerate() {
        let path = Path::from_keys(&["spec", "rules"]).concat(&[Segment::from(at)]);
        let Some(mut source) = rule((document, policy), one, &path, types, wrong) else { continue };
        if rules.len() > 1 {
            source.name = format!("{}-{}", source.name, one.find_str(&["name"]));
        }
        found.push(source);
    }
    found
}

fn rule(
    (document, policy): (&Value, Option<&Policy>),
    rule: &Value,
    path: &Path,
    types: &Types<'_>,
    wrong: &mut Wrong,
) -> Option<Source> {
    let place = path.join("validate").join("podSecurity");
    let Some(body) = rule.find(&["validate", "podSecurity"]) else {
        wrong.push((path.clone(), "is not a podSecurity rule".to_owned()));
        return None;
    };
    for key in ["context", "preconditions"] {
        if rule.get(key).is_some_and(|value| !value.is_null()) {
            wrong.push((path.join(key), "is not compiled: `podsieve convert` takes it".to_owned()));
        }
    }
    let spec = document.get("spec").cloned().unwrap_or_default();
    let (selected, (actions, allows_existing_violations)) =
        match (selection(rule, path, types), actions(rule, &spec, path, Body::Validate)) {
            (Ok(selected), Ok(actions)) => (selected, actions),
            (Err(refusal), _) | (_, Err(refusal)) => {
                wrong.push((refusal.path, refusal.text));
                return None;
            }
        };
    if !selected.is_for_pods() {
        wrong.push((path.join("match"), "is for other kinds than Pods".to_owned()));
    }
    let mut source = of_rule(body, &place, wrong)?;
    document.find_str(&["metadata", "name"]).clone_into(&mut source.name);
    source.actions = actions.into_iter().map(str::to_owned).collect();
    let mut kinds = controllers(rule.find_str(&["name"]), policy);
    kinds.extend(replicates(rule, policy).then(|| "ReplicationController".to_owned()));
    source.controllers = kinds.iter().map(|kind| plural(kind)).collect();
    source.controllers.sort_unstable();
    source.conditions =
        selected.conditions.iter().map(|(name, formula)| (name.clone(), formula.text())).collect();
    for (key, selector) in
        [("namespaceSelector", &selected.namespace_selector), ("objectSelector", &selected.object_selector)]
    {
        if let Some(selector) = selector {
            source.selectors.insert(key, selector.clone());
        }
    }
    wrong.extend(without_namespace(document).map(|refusal| (refusal.path, refusal.text)));
    let namespace = document.find_str(&["metadata", "namespace"]).to_owned();
    let namespace = (document.find_str(&["kind"]) == "Policy").then_some(namespace);
    source.policy = OfPolicy {
        namespace,
        operations: selected.operations.clone(),
        selected: kept(rule, |key| key == "match" || key == "exclude"),
        spec: kept(&spec, |key| !["rules", "validationFailureAction", "emitWarning"].contains(&key)),
        allows_existing_violations,
    };
    Some(source)
}

/// The fields of a map that are kept.
fn kept(value: &Value, is_kept: impl Fn(&str) -> bool) -> Map {
    let entries = value.as_object().into_iter().flat_map(Map::iter).filter(|(key, _)| is_kept(key.as_str()));
    Map::from_entries(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
}
