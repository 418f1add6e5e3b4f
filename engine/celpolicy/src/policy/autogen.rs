//! The policies for controllers that a policy for Pods stands for as well.
//!
//! In: the document of a policy. Out: its variants for Deployments and their like, and for CronJobs: the same with other
//! constraints, and with `object.spec` and `object.metadata` replaced wherever they stand in the text; and the constraints of the
//! custom workloads in which templates of Pods are looked for.
//! Mirrors: `pkg/cel/policies/vpol/autogen` and `pkg/cel/autogen` of Kyverno 1.19.

use super::decode::texts;
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Str, Value, parse, to_json};

/// Controllers whose template is a Pod's: group, version and plural, as they are sorted.
pub(super) const CONTROLLERS: &[(&str, &str)] = &[
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "jobs"),
];

/// The controller whose template is that of Jobs.
pub(super) const CRON_JOBS: &str = "cronjobs";

/// Where a name ends that begins with these: it stays as it is.
const KEPT: &str = ".namespace";

/// The documents of the variants.
pub(super) fn variants(document: &Value) -> Vec<Value> {
    let Some(spec) = document.get("spec").filter(|spec| is_for_pods(spec)) else { return Vec::new() };
    let asked = controllers(spec);
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.iter().any(|known| known == name));
    let mut variants = Vec::new();
    let controllers: Vec<_> = CONTROLLERS.iter().filter(|(_, plural)| is_asked(plural)).collect();
    if !controllers.is_empty() {
        let rules = ["apps", "batch"].into_iter().filter_map(|group| {
            let plurals = controllers.iter().filter(|(of, _)| *of == group).map(|(_, plural)| *plural);
            rule(spec, (group, "v1"), &plurals.collect::<Vec<_>>())
        });
        variants.extend(variant(document, spec, rules.collect(), "spec.template"));
    }
    if is_asked(CRON_JOBS) {
        let rules = rule(spec, ("batch", "v1"), &[CRON_JOBS]).into_iter().collect();
        variants.extend(variant(document, spec, rules, "spec.jobTemplate.spec.template"));
    }
    variants
}

/// The controllers that a policy names, where it names any.
pub(super) fn controllers(spec: &Value) -> Option<Vec<Str>> {
    let named = spec.find(&["autogen", "podControllers", "controllers"]);
    named.filter(|list| !list.is_null()).map(|list| texts(Some(list)))
}

/// For which custom workloads a policy for Pods is: it is asked about each template of a Pod in them as about a Pod.
#[derive(Clone, Debug)]
pub struct Custom {
    /// Which resources that are, as `matchConstraints` would say it; `None` where nothing is said.
    pub constraints: Option<Value>,
}

/// Group, version and plural of a custom workload that is named as `RESOURCE.VERSION.GROUP`.
fn workload(name: &str) -> Option<(&str, &str, &str)> {
    let mut parts = name.splitn(3, '.');
    let (plural, version, group) = (parts.next()?, parts.next()?, parts.next()?);
    [plural, version, group].iter().all(|part| !part.is_empty()).then_some((group, version, plural))
}

/// The names of controllers that stand for none, with their places in the list.
pub(crate) fn passed_over(document: &Value) -> Vec<(usize, Str)> {
    let spec = document.get("spec").filter(|spec| is_for_pods(spec));
    let names = spec.and_then(controllers).unwrap_or_default().into_iter().enumerate();
    let is_known = |name: &str| name == CRON_JOBS || CONTROLLERS.iter().any(|(_, plural)| *plural == name);
    names.filter(|(_, name)| !is_known(name) && workload(name).is_none()).collect()
}

/// The custom workloads among the controllers that a policy names; names of nothing are passed over.
// Kyverno: pkg/cel/autogen/extraction.go.
pub fn custom(document: &Value) -> Option<Custom> {
    let spec = document.get("spec")?;
    let names = controllers(spec)?;
    let mut custom: Vec<_> = names.iter().filter_map(|name| workload(name)).collect();
    if custom.is_empty() || !is_for_pods(spec) {
        return None;
    }
    custom.arrange();
    custom.dedup();
    let rules = custom.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter_map(|of| {
        let (group, version, _) = of.first()?;
        rule(spec, (group, version), &of.iter().map(|(_, _, plural)| *plural).collect::<Vec<_>>())
    });
    Some(Custom { constraints: constraints(spec, rules.collect()) })
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

/// The rule of a variant for one group and version; none without operations.
pub(super) fn rule(spec: &Value, (group, version): (&str, &str), plurals: &[&str]) -> Option<Value> {
    let operations = spec.find(&["matchConstraints", "resourceRules"])?.at(0)?.get("operations")?;
    let list = |texts: &[&str]| Value::array(texts.iter().map(|text| Value::from(*text)).collect());
    let has_operations = operations.as_array().is_some_and(|list| !list.is_empty());
    (!plurals.is_empty() && has_operations).then(|| {
        let entries = [
            ("apiGroups", list(&[group])),
            ("apiVersions", list(&[version])),
            ("operations", operations.clone()),
            ("resources", list(plurals)),
        ];
        entries.into_iter().collect::<Map>().into()
    })
}

/// The constraints of a variant with these rules; none without rules.
pub(super) fn constraints(spec: &Value, rules: Vec<Value>) -> Option<Value> {
    if rules.is_empty() {
        return None;
    }
    let mut constraints = Map::new();
    constraints.insert("resourceRules", Value::array(rules));
    if let Some(selector) = spec.find(&["matchConstraints", "namespaceSelector"]) {
        constraints.insert("namespaceSelector", selector.clone());
    }
    Some(Value::object(constraints))
}

/// A document whose spec has these rules and looks into a template.
fn variant(document: &Value, spec: &Value, rules: Vec<Value>, template: &str) -> Option<Value> {
    let mut fields = spec.as_object()?.clone();
    match constraints(spec, rules) {
        Some(constraints) => fields.insert("matchConstraints", constraints),
        None => fields.remove("matchConstraints"),
    };
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
