//! Texts that mean harm: crashes of the original, and random bytes.
//!
//! In: recorded policies on which the original crashes, and seeded random texts as policy, resource and link. Out: a
//! failure where the engine panics or runs long; the other policies of a run are answered as they are alone.

use engine::json::{Value, parse, to_json};
use engine_lenses::wire::{Input, Text};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tests::emit;
use tests::random::Choices;
use tests::recorded::Recorded;

/// What one text may take, in a build without optimization on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// Pieces that lead deep into the readers.
const PIECES: &[&str] = &[
    "apiVersion: kyverno.io/v1\n",
    "kind: ClusterPolicy\n",
    "kind: Pod\n",
    "metadata:\n  name: x\n",
    "spec:\n",
    "  rules:\n",
    "  - name: r\n",
    "    match:\n      any:\n      - resources:\n          kinds: [Pod]\n",
    "    validate:\n",
    "      pattern:\n",
    "        spec: {(a): \"?*\", =(b): \">1 & <2Gi\", X(c): null}\n",
    "      deny:\n        conditions:\n",
    "          all:\n          - key: \"{{ request.object.a.b[] | [0] || 'x' }}\"\n            operator: AnyIn\n            value: [\"1-2\"]\n",
    "      foreach:\n      - list: \"request.object.spec.containers\"\n        deny: {}\n",
    "{{",
    "}}",
    "$(./a/../b)",
    "&a ",
    "*a ",
    "<<: *a\n",
    "!!binary ",
    "? ",
    ": ",
    "- ",
    "|+\n",
    ">-\n  ",
    "---\n",
    "...\n",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "#",
    "\t",
    "\n",
    "\u{feff}",
    "\u{85}",
    "😀",
    "\\ud800",
    "0x",
    "1e999",
    "-.inf",
    "012:30",
    "@",
    "`",
    "%YAML 9.9\n",
    "*.*/*",
    "?*",
    "!",
    "<=",
    "-100-200",
    "{{ random('[0-9]{99999999}') }}",
    "{{ regex_match('(a*)*b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') }}",
    "{{ to_string(@) }}",
];

fn hostile_text(random: &mut Choices) -> String {
    let mut text = String::new();
    for _ in 0..random.below(40) {
        if random.below(4) == 0 {
            let bytes: Vec<u8> = (0..random.below(12)).map(|_| random.number().to_le_bytes()[0]).collect();
            text.push_str(&String::from_utf8_lossy(&bytes));
        } else {
            text.push_str(random.pick(PIECES));
        }
    }
    text
}

