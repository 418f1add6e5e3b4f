//! What is done with objects: the operations that a policy is for, of Pods and of what makes them.

use engine_compare::{Comparison, Grade, Operation, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

fn classic(resources: &str, rest: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{{resources}}}}}]}}, {rest}}}]}}}}"
    )
}

fn refusing(more: &str, pattern: &str) -> String {
    format!("{more} validate: {{failureAction: Enforce, message: refused, pattern: {pattern}}}")
}

/// Patterns for fields that no update of a Pod changes.
const PATTERNS: [&str; 5] = [
    "{spec: {'=(hostNetwork)': false}}",
    "{spec: {hostNetwork: true}}",
    "{spec: {containers: [{'=(securityContext)': {'=(privileged)': false}}]}}",
    "{spec: {'=(hostPID)': '!true'}}",
    "{spec: {'=(volumes)': [{'X(hostPath)': 'null'}]}}",
];

#[test]
fn the_template_of_a_controller_changes_where_a_pod_does_not() {
    for pattern in PATTERNS {
        let all = classic("kinds: [Pod]", &refusing("", pattern));
        let created = classic("kinds: [Pod], operations: [CREATE]", &refusing("", pattern));
        let excluded = classic(
            "kinds: [Pod]",
            &refusing("exclude: {any: [{resources: {kinds: [Pod], operations: [UPDATE]}}]},", pattern),
        );
        let asked = classic(
            "kinds: [Pod]",
            &refusing(
                "preconditions: {all: [{key: '{{request.operation}}', operator: NotEquals, value: UPDATE}]},",
                pattern,
            ),
        );
        for old in [created, excluded, asked] {
            let answer = compared(&old, &all);
            assert_eq!(answer.grade, Grade::Different, "{old}");
            let update = answer.findings.iter().find(|finding| {
                finding.request.attributes.operation == Operation::Update
                    && finding.direction.as_str() == "stricter"
            });
            assert!(update.is_some(), "{old}: {:?}", answer.findings);
        }
    }
}

fn validating(operations: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [{operations}], resources: [pods]}}]}}, \
         validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

#[test]
fn policies_in_cel_for_pods_meet_changes_of_controllers() {
    let rule = "object.spec.?hostNetwork.orValue(false) == false";
    let [created, both] = ["CREATE", "CREATE, UPDATE"].map(|operations| validating(operations, rule));
    assert_eq!(compared(&created, &both).grade, Grade::Different);
    assert_eq!(compared(&both, &created).grade, Grade::Different);
}

#[test]
fn what_was_wrong_before_is_let_in_where_a_rule_says_so() {
    let rule = |allowed: bool| {
        classic(
            "kinds: [Pod]",
            &format!(
                "validate: {{failureAction: Enforce, message: refused, allowExistingViolations: {allowed}, \
                 pattern: {{spec: {{'=(hostNetwork)': false}}}}}}"
            ),
        )
    };
    assert_eq!(compared(&rule(true), &rule(false)).grade, Grade::Different);
    assert_eq!(compared(&rule(true), &rule(true)).grade, Grade::Same);
}

#[test]
fn a_dry_run_is_a_request_of_its_own() {
    let condition = |value: &str| {
        classic(
            "kinds: [Pod]",
            &format!(
                "preconditions: {{all: [{{key: '{{{{ request.dryRun }}}}', operator: Equals, value: {value}}}]}}, \
                 validate: {{failureAction: Enforce, message: refused, pattern: {{metadata: {{labels: {{team: '?*'}}}}}}}}"
            ),
        )
    };
    for (old, new) in [
        (condition("false"), condition("true")),
        (
            validating("CREATE", "!request.dryRun || has(object.metadata.labels)"),
            validating("CREATE", "true"),
        ),
        (validating("CREATE", "!request.dryRun"), validating("CREATE", "request.dryRun || !request.dryRun")),
    ] {
        let answer = compared(&old, &new);
        assert_eq!(answer.grade, Grade::Different, "{old}");
        assert!(answer.findings.iter().any(|finding| finding.request.attributes.is_dry_run), "{old}");
    }
}

