//! `--report-format wgpolicy`: the reports that Kyverno writes in a cluster.
//!
//! In: responses. Out: for each resource a `PolicyReport` in its namespace, or a `ClusterPolicyReport`, of
//! wgpolicyk8s.io/v1alpha2, with the resource as its scope and the results sorted by policy and rule.

use super::{Context, Response, object, reference, result, summary};
use engine::resource::Resource;
use engine_json::Value;
use engine_json::arrange::Arrange as _;

/// All reports as one text: YAML documents, or a JSON `List`.
pub fn print(context: &Context<'_>, responses: &[Response<'_>]) -> String {
    let mut reports: Vec<(&Resource, Vec<Value>)> = Vec::new();
    for response in responses.iter().filter(|response| !response.rules.is_empty()) {
        let results = response.rules.iter().map(|rule| result(context, response, rule, Value::Null));
        // The responses of one resource stand together.
        match reports.last_mut().filter(|(resource, _)| std::ptr::eq(*resource, response.resource)) {
            Some((_, known)) => known.extend(results),
            None => reports.push((response.resource, results.collect())),
        }
    }
    let reports: Vec<Value> =
        reports.into_iter().map(|(resource, results)| report(resource, results)).collect();
    if context.is_json {
        let list = object([
            ("kind", Value::from("List")),
            ("apiVersion", Value::from("v1")),
            ("items", Value::array(reports)),
        ]);
        return context.text(&list) + "\n";
    }
    reports.iter().map(|report| context.text(report)).collect::<Vec<_>>().join("---\n")
}

fn report(resource: &Resource, mut results: Vec<Value>) -> Value {
    let is_namespaced = !resource.namespace().is_empty();
    // Kyverno: SortReportResults.
    results.arrange_by(|a, b| {
        let key =
            |value: &Value| (value.find_str(&["policy"]).to_owned(), value.find_str(&["rule"]).to_owned());
        key(a).cmp(&key(b))
    });
    let kind = if is_namespaced { "PolicyReport" } else { "ClusterPolicyReport" };
    let namespace = if is_namespaced { Value::from(resource.namespace()) } else { Value::Null };
    object([
        ("kind", Value::from(kind)),
        ("apiVersion", Value::from("wgpolicyk8s.io/v1alpha2")),
        ("metadata", object([("name", Value::from(report_name(resource))), ("namespace", namespace)])),
        ("scope", reference(resource)),
        ("summary", summary(results.iter())),
        ("results", Value::array(results)),
    ])
}

/// In a cluster a report has the uid of its resource for a name; a file has none, so kind and name stand for it.
fn report_name(resource: &Resource) -> String {
    let uid = resource.value.find_str(&["metadata", "uid"]);
    if !uid.is_empty() {
        return uid.to_owned();
    }
    let text = format!("{}-{}", resource.kind(), resource.name_or_generate_name()).to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    text.chars().map(plain).collect::<String>().trim_matches(['-', '.']).to_owned()
}
