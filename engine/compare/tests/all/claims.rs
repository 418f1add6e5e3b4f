//! What a grade claims, and what only seems to lie between kinds of policies.
//!
//! In: pairs that differ in one thing. Out: a failure where they are called the same, or the difference is put down to the kinds.

use engine::world::StaticWorld;
use engine_compare::{Comparison, Grade, KindGap, Operation, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str, ignored_gaps: Vec<KindGap>) -> Comparison {
    let text = |text: &str| vec![Text { name: "side.yaml".into(), text: text.to_owned() }];
    let extension = Some(engine_celpolicy::WITH_STEPS);
    let world = StaticWorld { extension, ..StaticWorld::at(1_700_000_000_000_000_000) };
    let options = Options { mutants: 0, max_requests: 3_000, ignored_gaps, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

fn classic(rest: &str, kind: &str, matched: &str, validate: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p{rest}}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [{kind}]{matched}}}}}]}}, validate: {{failureAction: Enforce, \
         allowExistingViolations: false, message: m, {validate}}}}}]}}}}"
    )
}

const DENY: &str = "deny: {conditions: {all: [{key: '{{ request.object.spec.type || '''' }}', operator: NotEquals, value: ClusterIP}]}}";

fn in_cel(kind: &str, name: &str, rest: &str, expression: &str) -> String {
    let (version, actions) = match kind {
        "ValidatingPolicy" => ("policies.kyverno.io/v1", "validationActions: [Deny], "),
        _ => ("admissionregistration.k8s.io/v1", ""),
    };
    format!(
        "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}}}, spec: {{{actions}matchConstraints: {{{rest}resourceRules: \
         [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [services]}}]}}, validations: \
         [{{message: m, expression: \"{expression}\"}}]}}}}\n---\n"
    )
}

fn binding(name: &str, policy: &str) -> String {
    format!(
        "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {{name: {name}}}, spec: \
         {{policyName: {policy}, validationActions: [Deny]}}}}\n---\n"
    )
}

const TYPE: &str = "object.?spec.?type.orValue('') == 'ClusterIP'";

fn says(answer: &Comparison, words: &str) -> bool {
    answer.assumptions.iter().any(|line| line.contains(words))
}

#[test]
fn deletions_that_classic_rules_are_asked_about_are_compared_or_named() {
    let old = classic("", "Service", "", DENY);
    let answer = compared(&old, &in_cel("ValidatingPolicy", "p", "", TYPE), Vec::new());
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
    assert!(
        says(&answer, "deletions are not compared, and not decided the same"),
        "{:?}",
        answer.assumptions
    );
    // Between ClusterPolicies it is a difference.
    let others = classic("", "Service", ", operations: [CREATE, UPDATE]", DENY);
    let answer = compared(&old, &others, Vec::new());
    assert_eq!(answer.grade, Grade::Different);
    assert_eq!(answer.findings[0].request.attributes.operation, Operation::Delete);
    let named = classic("", "Service", ", operations: [CREATE, UPDATE, DELETE, CONNECT]", DENY);
    assert_eq!(compared(&old, &named, Vec::new()).grade, Grade::Same);
}

#[test]
fn a_binding_of_another_policy_binds_nothing() {
    let policy = |name: &str| in_cel("ValidatingAdmissionPolicy", name, "", TYPE);
    let right = format!("{}{}", policy("p"), binding("b", "p"));
    let wrong = format!("{}{}", policy("p"), binding("b", "o"));
    let answer = compared(&right, &wrong, Vec::new());
    assert_eq!(answer.grade, Grade::Different);
    assert!(
        says(&answer, "`p` decides nothing: no binding that is given names it"),
        "{:?}",
        answer.assumptions
    );
    let other = policy("q").replace("type.orValue", "clusterIP.orValue");
    let both = format!("{}{other}", policy("p"));
    let one = format!("{both}{}", binding("b", "p"));
    let two = format!("{one}{}", binding("c", "q"));
    assert_eq!(compared(&one, &two, Vec::new()).grade, Grade::Different);
}

