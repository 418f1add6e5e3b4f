//! What `podsieve convert` makes: it decides the same, and what has no faithful form is refused with its line.
//!
//! In: policies. Out: a failure where a comparison finds a difference, or where something is neither made nor refused.

use engine::world::StaticWorld;
use engine_compare::{FieldType, Grade, Options};
use engine_convert::{Conversion, Refused, convert, grade};
use engine_lenses::wire::Text;
use std::path::Path;
use tests::{conversions, recorded};

#[expect(clippy::unwrap_used, reason = "a test without a policy is broken")]
fn converted(text: &str) -> Conversion {
    let all = convert(&Text { name: "policy.yaml".into(), text: text.to_owned() });
    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

fn policy(rule: &str) -> String {
    let indented = rule.replace('\n', "\n    ");
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
         [{{resources: {{kinds: [Pod]}}}}]}}\n    {indented}\n"
    )
}

fn holds(rule: &str) -> Conversion {
    let conversion = converted(&policy(rule));
    assert!(conversion.is_whole(), "{rule}: {:?}", conversion.refused);
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    let answer = grade(&conversion, &options, &world, &mut |_| true);
    let is_same = answer.grade == Grade::Same;
    assert!(
        is_same || answer.grade == Grade::NoDifference,
        "{:?} {rule}\n{}",
        answer.findings,
        conversion.text()
    );
    assert!(is_same || answer.counts.requests > 100, "{rule}: {:?}", answer.counts);
    conversion
}

#[test]
fn patterns_hold_the_same_with_each_anchor_and_operator() {
    for pattern in [
        "metadata: {labels: {team: '?*'}}",
        "metadata: {labels: {team: 'a* | b?'}}",
        "metadata: {=(labels): {=(team): '!x'}}",
        "metadata: {labels: {X(team): 'null'}}",
        "spec: {=(hostNetwork): false, X(hostPID): 'null'}",
        "spec: {containers: [{image: '!*:latest & *:*'}]}",
        "spec: {containers: [{(image): 'x/*', imagePullPolicy: Always}]}",
        "spec: {^(containers): [{name: main}]}",
        "spec: {=(initContainers): [{(name): 'a*', image: 'b*'}], containers: [{(name): 'a*', image: 'b*'}]}",
        "spec: {<(hostNetwork): true, containers: [{image: 'b*'}]}",
        "spec: {=(securityContext): {=(runAsUser): '>0'}, terminationGracePeriodSeconds: '10-30'}",
        "spec: {containers: [{resources: {limits: {memory: '<=1Gi'}}}]}",
        "spec: {=(volumes): [{=(hostPath): {path: '!/var/run*'}}]}",
    ] {
        holds(&format!("validate:\n  message: m\n  pattern: {{{pattern}}}"));
    }
}

#[test]
fn conditions_and_loops_hold_the_same() {
    for rule in [
        "validate: {message: m, deny: {conditions: {any: [{key: '{{ request.object.spec.hostNetwork || `false` }}', operator: Equals, value: true}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.spec.containers[].image }}\", operator: AnyIn, value: ['a*', b]}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.spec.containers[].image | length(@) }}\", operator: GreaterThan, value: 2}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.spec.volumes[?hostPath].name || `[]` }}\", operator: AnyNotIn, value: [a]}]}}}",
        "preconditions: {all: [{key: \"{{ request.object.metadata.labels.team || '' }}\", operator: NotEquals, value: ''}]}\nvalidate: {message: m, pattern: {spec: {hostIPC: false}}}",
        "validate: {message: m, foreach: [{list: \"request.object.spec.[containers, initContainers][]\", deny: {conditions: {all: [{key: '{{ element.image }}', operator: Equals, value: 'x*'}]}}}]}",
    ] {
        holds(rule);
    }
}

#[test]
fn parts_of_texts_and_lists_of_keys_hold_the_same() {
    for (rule, made) in [
        (
            "validate: {message: m, deny: {conditions: {any: [{key: \"{{ request.object.spec.nodeName || '' | split(@, '/') | [1] }}\", operator: NotEquals, value: data}]}}}",
            "[1] == 'data'",
        ),
        (
            "validate: {message: m, deny: {conditions: {any: [{key: ['{{ request.object.spec.schedulerName }}'], operator: NotIn, value: [a, b]}]}}}",
            "object.spec.schedulerName in ['a', 'b']",
        ),
        (
            "validate: {message: m, deny: {conditions: {all: [{key: \"{{ pattern_match('a-*', request.object.metadata.name) }}\", operator: Equals, value: false}]}}}",
            "metadata.name.startsWith('a-')",
        ),
    ] {
        let text = holds(rule).text();
        assert!(text.contains(made), "{text}");
    }
}

