//! What is said of a policy in CEL to those who ask why: the part that decided, with the field that it reads.
#![expect(clippy::unwrap_used, reason = "what a test needs is there")]

use engine::world::StaticWorld;
use engine_celpolicy::WITH_STEPS;
use engine_json::{Value, to_json};
use engine_lenses::explain::run;
use engine_lenses::wire::{ExplainInput, Explanation, Input, Text};

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  hostNetwork: true
  containers:
  - {name: web, image: 'ghcr.io/web:2', ports: [{containerPort: 80}]}
  - {name: log, image: nginx, securityContext: {privileged: true}}
";

fn explained(expression: &str) -> Explanation {
    let policy = format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    \
         resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}\n  matchConditions:\n  \
         - {{name: not-system, expression: \"object.metadata.name != 'system'\"}}\n  variables:\n  \
         - {{name: images, expression: \"object.spec.containers.map(c, c.image)\"}}\n  \
         - {{name: shares, expression: \"has(object.spec.hostPID) || object.spec.hostNetwork\"}}\n  \
         validations:\n  - expression: {}\n",
        to_json(&Value::from(expression))
    );
    let text = |name: &str, text: &str| vec![Text { name: name.into(), text: text.into() }];
    let input = Input {
        policies: text("policy.yaml", &policy),
        resources: text("pod.yaml", POD),
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(WITH_STEPS), ..StaticWorld::default() };
    let output = run(&ExplainInput { input, ..ExplainInput::default() }, &world);
    output.explanations.into_iter().next().unwrap()
}

#[test]
fn the_part_that_decided_is_named_with_the_field_that_it_reads() {
    for (expression, wanted, line) in [
        (
            "!object.spec.hostNetwork",
            "fails because `!object.spec.hostNetwork` is false: spec.hostNetwork is `true`",
            6,
        ),
        (
            "object.metadata.name == 'web' && object.spec.?hostPID.orValue(true) == false",
            "fails because `object.spec.?hostPID.orValue(true) == false` is false: spec.hostPID is absent",
            6,
        ),
        (
            "object.spec.containers.all(c, !has(c.securityContext) || !c.securityContext.privileged)",
            "fails because `!has(c.securityContext)` is false: spec.containers[1].securityContext is `{\"privileged\":true}` (and 1 more)",
            9,
        ),
        (
            "variables.images.all(i, i.contains(':'))",
            "fails because `i.contains(':')` is false: spec.containers[1].image is `nginx`",
            9,
        ),
        (
            "!variables.shares",
            "fails because `object.spec.hostNetwork` is true: spec.hostNetwork is `true`",
            6,
        ),
        (
            "object.spec.containers.exists(c, c.name == 'proxy')",
            "fails because `c.name == 'proxy'` is false: spec.containers[0].name is `web` (and 1 more)",
            8,
        ),
        (
            "cel.bind(n, object.spec.containers.size(), n < 2)",
            "fails because `n < 2` is false: `n` is `2`",
            0,
        ),
        (
            "object.spec.containers.all(c, c.resources.limits.memory != '')",
            "cannot be decided: `c.resources.limits.memory != ''` fails, no such key: resources: spec.containers[0].resources is absent",
            8,
        ),
        (
            "has(object.metadata.labels) ? object.metadata.labels.app == 'web' : false",
            "passes because `has(object.metadata.labels)` is true: metadata.labels is `{\"app\":\"web\"}`",
            4,
        ),
    ] {
        let explanation = explained(expression);
        assert_eq!(explanation.sentence, wanted, "{expression}");
        let range = explanation.fields.first().and_then(|field| field.range.as_ref());
        assert_eq!(range.map_or(0, |range| range.line), line, "{expression}");
    }
}

#[test]
fn edits_make_it_pass_and_keep_types() {
    let edits = |expression: &str| -> Vec<String> {
        let edits = explained(expression).edits;
        edits.iter().map(|edit| format!("{}: {}", edit.path, edit.after.as_deref().unwrap_or("-"))).collect()
    };
    assert_eq!(edits("!object.spec.hostNetwork"), ["spec.hostNetwork: false"]);
    assert_eq!(
        edits("object.spec.containers.all(c, !has(c.securityContext) || !c.securityContext.privileged)"),
        ["spec.containers[1].securityContext: -"]
    );
    assert_eq!(
        edits("object.spec.containers.all(c, c.image.startsWith('ghcr.io/'))"),
        ["spec.containers[1].image: \"ghcr.io/nginx\""]
    );
    assert_eq!(
        edits("object.metadata.labels.?version.orValue('').matches('^v[0-9]+$')"),
        ["metadata.labels.version: \"v0\""]
    );
    assert_eq!(edits("'team' in object.metadata.labels"), ["metadata.labels.team: \"team\""]);
}

