//! Further forms of mistakes that change nothing: each is left out by a rule, and is made where the rule does not hold.

use engine_compare::mutants::mutants;

/// The texts of the mutants of a policy.
fn texts(policy: &str) -> Vec<String> {
    let policy = engine::yaml::parse_one(policy).unwrap_or_default();
    assert!(policy.get("spec").is_some());
    mutants(&policy).into_iter().map(|mutant| mutant.text).collect()
}

fn has(policy: &str, part: &str) -> bool {
    texts(policy).iter().any(|text| text.contains(part))
}

/// A ClusterPolicy with one rule for a kind.
fn rule(kinds: &str, rule: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [{kinds}]}}}}]}}, {rule}}}]}}}}"
    )
}

/// A ValidatingAdmissionPolicy with one validation.
fn admission(resource: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
         matchConstraints: {{resourceRules: [{{apiGroups: ['', apps], apiVersions: [v1], operations: [CREATE, UPDATE], \
         resources: [{resource}]}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
    )
}

#[test]
fn what_is_let_in_whatever_it_is_may_be_asked_for_otherwise() {
    assert!(!has(&admission("pods", "has(request.userInfo.username)"), "resourceRules"));
    assert!(has(&admission("pods", "has(object.metadata.labels)"), "resourceRules"));
    // The mistake in the expression itself is one.
    assert!(has(&admission("pods", "true"), "`true` is `false`"));
}

#[test]
fn a_kind_of_every_group_stands_for_that_of_one() {
    let of = |kinds: &str| rule(kinds, "validate: {message: m, pattern: {metadata: {name: a}}}");
    assert!(!has(&of("v1/Build, build.example/v1/Build"), "kinds[1]: taken away"));
    assert!(has(&of("v1/Build, build.example/v1/Build"), "kinds[0]: taken away"));
    assert!(has(&of("v1/Build, build.example/v1beta1/Build"), "kinds[1]: taken away"));
}

#[test]
fn what_an_api_server_fills_in_is_not_missing() {
    let of = |test: &str| {
        rule("Service", &format!("validate: {{cel: {{expressions: [{{expression: \"{test}\"}}]}}}}"))
    };
    assert!(!has(&of("has(object.spec.type) ? object.spec.type != 'NodePort' : true"), "`true` is `false`"));
    assert!(has(&of("has(object.spec.externalName) ? false : true"), "`true` is `false`"));
    // What is limited in a Pod is requested; in a template it is not.
    let limited = |match_more: &str, limits: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p{match_more}}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{message: m, pattern: {{spec: {{containers: \
             [{{resources: {{requests: {{cpu: '?*'}}, {limits}}}}}]}}}}}}}}]}}}}"
        )
    };
    let alone = ", annotations: {pod-policies.kyverno.io/autogen-controllers: none}";
    assert!(!has(&limited(alone, "limits: {cpu: '?*'}"), "requests: `cpu` is `=(cpu)`"));
    assert!(has(&limited("", "limits: {cpu: '?*'}"), "requests: `cpu` is `=(cpu)`"));
    assert!(has(&limited(alone, "limits: {memory: '?*'}"), "requests: `cpu` is `=(cpu)`"));
    assert!(has(&limited(alone, "=(limits): {cpu: '?*'}"), "requests: `cpu` is `=(cpu)`"));
}

#[test]
fn ephemeral_containers_have_no_amounts_and_no_ports() {
    let of = |list: &str| {
        let validate = format!(
            "validate: {{message: m, pattern: {{spec: {{=({list}): [{{resources: {{limits: {{cpu: '?*'}}}}}}]}}}}}}"
        );
        has(&rule("Pod", &validate), "limits: `cpu` is `=(cpu)`")
    };
    assert!(!of("ephemeralContainers"));
    assert!(of("initContainers"));
    let forgotten = |field: &str| {
        let validate = format!(
            "validate: {{message: m, deny: {{conditions: {{any: [{{key: '{{{{ request.object.spec.[ephemeralContainers, \
             containers][].{field} }}}}', operator: AnyIn, value: [1]}}]}}}}}}"
        );
        has(&rule("Pod", &validate), "`ephemeralContainers` is forgotten")
    };
    assert!(!forgotten("ports[].hostPort"));
    assert!(forgotten("image"));
}

