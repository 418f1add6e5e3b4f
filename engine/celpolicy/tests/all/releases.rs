//! Policies of Kubernetes by the release of its API server: which functions a new policy may use, which versions of the API there are,
//! and the words that changed. All of it was asked of the code of each release (`cluster/releases` of `conformance check`).

use engine::load::Kubernetes;
use engine_celpolicy::policy::{oldest_taking, refusal_to_store};
use engine_json::Value;
use engine_yaml::{Options, Source, SourceId, parse};

fn document(text: &str) -> Value {
    let source = Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let read = parse(&source, &Options::default()).documents.into_iter().next();
    read.map(|document| document.value).unwrap_or_default()
}

fn policy(expression: &str) -> Value {
    let text = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]\n  validations:\n  - expression: \
         |-\n      {expression}\n"
    );
    document(&text)
}

fn refusal(document: &Value, minor: u8) -> String {
    refusal_to_store(document, Kubernetes::minor(minor)).map(|refusal| refusal.reason).unwrap_or_default()
}

#[test]
fn a_new_policy_may_use_what_the_release_before_knew() {
    for (expression, since) in [
        ("sets.contains([1], [1]) && 'a'.charAt(0) == 'a' && quantity('1').isInteger()", 30),
        ("isIP('1.2.3.4') && cidr('10.0.0.0/8').containsIP('10.1.2.3')", 31),
        ("format.dns1123Label().validate('a').hasValue()", 32),
        ("authorizer.group('').resource('pods').fieldSelector('a=b').check('get').allowed()", 32),
        ("object.metadata.labels.all(k, v, v != '')", 33),
        ("isSemver('1.2.3')", 34),
        ("[2, 1].sort() == [1, 2]", 35),
        ("[1].includes(1)", 38),
    ] {
        let policy = policy(expression);
        assert_eq!(oldest_taking(&policy), Some(Kubernetes::minor(since)), "{expression}");
        assert!(since == 30 || refusal(&policy, since - 1).contains("undeclared reference"), "{expression}");
    }
    // What 1.38 introduces, its own API server does not take yet.
    assert_eq!(oldest_taking(&policy("cidr('10.0.0.0/8').isMask()")), None);
}

#[test]
fn each_version_of_the_api_has_its_releases() {
    let mutating = |version: &str| {
        document(&format!(
            "apiVersion: admissionregistration.k8s.io/{version}\nkind: MutatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec: {{policyName: p}}"
        ))
    };
    for (version, releases) in [("v1alpha1", 32..39), ("v1beta1", 34..39), ("v1", 36..39)] {
        for minor in 30..39 {
            let words = refusal(&mutating(version), minor);
            assert_eq!(words.is_empty(), releases.contains(&minor), "{version} {minor}: {words}");
            assert!(
                words.is_empty() || words.contains("no matches for kind \"MutatingAdmissionPolicyBinding\"")
            );
        }
    }
}

#[test]
fn words_are_those_of_the_release() {
    let text = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p, \
                validationActions: [Deny], matchResources: {matchPolicy: Foo}}";
    assert!(refusal(&document(text), 31).contains("spec.matchResouces.matchPolicy"));
    assert!(refusal(&document(text), 32).contains("spec.matchResources.matchPolicy"));
    let long = document(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p.static.k8s.io}\nspec:\n  \
         matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}\n  validations: \
         [{expression: 'true', message: \"a\\nb\"}]",
    );
    assert!(refusal(&long, 33).ends_with("\"a\\nb\": message must not contain line breaks"));
    assert!(refusal(&long, 36).ends_with("\"a\\nb\": must not contain line breaks"));
    assert!(refusal(&long, 37).contains("names ending with \".static.k8s.io\" are reserved"));
}

#[test]
fn releases_are_read_as_people_write_them() {
    for (text, read) in [("1.30", Some(30)), ("v1.37", Some(37)), ("1.36.3", Some(36)), ("1.38", Some(38))] {
        assert_eq!(text.parse().ok(), read.map(Kubernetes::minor), "{text}");
    }
    for text in ["1.29", "1.39", "2.30", "1", "latest", "1.30.1.2", ""] {
        let words = text.parse::<Kubernetes>().unwrap_err();
        assert_eq!(words, "known are the releases 1.30 to 1.38", "{text}");
    }
}
