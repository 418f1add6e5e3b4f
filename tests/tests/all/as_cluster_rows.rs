//! What surprises in policies in CEL that validate, as the CLI and as a cluster have it: where both say the same, and where not.
//!
//! In: texts with their roles. Out: a failure where either host says something else. The larger differences have their cases in
//! `as_cluster.rs`; the reasons here are the sources of Kyverno 1.19 and Kubernetes 1.36 that the cases name.

use engine::apply::{Effect, Locations, Options, Recording, Status, apply, effect};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;

const CLI: Host = Host::Cli;
const CLUSTER: Host = Host::Cluster;

/// Each row's verdict and message, and what is done with the request.
fn rows(host: Host, texts: &[(Role, &str)]) -> Vec<(Status, String, Effect)> {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, _) = load_with(sources, host, WITHOUT_STEPS);
    assert!(bundle.refused.is_empty() && bundle.unsupported.is_empty(), "{:?}", bundle.refused);
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results;
    let of = |result| {
        let effect = effect(&bundle, result);
        result.rules.iter().map(move |row| (row.status, row.message.clone(), effect)).collect::<Vec<_>>()
    };
    results.iter().flat_map(of).collect()
}

fn statuses(host: Host, texts: &[(Role, &str)]) -> Vec<Status> {
    rows(host, texts).into_iter().map(|(status, ..)| status).collect()
}

/// Both hosts say this of the Deployment.
fn both(policy: &str, more: &[(Role, &str)], said: &[Status]) {
    let texts = [&[(Role::Policies, policy), (Role::Resources, DEPLOYMENT)], more].concat();
    for host in [CLI, CLUSTER] {
        assert_eq!(statuses(host, &texts), said, "{host:?}: {policy}");
    }
}

const DEPLOYMENT: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3, template: \
                          {spec: {hostNetwork: true, containers: [{name: a, image: a}]}}}}";

/// A policy of Kyverno for these resources, operations, and with this validation.
fn policy(resources: &str, operations: &str, expression: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: ['*'], apiVersions: [v1], operations: {operations}, resources: [{resources}]}}\n  \
         validations:\n  - {{expression: \"{expression}\"}}\n"
    )
}

/// The same of Kubernetes, bound to all.
fn admission(resources: &str, operations: &str, expression: &str) -> String {
    let policy = policy(resources, operations, expression)
        .replace("policies.kyverno.io/v1", "admissionregistration.k8s.io/v1")
        .replace("ValidatingPolicy", "ValidatingAdmissionPolicy");
    format!(
        "{policy}---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: \
         b}}\nspec: {{policyName: p, validationActions: [Deny]}}\n"
    )
}

// Kyverno: pkg/cel/policies/vpol/compiler/eval.go makes an object of nothing; Kubernetes: null.
#[test]
fn the_old_object_of_a_creation_is_empty_or_null() {
    both(&policy("deployments", "['*']", "oldObject == null"), &[], &[Status::Fail]);
    both(&policy("deployments", "['*']", "oldObject == {}"), &[], &[Status::Pass]);
    both(&admission("deployments", "['*']", "oldObject == null"), &[], &[Status::Pass]);
}

// Kyverno: nobody's name is not there; the webhook has the one of the request, which is not known here.
#[test]
fn nobody_has_no_name() {
    both(&policy("deployments", "['*']", "request.userInfo.username == 'jo'"), &[], &[Status::Error]);
    let user = "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: {name: u}\nuserInfo: {username: jo}\n";
    let jo = policy("deployments", "['*']", "request.userInfo.username == 'jo'");
    both(&jo, &[(Role::UserInfo, user)], &[Status::Pass]);
}

// Kyverno: ConvertObjectToUnstructured reads the request anew, with integers; `object` has doubles in the CLI alone.
#[test]
fn the_object_of_a_request_has_integers() {
    both(&policy("deployments", "['*']", "request.object.spec.replicas % 2 == 1"), &[], &[Status::Pass]);
    both(&policy("deployments", "['*']", "request.object == object"), &[], &[Status::Pass]);
}

// Kyverno: where values name a Namespace, its labels are those alone; an API server gives each the label of its name.
#[test]
fn a_namespace_of_values_lacks_the_label_of_its_name() {
    let values = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nnamespaceSelector: [{name: shop, labels: {env: prod}}]\n";
    let selecting = |label: &str| {
        policy("deployments", "['*']", "false").replace(
            "  validations",
            &format!("    namespaceSelector: {{matchLabels: {{{label}}}}}\n  validations"),
        )
    };
    let with = |host: Host, label: &str, more: &[(Role, &str)]| {
        let policy = selecting(label);
        statuses(host, &[&[(Role::Policies, policy.as_str()), (Role::Resources, DEPLOYMENT)], more].concat())
    };
    let name = "kubernetes.io/metadata.name: shop";
    assert_eq!(with(CLI, name, &[]), [Status::Fail]);
    assert_eq!(with(CLI, name, &[(Role::Values, values)]), []);
    assert_eq!(with(CLUSTER, name, &[(Role::Values, values)]), [Status::Fail]);
    for host in [CLI, CLUSTER] {
        assert_eq!(with(host, "env: prod", &[(Role::Values, values)]), [Status::Fail]);
    }
}

