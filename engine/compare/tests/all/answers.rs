//! Answers of the cluster that policies count, select from and take one of.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn grade(path: [&str; 2], value: [&str; 2]) -> Grade {
    let text = |path: &str, value: &str| {
        let text = format!(
            "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {{name: p}}
spec:
  rules:
  - name: r
    match: {{any: [{{resources: {{kinds: [Deployment]}}}}]}}
    context:
    - name: found
      apiCall:
        urlPath: /apis/networking.k8s.io/v1/namespaces/{{{{request.namespace}}}}/networkpolicies
        jmesPath: \"{path}\"
    validate:
      failureAction: Enforce
      message: refused
      deny: {{conditions: {{any: [{value}]}}}}
"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    let [old, new] = [text(path[0], value[0]), text(path[1], value[1])];
    compare(&old, &new, &options, &world, &mut |_| true).grade
}

const SELECTED: &str =
    "items[?label_match(spec.podSelector.matchLabels, `{{request.object.spec.template.metadata.labels}}`)]";

#[test]
fn what_is_selected_by_the_objects_labels_is_counted() {
    let path = format!("{SELECTED} | length(@)");
    let fewer = |bound: &str| format!("{{key: '{{{{found}}}}', operator: LessThan, value: {bound}}}");
    assert_eq!(grade([&path, &path], [&fewer("1"), &fewer("2")]), Grade::Different);
    assert_eq!(grade([&path, &path], [&fewer("2"), &fewer("3")]), Grade::Different);
}

#[test]
fn the_first_of_what_is_selected_is_not_the_last() {
    let of = |index: &str| format!("{SELECTED} | [{index}] | spec.policyTypes[0] || 'none'");
    let is_egress = "{key: '{{found}}', operator: Equals, value: Egress}";
    for (one, other) in [("0", "1"), ("0", "-1")] {
        assert_eq!(grade([&of(one), &of(other)], [is_egress, is_egress]), Grade::Different, "{one} {other}");
    }
}
