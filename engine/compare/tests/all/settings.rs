//! Settings that are not compared are named where the sides differ in them.

use engine_compare::{Criterion, Grade, Options, compare};
use engine_lenses::wire::Text;

/// The lines about settings that are not compared.
fn named(old: &str, new: &str) -> Vec<String> {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { max_requests: 10, mutants: 0, ..Options::default() };
    let answer = compare(&text(old), &text(new), &options, &world, &mut |_| true);
    assert_eq!(
        answer.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>(),
        Vec::<&str>::new()
    );
    let begin = "differs and is not compared: ";
    answer.assumptions.iter().filter_map(|line| line.strip_prefix(begin)).map(str::to_owned).collect()
}

fn deleting(schedule: &str, more: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: DeletingPolicy, metadata: {{name: p}}, spec: {{schedule: '{schedule}', {more} \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}}]}}, \
         conditions: [{{name: a, expression: 'object.metadata.name == \"a\"'}}]}}}}"
    )
}

fn classic(spec: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{{spec} rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, message: refused, \
         pattern: {{spec: {{=(hostNetwork): false}}}}}}}}]}}}}"
    )
}

fn generating(more: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [Namespace]}}}}]}}, generate: {{{more} apiVersion: v1, kind: ConfigMap, name: c, \
         namespace: '{{{{request.object.metadata.name}}}}', data: {{kind: ConfigMap, data: {{a: b}}}}}}}}]}}}}"
    )
}

#[test]
fn when_objects_are_deleted_and_how_is_named() {
    let (old, new) =
        (deleting("*/5 * * * *", ""), deleting("0 0 * * *", "deletionPropagationPolicy: Orphan,"));
    assert_eq!(named(&old, &new), ["spec.schedule", "spec.deletionPropagationPolicy"]);
    assert_eq!(named(&old, &old.replace("name: a,", "name: b,")), Vec::<String>::new());
}

#[test]
fn scans_and_failures_of_webhooks_are_named_and_defaults_are_filled_in() {
    let old = classic("");
    assert_eq!(named(&old, &classic("background: false,")), ["spec.background"]);
    assert_eq!(
        named(&old, &classic("failurePolicy: Ignore,")),
        ["spec.failurePolicy (where no webhook answers)"]
    );
    assert_eq!(named(&old, &classic("background: true, failurePolicy: Fail,")), Vec::<String>::new());
}

#[test]
fn a_setting_of_another_kind_is_held_against_its_counterpart() {
    let new = "{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {name: p}, spec: {validationActions: [Deny], \
               evaluation: {background: {enabled: false}}, matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], \
               operations: [CREATE, UPDATE], resources: [pods]}]}, validations: [{expression: '!object.spec.?hostNetwork.orValue(false)'}]}}";
    assert_eq!(named(&classic(""), new), ["spec.background (new: spec.evaluation.background.enabled)"]);
    assert_eq!(named(&classic("background: false,"), new), Vec::<String>::new());
}

#[test]
fn what_becomes_of_generated_objects_is_named() {
    let old = generating("synchronize: true, orphanDownstreamOnPolicyDelete: true,");
    assert_eq!(
        named(&old, &generating("")),
        ["spec.rules[].generate.synchronize", "spec.rules[].generate.orphanDownstreamOnPolicyDelete"]
    );
}

#[test]
fn what_rules_do_to_other_objects_is_named() {
    let policy = |value: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, mutate: {{targets: [{{apiVersion: v1, kind: ConfigMap, \
             namespace: default, name: a}}], patchStrategicMerge: {{data: {{k: {value}}}}}}}}}]}}}}"
        )
    };
    assert_eq!(named(&policy("v"), &policy("w")), ["spec.rules[].mutate with targets"]);
    assert_eq!(named(&policy("v"), &policy("v")), Vec::<String>::new());
}

#[test]
fn a_policy_for_scans_alone_is_not_asked() {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let (old, new) = (classic("admission: false,"), classic(""));
    let answer = compare(&text(&old), &text(&new), &Options::default(), &world, &mut |_| true);
    let first = answer.findings.first().expect("a difference");
    assert_eq!(first.effects, [engine::body::Effect::Allow, engine::body::Effect::Deny]);
    assert!(answer.assumptions.contains(&"`p` is not asked about requests: admission is off".to_owned()));
}

#[test]
fn what_an_exception_reports_is_named_where_rules_are_not_compared() {
    let side = |report: &str| {
        let text = format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: v}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}, \
             validations: [{{message: refused, expression: \"object.metadata.?labels['a'].orValue('') == 'x'\"}}]}}}}\n---\n\
             {{apiVersion: policies.kyverno.io/v1, kind: PolicyException, metadata: {{name: e, namespace: default}}, spec: {{{report} \
             policyRefs: [{{name: v, kind: ValidatingPolicy}}], matchConditions: [{{name: a, expression: 'object.metadata.name == \"ok\"'}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let compared = |old: &str, new: &str, criterion: Criterion| {
        let options = Options { criterion, mutants: 0, ..Options::default() };
        compare(&side(old), &side(new), &options, &world, &mut |_| true)
    };
    let answer = compared("", "reportResult: pass,", Criterion::Decision);
    assert!(
        answer.assumptions.iter().any(|line| line.contains("spec.reportResult")),
        "{:?}",
        answer.assumptions
    );
    let answer = compared("", "reportResult: skip,", Criterion::Decision);
    assert!(
        !answer.assumptions.iter().any(|line| line.contains("spec.reportResult")),
        "{:?}",
        answer.assumptions
    );
    let answer = compared("", "reportResult: pass,", Criterion::Rules);
    assert!(
        !answer.assumptions.iter().any(|line| line.contains("spec.reportResult")),
        "{:?}",
        answer.assumptions
    );
    assert_eq!(answer.grade, Grade::Different);
}

#[test]
fn what_deletes_says_whether_it_does() {
    let side = |label: &str| {
        let text = format!(
            "{{apiVersion: kyverno.io/v2, kind: ClusterCleanupPolicy, metadata: {{name: c}}, spec: {{schedule: '*/5 * * * *', match: \
             {{any: [{{resources: {{kinds: [Pod]}}}}]}}, conditions: {{all: [{{key: \"{{{{target.metadata.labels.x || ''}}}}\", \
             operator: Equals, value: {label}}}]}}}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_000, ..Options::default() };
    let answer = compare(&side("a"), &side("b"), &options, &world, &mut |_| true);
    let deletes: Vec<[bool; 2]> = answer.findings.iter().map(|finding| finding.deletes).collect();
    assert!(deletes.contains(&[true, false]) || deletes.contains(&[false, true]), "{deletes:?}");
    let line = "not every case is evaluated: policies that change, generate or delete objects";
    assert!(answer.assumptions.iter().any(|known| known == line), "{:?}", answer.assumptions);
}

#[test]
fn policies_that_no_request_meets_are_not_compared_with_each_other() {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let off = classic("admission: false,");
    let compared =
        |old: &str, new: &str| compare(&text(old), &text(new), &Options::default(), &world, &mut |_| true);
    let answer = compared(&off, &off);
    assert_eq!(answer.grade, Grade::NotCompared);
    let said: Vec<_> =
        answer.reasons.iter().map(|reason| (reason.side, reason.range.as_ref().map(|at| at.line))).collect();
    assert_eq!(said, [("old", Some(1)), ("new", Some(1))], "{:?}", answer.reasons);
    assert_eq!(compared(&classic(""), &off).grade, Grade::Different);
}