#[test]
fn nothing_is_the_same_of_versions_that_are_not_tried_and_of_names_that_are_there_twice() {
    let policy = |name: &str, rest: &str| in_cel("ValidatingPolicy", name, rest, TYPE);
    let answer = compared(&policy("p", ""), &policy("p", "matchPolicy: Exact, "), Vec::new());
    assert_eq!(answer.grade, Grade::NoDifference);
    assert!(
        says(&answer, "differs and is not compared: spec.matchConstraints.matchPolicy"),
        "{:?}",
        answer.assumptions
    );
    let pair = |name: &str| format!("{}{}", policy("p", ""), policy(name, "").replace("ClusterIP", "x"));
    assert_ne!(compared(&pair("q"), &pair("p"), Vec::new()).grade, Grade::Same);
}

#[test]
fn what_is_lost_between_policies_of_one_kind_is_a_difference() {
    let all = || KindGap::ALL.to_vec();
    let tag = "pattern: {spec: {containers: [{image: '!*:latest'}]}}";
    let old = classic("", "Pod", "", tag);
    let none = ", annotations: {pod-policies.kyverno.io/autogen-controllers: none}";
    assert_eq!(compared(&old, &classic(none, "Pod", "", tag), all()).grade, Grade::Different);
    let dbg = "pattern: {spec: {=(ephemeralContainers): [{image: 'dbg.io/*'}]}}";
    let old = classic("", "Pod", "", dbg);
    assert_eq!(compared(&old, &old.replace("dbg.io", "debug.io"), all()).grade, Grade::Different);
    let lenient = old.replace("allowExistingViolations: false", "allowExistingViolations: true");
    assert_eq!(compared(&old, &lenient, all()).grade, Grade::Different);
    let some = ", annotations: {pod-policies.kyverno.io/autogen-controllers: 'DaemonSet,Deployment,Job,ReplicaSet,StatefulSet,CronJob'}";
    let host = "pattern: {spec: {=(hostNetwork): false}}";
    let [old, new] = ["", some].map(|rest| classic(rest, "Pod", "", host));
    assert_eq!(compared(&old, &new, all()).grade, Grade::Different);
}

#[test]
fn all_operations_are_tried_where_a_star_names_them() {
    let all = in_cel("ValidatingPolicy", "p", "", TYPE).replace("[CREATE, UPDATE]", "['*']");
    let some = in_cel("ValidatingPolicy", "p", "", TYPE);
    let answer = compared(&all, &some, Vec::new());
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.assumptions);
    assert_eq!(answer.findings[0].request.attributes.operation, Operation::Delete);
}

/// What a grade leaves out.
fn but_for(old: &str, new: &str) -> (Grade, Vec<String>) {
    let answer = compared(old, new, Vec::new());
    (answer.grade, answer.but_for)
}

#[test]
fn what_is_the_same_but_for_settings_says_so() {
    let old = classic("", "Service", "", DENY);
    let with = |from: &str, to: &str| but_for(&old, &old.replace(from, to));
    assert_eq!(but_for(&old, &old), (Grade::Same, Vec::new()));
    for (from, to, setting) in [
        (
            "{name: p}",
            "{name: p, annotations: {policies.kyverno.io/scored: 'false'}}",
            "metadata.annotations[policies.kyverno.io/scored]",
        ),
        (
            "{name: p}",
            "{name: p, labels: {reports.kyverno.io/disabled: ''}}",
            "metadata.labels[reports.kyverno.io/disabled]",
        ),
        ("{name: r,", "{name: r, skipBackgroundRequests: false,", "spec.rules[].skipBackgroundRequests"),
        (
            "spec: {rules",
            "spec: {failurePolicy: Ignore, rules",
            "spec.failurePolicy (where no webhook answers)",
        ),
        ("spec: {rules", "spec: {background: false, rules", "spec.background"),
    ] {
        assert_eq!(with(from, to), (Grade::Same, vec![setting.to_owned()]), "{to}");
    }
    // An annotation that says what is so without it is no difference.
    let scored = "{name: p, annotations: {policies.kyverno.io/scored: 'true'}}";
    assert_eq!(with("{name: p}", scored), (Grade::Same, Vec::new()));
}

