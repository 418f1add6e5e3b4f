//! Rules of classic policies, converted and compared with what they were, and what is refused instead.
//!
//! In: rules. Out: a failure where a comparison finds a difference, or where another text is made.

use crate::shared::{converted_of, denied, holds_within, policy, why_refused};
use engine_convert::Conversion;

fn converted(annotations: &str, kind: &str, rule: &str) -> Conversion {
    converted_of(policy(annotations, kind, rule))
}

fn holds_for(kind: &str, rule: &str) -> String {
    let conversion = converted("a: b", kind, rule);
    holds(&conversion, rule);
    conversion.text()
}

fn refused(kind: &str, rule: &str) -> String {
    why_refused(&converted("a: b", kind, rule))
}

fn holds(conversion: &Conversion, rule: &str) {
    holds_within(conversion, rule, 1_500);
}

#[test]
fn a_template_of_helm_is_to_be_rendered_first() {
    for key in [
        "{{ \\\"{{\\\" }} request.operation {{ \\\"}}\\\" }}",
        "{{`{{ request.operation }}`}}",
        "{{ .Values.operation }}",
    ] {
        let rule = format!(
            "validate: {{message: m, deny: {{conditions: {{all: [{{key: \"{key}\", operator: Equals, value: a}}]}}}}}}"
        );
        let said = refused("Pod", &rule);
        assert!(said.contains("`helm template CHART`"), "{said}");
    }
}

#[test]
fn sides_of_and_are_values_and_not_truths() {
    let privileged =
        "request.object.spec.securityContext && request.object.spec.securityContext.runAsNonRoot";
    let text = holds_for("Pod", &denied(privileged, "Equals", "true"));
    assert!(text.contains("runAsNonRoot"), "{text}");
    // A text stands for what is not there, and no text is `true`.
    holds_for("Pod", &denied(&format!("{privileged} || 'false'"), "Equals", "true"));
    let said = refused("Pod", &denied(privileged, "NotEquals", "true"));
    assert!(said.contains("may give null"), "{said}");
}

#[test]
fn elements_without_the_key_of_a_function_drop_out() {
    holds_for(
        "networking.k8s.io/v1/Ingress",
        &denied("request.object.spec.rules[].http.paths[].path.contains(@, '/etc')", "AnyIn", "[true]"),
    );
}

#[test]
fn what_autogen_leaves_as_it_stands_is_read_of_the_controller() {
    let text = holds_for(
        "Pod",
        "preconditions: {all: [{key: '{{ request.\"object\".metadata.labels.app || `` }}', operator: NotEquals, value: web}]}\n\
         validate: {message: m, pattern: {spec: {automountServiceAccountToken: 'false'}}}"
            .replace("``", "''''")
            .as_str(),
    );
    assert!(text.contains("object['metadata'].?labels"), "{text}");
}

#[test]
fn rules_that_err_for_every_controller_are_refused() {
    let said = refused("Pod", &denied("request.object.metadata.namespace", "Equals", "kube-system"));
    assert!(said.contains("`request.namespace`"), "{said}");
    let loops = "validate: {message: m, foreach: [{list: request.object.spec.volumes, elementScope: false, pattern: {spec: {containers: \
                 [{name: '?*'}]}}}]}";
    assert!(refused("Pod", loops).contains("autogen"), "{}", refused("Pod", loops));
    let without = converted("pod-policies.kyverno.io/autogen-controllers: none", "Pod", loops);
    assert!(without.is_whole(), "{:?}", without.refused);
}

#[test]
fn what_is_replaced_must_be_there() {
    let text = holds_for(
        "Service",
        "mutate: {patchesJson6902: '[{\"op\": \"replace\", \"path\": \"/spec/clusterIP\", \"value\": \"None\"}]'}",
    );
    assert!(text.contains("op: 'remove', path: '/spec/clusterIP'"), "{text}");
}

#[test]
fn later_patches_see_the_context_of_the_first() {
    let text = holds_for(
        "Pod",
        "context: [{name: names, variable: {jmesPath: \"request.object.spec.volumes[?hostPath].name\"}}]\n\
         preconditions: {all: [{key: \"{{ length(names) }}\", operator: GreaterThan, value: 0}]}\n\
         mutate: {foreach: [{list: \"request.object.spec.volumes[]\", order: Descending, preconditions: {all: [{key: hostPath, operator: AnyIn, \
         value: \"{{ element.keys(@) }}\"}]}, patchesJson6902: '- {op: remove, path: \"/spec/volumes/{{elementIndex}}\"}'}, {list: \
         \"request.object.spec.containers[]\", foreach: [{list: \"element.volumeMounts || `[]`\", order: Descending, preconditions: {all: \
         [{key: \"{{ element.name }}\", operator: AnyIn, value: \"{{ names }}\"}]}, patchesJson6902: '- {op: remove, path: \
         \"/spec/containers/{{elementIndex0}}/volumeMounts/{{elementIndex1}}\"}'}]}]}",
    );
    assert!(text.contains("request.object.spec.?volumes"), "{text}");
}

