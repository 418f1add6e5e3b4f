//! *Same* is said where every case is decided the same, and of nothing else.
//!
//! In: pairs of policies inside the fragment and outside of it. Out: a failure where more is claimed than was shown: random members of the classes
//! are held against the cases that stand for them.

use engine::world::StaticWorld;
use engine_compare::{Comparison, Grade, Operation, Options, compare};
use engine_lenses::wire::Text;
use tests::differences::{draw, library};
use tests::recorded;

fn text(text: &str) -> Vec<Text> {
    vec![Text { name: "policy.yaml".to_owned(), text: text.to_owned() }]
}

fn compared(old: &str, new: &str) -> Comparison {
    compared_in(old, new, vec![Operation::Create])
}

fn compared_in(old: &str, new: &str, operations: Vec<Operation>) -> Comparison {
    let world = StaticWorld {
        extension: Some(engine_celpolicy::WITH_STEPS),
        ..StaticWorld::at(1_700_000_000_000_000_000)
    };
    let options = Options { mutants: 0, max_requests: 600, operations, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

/// A classic policy under Enforce; updates of what failed before are refused, as a policy in CEL refuses them.
fn classic(kind: &str, validate: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [{kind}]}}}}]}}, validate: {{failureAction: Enforce, \
         allowExistingViolations: false, message: m, {validate}}}}}]}}}}"
    )
}

fn in_cel(plural: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1beta1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: \
         {{validationActions: [Deny], matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
         operations: [CREATE, UPDATE], resources: [{plural}]}}]}}, validations: [{{message: m, expression: \"{expression}\"}}]}}}}"
    )
}

/// What both sides ask of one list of containers.
const EACH: &str = "pattern: {spec: {containers: [{=(securityContext): {=(privileged): false}}], =(initContainers): \
                    [{=(securityContext): {=(privileged): false}}], =(ephemeralContainers): \
                    [{=(securityContext): {=(privileged): false}}]}}";
const ALL: &str = "(object.spec.containers + object.spec.?initContainers.orValue([]) + \
                   object.spec.?ephemeralContainers.orValue([])).all(c, !c.?securityContext.?privileged.orValue(false))";

#[test]
fn a_rewrite_in_another_language_is_the_same_in_every_case() {
    let answer = compared(&classic("Pod", EACH), &in_cel("pods", ALL));
    // ReplicationController is a controller to one side alone.
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.assumptions);
    let controllers = "pod-policies.kyverno.io/autogen-controllers";
    let bare =
        classic("Pod", EACH).replace("name: p}", &format!("name: p, annotations: {{{controllers}: none}}}}"));
    let without =
        in_cel("pods", ALL).replace("spec: {", "spec: {autogen: {podControllers: {controllers: []}}, ");
    let answer = compared(&bare, &without);
    assert_eq!(answer.grade, Grade::Same, "{:?} {:?}", answer.assumptions, answer.findings);
    assert!(answer.counts.cases > 200, "{:?}", answer.counts);
    // The same with one list forgotten, and with what is absent taken for something else.
    for (from, to) in [
        (" + object.spec.?initContainers.orValue([])", ""),
        ("orValue(false)", "orValue(true)"),
        (".all(", ".exists("),
    ] {
        assert_eq!(compared(&bare, &without.replace(from, to)).grade, Grade::Different, "{from}");
    }
    // No new Pod has ephemeral containers.
    let forgotten = without.replace(" + object.spec.?ephemeralContainers.orValue([])", "");
    assert_eq!(compared(&bare, &forgotten).grade, Grade::Same);
}

#[test]
fn updates_of_pods_and_containers_added_to_them_are_cases() {
    let all = vec![Operation::Create, Operation::Update, Operation::Delete];
    let compared = |old: &str, new: &str| compared_in(old, new, all.clone());
    let old = classic("Pod", EACH);
    let any = |pattern: &str| pattern.replace("pattern: {", "anyPattern: [{") + "]";
    let answer = compared(&old, &classic("Pod", &any(EACH)));
    assert_eq!(answer.grade, Grade::Same, "{:?} {:?}", answer.assumptions, answer.findings);
    let creations = compared_in(&old, &classic("Pod", &any(EACH)), vec![Operation::Create]);
    assert!(answer.counts.cases > 2 * creations.counts.cases, "{:?} {:?}", answer.counts, creations.counts);
    // No new Pod shows this, and no update of one: only the request that adds a container does.
    let forgotten =
        EACH.replace(", =(ephemeralContainers): [{=(securityContext): {=(privileged): false}}]", "");
    assert_ne!(forgotten, EACH);
    assert_eq!(compared_in(&old, &classic("Pod", &forgotten), vec![Operation::Create]).grade, Grade::Same);
    assert_eq!(compared(&old, &classic("Pod", &forgotten)).grade, Grade::Different);
    // What was not as it should be before may stay so, or not.
    let strict = old.clone();
    let lenient = strict.replace("allowExistingViolations: false", "allowExistingViolations: true");
    assert_ne!(strict, lenient);
    assert_eq!(compared(&strict, &lenient).grade, Grade::Different);
    let either =
        classic("Pod", &any(EACH)).replace("allowExistingViolations: false", "allowExistingViolations: true");
    assert_eq!(compared(&lenient, &either).grade, Grade::Same);
}

