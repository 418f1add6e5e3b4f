//! What errs in a source is refused by what it becomes, and what is read of fields that are not there is the same on both sides.
//!
//! In: rules, and objects with and without what they read. Out: a failure where one side alone refuses an object.

use crate::shared::objects::holds;

/// Pods with these fields, each with a container with those.
fn pods(fields: &[&str], of_container: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for field in fields {
        for inner in of_container {
            all.push(format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{{field} containers: [{{name: a, image: 'a:1', {inner}}}]}}}}"
            ));
        }
    }
    all
}

const VOLUMES: [&str; 5] = [
    "",
    "volumes: [],",
    "volumes: [{name: v, emptyDir: {}}],",
    "volumes: [{name: v, hostPath: {path: /}}],",
    "hostNetwork: true, volumes: [{name: v, hostPath: {path: /}}],",
];

#[test]
fn the_length_of_a_list_that_is_not_there_errs_beside_other_conditions() {
    let of_host = "{key: \"{{ request.object.spec.volumes[?hostPath] | length(@) }}\", operator: GreaterThan, value: 0}";
    let of_names = "{key: \"{{ contains(request.object.spec.volumes[?hostPath].name, 'v') }}\", operator: Equals, value: true}";
    let of_network =
        "{key: \"{{ request.object.spec.hostNetwork || `false` }}\", operator: Equals, value: true}";
    for conditions in [
        format!("{{any: [{of_host}]}}"),
        format!("{{any: [{of_host}, {of_network}]}}"),
        format!("{{any: [{of_network}, {of_host}]}}"),
        format!("{{all: [{of_host}, {of_network}]}}"),
        format!("{{all: [{of_network}, {of_host}]}}"),
        format!("{{all: [{of_host}], any: [{of_network}]}}"),
        format!("{{any: [{of_names}]}}"),
        format!("{{any: [{of_names}, {of_network}]}}"),
        format!("{{all: [{of_network}, {of_names}]}}"),
    ] {
        let objects = pods(&VOLUMES, &[""]);
        holds("Pod", &format!("validate: {{message: m, deny: {{conditions: {conditions}}}}}"), &objects);
        let pattern = "validate: {message: m, pattern: {spec: {hostNetwork: true}}}";
        holds("Pod", &format!("preconditions: {conditions}\n{pattern}"), &objects);
    }
}

#[test]
fn a_list_that_is_asked_for_before_need_not_be_there() {
    for key in [
        "request.object.spec.volumes && contains(request.object.spec.volumes[?hostPath].name, 'v')",
        "!(request.object.spec.volumes) || contains(request.object.spec.volumes[?hostPath].name, 'v')",
    ] {
        let deny = format!(
            "validate: {{message: m, deny: {{conditions: {{any: [{{key: \"{{{{ {key} }}}}\", operator: Equals, value: true}}]}}}}}}"
        );
        holds("Pod", &deny, &pods(&VOLUMES, &[""]));
    }
}

#[test]
fn the_length_of_a_list_of_an_element_errs_as_well() {
    let rule = "validate: {message: m, foreach: [{list: request.object.spec.containers, deny: {conditions: {any: [{key: \"{{ \
                element.volumeMounts[].name || `[]` }}\", operator: AnyIn, value: [v]}, {key: \"{{ element.ports[?hostPort] | length(@) \
                }}\", operator: GreaterThan, value: 0}]}}}]}";
    let ports = ["", "ports: [],", "ports: [{hostPort: 1}],", "volumeMounts: [{name: v, mountPath: /v}],"];
    holds("Pod", rule, &pods(&[""], &ports));
}

#[test]
fn a_default_of_another_type_stands_for_what_is_not_there() {
    for (key, value) in [
        ("element.livenessProbe || ''", "''"),
        ("element.tty || ''", "''"),
        ("element.securityContext.runAsUser || ''", "''"),
        ("element.ports || ''", "''"),
    ] {
        for operator in ["Equals", "NotEquals"] {
            let rule = format!(
                "validate: {{message: m, foreach: [{{list: request.object.spec.containers, deny: {{conditions: {{any: [{{key: \"{{{{ {key} \
                 }}}}\", operator: {operator}, value: {value}}}]}}}}}}]}}"
            );
            let given = [
                "",
                "livenessProbe: {},",
                "livenessProbe: {periodSeconds: 1},",
                "tty: false, ports: [],",
                "tty: true, ports: [{containerPort: 1}], securityContext: {runAsUser: 0},",
            ];
            holds("Pod", &rule, &pods(&[""], &given));
        }
    }
}

