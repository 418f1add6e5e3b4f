//! Texts that one constant of a place meets and another does not: anchors, classes, beginnings and ends.

use engine::world::StaticWorld;
use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn differs(kind: [&str; 3], old: &str, new: &str) {
    let side = |expression: &str| {
        let expression = engine_json::to_json(&engine_json::Value::from(expression));
        let [group, version, resources] = kind;
        let text = format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: ['{group}'], apiVersions: [{version}], operations: [CREATE], \
             resources: [{resources}]}}]}}, validations: [{{expression: {expression}}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let options = Options { mutants: 0, ..Options::default() };
    let answer = compare(&side(old), &side(new), &options, &StaticWorld::default(), &mut |_| true);
    assert_eq!(answer.grade, Grade::Different, "{old} -> {new}: {:?}", answer.reasons);
}

fn of_names(old: &str, new: &str) {
    let name = |test: &str| test.replace('@', "object.metadata.name");
    differs(["", "v1", "namespaces"], &name(old), &name(new));
}

fn of_images(old: &str, new: &str) {
    let all = |test: &str| format!("object.spec.containers.all(c, {})", test.replace('@', "c.image"));
    differs(["", "v1", "pods"], &all(old), &all(new));
}

fn of_hosts(old: &str, new: &str) {
    let all = |test: &str| {
        format!("object.spec.?rules.orValue([]).all(r, {})", test.replace('@', "r.?host.orValue('')"))
    };
    differs(["networking.k8s.io", "v1", "ingresses"], &all(old), &all(new));
}

#[test]
fn an_anchor_beside_a_class() {
    of_names("@.matches('^[a-z]+-(dev|prd)$')", "@.matches('[a-z]+-(dev|prd)$')");
    of_names("@.matches('^(dev|prd)-[a-z]+$')", "@.matches('^(dev|prd)-[a-z]+')");
    of_hosts("@.matches('^[a-z]+[.]a[.]io$')", "@.matches('[a-z]+[.]a[.]io$')");
    of_images("@.matches('^(a|b)[.]io/.+:[0-9]+')", "@.matches('(a|b)[.]io/.+:[0-9]+')");
}

#[test]
fn a_wider_class() {
    of_names("@.matches('^team-[a-z]+-(dev|prod)$')", "@.matches('^team-[a-z-]+-(dev|prod)$')");
    of_images(
        "@.startsWith('a.io/') && @.matches(':[0-9]+[.][0-9]+$')",
        "@.startsWith('a.io/') && @.matches(':[0-9.]+$')",
    );
}

#[test]
fn a_beginning_and_an_end_that_overlap() {
    of_names("@.startsWith('team-') && @.endsWith('-prod')", "@.matches('^team-.*-prod$')");
}

#[test]
fn a_beginning_and_a_part_further_behind() {
    of_images(
        "@.startsWith('a.io/') && !@.contains('/test/')",
        "@.startsWith('a.io/') && !@.startsWith('a.io/test/')",
    );
}

#[test]
fn a_text_put_together_with_the_name_of_the_namespace() {
    of_hosts(
        "(@ == object.metadata.namespace + '.a.io' || @.endsWith('.' + object.metadata.namespace + '.a.io'))",
        "@.endsWith(object.metadata.namespace + '.a.io')",
    );
}

/// What an API server fills in makes a difference vanish, and another value brings it back: without a tag an image is pulled `Always`.
#[test]
fn another_value_of_what_is_filled_in() {
    let or_always = |test: &str| format!("!@.endsWith(':latest') && {test} || c.imagePullPolicy == 'Always'");
    of_images(&or_always("@.contains(':')"), &or_always("@.matches(':[^/]+$')"));
}

#[test]
fn what_lies_within_the_ranges_of_a_class() {
    of_names("@.matches('^a([1-9]|[14][0-9]|50)$')", "@.matches('^a([1-9]|[1-4][0-9]|50)$')");
    of_names("@.matches('^[a-d][0-9]$')", "@.matches('^[abd][0-9]$')");
}

#[test]
fn amounts_with_other_units() {
    let of = |limit: &str, test: &str| {
        format!("object.spec.containers.all(c, c.?resources.?limits[?'{limit}'].orValue('').{test})")
    };
    differs(["", "v1", "pods"], &of("memory", "endsWith('Mi')"), &of("memory", "matches('i$')"));
    differs(["", "v1", "pods"], &of("cpu", "endsWith('m')"), &of("cpu", "matches('^[0-9]{2,4}m$')"));
}