#[test]
fn what_no_request_varies_is_named() {
    for (read, name) in [
        ("request.options.kind != 'x'", "request.options"),
        ("!has(request.userInfo.extra) || request.userInfo.extra == {}", "request.userInfo.extra"),
        ("request.?requestKind.?kind.orValue('') != 'x'", "request.requestKind"),
        ("request.name != 'x'", "generated"),
        ("namespaceObject.?metadata.?annotations.?a.orValue('') != 'x'", "Namespace beyond"),
    ] {
        let answer = compared(&validating("CREATE", read), &validating("CREATE", "true"));
        let is_named = |line: &String| line.starts_with("not varied: ") && line.contains(name);
        assert!(answer.assumptions.iter().any(is_named), "{read}: {:?}", answer.assumptions);
    }
}

#[test]
fn the_name_of_a_namespace_is_varied_where_its_object_is_read() {
    let named = |name: &str| validating("CREATE", &format!("namespaceObject.metadata.name != '{name}'"));
    assert_eq!(compared(&named("prod"), &named("test")).grade, Grade::Different);
}

#[test]
fn an_owner_who_changes_what_is_his() {
    let of = |who: &str| {
        let label = |object: &str| format!("{object}.metadata.?labels.?owner.orValue('')");
        let rule =
            format!("{} == {} || request.userInfo.username == {who}", label("object"), label("oldObject"));
        validating("UPDATE", &rule).replace("[pods]", "[namespaces]")
    };
    let answer = compared(&of("'root'"), &of("oldObject.metadata.?labels.?owner.orValue('')"));
    assert_eq!(answer.grade, Grade::Different);
    let directions: Vec<_> = answer.findings.iter().map(|finding| finding.direction.as_str()).collect();
    assert!(directions.contains(&"wider") && directions.contains(&"stricter"), "{directions:?}");
    let of = |field: &str| {
        validating(
            "CREATE",
            &format!("object.metadata.?labels.?{field}.orValue('') == request.userInfo.username"),
        )
    };
    assert_eq!(compared(&of("owner"), &of("author")).grade, Grade::Different);
}

/// An API server gives a new object its identifier, time and generation before it asks what validates.
#[test]
fn what_a_new_object_is_given_is_there() {
    for (field, kind) in
        [("generation", "deployments"), ("uid", "configmaps"), ("creationTimestamp", "configmaps")]
    {
        let group = if kind == "deployments" { "apps" } else { "" };
        let of = |expression: &str| {
            let policy = validating("CREATE, UPDATE", expression);
            policy
                .replace("[pods]", &format!("[{kind}]"))
                .replace("apiGroups: ['']", &format!("apiGroups: ['{group}']"))
        };
        let answer = compared(&of("true"), &of(&format!("has(object.metadata.{field})")));
        assert_eq!(answer.grade, Grade::NoDifference, "{field}: {:?}", answer.findings);
    }
    let of = |expression: &str| {
        let policy = validating("CREATE, UPDATE", expression).replace("[pods]", "[deployments]");
        policy.replace("apiGroups: ['']", "apiGroups: [apps]")
    };
    let answer = compared(&of("object.metadata.generation >= 0"), &of("true"));
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
}

/// What neither side reads by itself changes where one holds the whole object against what it was.
#[test]
fn a_whole_object_is_held_against_what_it_was() {
    let of = |group: &str, kind: &str, expression: &str| {
        let policy = validating("UPDATE", expression).replace("[pods]", &format!("[{kind}]"));
        policy.replace("apiGroups: ['']", &format!("apiGroups: ['{group}']"))
    };
    let rbac = "rbac.authorization.k8s.io";
    for (group, kind, old, new) in [
        ("apps", "deployments", "object == oldObject", "object.spec == oldObject.spec"),
        (
            "",
            "secrets",
            "object == oldObject",
            "object.?data == oldObject.?data && object.type == oldObject.type",
        ),
        (
            rbac,
            "rolebindings",
            "object.subjects == oldObject.subjects",
            "object.subjects.size() == oldObject.subjects.size()",
        ),
        (
            "apps",
            "statefulsets",
            "object.spec.template.spec.containers == oldObject.spec.template.spec.containers",
            "object.spec.template.spec.containers.map(c, c.image) == oldObject.spec.template.spec.containers.map(c, c.image)",
        ),
    ] {
        let answer = compared(&of(group, kind, old), &of(group, kind, new));
        assert_eq!(answer.grade, Grade::Different, "{kind}: {new}");
        assert_eq!(answer.findings[0].direction.as_str(), "wider", "{kind}: {new}");
    }
}