#[test]
fn elements_of_loops_are_of_their_types() {
    let each = |list: &str, pattern: &str| {
        rule("Pod", &format!("validate: {{message: m, foreach: [{{list: '{list}', pattern: {pattern}}}]}}"))
    };
    let both = "request.object.spec.[initContainers, containers][]";
    assert!(!has(&each(both, "{resources: {limits: {cpu: '?*'}}}"), "`?*` is `*`"));
    assert!(!has(&each(both, "{resources: {limits: {cpu: '?*'}}}"), "pattern: `resources` is"));
    assert!(has(&each(both, "{workingDir: '?*'}"), "`?*` is `*`"));
    assert!(has(&each("request.object.spec.volumes", "{emptyDir: {medium: '?*'}}"), "`?*` is `*`"));
    // What a variable reads without an alternative is there, or the rule is an error.
    let reading = |variable: &str| {
        each(
            "request.object.spec.containers",
            &format!(
                "{{lifecycle: {{preStop: {{exec: {{command: '*'}}}}}}, workingDir: '{{{{ {variable} }}}}'}}"
            ),
        )
    };
    assert!(!has(&reading("element.lifecycle.preStop.exec"), "pattern.lifecycle: `preStop` is"));
    assert!(has(&reading("element.lifecycle.preStop.exec || ''x''"), "pattern.lifecycle: `preStop` is"));
    assert!(has(&reading("element.lifecycle.postStart.exec"), "pattern.lifecycle: `preStop` is"));
}

#[test]
fn any_and_all_of_one_value_are_the_same() {
    let deny = |list: &str, key: &str| {
        rule(
            "Service",
            &format!(
                "validate: {{message: m, foreach: [{{list: '{list}', deny: {{conditions: {{all: [{{key: '{{{{ {key} }}}}', \
                 operator: AnyNotIn, value: [22, 80]}}]}}}}}}]}}"
            ),
        )
    };
    assert!(!has(&deny("request.object.spec.ports", "element.port"), "AnyNotIn is AllNotIn"));
    assert!(has(&deny("request.object.spec.ports[?port]", "element.port"), "AnyNotIn is AllNotIn"));
    assert!(has(&deny("request.object.spec", "element.externalIPs"), "AnyNotIn is AllNotIn"));
    let context = |way: &str| {
        rule(
            "Service",
            &format!(
                "context: [{{name: v, variable: {{jmesPath: {way}, default: x}}}}], validate: {{message: m, deny: {{conditions: \
                 {{all: [{{key: '{{{{ v }}}}', operator: AnyNotIn, value: [a, b]}}]}}}}}}"
            ),
        )
    };
    assert!(!has(&context("request.object.metadata.labels.app"), "AnyNotIn is AllNotIn"));
    assert!(has(&context("request.object.spec.externalIPs"), "AnyNotIn is AllNotIn"));
    let first = |key: &str| {
        rule(
            "Service",
            &format!(
                "preconditions: {{all: [{{key: '{{{{ request.object.metadata.{key} }}}}', operator: AnyNotIn, value: [a, b]}}]}}, \
                 validate: {{message: m, pattern: {{metadata: {{name: a}}}}}}"
            ),
        )
    };
    assert!(!has(&first("name"), "AnyNotIn is AllNotIn"));
    assert!(has(&first("finalizers"), "AnyNotIn is AllNotIn"));
}

