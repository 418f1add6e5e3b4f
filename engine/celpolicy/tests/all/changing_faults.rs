//! Policies in CEL that change things and go wrong: an error that says where, and nothing half-changed.

use engine::apply::{Locations, Options, PolicyResult, Recording, Status, apply};
use engine::diag::{Code, Diagnostic};
use engine::load::{Bundle, Host, Role, load_with};
use engine::world::StaticWorld;
use engine_celpolicy::WITHOUT_STEPS;
use engine_yaml::{Source, SourceId};

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {a: b}}, spec: {containers: [{name: c, image: nginx}]}}";

fn policy(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules:\n    \
         - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}\n{spec}"
    )
}

fn read(policy: &str) -> (Bundle, Vec<Diagnostic>) {
    let source = |text: &str| Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() };
    load_with(
        vec![(Role::Policies, source(policy)), (Role::Resources, source(POD))],
        Host::Cli,
        WITHOUT_STEPS,
    )
}

/// What a policy that loads says of the Pod.
fn said(policy: &str) -> Vec<PolicyResult> {
    let (bundle, said) = read(policy);
    assert!(said.is_empty(), "{said:?}");
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    apply(&bundle, &StaticWorld::default(), &options).results
}

/// The only row, which is an error, and that nothing is changed or made.
fn error(policy: &str) -> String {
    let results = said(policy);
    let rows: Vec<_> = results.iter().flat_map(|of| &of.rules).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    for row in &rows {
        assert_eq!(row.status, Status::Error, "{row:?}");
        assert!(row.generated.is_empty() && row.patched_target.is_none(), "{row:?}");
    }
    let patched = results.iter().filter_map(|of| of.mutation.as_ref());
    assert!(patched.into_iter().all(|mutation| !mutation.changed), "{policy}");
    rows.iter().map(|row| row.message.as_str()).collect()
}

fn json_patches(expressions: &[&str]) -> String {
    let one = |text: &&str| format!("  - {{patchType: JSONPatch, jsonPatch: {{expression: \"{text}\"}}}}\n");
    policy("MutatingPolicy", &format!("  mutations:\n{}", expressions.iter().map(one).collect::<String>()))
}

fn configuration(expression: &str) -> String {
    let body = format!("applyConfiguration: {{expression: \"{expression}\"}}");
    policy("MutatingPolicy", &format!("  mutations:\n  - {{patchType: ApplyConfiguration, {body}}}\n"))
}

/// Whether the Pod is another one behind the policy.
fn is_changed(policy: &str) -> bool {
    said(policy).iter().any(|of| of.mutation.as_ref().is_some_and(|mutation| mutation.changed))
}

#[test]
fn an_expression_that_fails_leaves_the_object_as_it_was_whatever_came_before_it() {
    let good = "[JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}]";
    assert!(is_changed(&json_patches(&[good])));
    let message =
        error(&json_patches(&[good, "[JSONPatch{op: 'remove', path: object.metadata.annotations.path}]"]));
    assert!(message.contains("no such key: annotations"), "{message}");
}

// Kyverno: a list of patches that cannot be applied changes nothing, and that is a success.
#[test]
fn of_patches_one_of_which_fails_none_is_applied() {
    let good = "JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}";
    for bad in [
        "JSONPatch{op: 'test', path: '/kind', value: 'Service'}",
        "JSONPatch{op: 'turn', path: '/kind'}",
        "JSONPatch{op: 'replace', path: '/a/b', value: 1}",
        "JSONPatch{op: 'move', from: '/x', path: '/kind'}",
    ] {
        assert!(!is_changed(&json_patches(&[&format!("[{good}, {bad}]")])), "{bad}");
        assert!(!is_changed(&json_patches(&[&format!("[{bad}, {good}]")])), "{bad}");
    }
}

#[test]
fn a_configuration_that_the_kind_does_not_take_is_an_error_with_the_field() {
    for (expression, words) in [
        ("Object{spec: Object.spec{nme: 'x'}}", ".spec.nme: field not declared in schema"),
        (
            "Object{spec: Object.spec{priority: 'x'}}",
            ".spec.priority: expected numeric (int or float), got string",
        ),
        ("Object{spec: Object.spec{hostNetwork: 1}}", ".spec.hostNetwork: expected boolean"),
        ("Object{spec: Object.spec{containers: 'x'}}", ".spec.containers: expected list"),
        (
            "Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 1}}}",
            ".metadata.labels.a: expected string",
        ),
    ] {
        let message = error(&configuration(expression));
        assert!(message.contains(words), "{expression}: {message}");
    }
}

#[test]
fn a_generator_that_loops_or_makes_what_is_not_an_object_makes_nothing() {
    let generating = |list: &str| {
        policy(
            "GeneratingPolicy",
            &format!("  generate:\n  - expression: \"generator.Apply('shop', {list})\"\n"),
        )
    };
    let ten = "[1,2,3,4,5,6,7,8,9,10]";
    let object = "{'kind': dyn('ConfigMap'), 'apiVersion': dyn('v1'), 'metadata': dyn({'name': 'a'})}";
    let items =
        format!("{ten}.map(c, {ten}.map(d, {ten}.map(e, {{'kind': dyn('ConfigMap')}}))).flatten().flatten()");
    let loops = format!(
        "{ten}.map(a, {ten}.map(b, {{'kind': dyn('List'), 'apiVersion': dyn('v1'), 'items': dyn({items})}})).flatten()"
    );
    let message = error(&generating(&loops));
    assert!(message.contains("more than 10000 objects") || message.contains("cost limit"), "{message}");
    let message = error(&generating(&format!("[{object}, {{'kind': dyn('List'), 'items': dyn([1])}}]")));
    assert!(message.contains("items member is not an object"), "{message}");
}

#[test]
fn what_does_not_fit_the_schema_of_a_kind_is_named_with_its_place_and_not_loaded() {
    for (kind, spec, code, at) in [
        ("MutatingPolicy", "  mutation: []\n  mutations: []\n", Code::UnknownField, "mutation"),
        ("MutatingPolicy", "  mutations: {}\n", Code::WrongType, "mutations: {}"),
        ("MutatingPolicy", "  mutations: [{patchType: 3}]\n", Code::WrongType, "patchType: 3"),
        ("GeneratingPolicy", "  generate: [{expresion: a}]\n", Code::UnknownField, "expresion"),
        ("GeneratingPolicy", "  generate: 3\n", Code::WrongType, "generate: 3"),
        ("DeletingPolicy", "  schedule: 3\n", Code::WrongType, "schedule: 3"),
        ("DeletingPolicy", "  schedule: '* * * * *'\n  condition: []\n", Code::UnknownField, "condition"),
    ] {
        let text = policy(kind, spec);
        let (bundle, said) = read(&text);
        assert!(bundle.policies.is_empty(), "{text}");
        let found = said.iter().find(|said| said.code == code).and_then(|said| said.span);
        let written = found.and_then(|span| text.get(span.start as usize..span.end as usize));
        assert_eq!(written, Some(at), "{text}: {said:?}");
    }
}
