//! Several mistakes in one rewrite are shown beside each other.

use engine_compare::{Comparison, Direction, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &[&str], new: &[&str]) -> Comparison {
    let policy = |expressions: &[&str]| {
        let validation = |expression: &&str| format!("{{expression: \"{expression}\", message: refused}}");
        let validations: Vec<String> = expressions.iter().map(validation).collect();
        let text = format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE, UPDATE]}}]}}, \
             validations: [\n{}\n]}}}}",
            validations.join(",\n")
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    compare(&policy(old), &policy(new), &options, &world, &mut |_| true)
}

#[test]
fn each_line_that_decides_otherwise_is_shown_once() {
    let network = "!object.spec.?hostNetwork.orValue(false)";
    let processes = "!object.spec.?hostPID.orValue(false)";
    let memory = "!object.spec.?hostIPC.orValue(false)";
    let label = "object.metadata.?labels.?app.orValue('') != ''";
    let answer = compared(&[network, processes, memory, label], &["true", "true", memory, "true"]);
    // The line of the old side on which each is refused.
    let lines: Vec<u32> = answer
        .findings
        .iter()
        .filter(|finding| finding.direction == Direction::Wider)
        .filter_map(|finding| Some(finding.verdicts[0].first()?.range.as_ref()?.line))
        .collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!((lines.len(), sorted), (3, vec![2, 3, 5]));

    let stricter = compared(&["true", "true"], &[network, processes]);
    assert_eq!(stricter.findings.len(), 2, "{:?}", stricter.findings);
    let one = compared(&[network, memory], &["true", memory]);
    assert_eq!(one.findings.len(), 1, "{:?}", one.findings);
}
