//! Custom kinds, of which nothing is known but what policies say.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { max_requests: 2_000, mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

fn validating(resource: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         matchConstraints: {{resourceRules: [{{apiGroups: [gateway.networking.k8s.io], apiVersions: [v1], operations: [CREATE, UPDATE], \
         resources: [{resource}]}}]}}, validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

/// A plural, and two tests that differ.
const APART: [(&str, &str, &str); 3] = [
    (
        "gateways",
        "object.spec.listeners.all(l, l.protocol != 'HTTP' || l.port == 80)",
        "object.spec.listeners.all(l, l.protocol != 'HTTP') || object.spec.listeners.all(l, l.port == 80)",
    ),
    ("gateways", "object.spec.?from.orValue('Same') != 'All'", "object.spec.?from.orValue('All') != 'All'"),
    ("httproutes", "object.spec.?from.orValue('Same') != 'All'", "object.spec.?from.orValue('All') != 'All'"),
];

#[test]
fn a_plural_that_no_one_would_guess_is_asked_about() {
    for (resource, old, new) in APART {
        let answer = compared(&validating(resource, old), &validating(resource, new));
        assert_eq!(answer.grade, Grade::Different, "{resource} {old}");
    }
}

#[test]
fn a_kind_and_its_plural_are_one() {
    let classic = |kind: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{background: false, rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [{kind}], operations: [CREATE]}}}}]}}, validate: {{failureAction: Enforce, \
             message: refused, pattern: {{metadata: {{labels: {{team: a}}}}}}}}}}]}}}}"
        )
    };
    let new =
        validating("gateways", "object.metadata.?labels.?team.orValue('') == 'a'").replace(", UPDATE", "");
    for kind in ["Gateway", "gateway.networking.k8s.io/v1/Gateway"] {
        let answer = compared(&classic(kind), &new);
        let shown = answer.findings.first().map(|finding| engine_json::to_json(&finding.request.object));
        assert_ne!(answer.grade, Grade::Different, "{kind} {shown:?}");
    }
}
