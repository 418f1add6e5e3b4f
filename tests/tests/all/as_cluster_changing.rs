//! Policies in CEL that change things as a cluster evaluates them, beside what `kyverno apply` says: a case for each difference.
//!
//! In: texts with their roles. Out: a failure where either host says something else. The reason of each difference is the source of
//! Kyverno 1.19 that the case names: a cluster cannot be asked here.

use engine::apply::{Locations, Options, Recording, Status, apply};
use engine::json::Value;
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITH_STEPS;
use tests::program;
use tests::terminal::run;

/// What policies say of the Deployment: each row's verdict, and the objects that were made or left.
fn rows(host: Host, texts: &[(Role, &str)]) -> (Vec<Status>, Vec<Value>) {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, said) = load_with(sources, host, WITH_STEPS);
    let errors: Vec<_> = said.iter().filter(|said| said.severity == engine::diag::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let options = Options { host, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results;
    let mut objects = Vec::new();
    for result in &results {
        let left = result.mutation.as_ref().filter(|left| left.changed);
        objects.extend(left.map(|left| left.resource.with_int_numbers()));
        objects.extend(result.rules.iter().flat_map(|rule| rule.generated.iter().cloned()));
    }
    (results.iter().flat_map(|result| &result.rules).map(|row| row.status).collect(), objects)
}

/// The verdicts of the CLI and of a cluster.
fn both(texts: &[(Role, &str)]) -> (Vec<Status>, Vec<Status>) {
    (rows(Host::Cli, texts).0, rows(Host::Cluster, texts).0)
}

/// The kinds, with what each does to what it is for.
const KINDS: [(&str, &str); 3] = [
    (
        "MutatingPolicy",
        "mutations: [{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': \
         'b'}}]\"}}]",
    ),
    (
        "GeneratingPolicy",
        "generate: [{expression: \"generator.Apply('shop', [{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': \
         dyn({'name': 'made'})}])\"}]",
    ),
    ("DeletingPolicy", "schedule: '0 * * * *'"),
];

/// A policy of a kind that is for Deployments where a condition holds.
fn policy(kind: &str, namespace: &str, condition: &str) -> String {
    let does = KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, does)| does);
    let conditions = if kind == "DeletingPolicy" { "conditions" } else { "matchConditions" };
    // One of a namespace makes objects in that alone.
    let does = if namespace.is_empty() { does.to_owned() } else { does.replace("'shop', ", "") };
    let (kind, place) = match namespace {
        "" => (kind.to_owned(), String::new()),
        namespace => (format!("Namespaced{kind}"), format!(", namespace: {namespace}")),
    };
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p{place}}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}}\n  \
         {conditions}: [{{name: c, expression: \"{condition}\"}}]\n  {does}\n"
    )
}

const DEPLOYMENT: &str =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3}}";
const NAMESPACE: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {env: prod}}}";

// Kyverno: the loader of resources makes floats of all numbers; a webhook and a controller get int64.
#[test]
fn whole_numbers_are_integers() {
    for (kind, _) in KINDS {
        let odd = policy(kind, "", "object.spec.replicas % 2 == 1");
        let texts = [(Role::Policies, odd.as_str()), (Role::Resources, DEPLOYMENT)];
        assert_eq!(both(&texts), (vec![Status::Error], vec![Status::Pass]), "{kind}");
    }
}

// Kyverno: pkg/cel/policies/{mpol,gpol,dpol}/provider: a policy of a namespace is handed to requests of that namespace.
#[test]
fn a_policy_of_a_namespace_is_for_that_namespace() {
    for (kind, _) in KINDS {
        let there = policy(kind, "other", "true");
        let texts = [(Role::Policies, there.as_str()), (Role::Resources, DEPLOYMENT)];
        assert_eq!(both(&texts), (vec![Status::Pass], vec![]), "{kind}");
        let here = policy(kind, "shop", "true");
        let texts = [(Role::Policies, here.as_str()), (Role::Resources, DEPLOYMENT)];
        assert_eq!(both(&texts), (vec![Status::Pass], vec![Status::Pass]), "{kind}");
    }
}

// Kyverno: pkg/cel/policies: ListExceptions leaves out what has ended; the CLI takes exceptions as they are.
#[test]
fn an_exception_that_has_ended_exempts_nobody() {
    for (kind, _) in KINDS {
        let exception = format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: PolicyException, metadata: {{name: e, namespace: x}}, spec: {{policyRefs: \
             [{{name: p, kind: {kind}}}], expiresAt: '2020-01-01T00:00:00Z'}}}}"
        );
        let all = policy(kind, "", "true");
        let texts = [
            (Role::Policies, all.as_str()),
            (Role::Exceptions, exception.as_str()),
            (Role::Resources, DEPLOYMENT),
        ];
        let (here, there) = both(&texts);
        assert_ne!(here, [Status::Pass], "{kind}");
        assert_eq!(there, [Status::Pass], "{kind}");
    }
}

