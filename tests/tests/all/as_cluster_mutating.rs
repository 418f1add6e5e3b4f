//! MutatingAdmissionPolicies as an API server applies them: one case for each rule in which it surprises.
//!
//! In: texts with their roles. Out: a failure where another object is left, or a request fares otherwise. The reasons are the sources of
//! Kubernetes 1.36 that the cases name.
#![expect(clippy::indexing_slicing, reason = "a test fails as it does")]

use engine::apply::{Effect, Locations, Options, Recording, apply, rule_effect};
use engine::json::{Value, to_json};
use engine::load::{Host, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};
use engine_celpolicy::WITHOUT_STEPS;

/// What is done with the request, the words of what went wrong, and the labels that are left.
fn run(texts: &[(Role, &str)]) -> (Effect, Vec<String>, String) {
    let source = |text: &str| Source { id: SourceId(0), name: "text.yaml".into(), text: text.into() };
    let sources = texts.iter().map(|(role, text)| (*role, source(text))).collect();
    let (bundle, said) = load_with(sources, Host::Cluster, WITHOUT_STEPS);
    let errors: Vec<_> = said.iter().filter(|said| said.severity == engine::diag::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let results = apply(&bundle, &StaticWorld::at(1_790_000_000_000_000_000), &options).results;
    let mut worst = Effect::Allow;
    let mut words = Vec::new();
    let mut left = Value::Null;
    for result in &results {
        for rule in &result.rules {
            worst = worst.max(rule_effect(&bundle, &bundle.policies[result.policy], "shop", rule));
            if rule.status == engine::apply::Status::Error {
                words.push(rule.message.clone());
            }
        }
        left = result.mutation.as_ref().map_or(left, |made| made.resource.with_int_numbers());
    }
    (worst, words, to_json(left.find(&["metadata", "labels"]).unwrap_or(&Value::Null)))
}

/// The labels that are left where a request is let in without a word.
fn labels(texts: &[(Role, &str)]) -> String {
    let (effect, words, labels) = run(texts);
    assert!(effect == Effect::Allow && words.is_empty(), "{words:?}");
    labels
}

/// A policy for Pods with these changes, and further lines of its spec; bound.
fn policy(name: &str, changes: &[&str], more: &str) -> String {
    let change = |expression: &&str| {
        let (of, field) = if expression.starts_with('[') {
            ("JSONPatch", "jsonPatch")
        } else {
            ("ApplyConfiguration", "applyConfiguration")
        };
        format!("  - {{patchType: {of}, {field}: {{expression: \"{expression}\"}}}}\n")
    };
    let changes: String = changes.iter().map(change).collect();
    let again = if more.contains("reinvocationPolicy") { "" } else { "  reinvocationPolicy: Never\n" };
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: {name}}}\nspec:\n  matchConstraints: \
         {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}\n  \
         mutations:\n{changes}{again}{more}"
    );
    let bindings = if more.contains("paramKind") { String::new() } else { binding(name, "b", "") };
    format!("{policy}{bindings}")
}

fn binding(policy: &str, name: &str, more: &str) -> String {
    format!(
        "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\nspec: \
         {{policyName: {policy}{more}}}\n"
    )
}

fn label(name: &str, value: &str) -> String {
    format!("Object{{metadata: Object.metadata{{labels: {{'{name}': {value}}}}}}}")
}

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: a, image: a}]}}";
const BROKEN: &str = "Object{metadata: Object.metadata{labels: {'x': object.metadata.annotations.none}}}";

