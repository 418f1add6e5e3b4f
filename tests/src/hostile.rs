//! Texts that mean harm: crashes of the original, and random bytes.
//!
//! In: recorded policies on which the original crashes, and seeded random texts as policy, resource and link. Out: a
//! failure where the engine panics or runs long; the other policies of a run are answered as they are alone.

use engine::json::{Value, parse, to_json};
use engine::wire::{Input, Text};
use std::time::{Duration, Instant};
use tests::random::Choices;
use tests::{emit, recorded};

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

fn judge(policy: &str, resource: &str) {
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let input = Input {
        policies: text("policy.yaml", policy),
        resources: text("resource.yaml", resource),
        trace: true,
        ..Input::default()
    };
    let started = Instant::now();
    let _ = engine::run(&input, &engine::world::StaticWorld::default());
    assert!(started.elapsed() < LONG, "took {:?}:\n{policy}\n---\n{resource}", started.elapsed());
}

#[test]
fn random_texts_are_answered() {
    let mut random = Choices::new(20_261_121);
    for _ in 0..10_000 {
        let text = hostile_text(&mut random);
        match random.below(3) {
            0 => judge(&text, POD),
            1 => judge(POLICY, &text),
            _ => judge(&(POLICY.to_owned() + &text), &(POD.to_owned() + &text)),
        }
    }
}

#[test]
fn random_links_are_answered() {
    let mut random = Choices::new(20_261_122);
    let mut state = engine::share::State::new();
    state.set("policy", POLICY);
    state.set("resource", POD);
    let good = engine::share::link("https://playground.kyverno.io/", &state);
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
        let _ = engine::share::decode(&String::from_utf8_lossy(&bytes));
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
    let Some(folder) = recorded::folder_or_skip("crashes of the original") else { return };
    let cases = recorded::rows(&folder.join("random/crash.in.jsonl.gz")).unwrap();
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
