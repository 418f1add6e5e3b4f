//! Objects as policies see them in a cluster: filled in before them and between them, and refused where an API server refuses them.
//!
//! In: an object, policies. Out: a failure where a policy sees another object, or a request fares otherwise.
#![expect(clippy::indexing_slicing, reason = "a test fails as it does")]

use engine::apply::{Effect, Locations, Options, Recording, Status, apply, rule_effect};
use engine::diag::Severity;
use engine::load::{Extension, Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::{AS_WRITTEN, WITH_STEPS};

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {containers: [{name: c, image: 'nginx:1', \
                   resources: {limits: {cpu: 0.5}}}], initContainers: []}}";

/// What became of a request.
#[derive(Debug, Default)]
struct Answer {
    effect: Option<Effect>,
    /// What was refused, in the words of the policies.
    words: Vec<String>,
    /// What is wrong with the texts.
    errors: Vec<String>,
    /// How many fields were filled in.
    filled: usize,
    /// What was assumed.
    assumed: Vec<String>,
}

fn run(texts: &[(Role, &str)], host: Host, extension: &'static Extension) -> Answer {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, said) = load_with(sources, host, extension);
    let errors = said.iter().filter(|said| said.severity == Severity::Error);
    let mut answer = Answer {
        errors: errors.map(|said| said.message.clone()).collect(),
        filled: bundle.filled.fields,
        ..Answer::default()
    };
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    for result in &apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results {
        for rule in &result.rules {
            answer.effect =
                answer.effect.max(Some(rule_effect(&bundle, &bundle.policies[result.policy], "shop", rule)));
            answer.assumed.extend(rule.assumed.iter().cloned());
            if matches!(rule.status, Status::Fail | Status::Error) {
                answer.words.push(rule.message.clone());
            }
        }
    }
    answer
}

const RULES: &str =
    "{resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}";

/// A policy that says what an expression gives.
fn shows(expression: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: shows}}\nspec:\n  \
         matchConstraints: {RULES}\n  validations:\n  - expression: 'false'\n    messageExpression: >-\n      string({expression})\n\
         ---\n{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {{name: b}}, spec: \
         {{policyName: shows, validationActions: [Deny]}}}}\n"
    )
}

/// A policy that changes Pods.
fn changes(patch: &str, expression: &str) -> String {
    let field = if patch == "JSONPatch" { "jsonPatch" } else { "applyConfiguration" };
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: m}}\nspec:\n  matchConstraints: \
         {RULES}\n  reinvocationPolicy: Never\n  mutations:\n  - patchType: {patch}\n    {field}:\n      expression: >-\n        \
         {expression}\n---\n{{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {{name: b}}, \
         spec: {{policyName: m}}}}\n"
    )
}

fn mutating_policy(expression: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: MutatingPolicy\nmetadata: {{name: m}}\nspec:\n  matchConstraints: {RULES}\n  \
         mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: >-\n        {expression}\n"
    )
}

/// What an expression gives of an object.
fn seen(object: &str, expression: &str) -> String {
    let policy = shows(expression);
    let answer = run(&[(Role::Policies, &policy), (Role::Resources, object)], Host::Cluster, WITH_STEPS);
    answer.words.join("; ")
}

#[test]
fn validating_policies_see_what_is_stored() {
    for (expression, wanted) in [
        ("object.spec.containers[0].imagePullPolicy", "IfNotPresent"),
        ("object.spec.containers[0].resources.requests.cpu", "500m"),
        ("has(object.spec.initContainers)", "false"),
        ("object.spec.tolerations.size()", "2"),
        ("object.metadata.uid.size()", "36"),
        ("object.metadata.creationTimestamp", "2026-09-21T14:13:20Z"),
        ("object.status.phase", "Pending"),
    ] {
        assert_eq!(seen(POD, expression), wanted, "{expression}");
    }
    let secret = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop}, stringData: {a: b}}";
    assert_eq!(seen(secret, "object.data.a + string(has(object.stringData))"), "Yg==false");
}

#[test]
fn mutating_policies_see_no_uid() {
    let change = changes(
        "ApplyConfiguration",
        "Object{metadata: Object.metadata{labels: {\"uid\": string(has(object.metadata.uid)), \"policy\": string(object.spec.restartPolicy)}}}",
    );
    let shown = shows("object.metadata.labels.uid + object.metadata.labels.policy");
    let texts = [(Role::Policies, change.as_str()), (Role::Policies, &shown), (Role::Resources, POD)];
    assert_eq!(run(&texts, Host::Cluster, WITH_STEPS).words, ["falseAlways"]);
}

#[test]
fn a_changed_object_is_filled_in_again() {
    let added = "[JSONPatch{op: \"add\", path: \"/spec/containers/-\", value: Object.spec.containers{name: \"d\", image: \"x\"}}]";
    let shown = shows("object.spec.containers[1].imagePullPolicy");
    for change in [changes("JSONPatch", added), mutating_policy(added)] {
        let texts = [(Role::Policies, change.as_str()), (Role::Policies, &shown), (Role::Resources, POD)];
        assert_eq!(run(&texts, Host::Cluster, WITH_STEPS).words, ["Always"], "{change}");
    }
}