#[test]
fn labels_are_set_beside_labels_that_are_added() {
    let text =
        holds_for("Service", "mutate: {patchStrategicMerge: {metadata: {labels: {+(team): a, tier: b}}}}");
    assert!(text.contains("'tier': dyn('b')"), "{text}");
}

#[test]
fn the_key_that_fits_a_wildcard_is_a_variable() {
    let text = holds_for(
        "Ingress",
        "validate: {message: m, pattern: {metadata: {=(annotations): {=(nginx.ingress.kubernetes.io/*-snippet): '!*lua*'}}}}",
    );
    assert!(text.contains("    - name: annotationKey\n"), "{text}");
    assert_eq!(text.matches(".min()").count(), 1, "{text}");
    assert_eq!(text.matches(".exists(").count(), 0, "{text}");
}

#[test]
fn expressions_and_messages_stand_as_a_person_writes_them() {
    let text = holds_for(
        "Service",
        "validate: {message: 'no `x`, never', cel: {expressions: [{expression: \"has(object.spec) && \\n  has(object.spec.ports) \\n\"}]}}",
    );
    assert!(
        text.contains(
            "    - expression: |-\n        has(object.spec) &&\n          has(object.spec.ports)\n"
        ),
        "{text}"
    );
    assert!(text.contains("      message: no `x`, never\n"), "{text}");
}

#[test]
fn the_order_of_containers_is_kept_and_noted() {
    let rule = "mutate: {foreach: [{list: \"request.object.spec.containers[]\", patchStrategicMerge: {spec: {containers: [{(name): \"{{ \
                element.name }}\", resources: {requests: {+(memory): 100Mi}}}]}}}]}";
    holds_for("Pod", rule);
    let conversion = converted("a: b", "Pod", rule);
    assert!(conversion.keeps_order && conversion.notes.iter().any(|note| note.contains("keeps their order")));
}

