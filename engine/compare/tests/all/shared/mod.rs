//! What tests of ValidatingPolicies share: two expressions about new objects of one kind, compared.

use engine_compare::{Comparison, Options, compare};
use engine_lenses::wire::Text;

/// Compares two ValidatingPolicies that refuse new objects of this resource of the group "" unless their expression holds.
pub(crate) fn compared(resource: &str, old: &str, new: &str) -> Comparison {
    let side = |expression: &str| {
        let text = format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{\
             validationActions: [Deny], matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [{resource}]}}]}}, validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true)
}