// Kubernetes: policy/mutating/dispatcher.go dispatchInvocations goes on behind an error; generic/policy_dispatcher.go drops what the
// failure policy ignores.
#[test]
fn a_change_that_fails_is_left_out_alone() {
    let (one, two) = (label("one", "'1'"), label("two", "'2'"));
    let with = |more: &str| {
        let text = policy("m", &[&one, BROKEN, &two], more);
        run(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    let (effect, words, labels) = with("  failurePolicy: Ignore\n");
    assert_eq!((effect, labels.as_str()), (Effect::Allow, r#"{"one":"1","two":"2"}"#));
    assert!(words.len() == 1 && words[0].ends_with("no such key: annotations"), "{words:?}");
    assert_eq!(with("").0, Effect::Deny);
}

#[test]
fn a_binding_that_fails_is_left_out_alone() {
    let takes = "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  failurePolicy: Ignore\n";
    let text = policy("m", &[&label("by", "params.data.a")], takes);
    let reference = |name: &str| format!(", paramRef: {{name: {name}, parameterNotFoundAction: Deny}}");
    let text =
        format!("{text}{}{}", binding("m", "b", &reference("there")), binding("m", "c", &reference("none")));
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: there, namespace: shop}, data: {a: me}}";
    let (effect, words, labels) =
        run(&[(Role::Policies, text.as_str()), (Role::Parameters, map), (Role::Resources, POD)]);
    assert_eq!((effect, labels.as_str()), (Effect::Allow, r#"{"by":"me"}"#));
    assert!(words[0].contains("no params found"), "{words:?}");
}

// Kubernetes: v1alpha1/defaults.go: the oldest version alone says for bindings what is done without parameters.
#[test]
fn the_oldest_binding_refuses_without_parameters() {
    let takes = "  paramKind: {apiVersion: v1, kind: ConfigMap}\n";
    let text =
        policy("m", &[&label("by", "params.data.a")], takes) + &binding("m", "b", ", paramRef: {name: none}");
    let text = text.replace("admissionregistration.k8s.io/v1\n", "admissionregistration.k8s.io/v1alpha1\n");
    let (effect, words, _) = run(&[(Role::Policies, text.as_str()), (Role::Resources, POD)]);
    let said =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!((effect, words), (Effect::Deny, vec![said.to_owned()]));
}

// Kubernetes: apiserver/pkg/admission/reinvocation.go: once more, and then no more.
#[test]
fn a_policy_is_applied_once_more_behind_a_change() {
    let count = label("n", "string(int(object.metadata.?labels[?'n'].orValue('0')) + 1)");
    let saw = label("saw", "string('late' in object.metadata.?labels.orValue({}))");
    let late = label("late", "'yes'");
    let with = |of: &str, first: &str| {
        let text = policy("a", &[first], &format!("  reinvocationPolicy: {of}\n"))
            + "---\n"
            + &policy("b", &[&late], "");
        labels(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    assert_eq!(with("Never", &saw), r#"{"late":"yes","saw":"false"}"#);
    assert_eq!(with("IfNeeded", &saw), r#"{"late":"yes","saw":"true"}"#);
    assert_eq!(with("IfNeeded", &count), r#"{"late":"yes","n":"2"}"#);
    assert_eq!(with("Never", &count), r#"{"late":"yes","n":"1"}"#);
}

// Kubernetes: generic/policy_dispatcher.go selects all policies before the first is applied.
#[test]
fn a_selector_looks_at_the_object_before_all_changes() {
    let selecting = policy("b", &[&label("two", "'2'")], "").replacen(
        "matchConstraints: {",
        "matchConstraints: {objectSelector: {matchLabels: {one: '1'}}, ",
        1,
    );
    let text = policy("a", &[&label("one", "'1'")], "") + "---\n" + &selecting;
    let of = |pod: &str| labels(&[(Role::Policies, text.as_str()), (Role::Resources, pod)]);
    assert_eq!(of(POD), r#"{"one":"1"}"#);
    let labelled = POD.replace("namespace: shop", "namespace: shop, labels: {one: '1'}");
    assert_eq!(of(&labelled), r#"{"one":"1","two":"2"}"#);
}

// Kubernetes: policy/mutating/compilation.go: conditions know parameters, and all may ask who may do what.
#[test]
fn conditions_know_the_parameters() {
    let takes = "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConditions: [{name: c, expression: \"params.data.a == 'me'\"}]\n";
    let text = policy("m", &[&label("by", "params.data.a")], takes)
        + &binding("m", "b", ", paramRef: {selector: {}, parameterNotFoundAction: Deny}");
    let map = |name: &str, a: &str| {
        format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: shop}}, data: {{a: {a}}}}}"
        )
    };
    let (me, you) = (map("me", "me"), map("you", "you"));
    let texts = [
        (Role::Policies, text.as_str()),
        (Role::Parameters, &me),
        (Role::Parameters, &you),
        (Role::Resources, POD),
    ];
    assert_eq!(labels(&texts), r#"{"by":"me"}"#);
}

// cel-go 0.26: common/types/list.go: the server panics whatever the failure policy.
#[test]
fn a_list_of_objects_in_a_patch_ends_the_request() {
    let with = |value: &str| {
        let patch = format!("[JSONPatch{{op: 'add', path: '/spec/initContainers', value: {value}}}]");
        let text = policy("m", &[&patch], "  failurePolicy: Ignore\n");
        run(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    let (effect, words, _) = with("[Object.spec.initContainers{name: 'i', image: 'i'}]");
    assert!(effect == Effect::Deny && words[0].contains("panics"), "{words:?}");
    assert_eq!(with("[{'name': 'i', 'image': 'i'}]").0, Effect::Allow);
}

// Kubernetes: policy/mutating/patch/json_patch.go reads what is left as an object of its kind.
#[test]
fn a_patch_that_leaves_no_object_of_the_kind_ends_the_request() {
    let with = |value: &str| {
        let patch = format!("[JSONPatch{{op: 'add', path: '/metadata/annotations', value: {value}}}]");
        let text = policy("m", &[&patch], "  failurePolicy: Ignore\n");
        run(&[(Role::Policies, text.as_str()), (Role::Resources, POD)])
    };
    let (effect, words, _) = with("'text'");
    assert!(
        effect == Effect::Deny && words[0].starts_with("Internal error occurred: metadata.annotations"),
        "{words:?}"
    );
    assert_eq!(with("{'a': 'b'}").0, Effect::Allow);
}
