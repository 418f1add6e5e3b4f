//! The report of `kyverno apply --policy-report`, byte for byte.
//!
//! In: responses. Out: one `ClusterReport` named `merged` for all policies of the cluster, and a `PolicyReport` for
//! each response of a namespaced policy; nothing where no rule matched.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/report/report.go. The original shuffles results; here they keep their order.

use super::{Context, Counts, Response, numbers, object, reference, result, summary};
use engine::apply::RuleResult;
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
        out.push_str(&own(context, response));
    }
    out
}

/// The report of a response of a namespaced policy.
pub fn own(context: &Context<'_>, response: &Response<'_>) -> String {
    let policy = response.policy;
    let metadata = object([
        ("name", Value::String(policy.name.clone())),
        ("namespace", Value::String(policy.namespace.clone())),
    ]);
    // Kyverno: this kind does not exist in this group; the original writes it all the same.
    let report = report("PolicyReport", metadata, results(context, response));
    format!("---\n{}\n", context.text(&report))
}

/// The report of all policies of the cluster, written result by result: as one value all results of a large run would take
/// many times the memory of their text.
fn merge(out: &mut String, context: &Context<'_>, responses: &[&Response<'_>]) {
    let mut counts = Counts::default();
    for response in responses {
        response.rules.iter().for_each(|rule| counts.count(response.described_status(rule)));
    }
    let (before, after) = around(context, &counts);
    out.push_str(&before);
    let mut is_first = true;
    for (response, rule) in responses.iter().flat_map(|of| of.rules.iter().map(move |rule| (*of, rule))) {
        let text = one(context, response, rule);
        out.push_str(text.strip_prefix(separator(context)).filter(|_| is_first).unwrap_or(&text));
        is_first = false;
    }
    out.push_str(&after);
}

/// What stands before the results of all policies of the cluster, of which there is one at least, and behind them.
pub fn around(context: &Context<'_>, counts: &Counts) -> (String, String) {
    let metadata = object([("name", Value::from("merged"))]);
    let text = context.text(&document("ClusterReport", metadata, numbers(counts), Vec::new()));
    let (none, begin, end) = if context.is_json {
        ("\"results\":[]", "\"results\":[", "]")
    } else {
        ("results: []\n", "results:\n", "")
    };
    let (before, after) = text.split_once(none).unwrap_or((&text, ""));
    (format!("{before}{begin}"), format!("{end}{after}"))
}

/// One result among them, behind a [`separator`].
pub fn one(context: &Context<'_>, response: &Response<'_>, rule: &RuleResult) -> String {
    let result = result(context, response, rule, Value::array(vec![reference(response.resource)]));
    let text = if context.is_json { context.text(&result) } else { to_yaml(&Value::array(vec![result])) };
    format!("{}{text}", separator(context))
}

/// What stands between two results.
pub fn separator(context: &Context<'_>) -> &'static str {
    if context.is_json { "," } else { "" }
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
