//! Differences that lie between the kinds of policies: each is found, is named, and hides no other.

use engine_compare::{Comparison, Direction, Grade, KindGap, Options, compare};
use engine_lenses::wire::Text;

fn classic(action: &str, pattern: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, \
         validate: {{failureAction: {action}, message: refused, pattern: {pattern}}}}}]}}}}"
    )
}

fn in_cel(action: &str, resources: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{\
         validationActions: [{action}], matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
         operations: [CREATE, UPDATE], resources: {resources}}}]}}, \
         validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    compare(&text(old), &text(new), &Options::default(), &world, &mut |_| true)
}

fn gaps(answer: &Comparison) -> Vec<(Option<KindGap>, Direction)> {
    answer.findings.iter().map(|finding| (finding.gap, finding.direction)).collect()
}

const PRIVILEGED: &str = "{spec: {=(ephemeralContainers): [{=(securityContext): {=(privileged): 'false'}}]}}";
const NOT_PRIVILEGED: &str = "object.spec.?ephemeralContainers.orValue([]).all(c, c.?securityContext.?privileged.orValue(false) == false)";

#[test]
fn a_policy_in_cel_for_pods_is_not_asked_about_ephemeral_containers_that_are_added() {
    let answer = compared(&classic("Enforce", PRIVILEGED), &in_cel("Deny", "[pods]", NOT_PRIVILEGED));
    let first = answer.findings.first().expect("a difference");
    assert_eq!((first.gap, first.direction), (Some(KindGap::EphemeralContainers), Direction::Wider));
    assert_eq!(first.request.subresource(), Some("ephemeralcontainers"));
    let without = first.request.attributes.old.as_ref().expect("the Pod as it was");
    assert!(without.find(&["spec", "ephemeralContainers"]).is_none());
    let name = |list: &str| {
        let list = first.request.object.find(&["spec", list]).and_then(|list| list.as_array());
        list.and_then(<[_]>::first).map(|container| container.find_str(&["name"]).to_owned())
    };
    assert_ne!(name("containers"), name("ephemeralContainers"), "an API server wants names that differ");
}

#[test]
fn one_that_names_the_subresource_is_asked_and_has_no_autogen_any_more() {
    let new = in_cel("Deny", "[pods, pods/ephemeralcontainers]", NOT_PRIVILEGED);
    let answer = compared(&classic("Enforce", PRIVILEGED), &new);
    let ephemeral = answer.findings.iter().find(|finding| finding.gap == Some(KindGap::EphemeralContainers));
    assert!(ephemeral.is_none(), "{:?}", gaps(&answer));
}

#[test]
fn a_list_that_one_forgets_that_names_the_subresource_is_no_gap() {
    let lists = "{spec: {=(ephemeralContainers): [{=(securityContext): {=(privileged): 'false'}}], containers: [{=(securityContext): {=(privileged): 'false'}}]}}";
    let forgotten = "object.spec.containers.all(c, c.?securityContext.?privileged.orValue(false) == false)";
    let new = in_cel("Deny", "[pods, pods/ephemeralcontainers]", forgotten);
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let options = Options { ignored_gaps: KindGap::ALL.to_vec(), mutants: 0, ..Options::default() };
    let world = engine::world::StaticWorld::default();
    let answer = compare(&text(&classic("Enforce", lists)), &text(&new), &options, &world, &mut |_| true);
    let adds = |finding: &engine_compare::Finding| {
        finding.request.subresource() == Some("ephemeralcontainers") && finding.direction == Direction::Wider
    };
    assert!(answer.findings.iter().any(adds), "{:?}", gaps(&answer));
}

#[test]
fn a_rule_that_reads_no_ephemeral_containers_has_no_such_difference() {
    for action in ["Audit", "Enforce"] {
        let old = classic(action, "{metadata: {labels: {team: '?*'}}}");
        let action = if action == "Audit" { "Audit" } else { "Deny" };
        let new = in_cel(action, "[pods]", "object.metadata.?labels.?team.orValue('') != ''");
        let answer = compared(&old, &new);
        let ephemeral =
            |finding: &&engine_compare::Finding| finding.gap == Some(KindGap::EphemeralContainers);
        assert!(!answer.findings.iter().any(|finding| ephemeral(&finding)), "{:?}", gaps(&answer));
    }
}

#[test]
fn replication_controllers_and_existing_violations_are_named_after_other_differences() {
    let old = classic("Enforce", "{spec: {=(hostNetwork): 'false'}}");
    let same = "object.spec.?hostNetwork.orValue(false) == false";
    let answer = compared(&old, &in_cel("Deny", "[pods]", same));
    let all = [
        (Some(KindGap::ReplicationControllers), Direction::Wider),
        (Some(KindGap::ExistingViolations), Direction::Stricter),
    ];
    assert_eq!(gaps(&answer), all);

    // A difference of the policies themselves is found beside them, although it needs two fields at once.
    let other = "object.spec.?hostNetwork.orValue(false) == false || (object.spec.?hostIPC.orValue(false) && object.spec.?hostPID.orValue(false))";
    let answer = compared(&old, &in_cel("Deny", "[pods]", other));
    assert_eq!(gaps(&answer).first(), Some(&(None, Direction::Wider)));
}

#[test]
fn what_a_caller_ignores_does_not_count() {
    let old = classic("Enforce", "{spec: {=(hostNetwork): 'false'}}");
    let new = in_cel("Deny", "[pods]", "object.spec.?hostNetwork.orValue(false) == false");
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let gaps = vec![KindGap::ReplicationControllers, KindGap::ExistingViolations];
    let options = Options { ignored_gaps: gaps, ..Options::default() };
    let world = engine::world::StaticWorld::default();
    let answer = compare(&text(&old), &text(&new), &options, &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::NoDifference);
    assert!(answer.assumptions.iter().any(|one| one.starts_with("not counted: ")));
}

#[test]
fn mistakes_in_every_kind_and_operation_are_noticed() {
    let kinds = "[ConfigMap, Pod, Secret, Service]";
    let old = format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: {kinds}}}}}]}}, \
         validate: {{message: refused, pattern: {{metadata: {{labels: {{team: '?*'}}}}}}}}}}]}}}}"
    );
    let new = in_cel(
        "Audit",
        "[configmaps, pods, secrets, services]",
        // A function keeps every case from being evaluated, so that there is a search.
        "object.metadata.?labels.?team.orValue('').lowerAscii() != ''",
    )
    .replace(
        "spec: {validationActions",
        "spec: {autogen: {podControllers: {controllers: []}}, validationActions",
    );
    let answer = compared(&old, &new);
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", gaps(&answer));
    let missed: Vec<_> =
        answer.missed.iter().filter(|missed| missed.text.contains("resourceRules")).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn an_image_of_a_repository_of_one_letter_can_be_pulled() {
    let of = |operator: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, message: refused, deny: {{conditions: {{any: [\
             {{key: '{{{{ request.object.spec.containers[].image }}}}', operator: {operator}, value: ['a.io/x:1', 'a.io/y:1']}}]}}}}}}}}]}}}}"
        )
    };
    let answer = compared(&of("AnyIn"), &of("AllIn"));
    assert!(gaps(&answer).contains(&(None, Direction::Wider)), "{:?}", gaps(&answer));
}

#[test]
fn a_gap_says_what_was_tried() {
    let all = KindGap::ALL.map(KindGap::explanation);
    assert!(all.iter().all(|text| !text.contains("no such difference was found")), "{all:?}");
}
