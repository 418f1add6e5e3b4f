//! What stands beside policies in a folder: exceptions and bindings that name them, and parameters of a kind that they name.
//!
//! In: texts. Out: whether one holds policies, and which of the others count for them. Manifests and tests beside policies do not.

use engine::json::Value;
use engine::yaml::{FindingKind, Options, Source, SourceId, parse};
use engine_lenses::wire::Text;

/// The groups of policies, exceptions and bindings.
const GROUPS: [&str; 4] =
    ["kyverno.io/", "policies.kyverno.io/", "admissionregistration.k8s.io/", "policy/v1beta1"];

/// The documents of a text.
fn documents(text: &str) -> Vec<Value> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let all = parse(&source, &Options::default()).documents.into_iter().map(|document| document.value);
    all.flat_map(|document| match document.get("items").and_then(Value::as_array) {
        Some(items) if document.find_str(&["kind"]) == "List" => items.to_vec(),
        _ => vec![document],
    })
    .collect()
}

fn is_of_groups(document: &Value) -> bool {
    GROUPS.iter().any(|group| document.find_str(&["apiVersion"]).starts_with(group))
}

fn is_policy_document(document: &Value) -> bool {
    is_of_groups(document) && document.find_str(&["kind"]).ends_with("Policy")
}

/// Whether a document of the text is a policy.
pub(super) fn is_policy(text: &str) -> bool {
    documents(text).iter().any(is_policy_document)
}

/// Whether a document of the text cannot be read, so that it may have been a policy.
pub(super) fn is_broken(text: &str) -> bool {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let lost = [FindingKind::Syntax, FindingKind::Unsupported, FindingKind::Limit];
    parse(&source, &Options::default()).findings.iter().any(|finding| lost.contains(&finding.kind))
}

/// Whether a text that cannot be read calls itself a policy.
pub(super) fn is_broken_policy(text: &str) -> bool {
    let is_kind =
        |line: &str| line.trim().strip_prefix("kind:").is_some_and(|kind| kind.trim().ends_with("Policy"));
    text.lines().any(is_kind) && is_broken(text)
}

/// What policies are called, and the kinds of their parameters.
#[derive(Default)]
pub(super) struct Named {
    names: Vec<String>,
    /// Version and kind.
    parameters: Vec<[String; 2]>,
}

impl Named {
    /// What the policies of a text name.
    pub(super) fn add(&mut self, text: &str) {
        for document in documents(text).iter().filter(|document| is_policy_document(document)) {
            self.names.push(document.find_str(&["metadata", "name"]).to_owned());
            let of = |field| document.find_str(&["spec", "paramKind", field]).to_owned();
            self.parameters.extend(Some([of("apiVersion"), of("kind")]).filter(|[_, kind]| !kind.is_empty()));
        }
    }
}

/// A text without policies, read once for all policies of its folder.
pub(super) struct Other {
    text: Text,
    /// The policies that its exceptions and bindings name.
    policies: Vec<String>,
    /// Version and kind of its objects.
    kinds: Vec<[String; 2]>,
}

impl Other {
    /// Reads a text.
    pub(super) fn of(text: Text) -> Self {
        let documents = documents(&text.text);
        let kind =
            |document: &Value| ["apiVersion", "kind"].map(|field| document.find_str(&[field]).to_owned());
        let policies = documents.iter().flat_map(policies_of).collect();
        Other { policies, kinds: documents.iter().map(kind).collect(), text }
    }

    /// Whether it counts for these policies.
    fn counts(&self, named: &Named) -> bool {
        self.kinds.iter().any(|kind| named.parameters.contains(kind))
            || self.policies.iter().any(|name| named.names.contains(name))
    }
}

/// The policies that an exception or a binding names, without their namespace.
fn policies_of(document: &Value) -> Vec<String> {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or("").to_owned();
    let list = |field: &str, key: &str| -> Vec<String> {
        let items = document.find(&["spec", field]).and_then(Value::as_array).unwrap_or_default();
        items.iter().map(|item| bare(item.find_str(&[key]))).collect()
    };
    match document.find_str(&["kind"]) {
        _ if !is_of_groups(document) => Vec::new(),
        "PolicyException" => [list("exceptions", "policyName"), list("policyRefs", "name")].concat(),
        kind if kind.ends_with("Binding") => vec![bare(document.find_str(&["spec", "policyName"]))],
        _ => Vec::new(),
    }
}

/// The texts of a folder that count for these policies, which are not among them.
pub(super) fn beside(named: &Named, others: &[Other]) -> Vec<Text> {
    others.iter().filter(|other| other.counts(named)).map(|other| other.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Named, Other, is_policy};
    use engine_lenses::wire::Text;

    #[test]
    fn exceptions_bindings_and_parameters_count_for_the_policies_that_name_them_or_that_they_name() {
        let mut named = Named::default();
        named.add("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: a}, spec: {paramKind: {apiVersion: v1, kind: ConfigMap}}}");
        named.add("{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: b}}");
        for (text, expected) in [
            (
                "{apiVersion: kyverno.io/v2, kind: PolicyException, spec: {exceptions: [{policyName: team/b}]}}",
                true,
            ),
            (
                "{apiVersion: policies.kyverno.io/v1, kind: PolicyException, spec: {policyRefs: [{name: a, kind: ValidatingPolicy}]}}",
                true,
            ),
            (
                "{apiVersion: kyverno.io/v2, kind: PolicyException, spec: {exceptions: [{policyName: c}]}}",
                false,
            ),
            (
                "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, spec: {policyName: a}}",
                true,
            ),
            ("{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap}]}", true),
            ("{apiVersion: v1, kind: Pod, metadata: {name: a}}", false),
        ] {
            let other = Other::of(Text { name: "other.yaml".into(), text: text.to_owned() });
            assert_eq!(other.counts(&named), expected, "{text}");
            assert!(!is_policy(text));
        }
        assert!(is_policy(
            "{apiVersion: v1, kind: List, items: [{apiVersion: kyverno.io/v1, kind: ClusterPolicy}]}"
        ));
    }
}