#[test]
fn texts_numbers_labels_and_counts_have_all_their_cases() {
    let same = [
        (
            "Service",
            "services",
            "pattern: {spec: {type: '!NodePort'}}",
            "has(object.spec) && has(object.spec.type) && object.spec.type != 'NodePort'",
        ),
        (
            "ConfigMap",
            "configmaps",
            "pattern: {metadata: {labels: {team: '?*'}}}",
            "object.metadata.?labels.?team.orValue('') != ''",
        ),
        (
            "ConfigMap",
            "configmaps",
            "pattern: {metadata: {name: 'a* | *-b'}}",
            "object.metadata.name.startsWith('a') || object.metadata.name.endsWith('-b')",
        ),
        (
            "Service",
            "services",
            "pattern: {spec: {=(ports): [{port: '<1024 | 8080'}]}}",
            "has(object.spec) && object.spec.?ports.orValue([]).all(p, p.?port.orValue(0) < 1024 || p.port == 8080)",
        ),
    ];
    for (kind, plural, pattern, expression) in same {
        let answer = compared(&classic(kind, pattern), &in_cel(plural, expression));
        assert_eq!(answer.grade, Grade::Same, "{expression}: {:?} {:?}", answer.assumptions, answer.findings);
        assert!(answer.counts.cases > 1, "{expression}");
    }
    let denied = |operator: &str, value: &str| {
        let key = "{{ request.object.spec.type || '''' }}";
        format!("deny: {{conditions: {{all: [{{key: '{key}', operator: {operator}, value: {value}}}]}}}}")
    };
    let old = classic("Service", &denied("Equals", "NodePort"));
    let twice = denied("NotEquals", "NodePort").replace("all:", "any:");
    assert_eq!(compared(&old, &old.replace("all:", "any:")).grade, Grade::Same);
    assert_eq!(compared(&old, &classic("Service", &twice)).grade, Grade::Different);
    let in_cel = in_cel("services", "object.?spec.?type.orValue('') != 'NodePort'");
    assert_eq!(compared(&old, &in_cel).grade, Grade::Same);
    let counted = |test: &str| self::in_cel("services", &format!("object.spec.ports.size() {test}"));
    assert_eq!(compared(&counted("<= 2"), &counted("< 3")).grade, Grade::Same);
    assert_eq!(compared(&counted("<= 2"), &counted("< 4")).grade, Grade::Different);
    let one = |test: &str| self::in_cel("services", &format!("object.spec.ports.{test}"));
    let filtered = one("filter(p, p.port == 80).size() == 1");
    assert_eq!(compared(&one("exists_one(p, p.port == 80)"), &filtered).grade, Grade::Same);
    assert_ne!(compared(&one("exists(p, p.port == 80)"), &filtered).grade, Grade::Same);
}

#[test]
fn what_is_outside_of_the_fragment_is_never_the_same() {
    let expressions = [
        "object.metadata.name == object.metadata.namespace",
        "object.metadata.name.split('-').size() > 1",
        "object.metadata.name.replace('a', 'b') == 'b'",
        "object.metadata.name.matches('^a+$')",
        "object.spec.containers[0].image == 'a'",
        "object.spec.containers.all(c, object.spec.volumes.all(v, c.name == v.name))",
        "object.metadata.labels.all(key, key != 'a')",
        "request.userInfo.username == 'a'",
        "request.namespace == 'a'",
        "namespaceObject.metadata.name == 'a'",
        "oldObject == null || object.metadata.name == 'a'",
        "object.spec.containers.map(c, c.name.size()).sum() < 9",
        "quantity(object.spec.containers[0].resources.limits.memory).isLessThan(quantity('1Gi'))",
        "image(object.spec.containers[0].image).registry() == 'a'",
        "string(object.spec.priority) == '1'",
        "object.metadata == object.metadata",
        "object.metadata.labels.size() > 1",
        "object.metadata.name < 'b'",
    ];
    for expression in expressions {
        let twice = format!("!(!({expression}))");
        let answer = compared(&in_cel("pods", expression), &in_cel("pods", &twice));
        assert_ne!(answer.grade, Grade::Same, "{expression}");
        let said = answer.grade == Grade::NotCompared
            || answer.assumptions.iter().any(|said| said.starts_with("not every case"));
        assert!(said || answer.grade == Grade::Different, "{expression}: {:?}", answer.assumptions);
    }
    let rules = [
        "pattern: {metadata: {name: '{{ request.object.metadata.namespace }}'}}",
        "pattern: {metadata: {labels: {'a*': b}}}",
        "pattern: {spec: {containers: [{(name): a, image: b}]}}",
        "pattern: {spec: {containers: [{resources: {limits: {memory: '<1Gi'}}}]}}",
        "pattern: {spec: {hostname: '>3'}}",
        "deny: {conditions: {all: [{key: '{{ length(request.object.spec.containers) }}', operator: Equals, value: 1}]}}",
        "deny: {conditions: {all: [{key: '{{ request.object.spec.hostname }}', operator: Equals, value: 1h}]}}",
        "deny: {conditions: {all: [{key: '{{ request.object.spec.hostname }}', operator: AnyIn, value: [a, b]}]}}",
        "foreach: [{list: 'request.object.spec.containers', pattern: {image: a}}]",
        "podSecurity: {level: baseline, version: latest}",
    ];
    for rule in rules {
        let (old, new) = (classic("Pod", rule), classic("Pod", rule).replace("name: r,", "name: q,"));
        assert_eq!(compared(&old, &new).grade, Grade::NoDifference, "{rule}");
    }
}

#[test]
fn random_members_of_classes_are_decided_as_the_cases_that_stand_for_them() {
    let Some(folder) = recorded::folder_or_skip("members of classes") else { return };
    let library = library(&folder).unwrap();
    let mut inside = 0;
    for known in library.iter().step_by(3) {
        let Some(members) = draw(known, 60, 1) else { continue };
        inside += 1;
        assert!(members.against.is_none(), "{}: {:?}", known.id, members.against);
    }
    assert!(inside > 30, "{inside}");
}
