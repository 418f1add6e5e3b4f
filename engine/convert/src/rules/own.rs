//! Rules each of which is a policy of its own: those that generate, and those that verify images.
//!
//! In: a rule. Out: the kind, the `spec` and the notes of its policy.

use crate::expressions::types::Types;
use crate::kinds::policy::{Body, autogen, evaluation, replicates, whole};
use crate::kinds::templates::replication;
use crate::kinds::{list, map};
use crate::refusal::{Class, Converted, refuse};
use crate::rules::generate;
use crate::rules::images;
use engine::policy::Policy;
use engine_json::{Map, Path, Value};

/// A rule as a policy of its own.
pub(crate) struct Own {
    kind: &'static str,
    spec: Map,
    pub(crate) notes: Vec<String>,
    /// Whether it is for the templates of ReplicationControllers too.
    for_replication: bool,
}

/// A rule that is a policy of its own; nothing for all others.
pub(crate) fn rule(
    document: &Value,
    rule: &Value,
    path: &Path,
    policy: Option<&Policy>,
    types: &Types<'_>,
) -> Option<Converted<Own>> {
    if rule.get("generate").is_some() {
        return Some(generate::rule(document, rule, path, types).map(|made| Own {
            kind: "GeneratingPolicy",
            spec: made.spec,
            notes: made.notes,
            for_replication: false,
        }));
    }
    rule.get("verifyImages")?;
    Some(verifying(document, rule, path, policy, types))
}

fn verifying(
    document: &Value,
    rule: &Value,
    path: &Path,
    policy: Option<&Policy>,
    types: &Types<'_>,
) -> Converted<Own> {
    let made = images::rule(document, rule, path, types)?;
    let source = document.get("spec").cloned().unwrap_or_default();
    let entry = list(rule, "verifyImages").first().cloned().unwrap_or_default();
    for (value, field) in [(&entry, "failureActionOverrides"), (&source, "validationFailureActionOverrides")]
    {
        if !list(value, field).is_empty() {
            return refuse(
                Class::Setting,
                &Path::from_keys(&["spec", field]),
                "actions by namespace: write a policy for each action, with those namespaces in `match`, and exclude them from the other",
            );
        }
    }
    let action = [entry.find_str(&["failureAction"]), source.find_str(&["validationFailureAction"])];
    let is_enforced =
        action.into_iter().find(|text| !text.is_empty()).unwrap_or("").eq_ignore_ascii_case("enforce");
    let mut actions = vec![Value::from(if is_enforced { "Deny" } else { "Audit" })];
    if !is_enforced && source.get("emitWarning").and_then(Value::as_bool) == Some(true) {
        actions.push(Value::from("Warn"));
    }
    let mut spec = Map::new();
    spec.insert("validationActions", Value::array(actions));
    if let Some(evaluation) = evaluation(&source, Body::Validate) {
        spec.insert("evaluation", evaluation);
    }
    if source.find_str(&["failurePolicy"]) == "Ignore" {
        spec.insert("failurePolicy", Value::from("Ignore"));
    }
    let seconds =
        source.find(&["webhookConfiguration", "timeoutSeconds"]).or(source.get("webhookTimeoutSeconds"));
    if let Some(seconds) = seconds {
        spec.insert("webhookConfiguration", map([("timeoutSeconds", seconds.clone())]));
    }
    if made.is_for_pods {
        autogen(&mut spec, rule.find_str(&["name"]), policy);
    }
    for (field, value) in made.spec.iter() {
        spec.insert(field.clone(), value.clone());
    }
    let for_replication = made.is_for_pods && replicates(rule, policy);
    Ok(Own { kind: "ImageValidatingPolicy", spec, notes: made.notes, for_replication })
}

impl Own {
    /// The policy; for ReplicationControllers another one, which says where their images are.
    pub(crate) fn documents(self, document: &Value, rule: &str, is_one: bool) -> Vec<Value> {
        let made = whole(document, self.kind, rule, is_one, self.spec);
        let mut all = vec![made];
        if let Some(first) = all.first().filter(|_| self.for_replication) {
            let mut second = replication(first, &[]);
            let lists = ["containers", "initContainers", "ephemeralContainers"].map(|list| {
                let of =
                    format!("object.spec.template.spec.?{list}.orValue([]).map(container, container.image)");
                map([("name", Value::from(list)), ("expression", Value::from(of))])
            });
            let spec =
                second.object_mut().and_then(|whole| whole.get_mut("spec")).and_then(Value::object_mut);
            if let Some(spec) = spec {
                spec.insert("images", Value::array(lists.to_vec()));
            }
            all.push(second);
        }
        all
    }
}
