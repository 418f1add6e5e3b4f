//! Lists and maps as wholes: how many there are in them, in which order, and what a cluster holds for a text.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn validating(resource: &str, variables: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         {variables} matchConstraints: {{resourceRules: [{{apiGroups: ['*'], apiVersions: [v1], resources: [{resource}], \
         operations: [CREATE, UPDATE]}}]}}, validations: [{{expression: \"{expression}\", message: refused}}]}}}}"
    )
}

fn grade([old, new]: [String; 2]) -> Grade {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    let [old, new] = [old, new].map(|text| vec![Text { name: "policy.yaml".into(), text }]);
    compare(&old, &new, &options, &world, &mut |_| true).grade
}

#[test]
fn maps_have_as_many_keys_as_are_counted() {
    for (resource, [old, new]) in [
        (
            "pods",
            [
                "size(object.metadata.?labels.orValue({})) <= 2",
                "size(object.metadata.?labels.orValue({})) <= 3",
            ],
        ),
        ("pods", ["!has(object.metadata.labels) || object.metadata.labels.size() < 20", "true"]),
        (
            "configmaps",
            ["!has(object.data) || size(object.data) < 4", "!has(object.data) || size(object.data) < 3"],
        ),
        ("widgets", ["!has(object.spec) || !has(object.spec.m) || size(object.spec.m) != 7", "true"]),
    ] {
        assert_eq!(grade([old, new].map(|one| validating(resource, "", one))), Grade::Different, "{old}");
    }
}

#[test]
fn lists_of_objects_are_in_the_order_of_constants() {
    for [old, new] in [
        [
            "object.spec.containers.map(c, c.name) == ['a', 'b']",
            "object.spec.containers.map(c, c.name) == ['b', 'a']",
        ],
        [
            "object.spec.containers.map(c, c.image) != ['a', 'b', 'c']",
            "object.spec.containers.map(c, c.image) != ['a', 'c', 'b']",
        ],
    ] {
        assert_eq!(grade([old, new].map(|one| validating("pods", "", one))), Grade::Different, "{old}");
    }
}

#[test]
fn a_cluster_holds_patterns_that_a_text_meets() {
    let old = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {background: false, rules: [{name: r, \
               match: {any: [{resources: {kinds: [Pod]}}]}, \
               context: [{name: cm, configMap: {name: allowed, namespace: default}}], \
               validate: {failureAction: Enforce, message: refused, deny: {conditions: {any: [{key: \"{{ request.object.metadata.labels.a || '' }}\", \
               operator: NotEquals, value: '{{ cm.data.x }}'}]}}}}]}}";
    let variables =
        "variables: [{name: cm, expression: \"resource.Get('v1', 'configmaps', 'default', 'allowed')\"}],";
    let new = validating("pods", variables, "object.metadata.?labels.?a.orValue('') == variables.cm.data.x");
    assert_eq!(grade([old.to_owned(), new]), Grade::Different);
}

#[test]
fn what_no_api_server_stores_is_no_difference() {
    for (resource, expression, expected) in [
        ("configmaps", "object.?binaryData.x.orValue('') != 'x'", Grade::NoDifference),
        ("configmaps", "object.?binaryData.x.orValue('') != 'eA=='", Grade::Different),
        ("secrets", "object.?data.x.orValue('') != 'x'", Grade::NoDifference),
        ("secrets", "base64.decode(object.?data.x.orValue('')) != b'value'", Grade::Different),
        ("secrets", "!has(object.stringData)", Grade::NoDifference),
        (
            "deployments",
            "object.spec.template.?metadata.creationTimestamp.orValue('') != 'x'",
            Grade::NoDifference,
        ),
        ("deployments", "has(object.spec.strategy)", Grade::NoDifference),
        ("deployments", "object.spec.?strategy.type.orValue('') != 'Recreate'", Grade::Different),
        (
            "namespaces",
            "'kubernetes.io/metadata.name' in object.metadata.?labels.orValue({})",
            Grade::NoDifference,
        ),
        ("networkpolicies", "has(object.spec.policyTypes)", Grade::NoDifference),
        ("roles", "object.?rules.orValue([]).all(rule, has(rule.verbs)) || true", Grade::NoDifference),
        ("roles", "object.?rules.orValue([]).all(rule, size(rule.verbs) > 0)", Grade::Different),
    ] {
        let sides = [expression, "true"].map(|one| validating(resource, "", one));
        let expected = if expected == Grade::NoDifference {
            [Grade::NoDifference, Grade::Same]
        } else {
            [expected, expected]
        };
        let found = grade(sides);
        assert!(expected.contains(&found), "{expression}: {found:?}");
    }
}

#[test]
fn lists_have_as_many_elements_as_are_counted() {
    for (resource, [old, new]) in [
        ("pods", ["object.spec.containers.size() < 12", "object.spec.containers.size() <= 12"]),
        ("pods", ["size(object.spec.?volumes.orValue([])) <= 20", "true"]),
        (
            "clusterroles",
            [
                "object.rules == null || object.rules.all(r, !('*' in r.verbs))",
                "object.rules == null || object.rules.all(r, !('*' in r.verbs) && r.verbs.size() < 9)",
            ],
        ),
    ] {
        assert_eq!(grade([old, new].map(|one| validating(resource, "", one))), Grade::Different, "{old}");
    }
}

#[test]
fn keys_and_values_of_maps_are_tried_with_two_variables() {
    for [old, new] in [
        [
            "DATA.all(k, v, !k.startsWith('pw') || v.startsWith('enc:'))",
            "DATA.all(k, v, !k.startsWith('pw'))",
        ],
        [
            "!DATA.exists(k, v, k.endsWith('.sh') && v.contains('curl'))",
            "!DATA.exists(k, v, k.endsWith('.sh')) || !DATA.exists(k, v, v.contains('curl'))",
        ],
        [
            "DATA.transformList(k, v, k + '=' + v).join(',') != 'mode=safe'",
            "!DATA.exists(k, v, k == 'mode' && v == 'safe')",
        ],
        [
            "DATA.transformMap(k, v, k.startsWith('team/'), v).size() <= 1",
            "DATA.transformMap(k, v, k.startsWith('team'), v).size() <= 1",
        ],
    ] {
        let [old, new] =
            [old, new].map(|text| text.replace("DATA", "object.metadata.?annotations.orValue({})"));
        assert_eq!(
            grade([&old, &new].map(|one| validating("configmaps", "", one))),
            Grade::Different,
            "{old}"
        );
    }
}