// Kubernetes: admission/plugin/webhook/predicates/rules/rules.go, of which Kyverno has a copy: what is behind the stroke may be
// nothing where any is meant; names are compared as they are.
#[test]
fn rules_match_by_the_same_matcher() {
    for kind in [policy, admission] {
        for (resources, operations, said) in [
            ("deployments", "['*']", &[Status::Fail][..]),
            ("'deployments/*'", "['*']", &[Status::Fail]),
            ("'*/*'", "['*']", &[Status::Fail]),
            ("'*'", "[CREATE]", &[Status::Fail]),
            ("deployments/scale", "['*']", &[]),
            ("Deployments", "['*']", &[]),
            ("deployment", "['*']", &[]),
            ("deployments", "[UPDATE]", &[]),
        ] {
            let text = kind(resources, operations, "false");
            let texts = [(Role::Policies, text.as_str()), (Role::Resources, DEPLOYMENT)];
            assert_eq!(statuses(CLUSTER, &texts), said, "{text}");
            // A binding switches the constraints of its policy off in the CLI.
            let said = if text.contains("Binding") { &[Status::Fail][..] } else { said };
            assert_eq!(statuses(CLI, &texts), said, "{text}");
        }
    }
}

// Kyverno: pkg/webhooks/resource/vpol/handler.go refuses for an error; a failure policy is asked where conditions fail.
// Kubernetes: policy/validating/dispatcher.go asks it for every error.
#[test]
fn a_failure_policy_decides_about_errors() {
    let ignoring =
        |policy: String| policy.replace("  validations:", "  failurePolicy: Ignore\n  validations:");
    let broken = ignoring(policy("deployments", "['*']", "object.none == 1"));
    both(&broken, &[], &[Status::Error]);
    let conditions = |policy: String| {
        policy.replace(
            "  validations:",
            "  matchConditions: [{name: a, expression: object.none == 1}]\n  validations:",
        )
    };
    both(&conditions(ignoring(policy("deployments", "['*']", "false"))), &[], &[Status::Skip]);
    both(&conditions(policy("deployments", "['*']", "false")), &[], &[Status::Error]);
    let effect = |policy: &str| {
        let texts = [(Role::Policies, policy), (Role::Resources, DEPLOYMENT)];
        rows(CLUSTER, &texts).into_iter().map(|(.., effect)| effect).collect::<Vec<_>>()
    };
    assert_eq!(effect(&broken), [Effect::Deny]);
    let of_kubernetes = admission("deployments", "['*']", "object.none == 1");
    assert_eq!(effect(&of_kubernetes), [Effect::Deny]);
    assert_eq!(
        effect(&of_kubernetes.replacen("  validations:", "  failurePolicy: Ignore\n  validations:", 1)),
        [Effect::Allow]
    );
}

// Kyverno: pkg/cel/policies/vpol/autogen, which the webhook and the CLI both ask. The numbers in what it makes are the host's.
#[test]
fn a_policy_for_pods_is_for_their_controllers() {
    let policy =
        |expression: &str| policy("pods", "['*']", expression).replace("apiGroups: ['*']", "apiGroups: ['']");
    both(&policy("object.spec.?hostNetwork.orValue(false) == false"), &[], &[Status::Fail]);
    both(&policy("object.spec.containers.size() == 1"), &[], &[Status::Pass]);
    // `object.metadata.name` is not there in a template; a namespace is the object's own.
    both(&policy("object.metadata.name == 'web'"), &[], &[Status::Error]);
    both(&policy("object.metadata.namespace == 'shop'"), &[], &[Status::Pass]);
    // Kubernetes has no such thing.
    let bare = admission("pods", "['*']", "false");
    assert_eq!(statuses(CLUSTER, &[(Role::Policies, &bare), (Role::Resources, DEPLOYMENT)]), []);
}

// Kyverno: exceptions that name images or values exempt nobody by themselves.
#[test]
fn a_partial_exception_is_up_to_the_expression() {
    let exception = "apiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: x}\nspec:\n  policyRefs: \
                     [{name: p, kind: ValidatingPolicy}]\n  allowedValues: [three]\n";
    let with = [(Role::Exceptions, exception)];
    both(&policy("deployments", "['*']", "false"), &with, &[Status::Fail]);
    both(&policy("deployments", "['*']", "'three' in exceptions.allowedValues"), &with, &[Status::Pass]);
    both(&policy("deployments", "['*']", "'three' in exceptions.allowedValues"), &[], &[Status::Fail]);
}

// Kyverno: pkg/admissionpolicy/compiler.go declares no `authorizer`; Kubernetes: policy/validating/plugin.go does. Who may do what
// cannot be known here: to ask is an error, what does not ask is decided.
#[test]
fn who_may_do_what_can_be_asked_in_a_cluster_alone() {
    let said = |host: Host, expression: &str| {
        let policy = admission("deployments", "['*']", expression);
        let mut rows = rows(host, &[(Role::Policies, &policy), (Role::Resources, DEPLOYMENT)]);
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.pop().map_or((Status::Warn, String::new()), |(status, message, _)| (status, message))
    };
    let asking = "authorizer.group('apps').resource('deployments').check('create').allowed()";
    let (status, message) = said(CLI, asking);
    assert!(status == Status::Error && message.contains("undeclared reference to 'authorizer'"), "{message}");
    let (status, message) = said(CLUSTER, asking);
    assert!(status == Status::Error && !message.contains("undeclared reference"), "{message}");
    let late = format!("object.spec.replicas == 3 || {asking}");
    assert_eq!(said(CLI, &late).0, Status::Error);
    assert_eq!(said(CLUSTER, &late).0, Status::Pass);
}
