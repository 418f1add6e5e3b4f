//! Every limit that a policy or a resource can meet while it is evaluated: a row names it, meets it, and gives the words.
//!
//! Limits of single crates have their tests there: YAML in `engine/yaml/tests`, expressions in `engine/jmespath/tests`,
//! patches beside `engine/src/patch`, depth in `hostile.rs`.

use engine_lenses::wire::{Input, Text};
use std::fmt::Write as _;

/// What is met, the input that meets it, what is said then.
type Row = (&'static str, fn() -> Input, &'static str);

const ROWS: &[Row] = &[
    (
        "context: MAX_CONTEXT_BYTES",
        || {
            let variable = "{name: v, variable: {value: [\"{{ A }}\", \"{{ A }}\"]}}";
            let rule = format!(
                "context: [{variable}], validate: {{deny: {{conditions: {}}}}}",
                condition("{{ v }}")
            );
            evaluated(&rule, &"x".repeat(1_100_000))
        },
        "error: failed to check deny conditions: failed to substitute variables in condition key: failed to resolve v at \
         path : context size limit exceeded: 2200007 bytes exceeds limit of 2097152 bytes",
    ),
    (
        "variables: MAX_TEXT_BYTES",
        || evaluated("validate: {pattern: {metadata: {name: \"{{ A }} {{ A }}\"}}}", &"x".repeat(2_500_000)),
        "the text grows beyond 4194304 bytes: put a smaller value in, or split the text",
    ),
    (
        "variables: MAX_DOCUMENT_BYTES",
        || {
            let labels = joined(0..8, |n| format!("k{n}: \"x{{{{ A }}}}\", "));
            evaluated(
                &format!("validate: {{pattern: {{metadata: {{labels: {{{labels}}}}}}}}}"),
                &"x".repeat(2_500_000),
            )
        },
        "or take more than 16777216 bytes: put a smaller value in",
    ),
    (
        "variables: MAX_DOCUMENT_BYTES, by a map that is put in often",
        || {
            let labels = joined(0..8, |n| format!("k{n}: \"{{{{ request.object }}}}\", "));
            evaluated(
                &format!("validate: {{pattern: {{metadata: {{labels: {{{labels}}}}}}}}}"),
                &"x".repeat(2_500_000),
            )
        },
        "or take more than 16777216 bytes: put a smaller value in",
    ),
    (
        "context: MAX_WORK_BYTES",
        || {
            let list = "list: \"split('a,a,a,a,a,a,a,a,a,a,a,a', ',')\"";
            let deny = condition("x{{ A }}");
            let inner = format!("[{{{list}, deny: {{conditions: {deny}}}}}]");
            evaluated(
                &format!("validate: {{foreach: [{{{list}, foreach: {inner}}}]}}"),
                &"x".repeat(2_500_000),
            )
        },
        "the variables of the policy take more than 268435456 bytes of text for one resource",
    ),
    (
        "variables: MAX_ROUNDS",
        || {
            evaluated(
                "validate: {pattern: {metadata: {name: \"y {{ A }}\"}}}",
                "x {{ request.object.metadata.annotations.a }}",
            )
        },
        "variables give variables more than 1000 times: a value must not name itself",
    ),
    (
        "validate: MAX_ELEMENTS",
        || {
            evaluated(
                &format!("validate: {{foreach: [{{{LIST}, deny: {{conditions: {}}}}}]}}", condition("b")),
                &elements(100_001),
            )
        },
        "error: failed to process foreach: more than 100000 elements: split the list over several rules",
    ),
    (
        "pattern: MAX_WORK, by alternatives in a long text",
        || {
            let alternatives = joined(0..2_000, |n| format!("*{n}x | "));
            let pattern = format!("{{metadata: {{annotations: {{a: \"{alternatives}\"}}}}}}");
            evaluated(&format!("validate: {{pattern: {pattern}}}"), &"y".repeat(2_500_000))
        },
        "error: validation error: rule r execution error: the patterns of the rule take more than 50000000 steps for one \
         resource: split them",
    ),
    (
        "pattern: MAX_WORK, by a list in a list",
        || {
            let wanted = joined(0..4_000, |_| "{name: c19999, image: \"?*\"}, ".to_owned());
            let pattern = format!("{{spec: {{^(containers): [{wanted}]}}}}");
            let containers = joined(0..20_000, |n| format!("{{name: c{n}, image: i}}, "));
            over(&format!("validate: {{anyPattern: [{pattern}, {{}}]}}"), &containers)
        },
        "error: validation error: rule r[0] failed: the patterns of the rule take more than 50000000 steps for one resource: \
         split them rule r[1] failed: the patterns",
    ),
    (
        "pattern: MAX_WORK, over the elements of a loop",
        || {
            let wanted = format!("!*?{}*", "z".repeat(64_000));
            let list = "list: request.object.spec.containers";
            let each = format!("{{{list}, pattern: {{name: \"{wanted}\"}}}}");
            let containers = joined(0..60, |_| format!("{{name: {}, image: i}}, ", "c".repeat(64_000)));
            over(&format!("validate: {{foreach: [{each}]}}"), &containers)
        },
        "error: validation failure: validation error: rule r execution error: the patterns of the rule take more than",
    ),
    (
        "mutate: MAX_ELEMENTS",
        || {
            let patch = "patchesJson6902: \"[]\"";
            evaluated(
                &format!("mutate: {{foreach: [{{{LIST}, preconditions: {}, {patch}}}]}}", condition("b")),
                &elements(10_001),
            )
        },
        "failed to process foreach: more than 10000 elements: split the list over several rules",
    ),
    (
        "generate: MAX_ELEMENTS",
        || {
            evaluated(
                &format!("generate: {{foreach: [{{{LIST}, preconditions: {}, {MADE}}}]}}", condition("b")),
                &elements(10_001),
            )
        },
        "more than 10000 elements: split the list over several rules",
    ),
    (
        "validate: MAX_NESTING",
        || {
            let innermost = format!("deny: {{conditions: {}}}", condition("b"));
            let nested =
                (0..9).fold(innermost, |inner, _| format!("foreach: [{{list: \"[`1`]\", {inner}}}]"));
            evaluated(&format!("validate: {{{nested}}}"), "")
        },
        "failed to process foreach: nested deeper than 8 loops: split the rule",
    ),
    (
        "mutate: MAX_NESTING",
        || {
            let innermost = "patchesJson6902: \"[]\"".to_owned();
            let nested =
                (0..9).fold(innermost, |inner, _| format!("foreach: [{{list: \"[`1`]\", {inner}}}]"));
            evaluated(&format!("mutate: {{{nested}}}"), "")
        },
        "failed to process foreach: nested deeper than 8 loops: split the rule",
    ),
    (
        "cluster: MAX_MADE",
        || {
            let again = MADE.replace("elementIndex }}", "elementIndex }}-again");
            let second = "{name: s, match: {any: [{resources: {kinds: [Pod]}}]}";
            evaluated(
                &format!(
                    "generate: {{foreach: [{{{LIST}, {MADE}}}]}}}}\n  - {second}, generate: {{foreach: [{{{LIST}, {again}}}]}}"
                ),
                &elements(5_001),
            )
        },
        "more than 10000 objects are generated",
    ),
    (
        "mock: MAX_WORK_BYTES",
        || {
            let variables = joined(0..4_000, |n| format!(" {{{{ request.object.x{n} }}}}"));
            evaluated(&format!("validate: {{message: '\\{{{{ a }}}}{variables}', deny: {{}}}}"), "")
        },
        "its variables come to more than 67108864 bytes of text: split it",
    ),
    (
        "images: MAX_IMAGES",
        || {
            let rule = format!("validate: {{deny: {{conditions: {}}}}}", condition("{{ images }}"));
            let containers = joined(0..10_001, |n| format!("{{name: c{n}, image: i}}, "));
            over(&rule, &containers)
        },
        "more than 10000 images: split the resource",
    ),
    (
        "verifyImages: MAX_NESTING",
        || {
            let rule = format!(
                "verifyImages: [{{imageReferences: [\"*\"], mutateDigest: false, attestors: [{}]}}]",
                attestors(40)
            );
            let data = "i: {digest: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, signedBy: []}\n";
            Input { image_data: text(data), ..evaluated(&rule, "") }
        },
        "attestors nest deeper than 32 sets: flatten them",
    ),
    (
        "manifests: MAX_NESTING",
        || evaluated(&format!("validate: {{manifests: {{attestors: [{}]}}}}", attestors(20)), ""),
        "attestors nest deeper than 8 sets: flatten them",
    ),
    (
        "trace: MAX_STEPS",
        || {
            let rule =
                format!("validate: {{foreach: [{{{LIST}, deny: {{conditions: {}}}}}]}}", condition("b"));
            Input { trace: true, ..evaluated(&rule, &elements(3_000)) }
        },
        "more than 2000 steps; the rest is not shown",
    ),
    (
        "yaml: MAX_BYTES",
        || Input {
            resources: text(&"#".repeat((64 << 20) + 1)),
            ..evaluated("validate: {pattern: {a: b}}", "")
        },
        "the text is longer than 67108864 bytes: split it into several files",
    ),
    (
        "yaml: MAX_KEYS",
        || {
            let keys = joined(0..100_001, |n| format!("k{n}: 1\n"));
            Input { resources: text(&keys), ..evaluated("validate: {pattern: {a: b}}", "") }
        },
        "a map holds more than 100000 keys: split it into several maps",
    ),
];

