//! Conditions that must hold at once: of several elements, of several fields.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

/// A policy that refuses what the expression is false of.
fn policy(resource: &str, variables: &str, expression: &str) -> Vec<Text> {
    let group = if resource == "deployments" { "apps" } else { "" };
    let text = format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         {variables} matchConstraints: {{resourceRules: [{{apiGroups: ['{group}'], apiVersions: [v1], resources: [{resource}], \
         operations: [CREATE, UPDATE]}}]}}, validations: [{{expression: \"{expression}\", message: refused}}]}}}}"
    );
    vec![Text { name: "policy.yaml".into(), text }]
}

fn grade(resource: &str, variables: &str, [old, new]: [&str; 2]) -> Grade {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    let [old, new] = [old, new].map(|expression| policy(resource, variables, expression));
    compare(&old, &new, &options, &world, &mut |_| true).grade
}

#[test]
fn each_of_several_containers_has_a_value_of_its_own() {
    let has = |test: &str| format!("object.spec.containers.exists(c, {test})");
    let image = |name: &str| has(&format!("c.image.matches('^{name}')"));
    let of = |parts: &[String]| format!("!({})", parts.join(" && "));
    let two = of(&[image("ngx"), image("redis")]);
    let three = of(&[image("ngx"), image("redis"), image("kafka")]);
    let bound = "!cel.bind(cs, object.spec.containers, cs.exists(c, c.image == 'ngx') && cs.exists(c, c.image == 'redis'))";
    let twice = "!(cel.bind(k, 'a', object.spec.containers.exists(c, c.image == k)) && \
                 cel.bind(k, 'b', object.spec.containers.exists(c, c.image == k)))";
    let folder = |name: &str| has(&format!("c.?workingDir.orValue('').matches('^{name}')"));
    let folders = of(&[folder("ngx"), folder("redis")]);
    for old in [two.as_str(), three.as_str(), bound, twice, folders.as_str()] {
        assert_eq!(grade("pods", "", [old, "true"]), Grade::Different, "{old}");
    }
    let in_template = two.replace("object.spec", "object.spec.template.spec");
    assert_eq!(grade("deployments", "", [&in_template, "true"]), Grade::Different);
    let variables = "variables: [{name: i, expression: \"object.spec.containers.map(c, c.image.split(':')[0])\"}, \
                     {name: a, expression: \"'nginx' in variables.i\"}, {name: b, expression: \"'redis' in variables.i\"}],";
    assert_eq!(grade("pods", variables, ["!(variables.a && variables.b)", "true"]), Grade::Different);
}

#[test]
fn one_name_may_stand_in_a_list_twice() {
    let all = "object.spec.containers.all(c, c.?env.orValue([]).all(e, e.name != 'A' || e.?value.orValue('') == '1'))";
    let some = "object.spec.containers.all(c, c.?env.orValue([]).all(e, e.name != 'A') || \
                c.?env.orValue([]).exists(e, e.name == 'A' && e.?value.orValue('') == '1'))";
    assert_eq!(grade("pods", "", [all, some]), Grade::Different);
}

#[test]
fn four_labels_hold_at_once() {
    let labels = [("a", "x1"), ("b", "y2"), ("c", "z3"), ("d", "w4")];
    let test = |(key, value): (&str, &str)| {
        format!("object.metadata.?labels.?{key}.orValue('').matches('^{value}')")
    };
    let old = format!("!({})", labels.map(test).join(" && "));
    assert_eq!(grade("services", "", [&old, "true"]), Grade::Different);
}

#[test]
fn keys_of_a_map_hold_at_once() {
    let rule = |fourth: &str| {
        let text = format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: \
             [{{resources: {{kinds: [ConfigMap]}}}}]}}, validate: {{failureAction: Enforce, message: refused, pattern: {{data: \
             {{first: '+2-+4', fifth: -10--8, {fourth}: 2.5-3.5}}}}}}}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    let answer = compare(&rule("fourth"), &rule("=(fourth)"), &options, &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::Different);
}

#[test]
fn one_field_of_an_element_is_lost_beside_others_that_have_to_be_there() {
    let old = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, \
               validate: {failureAction: Enforce, message: m, foreach: [{list: 'request.object.spec.[containers, initContainers, ephemeralContainers][]', \
               pattern: {imagePullPolicy: Always | IfNotPresent, =(image): '*/*:*', ports: [{hostPort: '*'}]}}]}}]}}";
    let old = vec![Text { name: "policy.yaml".into(), text: old.to_owned() }];
    let all = "variables: [{name: all, expression: \"object.spec.containers + object.spec.?initContainers.orValue([]) + \
               object.spec.?ephemeralContainers.orValue([])\"}],";
    let test = "c.image.matches('^.*/.*:.*$') && has(c.ports) && c.ports.all(port, has(port.hostPort))";
    let new = policy("pods", all, &format!("variables.all.all(c, {test})"));
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    for seed in [3, 4] {
        let ignored_gaps = engine_compare::KindGap::ALL.to_vec();
        let options = Options { mutants: 0, seed, ignored_gaps, ..Options::default() };
        let answer = compare(&old, &new, &options, &world, &mut |_| true);
        assert_eq!(answer.grade, Grade::Different, "{seed}");
    }
}
