//! Requests that are no creations of whole objects, in the terminal: subresources, deletions, other users.
//!
//! In: policies of Kubernetes and classic ones, objects, flags and values files. Out: a failure where a policy that is for the request is
//! not asked, or one is that is not.

use std::path::Path;
use tests::program;
use tests::terminal::{Run, run};

/// A policy for these resources and operations, with its binding.
fn policy(resources: &str, operations: &str, expression: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules: [{{apiGroups: ['*'], apiVersions: ['*'], operations: [{operations}], resources: [{resources}]}}]\n  validations:\n  \
         - {{expression: \"{expression}\"}}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n\
         metadata: {{name: b}}\nspec: {{policyName: p, validationActions: [Deny]}}\n"
    )
}

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: c, image: 'a:1'}]}}";
const DEBUGGED: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: c, image: 'a:1'}], \
                        ephemeralContainers: [{name: d, image: 'b:latest'}]}}";
const NAME: &str = "metadata: {name: web, namespace: shop}";

fn apply(program: &Path, policy: &str, object: &str, more: &[(&str, &str)], arguments: &[&str]) -> Run {
    let files = [&[("policy.yaml", policy), ("object.yaml", object)], more].concat();
    let arguments = [&["apply", "policy.yaml", "-r", "object.yaml"], arguments].concat();
    run(program, &files, &arguments, "")
}

/// The line of counts without its zeroes.
fn counts(run: &Run) -> String {
    let line = run.out.lines().rfind(|line| line.starts_with("pass: ")).unwrap_or_default();
    line.trim_end()
        .split(", ")
        .filter(|part| !part.ends_with(": 0"))
        .collect::<Vec<_>>()
        .join(", ")
        .trim()
        .to_owned()
}

#[test]
fn an_object_that_is_a_request_is_one_in_a_cluster() {
    let Some(program) = &program::find_or_skip() else { return };
    let objects = [
        (
            "pods/exec",
            "{apiVersion: v1, kind: PodExecOptions, NAME, command: [sh]}",
            "CONNECT",
            "object.command[0] != 'sh'",
        ),
        (
            "pods/attach",
            "{apiVersion: v1, kind: PodAttachOptions, NAME, tty: true}",
            "CONNECT",
            "!object.tty",
        ),
        (
            "pods/portforward",
            "{apiVersion: v1, kind: PodPortForwardOptions, NAME}",
            "CONNECT",
            "request.name != 'web'",
        ),
        (
            "pods/eviction",
            "{apiVersion: policy/v1, kind: Eviction, NAME}",
            "CREATE",
            "request.subResource != 'eviction'",
        ),
        (
            "pods/binding",
            "{apiVersion: v1, kind: Binding, NAME, target: {name: n1}}",
            "CREATE",
            "object.target.name != 'n1'",
        ),
        (
            "serviceaccounts/token",
            "{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, NAME, spec: {audiences: []}}",
            "CREATE",
            "request.resource.resource != 'serviceaccounts'",
        ),
    ];
    for (resource, object, operation, expression) in objects {
        let object = object.replace("NAME", NAME);
        let said = apply(program, &policy(resource, operation, expression), &object, &[], &["--as-cluster"]);
        assert_eq!((counts(&said).as_str(), said.code), ("fail: 1", 1), "{resource}: {said:?}");
        let whole = resource.split('/').next().unwrap();
        let said = apply(program, &policy(whole, "'*'", "false"), &object, &[], &["--as-cluster"]);
        assert_eq!((counts(&said).as_str(), said.code), ("", 0), "{resource}: {said:?}");
    }
    // What is connected by has no metadata.
    let exec =
        "{apiVersion: v1, kind: PodExecOptions, metadata: {name: web, namespace: shop}, command: [sh]}";
    let bare = policy("pods/exec", "CONNECT", "!has(object.metadata) && request.namespace == 'shop'");
    assert_eq!(counts(&apply(program, &bare, exec, &[], &["--host", "cluster"])), "pass: 1");
}

#[test]
fn a_flag_a_value_or_a_file_names_a_subresource() {
    let Some(program) = &program::find_or_skip() else { return };
    let debug = policy(
        "pods/ephemeralcontainers",
        "UPDATE",
        "object.spec.ephemeralContainers.all(c, !c.image.endsWith(':latest'))",
    );
    let flag = ["--as-cluster", "--subresource", "ephemeralcontainers"];
    let old = [("old.yaml", POD)];
    for more in [&[][..], &["--old-resource", "old.yaml"], &["--operation", "UPDATE"]] {
        let said = apply(program, &debug, DEBUGGED, &old, &[&flag, more].concat());
        assert_eq!(counts(&said), "fail: 1", "{said:?}");
    }
    let values = [(
        "values.yaml",
        "{apiVersion: cli.kyverno.io/v1alpha1, kind: Values, globalValues: {request.subResource: ephemeralcontainers}}",
    )];
    assert_eq!(
        counts(&apply(program, &debug, DEBUGGED, &values, &["--as-cluster", "-f", "values.yaml"])),
        "fail: 1"
    );
    // The Pod as a whole is another request.
    assert_eq!(counts(&apply(program, &debug, DEBUGGED, &[], &["--as-cluster"])), "");
    let whole = policy("pods", "'*'", "false");
    assert_eq!(counts(&apply(program, &whole, DEBUGGED, &[], &flag)), "");
    let classic = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: c}, spec: {rules: [{name: r, match: {any: [{resources: \
                   {kinds: [Pod/ephemeralcontainers]}}]}, validate: {message: denied, deny: {}}}]}}";
    assert_eq!(counts(&apply(program, classic, DEBUGGED, &[], &flag)), "fail: 1");
    assert_eq!(
        counts(&apply(program, classic, DEBUGGED, &[], &["--subresource", "ephemeralcontainers"])),
        "fail: 1"
    );
}