#[test]
fn answers_of_the_cluster_hold_the_same() {
    let map = "context: [{name: teams, configMap: {name: teams, namespace: ops}}]\n";
    let of_map = "deny: {conditions: {any: [{key: '{{ request.object.metadata.name }}', operator: AnyNotIn, value: '{{ teams.data.names }}'}]}}";
    let conversion = holds(&format!("{map}validate: {{message: m, {of_map}}}"));
    let text = conversion.text();
    assert!(text.contains("resource.Get('v1', 'configmaps', 'ops', 'teams')"), "{text}");
    assert!(
        conversion.notes.iter().any(|note| note.contains("strings of the cluster")),
        "{:?}",
        conversion.notes
    );
    let list = "context: [{name: pods_there, apiCall: {urlPath: /api/v1/pods, jmesPath: \"items[?spec.nodeName=='a'] | length(@)\"}}]\n";
    let many = "deny: {conditions: {any: [{key: '{{ pods_there }}', operator: GreaterThan, value: 2}]}}";
    let text = holds(&format!("{list}validate: {{message: m, {many}}}")).text();
    assert!(text.contains("dyn(resource.List('v1', 'pods', '').items)"), "{text}");
    // An entry that is never used is not loaded.
    holds(
        "context: [{name: a, apiCall: {service: {url: 'https://a.example'}}}]\nvalidate: {message: m, pattern: {spec: {hostIPC: false}}}",
    );
}

#[test]
fn wildcards_in_keys_variables_in_patterns_and_durations_hold_the_same() {
    for (rule, made) in [
        (
            "validate: {message: m, pattern: {metadata: {=(annotations): {X(a.io/*): '*?'}}}}",
            "startsWith('a.io/')",
        ),
        ("validate: {message: m, pattern: {metadata: {labels: {'a/*': '?*'}}}}", ".min()\n"),
        (
            "validate: {message: m, pattern: {metadata: {=(annotations): {=(a.io/*): 'b | c*'}}}}",
            "annotations.all(key, !key.startsWith('a.io/'))",
        ),
        (
            "validate: {message: m, pattern: {spec: {=(serviceAccountName): '{{ request.object.spec.schedulerName }}'}}}",
            "object.spec.serviceAccountName == object.spec.schedulerName",
        ),
        (
            "validate: {message: m, pattern: {spec: {containers: [{name: '{{ request.object.metadata.name }}'}]}}}",
            "container.name == variables.metadata.name",
        ),
        (
            "validate: {message: m, deny: {conditions: {any: [{key: \"{{ request.object.metadata.annotations.age || '0s' }}\", operator: GreaterThan, value: 8h}]}}}",
            "duration('8h')",
        ),
        (
            "preconditions: {all: [{key: '{{ request.operation }}', operator: Equals, value: UPDATE}]}\nvalidate: {message: m, deny: {conditions: {any: [{key: '{{ request.object.metadata.labels || `{}` | merge(@, {b: null}) }}', operator: NotEquals, value: '{{ request.oldObject.metadata.labels || `{}` | merge(@, {b: null}) }}'}]}}}",
            "key == 'b' ||",
        ),
    ] {
        let text = holds(rule).text();
        assert!(text.contains(made), "{text}");
    }
}

#[test]
fn patches_leave_the_same_object() {
    for (patch, made) in [
        ("spec: {runtimeClassName: prodclass}", "Object{spec: Object.spec{runtimeClassName: 'prodclass'}}"),
        (
            "spec: {securityContext: {+(runAsUser): 1000}}",
            "runAsUser: object.spec.?securityContext.?runAsUser.orValue(1000)",
        ),
        (
            "spec: {containers: [{(name): '*', imagePullPolicy: Always}]}",
            "Object.spec.containers{name: container.name, imagePullPolicy: 'Always'}",
        ),
    ] {
        let text = holds(&format!("mutate: {{patchStrategicMerge: {{{patch}}}}}")).text();
        assert!(text.contains("kind: MutatingPolicy") && text.contains(made), "{text}");
    }
    let patches =
        "mutate:\n  patchesJson6902: |-\n    - {op: add, path: /spec/priorityClassName, value: low}";
    let text = holds(patches).text();
    assert!(text.contains("JSONPatch{op: 'add', path: '/spec/priorityClassName', value: 'low'}"), "{text}");
}