#[test]
fn a_list_without_elements_has_none_to_deny() {
    let of = |value: &str| {
        rule(
            "Pod",
            &format!(
                "preconditions: {{all: [{{key: '{{{{ length(request.object.spec.containers[].args[] || `[]`) }}}}', operator: \
                 GreaterThan, value: 0}}]}}, validate: {{message: m, deny: {{conditions: {{any: [{{key: a, operator: AnyIn, \
                 value: '{{{{ {value} }}}}'}}]}}}}}}"
            ),
        )
    };
    assert!(!has(
        &of("request.object.spec.containers[].args[].to_upper(@)"),
        "GreaterThan is GreaterThanOrEquals"
    ));
    assert!(has(&of("request.object.spec.containers[].command[]"), "GreaterThan is GreaterThanOrEquals"));
    let wild = |asked: &str| {
        rule(
            "ClusterRole",
            &format!(
                "validate: {{message: m, foreach: [{{list: 'request.object.rules', deny: {{conditions: {{any: [{{key: [approve], \
                 operator: AnyIn, value: '{{{{ element.verbs[] }}}}'}}, {{key: '{{{{ contains({asked}, ''*'') }}}}', \
                 operator: Equals, value: true}}]}}}}}}]}}"
            ),
        )
    };
    assert!(!has(&wild("element.verbs[]"), "any[1]: taken away"));
    assert!(has(&wild("element.resources[]"), "any[1]: taken away"));
}

#[test]
fn a_bound_that_is_written_is_there_already() {
    let of = |bound: u32, written: u32| {
        rule(
            "Pod",
            &format!(
                "preconditions: {{all: [{{key: '{{{{ request.object.spec.priority || `0` }}}}', operator: GreaterThan, value: \
                 {bound}}}]}}, mutate: {{patchStrategicMerge: {{spec: {{priority: {written}}}}}}}"
            ),
        )
    };
    assert!(!has(&of(50, 50), "GreaterThan is GreaterThanOrEquals"));
    assert!(has(&of(50, 40), "GreaterThan is GreaterThanOrEquals"));
    assert!(has(&of(0, 0), "GreaterThan is GreaterThanOrEquals"));
}

#[test]
fn comparisons_that_never_hold_may_be_with_anything() {
    let of = |test: &str| admission("pods", test);
    let sysctls =
        |test: &str| of(&format!("object.spec.?securityContext.?sysctls.orValue([]).all(s, {test})"));
    assert!(!has(&sysctls("s == '' || has(s.name)"), "'z'"));
    assert!(has(&sysctls("s.name == '' || has(s.name)"), "'z'"));
    let amounts = |default: &str| {
        of(&format!(
            "object.spec.containers.all(c, c.resources.requests.memory == c.resources.?limits.?memory.orValue('{default}'))"
        ))
    };
    assert!(!has(&amounts("-1"), "'-1z'"));
    assert!(has(&amounts("1"), "'1z'"));
    let joined = |list: &str, empty: &str| {
        of(&format!(
            "(object.metadata.finalizers.size() > 0 ? {list}.join(',') : '{empty}') == object.metadata.name"
        ))
    };
    assert!(!has(&joined("object.metadata.finalizers", ""), "` > ` is ` >= `"));
    assert!(has(&joined("object.metadata.finalizers", "x"), "` > ` is ` >= `"));
    assert!(has(&joined("object.metadata.names", ""), "` > ` is ` >= `"));
}