#[test]
fn long_texts_are_folded_and_code_stands_without_marks() {
    let rule = "validate: {message: \"The Pod {{ request.object.metadata.name }} says \\\"no\\\", and needs a label that says which team it \
                belongs to, as the page about labels asks for\", pattern: {metadata: {labels: {team: '?*'}}}}";
    let text = holds_for("Pod", rule);
    assert!(text.contains("messageExpression: >-\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn patches_that_no_configuration_says_are_json_patches() {
    for (patch, made) in [
        ("{spec: {nodeSelector: {disk: ssd}}}", "path: '/spec/nodeSelector/disk', value: 'ssd'"),
        ("{metadata: {labels: {team: a}}}", "path: '/spec/template/metadata/labels/team'"),
        (
            "{spec: {+(affinity): {+(nodeAffinity): {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchFields: [{key: metadata.name, operator: In, values: [a]}]}}]}}}}",
            "(has(object.spec.affinity) ?",
        ),
        (
            "{metadata: {annotations: {+(a.io/b): c}}, spec: {volumes: [{<(emptyDir): {}}]}}",
            "object.spec.volumes.exists(volume, has(volume.emptyDir))",
        ),
        ("{spec: {volumes: [{name: cache, configMap: {name: a}}]}}", "path: '/spec/volumes/0'"),
        (
            "{metadata: {labels: {a: b}}, spec: {containers: [{(name): '*', imagePullPolicy: Always}]}}",
            "object.spec.containers.transformList(i, container,",
        ),
    ] {
        let text = holds_for("Pod", &format!("mutate: {{patchStrategicMerge: {patch}}}"));
        assert!(text.contains(made), "{text}");
        assert!(text.contains("name: p-controllers") && text.contains("name: p-cronjobs"), "{text}");
    }
}

#[test]
fn directives_of_patches_are_not_fields() {
    for (patch, said) in [
        ("{spec: {volumes: [{$patch: delete, name: foo}]}}", "`$patch` removes or replaces"),
        ("{spec: {nodeSelector: {$patch: replace, a: b}}}", "`$patch` removes or replaces"),
        ("{spec: {+(nodeSelector): {+($patch): replace, a: b}}}", "`$patch` removes or replaces"),
        ("{spec: {$retainKeys: [containers]}}", "`$retainKeys`, which Kyverno takes for a field"),
        ("{spec: {$setElementOrder/containers: [{name: a}]}}", "`$setElementOrder`, which"),
        ("{metadata: {$deleteFromPrimitiveList/finalizers: [a]}}", "`$deleteFromPrimitiveList`, which"),
    ] {
        let conversion = converted("a: b", "Pod", &format!("mutate: {{patchStrategicMerge: {patch}}}"));
        let [one] = conversion.refused.as_slice() else { panic!("{:?}", conversion.refused) };
        assert!(one.text.contains(said) && one.field.contains('$'), "{one:?}");
        assert_eq!(one.range.as_ref().map(|range| range.line), Some(8), "{one:?}");
        let looped = format!(
            "mutate: {{foreach: [{{list: request.object.spec.containers, patchStrategicMerge: {patch}}}]}}"
        );
        assert!(refused("Pod", &looped).contains(said));
    }
}

#[test]
fn changes_of_existing_objects_are_refused() {
    let rule = "mutate: {targets: [{apiVersion: apps/v1, kind: Deployment, name: a}], patchStrategicMerge: {spec: {template: {metadata: \
                {annotations: {a: b}}}}}}";
    assert!(refused("Secret", rule).contains("objects that exist already"), "{}", refused("Secret", rule));
}

#[test]
fn anchors_that_one_element_leaves_to_the_next_are_refused() {
    // One copy of an element meets all that are there: what the first has of `+()` is gone for the next.
    let patch = "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}, spec: {containers: [{(name): '*', +(imagePullPolicy): Always}]}}}";
    assert!(refused("Pod", patch).contains("`+(imagePullPolicy)`"), "{}", refused("Pod", patch));
}

/// What Kyverno reads elsewhere is left out.
const APP_ARMOR: &str = "{controlName: AppArmor}";

#[test]
fn pod_security_holds_the_same_with_narrow_exclusions() {
    for exclude in [
        "{controlName: Capabilities, images: ['a/*'], restrictedField: 'spec.initContainers[*].securityContext.capabilities.add', values: [NET_RAW]}",
        "{controlName: Host Namespaces, restrictedField: spec.hostNetwork, values: ['true']}",
        "{controlName: Privileged Containers, images: ['a:?', 'b*c']}",
    ] {
        let text = holds_for(
            "Pod",
            &format!(
                "validate: {{failureAction: Enforce, podSecurity: {{level: baseline, version: v1.32, exclude: [{APP_ARMOR}, {exclude}]}}}}"
            ),
        );
        assert!(text.contains("violates PodSecurity"), "{text}");
    }
    let baseline = "validate: {podSecurity: {level: baseline}}";
    holds_for("Pod", baseline);
    let noted = converted("a: b", "Pod", baseline).notes;
    assert!(noted.iter().any(|note| note.contains("CronJob")), "{noted:?}");
    refused("Pod", "validate: {podSecurity: {level: baseline, exclude: [{controlName: Capabilities}]}}");
}

#[test]
fn behind_a_pipe_a_missing_key_is_null() {
    let annotation = "request.object.metadata.annotations.test";
    let text = holds_for("ConfigMap", &denied(&format!("{annotation} | parse_json(@).a"), "NotEquals", "b"));
    assert!(text.contains("variables.parsed.?a.orValue('b') == 'b'"), "{text}");
    let list = format!(
        "validate: {{message: m, deny: {{conditions: {{any: [{{key: a, operator: NotIn, value: \"{{{{ {annotation} | parse_yaml(@).list \
         }}}}\"}}]}}}}}}"
    );
    let text = holds_for("ConfigMap", &list);
    assert!(text.contains("'a' in variables.parsed.list"), "{text}");
}

#[test]
fn base64_has_its_padding() {
    let rule = denied("base64_decode(request.object.data.value)", "NotEquals", "x");
    holds_for("Secret", &rule);
    let conversion = converted("a: b", "Secret", &rule);
    assert!(conversion.notes.iter().any(|note| note.contains("with padding")), "{:?}", conversion.notes);
}

#[test]
fn numbers_are_seconds_beside_a_duration() {
    let text = holds_for("ConfigMap", &denied("request.object.metadata.annotations.age", "LessThan", "8h"));
    assert!(text.contains("int(double(object.metadata.annotations.age)) >= 28800"), "{text}");
}

#[test]
fn every_user_has_a_service_account_where_it_decides() {
    let rule = "validate: {message: m, pattern: {spec: {serviceAccountName: '{{ serviceAccountName }}'}}}";
    let text = policy("a: b", "Pod", rule).replace("spec:\n  rules", "spec:\n  background: false\n  rules");
    let conversion = converted_of(text);
    holds(&conversion, rule);
    let text = conversion.text();
    assert!(text.contains("regex.extract(request.userInfo.username"), "{text}");
}

#[test]
fn what_is_written_is_evaluated() {
    let rule = "context: [{name: pairs, variable: {value: {a: 1}, jmesPath: \"items(@, 'key', 'value')\"}}, {name: path, variable: {value: \
                name}}, {name: named, variable: {value: {name: '{{ request.object.metadata.name }}'}, jmesPath: '{{ path }}'}}]\n\
                validate: {message: m, deny: {conditions: {any: [{key: '{{ pairs[0].key }}', operator: NotEquals, value: a}, {key: '{{ named }}', operator: Equals, value: web}]}}}";
    let text = holds_for("ConfigMap", rule);
    assert!(text.contains("expression: object.metadata.name != 'web'"), "{text}");
}

#[test]
fn a_default_may_be_a_variable() {
    let rule = "context: [{name: whose, variable: {jmesPath: request.object.metadata.labels.team, default: '{{ request.namespace }}'}}]\n\
                validate: {message: m, deny: {conditions: {any: [{key: '{{ whose }}', operator: Equals, value: ops}]}}}";
    let text = holds_for("ConfigMap", rule);
    assert!(text.contains(".orValue(request.namespace) != 'ops'"), "{text}");
}

#[test]
fn numbers_and_percentages_have_defaults() {
    let key = "regex_match('^([1-9]|[1-4][0-9]|50)%$', '{{ request.object.spec.minAvailable || ''50%''}}')"
        .replace("''", "'");
    let text = holds_for("policy/v1/PodDisruptionBudget", &denied(&key, "Equals", "false"));
    assert!(text.contains("string(object.?spec.?minAvailable.orValue('50%'))"), "{text}");
}

#[test]
fn what_is_in_no_namespace_has_none_in_its_request() {
    let of = |kind: &str, block: &str| {
        let rule = format!(
            "exclude: {{any: [{{resources: {{{block}}}}}]}}\nvalidate: {{failureAction: Enforce, message: m, pattern: {{metadata: {{labels: {{a: '?*'}}}}}}}}"
        );
        let conversion =
            converted_of(policy("a: b", kind, &rule).replace("  rules:", "  background: false\n  rules:"));
        holds(&conversion, &rule);
        conversion.text()
    };
    let text = of("Role, ClusterRole", "namespaces: [kube-system]");
    assert!(text.contains("request.?namespace.orValue('') != 'kube-system'"), "{text}");
    let text = of("'*'", "namespaces: [kube-*]");
    assert!(text.contains("!request.?namespace.orValue('').startsWith('kube-')"), "{text}");
    let text = of("Service", "namespaces: [kube-system]");
    assert!(text.contains("request.namespace != 'kube-system'"), "{text}");
    let text = of("Namespace", "namespaces: [kube-system]");
    assert!(text.contains("object.metadata.name != 'kube-system'"), "{text}");
    // All are like `*`, and what is in no namespace is too.
    let text = of("ClusterRole", "namespaces: ['*']");
    assert!(!text.contains("namespace"), "{text}");
}

#[test]
fn the_star_of_a_role_is_among_written_words() {
    let rule = |key: &str| {
        format!(
            "validate: {{failureAction: Enforce, message: m, deny: {{conditions: {{any: [{{key: {key}, operator: AnyIn, \
             value: \"{{{{ request.object.rules[].resources[] }}}}\"}}]}}}}}}"
        )
    };
    let text = holds_for("ClusterRole", &rule("nodes/proxy"));
    assert!(text.contains("resource in ['nodes/proxy', '*']"), "{text}");
    let text = holds_for("ClusterRole", &rule("[secrets, nodes]"));
    assert!(text.contains("resource in ['secrets', 'nodes', '*']"), "{text}");
}

#[test]
fn wildcards_in_strings_of_the_cluster_are_wildcards() {
    let map = "context: [{name: cm, configMap: {name: allowed, namespace: default}}]\n";
    let image = "request.object.spec.containers[0].image";
    // Each of these takes seconds to compare: two are.
    let written = |rule: &str| {
        let conversion = converted("a: b", "Pod", &format!("{map}{rule}"));
        assert!(conversion.is_whole(), "{rule}: {:?}", conversion.refused);
        conversion.text()
    };
    let compared = |rule: &str| {
        let rule = format!("{map}{rule}");
        let conversion = converted("a: b", "Pod", &rule);
        holds_within(&conversion, &rule, 200);
        conversion.text()
    };
    for (key, operator, value, made) in [
        (image, "NotEquals", "'{{ cm.data.x }}'", "image.matches(variables.xPattern)"),
        (image, "AnyNotIn", "'{{ cm.data.x }}'", "image.matches(variables.xPattern)"),
        (
            "request.object.spec.containers[].image",
            "AnyIn",
            "'{{ cm.data.x }}'",
            "json.unmarshal(variables.cm.data.x).all(word,",
        ),
        (
            "request.object.spec.containers[].image",
            "AnyIn",
            "\"{{ split(cm.data.x, ',') }}\"",
            "regex.replace(item, ",
        ),
        (
            "request.object.spec.containers[].image",
            "AnyIn",
            "\"{{ parse_json(cm.data.x) }}\"",
            "regex.replace(string(",
        ),
    ] {
        let text = written(&denied(key, operator, value));
        assert!(text.contains(made), "{text}");
    }
    let pattern = "validate: {message: m, pattern: {spec: {containers: [{image: '{{ cm.data.x }}'}]}}}";
    let text = compared(pattern);
    assert!(text.contains("variables.cm.data.x.split('|').exists(word,"), "{text}");
    let text = compared(&denied(image, "NotEquals", "'{{ cm.data.x }}'"));
    // The text may stand on several lines.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let made = r"regex.replace(variables.cm.data.x, '[[:punct:]]', '\\\\\\0').replace('\\*', '.*')";
    assert!(flat.contains(made), "{text}");
    // What may be a range or another way to write a number is refused.
    let said = refused(
        "apps/v1/Deployment",
        &format!("{map}{}", denied("request.object.spec.replicas", "AnyIn", "'{{ cm.data.x }}'")),
    );
    assert!(said.contains("may be a range"), "{said}");
    let said = refused(
        "apps/v1/Deployment",
        &format!("{map}{}", denied("request.object.spec.replicas", "Equals", "'{{ cm.data.x }}'")),
    );
    assert!(said.contains("may be written otherwise"), "{said}");
}

#[test]
fn elements_with_anchors_in_a_list_that_is_added_are_refused() {
    let of = |element: &str| {
        format!(
            "mutate: {{patchStrategicMerge: {{spec: {{+(initContainers): [{{name: a, image: 'b:1', {element}}}]}}}}}}"
        )
    };
    let said = refused("Pod", &of("+(securityContext): {runAsUser: 1}"));
    assert!(said.contains("the source adds nothing"), "{said}");
    holds_for("Pod", &of("securityContext: {runAsUser: 1}"));
}

#[test]
fn a_refusal_names_what_stands_in_the_way() {
    let said = refused("example.com/v1/Thing", &denied("request.object.type || 'Opaque'", "Equals", "a"));
    assert!(said.contains("a field of unknown type"), "{said}");
    let said =
        refused("apps/v1/Deployment", &denied("request.object.spec.hostNetwork || `1`", "Equals", "1"));
    assert!(said.contains("`spec.hostNetwork`, a field that the kind has not"), "{said}");
    let said = refused("Pod", &denied("request.object.spec.hostNetwork || `true`", "Equals", "true"));
    assert!(said.contains("`false` gives way to it too"), "{said}");
    let nested =
        "validate: {message: m, deny: {conditions: {any: [{all: [{key: a, operator: Equals, value: a}]}]}}}";
    let said = refused("Pod", nested);
    assert!(said.contains("`all` within a list of conditions"), "{said}");
}

#[test]
fn plurals_of_custom_kinds_are_those_of_their_definitions() {
    for (kind, resources) in [
        ("networking.istio.io/v1beta1/Gateway", "[gateways]"),
        ("networking.istio.io/v1beta1/ServiceEntry", "[serviceentries]"),
        ("appmesh.k8s.aws/v1beta2/Mesh", "[meshes]"),
    ] {
        let text = holds_for(
            kind,
            "validate: {failureAction: Enforce, message: m, pattern: {metadata: {labels: {team: '?*'}}}}",
        );
        assert!(text.contains(&format!("resources: {resources}")), "{text}");
    }
}
