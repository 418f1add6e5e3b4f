//! The policies for controllers that a policy for Pods stands for as well.
//!
//! In: the document of a policy. Out: its variants for Deployments and their like, and for CronJobs: the same with other
//! constraints, and with `object.spec` and `object.metadata` replaced wherever they stand in the text.
//! Mirrors: `pkg/cel/policies/vpol/autogen` and `pkg/cel/autogen` of Kyverno 1.19.

use super::decode::texts;
use engine_json::{Map, Value, parse, to_json};

/// Controllers whose template is a Pod's: group, version and plural, as they are sorted.
pub(super) const CONTROLLERS: &[(&str, &str)] = &[
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "jobs"),
];

/// Where a name ends that begins with these: it stays as it is.
const KEPT: &str = ".namespace";

/// The documents of the variants.
pub(super) fn variants(document: &Value) -> Vec<Value> {
    let Some(spec) = document.get("spec").filter(|spec| is_for_pods(spec)) else { return Vec::new() };
    let asked = spec.find(&["autogen", "podControllers", "controllers"]);
    let asked = asked.filter(|list| !list.is_null()).map(|list| texts(Some(list)));
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.iter().any(|known| known == name));
    let mut variants = Vec::new();
    let controllers: Vec<_> = CONTROLLERS.iter().filter(|(_, plural)| is_asked(plural)).collect();
    if !controllers.is_empty() {
        let rules = ["apps", "batch"].into_iter().filter_map(|group| {
            let plurals = controllers.iter().filter(|(of, _)| *of == group).map(|(_, plural)| *plural);
            rule(spec, group, &plurals.collect::<Vec<_>>())
        });
        variants.extend(variant(document, spec, rules.collect(), "spec.template"));
    }
    if is_asked("cronjobs") {
        let rules = rule(spec, "batch", &["cronjobs"]).into_iter().collect();
        variants.extend(variant(document, spec, rules, "spec.jobTemplate.spec.template"));
    }
    variants
}

/// Whether the policy is for Pods alone, and in the way that has variants.
// Kyverno: pkg/cel/autogen/support.go, match.go.
pub(super) fn is_for_pods(spec: &Value) -> bool {
    let Some(constraints) = spec.get("matchConstraints") else { return false };
    let is_empty = |value: Option<&Value>| match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        Some(_) => false,
    };
    let selector = constraints.get("objectSelector");
    let selects = ["matchLabels", "matchExpressions"]
        .iter()
        .any(|field| !is_empty(selector.and_then(|selector| selector.get(field))));
    let rules = constraints.get("resourceRules").and_then(Value::as_array).unwrap_or_default();
    let [rule] = rules else { return false };
    !selects
        && is_empty(constraints.get("excludeResourceRules"))
        && is_empty(rule.get("resourceNames"))
        && texts(rule.get("apiGroups")) == [""]
        && texts(rule.get("apiVersions")) == ["v1"]
        && texts(rule.get("resources")) == ["pods"]
}

/// The rule of a variant for one group; none without operations.
pub(super) fn rule(spec: &Value, group: &str, plurals: &[&str]) -> Option<Value> {
    let operations = spec.find(&["matchConstraints", "resourceRules"])?.at(0)?.get("operations")?;
    let list = |texts: &[&str]| Value::array(texts.iter().map(|text| Value::from(*text)).collect());
    let has_operations = operations.as_array().is_some_and(|list| !list.is_empty());
    (!plurals.is_empty() && has_operations).then(|| {
        let entries = [
            ("apiGroups", list(&[group])),
            ("apiVersions", list(&["v1"])),
            ("operations", operations.clone()),
            ("resources", list(plurals)),
        ];
        entries.into_iter().collect::<Map>().into()
    })
}

/// A document whose spec has these rules and looks into a template.
fn variant(document: &Value, spec: &Value, rules: Vec<Value>, template: &str) -> Option<Value> {
    let mut fields = spec.as_object()?.clone();
    if rules.is_empty() {
        fields.remove("matchConstraints");
    } else {
        let mut constraints = Map::new();
        constraints.insert("resourceRules", Value::array(rules));
        if let Some(selector) = spec.find(&["matchConstraints", "namespaceSelector"]) {
            constraints.insert("namespaceSelector", selector.clone());
        }
        fields.insert("matchConstraints", Value::object(constraints));
    }
    let mut text = to_json(&Value::object(fields));
    for (object, part) in
        [("object", "spec"), ("oldObject", "spec"), ("object", "metadata"), ("oldObject", "metadata")]
    {
        text = replaced(&text, &format!("{object}.{part}"), &format!("{object}.{template}.{part}"));
    }
    let mut whole = document.as_object()?.clone();
    whole.insert("spec", parse(&text).ok()?);
    Some(Value::object(whole))
}

/// The text with every occurrence replaced, but for those before `.namespace`.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(from) {
        out.push_str(before);
        let is_kept = behind
            .strip_prefix(KEPT)
            .is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        out.push_str(if is_kept { from } else { to });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_but_for_the_namespace() {
        let text = "object.spec + object.metadata.namespace + object.metadata.namespaces + myobject.specs";
        let once = replaced(text, "object.metadata", "object.spec.template.metadata");
        assert_eq!(
            replaced(&once, "object.spec.x", "y"),
            "object.spec + object.metadata.namespace + object.spec.template.metadata.namespaces + myobject.specs"
        );
    }
}
