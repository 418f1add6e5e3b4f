//! MutatingAdmissionPolicy in the terminal: what it changes, and what is said where it cannot.
//!
//! In: the built `podsieve`, policies, a Pod. Out: a failure where an object is changed by half, or a mistake is not named.

use tests::program;
use tests::terminal::{Run, run};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: a, image: 'nginx:1'}]}\n";

/// A policy for Pods of this version with these mutations: type and expression.
fn policy(version: &str, mutations: &[(&str, &str)]) -> String {
    let mutation = |(of, expression): &(&str, &str)| {
        let field = if *of == "JSONPatch" { "jsonPatch" } else { "applyConfiguration" };
        format!("  - {{patchType: {of}, {field}: {{expression: \"{expression}\"}}}}\n")
    };
    let mutations: String = mutations.iter().map(mutation).collect();
    format!(
        "apiVersion: admissionregistration.k8s.io/{version}\nkind: MutatingAdmissionPolicy\nmetadata: {{name: m}}\nspec:\n  \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}}]}}\n  \
         variables: [{{name: who, expression: object.metadata.name}}]\n  reinvocationPolicy: Never\n  \
         mutations:\n{mutations}"
    )
}

fn binding(version: &str, name: &str, more: &str) -> String {
    format!(
        "---\napiVersion: admissionregistration.k8s.io/{version}\nkind: MutatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\nspec: \
         {{policyName: m{more}}}\n"
    )
}

fn apply(policy: &str, resources: &str, flags: &[&str]) -> Option<Run> {
    let program = program::find_or_skip()?;
    let files = [("policy.yaml", policy), ("resources.yaml", resources)];
    Some(run(&program, &files, &[&["apply", "policy.yaml", "-r", "resources.yaml"], flags].concat(), ""))
}

const LABEL: (&str, &str) = ("ApplyConfiguration", "Object{metadata: Object.metadata{labels: {'one': '1'}}}");
const CONTAINER: (&str, &str) = (
    "ApplyConfiguration",
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', imagePullPolicy: 'Always'}]}}",
);

#[test]
fn the_cli_replaces_a_list_that_a_cluster_merges() {
    let both = policy("v1alpha1", &[CONTAINER]) + &binding("v1alpha1", "b", "");
    let Some(here) = apply(&both, POD, &[]) else { return };
    assert!(here.out.contains("imagePullPolicy: Always") && !here.out.contains("nginx:1"), "{}", here.out);
    let line = "note: in a cluster policy `m` says pass of shop/Pod/web, and pass here: another object is left there\n";
    assert_eq!(here.err, line);
    let Some(there) = apply(&both, POD, &["--as-cluster"]) else { return };
    assert!(there.out.contains("imagePullPolicy: Always") && there.out.contains("nginx:1"), "{}", there.out);
}

#[test]
fn a_mutation_that_fails_leaves_nothing_of_those_before_it() {
    let missing = ("JSONPatch", "[JSONPatch{op: 'remove', path: '/metadata/annotations/none'}]");
    let both = policy("v1alpha1", &[LABEL, missing]) + &binding("v1alpha1", "b", "");
    let Some(here) = apply(&both, POD, &[]) else { return };
    assert!(here.out.ends_with("\npass: 0, fail: 0, warn: 0, error: 0, skip: 0 \n"), "{}", here.out);
    assert!(
        !here.out.contains("one:") && here.err.contains("in a cluster policy `m` says error"),
        "{}",
        here.err
    );
    let Some(there) = apply(&both, POD, &["--as-cluster"]) else { return };
    assert!(there.out.contains("error: 1,") && !there.out.contains("one:"), "{}", there.out);
}

#[test]
fn variables_are_seen_in_a_cluster_alone() {
    let reads = ("ApplyConfiguration", "Object{metadata: Object.metadata{labels: {'by': variables.who}}}");
    let both = policy("v1alpha1", &[reads]) + &binding("v1alpha1", "b", "");
    let Some(here) = apply(&both, POD, &[]) else { return };
    assert!(here.out.contains("\npass: 0,"), "{}", here.out);
    let Some(there) = apply(&both, POD, &["--as-cluster"]) else { return };
    assert!(there.out.contains("by: web") && there.out.contains("pass: 1,"), "{}", there.out);
}

#[test]
fn bindings_follow_each_other_in_a_cluster_and_one_is_needed_there() {
    let add = (
        "JSONPatch",
        "[JSONPatch{op: 'add', path: '/spec/containers/-', value: {'name': 'b', 'image': 'b:1'}}]",
    );
    let alone = policy("v1alpha1", &[add]);
    let two = format!("{alone}{}{}", binding("v1alpha1", "b", ""), binding("v1alpha1", "c", ""));
    let Some(here) = apply(&two, POD, &[]) else { return };
    assert_eq!(here.out.matches("image: b:1").count(), 1, "{}", here.out);
    let Some(there) = apply(&two, POD, &["--as-cluster"]) else { return };
    assert_eq!(there.out.matches("image: b:1").count(), 2, "{}", there.out);
    let Some(unbound) = apply(&alone, POD, &["--as-cluster"]) else { return };
    assert!(unbound.out.contains("\npass: 0,"), "{}", unbound.out);
}

#[test]
fn a_later_version_is_read_in_a_cluster_and_named_elsewhere() {
    let both = policy("v1", &[LABEL]) + &binding("v1", "b", "");
    let Some(here) = apply(&both, POD, &[]) else { return };
    assert_eq!(here.code, 1);
    let words = "Kyverno's CLI reads it in `admissionregistration.k8s.io/v1alpha1`";
    assert!(
        here.err.contains(words) && here.err.contains("also in this: `podsieve apply --as-cluster`"),
        "{}",
        here.err
    );
    let Some(there) = apply(&both, POD, &["--as-cluster"]) else { return };
    assert!(there.code == 0 && there.out.contains("one: \"1\""), "{}{}", there.out, there.err);
}

#[test]
fn mistakes_are_named_with_their_lines_and_never_a_pass() {
    let broken = policy("v1alpha1", &[("ApplyConfiguration", "Object{spec: 5 +}")]);
    let Some(said) = apply(&broken, POD, &[]) else { return };
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("spec.mutations[0].applyConfiguration.expression: Syntax error"),
        "{}",
        said.err
    );
    assert!(said.err.contains("--> policy.yaml:9:"), "{}", said.err);
    let misspelt = policy("v1alpha1", &[LABEL]).replace("mutations:", "mutatons:");
    let Some(said) = apply(&misspelt, POD, &[]) else { return };
    assert!(said.code == 1 && said.err.contains("did you mean `mutations`?"), "{}", said.err);
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\n";
    let Some(said) = apply(&policy("v1alpha1", &[LABEL]), &format!("{widget}---\n{POD}"), &[]) else {
        return;
    };
    assert!(said.out.contains("failed to map gvk to gvr example.com/v1, Kind=Widget"), "{}", said.out);
    assert!(said.out.ends_with("\npass: 1, fail: 0, warn: 0, error: 1, skip: 0 \n"), "{}", said.out);
}
