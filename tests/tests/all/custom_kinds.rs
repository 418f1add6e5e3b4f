//! Custom kinds whose definitions are given: policies in CEL select their objects by the plural that a definition names.
//!
//! In: the built `podsieve`, a definition, a policy, an object. Out: a failure where the policy is not asked, or asked without it.

use tests::program;
use tests::terminal::run;

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgetz.ex.com}
spec:
  group: ex.com
  scope: Namespaced
  names: {kind: Widget, plural: widgetz, singular: widget}
  versions:
  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
";
const WIDGET: &str =
    "{apiVersion: ex.com/v1, kind: Widget, metadata: {name: w, namespace: shop}, spec: {size: 3}}";

fn policy(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules:\n    \
         - {{apiGroups: [ex.com], apiVersions: [v1], operations: ['*'], resources: [widgetz]}}\n  {spec}\n"
    )
}

#[test]
fn a_definition_says_how_the_objects_of_a_kind_are_called() {
    let Some(program) = program::find_or_skip() else { return };
    let validating = policy("ValidatingPolicy", "validations: [{expression: object.spec.size < 2}]");
    let deleting = policy("DeletingPolicy", "schedule: '0 * * * *'");
    for (policy, wanted) in [(validating, "fail: 1"), (deleting, "pass: 1")] {
        let files = [("policy.yaml", policy.as_str()), ("widget.yaml", WIDGET), ("crd.yaml", DEFINITION)];
        let with = |more: &[&str]| {
            run(&program, &files, &[&["apply", "policy.yaml", "-r", "widget.yaml"], more].concat(), "").out
        };
        assert!(!with(&[]).contains(wanted), "{}", with(&[]));
        assert!(
            with(&["--crd-paths", "crd.yaml"]).contains(wanted),
            "{}",
            with(&["--crd-paths", "crd.yaml"])
        );
    }
}

#[test]
fn a_file_that_holds_no_definitions_ends_the_run() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = policy("ValidatingPolicy", "validations: [{expression: object.spec.size < 2}]");
    let files = [("policy.yaml", policy.as_str()), ("widget.yaml", WIDGET)];
    let with = |path: &str| {
        run(&program, &files, &["apply", "policy.yaml", "-r", "widget.yaml", "--crd-paths", path], "")
    };
    let (none, json) = (with("none.yaml"), with("crd.json"));
    assert_eq!((none.code, none.err.as_str()), (1, "Error: CRD file does not exist at path: none.yaml\n"));
    assert_eq!(json.err, "Error: CRD file must have .yaml or .yml extension: crd.json\n");
}
