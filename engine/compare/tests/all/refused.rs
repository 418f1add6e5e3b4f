//! Policies and bindings that an API server refuses: nobody has such, so nothing is said about what they decide.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { max_requests: 300, mutants: 0, ..Options::default() };
    let old = format!("{}---\n{BINDING}", POLICY.replace("'blue'", "'red'"));
    compare(&text(&old), &text(new), &options, &world, &mut |_| true)
}

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  matchConditions:
  - {name: a, expression: 'true'}
  variables:
  - {name: v, expression: object.data}
  validations:
  - expression: variables.v.a == 'blue'
";

const BINDING: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec:
  policyName: p
  validationActions: [Deny, Audit]
  matchResources:
    objectSelector: {matchLabels: {a: b}}
";

/// Replaces a text of the policy or of the binding, and expects to read this about a line that holds that.
fn refused(from: &str, to: &str, text: &str, line: &str) {
    let whole = format!("{POLICY}---\n{BINDING}");
    assert!(whole.contains(from), "{from}");
    let changed = whole.replace(from, to);
    let answer = compared(&changed);
    assert_eq!(answer.grade, Grade::NotCompared, "{changed}");
    let reason = answer.reasons.iter().find(|reason| reason.text.contains(text));
    assert!(reason.is_some_and(|reason| reason.side == "new"), "{text}: {:?}", answer.reasons);
    let at =
        reason.and_then(|reason| reason.range.as_ref()).and_then(|range| usize::try_from(range.line).ok());
    let found = at.and_then(|at| changed.lines().nth(at - 1)).unwrap_or_default();
    assert!(found.contains(line), "{text}: {found}");
}

#[test]
fn bindings_are_refused_as_by_an_api_server() {
    assert_eq!(compared(&format!("{POLICY}---\n{BINDING}")).grade, Grade::Different);
    refused(
        "  policyName: p\n",
        "",
        "Kubernetes refuses `b`: spec.policyName: Required value",
        "validationActions",
    );
    refused(
        "policyName: p",
        "policyName: P",
        "a lowercase RFC 1123 subdomain must consist of",
        "policyName: P",
    );
    refused("[Deny, Audit]", "[Deny, Warn]", "must not contain both Deny and Warn", "validationActions");
    refused("[Deny, Audit]", "[Deny, Enforce]", "Unsupported value: \"Enforce\"", "Enforce");
    refused("[Deny, Audit]", "[Deny, Deny]", "spec.validationActions[1]: Duplicate value: \"Deny\"", "Deny");
    refused("[Deny, Audit]", "[]", "at least one validation action is required", "validationActions");
    let reference = |rest: &str| format!("policyName: p\n  paramRef: {{{rest}}}");
    let deny = "parameterNotFoundAction: Deny";
    let both = reference(&format!("name: x, selector: {{matchLabels: {{a: b}}}}, {deny}"));
    refused("policyName: p", &both, "name and selector are mutually exclusive", "paramRef");
    refused("policyName: p", &reference(deny), "one of name or selector must be specified", "paramRef");
    refused("policyName: p", &reference("name: x"), "parameterNotFoundAction: Required value", "paramRef");
    refused(
        "{matchLabels: {a: b}}",
        "{matchExpressions: [{key: a, operator: In}]}",
        "values: Required value",
        "matchExp",
    );
}

#[test]
fn policies_are_refused_as_by_an_api_server() {
    refused(
        "operations: [CREATE]",
        "operations: ['*', CREATE]",
        "must not specify other operations",
        "operations",
    );
    refused("operations: [CREATE], ", "", "resourceRules[0].operations: Required value", "apiGroups");
    refused(
        "[configmaps]",
        "['pods/*', pods/exec]",
        "if 'pods/*' is present, must not specify pods/exec",
        "pods/exec",
    );
    refused("apiVersions: [v1]", "apiVersions: []", "apiVersions: Required value", "apiVersions");
    refused(
        "  - {name: a, expr",
        "  - {name: a, expression: 'false'}\n  - {name: a, expr",
        "Duplicate value: \"a\"",
        "'true'",
    );
    refused("{name: v, expr", "{name: in, expr", "must be a valid CEL identifier", "name: in");
    refused("== 'blue'", "== 1 + 'blue'", "Kubernetes refuses `p`: ", "'blue'");
    refused(
        "  validations:\n  - expression: variables.v.a == 'blue'\n",
        "",
        "must contain at least one item",
        "matchConstraints",
    );
}

#[test]
fn rules_of_a_policy_in_cel_are_those_of_a_webhook() {
    let policy = POLICY
        .replace("admissionregistration.k8s.io/v1", "policies.kyverno.io/v1")
        .replace("ValidatingAdmissionPolicy", "ValidatingPolicy");
    assert_eq!(compared(&policy).grade, Grade::Different);
    let answer = compared(&policy.replace("operations: [CREATE], ", ""));
    assert_eq!(answer.grade, Grade::NotCompared);
    assert!(answer.reasons[0].text.contains("operations: Required value"), "{:?}", answer.reasons);
}

/// Who may do what is asked of an API server, in whose policies it compiles.
#[test]
fn what_asks_the_authorizer_is_not_compared() {
    let asking = |verb: &str| {
        let expression = format!("authorizer.group('').resource('configmaps').check('{verb}').allowed()");
        format!("{}---\n{BINDING}", POLICY.replace("variables.v.a == 'blue'", &expression))
    };
    let text = |text: String| vec![Text { name: "policy.yaml".into(), text }];
    let world = engine::world::StaticWorld::default();
    let options = Options { max_requests: 300, mutants: 0, ..Options::default() };
    let of = |old: &str, new: &str| {
        compare(&text(asking(old)), &text(asking(new)), &options, &world, &mut |_| true)
    };
    let answer = of("delete", "create");
    assert_eq!(answer.grade, Grade::NotCompared);
    let first = answer.reasons.first().expect("a reason");
    assert!(first.text.contains("asks the API server's authorizer"), "{first:?}");
    assert_eq!((first.side, first.range.as_ref().map(|range| range.line)), ("old", Some(13)));
    assert!(answer.assumptions.iter().all(|one| !one.contains("compile")), "{:?}", answer.assumptions);

    // What is written alike decides alike.
    let answer = of("create", "create");
    assert_eq!(answer.grade, Grade::Same);
    assert!(answer.assumptions.iter().all(|one| !one.contains("compile")), "{:?}", answer.assumptions);
}

#[test]
fn a_version_that_is_not_read_is_named_with_the_one_to_write() {
    let young = POLICY.replacen("k8s.io/v1", "k8s.io/v1beta1", 1);
    refused_text(&young, "(write `apiVersion: admissionregistration.k8s.io/v1`)");
}

fn refused_text(new: &str, text: &str) {
    let answer = compared(new);
    assert_eq!(answer.grade, Grade::NotCompared);
    assert!(answer.reasons.iter().any(|reason| reason.text.contains(text)), "{:?}", answer.reasons);
}

#[test]
fn a_manifest_beside_a_policy_is_left_out() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\n";
    let answer = compared(&format!("{role}---\n{POLICY}---\n{BINDING}"));
    assert_eq!(answer.grade, Grade::Different);
    let line = "left out: ClusterRole `r` is not a policy and decides nothing here";
    assert!(answer.assumptions.iter().any(|what| what == line), "{:?}", answer.assumptions);
    refused_text(role, "`ClusterRole` is not a policy");
}
