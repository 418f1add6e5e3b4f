//! What policies and exceptions say of one kind of controllers beside something else.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn grade(old: &str, new: &str) -> Grade {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true).grade
}

fn of_pods(conditions: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}, \
         matchConditions: {conditions}, validations: [{{expression: \"{expression}\"}}]}}}}"
    )
}

#[test]
fn what_leaves_out_one_kind_in_one_place_is_not_forgotten() {
    let condition = |of: &str| format!("[{{name: m, expression: \"{of}\"}}]");
    let network = "!object.spec.?hostNetwork.orValue(false)";
    for left_out in [
        "!(object.kind == 'Deployment' && request.namespace == 'kube-system')",
        "!(object.kind == 'DaemonSet' && object.metadata.?labels.?a.orValue('') == 'b')",
        "object.kind in ['Deployment', 'DaemonSet', 'Pod'] || request.namespace != 'kube-system'",
    ] {
        let old = of_pods(&condition(left_out), network);
        assert_eq!(grade(&old, &of_pods("[]", network)), Grade::Different, "{left_out}");
    }
}

#[test]
fn an_exception_for_one_kind_in_one_namespace_is_not_forgotten() {
    let policy = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: a}, spec: {rules: [{name: r, \
                  match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, failureAction: Enforce, \
                  pattern: {spec: {=(hostNetwork): false}}}}]}}\n";
    let exception = |rules: &str, place: &str| {
        format!(
            "---\n{{apiVersion: kyverno.io/v2, kind: PolicyException, metadata: {{name: e, namespace: x}}, spec: \
             {{exceptions: [{{policyName: a, ruleNames: {rules}}}], match: {{any: [{{resources: {{kinds: [Pod, DaemonSet], {place}}}}}]}}}}}}"
        )
    };
    for place in ["namespaces: [cni]", "names: [cni]"] {
        let old = format!("{policy}{}", exception("[r, autogen-r]", place));
        assert_eq!(grade(&old, policy), Grade::Different, "{place}");
        // The name of the rule for controllers is missing.
        let new = format!("{policy}{}", exception("[r]", place));
        assert_eq!(grade(&old, &new), Grade::Different, "{place}");
    }
}
