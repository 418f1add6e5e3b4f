//! What is said to those who ask why of policies in CEL that change things: conditions, variables, and what each expression gives.
#![expect(clippy::unwrap_used, reason = "what a test needs is there")]

use engine::world::StaticWorld;
use engine_celpolicy::WITH_STEPS;
use engine_lenses::explain::run;
use engine_lenses::wire::{ExplainInput, Input, Text};

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
  - {name: web, image: nginx}
";

/// The steps to what a policy of this kind said of the Pod: the outcome and the text of each, and the line of the policy.
fn steps(kind: &str, spec: &str) -> Vec<(String, String, u32)> {
    steps_in("policies.kyverno.io/v1", kind, spec, "")
}

/// The same for a kind of this group and version, where this is known of images.
fn steps_in(version: &str, kind: &str, spec: &str, images: &str) -> Vec<(String, String, u32)> {
    let policy = format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules:\n    \
         - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}\n{spec}"
    );
    let text = |name: &str, text: &str| vec![Text { name: name.into(), text: text.into() }];
    let input = Input {
        policies: text("policy.yaml", &policy),
        resources: text("pod.yaml", POD),
        image_data: if images.is_empty() { Vec::new() } else { text("images.yaml", images) },
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(WITH_STEPS), ..StaticWorld::default() };
    let output = run(&ExplainInput { input, ..ExplainInput::default() }, &world);
    let explanation = output.explanations.into_iter().next().unwrap();
    let line = |step: &engine_lenses::wire::Step| step.policy_range.as_ref().map_or(0, |range| range.line);
    explanation.steps.iter().map(|step| (step.outcome.clone(), step.text.clone(), line(step))).collect()
}

fn texts(steps: &[(String, String, u32)]) -> Vec<&str> {
    steps.iter().map(|(_, text, _)| text.as_str()).collect()
}

#[test]
fn a_mutation_says_what_each_expression_gives_and_later_ones_see_what_is_changed() {
    let spec = "  matchConditions:\n  - {name: c, expression: object.metadata.name == 'web'}\n  variables:\n  - {name: team, expression: \"object.metadata.namespace + 's'\"}\n  \
                - {name: unused, expression: '1'}\n  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      \
                expression: \"Object{metadata: Object.metadata{labels: Object.metadata.labels{team: variables.team}}}\"\n  \
                - patchType: JSONPatch\n    jsonPatch:\n      \
                expression: \"has(object.metadata.labels.team) ? [JSONPatch{op: 'remove', path: '/metadata/labels/' + object.metadata.labels.team}] : []\"\n";
    let steps = steps("MutatingPolicy", spec);
    let texts = texts(&steps);
    assert_eq!(
        texts[..3],
        [
            "`object.metadata.name == 'web'` is true: metadata.name is `web`",
            "`variables.team` is `shops`",
            "`Object{metadata: Object.metadata{labels: Object.metadata.labels{team: variables.team}}}` gives `{\"metadata\":{\"labels\":{\"team\":\"shops\"}}}`",
        ]
    );
    assert!(
        texts[3].ends_with("gives `[{\"op\":\"remove\",\"path\":\"/metadata/labels/shops\"}]`"),
        "{texts:?}"
    );
    assert!(texts[4].starts_with("`has(object.metadata.labels.team)` is true"), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("unused")), "{texts:?}");
    let lines: Vec<u32> = steps.iter().map(|(_, _, line)| *line).collect();
    assert_eq!(lines[..4], [9, 11, 16, 19]);
}

#[test]
fn a_mutation_that_fails_says_where() {
    let spec = "  mutations:\n  - patchType: JSONPatch\n    jsonPatch: {expression: \"[JSONPatch{op: 'remove', path: object.metadata.labels.team}]\"}\n  \
                - patchType: JSONPatch\n    jsonPatch: {expression: \"[JSONPatch{op: 'test', path: '/kind', value: 'Pod'}]\"}\n";
    let steps = steps("MutatingPolicy", spec);
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert_eq!(steps[0].0, "error");
    assert!(steps[0].1.ends_with("fails: no such key: labels"), "{steps:?}");
}

