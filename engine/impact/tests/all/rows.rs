//! Rows of two sides over objects.
//!
//! In: policies before and after. Out: a failure where a row is missing or one too many.
#![expect(clippy::indexing_slicing, reason = "the helpers of a test fail as the test does")]

use engine::Bundle;
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_impact::{Class, Judge, Rules, Sides, Tables, Twice};

fn load(policies: &str, objects: &str) -> Bundle {
    let source = |name: &str, text: &str| Source { id: SourceId(0), name: name.into(), text: text.into() };
    let sources = vec![
        (Role::Policies, source("policies.yaml", policies)),
        (Role::Opened, source("objects.yaml", objects)),
    ];
    load_with(sources, Host::Cluster, engine_celpolicy::WITH_STEPS).0
}

fn policy(name: &str, action: &str, rules: &str) -> String {
    format!(
        "---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: {name}}}\nspec:\n  validationFailureAction: {action}\n  rules:\n{rules}"
    )
}

fn labelled(label: &str) -> String {
    format!(
        "  - name: r\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    validate: {{message: m, pattern: {{metadata: {{labels: {{{label}: '?*'}}}}}}}}\n"
    )
}

const PODS: &str = "\
---
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: a}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: team, namespace: a, labels: {team: x}}, spec: {containers: [{name: c, image: i}]}}
";

/// `object class policy` of each row.
fn rows(old: &str, new: &str, objects: &str, twice: Twice) -> Vec<String> {
    let sides = Sides::new([load(old, objects), load(new, objects)], twice);
    let (tables, rules, world) = (Tables::of(&sides), Rules::of(&sides), StaticWorld::default());
    let judge = Judge::new(&sides, &tables, &world, &rules);
    let mut found = Vec::new();
    for (resource, judged) in judge.judge(&sides.bundles()[1].resources) {
        for change in judged.changes {
            found.push(format!(
                "{} {} {}",
                resource.name(),
                change.class.as_str(),
                sides.pairs[change.pair].name
            ));
        }
    }
    found
}

#[test]
fn an_action_changes() {
    let (old, new) = (policy("p", "Audit", &labelled("team")), policy("p", "Enforce", &labelled("team")));
    assert_eq!(rows(&old, &new, PODS, Twice::Changed), ["bare newly-denied p"]);
    assert_eq!(rows(&new, &old, PODS, Twice::Changed), ["bare newly-allowed p"]);
    assert_eq!(rows(&old, &old, PODS, Twice::Changed), [""; 0]);
    assert_eq!(rows("", &old, PODS, Twice::Changed), ["bare newly-reported p", "team newly-checked p"]);
    assert_eq!(rows(&old, "", PODS, Twice::Changed), ["bare no-longer-reported p", "team newly-skipped p"]);
}

#[test]
fn what_is_written_alike_is_not_evaluated() {
    let both = policy("q", "Enforce", &labelled("team"));
    let [old, new] = ["Audit", "Enforce"].map(|action| policy("p", action, &labelled("app")) + &both);
    let sides = Sides::new([load(&old, PODS), load(&new, PODS)], Twice::Changed);
    assert_eq!(sides.evaluated(), 1);
    assert_eq!(rows(&old, &new, PODS, Twice::Changed), ["bare newly-denied p", "team newly-denied p"]);
    let commented = format!("# a comment\n{}", both.replace("message: m,", "message: 'm',"));
    assert_eq!(Sides::new([load(&both, ""), load(&commented, "")], Twice::Changed).changed().count(), 0);
}

#[test]
fn what_is_mutated_is_validated_by_all() {
    let mutate = |label: &str| {
        policy(
            "m",
            "Audit",
            &format!(
                "  - name: add\n    match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    mutate: {{patchStrategicMerge: {{metadata: {{labels: {{+({label}): x}}}}}}}}\n"
            ),
        )
    };
    let validate = policy("v", "Enforce", &labelled("team"));
    let (old, new) = (mutate("team") + &validate, mutate("app") + &validate);
    let found = rows(&old, &new, PODS, Twice::Changed);
    assert!(found.contains(&"bare newly-denied v".to_owned()), "{found:?}");
    assert!(found.contains(&"bare mutated m".to_owned()), "{found:?}");
    assert_eq!(found, rows(&old, &new, PODS, Twice::All));
}

/// A policy in CEL that gives each container an image.
const IMAGE: &str = "
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: image}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: \"i\"}), initContainers: []}}'
";

#[test]
fn what_is_written_as_it_was_is_no_change() {
    let other = IMAGE.replace("\"i\"", "\"other\"");
    for twice in [Twice::Changed, Twice::All] {
        let found = rows("", IMAGE, PODS, twice);
        assert!(found.iter().all(|row| row.contains("newly-checked")) && !found.is_empty(), "{found:?}");
        assert!(rows("", &other, PODS, twice).contains(&"bare mutated image".to_owned()));
    }
}

#[test]
fn an_exception_changes_its_policy() {
    let both = policy("p", "Enforce", &labelled("team"));
    let exception = "---\napiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: a}\nspec: {exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}}\n";
    let found = rows(&both, &(both.clone() + exception), PODS, Twice::Changed);
    assert_eq!(found, ["bare newly-allowed p", "team newly-skipped p"]);
}

#[test]
fn a_renamed_rule_is_the_same_rule() {
    let old = policy("p", "Enforce", &labelled("team"));
    let new = old.replace("name: r\n", "name: s\n");
    assert_eq!(rows(&old, &new, PODS, Twice::Changed), ["bare message p", "team message p"]);
    assert!(Class::Message.is_quiet());
}
