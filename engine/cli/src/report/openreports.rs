//! The report of `kyverno apply --policy-report`, byte for byte.
//!
//! In: responses. Out: one `ClusterReport` named `merged` for all policies of the cluster, and a `PolicyReport` for
//! each response of a namespaced policy; nothing where no rule matched.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/report/report.go. The original shuffles results; here they keep their order.

use super::{Context, object, reference, result, summary};
use crate::response::Response;
use engine::json::Value;

const API_VERSION: &str = "openreports.io/v1alpha1";

/// All reports as one text.
pub(crate) fn print(context: &Context<'_>, responses: &[Response<'_>]) -> String {
    let mut out = String::new();
    let (clustered, namespaced): (Vec<_>, Vec<_>) = responses
        .iter()
        .filter(|response| !response.rules.is_empty())
        .partition(|response| response.policy.namespace.is_empty());
    let merged: Vec<Value> = clustered.iter().flat_map(|response| results(context, response)).collect();
    if !merged.is_empty() {
        let report = report("ClusterReport", object([("name", Value::from("merged"))]), merged);
        out.push_str(&context.text(&report));
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

/// The results of a response.
pub(super) fn results(context: &Context<'_>, response: &Response<'_>) -> Vec<Value> {
    let resources = || Value::array(vec![reference(response.resource)]);
    response.rules.iter().map(|rule| result(context, response, rule, resources())).collect()
}

fn report(kind: &str, metadata: Value, results: Vec<Value>) -> Value {
    object([
        ("kind", Value::from(kind)),
        ("apiVersion", Value::from(API_VERSION)),
        ("metadata", metadata),
        ("source", Value::from("")),
        ("summary", summary(results.iter())),
        ("results", Value::array(results)),
    ])
}