// Kyverno: the CLI hands a GeneratingPolicy every exception, whatever that refers to.
#[test]
fn an_exception_is_for_the_policies_that_it_names() {
    let exception = "{apiVersion: policies.kyverno.io/v1, kind: PolicyException, metadata: {name: e, namespace: x}, spec: {policyRefs: \
                     [{name: other, kind: GeneratingPolicy}]}}";
    let all = policy("GeneratingPolicy", "", "true");
    let texts =
        [(Role::Policies, all.as_str()), (Role::Exceptions, exception), (Role::Resources, DEPLOYMENT)];
    assert_eq!(both(&texts), (vec![Status::Skip], vec![Status::Pass]));
}

// Kyverno: the CLI knows of a Namespace what a values file says; a cluster has the object.
#[test]
fn a_namespace_among_the_objects_is_there() {
    for (kind, _) in KINDS {
        let labelled = policy(kind, "", "namespaceObject.metadata.labels.env == 'prod'");
        let texts = [
            (Role::Policies, labelled.as_str()),
            (Role::ClusterResources, NAMESPACE),
            (Role::Resources, DEPLOYMENT),
        ];
        assert_eq!(both(&texts), (vec![Status::Error], vec![Status::Pass]), "{kind}");
    }
}

// Kyverno: the CLI makes every request one that creates, but for what values say.
#[test]
fn an_object_that_was_there_is_updated() {
    let old = DEPLOYMENT.replace("replicas: 3", "replicas: 2");
    for kind in ["MutatingPolicy", "GeneratingPolicy"] {
        let grown = policy(
            kind,
            "",
            "request.operation == 'UPDATE' && oldObject.spec.replicas < object.spec.replicas",
        );
        let texts = [
            (Role::Policies, grown.as_str()),
            (Role::OldResources, old.as_str()),
            (Role::Resources, DEPLOYMENT),
        ];
        let (here, there) = both(&texts);
        assert_ne!(here, [Status::Pass], "{kind}");
        assert_eq!(there, [Status::Pass], "{kind}");
    }
}

// Kyverno: the CLI asks its context file alone.
#[test]
fn functions_see_the_objects_that_are_given() {
    let map =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: shop}, data: {max: '3'}}";
    for (kind, _) in KINDS {
        let asking = policy(kind, "", "resource.Get('v1', 'configmaps', 'shop', 'limits').data.max == '3'");
        let texts =
            [(Role::Policies, asking.as_str()), (Role::ClusterResources, map), (Role::Resources, DEPLOYMENT)];
        assert_eq!(both(&texts), (vec![Status::Error], vec![Status::Pass]), "{kind}");
    }
}

// Kyverno: pkg/cel/libs/context.go GenerateResources beside fake_context.go.
#[test]
fn an_object_that_is_made_says_where_it_is_from() {
    let source = "{apiVersion: v1, kind: ConfigMap, metadata: {name: source, namespace: shop, uid: u-1, resourceVersion: '7', \
                  creationTimestamp: '2026-01-01T00:00:00Z'}, data: {a: b}}";
    let cloning = policy("GeneratingPolicy", "", "true").replace(
        "[{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({'name': 'made'})}]",
        "[resource.Get('v1', 'configmaps', 'shop', 'source')]",
    );
    let texts =
        [(Role::Policies, cloning.as_str()), (Role::ClusterResources, source), (Role::Resources, DEPLOYMENT)];
    let (status, made) = rows(Host::Cluster, &texts);
    assert_eq!(status, [Status::Pass]);
    let metadata = made.first().and_then(|made| made.get("metadata")).cloned().unwrap_or_default();
    for gone in ["uid", "resourceVersion", "creationTimestamp"] {
        assert!(metadata.get(gone).is_none(), "{gone}");
    }
    let label = |name: &str| metadata.find_str(&["labels", name]).to_owned();
    assert_eq!(label("app.kubernetes.io/managed-by"), "kyverno");
    assert_eq!(label("generate.kyverno.io/policy-name"), "p");
    assert_eq!(label("generate.kyverno.io/trigger-kind"), "Deployment");
    assert_eq!(label("generate.kyverno.io/source-uid"), "u-1");
}

#[test]
fn the_terminal_says_where_a_cluster_does_otherwise() {
    let Some(program) = program::find_or_skip() else { return };
    for (kind, _) in KINDS {
        let there = policy(kind, "other", "true");
        let files = [("policy.yaml", there.as_str()), ("deployment.yaml", DEPLOYMENT)];
        let with = |more: &[&str]| {
            run(&program, &files, &[&["apply", "policy.yaml", "-r", "deployment.yaml"], more].concat(), "")
        };
        let line = "note: in a cluster policy `other/p` says nothing of shop/Deployment/web, and pass here: ";
        let said = with(&[]).err;
        assert!(said.contains(line), "{kind}: {said}");
        let there = with(&["--as-cluster"]);
        assert!(
            !there.err.contains("in a cluster") && there.out.contains("pass: 0,"),
            "{kind}: {}",
            there.out
        );
    }
    let double =
        policy("MutatingPolicy", "", "true").replace("{'a': 'b'}", "{'a': string(object.spec.replicas / 2)}");
    let files = [("policy.yaml", double.as_str()), ("deployment.yaml", DEPLOYMENT)];
    let said = run(&program, &files, &["apply", "policy.yaml", "-r", "deployment.yaml"], "");
    assert!(said.err.contains("in a cluster policy `p` says"), "{}", said.err);
}
