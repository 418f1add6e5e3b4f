//! `.pre-commit-hooks.yaml` and the snippets of `docs/ci.md`: each is YAML, each hook that is named exists, and each command runs.
//!
//! In: both files, the built `podsieve`. Out: a failure where a command is none.

#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use engine::json::Value;
use engine::yaml::parse_one;
use std::path::Path;
use tests::program::{self, Scratch};
use tests::recorded;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

/// The blocks of docs/ci.md, by file name.
fn snippets() -> Vec<(String, Value)> {
    let text = file("docs/ci.md");
    let blocks = text.split("```yaml ").skip(1).filter_map(|block| block.split_once('\n'));
    let snippets: Vec<(String, Value)> = blocks
        .map(|(name, rest)| (name.to_owned(), parse_one(rest.split("```").next().unwrap()).unwrap()))
        .collect();
    assert_eq!(snippets.len(), 3);
    snippets
}

/// All strings of a value.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.to_string()),
        Value::Array(list) => list.iter().for_each(|one| strings(one, found)),
        Value::Object(map) => map.values().for_each(|one| strings(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn list<'v>(value: &'v Value, key: &str) -> Vec<&'v Value> {
    value.get(key).and_then(Value::as_array).unwrap_or_default().iter().collect()
}

/// The command lines of all snippets and hooks, without the name of the program.
fn commands() -> Vec<String> {
    let hooks = parse_one(&file(".pre-commit-hooks.yaml")).unwrap();
    let mut commands = Vec::new();
    for (name, snippet) in snippets() {
        if name != ".pre-commit-config.yaml" {
            let mut texts = Vec::new();
            strings(&snippet, &mut texts);
            let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
            commands.extend(lines.filter_map(|line| line.strip_prefix("podsieve ")).map(str::to_owned));
            continue;
        }
        for used in list(&snippet, "repos").iter().flat_map(|repository| list(repository, "hooks")) {
            let all = hooks.as_array().unwrap();
            let hook = all.iter().find(|hook| hook.find_str(&["id"]) == used.find_str(&["id"])).unwrap();
            assert_eq!(hook.get("pass_filenames"), Some(&Value::Bool(false)));
            let arguments: Vec<&str> = list(used, "args").iter().filter_map(|word| word.as_str()).collect();
            let entry = hook.find_str(&["entry"]).strip_prefix("podsieve ").unwrap();
            commands.push(format!("{entry} {}", arguments.join(" ")));
        }
        assert_eq!(hooks.as_array().unwrap().len(), commands.len(), "docs/ci.md shows every hook");
    }
    commands
}

const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: tag}
spec:
  rules:
  - name: tag
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: name a version, pattern: {spec: {containers: [{image: '!*:latest'}]}}}
";
const TEST: &str = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: tag}
policies: [../policies/policy.yaml]
resources: [../manifests/pod.yaml]
results:
- {policy: tag, rule: tag, kind: Pod, resources: [web], result: pass}
";

#[test]
fn every_command_of_hooks_and_snippets_runs() {
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    let Ok(podsieve) = program::find().map_err(|reason| recorded::say(&format!("skipped: {reason}"))) else {
        return;
    };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, image: 'a:IMAGE'}]}\n";
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().take_while(|word| *word != ">").collect();
        let mut codes = Vec::new();
        for tag in ["1", "latest"] {
            let scratch = Scratch::new().unwrap();
            scratch.write("policies/policy.yaml", POLICY).unwrap();
            scratch.write("tests/kyverno-test.yaml", TEST).unwrap();
            let host = if tag == "latest" { "spec: {hostNetwork: true, " } else { "spec: {" };
            let pod = pod.replace("IMAGE", tag).replace("spec: {", host);
            scratch.write("manifests/pod.yaml", &pod).unwrap();
            let output = program::run(&podsieve, scratch.path(), &words, "").unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("Usage:"), "podsieve {command}\n{said}");
            codes.push(output.status.code().unwrap());
        }
        assert_eq!(codes, [0, 1], "podsieve {command}");
    }
}