#[test]
fn kinds_of_every_group_are_not_those_of_one() {
    let pattern = "pattern: {metadata: {labels: {team: '?*'}}}";
    let [old, new] = ["Foo", "example.com/v1/Foo"].map(|kind| classic("", kind, "", pattern));
    assert_eq!(but_for(&old, &new).1, ["groups of kinds (foos)"]);
    let [old, new] = ["Service", "v1/Service"].map(|kind| classic("", kind, "", pattern));
    assert_eq!(but_for(&old, &new).1, Vec::<String>::new());
}

#[test]
fn a_version_reaches_policies_as_the_one_that_they_name() {
    let hpas = |version: &str, expression: &str| {
        in_cel("ValidatingPolicy", "p", "", expression)
            .replace("apiGroups: ['']", "apiGroups: [autoscaling]")
            .replace("apiVersions: [v1]", &format!("apiVersions: [{version}]"))
            .replace("[services]", "[horizontalpodautoscalers]")
    };
    let label = "object.metadata.?labels[?'x'].orValue('') != 'bad'";
    let answer = compared(&hpas("v1", label), &hpas("v2", label), Vec::new());
    assert_eq!(answer.grade, Grade::Same, "{:?} {:?}", answer.assumptions, answer.findings);
    assert!(
        says(&answer, "versions: autoscaling/v1 HorizontalPodAutoscaler reaches policies"),
        "{:?}",
        answer.assumptions
    );
    let other = compared(&hpas("v1", label), &hpas("v2", &label.replace("bad", "worse")), Vec::new());
    assert_eq!(other.grade, Grade::Different);
    // What has other fields in the other version is not tried.
    let metrics = "object.spec.?metrics.orValue([]).size() < 2";
    let answer = compared(&hpas("v1, v2", metrics), &hpas("v2", metrics), Vec::new());
    assert_ne!(answer.grade, Grade::Same);
    assert!(says(&answer, "left out: autoscaling/v1 HorizontalPodAutoscaler"), "{:?}", answer.assumptions);
    // A policy for a version that no API server has is asked about nothing.
    let answer = compared(&hpas("v2", label), &hpas("v3", label), Vec::new());
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.assumptions);
    // A version that is not served any more is asked of no policy.
    let deployments = |version: &str| {
        hpas(version, label).replace("autoscaling", "apps").replace("horizontalpodautoscalers", "deployments")
    };
    let answer = compared(&deployments("v1beta1"), &deployments("v1"), Vec::new());
    assert!(says(&answer, "left out: apps/v1beta1 Deployment"), "{:?}", answer.assumptions);
}

#[test]
fn an_exception_for_one_rule_and_kind_is_not_one_for_the_policy() {
    let old = classic("", "Pod", "", "pattern: {spec: {=(hostNetwork): false}}");
    let excepting = |rules: &str, kinds: &str| {
        format!(
            "{old}\n---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: e, namespace: kyverno}}, spec: {{exceptions: \
             [{{policyName: p, ruleNames: [{rules}]}}], match: {{any: [{{resources: {{kinds: [{kinds}], namespaces: [dev]}}}}]}}}}}}\n"
        )
    };
    let (narrow, wide) = (excepting("r", "Pod"), excepting("'*'", "Pod, Deployment"));
    assert_eq!(compared(&narrow, &wide, KindGap::ALL.to_vec()).grade, Grade::Different);
}

