//! Mistakes that change nothing are left out, each by a rule; the same mistake where the rule does not hold is made.

use engine_compare::mutants::mutants;

/// The texts of the mutants of a rule.
fn texts(kind: &str, rule: &str) -> Vec<String> {
    let text = format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [{kind}]}}}}]}}, {rule}}}]}}}}"
    );
    let policy = engine::yaml::parse_one(&text).unwrap_or_default();
    assert!(policy.get("spec").is_some());
    mutants(&policy).into_iter().map(|mutant| mutant.text).collect()
}

fn has(kind: &str, rule: &str, part: &str) -> bool {
    texts(kind, rule).iter().any(|text| text.contains(part))
}

/// A rule with a precondition on the operation.
fn deleting(operator: &str, value: &str, validate: &str) -> String {
    format!(
        "preconditions: {{all: [{{key: '{{{{ request.operation }}}}', operator: {operator}, value: {value}}}]}}, \
         validate: {{message: m, {validate}}}"
    )
}

#[test]
fn preconditions_that_let_changes_through_matter_to_deletions_alone() {
    let pattern = "pattern: {metadata: {labels: {team: a}}}";
    let foreach =
        "foreach: [{list: 'request.object.spec.[containers, initContainers][]', pattern: {image: a}}]";
    let deny = "deny: {conditions: {all: [{key: '{{ request.name }}', operator: Equals, value: a}]}}";
    for validate in [pattern, foreach] {
        assert!(!has("Pod", &deleting("NotEquals", "DELETE", validate), "preconditions: taken away"));
        assert!(!has("Pod", &deleting("NotEquals", "DELETE", validate), "DELETEz"));
        assert!(!has("Pod", &deleting("AnyIn", "[CREATE, UPDATE]", validate), "preconditions: taken away"));
        assert!(has("Pod", &deleting("AnyIn", "[CREATE]", validate), "preconditions: taken away"));
        assert!(has("Pod", &deleting("NotEquals", "UPDATE", validate), "preconditions: taken away"));
    }
    assert!(has("Pod", &deleting("NotEquals", "DELETE", deny), "preconditions: taken away"));
    // An operation is a text, and no list.
    assert!(!has("Pod", &deleting("NotEquals", "[DELETE]", deny), "preconditions: taken away"));
    assert!(!has("Pod", &deleting("NotEquals", "[DELETE]", deny), "DELETEz"));
}

#[test]
fn what_is_always_there_has_no_anchor_to_lose() {
    let of = |fields: &str| format!("validate: {{message: m, pattern: {{spec: {{{fields}}}}}}}");
    assert!(!has("Pod", &of("=(securityContext): {runAsNonRoot: true}"), "`=(securityContext)` is"));
    assert!(has("Pod", &of("securityContext: {=(runAsNonRoot): true}"), "`=(runAsNonRoot)` is"));
    assert!(has("Thing", &of("=(securityContext): {a: true}"), "`=(securityContext)` is"));
    let container = |fields: &str| of(&format!("containers: [{{{fields}}}]"));
    assert!(!has("Pod", &container("imagePullPolicy: Always"), "`imagePullPolicy` is"));
    assert!(has("Pod", &container("workingDir: a"), "`workingDir` is"));
    assert!(!has("Pod", &container("(name): '*', workingDir: a"), "`*` is `?*`"));
    assert!(has("Pod", &container("workingDir: '?*'"), "`?*` is `*`"));
}

#[test]
fn a_null_that_must_not_be_there_is_a_null() {
    let of = |field: &str| format!("validate: {{message: m, pattern: {{{field}: null}}}}");
    assert!(!has("ServiceAccount", &of("X(secrets)"), "`X(secrets)` is"));
    assert!(has(
        "ServiceAccount",
        &of("X(automountServiceAccountToken)"),
        "`X(automountServiceAccountToken)` is"
    ));
    assert!(has("Thing", &of("X(secrets)"), "`X(secrets)` is"));
}

#[test]
fn a_default_that_stands_to_a_constant_as_another_one_does_is_the_same() {
    let of =
        |test: &str| format!("validate: {{cel: {{expressions: [{{expression: \"object.?kind{test}\"}}]}}}}");
    assert!(!has("Pod", &of(".orValue('') == 'a'"), "orValue('z')"));
    assert!(!has("Pod", &of(".orValue('') in ['a', 'b']"), "orValue('z')"));
    assert!(!has("Pod", &of(".orValue('').startsWith('a')"), "orValue('z')"));
    assert!(has("Pod", &of(".orValue('') == 'z'"), "orValue('z')"));
    assert!(has("Pod", &of(".orValue('') != ''"), "orValue('z')"));
    assert!(has(
        "Pod",
        &of(".orValue('').matches('^z?$') && size(object.?kind.orValue('')) == 0"),
        "orValue('z')"
    ));
    assert!(has("Pod", &of(".orValue('') == object.apiVersion"), "orValue('z')"));
}

/// The texts of the mutants of a policy.
fn of_policy(text: &str) -> Vec<String> {
    let policy = engine::yaml::parse_one(text).unwrap_or_default();
    assert!(policy.get("spec").is_some(), "{text}");
    mutants(&policy).into_iter().map(|mutant| mutant.text).collect()
}