#[test]
fn json_patches_make_what_is_missing_and_loops_patch_each_element() {
    for (mutate, made) in [
        (
            "patchesJson6902: |-\n    - {op: add, path: /spec/tolerations/-, value: {key: a, operator: Exists}}",
            "[JSONPatch{op: 'add', path: '/spec/tolerations', value: []}]) +",
        ),
        (
            "patchesJson6902: |-\n    - {op: remove, path: /spec/priorityClassName}",
            "(has(object.spec.priorityClassName) ?",
        ),
        (
            "foreach:\n  - list: request.object.spec.containers\n    patchesJson6902: |-\n      - {op: add, path: \
             '/spec/containers/{{elementIndex}}/imagePullPolicy', value: Always}",
            "object.spec.containers.transformList(i, container,",
        ),
        (
            "foreach:\n  - list: request.object.spec.volumes[]\n    order: Descending\n    preconditions: {all: [{key: \"{{ \
             element.name }}\", operator: Equals, value: 'a*'}]}\n    patchesJson6902: |-\n      - {op: remove, path: \
             '/spec/volumes/{{elementIndex}}'}",
            ".reverse()",
        ),
        (
            "foreach:\n  - list: request.object.spec.containers\n    patchStrategicMerge: {spec: {containers: [{name: '{{ \
             element.name }}', imagePullPolicy: Always}]}}",
            "containers: object.spec.containers.map(container,",
        ),
    ] {
        let text = holds(&format!("mutate:\n  {mutate}")).text();
        assert!(text.contains(made), "{text}");
    }
}

#[test]
fn conditions_are_asked_in_the_order_of_the_source() {
    let text = holds(
        "preconditions: {all: [{key: '{{ request.operation }}', operator: Equals, value: CREATE}, {key: '{{ \
         request.object.spec.priority }}', operator: GreaterThan, value: 3}]}\nvalidate: {message: m, pattern: {spec: {hostPID: false}}}",
    )
    .text();
    // The last one errs by itself.
    assert!(text.contains("expression: request.operation == 'CREATE' && object.spec.priority > 3"), "{text}");
    let text = holds(
        "validate: {message: m, deny: {conditions: {all: [{key: '{{ request.object.spec.priority }}', operator: GreaterThan, value: 3}, \
         {key: '{{ request.operation }}', operator: Equals, value: CREATE}]}}}",
    )
    .text();
    assert!(text.contains("has(object.spec.priority) &&"), "{text}");
}

#[test]
fn fields_of_custom_kinds_are_taken_for_what_they_are_held_against() {
    let of_gate = |rule: &str| policy(rule).replace("kinds: [Pod]", "kinds: [example.com/v1/Gate]");
    let conversion = converted(&of_gate(
        "validate:\n  message: m\n  pattern: {spec: {mode: '!open', =(limit): '<10', hosts: ['*.example.com']}}",
    ));
    let types: Vec<String> = conversion.field_types.iter().map(FieldType::describe).collect();
    let expected = [
        "spec is an object",
        "spec.limit is a quantity",
        "spec.hosts is a list",
        "spec.hosts[] is a string",
        "spec.mode is a string",
    ];
    for one in expected {
        assert!(types.iter().any(|is| is == one), "{one} is not among {types:?}");
    }
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    let answer = grade(&conversion, &options, &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::NoDifference, "{}\n{:?}", conversion.text(), answer.findings);
    assert!(
        answer.assumptions.iter().any(|one| one.contains("spec.mode is a string")),
        "{:?}",
        answer.assumptions
    );
    // What may be a text or a list is asked for either.
    let either = converted(&of_gate(
        "validate: {message: m, deny: {conditions: {any: [{key: \"{{ contains(request.object.spec.hosts, '*') }}\", operator: Equals, value: true}]}}}",
    ));
    assert!(
        either.text().contains("type(object.spec.hosts) == list ?\n          '*' in object.spec.hosts"),
        "{}",
        either.text()
    );
}

