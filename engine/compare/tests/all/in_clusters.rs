//! What is shown first is what a cluster holds: objects that an API server stores, and texts that objects have.

use engine_compare::{Comparison, Grade, KindGap, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str, options: &Options) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    compare(&text(old), &text(new), options, &world, &mut |_| true)
}

/// What is shown here is found early.
fn few() -> Options {
    Options { max_requests: 2_000, mutants: 0, ..Options::default() }
}

fn classic(rule: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, {rule}}}]}}}}"
    )
}

const PODS: &str = "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]}";

fn validating(expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], {PODS}, \
         validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

fn mutating(condition: &str, patch: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {{name: p}}, spec: {{{PODS}, \
         matchConditions: [{{name: c, expression: \"{condition}\"}}], \
         mutations: [{{patchType: ApplyConfiguration, applyConfiguration: {{expression: \"{patch}\"}}}}]}}}}"
    )
}

const LABEL: &str = "Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 'b'}}}";

#[test]
fn an_image_that_no_kubelet_pulls_is_a_gap_and_hides_nothing() {
    let old = classic(
        "validate: {failureAction: Enforce, message: refused, pattern: {spec: {containers: [{image: '!*:latest'}]}}}",
    );
    let same = "object.spec.containers.all(c, !c.image.endsWith(':latest'))";
    let answer = compared(&old, &validating(same), &few());
    let gaps: Vec<_> = answer.findings.iter().map(|finding| finding.gap).collect();
    assert!(gaps.contains(&Some(KindGap::UnreadableImages)), "{gaps:?}");
    assert!(!gaps.contains(&None), "{:?}", answer.findings);

    let options = Options { ignored_gaps: KindGap::ALL.to_vec(), ..few() };
    assert_eq!(compared(&old, &validating(same), &options).grade, Grade::NoDifference);

    let other = "object.spec.containers.all(c, !c.image.endsWith(':latest')) || object.spec.?hostNetwork.orValue(false)";
    let answer = compared(&old, &validating(other), &options);
    let first = answer.findings.first().expect("a difference");
    assert_eq!((first.gap, first.direction.as_str()), (None, "wider"));
}

#[test]
fn a_text_with_wildcards_is_a_gap_between_kinds() {
    let old = classic(
        "validate: {failureAction: Enforce, message: refused, deny: {conditions: {any: [{\
         key: '{{ request.object.metadata.annotations.team || `\"\"` }}', operator: AnyIn, value: [blue, red]}]}}}",
    );
    let new = "!(object.metadata.?annotations.?team.orValue('') in ['blue', 'red'])";
    let answer = compared(&old, &validating(new), &few());
    let gaps: Vec<_> = answer.findings.iter().map(|finding| finding.gap).collect();
    assert!(gaps.contains(&Some(KindGap::Wildcards)), "{gaps:?}");
    assert!(!gaps.contains(&None), "{:?}", answer.findings);
}

#[test]
fn an_object_that_policies_change_is_one_that_an_api_server_stores() {
    // The new policy errs for every controller: autogen makes another type of the patch than it needs. What is shown is a Deployment as
    // there are some, with a selector and labels.
    let old = mutating("true", LABEL);
    let new = mutating("true", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}")
        .replace("matchConditions", "autogen: {podControllers: {controllers: []}}, matchConditions");
    let answer = compared(&old, &new, &few());
    let shown = answer.findings.iter().map(|finding| &finding.request.object);
    let controllers: Vec<_> = shown.filter(|object| object.find_str(&["kind"]) == "Deployment").collect();
    assert!(!controllers.is_empty(), "{:?}", answer.findings);
    for object in controllers {
        assert!(object.find(&["spec", "selector", "matchLabels"]).is_some(), "{object:?}");
    }

    // No Pod tolerates with neither a key nor the operator Exists.
    let tolerates = |key: &str| {
        let condition = format!("object.spec.?tolerations.orValue([]).all(t, {key} != 'example.com/role')");
        mutating(&condition, LABEL)
    };
    let answer = compared(&tolerates("t.?key.orValue('')"), &tolerates("t.key"), &few());
    let first = answer.findings.first().expect("a difference");
    assert_eq!(first.direction.as_str(), "stricter");
    let toleration = first.request.object.find(&["spec", "tolerations"]).and_then(|list| list.at(0));
    assert_eq!(toleration.map(|one| one.find_str(&["operator"])), Some("Exists"), "{first:?}");
}

#[test]
fn what_both_sides_leave_and_an_api_server_refuses_is_no_difference() {
    // Both put a toleration there that Kubernetes refuses, each another one.
    let tolerating = |key: &str| {
        let patch =
            format!("[JSONPatch{{op: 'add', path: '/spec/tolerations', value: [{{'key': '{key}'}}]}}]");
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {{name: p}}, spec: {{\
             autogen: {{podControllers: {{controllers: []}}}}, {PODS}, \
             mutations: [{{patchType: JSONPatch, jsonPatch: {{expression: \"{patch}\"}}}}]}}}}"
        )
    };
    let answer = compared(&tolerating("not a key"), &tolerating("no key, too"), &few());
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
    let answer = compared(&tolerating("not a key"), &tolerating("key"), &few());
    assert_eq!(answer.grade, Grade::Different);
}

#[test]
fn an_update_that_the_same_lines_decide_is_not_shown_beside_the_creation() {
    let old = classic("validate: {message: refused, pattern: {metadata: {labels: {team: '?*'}}}}");
    let answer = compared(&old, &validating("true").replace("Deny", "Audit"), &few());
    let of_policies: Vec<_> = answer.findings.iter().filter(|finding| finding.gap.is_none()).collect();
    let is_creation = |operation| operation == engine_compare::Operation::Create;
    assert!(
        !of_policies.is_empty()
            && of_policies.iter().all(|finding| is_creation(finding.request.attributes.operation)),
        "{of_policies:?}"
    );
    // An update alone has no creation that says as much.
    let of_updates = validating("request.operation != 'UPDATE'").replace("Deny", "Audit");
    let answer = compared(&validating("true").replace("Deny", "Audit"), &of_updates, &few());
    assert_eq!(
        answer.findings.first().map(|finding| finding.request.attributes.operation),
        Some(engine_compare::Operation::Update)
    );
}

#[test]
fn nothing_is_in_a_namespace_before_that_is() {
    let classic = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: g}, spec: {rules: [{name: r, match: \
        {any: [{resources: {kinds: [Namespace], operations: [CREATE]}}]}, generate: {apiVersion: v1, kind: Secret, name: src, \
        namespace: '{{request.object.metadata.name}}', synchronize: true, clone: {name: src, namespace: default}}}]}}";
    let in_cel = "{apiVersion: policies.kyverno.io/v1, kind: GeneratingPolicy, metadata: {name: g}, spec: {evaluation: \
        {synchronize: {enabled: true}}, matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], \
        operations: [CREATE], resources: [namespaces]}]}, generate: [{expression: \"generator.Apply(object.metadata.name, \
        [resource.Get('v1', 'secrets', 'default', 'src')])\"}]}}";
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { mutants: 0, max_requests: 2_000, ..Options::default() };
    let answer = compare(&side(classic), &side(in_cel), &options, &world, &mut |_| true);
    for finding in &answer.findings {
        let name = finding.request.object.find_str(&["metadata", "name"]);
        let cluster = finding.request.attributes.cluster.clone().unwrap_or_default();
        let is_in_it = |object: &engine_json::Value| object.find_str(&["metadata", "namespace"]) == name;
        assert!(!cluster.iter().any(is_in_it), "{name} {cluster:?}");
    }
}

#[test]
fn what_an_api_server_fills_in_is_no_difference() {
    let retained = "spec.persistentVolumeClaimRetentionPolicy";
    let claims = "object.spec.?volumeClaimTemplates.orValue([]).all(v, v";
    let users = "object.?subjects.orValue([]).all(s, s.kind == 'ServiceAccount' || s";
    let webhooks = "object.?webhooks.orValue([]).all(w, w";
    let group = "rbac.authorization.k8s.io";
    let cases = [
        ("scheduling.k8s.io", "priorityclasses", "object", "preemptionPolicy", "PreemptLowerPriority", ""),
        ("apps", "statefulsets", "object", &format!("{retained}.whenScaled"), "Retain", ""),
        ("apps", "statefulsets", claims, "spec.volumeMode", "Filesystem", ")"),
        (group, "clusterrolebindings", users, "apiGroup", group, ")"),
        (
            "admissionregistration.k8s.io",
            "validatingwebhookconfigurations",
            webhooks,
            "matchPolicy",
            "Equivalent",
            ")",
        ),
    ];
    for (api_group, resource, before, field, value, after) in cases {
        let of = |expression: String| {
            validating(&expression)
                .replace("apiGroups: ['']", &format!("apiGroups: [{api_group}]"))
                .replace("[pods]", &format!("[{resource}]"))
        };
        let written = of(format!("{before}.{field} == '{value}'{after}"));
        let optional = format!(".?{}", field.replace('.', ".?"));
        let absent = of(format!("{before}{optional}.orValue('{value}') == '{value}'{after}"));
        let answer = compared(&written, &absent, &few());
        assert!(answer.findings.is_empty(), "{resource} {field}: {:?}", answer.findings);
    }
}

#[test]
fn a_kind_that_a_policy_names_without_its_group_is_called_so_in_the_cluster() {
    let rule = |bound: u8| {
        format!(
            "context: [{{name: others, apiCall: {{urlPath: /apis/autoscaling.k8s.io/v1/verticalpodautoscalers, jmesPath: 'items | length(@)'}}}}], \
             validate: {{failureAction: Enforce, message: m, deny: {{conditions: {{all: [{{key: '{{{{ others }}}}', operator: GreaterThan, value: \
             {bound}}}]}}}}}}"
        )
    };
    let of_kind = |bound| classic(&rule(bound)).replace("kinds: [Pod]", "kinds: [VerticalPodAutoscaler]");
    let answer = compared(&of_kind(0), &of_kind(1), &few());
    let first = answer.findings.first().expect("a difference");
    let cluster = first.request.attributes.cluster.as_ref().expect("a cluster");
    let kinds: Vec<&str> = cluster.iter().map(|object| object.find_str(&["kind"])).collect();
    assert_eq!(kinds, ["VerticalPodAutoscaler"]);
}