#[test]
fn labels_that_are_not_there_have_no_keys() {
    for labels in ["{team: '?', 't*': '*'}", "{'t*': '?*'}", "{'=(t*)': a}", "{team: a, 'X(t*)': 'null'}"] {
        for metadata in ["metadata", "=(metadata)"] {
            let rule = format!("validate: {{message: m, pattern: {{{metadata}: {{labels: {labels}}}}}}}");
            let objects = ["", "labels: {team: a},", "labels: {tier: a},", "labels: {app: a},"].map(|labels| {
                format!("{{apiVersion: v1, kind: Pod, metadata: {{{labels} name: a}}, spec: {{containers: []}}}}")
            });
            holds("Pod", &rule, &objects);
        }
    }
}

#[test]
fn a_field_that_a_kind_has_not_is_not_there() {
    let objects = ["", "paused: true,"].map(|spec| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: a}}, spec: {{{spec} template: {{spec: {{containers: [{{name: a, \
             image: b}}]}}}}}}}}"
        )
    });
    for spec in [
        "{containers: [{(image): '*:*'}]}",
        "{'=(containers)': [{securityContext: {'=(runAsNonRoot)': '!true'}}]}",
        "{containers: [{image: '*:*'}]}",
        "{'X(containers)': 'null', '=(paused)': false}",
    ] {
        holds("Deployment", &format!("validate: {{message: m, pattern: {{spec: {spec}}}}}"), &objects);
    }
}

#[test]
fn a_string_is_the_number_that_it_is_written_as() {
    let objects = ["80", "'80'", "81", "http", "'8e1'", "'0x50'"].map(|port| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {{ports: [{{port: 80, targetPort: {port}}}]}}}}"
        )
    });
    for operator in ["Equals", "NotEquals"] {
        let rule = format!(
            "validate: {{message: m, foreach: [{{list: request.object.spec.ports, deny: {{conditions: {{any: [{{key: \"{{{{ element.port \
             }}}}\", operator: {operator}, value: \"{{{{ element.targetPort || `80` }}}}\"}}]}}}}}}]}}"
        );
        holds("v1/Service", &rule, &objects);
    }
}

#[test]
fn of_an_object_that_is_created_there_is_nothing_old() {
    let objects = ["", "labels: {app: a},"].map(|labels| {
        format!("{{apiVersion: v1, kind: Pod, metadata: {{{labels} name: a}}, spec: {{containers: []}}}}")
    });
    for (key, operator, value) in [
        (
            "request.oldObject.metadata.labels.app || ''",
            "NotEquals",
            "\"{{ request.object.metadata.labels.app || '' }}\"",
        ),
        ("request.oldObject.metadata.labels.app", "Equals", "a"),
        ("request.oldObject.metadata.labels || `{}` | length(@)", "Equals", "0"),
        ("request.oldObject.metadata.finalizers[] || `[]`", "AnyIn", "[a]"),
    ] {
        let rule = format!(
            "validate: {{message: m, deny: {{conditions: {{any: [{{key: \"{{{{ {key} }}}}\", operator: {operator}, value: {value}}}]}}}}}}"
        );
        holds("Pod", &rule, &objects);
    }
}

#[test]
fn of_a_controller_the_old_template_is_read() {
    let key = "request.oldObject.spec.volumes[].name || `[]`";
    let rule = format!(
        "validate: {{message: m, deny: {{conditions: {{any: [{{key: \"{{{{ {key} }}}}\", operator: AnyIn, value: [v]}}]}}}}}}"
    );
    let made = holds("Pod", &rule, &pods(&VOLUMES, &[""]));
    // Autogen moves `oldObject.spec`, and leaves `oldObject.?spec`.
    assert!(made.contains("oldObject != null && has(oldObject.spec) ? oldObject.spec : {}"), "{made}");
    assert!(made.contains("has(oldObject.spec.template.spec) ? oldObject.spec.template.spec : {}"), "{made}");
    assert!(!made.contains("oldObject.?spec"), "{made}");
}

#[test]
fn a_loop_passes_over_elements_whose_preconditions_err() {
    let of_user = "{key: '{{ element.securityContext.runAsUser }}', operator: GreaterThan, value: 0}";
    let of_ports = "{key: '{{ element.ports[?hostPort] | length(@) }}', operator: GreaterThan, value: 0}";
    let given = [
        "",
        "securityContext: {runAsUser: 0},",
        "securityContext: {runAsUser: 1},",
        "ports: [],",
        "ports: [{hostPort: 1}],",
        "ports: [{hostPort: 1}], securityContext: {runAsUser: 1},",
    ];
    for conditions in [
        format!("{{any: [{of_user}]}}"),
        format!("{{all: [{of_ports}]}}"),
        format!("{{any: [{of_user}, {of_ports}]}}"),
        format!("{{any: [{of_ports}, {of_user}]}}"),
        format!("{{all: [{of_user}, {of_ports}]}}"),
        format!("{{any: [{of_user}], all: [{of_ports}]}}"),
    ] {
        let rule = format!(
            "validate: {{message: m, foreach: [{{list: request.object.spec.containers, preconditions: {conditions}, pattern: {{tty: true}}}}]}}"
        );
        holds("Pod", &rule, &pods(&[""], &given));
    }
}
