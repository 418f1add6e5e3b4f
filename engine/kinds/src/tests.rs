//! What is wrong is named at its place, with what may have been meant; what is right, or not known, is left alone.

use super::*;
use engine::load::{Host, Role, load};
use engine::yaml::{Source, SourceId};

/// Code, message, hints and the text at the place of each finding.
fn said(role: Role, text: &str) -> Vec<(String, String, String)> {
    let source = Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() };
    let (bundle, _) = load(vec![(role, source)], Host::Cli);
    let place = |said: &Diagnostic| {
        let span = said.span.unwrap();
        text.get(span.start as usize..span.end as usize).unwrap().lines().next().unwrap_or("").to_owned()
    };
    check(&bundle).iter().map(|found| (found.message.clone(), found.hints.join(" "), place(found))).collect()
}

fn one(role: Role, text: &str) -> (String, String, String) {
    let mut all = said(role, text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn policy(kinds: &str, pattern: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: {{kinds: [{kinds}]}}}}]}}\n    validate: {{message: m, pattern: {pattern}}}\n"
    )
}

#[test]
fn fields_that_a_kind_does_not_have_are_named_with_what_was_meant() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  contaners: []\n";
    let expected = (
        "a Pod has no field `spec.contaners`: an API server refuses or drops it",
        "did you mean `containers`?",
        "contaners",
    );
    let found = one(Role::Resources, pod);
    assert_eq!((found.0.as_str(), found.1.as_str(), found.2.as_str()), expected);
    let deep = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n      - {name: c, image: i, resources: {limit: {cpu: 1}}}\n";
    let found = one(Role::Resources, deep);
    assert!(found.0.contains("a Deployment has no field `spec.template.spec.containers[0].resources.limit`"));
    assert_eq!(found.1, "did you mean `limits`?");
    let beside = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nlabels: {a: b}\n";
    assert_eq!(one(Role::Resources, beside).1, "did you mean `metadata.labels`?");
}

#[test]
fn values_that_a_field_cannot_hold_are_named() {
    let deployment = |spec: &str| {
        format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec: {{{spec}}}\n")
    };
    let found = one(Role::Resources, &deployment("replicas: two"));
    assert_eq!(found.0, "`spec.replicas` must be a whole number, this is a string: an API server refuses it");
    assert_eq!(found.2, "two");
    assert_eq!(
        one(Role::Resources, &deployment("paused: 'yes'")).0.split(':').next().unwrap(),
        "`spec.paused` must be true or false, this is a string"
    );
    let labels = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {on: 5}}\n";
    assert_eq!(one(Role::Resources, labels).1, "write it in quotes");
    assert!(one(Role::Resources, &deployment("template: []")).0.contains("must be a map, this is a list"));
    for fine in [
        "replicas: 2",
        "replicas: 2.0",
        "replicas: null",
        "paused: true",
        "strategy: {rollingUpdate: {maxSurge: 25%}}",
    ] {
        assert_eq!(said(Role::Resources, &deployment(fine)), [], "{fine}");
    }
}

#[test]
fn what_is_right_or_not_known_is_left_alone() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {x/y: z}}\nspec:\n  containers:\n  - {name: c, image: i, resources: {limits: {cpu: 1, memory: 1Gi, example.com/gpu: 2}}, ports: [{containerPort: 80}]}\nstatus: {phase: Running}\n";
    assert_eq!(said(Role::Resources, pod), []);
    for other in [
        "apiVersion: example.com/v1\nkind: Pod\nmetadata: {name: a}\nspek: 5\n",
        "apiVersion: v1\nkind: Gadget\nmetadata: {name: a}\nx: 1\n",
    ] {
        assert_eq!(said(Role::Resources, other), []);
    }
}