#[test]
fn a_function_is_not_asked_of_a_field_that_is_not_there() {
    let of_roles = |filter: &str| {
        let rule = format!(
            "validate: {{message: m, deny: {{conditions: {{any: [{{key: get, operator: AnyIn, value: \"{{{{{{{{ request.object.rules[?{filter}].verbs[] }}}}}}}}\"}}]}}}}}}"
        );
        converted(
            &policy(&rule.replace("{{{{", "{{").replace("}}}}", "}}"))
                .replace("kinds: [Pod]", "kinds: [ClusterRole]"),
        )
    };
    // Of null `contains` is an error, and one element's error is the error of the list.
    let argument = of_roles("contains(resources, 'secrets')");
    assert!(argument.text().contains("all(rule,\n          has(rule.resources) &&"), "{}", argument.text());
    let asked = of_roles("resources.contains(@, 'secrets')");
    assert!(!asked.text().contains("has(rule.resources)"), "{}", asked.text());
    assert!(asked.text().contains("'secrets' in rule.?resources.orValue([])"), "{}", asked.text());
}

#[test]
fn what_has_no_faithful_form_is_refused_with_its_line() {
    for (rule, line, text) in [
        ("validate:\n  message: m\n  manifests: {attestors: []}", 10, "manifests"),
        (
            "validate:\n  message: m\n  pattern:\n    metadata:\n      labels:\n        '(a*)': b",
            13,
            "wildcard in a key",
        ),
        (
            "validate:\n  message: m\n  pattern:\n    metadata:\n      labels:\n        a: '{{ request.namespace }}/*'",
            13,
            "beside a variable",
        ),
        (
            "context:\n- name: a\n  apiCall: {service: {url: 'https://a.example'}}\nvalidate: {message: m, deny: {conditions: {all: [{key: '{{ a }}', operator: Equals, value: b}]}}}",
            10,
            "outside the cluster",
        ),
        ("verifyImages:\n- imageReferences: ['*']", 9, "neither `attestors`"),
        (
            "mutate:\n  patchStrategicMerge:\n    spec:\n      containers: [{(name): '*', ports: [{containerPort: 80}]}]",
            11,
            "need not have",
        ),
        (
            "exclude:\n  any:\n  - clusterRoles: [admin]\nvalidate: {message: m, pattern: {spec: {hostIPC: false}}}",
            10,
            "clusterRoles",
        ),
    ] {
        let conversion = converted(&policy(rule));
        assert!(
            !conversion.is_whole() && conversion.documents.is_empty() && conversion.text().is_empty(),
            "{rule}"
        );
        let refused = conversion.refused.first().unwrap();
        assert!(refused.text.contains(text), "{rule}: {refused:?}");
        assert_eq!(refused.range.as_ref().map(|range| range.line), Some(line), "{rule}: {refused:?}");
    }
}

#[test]
fn an_error_in_a_filter_is_one_of_the_whole_list() {
    let of_volumes = |filter: &str| {
        format!(
            "validate: {{message: m, deny: {{conditions: {{all: [{{key: \"{{{{ request.object.spec.volumes[?{filter}].name || `[]` }}}}\", \
             operator: AnyIn, value: [a]}}]}}}}}}"
        )
    };
    let text = holds(&of_volumes("length(configMap.items) > `1`")).text();
    assert!(text.contains("all(volume,\n          volume.?configMap.?items.hasValue() &&"), "{text}");
    // What decides before is not followed by an error.
    let text = holds(&of_volumes("configMap.items && length(configMap.items) > `1`")).text();
    assert!(text.contains("size(volume.?configMap.?items.orValue([])) == 0 ||"), "{text}");
}

#[test]
fn lists_are_true_where_they_have_elements() {
    for rule in [
        "validate: {message: m, deny: {conditions: {any: [{key: \"{{ request.object.spec.volumes[?hostPath] }}\", operator: NotEquals, value: []}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.spec.containers[?env[?value]].name }}\", operator: AnyIn, value: [a]}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.metadata.finalizers || [] }}\", operator: AllNotIn, value: [a]}]}}}",
        "validate: {message: m, deny: {conditions: {all: [{key: \"{{ request.object.metadata.name | split(@, '-') | [-1] }}\", operator: Equals, value: dev}]}}}",
    ] {
        holds(rule);
    }
}

