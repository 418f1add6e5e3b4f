//! Differences that show only on objects which everything else lets in: beside fields that a level asks for, for one image, one user, one of
//! many constants.

use engine::world::StaticWorld;
use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn grade(old: &str, new: &str) -> (Grade, Vec<&'static str>) {
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.into() }];
    let world = StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    let answer = compare(&side(old), &side(new), &options, &world, &mut |_| true);
    assert_ne!(answer.grade, Grade::NotCompared, "{:?}", answer.reasons);
    (answer.grade, answer.findings.iter().map(|one| one.direction.as_str()).collect())
}

fn differs(old: &str, new: &str, direction: &str) {
    let (grade, directions) = grade(old, new);
    assert_eq!(grade, Grade::Different, "{new}");
    assert!(directions.contains(&direction), "{directions:?} {new}");
}

fn classic(body: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p, annotations: {{\
         pod-policies.kyverno.io/autogen-controllers: none}}}}, spec: {{rules: [{{name: r, match: {{any: [{{\
         resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, allowExistingViolations: false, message: refused, {body}}}}}]}}}}"
    )
}

/// A rule with an exclusion.
fn excluding(exclude: &str) -> String {
    classic(&format!("podSecurity: {{level: restricted, version: latest, exclude: [{{{exclude}}}]}}"))
}

#[test]
fn versions_of_a_level() {
    for (old, new, direction) in
        [("v1.24", "v1.25", "wider"), ("v1.30", "v1.31", "wider"), ("v1.31", "v1.32", "wider")]
    {
        differs(
            &format!("{{level: restricted, version: {old}}}"),
            &format!("{{level: restricted, version: {new}}}"),
            direction,
        );
    }
    differs("{level: baseline, version: v1.36}", "{level: baseline, version: v1.37}", "wider");
}

#[test]
fn what_an_exclusion_of_a_level_names() {
    let of = |list: &str, values: &str| {
        excluding(&format!(
            "controlName: Capabilities, images: ['a/*'], restrictedField: 'spec.{list}[*].securityContext.capabilities.add', \
             values: [{values}]"
        ))
    };
    differs(&of("containers", "NET_ADMIN"), &of("containers", "NET_ADMIN, SYS_TIME"), "wider");
    differs(&of("containers", "NET_ADMIN, SYS_TIME"), &of("containers", "NET_ADMIN"), "stricter");
    differs(&of("initContainers", "NET_ADMIN"), &of("containers", "NET_ADMIN"), "wider");
    differs(&excluding("controlName: Volume Types"), &excluding("controlName: HostPath Volumes"), "stricter");
}

#[test]
fn one_field_beside_all_that_a_level_asks_for() {
    let restricted = |field: &str| {
        classic(&format!(
            "pattern: {{spec: {{=({field}): false, securityContext: {{runAsNonRoot: true, seccompProfile: {{type: RuntimeDefault}}}}, \
             containers: [{{securityContext: {{allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}}}]}}}}"
        ))
    };
    differs(&restricted("hostPID"), &restricted("hostIPC"), "wider");
    differs(&restricted("hostPID"), &restricted("hostPIDs"), "wider");
}

#[test]
fn one_of_a_hundred_constants() {
    let of = |changed: usize| {
        let name = |at: usize| {
            if at == changed { format!("reg{at}.example/other") } else { format!("reg{at}.example/app") }
        };
        let all: Vec<String> = (0..100).map(name).collect();
        classic(&format!(
            "deny: {{conditions: {{any: [{{key: '{{{{ request.object.spec.containers[].image }}}}', operator: AnyIn, value: [{}]}}]}}}}",
            all.join(", ")
        ))
    };
    differs(&of(1000), &of(75), "wider");
    differs(&of(1000), &of(99), "stricter");
}