#[test]
fn patterns_are_held_against_the_kinds_of_their_rule() {
    let found = one(Role::Policies, &policy("Pod", "{labels: {team: '?*'}}"));
    assert_eq!(found.0, "the pattern asks for `labels`, which a Pod cannot have at this place");
    assert_eq!((found.1.as_str(), found.2.as_str()), ("did you mean `metadata.labels`?", "labels"));
    let found = one(Role::Policies, &policy("Pod, Deployment", "{spec: {=(contaners): [{image: '?*'}]}}"));
    assert_eq!(
        found.0,
        "the pattern asks for `contaners`, which a Deployment or a Pod cannot have at this place"
    );
    for fine in [
        "{metadata: {labels: {team: '?*'}}}",
        "{spec: {=(hostNetwork): false, ^(containers): [{(image): '*', =(securityContext): {X(privileged): 'null'}}]}}",
        "{'spec': {'*': '?*'}}",
    ] {
        assert_eq!(said(Role::Policies, &policy("Pod", fine)), [], "{fine}");
    }
    // One of the kinds has it; or nothing is known of a kind.
    assert_eq!(said(Role::Policies, &policy("Pod, Deployment", "{spec: {replicas: '>1'}}")), []);
    for kinds in ["'*'", "Gadget", "Pod, Gadget", "Pod/exec", "'*/*'"] {
        assert_eq!(said(Role::Policies, &policy(kinds, "{labels: {a: b}}")), [], "{kinds}");
    }
}

#[test]
fn a_message_within_a_pattern_belongs_beside_it() {
    let found = one(Role::Policies, &policy("Deployment", "{message: m, metadata: {name: '?*'}}"));
    assert_eq!(found.0, "the pattern asks for `message`, which a Deployment cannot have at this place");
    assert_eq!((found.1.as_str(), found.2.as_str()), ("`message` belongs beside `pattern`", "message"));
    assert_eq!(one(Role::Policies, &policy("Deployment", "{spec: {message: m}}")).1, "");
}

#[test]
fn kinds_with_a_slip_are_named_unless_they_are_given() {
    let found = one(Role::Policies, &policy("Pod, Deploymnet", "{metadata: {name: '?*'}}"));
    assert_eq!(found.0, "Kubernetes has no kind `Deploymnet`, and no definition of one is given");
    assert_eq!((found.1.as_str(), found.2.as_str()), ("did you mean `Deployment`?", "Deploymnet"));
    for (written, meant) in
        [("pod", "Pod"), ("Pods", "Pod"), ("apps/v1/deployment", "Deployment"), ("Ingres", "Ingress")]
    {
        let found = one(Role::Policies, &policy(written, "{metadata: {name: '?*'}}"));
        assert_eq!(found.1, format!("did you mean `{meant}`?"), "{written}");
    }
    // Kinds of their own, wildcards and subresources; short names, and those of other groups.
    for fine in ["Rollout", "'*'", "Deploymen*", "Pod/exec", "Rule", "Gateway", "example.com/v1/Deploymnet"] {
        assert_eq!(said(Role::Policies, &policy(fine, "{metadata: {name: '?*'}}")), [], "{fine}");
    }
    let definition = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {names: {kind: Deploymnet}}\n";
    let sources = [
        (Role::Policies, policy("Deploymnet", "{a: b}")),
        (Role::CustomResourceDefinitions, definition.to_owned()),
    ];
    let sources = sources
        .into_iter()
        .map(|(role, text)| (role, Source { id: SourceId(0), name: "a.yaml".into(), text: text.into() }));
    let (bundle, _) = load(sources.collect(), Host::Cli);
    assert_eq!(check(&bundle), []);
    // Without a guess nothing is said where nobody asked.
    let (bundle, _) = load(
        vec![(
            Role::Policies,
            Source {
                id: SourceId(0),
                name: "a.yaml".into(),
                text: policy("Pod", "{spec: {zzzzzz: 1, contaners: []}}").into(),
            },
        )],
        Host::Cli,
    );
    assert_eq!((check(&bundle).len(), slips(&bundle).len()), (2, 1));
}

#[test]
fn what_is_said_has_a_bound() {
    let pod = |n: usize| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{n}}}\nspec: {{a{n}: 1, b{n}: 2}}\n")
    };
    let all: Vec<String> = (0..MAX_FINDINGS).map(pod).collect();
    assert_eq!(said(Role::Resources, &all.join("---\n")).len(), MAX_FINDINGS);
}