#[test]
fn loops_over_what_is_deleted_have_no_elements() {
    let of = |list: &str, context: &str| {
        rule(
            "Pod",
            &format!(
                "{context} preconditions: {{all: [{{key: '{{{{ request.operation }}}}', operator: AnyIn, value: [CREATE, UPDATE]}}]}}, \
                 mutate: {{foreach: [{{list: '{list}', patchStrategicMerge: {{metadata: {{labels: {{a: b}}}}}}}}]}}"
            ),
        )
    };
    let context = "context: [{name: v, variable: {jmesPath: request.object.metadata.name}}],";
    assert!(!has(&of("request.object.spec.containers", ""), "preconditions: taken away"));
    assert!(!has(&of("request.object.spec.containers", context), "preconditions: taken away"));
    assert!(has(&of("request.object.spec.containers || `[]`", ""), "preconditions: taken away"));
    assert!(has(&of("v", context), "preconditions: taken away"));
    // Beside another condition, too, which stands before and after.
    let beside = |value: &str| {
        of("request.object.spec.containers", "").replace(
            "preconditions: {all: [",
            &format!("preconditions: {{all: [{{key: '{{{{ request.object.spec.hostNetwork || `false` }}}}', operator: Equals, value: {value}}}, "),
        )
    };
    assert!(!has(&beside("true"), "all[1]: taken away"));
    assert!(has(&beside("true"), "all[0]: taken away"));
    let held = |variable: &str| {
        rule(
            "Thing",
            &format!(
                "preconditions: {{all: [{{key: '{{{{ request.operation }}}}', operator: NotEquals, value: DELETE}}]}}, \
                 validate: {{message: m, pattern: {{spec: {{name: '{{{{ {variable} }}}}'}}}}}}"
            ),
        )
    };
    assert!(!has(&held("request.object.metadata.name"), "preconditions: taken away"));
    assert!(has(&held("request.object.spec.other"), "preconditions: taken away"));
}

#[test]
fn nothing_matters_in_a_rule_whose_expression_does_not_compile() {
    let of = |test: &str| {
        let expressions = format!("[{{expression: \"{test}\"}}, {{expression: \"object.data.b == 'c'\"}}]");
        rule("ConfigMap", &format!("validate: {{cel: {{expressions: {expressions}}}}}"))
    };
    assert!(!has(&of("!has(object.data['a'])"), "expressions[1]"));
    assert!(has(&of("!has(object.data['a'])"), "validate.cel.expressions[0]: taken away"));
    assert!(has(&of("!has(object.data.a)"), "validate.cel.expressions[1].expression: `==` is `!=`"));
}

#[test]
fn what_a_constant_stands_beside_decides_nothing() {
    assert!(!has(&admission("pods", "false && object.spec.hostNetwork == true"), "`true` is `false`"));
    assert!(!has(&admission("pods", "object.spec.hostNetwork == true || true"), "`true` is `false`: object"));
    assert!(has(
        &admission("pods", "has(object.spec.x) && object.spec.hostNetwork == true"),
        "`true` is `false`"
    ));
    let two = |first: &str| {
        admission("pods", &format!("{first}\"}}, {{expression: \"object.spec.hostNetwork == true"))
    };
    assert!(!texts(&two("false")).iter().any(|text| text.starts_with("spec.validations[1]")));
    assert!(texts(&two("has(object.spec)")).iter().any(|text| text.starts_with("spec.validations[1]")));
}

#[test]
fn templates_and_new_pods_have_no_ephemeral_containers() {
    let of = |kinds: &str, way: &str, close: &str| {
        let privileged = "{=(securityContext): {privileged: 'false'}}";
        let pattern = format!("{{spec: {way}{{=(ephemeralContainers): [{privileged}]}}{close}}}");
        texts(&rule(kinds, &format!("validate: {{message: m, pattern: {pattern}}}")))
            .iter()
            .any(|text| text.contains("privileged"))
    };
    assert!(!of("Deployment", "{template: {spec: ", "}}"));
    assert!(of("Pod", "", ""));
    assert!(!of("Pod], operations: [CREATE", "", ""));
    assert!(of("Pod], operations: [CREATE, UPDATE", "", ""));

    let in_cel = |operations: &str, resource: &str, way: &str| {
        let lists = format!("({way}.containers + {way}.?ephemeralContainers.orValue([]))");
        let policy = admission(resource, &format!("{lists}.all(c, c.image != 'x')"));
        let policy = policy.replace("operations: [CREATE, UPDATE]", &format!("operations: [{operations}]"));
        has(&policy, "ephemeralContainers")
    };
    assert!(!in_cel("CREATE", "pods", "object.spec"));
    assert!(in_cel("CREATE, UPDATE", "pods", "object.spec"));
    assert!(!in_cel("CREATE, UPDATE", "deployments", "object.spec.template.spec"));
}