fn joined(numbers: std::ops::Range<usize>, text: impl Fn(usize) -> String) -> String {
    numbers.map(text).collect()
}

const LIST: &str = "list: \"split(request.object.metadata.annotations.a, ',')\"";
const MADE: &str = "apiVersion: v1, kind: ConfigMap, namespace: default, \
                    name: \"{{ request.object.metadata.name }}-{{ elementIndex }}\", data: {data: {a: b}}";

/// A condition that does not hold.
fn condition(key: &str) -> String {
    format!("{{all: [{{key: \"{key}\", operator: Equals, value: never}}]}}")
}

/// Sets of attestors in one another.
fn attestors(levels: usize) -> String {
    let innermost = "{entries: [{keys: {publicKeys: a}}]}".to_owned();
    (0..levels).fold(innermost, |inner, _| format!("{{entries: [{{attestor: {inner}}}]}}"))
}

fn elements(count: usize) -> String {
    let mut list = "a,".repeat(count);
    list.pop();
    list
}

fn text(text: &str) -> Vec<Text> {
    vec![Text { name: "text.yaml".to_owned(), text: text.to_owned() }]
}

fn pod(annotation: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {{a: \"{annotation}\"}}\nspec: {{containers: [{{name: c, image: i}}]}}\n"
    )
}

/// A policy of this rule over a Pod with this annotation; `{{ A }}` is the annotation.
fn evaluated(rule: &str, annotation: &str) -> Input {
    let rule = rule.replace("{{ A }}", "{{ request.object.metadata.annotations.a }}");
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  background: false\n  rules:\n  - {{name: r, match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, {rule}}}\n"
    );
    Input { policies: text(&policy), resources: text(&pod(annotation)), ..Input::default() }
}

