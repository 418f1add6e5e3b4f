//! Mistakes that show beside what policies name: what is longer, what stands second, what neither side reads.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

fn validating(group: &str, resource: &str, operations: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         autogen: {{podControllers: {{controllers: []}}}}, matchConstraints: {{resourceRules: [{{apiGroups: ['{group}'], \
         apiVersions: [v1], operations: [{operations}], resources: [{resource}]}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
    )
}

/// Two expressions of which each decides otherwise about some object of a kind.
fn differ(group: &str, resource: &str, operations: &str, [old, new]: [&str; 2]) {
    let of = |expression: &str| validating(group, resource, operations, expression);
    let answer = compared(&of(old), &of(new));
    assert_eq!(answer.grade, Grade::Different, "{old} against {new}: {:?}", answer.reasons);
}

#[test]
fn a_text_of_a_list_stands_behind_another_one() {
    let dropped = |test: &str| {
        format!("object.spec.containers.all(c, c.?securityContext.?capabilities.?drop.orValue([]){test})")
    };
    differ("", "pods", "CREATE", [&dropped(".exists(d, d == 'ALL')"), &dropped("[?0].orValue('') == 'ALL'")]);
}

#[test]
fn members_of_which_one_at_most_is_there_are_tried_though_neither_side_reads_them() {
    let volumes = |test: &str| format!("object.spec.?volumes.orValue([]).all(v, {test})");
    differ(
        "",
        "pods",
        "CREATE",
        [
            &volumes("has(v.configMap) || has(v.secret) || has(v.emptyDir) || has(v.projected)"),
            &volumes("!has(v.hostPath) && !has(v.nfs)"),
        ],
    );
    let probes = |test: &str| format!("object.spec.containers.all(c, {test})");
    differ(
        "",
        "pods",
        "CREATE",
        [
            &probes("has(c.livenessProbe)"),
            &probes(
                "has(c.livenessProbe) && (has(c.livenessProbe.httpGet) || has(c.livenessProbe.tcpSocket) || has(c.livenessProbe.exec))",
            ),
        ],
    );
    let rules =
        |test: &str| format!("object.spec.{test}.all(r, r.?host.orValue('').endsWith('.example.com'))");
    differ("networking.k8s.io", "ingresses", "CREATE", [&rules("rules"), &rules("?rules.orValue([])")]);
}

#[test]
fn addresses_networks_and_schedules_that_begin_alike_are_told_apart() {
    let addresses =
        |begin: &str| format!("object.spec.?externalIPs.orValue([]).all(i, i.startsWith('{begin}'))");
    differ("", "services", "CREATE", [&addresses("10."), &addresses("10")]);
    let networks = |test: &str| {
        format!(
            "object.spec.?ingress.orValue([]).all(i, i.?from.orValue([]).all(f, !has(f.ipBlock) || {test}))"
        )
    };
    differ(
        "networking.k8s.io",
        "networkpolicies",
        "CREATE",
        [&networks("f.ipBlock.cidr != '0.0.0.0/0'"), &networks("!f.ipBlock.cidr.endsWith('/0')")],
    );
    differ(
        "batch",
        "cronjobs",
        "CREATE",
        ["object.spec.schedule.split(' ')[0] != '*'", "!object.spec.schedule.startsWith('*')"],
    );
}

#[test]
fn images_are_tried_that_are_longer_than_a_pattern_or_have_a_port_or_another_digest() {
    let image = |pattern: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p, annotations: \
             {{pod-policies.kyverno.io/autogen-controllers: none}}}}, spec: {{rules: [{{name: r, match: {{any: [{{resources: {{kinds: \
             [Pod]}}}}]}}, validate: {{failureAction: Enforce, allowExistingViolations: false, message: m, pattern: {{spec: \
             {{containers: [{{image: '{pattern}'}}]}}}}}}}}]}}}}"
        )
    };
    let answers = [
        (image("*:v?.?"), "object.spec.containers.all(c, c.image.matches(':v.[.].'))"),
        (
            image("*:*"),
            "object.spec.containers.all(c, c.image.split('/')[size(c.image.split('/')) - 1].contains(':'))",
        ),
        (image("*@*"), "object.spec.containers.all(c, c.image.contains('@sha256:'))"),
    ];
    for (old, new) in answers {
        let answer = compared(&old, &validating("", "pods", "CREATE, UPDATE", new));
        // The image can be pulled, and holds no wildcard.
        assert!(answer.findings.iter().any(|finding| finding.gap.is_none()), "{new}: {:?}", answer.findings);
    }
}