#[test]
fn labels_of_parameters_are_compared_and_so_is_which_document_is_the_last_of_its_name() {
    let with_parameter = |metadata: &str| {
        format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
             paramKind: {{apiVersion: v1, kind: ConfigMap}}, matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [services]}}]}}, validations: [{{expression: \"object.spec.type == \
             params.metadata.annotations['t']\"}}]}}}}\n---\n{{apiVersion: admissionregistration.k8s.io/v1, \
             kind: ValidatingAdmissionPolicyBinding, metadata: {{name: b}}, spec: {{policyName: p, validationActions: [Deny], \
             paramRef: {{name: c, namespace: default, parameterNotFoundAction: Deny}}}}}}\n---\n{{apiVersion: v1, kind: ConfigMap, \
             metadata: {{name: c, namespace: default, {metadata}}}}}\n"
        )
    };
    let answer = compared(
        &with_parameter("annotations: {t: ClusterIP}"),
        &with_parameter("annotations: {t: NodePort}"),
        Vec::new(),
    );
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.reasons);
    let comment = compared(
        &with_parameter("annotations: {t: ClusterIP}"),
        &format!("# of\n{}", with_parameter("annotations: {t: ClusterIP}")),
        Vec::new(),
    );
    assert_eq!(comment.grade, Grade::Same, "{:?}", comment.reasons);

    let forbidding = |field: &str, namespace: &str, name: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: Policy, metadata: {{name: {name}{namespace}}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, message: m, \
             pattern: {{spec: {{={field}: false}}}}}}}}]}}}}\n---\n"
        )
    };
    let in_default = ", namespace: default";
    let (network, id) = ("(hostNetwork)", "(hostPID)");
    let one = forbidding(network, in_default, "p") + &forbidding(id, in_default, "p");
    let other = forbidding(id, in_default, "p") + &forbidding(network, in_default, "p");
    let answer = compared(&one, &other, Vec::new());
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
    assert!(says(&answer, "two documents of one name"), "{:?}", answer.assumptions);
    // What names no namespace is in `default` as well.
    let one = forbidding(network, "", "p") + &forbidding(id, in_default, "p");
    let other = forbidding(network, "", "p") + &forbidding(id, in_default, "p2");
    let answer = compared(&one, &other, Vec::new());
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
}

#[test]
fn the_order_of_what_changes_objects_or_excepts_them_is_not_left_out() {
    let mutating = |name: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {{name: {name}}}, spec: {{matchConstraints: {{resourceRules: \
             [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [services]}}]}}, mutations: [{{patchType: ApplyConfiguration, \
             applyConfiguration: {{expression: \"Object{{metadata: Object.metadata{{labels: Object.metadata.labels{{a: '{name}'}}}}}}\"}}}}]}}}}\n---\n"
        )
    };
    let [one, two] = [mutating("one"), mutating("two")];
    let answer = compared(&format!("{one}{two}"), &format!("{two}{one}"), Vec::new());
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.assumptions);
    let [one, two] = ["one", "two"].map(|name| in_cel("ValidatingPolicy", name, "", TYPE));
    let answer = compared(&format!("{one}{two}"), &format!("{two}{one}"), Vec::new());
    assert_eq!(answer.grade, Grade::Same);
}

#[test]
fn a_policy_that_lost_its_binding_decides_nothing_any_more() {
    let policy = |name: &str| in_cel("ValidatingAdmissionPolicy", name, "", TYPE);
    let bound = format!("{}{}", policy("a"), binding("b", "a"));
    for new in [policy("a"), policy("renamed")] {
        let answer = compared(&bound, &new, Vec::new());
        assert_eq!(answer.grade, Grade::Different);
        assert_eq!(answer.findings[0].direction.as_str(), "wider");
        assert!(says(&answer, "decides nothing: it has no binding, and the other side has some"));
        assert!(answer.but_for.is_empty(), "{:?}", answer.but_for);
        let answer = compared(&new, &bound, Vec::new());
        assert_eq!(answer.findings[0].direction.as_str(), "stricter");
    }
    // One of two.
    let two = |rest: &str| format!("{bound}{}{rest}", in_cel("ValidatingAdmissionPolicy", "c", "", "false"));
    assert_eq!(compared(&two(&binding("d", "c")), &two(""), Vec::new()).grade, Grade::Different);
}

#[test]
fn a_policy_without_a_binding_is_taken_to_be_bound_where_no_side_has_one() {
    let policy = in_cel("ValidatingAdmissionPolicy", "a", "", TYPE);
    assert!(compared(&policy, &policy, Vec::new()).but_for.is_empty());
    let answer = compared(&in_cel("ValidatingPolicy", "a", "", TYPE), &policy, Vec::new());
    assert_eq!(answer.grade, Grade::Same, "{:?}", answer.findings);
    assert!(
        answer.but_for.iter().any(|what| what.contains("the new side has policies without a binding")),
        "{:?}",
        answer.but_for
    );
}

#[test]
fn nothing_is_changed_about_what_goes() {
    let mutate = |condition: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Service]}}}}]}}, preconditions: {{all: [{condition}]}}, \
             mutate: {{patchStrategicMerge: {{metadata: {{labels: {{a: b}}}}}}}}}}]}}}}"
        )
    };
    let old = mutate("{key: '{{ request.operation }}', operator: NotEquals, value: DELETE}");
    let answer = compared(&old, &mutate(""), Vec::new());
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.findings);
    assert!(!says(&answer, "deletions are not compared"), "{:?}", answer.assumptions);
}

