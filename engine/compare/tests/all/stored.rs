//! What policies leave and generate is compared as an API server stores it: how it is written makes no difference.

use engine_compare::{Comparison, Direction, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true)
}

fn rule(kind: &str, body: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p, annotations: \
         {{pod-policies.kyverno.io/autogen-controllers: none}}}}, spec: {{rules: [{{name: r, match: {{any: [{{resources: \
         {{kinds: [{kind}]}}}}]}}, {body}}}]}}}}"
    )
}

fn mutation(kind: &str, patch: &str) -> String {
    rule(kind, &format!("mutate: {{patchStrategicMerge: {patch}}}"))
}

fn patches(kind: &str, operations: &str) -> String {
    rule(kind, &format!("mutate: {{patchesJson6902: \"{operations}\"}}"))
}

fn generation(version: &str, kind: &str, fields: &str) -> String {
    let body = format!(
        "generate: {{synchronize: false, apiVersion: {version}, kind: {kind}, name: made, namespace: \
         '{{{{request.object.metadata.name}}}}', data: {{{fields}}}}}"
    );
    rule("Namespace", &body)
}

/// The kind, and two patches after which an API server stores the same.
const LEFT: [(&str, &str, &str); 7] = [
    (
        "Pod",
        "- {op: add, path: /spec/overhead, value: {cpu: 1000m}}",
        "- {op: add, path: /spec/overhead, value: {cpu: '1'}}",
    ),
    (
        "Pod",
        "- {op: add, path: /metadata/labels, value: {}}",
        "- {op: add, path: /metadata/labels, value: null}",
    ),
    (
        "Pod",
        "- {op: add, path: /spec/initContainers, value: []}",
        "- {op: remove, path: /spec/initContainers}",
    ),
    (
        "Secret",
        "- {op: add, path: /stringData, value: {a: b}}\\n- {op: add, path: /data, value: {a: Yg==}}",
        "- {op: add, path: /data, value: {a: Yg==}}",
    ),
    (
        "Service",
        "- {op: add, path: /spec/ports, value: [{port: 80}]}",
        "- {op: add, path: /spec/ports, value: [{port: 80, protocol: TCP, targetPort: 80}]}",
    ),
    (
        "Deployment",
        "- {op: add, path: /spec/strategy, value: {type: RollingUpdate}}",
        "- {op: add, path: /spec/strategy, value: {rollingUpdate: {maxSurge: 25%}}}",
    ),
    ("Pod", "- {op: add, path: /spec/hostNetwork, value: false}", "- {op: remove, path: /spec/hostNetwork}"),
];

#[test]
fn what_is_left_in_another_form_is_no_difference() {
    for (kind, one, other) in LEFT {
        let found = compared(&patches(kind, one), &patches(kind, other));
        let left = found.findings.first().map(|finding| finding.left.clone());
        assert_ne!(found.grade, Grade::Different, "{one}\n{other}\n{left:?}");
    }
}

#[test]
fn what_is_stored_otherwise_is_a_difference_and_shown_as_it_was_left() {
    let [old, new] = ["{spec: {overhead: {cpu: 1000m}}}", "{spec: {overhead: {cpu: 1001m}}}"]
        .map(|patch| mutation("Pod", patch));
    let found = compared(&old, &new);
    let first = found.findings.first().expect("a difference");
    assert_eq!(first.direction, Direction::Otherwise);
    assert!(first.left[0].as_ref().is_some_and(|left| left.contains("cpu: 1000m")), "{:?}", first.left);
}

#[test]
fn an_object_that_cannot_be_read_is_a_difference_from_one_that_can() {
    let patch = |value: &str| mutation("Pod", &format!("{{spec: {{hostNetwork: {value}}}}}"));
    assert_eq!(compared(&patch("true"), &patch("'true'")).grade, Grade::Different);
    assert_ne!(compared(&patch("'yes'"), &patch("'true'")).grade, Grade::Different);
}

#[test]
fn what_is_generated_in_another_form_is_no_difference() {
    for (version, kind, one, other) in [
        ("v1", "Secret", "stringData: {a: b}", "type: Opaque, data: {a: Yg==}"),
        ("v1", "ConfigMap", "data: {a: b}, binaryData: {}", "data: {a: b}"),
        (
            "v1",
            "ResourceQuota",
            "spec: {hard: {cpu: 4000m, memory: 1024Mi}}",
            "spec: {hard: {cpu: 4, memory: 1Gi}}",
        ),
        (
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "spec: {podSelector: {}, policyTypes: [Ingress], ingress: []}",
            "spec: {podSelector: {matchLabels: {}}}",
        ),
        (
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: s, namespace: n, apiGroup: ''}]",
            "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: s, namespace: n}]",
        ),
    ] {
        let found = compared(&generation(version, kind, one), &generation(version, kind, other));
        let made = found.findings.first().map(|finding| finding.generated.clone());
        assert_ne!(found.grade, Grade::Different, "{one}\n{other}\n{made:?}");
    }
}

#[test]
fn what_is_generated_of_a_custom_kind_is_stored_as_it_stands() {
    let made = |spec: &str| generation("example.com/v1", "Thing", &format!("spec: {{{spec}}}"));
    assert_eq!(compared(&made("a: null"), &made("")).grade, Grade::Different);
    assert_eq!(compared(&made("a: []"), &made("")).grade, Grade::Different);
}
