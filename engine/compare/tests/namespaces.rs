//! Labels of the Namespace in which an object is.

use engine::wire::Text;
use engine_compare::{Grade, Options, compare};

fn grade(old: &str, new: &str) -> Grade {
    let policy = |expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{\
             validationActions: [Deny], matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [configmaps]}}]}}, validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
        )
    };
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: policy(text) }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true).grade
}

/// Two tests of labels that say something else of some value.
const APART: [(&str, &str); 5] = [
    ("LABELS.?env.orValue('') != 'prod'", "!LABELS.?env.orValue('').startsWith('prod')"),
    ("LABELS.?env.orValue('') != 'prod'", "!LABELS.?env.orValue('').endsWith('prod')"),
    ("!LABELS.?env.orValue('').matches('^prod-[0-9]+$')", "!LABELS.?env.orValue('').matches('^prod-.*$')"),
    ("!LABELS.?env.orValue('').matches('^prod')", "!LABELS.?env.orValue('').matches('prod')"),
    (
        "LABELS.?env.orValue('') != 'prod' || LABELS.?team.orValue('') != 'pay'",
        "LABELS.?env.orValue('') != 'prod' || LABELS.?team.orValue('') in ['', 'x']",
    ),
];

#[test]
fn values_that_only_begin_or_end_as_a_constant_are_tried() {
    for (old, new) in APART {
        let [old, new] = [old, new].map(|text| text.replace("LABELS", "namespaceObject.metadata.?labels"));
        assert_eq!(grade(&old, &new), Grade::Different, "{old} {new}");
    }
}
