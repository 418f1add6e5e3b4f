//! Rules that generate.

use super::{holds, refused, spoilt};
use engine_compare::Grade;
use engine_convert::Target;

fn policy(kind: &str, rest: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: \
         {{kinds: [{kind}]}}}}]}}\n    {}\n",
        rest.replace('\n', "\n    ")
    )
}

const QUOTA: &str = "generate:
  apiVersion: v1
  kind: ResourceQuota
  name: default
  namespace: '{{ request.object.metadata.namespace }}'
  synchronize: true
  generateExisting: true
  data:
    metadata: {labels: {of: '{{ request.object.metadata.name }}'}}
    spec: {hard: {pods: '4'}, scopes: ['{{ request.object.metadata.name }}-a'], selector: '{{ request.object.spec.selector }}'}";

#[test]
fn data_become_a_template() {
    let conversion = holds(&policy("Deployment", QUOTA), Target::Cel);
    let text = conversion.text();
    for part in [
        "kind: GeneratingPolicy\n",
        "synchronize:\n      enabled: true",
        "generateExisting:\n      enabled: true",
        "namespace: (( object.metadata.namespace ))",
        "(( object.metadata.name ))-a",
        "selector: (( object.spec.selector ))",
        "interpolate: cel",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(spoilt(&conversion, "pods: '4'", "pods: '5'").grade, Grade::Different);
    let guarded = format!(
        "preconditions: {{all: [{{key: \"{{{{ request.object.metadata.labels.team || '' }}}}\", operator: Equals, value: a}}]}}\n{QUOTA}"
    );
    assert!(holds(&policy("Deployment", &guarded), Target::Cel).text().contains("name: preconditions"));
}

#[test]
fn copies_and_loops_generate_the_same() {
    let copy = "generate:\n  apiVersion: v1\n  kind: Secret\n  name: registry\n  namespace: '{{ request.object.metadata.namespace }}'\n  clone: \
                {namespace: ops, name: registry}";
    let conversion = holds(&policy("Deployment", copy), Target::Cel);
    let text = conversion.text();
    assert!(text.contains("resource.Get('v1', 'secrets', 'ops', 'registry')"), "{text}");
    assert!(text.contains("object.metadata.namespace != 'ops'"), "{text}");
    assert_eq!(spoilt(&conversion, "'ops', 'registry'", "'ops', 'other'").grade, Grade::Different);
    let renamed =
        refused(&policy("Deployment", &copy.replace("name: registry\n", "name: mine\n")), Target::Cel);
    assert!(renamed[0].1.contains("another name"), "{renamed:?}");
    let list = "generate:\n  namespace: '{{ request.object.metadata.namespace }}'\n  cloneList: {namespace: ops, kinds: [v1/Secret], selector: \
                {matchLabels: {share: 'true'}}}";
    let conversion = holds(&policy("Deployment", list), Target::Cel);
    assert!(conversion.text().contains(".filter(secret,"), "{}", conversion.text());
    let each = "generate:\n  foreach:\n  - list: request.object.spec.template.spec.containers\n    apiVersion: v1\n    kind: ConfigMap\n    name: \
                '{{ element.name }}'\n    namespace: '{{ request.object.metadata.namespace }}'\n    data: {data: {image: '{{ element.image }}', count: '1'}}";
    let conversion = holds(&policy("Deployment", each), Target::Cel);
    assert!(conversion.text().contains(".containers.all(container,"), "{}", conversion.text());
    assert_eq!(spoilt(&conversion, "'count': dyn('1')", "'count': dyn('2')").grade, Grade::Different);
}

#[test]
fn what_no_generating_policy_does_is_refused() {
    for (rest, field, why) in [
        (
            "generate: {namespace: n, cloneList: {namespace: ops, kinds: [v1/Secret], selector: {matchLabels: {a: '{{ request.name }}'}}}}",
            "spec.rules[0].generate.cloneList.selector",
            "variables",
        ),
        (
            "generate: {apiVersion: v1, kind: Secret, name: b, namespace: n, data: {data: {'{{ request.object.metadata.name }}': x}}}",
            "spec.rules[0].generate",
            "in the key",
        ),
    ] {
        let found = refused(&policy("Deployment", rest), Target::Cel);
        assert!(found[0].0 == field && found[0].1.contains(why), "{found:?}");
    }
}