/// The same over a Pod with these containers.
fn over(rule: &str, containers: &str) -> Input {
    let pod = pod("").replace("[{name: c, image: i}]", &format!("[{containers}]"));
    Input { resources: text(&pod), ..evaluated(rule, "") }
}

/// Everything that is said: statuses with messages, steps, refusals, diagnostics.
fn said(input: &Input) -> Vec<String> {
    let output = engine_lenses::run(input, &engine::world::StaticWorld::default());
    let mut said = Vec::new();
    for rule in output.results.iter().flat_map(|result| &result.rules) {
        said.push(format!("{}: {}", rule.status, rule.message));
        said.extend(rule.note.clone());
        said.extend(rule.steps.iter().map(|step| step.text.clone()));
    }
    said.extend(output.refused.iter().map(|refused| refused.reason.clone()));
    said.extend(output.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()));
    said
}

#[test]
fn every_limit_is_met_and_says_what_it_is_and_what_to_do() {
    let mut wrong = String::new();
    for (limit, input, wanted) in ROWS {
        let said = said(&input());
        if !said.iter().any(|said| said.contains(wanted)) {
            let shown: Vec<String> =
                said.iter().take(5).map(|said| said.chars().take(600).collect()).collect();
            write!(wrong, "\n{limit}: {shown:#?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
