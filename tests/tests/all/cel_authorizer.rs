//! Rules in CEL that ask who may do what: the original's CLI asks a stand-in that allows nobody anything.
//!
//! In: a rule and who asks. Out: a failure where a verdict or its words differ, or where nothing says that a cluster knows more.

use tests::program;
use tests::terminal::run;

const POD: &str =
    "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: []}}";
const POLICY: &str =
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: net, namespace: shop}}";
const JANE: &str =
    "{apiVersion: cli.kyverno.io/v1alpha1, kind: UserInfo, metadata: {name: u}, userInfo: {username: jane}}";

/// A rule with one expression.
fn rule(expression: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
         [{{resources: {{kinds: [Pod, NetworkPolicy]}}}}]}}\n    validate:\n      cel:\n        variables:\n        - {{name: got, \
         expression: \"authorizer.group('').resource('pods').namespace('shop').name('web').check('get')\"}}\n        expressions:\n \
         \x20      - {{expression: \"{expression}\"}}\n"
    )
}

/// The exit code, what the terminal prints of the rule, and what it says besides.
fn said(expression: &str, resource: &str, more: &[&str]) -> Option<(i32, String, String)> {
    let program = program::find_or_skip()?;
    let policy = rule(expression);
    let files = [("policy.yaml", policy.as_str()), ("resource.yaml", resource), ("jane.yaml", JANE)];
    let ran = run(&program, &files, &[&["apply", "policy.yaml", "-r", "resource.yaml"], more].concat(), "");
    Some((ran.code, ran.out, ran.err))
}

const AS_JANE: &[&str] = &["--userinfo", "jane.yaml"];

#[test]
fn nobody_may_do_anything() {
    let pass = "\npass: 1, fail: 0, warn: 0, error: 0, skip: 0 \n";
    let cases: &[(&str, &[&str], &str)] = &[
        ("!variables.got.allowed()", &[], POD),
        ("variables.got.reason() == ''", &[], POD),
        ("variables.got.errored() && variables.got.error() == 'no service account provided'", &[], POD),
        ("!variables.got.errored() && variables.got.error() == ''", AS_JANE, POD),
        ("!variables.got.allowed()", AS_JANE, POD),
        ("!authorizer.serviceAccount('shop', 'ci').path('/healthz').check('get').errored()", &[], POD),
        ("variables.got.error() == 'failed to get GVR for kind NetworkPolicy'", AS_JANE, POLICY),
        ("!authorizer.requestResource.check('update').allowed()", AS_JANE, POD),
    ];
    for (expression, more, resource) in cases {
        let Some((code, out, err)) = said(expression, resource, more) else { return };
        assert!(code == 0 && out.ends_with(pass), "{expression}: {out}{err}");
        let known = "who may do what is known there alone";
        assert!(err.contains(known), "{expression}: {err}");
    }
}

#[test]
fn what_cannot_be_asked_is_a_failure_in_the_words_of_kubernetes() {
    let cases = [
        ("authorizer.path(' ').check('get').allowed()", "path must not be empty"),
        ("authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"),
        (
            "authorizer.serviceAccount('shop', 'a_b').path('/').check('get').allowed()",
            "Invalid service account name",
        ),
        (
            "authorizer.serviceAccount('a.b', 'ci').path('/').check('get').allowed()",
            "Invalid service account namespace",
        ),
    ];
    for (expression, words) in cases {
        let Some((code, out, _)) = said(expression, POD, &[]) else { return };
        let line = format!("1 - r expression '{expression}' resulted in error: {words}\n");
        assert!(code == 1 && out.contains(&line), "{expression}: {out}");
    }
}

#[test]
fn a_cluster_that_is_not_there_is_not_asked() {
    let Some((code, out, _)) = said("!variables.got.allowed()", POD, &["--as-cluster"]) else { return };
    assert!(code == 1 && out.contains("permissions are not known here"), "{out}");
}
