//! The report of `kyverno apply --policy-report`, byte for byte.
//!
//! In: responses. Out: one `ClusterReport` named `merged` for all policies of the cluster, and a `PolicyReport` for
//! each response of a namespaced policy; nothing where no rule matched.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/report/report.go. The original shuffles results; here they keep their order.

use super::{Context, Counts, Response, numbers, object, reference, result, summary};
use engine_json::Value;
use engine_yaml::emit::to_yaml;

const API_VERSION: &str = "openreports.io/v1alpha1";

/// All reports as one text.
pub fn print(context: &Context<'_>, responses: &[Response<'_>]) -> String {
    let mut out = String::new();
    let (clustered, namespaced): (Vec<_>, Vec<_>) = responses
        .iter()
        .filter(|response| !response.rules.is_empty())
        .partition(|response| response.policy.namespace.is_empty());
    if !clustered.is_empty() {
        merge(&mut out, context, &clustered);
        out.push('\n');
    }
    for response in namespaced {
        let policy = response.policy;
        let metadata = object([
            ("name", Value::String(policy.name.clone())),
            ("namespace", Value::String(policy.namespace.clone())),
        ]);
        // Kyverno: this kind does not exist in this group; the original writes it all the same.
        let report = report("PolicyReport", metadata, results(context, response));
        out.push_str("---\n");
        out.push_str(&context.text(&report));
        out.push('\n');
    }
    out
}

/// The report of all policies of the cluster. As YAML it is written result by result: as one value all results of a
/// large run would take many times the memory of their text.
fn merge(out: &mut String, context: &Context<'_>, responses: &[&Response<'_>]) {
    let (kind, metadata) = ("ClusterReport", object([("name", Value::from("merged"))]));
    let all = || responses.iter().flat_map(|response| results(context, response));
    if context.is_json {
        out.push_str(&context.text(&report(kind, metadata, all().collect())));
        return;
    }
    let mut counts = Counts::default();
    for response in responses {
        response.rules.iter().for_each(|rule| counts.count(response.told_status(rule)));
    }
    let around = to_yaml(&document(kind, metadata, numbers(&counts), Vec::new()));
    let (before, after) = around.split_once("results: []\n").unwrap_or((&around, ""));
    out.push_str(before);
    out.push_str("results:\n");
    all().for_each(|result| out.push_str(&to_yaml(&Value::array(vec![result]))));
    out.push_str(after);
}

/// The results of a response.
pub(super) fn results(context: &Context<'_>, response: &Response<'_>) -> Vec<Value> {
    let resources = || Value::array(vec![reference(response.resource)]);
    response.rules.iter().map(|rule| result(context, response, rule, resources())).collect()
}

fn report(kind: &str, metadata: Value, results: Vec<Value>) -> Value {
    document(kind, metadata, summary(results.iter()), results)
}

fn document(kind: &str, metadata: Value, summary: Value, results: Vec<Value>) -> Value {
    object([
        ("kind", Value::from(kind)),
        ("apiVersion", Value::from(API_VERSION)),
        ("metadata", metadata),
        ("source", Value::from("")),
        ("summary", summary),
        ("results", Value::array(results)),
    ])
}
