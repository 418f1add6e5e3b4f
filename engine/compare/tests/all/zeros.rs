//! False, zero and the empty text in fields that an API server leaves out then: no policy meets them.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true)
}

fn policy(group: &str, resource: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{\
         validationActions: [Deny], autogen: {{podControllers: {{controllers: []}}}}, matchConstraints: {{resourceRules: \
         [{{apiGroups: ['{group}'], apiVersions: [v1], operations: [CREATE], resources: [{resource}]}}]}}, \
         validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

/// A group, a resource, whether a field is there, and whether it is there and something.
const ALIKE: [(&str, &str, &str, &str); 12] = [
    ("", "pods", "!has(object.spec.hostNetwork)", "!object.spec.?hostNetwork.orValue(false)"),
    ("", "pods", "!has(object.spec.hostname)", "object.spec.?hostname.orValue('') == ''"),
    (
        "",
        "pods",
        "object.spec.containers.all(c, !has(c.stdin))",
        "object.spec.containers.all(c, !c.?stdin.orValue(false))",
    ),
    (
        "",
        "pods",
        "object.spec.containers.all(c, !has(c.workingDir))",
        "object.spec.containers.all(c, c.?workingDir.orValue('') == '')",
    ),
    (
        "",
        "pods",
        "object.spec.containers.all(c, c.?ports.orValue([]).all(p, !has(p.hostPort)))",
        "object.spec.containers.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0))",
    ),
    ("", "services", "!has(object.spec.externalName)", "object.spec.?externalName.orValue('') == ''"),
    (
        "apps",
        "deployments",
        "!has(object.spec.minReadySeconds)",
        "object.spec.?minReadySeconds.orValue(0) == 0",
    ),
    (
        "",
        "pods",
        "object.spec.containers.all(c, c.?env.orValue([]).all(e, !has(e.value)))",
        "object.spec.containers.all(c, c.?env.orValue([]).all(e, e.?value.orValue('') == ''))",
    ),
    ("", "pods", "!has(object.spec.priorityClassName)", "object.spec.?priorityClassName.orValue('') == ''"),
    ("", "pods", "!has(object.metadata.generateName)", "object.metadata.?generateName.orValue('') == ''"),
    ("", "pods", "!has(object.spec.nodeName)", "object.spec.?nodeName.orValue('') == ''"),
    (
        "",
        "persistentvolumes",
        "!has(object.spec.storageClassName)",
        "object.spec.?storageClassName.orValue('') == ''",
    ),
];

#[test]
fn what_is_left_out_where_it_is_zero_is_no_difference() {
    for (group, resource, one, other) in ALIKE {
        let [old, new] = [one, other].map(|expression| policy(group, resource, expression));
        let found = compared(&old, &new);
        let shown = found.findings.first().map(|finding| engine_json::to_json(&finding.request.object));
        assert_ne!(found.grade, Grade::Different, "{one} {other} {shown:?}");
    }
}

#[test]
fn a_pointer_may_be_zero_and_there() {
    for (group, resource, one, other) in [
        (
            "",
            "pods",
            "!has(object.spec.automountServiceAccountToken)",
            "object.spec.?automountServiceAccountToken.orValue(false) == false",
        ),
        (
            "",
            "persistentvolumeclaims",
            "!has(object.spec.storageClassName)",
            "object.spec.?storageClassName.orValue('') == ''",
        ),
        (
            "",
            "configmaps",
            "!has(object.metadata.labels) || !has(object.metadata.labels.a)",
            "object.metadata.?labels[?'a'].orValue('') == ''",
        ),
    ] {
        let [old, new] = [one, other].map(|expression| policy(group, resource, expression));
        assert_eq!(compared(&old, &new).grade, Grade::Different, "{one} {other}");
    }
}