#[test]
fn users_whose_names_only_begin_as_the_one_that_is_named() {
    let of = |condition: &str| {
        format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
             matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}, \
             validations: [{{expression: \"{condition}\"}}]}}}}"
        )
    };
    differs(
        &of("request.userInfo.username == 'alice'"),
        &of("request.userInfo.username.matches('^alice')"),
        "wider",
    );
    differs(
        &of("request.userInfo.username == 'alice'"),
        &of("request.userInfo.username.matches('alice$')"),
        "wider",
    );
}

#[test]
fn a_classic_policy_reads_the_request_that_an_api_server_sends() {
    let denying = |key: &str, value: &str| {
        classic(&format!(
            "deny: {{conditions: {{any: [{{key: '{{{{{key}}}}}', operator: Equals, value: {value}}}]}}}}"
        ))
    };
    let of_object = denying("request.object.metadata.name", "bad");
    assert_eq!(grade(&denying("request.name", "bad"), &of_object).0, Grade::NoDifference);
    differs(&denying("request.name", "bad"), &denying("request.name", "worse"), "wider");
    let of_kind = denying("request.kind.kind", "Pod");
    assert_eq!(grade(&of_kind, &denying("request.resource.resource", "pods")).0, Grade::NoDifference);
    differs(&of_kind, &denying("request.kind.kind", "Node"), "wider");
}

/// A level, and a PolicyException for it in one Namespace.
fn excepted(fields: &str) -> String {
    let level = classic("podSecurity: {level: baseline, version: latest}");
    format!(
        "{level}\n---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: e, namespace: default}}, spec: {{\
         exceptions: [{{policyName: p, ruleNames: [r]}}], match: {{any: [{{resources: {{kinds: [Pod], namespaces: [sys]}}}}]}}{fields}}}}}"
    )
}

#[test]
fn what_an_exception_of_a_level_names() {
    let control = |name: &str| excepted(&format!(", podSecurity: [{{controlName: {name}}}]"));
    differs(&excepted(""), &control("Host Namespaces"), "stricter");
    differs(&control("HostPath Volumes"), &control("Host Namespaces"), "stricter");
    let condition = "conditions: {all: [{key: \"{{ request.object.metadata.labels.ok || '' }}\", operator: Equals, value: sure}]}";
    differs(&excepted(&format!(", {condition}")), &excepted(""), "wider");
}

#[test]
fn what_an_exclusion_beside_a_level_names() {
    let of = |resources: &str| {
        classic(&format!(
            "podSecurity: {{level: baseline, version: latest}}}}, exclude: {{any: [{{resources: {{namespaces: [sys]{resources}}}}}]"
        ))
    };
    differs(&of(", names: [cni]"), &of(""), "wider");
}

#[test]
fn what_an_exception_in_cel_lets_through() {
    let policy = |fields: &str, expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             autogen: {{podControllers: {{controllers: []}}}}, matchConstraints: {{resourceRules: [{{apiGroups: [''], \
             apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}, validations: [{{message: refused, \
             expression: \"object.spec.containers.all(c, {expression})\"}}]}}}}\n---\n\
             {{apiVersion: policies.kyverno.io/v1, kind: PolicyException, metadata: {{name: e, namespace: default}}, spec: {{\
             policyRefs: [{{name: p, kind: ValidatingPolicy}}], {fields}}}}}"
        )
    };
    let images = |list: &str| {
        let expression = "!c.image.endsWith(':latest') || exceptions.allowedImages.exists(p, c.image == p)";
        policy(&format!("images: [{list}]"), expression)
    };
    differs(&images("'a:latest'"), &images("'a:latest', 'ghcr.io/tools/b:latest'"), "wider");
    let values = |list: &str| {
        let expression =
            "c.?securityContext.?capabilities.?add.orValue([]).all(x, x in exceptions.allowedValues)";
        policy(&format!("allowedValues: [{list}]"), expression)
    };
    differs(&values("NET_RAW, KILL"), &values("NET_RAW"), "stricter");
}