#[test]
fn a_scale_is_of_what_somebody_names() {
    let Some(program) = &program::find_or_skip() else { return };
    let scale = "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web, namespace: shop}, spec: {replicas: 9}}";
    let most = policy(
        "deployments/scale",
        "UPDATE",
        "object.spec.replicas <= 5 || request.resource.group != 'apps'",
    );
    let flag = ["--as-cluster", "--subresource", "deployments/scale"];
    assert_eq!(counts(&apply(program, &most, scale, &[], &flag)), "fail: 1");
    let values = [(
        "values.yaml",
        "{apiVersion: cli.kyverno.io/v1alpha1, kind: Values, subresources: [{subresource: {name: deployments/scale, group: autoscaling, \
         version: v1, kind: Scale}, parentResource: {name: deployments, group: apps, version: v1, kind: Deployment}}]}",
    )];
    assert_eq!(
        counts(&apply(program, &most, scale, &values, &["--as-cluster", "-f", "values.yaml"])),
        "fail: 1"
    );
    let said = apply(program, &most, scale, &[], &["--as-cluster", "--subresource", "scale"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("with `deployments/scale` or its like as the subresource"), "{said:?}");
}

#[test]
fn a_subresource_that_no_resource_has_is_an_error() {
    let Some(program) = &program::find_or_skip() else { return };
    let said = apply(
        program,
        &policy("pods/exec", "CONNECT", "false"),
        POD,
        &[],
        &["--as-cluster", "--subresource", "exec"],
    );
    assert_eq!(said.code, 1);
    let words = "--subresource: no resource is a request for the subresource `exec`: its object is a PodExecOptions (v1), with the name of \
                 what it is for";
    assert!(said.err.contains(words), "{said:?}");
}

#[test]
fn deletions_and_users_are_asked_for_by_flags() {
    let Some(program) = &program::find_or_skip() else { return };
    let keep =
        policy("pods", "DELETE", "request.userInfo.username == 'jane' && oldObject.metadata.name == 'web'");
    let as_jane = ["--as-cluster", "--operation", "DELETE", "--user", "jane"];
    assert_eq!(counts(&apply(program, &keep, POD, &[], &as_jane)), "pass: 1");
    assert_eq!(
        counts(&apply(program, &keep, POD, &[], &["--as-cluster", "--operation", "DELETE", "--user", "joe"])),
        "fail: 1"
    );
    assert_eq!(counts(&apply(program, &keep, POD, &[], &["--as-cluster"])), "");
    let account = policy("pods", "CREATE", "'system:serviceaccounts:ci' in request.userInfo.groups");
    let user = ["--as-cluster", "--user", "system:serviceaccount:ci:robot"];
    assert_eq!(counts(&apply(program, &account, POD, &[], &user)), "pass: 1");
}

#[test]
fn what_a_host_does_not_hear_is_named() {
    let Some(program) = &program::find_or_skip() else { return };
    let said = apply(program, &policy("pods", "DELETE", "false"), POD, &[], &["--operation", "DELETE"]);
    let words = "warning: --operation does not count for policies of Kubernetes, as in `kyverno apply`: add --as-cluster";
    assert!(said.err.contains(words), "{said:?}");
    let said =
        apply(program, &policy("pods/status", "UPDATE", "false"), POD, &[], &["--subresource", "status"]);
    assert!(said.err.contains("warning: --subresource does not count for policies in CEL"), "{said:?}");
    let said = apply(program, &policy("pods", "CREATE", "false"), POD, &[], &["--audit-warn"]);
    assert!(said.err.contains("warning: --audit-warn changes the words for policies in CEL"), "{said:?}");
}

#[test]
fn a_test_asks_as_its_flags_say() {
    let Some(program) = &program::find_or_skip() else { return };
    let debug = policy(
        "pods/ephemeralcontainers",
        "UPDATE",
        "object.spec.ephemeralContainers.all(c, !c.image.endsWith(':latest'))",
    );
    let test = "{apiVersion: cli.kyverno.io/v1alpha1, kind: Test, metadata: {name: t}, policies: [policy.yaml], resources: [object.yaml], \
                results: [{policy: p, isValidatingAdmissionPolicy: true, kind: Pod, resources: [shop/web], result: fail}]}";
    let files = [
        ("policy.yaml", debug.as_str()),
        ("object.yaml", DEBUGGED),
        ("old.yaml", POD),
        ("kyverno-test.yaml", test),
    ];
    let flags = ["--host", "cluster", "--subresource", "ephemeralcontainers", "--old-resource", "old.yaml"];
    let said = run(program, &files, &[&["test", "."], flags.as_slice()].concat(), "");
    assert!(said.out.contains("1 tests passed and 0 tests failed"), "{said:?}");
    assert_eq!(said.code, 0, "{said:?}");
    // The whole Pod is another request, for which the policy is not.
    let said = run(program, &files, &["test", ".", "--host", "cluster"], "");
    assert!(said.out.contains("Excluded"), "{said:?}");
}