#[test]
fn every_expression_is_said_with_the_values_of_its_parts_and_what_decided_is_marked() {
    let explanation = explained("variables.shares == false || object.metadata.name == 'a'");
    let said = |depth: u32, text: &str| {
        explanation.steps.iter().any(|step| step.depth == depth && step.text.starts_with(text))
    };
    assert!(said(0, "`object.metadata.name != 'system'` is true"), "{:?}", explanation.steps);
    assert!(said(0, "`variables.shares` is `true`"), "{:?}", explanation.steps);
    assert!(said(1, "`has(object.spec.hostPID)` is false"), "{:?}", explanation.steps);
    assert!(said(1, "`object.spec.hostNetwork` is true"), "{:?}", explanation.steps);
    assert!(said(1, "`object.metadata.name == 'a'` is false"), "{:?}", explanation.steps);
    let deciding: Vec<&str> = explanation
        .deciding
        .iter()
        .filter_map(|at| explanation.steps.get(*at as usize))
        .map(|step| step.text.as_str())
        .collect();
    assert_eq!(deciding.len(), 2, "{deciding:?}");
    // A condition that is not met is taken apart, with the side that decided.
    let explanation = explained("object.spec.containers.all(c, c.image != '' && c.name != 'log')");
    let step = explanation.deciding.first().and_then(|at| explanation.steps.get(*at as usize)).unwrap();
    assert!(step.text.starts_with("`c.name != 'log'` is false"), "{}", step.text);
    assert_eq!(step.resource_range.as_ref().unwrap().line, 9);
}

#[test]
fn a_field_that_is_not_there_is_shown_at_what_it_would_stand_in() {
    let explanation = explained("object.spec.containers[1].resources.limits.memory != ''");
    let step = explanation.deciding.first().and_then(|at| explanation.steps.get(*at as usize)).unwrap();
    assert!(step.text.contains("no such key: resources"), "{}", step.text);
    // The second container, which has no `resources`.
    assert_eq!(step.resource_range.as_ref().unwrap().line, 9);
}

// What is read is shown at its place in the workload, and not where a Pod has it.
#[test]
fn a_template_of_a_custom_workload_is_explained_at_its_place() {
    let policies = "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p}\nspec:\n  \
         autogen: {podControllers: {controllers: [jobsets.v1alpha2.jobset.x-k8s.io]}}\n  matchConstraints:\n    resourceRules:\n    \
         - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}\n  validations:\n  \
         - expression: object.spec.containers.all(c, c.image != 'nginx')\n  - expression: object.metadata.name != 'js'\n";
    let job_set = |image: &str| {
        format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: js}}\nspec:\n  jobs:\n  - template:\n      \
             spec: {{containers: [{{name: a, image: {image}}}]}}\n"
        )
    };
    let sentence = |image: &str| {
        let text = |text: String| vec![Text { name: String::new(), text }];
        let (policies, resources) = (text(policies.to_owned()), text(job_set(image)));
        let input = Input { policies, resources, ..Input::default() };
        let world = StaticWorld { extension: Some(WITH_STEPS), ..StaticWorld::default() };
        let output = run(&ExplainInput { input, ..ExplainInput::default() }, &world);
        let explanation = output.explanations.into_iter().next().unwrap();
        let field = explanation.fields.into_iter().next().unwrap();
        (explanation.sentence, field.range.unwrap().line)
    };
    let place = "spec.jobs[0].template.spec.containers[0].image";
    let wanted = format!("fails because `c.image != 'nginx'` is false: {place} is `nginx`");
    assert_eq!(sentence("nginx"), (wanted, 7));
    // What the template has no name for is named as the workload.
    let wanted = "fails because `object.metadata.name != 'js'` is false: metadata.name is `js`";
    assert_eq!(sentence("busybox"), (wanted.to_owned(), 3));
}