#[test]
fn values_of_objects_that_the_source_takes_for_wildcards_are_noted_with_their_line() {
    let of_images = |operator: &str| {
        format!(
            "validate:\n  message: m\n  deny:\n    conditions:\n      all:\n      - {{key: '{{{{ request.object.spec.containers[].image }}}}', operator: {operator}, value: [busybox, 'x/*']}}"
        )
    };
    let conversion = holds(&of_images("AnyIn"));
    let note = conversion.notes.iter().find(|note| note.starts_with("line 13: ")).unwrap();
    assert!(note.contains("`spec.containers.image` without `*` and `?`"), "{note}");
    // Without what is taken for granted the comparison finds it.
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    let bare = Conversion { plain_values: Vec::new(), ..conversion };
    let answer = grade(&bare, &options, &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::Different, "{}", bare.text());
    // A list is compared as it stands by the old operators.
    let text = holds(&of_images("In")).text();
    assert!(text.contains("container.image in ['busybox', 'x/*']"), "{text}");
    let of_names = holds(
        "validate: {message: m, deny: {conditions: {all: [{key: '{{ request.object.metadata.name }}', operator: AnyIn, value: [a, b]}]}}}",
    );
    assert!(!of_names.notes.iter().any(|note| note.contains("wildcards")), "{:?}", of_names.notes);
}

#[test]
fn everything_in_the_rules_of_a_role_is_among_all_words() {
    let role = policy(
        "validate: {message: m, deny: {conditions: {any: [{key: '{{ request.object.rules[].verbs[] }}', operator: AnyIn, value: [create, delete]}]}}}",
    )
    .replace("kinds: [Pod]", "kinds: [Role]");
    let conversion = converted(&role);
    assert!(conversion.text().contains("verb in ['create', 'delete', '*']"), "{}", conversion.text());
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    let answer = grade(&conversion, &options, &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
}

#[test]
fn what_kyverno_does_not_take_is_refused_in_its_words() {
    let pattern = "validate: {message: m, pattern: {spec: {hostIPC: false}}}";
    let of_cel = "validate: {cel: {expressions: [{expression: \"has(object.data['a'])\"}]}}";
    for (text, line, said) in [
        (policy(pattern).replace("ClusterPolicy", "Policy"), 3, "a Policy without `metadata.namespace`"),
        (
            policy(pattern).replace("name: p}", "name: P_1}"),
            3,
            "Kyverno refuses it: `P_1`: a lowercase RFC 1123",
        ),
        (
            policy(&pattern.replace("message: m", "message: '{{ element.name }}'")),
            8,
            "present outside of foreach",
        ),
        (policy(of_cel), 8, "the expression does not compile: invalid argument to has() macro"),
        (
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {background: true}"
                .to_owned(),
            4,
            "there are no rules",
        ),
    ] {
        let conversion = converted(&text);
        assert!(!conversion.is_whole() && conversion.text().is_empty(), "{}", conversion.text());
        let is_said = |refused: &&Refused| refused.text.contains(said);
        let refused = conversion.refused.iter().find(is_said);
        let found = refused.and_then(|refused| refused.range.as_ref()).map(|range| range.line);
        assert_eq!(found, Some(line), "{said}: {:?}", conversion.refused);
    }
}

#[test]
fn the_document_shows_what_is_made() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/convert.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut blocks = text.split("```yaml\n").skip(1).map(|block| block.split("```").next().unwrap());
    let (source, made) = (blocks.next().unwrap(), blocks.next().unwrap());
    assert_eq!(converted(source).text(), made);
}

#[test]
fn policies_of_the_library_are_converted_and_decide_the_same() {
    let Some(folder) = recorded::folder_or_skip("convert") else { return };
    let rows = conversions::rows(&folder, "policies/best-practices/", 400).unwrap();
    let good = rows.iter().filter(|row| row.is_good()).count();
    assert!(good >= 10, "only {good} of {} are converted", rows.len());
    for row in &rows {
        assert_ne!(row.grade(), "different", "{}\n{}", row.line(), row.detail());
    }
}