const POLICY: &str = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  background: false\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [\"*\"]}}]}\n    validate: {pattern: {metadata: {name: \"?*\"}}}\n";
const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";

fn evaluate(policy: &str, resource: &str) {
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let input = Input {
        policies: text("policy.yaml", policy),
        resources: text("resource.yaml", resource),
        trace: true,
        ..Input::default()
    };
    let started = Instant::now();
    let _ = engine_lenses::run(&input, &engine::world::StaticWorld::default());
    assert!(started.elapsed() < LONG, "took {:?}:\n{policy}\n---\n{resource}", started.elapsed());
}

/// The stack of a browser's worker; a build without optimization needs several times as much.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 512 << 10 };

/// What is said of an input on a small stack: statuses with messages, and diagnostics.
fn said(input: Input) -> Vec<String> {
    let run = move || {
        let output = engine_lenses::run(&input, &engine::world::StaticWorld::default());
        let rules = output.results.iter().flat_map(|result| &result.rules);
        let verdicts = rules.map(|rule| format!("{}: {}", rule.status, rule.message));
        verdicts.chain(output.diagnostics.iter().map(|said| said.message.clone())).collect()
    };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(run)
        .ok()
        .and_then(|thread| thread.join().ok())
        .unwrap_or_default()
}

fn text(text: &str) -> Vec<Text> {
    vec![Text { name: "text.yaml".to_owned(), text: text.to_owned() }]
}

fn input(policy: &str, resource: &str) -> Input {
    Input { policies: text(policy), resources: text(resource), ..Input::default() }
}

#[track_caller]
fn check_said(input: Input, wanted: &str) {
    let said = said(input);
    assert!(said.iter().any(|said| said.contains(wanted)), "{said:?}");
}

const RULES: &str = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  background: false\n  rules:\n";
const MATCH: &str = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
const TOO_DEEP: &str = "nest deeper than 256 levels";

/// Each variable is 200 lists around the one before.
#[test]
fn variables_around_variables_do_not_nest_without_end() {
    let around = |inner: &str| format!("{}{inner}{}", "[".repeat(200), "]".repeat(200));
    for count in [2, 25, 80] {
        let mut policy = format!("{RULES}  - name: r\n{MATCH}    context:\n");
        for n in 0..count {
            let before = if n == 0 { "\"x\"".to_owned() } else { format!("\"{{{{ v{} }}}}\"", n - 1) };
            writeln!(policy, "    - name: v{n}\n      variable: {{value: {}}}", around(&before)).unwrap();
        }
        let last = count - 1;
        writeln!(policy, "    validate: {{deny: {{conditions: {{all: [{{key: \"{{{{ v{last} }}}}\", operator: Equals, value: 1}}]}}}}}}").unwrap();
        // Entries that are loaded when they are named stand in one another on the stack.
        let wanted = if count == 2 { TOO_DEEP } else { "come to more than 320 levels" };
        check_said(input(&policy, POD), wanted);
        check_said(Input { host: Some("playground".to_owned()), ..input(&policy, POD) }, TOO_DEEP);
    }
}

/// A variable of one level is a level of the stack all the same while it is loaded.
#[test]
fn variables_that_name_one_another_have_an_end() {
    let chain = |count: usize| {
        let mut policy =
            format!("{RULES}  - name: r\n{MATCH}    context:\n    - {{name: v0, variable: {{value: x}}}}\n");
        for n in 1..count {
            writeln!(policy, "    - {{name: v{n}, variable: {{jmesPath: v{}}}}}", n - 1).unwrap();
        }
        let key = format!("{{{{ v{} }}}}", count - 1);
        policy
            + &format!(
                "    validate: {{deny: {{conditions: {{all: [{{key: \"{key}\", operator: Equals, value: y}}]}}}}}}\n"
            )
    };
    check_said(input(&chain(60), POD), "pass: ");
    check_said(input(&chain(5_000), POD), "come to more than 320 levels");
}

/// Each rule puts 200 maps around what the one before has left.
#[test]
fn patches_around_what_is_there_do_not_nest_without_end() {
    let around = format!("{}\"{{{{ request.object.spec.x }}}}\"{}", "{a: ".repeat(200), "}".repeat(200));
    let rule = |n| {
        format!("  - name: r{n}\n{MATCH}    mutate: {{patchStrategicMerge: {{spec: {{x: {around}}}}}}}\n")
    };
    let policy = RULES.to_owned() + &(0..60).map(rule).collect::<String>();
    check_said(input(&policy, &POD.replace("spec: {", "spec: {x: {b: c}, ")), TOO_DEEP);
}

/// Each part of the name of a variable is a level of the document.
#[test]
fn variables_whose_names_have_many_parts_are_refused() {
    for parts in [300, 5_000, 1_000_000] {
        let name = vec!["a"; parts].join(".");
        let wanted = "come to more than 256 levels";
        let context = text(&format!("variables:\n  ? \"{name}\"\n  : x\n"));
        let host = Some("playground".to_owned());
        check_said(Input { context, host, ..input(POLICY, POD) }, wanted);
        let values = |entry: &str| {
            text(&format!(
                "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\n{}\n",
                entry.replace("ENTRY", &format!("{{? \"{name}\" : [x]}}"))
            ))
        };
        for entry in [
            "globalValues: ENTRY",
            "policies: [{name: p, resources: [{name: a, values: ENTRY}]}]",
            "policies: [{name: p, rules: [{name: r, values: ENTRY}]}]",
            "policies: [{name: p, rules: [{name: r, foreachValues: ENTRY}]}]",
        ] {
            check_said(Input { values: values(entry), ..input(POLICY, POD) }, wanted);
        }
    }
    let most = vec!["a"; 250].join(".");
    let context = text(&format!("variables:\n  {most}: x\n"));
    let said = said(Input { context, host: Some("playground".to_owned()), ..input(POLICY, POD) });
    assert_eq!(said, ["pass: validation rule 'r' passed."]);
}

#[test]
fn random_texts_are_answered() {
    let mut random = Choices::new(20_261_121);
    for _ in 0..10_000 {
        let text = hostile_text(&mut random);
        match random.below(3) {
            0 => evaluate(&text, POD),
            1 => evaluate(POLICY, &text),
            _ => evaluate(&(POLICY.to_owned() + &text), &(POD.to_owned() + &text)),
        }
    }
}

#[test]
fn random_links_are_answered() {
    let mut random = Choices::new(20_261_122);
    let mut state = engine_lenses::share::State::new();
    state.set("policy", POLICY);
    state.set("resource", POD);
    let good = engine_lenses::share::link("https://playground.kyverno.io/", &state);
    for _ in 0..10_000 {
        let mut bytes = good.clone().into_bytes();
        match random.below(3) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => {
                for _ in 0..=random.below(6) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.number().to_le_bytes()[0];
                }
            }
            _ => bytes = (0..random.below(300)).map(|_| random.number().to_le_bytes()[0]).collect(),
        }
        let started = Instant::now();
        let _ = engine_lenses::share::decode(&String::from_utf8_lossy(&bytes));
        assert!(started.elapsed() < LONG, "a link of {} bytes took {:?}", bytes.len(), started.elapsed());
    }
}

/// The rows of one policy in an answer.
fn rows_of(answer: &Value, policy: &str) -> Vec<String> {
    let results = answer.get("results").and_then(Value::as_array).unwrap_or_default();
    results.iter().filter(|result| result.find_str(&["policy"]) == policy).map(to_json).collect()
}

#[test]
fn what_crashes_the_original_leaves_the_other_policies_unharmed() {
    let cases = Recorded::all().rows("random/crash.in.jsonl.gz").unwrap();
    let other = POLICY.replace("name: p}", "name: the-other}");
    for case in &cases {
        let alone = Value::object(
            [("id", Value::from("alone")), ("policies", Value::array(vec![Value::from(other.as_str())]))]
                .into_iter()
                .chain([("resources", case.get("resources").cloned().unwrap_or_default())])
                .collect(),
        );
        let mut both = case.clone();
        let policies = both.object_mut().and_then(|map| map.get_mut("policies")).and_then(Value::array_mut);
        policies.unwrap().push(Value::from(other.as_str()));
        let started = Instant::now();
        let answers = [&alone, &both].map(|case| emit::answer("apply", &to_json(case)));
        assert!(started.elapsed() < LONG, "{}", case.find_str(&["id"]));
        let [alone, both] = answers.map(|answer| rows_of(&answer, "the-other"));
        assert!(!alone.is_empty());
        assert_eq!(alone, both, "{}", case.find_str(&["id"]));
        assert!(parse(&to_json(case)).is_ok());
    }
}