#[test]
fn a_deletion_says_which_condition_keeps_the_object() {
    let spec = |count: u32| {
        format!(
            "  schedule: '0 1 * * *'\n  variables:\n  - {{name: count, expression: size(object.spec.containers)}}\n  conditions:\n  \
             - {{name: a, expression: object.metadata.name == 'web'}}\n  - {{name: b, expression: variables.count == {count}}}\n  \
             - {{name: c, expression: 'true'}}\n"
        )
    };
    let kept = steps("DeletingPolicy", &spec(2));
    let texts = texts(&kept);
    assert!(texts.contains(&"`object.metadata.name == 'web'` is true: metadata.name is `web`"), "{texts:?}");
    assert!(texts.last().unwrap().starts_with("`variables.count == 2` is false"), "{texts:?}");
    assert_eq!(kept.last().unwrap().0, "no");
    let goes = steps("DeletingPolicy", &spec(1));
    assert!(goes.iter().all(|(outcome, _, _)| outcome != "no"), "{goes:?}");
}

#[test]
fn a_generation_says_what_its_expressions_give() {
    let spec = "  variables:\n  - {name: ns, expression: object.metadata.namespace}\n  generate:\n  - expression: >-\n      \
                generator.Apply(variables.ns, [{'kind': dyn('ConfigMap'), 'apiVersion': dyn('v1'), 'metadata': dyn({'name': 'a'})}])\n";
    let of_expression = steps("GeneratingPolicy", spec);
    assert_eq!(texts(&of_expression)[0], "`variables.ns` is `shop`");
    assert!(texts(&of_expression)[1].ends_with("gives `true`"), "{of_expression:?}");
    let spec = "  generate:\n  - template:\n      interpolate: cel\n      value: |\n        apiVersion: v1\n        kind: ConfigMap\n        \
                metadata: {name: 'of-(( object.metadata.name ))', namespace: (( object.metadata.namespace ))}\n";
    let of_template = steps("GeneratingPolicy", spec);
    assert_eq!(
        texts(&of_template),
        ["`object.metadata.name` gives `web`", "`object.metadata.namespace` gives `shop`"]
    );
}

#[test]
fn an_admission_policy_that_mutates_says_what_each_change_gives() {
    let spec = "  matchConditions:\n  - {name: c, expression: object.metadata.name == 'web'}\n  failurePolicy: Fail\n  reinvocationPolicy: Never\n  \
                mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      \
                expression: \"Object{metadata: Object.metadata{labels: {'team': object.metadata.namespace}}}\"\n  \
                - patchType: JSONPatch\n    jsonPatch:\n      \
                expression: \"[JSONPatch{op: 'add', path: '/metadata/labels/app', value: object.metadata.labels['team']}]\"\n";
    let version = "admissionregistration.k8s.io/v1alpha1";
    let met = steps_in(version, "MutatingAdmissionPolicy", spec, "");
    let said = texts(&met);
    assert_eq!(said[0], "`object.metadata.name == 'web'` is true: metadata.name is `web`");
    assert!(said[1].ends_with("gives `{\"metadata\":{\"labels\":{\"team\":\"shop\"}}}`"), "{said:?}");
    // The second sees what the first has left.
    assert!(said.iter().any(|text| text.contains("\"value\":\"shop\"")), "{said:?}");
    let unmet = steps_in(version, "MutatingAdmissionPolicy", &spec.replace("== 'web'", "== 'other'"), "");
    assert_eq!(unmet.len(), 1, "{unmet:?}");
    let only = &unmet[0].1;
    assert!(only.starts_with("`object.metadata.name == 'other'` is false"), "{only}");
}

#[test]
fn a_policy_of_images_says_which_image_nobody_signed() {
    let spec = "  validationConfigurations: {mutateDigest: false, required: false, verifyDigest: false}\n  attestors:\n  - name: signer\n    \
                cosign: {keyless: {identities: [{subject: builder, issuer: issuer}]}}\n  validations:\n  - expression: images.containers.size() < 9\n  \
                - expression: images.containers.all(i, verifyImageSignatures(i, [attestors.signer]) > 0)\n";
    let kind = "ImageValidatingPolicy";
    let found = steps_in("policies.kyverno.io/v1", kind, spec, "nginx: {signedBy: [], attestations: []}");
    let said = texts(&found);
    assert!(said[0].starts_with("`images.containers.size() < 9` is true"), "{said:?}");
    assert!(said[1].ends_with("is false"), "{said:?}");
    assert_eq!(said[2], "element 0: nginx");
    assert!(said[3].contains("`verifyImageSignatures(i, [attestors.signer])` is `0`"), "{said:?}");
}
