//! What an API server fills into Services depends on their type, and is not a difference between policies.

use crate::shared::compared;
use engine_compare::Grade;

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
        let found = compared("services", &old, &new);
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
        assert_eq!(compared("services", old, new).grade, Grade::Different, "{old}");
    }
}
