//! What the terminal says of policies in CEL that can be evaluated and are hardly meant: questions with one answer, matches that
//! never match, fields that may be absent.
//!
//! In: policies as files. Out: a failure where a remark is missing, stands on another line, or is made for nothing.

use tests::program;
use tests::terminal::run;

const POLICY: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: tags}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  variables:
  - {name: images, expression: 'object.spec.containers.map(c, c.image)'}
  validations:
  - expression: variables.images.all(i, !i.endsWith(':latest'))
    message: name a version
  - expression: variables.images.size() < 2
    messageExpression: \"'one image, not ' + string(variables.images.size())\"
";

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: app, image: 'nginx:1'}\n";

#[test]
fn what_is_hardly_meant_is_named_with_its_line() {
    let Some(program) = program::find_or_skip() else { return };
    let said = |policy: &str| {
        let files = [("policy.yaml", policy), ("pod.yaml", POD)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "").err
    };
    assert_eq!(said(POLICY), "");
    let with = |from: &str, to: &str| said(&POLICY.replace(from, to));
    let asking = |expression: &str| with("variables.images.size() < 2", &format!("\"{expression}\""));
    let asks_nothing = asking("'a' in ['a', 'b'] || object.metadata.name == 'a'");
    assert!(asks_nothing.contains("the validation is true of every object"), "{asks_nothing}");
    assert!(asks_nothing.contains("policy.yaml:13:17"), "{asks_nothing}");
    let refuses_all = asking("1 > 2");
    assert!(refuses_all.contains("the validation is false of every object that matches"), "{refuses_all}");
    let never = with("  variables:\n", "  matchConditions: [{name: a, expression: 'false'}]\n  variables:\n");
    assert!(never.contains("the condition is never met"), "{never}");
    let absent = asking("object.spec.securityContext.runAsNonRoot == true");
    assert!(absent.contains("`object.spec.securityContext` may be absent"), "{absent}");
    let inner = asking("object.spec.containers.all(c, c.resources.limits.size() > 0)");
    assert!(inner.contains("`c.resources` may be absent"), "{inner}");
    for asked in [
        "!has(object.spec.securityContext) || !has(object.spec.securityContext.runAsNonRoot) || object.spec.securityContext.runAsNonRoot == true",
        "object.spec.?securityContext.?runAsNonRoot.orValue(true)",
        "object.spec.containers.all(c, has(c.image) && c.image != '' && c.name != '')",
    ] {
        let asked = asking(asked);
        assert!(!asked.contains("may be absent"), "{asked}");
    }
    for (from, to, words) in [
        ("operations: [CREATE]", "operations: [FOO]", "there is no such operation"),
        ("operations: [CREATE]", "scope: Foo, operations: [CREATE]", "there is no such scope"),
        ("operations: [CREATE], ", "", "the rule names no `operations`"),
        ("resources: [pods]", "resources: [pod]", "there is no resource `pod`"),
        ("resources: [pods]", "resources: [Pods]", "there is no resource `Pods`"),
    ] {
        let never = with(from, to);
        assert!(never.contains(words), "{words}: {never}");
    }
    let unmatched = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\nspec:\n  validations:\n  - \
                     {expression: object.metadata.name == 'a'}\n";
    assert!(
        said(unmatched).contains("a policy without `matchConstraints` matches nothing"),
        "{}",
        said(unmatched)
    );
}

#[test]
fn the_same_is_named_in_policies_of_kubernetes_and_in_rules() {
    let Some(program) = program::find_or_skip() else { return };
    let said = |policy: &str| {
        let files = [("policy.yaml", policy), ("pod.yaml", POD)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "").err
    };
    let admission = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - {expression: object.metadata.name == 'a'}
";
    let rule = "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      cel:
        expressions:
        - {expression: object.metadata.name == 'a'}
";
    for (policy, line) in [(admission, 8), (rule, 11)] {
        let with = |expression: &str| {
            said(&policy.replace("object.metadata.name == 'a'", &format!("\"{expression}\"")))
        };
        let place = format!("policy.yaml:{line}:");
        for (expression, words) in [
            ("1 < 2", "the validation is true of every object: it asks nothing"),
            ("1 > 2", "the validation is false of every object that matches"),
            ("object.spec.securityContext.runAsNonRoot", "`object.spec.securityContext` may be absent"),
            ("object.spec.containers.all(c, c.ports.size() > 0)", "`c.ports` may be absent"),
        ] {
            let said = with(expression);
            assert!(said.contains(words) && said.contains(&place), "{words}: {said}");
            // A rule for Pods is one for their controllers too: it is said once.
            assert_eq!(said.matches(words).count(), 1, "{said}");
        }
        let fine =
            with("object.spec.?securityContext.?runAsNonRoot.orValue(true) && object.metadata.name != ''");
        assert!(!fine.contains("warning"), "{fine}");
    }
    let never =
        said(&rule.replace(
            "    validate:",
            "    celPreconditions: [{name: a, expression: 'false'}]\n    validate:",
        ));
    assert!(never.contains("the condition is never met"), "{never}");
    let some = said(
        &rule
            .replace("object.metadata.name == 'a'", "'false'")
            .replace("    validate:", "    exclude: {any: [{resources: {names: [a]}}]}\n    validate:"),
    );
    assert!(!some.contains("false of every object"), "{some}");
    let never = said(&admission.replace("operations: [CREATE]", "operations: [FOO]"));
    assert!(never.contains("there is no such operation"), "{never}");
    let all = said(&admission.replace("  matchConstraints:\n", "").replace("    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]\n", ""));
    assert!(all.contains("without `matchConstraints` every object matches"), "{all}");
}
