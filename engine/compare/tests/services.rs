//! What an API server fills into Services hangs on their type, and is no difference between policies.

use engine::wire::Text;
use engine_compare::{Comparison, Grade, Options, compare};

fn compared(old: &str, new: &str) -> Comparison {
    let policy = |expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{\
             validationActions: [Deny], matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [services]}}]}}, validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
        )
    };
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: policy(text) }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true)
}

/// A condition on the type, and two tests that say the same of what is filled in then.
const ALIKE: [(&str, &str, &str); 5] = [
    (
        "== 'LoadBalancer'",
        "object.spec.?externalTrafficPolicy.orValue('Local') == 'Local'",
        "object.spec.?externalTrafficPolicy.orValue('') == 'Local'",
    ),
    (
        "== 'NodePort'",
        "object.spec.?externalTrafficPolicy.orValue('Cluster') == 'Cluster'",
        "object.spec.?externalTrafficPolicy.orValue('') == 'Cluster'",
    ),
    (
        "== 'LoadBalancer'",
        "object.spec.?allocateLoadBalancerNodePorts.orValue(true)",
        "object.spec.?allocateLoadBalancerNodePorts.orValue(false)",
    ),
    (
        "!= 'ExternalName'",
        "object.spec.?internalTrafficPolicy.orValue('Cluster') == 'Cluster'",
        "object.spec.?internalTrafficPolicy.orValue('') == 'Cluster'",
    ),
    (
        "!= ''",
        "object.spec.?sessionAffinityConfig.?clientIP.?timeoutSeconds.orValue(10800) <= 10800",
        "object.spec.?sessionAffinity.orValue('None') == 'None' || \
         object.spec.?sessionAffinityConfig.?clientIP.?timeoutSeconds.orValue(20000) <= 10800",
    ),
];

#[test]
fn what_is_filled_in_by_type_is_no_difference() {
    for (condition, one, other) in ALIKE {
        let [old, new] = [one, other]
            .map(|test| format!("!(object.spec.?type.orValue('ClusterIP') {condition}) || {test}"));
        let found = compared(&old, &new);
        let shown = found.findings.first().map(|finding| engine_json::to_json(&finding.request.object));
        assert_ne!(found.grade, Grade::Different, "{old} {new} {shown:?}");
    }
}

#[test]
fn what_is_not_filled_in_is_a_difference() {
    for (old, new) in [
        ("!has(object.spec.externalTrafficPolicy)", "true"),
        (
            "object.spec.?type.orValue('ClusterIP') == 'ClusterIP' || has(object.spec.internalTrafficPolicy)",
            "true",
        ),
    ] {
        assert_eq!(compared(old, new).grade, Grade::Different, "{old}");
    }
}