#[test]
fn what_is_held_against_what_it_was_changes_by_little_and_by_much() {
    let replicas = |test: &str| {
        format!("object.spec.serviceName == oldObject.spec.serviceName && object.spec.replicas {test}")
    };
    differ(
        "apps",
        "statefulsets",
        "UPDATE",
        [&replicas("== oldObject.spec.replicas"), &replicas(">= oldObject.spec.replicas")],
    );
    differ(
        "apps",
        "deployments",
        "UPDATE",
        [
            "object.spec.replicas <= oldObject.spec.replicas * 2",
            "object.spec.replicas <= oldObject.spec.replicas + 2",
        ],
    );
}

#[test]
fn an_object_that_is_empty_on_one_side_has_a_field_that_neither_reads() {
    differ(
        "networking.k8s.io",
        "networkpolicies",
        "CREATE",
        ["object.spec.podSelector == {}", "!has(object.spec.podSelector.matchLabels)"],
    );
    let rules = |test: &str| format!("object.spec.?ingress.orValue([]).all(i, {test})");
    differ(
        "networking.k8s.io",
        "networkpolicies",
        "CREATE",
        [&rules("i.?from.orValue([]).size() > 0"), &rules("i != {}")],
    );
}

#[test]
fn users_and_groups_are_others_than_those_that_are_named() {
    let by = |test: &str| format!("request.userInfo.{test}");
    for [old, new] in [
        ["username.startsWith('system:serviceaccount:ci:')", "username.startsWith('system:serviceaccount:')"],
        [
            "username.startsWith('system:serviceaccount:ci:')",
            "username.startsWith('system:serviceaccount:ci')",
        ],
        ["username.endsWith('@example.com')", "username.matches('@example.com$')"],
        ["groups.exists(g, g == 'system:masters')", "groups.exists(g, g.startsWith('system:masters'))"],
    ] {
        differ("", "configmaps", "CREATE", [&by(old), &by(new)]);
    }
    let both = "request.userInfo.groups.exists(g, g == 'a') && !request.userInfo.groups.exists(g, g == 'b')";
    differ("", "configmaps", "CREATE", [both, "request.userInfo.groups.exists(g, g == 'a')"]);
}

#[test]
fn texts_have_a_part_more_and_maps_another_value() {
    let images = |test: &str| format!("object.spec.containers.all(c, c.image.contains(':') && {test})");
    differ(
        "",
        "pods",
        "CREATE",
        [
            &images("c.image.substring(c.image.lastIndexOf(':') + 1) != 'latest'"),
            &images("c.image.substring(c.image.indexOf(':') + 1) != 'latest'"),
        ],
    );
    let hosts = |test: &str| format!("object.spec.?rules.orValue([]).all(r, {test})");
    differ(
        "networking.k8s.io",
        "ingresses",
        "CREATE",
        [
            &hosts("r.?host.orValue('').endsWith('.a.io') && r.host.split('.').size() == 3"),
            &hosts("r.?host.orValue('').endsWith('.a.io')"),
        ],
    );
    let data =
        |test: &str| format!("{test}(object.?data.orValue({{}})) == {test}(oldObject.?data.orValue({{}}))");
    differ("", "secrets", "UPDATE", [&data(""), &data("size")]);
}