#[test]
fn an_override_for_no_namespace_is_none() {
    let with = |overrides: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Service]}}}}]}}, validate: {{failureAction: Audit, {overrides}message: m, {DENY}}}}}]}}}}"
        )
    };
    let enforce =
        |namespaces: &str| with(&format!("failureActionOverrides: [{{action: Enforce{namespaces}}}], "));
    let of_none = enforce(", namespaces: []");
    assert_ne!(compared(&of_none, &enforce(", namespaces: ['*']"), Vec::new()).grade, Grade::Same);
    assert_ne!(compared(&of_none, &enforce(""), Vec::new()).grade, Grade::Same);
    let same = compared(&of_none, &with(""), Vec::new()).grade;
    assert!(matches!(same, Grade::Same | Grade::NoDifference), "{same:?}");
}

#[test]
fn a_character_in_the_tag_of_an_image_is_one_that_can_be_pulled() {
    let images = |pattern: &str| {
        let pattern = format!("pattern: {{spec: {{containers: [{{image: '{pattern}'}}]}}}}");
        classic("", "Pod", "", &pattern)
    };
    for [old, new] in [["!*:latest", "!*:lates?"], ["*:v1", "*:v?"], ["!*:dev", "!*:de?"]] {
        let answer = compared(&images(old), &images(new), KindGap::ALL.to_vec());
        assert_eq!(answer.grade, Grade::Different, "{old} {new}");
    }
}

#[test]
fn a_rule_whose_expression_does_not_compile_is_named() {
    let rule = |asked: &str| format!("cel: {{expressions: [{{expression: \"{asked}\", message: m}}]}}");
    let [old, new] = ["!has(object.data['a'])", "!has(object.data.a)"]
        .map(|asked| classic("", "ConfigMap", "", &rule(asked)));
    let answer = compared(&old, &new, Vec::new());
    assert_eq!(answer.grade, Grade::Different);
    let words =
        "side.yaml:1: does not compile, so its rule fails for each object: validate.cel.expressions[0]";
    assert!(says(&answer, words), "{:?}", answer.assumptions);
    let answer = compared(&new, &new.replace("data.a", "data.b"), Vec::new());
    assert!(!says(&answer, "does not compile"), "{:?}", answer.assumptions);
}