#[test]
fn what_a_server_cannot_read_ends_the_request() {
    let unknown = "[JSONPatch{op: \"add\", path: \"/spec/nosuchfield\", value: 1}]";
    let wrong = "[JSONPatch{op: \"add\", path: \"/spec/tolerations\", value: {\"a\": \"b\"}}]";
    let moved = "[JSONPatch{op: \"add\", path: \"/metadata/namespace\", value: \"other\"}]";
    let unread =
        "json: cannot unmarshal object into Go struct field PodSpec.spec.tolerations of type []v1.Toleration";
    let invalid = "[JSONPatch{op: \"add\", path: \"/spec/restartPolicy\", value: \"Sometimes\"}]";
    let sometimes = "Pod \"p\" is invalid: spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"Never\", \
                     \"OnFailure\"";
    let elsewhere = "the namespace of the provided object does not match the namespace sent on the request";
    for (change, wanted) in [
        (
            changes("JSONPatch", unknown),
            "Internal error occurred: strict decoding error: unknown field \"spec.nosuchfield\"".to_owned(),
        ),
        (changes("JSONPatch", wrong), format!("Internal error occurred: {unread}")),
        (mutating_policy(wrong), format!("the API server ends the request: {unread}")),
        (mutating_policy(moved), format!("the API server ends the request: {elsewhere}")),
        (mutating_policy(invalid), format!("the API server ends the request: {sometimes}")),
    ] {
        let answer = run(&[(Role::Policies, &change), (Role::Resources, POD)], Host::Cluster, WITH_STEPS);
        assert_eq!((answer.effect, answer.words), (Some(Effect::Deny), vec![wanted]), "{change}");
    }
    // Kyverno's webhook is not strict.
    let answer = run(
        &[(Role::Policies, &mutating_policy(unknown)), (Role::Resources, POD)],
        Host::Cluster,
        WITH_STEPS,
    );
    assert_eq!((answer.effect, answer.words), (Some(Effect::Allow), vec![]));
}

#[test]
fn what_a_server_refuses_is_an_error_in_its_words() {
    let policy = shows("has(object.spec.containers)");
    let of = |pod: &str| {
        let answer = run(&[(Role::Policies, &policy), (Role::Resources, pod)], Host::Cluster, WITH_STEPS);
        (answer.errors.join("; "), answer.words.join("; "))
    };
    let refuses = "the API server refuses this object: Pod in version \"v1\" cannot be handled as a Pod: ";
    let pod = |field: &str| {
        format!("{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{{field}, containers: []}}}}")
    };
    assert_eq!(
        of(&pod("hostNetwrok: true")),
        (format!("{refuses}strict decoding error: unknown field \"spec.hostNetwrok\""), "true".to_owned())
    );
    let unread = "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool";
    assert_eq!(of(&pod("hostNetwork: 'true'")), (format!("{refuses}{unread}"), String::new()));
}

#[test]
fn an_update_keeps_what_the_server_gave() {
    let policy =
        shows("string(object.metadata.uid == oldObject.metadata.uid) + object.metadata.creationTimestamp");
    let old = POD.replace("name: p,", "name: p, uid: u, creationTimestamp: '2020-01-01T00:00:00Z',");
    let texts = [(Role::Policies, policy.as_str()), (Role::OldResources, &old), (Role::Resources, POD)];
    assert_eq!(run(&texts, Host::Cluster, WITH_STEPS).words, ["true2020-01-01T00:00:00Z"]);
}

#[test]
fn nothing_is_filled_in_elsewhere() {
    let policy = shows("has(object.spec.restartPolicy)");
    let texts = [(Role::Policies, policy.as_str()), (Role::Resources, POD)];
    for (host, extension, wanted) in [
        (Host::Cluster, WITH_STEPS, "true"),
        (Host::Cluster, AS_WRITTEN, "false"),
        (Host::Cli, WITH_STEPS, "false"),
    ] {
        let answer = run(&texts, host, extension);
        assert_eq!(answer.words, [wanted], "{host:?}");
        assert_eq!(answer.filled > 0, wanted == "true", "{host:?}");
    }
}

#[test]
fn a_list_of_objects_that_nobody_gave_is_empty() {
    let policy = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: v}}\nspec:\n  matchConstraints: {RULES}\n  \
         validations:\n  - expression: resource.List(\"v1\", \"services\", \"shop\").items.size() == 0\n"
    );
    let answer = run(&[(Role::Policies, &policy), (Role::Resources, POD)], Host::Cluster, WITH_STEPS);
    assert_eq!((answer.effect, answer.words), (Some(Effect::Allow), vec![]));
    assert_eq!(
        answer.assumed,
        ["the list of `services` is empty, as none of them is given (`--target-resource`)"]
    );
}