#[test]
fn a_policy_that_matches_no_operation_has_no_mistakes() {
    let of = |operations: &str| {
        of_policy(&format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{matchConstraints: \
             {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: {operations}, resources: [pods]}}]}}, \
             validations: [{{expression: \"object.metadata.name == 'a'\"}}]}}}}"
        ))
    };
    assert!(of("[]").is_empty());
    assert!(of("[CREATE]").iter().any(|text| text.contains("expression")));
}

#[test]
fn images_and_names_are_texts_that_are_not_empty() {
    let excluding = |image: &str| {
        format!(
            "validate: {{message: m, podSecurity: {{level: baseline, version: latest, exclude: [{{controlName: Capabilities, \
             images: ['{image}']}}]}}}}"
        )
    };
    assert!(!has("Pod", &excluding("*"), "`*` is `?*`"));
    assert!(has("Pod", &excluding("a*"), "`a*` is"));
    let each = |field: &str| {
        format!(
            "validate: {{message: m, foreach: [{{list: 'request.object.spec', pattern: {{containers: [{{{field}: '*'}}]}}}}]}}"
        )
    };
    assert!(!has("Pod", &each("image"), "`*` is `?*`"));
    assert!(!has("Pod", &each("name"), "`*` is `?*`"));
    // A working folder may be an empty text.
    assert!(has("Pod", &each("workingDir"), "`*` is `?*`"));
}

#[test]
fn an_alternative_that_another_one_covers_changes_nothing() {
    let of = |other: &str| {
        of_policy(&format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: \
             [{other}, {{resources: {{kinds: [Pod]}}, subjects: [{{kind: User, name: bob}}]}}]}}, \
             validate: {{message: m, pattern: {{metadata: {{name: a}}}}}}}}]}}}}"
        ))
    };
    // `a || a && b` is `a`.
    let has = |texts: &[String]| texts.iter().any(|text| text.contains("any[1]") && text.contains("bob"));
    assert!(!has(&of("{resources: {kinds: [Pod]}}")));
    assert!(has(&of("{resources: {kinds: [ConfigMap]}}")));
}

#[test]
fn labels_are_there_where_a_rule_is_for_what_has_one() {
    let of = |selector: &str| {
        of_policy(&format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: \
             [{{resources: {{kinds: [Pod]{selector}}}}}]}}, \
             validate: {{message: m, pattern: {{metadata: {{labels: {{team: a}}}}}}}}}}]}}}}"
        ))
    };
    let has = |texts: &[String]| texts.iter().any(|text| text.contains("`labels` is `=(labels)`"));
    assert!(!has(&of(", selector: {matchLabels: {app: x}}")));
    assert!(has(&of("")));
}

#[test]
fn operations_that_a_rule_says_nothing_about_may_be_named_or_not() {
    let of = |operations: &str, rest: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]{operations}}}}}]}}, {rest}}}]}}}}"
        )
    };
    let asked = |operation: &str| {
        format!("{{all: [{{key: '{{{{request.operation}}}}', operator: Equals, value: {operation}}}]}}")
    };
    let words = |text: &str| {
        let policy = engine::yaml::parse_one(text).unwrap_or_default();
        let all = mutants(&policy);
        all.iter()
            .filter(|one| one.class.as_str() == "operations")
            .map(|one| one.text.clone())
            .collect::<Vec<_>>()
    };
    let deny =
        |operation: &str| format!("validate: {{message: m, deny: {{conditions: {}}}}}", asked(operation));
    let skip = |operation: &str| {
        format!("preconditions: {}, validate: {{message: m, deny: {{}}}}", asked(operation))
    };
    for rule in [&deny, &skip] as [&dyn Fn(&str) -> String; 2] {
        assert!(
            !words(&of(", operations: [DELETE]", &rule("DELETE")))
                .iter()
                .any(|word| word.ends_with("taken away"))
        );
        assert!(
            words(&of(", operations: [DELETE]", &rule("UPDATE")))
                .iter()
                .any(|word| word.ends_with("taken away"))
        );
        assert!(words(&of("", &rule("UPDATE"))).iter().any(|word| word.ends_with("CREATE alone")));
        assert!(!words(&of("", &rule("CREATE"))).iter().any(|word| word.ends_with("CREATE alone")));
    }
    // A default counts in background scans alone.
    let with_default = |operation: &str| {
        format!(
            "preconditions: {{all: [{{key: \"{{{{ request.operation || 'BACKGROUND' }}}}\", operator: Equals, value: {operation}}}]}}, \
             validate: {{message: m, pattern: {{spec: {{hostNetwork: false}}}}}}"
        )
    };
    assert!(!words(&of("", &with_default("CREATE"))).iter().any(|text| text.ends_with("CREATE alone")));
    assert!(words(&of("", &with_default("UPDATE"))).iter().any(|text| text.ends_with("CREATE alone")));
    // Without conditions all operations count.
    let all = "validate: {message: m, pattern: {metadata: {labels: {team: a}}}}";
    assert!(!words(&of("", all)).is_empty());
}

#[test]
fn a_namespace_has_labels_in_any_case() {
    let of = "validate: {message: m, pattern: {metadata: {labels: {team: a}}}}";
    assert!(!has("Namespace", of, "`labels` is `=(labels)`"));
    assert!(has("Pod", of, "`labels` is `=(labels)`"));
    let any = "validate: {message: m, anyPattern: [{metadata: {labels: {team: a}}}, {metadata: {labels: {team: b}}}]}";
    assert!(!has("Namespace", any, "`labels` is `=(labels)`"));
}
