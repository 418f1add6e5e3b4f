//! `podsieve test` as a program: what cannot run stops nothing else, what was not evaluated is said, and a test file that
//! it writes passes.
//!
//! In: the built `podsieve`, folders with tests. Out: a failure where output, exit code or advice differ.

use std::path::Path;
use tests::program::{self, Scratch};
use tests::recorded;
use tests::terminal::{self, POLICY, Run};
use tests::trees::VARYING;

/// The original crashes where a list with something else than texts is looked for in a text.
const CRASH: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: crash}
spec:
  background: false
  rules:
  - name: crash
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      deny:
        conditions:
          any:
          - key: [-1, 0.5]
            operator: In
            value: \"{{ request.object.metadata.name }}\"
";
const MUTATE: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: label}
spec:
  rules:
  - name: label
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {team: web}}}}
";
const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec: {containers: [{name: web, image: \"nginx:latest\"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: good}
spec: {containers: [{name: web, image: \"nginx:1.29\"}]}
";

fn test(policy: &str, files: &str, results: &str) -> String {
    format!(
        "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {{name: t}}\npolicies: [../{policy}.yaml]\n\
         resources: {files}\nresults:\n{results}"
    )
}

fn entry(policy: &str, rule: &str, resource: &str, result: &str) -> String {
    format!("- {{policy: {policy}, rule: {rule}, kind: Pod, resources: [{resource}], result: {result}}}\n")
}

/// Runs the program in a folder. Nothing where it is not built.
fn run(folder: &Path, arguments: &[&str]) -> Option<Run> {
    Some(terminal::run_in(&program::find_or_skip()?, folder, arguments, ""))
}

#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn folder(files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new().unwrap();
    for (name, text) in [("no-latest.yaml", POLICY), ("crash.yaml", CRASH), ("pods.yaml", PODS)] {
        scratch.write(name, text).unwrap();
    }
    for (name, text) in files {
        scratch.write(name, text).unwrap();
    }
    scratch
}

#[test]
fn a_test_that_cannot_run_stops_no_other() {
    let good = test(
        "no-latest",
        "[../pods.yaml]",
        &(entry("no-latest", "tag", "bad", "fail") + &entry("no-latest", "tag", "good", "pass")),
    );
    let crash = test("crash", "[../pods.yaml]", &entry("crash", "crash", "bad", "error"));
    let absent = test("no-latest", "[../absent.yaml]", &entry("no-latest", "tag", "bad", "fail"));
    let scratch = folder(&[
        ("a/kyverno-test.yaml", &good),
        ("b/kyverno-test.yaml", "apiVersion: [\n"),
        ("c/kyverno-test.yaml", &good.replace("results:", "checks: []\nresults:")),
        ("d/kyverno-test.yaml", &crash),
        ("e/kyverno-test.yaml", &absent),
        ("f/kyverno-test.yaml", &good.replace("no-latest.yaml", "absent.yaml")),
        ("g/kyverno-test.yaml", &good.replace("kind: Test", "kind: \"\"")),
        ("h/kyverno-test.yaml", &good),
        ("i/kyverno-test.yaml", &(good.clone() + "values: {globalValues: {request.operation: PATCH}}\n")),
    ]);
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "."]) else { return };
    assert_eq!(code, 1);
    assert!(out.contains("\nTest Summary: 5 tests passed and 0 tests failed\n"), "{out}");
    assert!(out.contains("  Path: b/kyverno-test.yaml\n    Error: line "), "{out}");
    assert!(out.contains("  Path: c/kyverno-test.yaml\n    Error: error unmarshaling JSON: while decoding JSON: json: unknown field \"checks\"\n    Line: 6\n"), "{out}");
    for said in [
        "error: e/kyverno-test.yaml: failed to run test (error: failed to load resources (stat e/../absent.yaml: no such file",
        "error: f/kyverno-test.yaml: failed to run test (error: failed to load policies (stat absent.yaml: no such file",
        "error: g/kyverno-test.yaml: test file g/kyverno-test.yaml uses a deprecated schema",
        "error: i/kyverno-test.yaml: failed to run test (invalid request.operation value \"PATCH\", must be one of",
        "Error: 6 test files could not run",
    ] {
        let said = said.replace("e/../", "");
        assert!(err.contains(&said), "{said}\n{err}");
    }
    // One resource file of several is said, and the rest is tested.
    let scratch =
        folder(&[("a/kyverno-test.yaml", &good.replace("[../pods.yaml]", "[../pods.yaml, no.yaml]"))]);
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "."]) else { return };
    assert!(out.contains("failed to load resources: a/no.yaml"), "{out}");
    assert!(err.contains("error: resource file `a/no.yaml` cannot be read"), "{err}");
    assert!(err.contains("Error: 1 error in the files of the tests"), "{err}");
    assert_eq!(code, 1);
}

/// What can be wrong with one policy file of two.
const BROKEN: [(&str, &str); 5] = [
    (
        "unknown field",
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: bad}\nspec: {rulez: []}\n",
    ),
    (
        "no policy",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: [{name: a, image: a}]}\n",
    ),
    ("no YAML", "kind: [\n"),
    ("a ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: {a: b}\n"),
    (
        "a key twice",
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: bad, name: worse}\nspec:\n  rules:\n  - name: r\n    \
         match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {pattern: {metadata: {name: '?*'}}}\n",
    ),
];

#[test]
fn no_run_exits_with_0_beside_an_error() {
    let good = test("no-latest", "[../pods.yaml]", &entry("no-latest", "tag", "good", "pass"));
    let both = good.replace("[../no-latest.yaml]", "[../no-latest.yaml, ../bad.yaml]");
    for (what, bad) in BROKEN {
        let scratch = folder(&[("bad.yaml", bad), ("a/kyverno-test.yaml", &both)]);
        let init = [
            "test",
            "b",
            "--init",
            "--policy",
            "no-latest.yaml",
            "--policy",
            "bad.yaml",
            "--resource",
            "pods.yaml",
        ];
        for arguments in [&["test", "a"][..], &["test", "a", "--strict"], &init] {
            let Some(Run { code, err, .. }) = run(scratch.path(), arguments) else { return };
            let has_error = err.contains("error:") || err.contains("error[");
            assert!(!has_error || code != 0, "{what}: {arguments:?}: exit code {code} beside\n{err}");
            assert!(has_error || err.contains("bad"), "{what}: {arguments:?}: not mentioned\n{err}");
        }
    }
}

#[test]
fn a_refused_policy_and_a_test_without_results_are_doubts() {
    let refused = POLICY.replace("name: no-latest", "name: refused").replace("kinds: [Pod]", "kinds: []");
    let good = test("no-latest", "[../pods.yaml]", &entry("no-latest", "tag", "good", "pass"));
    let both = good.replace("[../no-latest.yaml]", "[../no-latest.yaml, ../refused.yaml]");
    let empty = test("no-latest", "[../pods.yaml]", "").replace("results:\n", "results: []\n");
    let scratch = folder(&[
        ("refused.yaml", &refused),
        ("a/kyverno-test.yaml", &both),
        ("b/kyverno-test.yaml", &empty),
    ]);
    for (path, said) in [
        ("a", "policy `refused` of `refused.yaml` is refused, and no result names it"),
        ("b", "b/kyverno-test.yaml:1: it has no `results`, so nothing is tested"),
    ] {
        let Some(Run { code, err, .. }) = run(scratch.path(), &["test", path]) else { return };
        let Some(Run { code: strict, .. }) = run(scratch.path(), &["test", path, "--strict"]) else { return };
        assert!(err.contains(said), "{said}\n{err}");
        assert_eq!((code, strict), (0, 1), "{err}");
    }
}

#[test]
fn a_success_that_is_none_is_said_and_fails_under_strict() {
    let doubtful = test(
        "no-latest",
        "[../pods.yaml]",
        &[
            entry("no-latest", "tags", "bad", "fail"),
            entry("no-latest", "tag", "worse", "fail"),
            entry("no-latest", "tag", "good", "pass"),
        ]
        .concat(),
    );
    let other = entry("no-latest", "tag", "bad", "fail").replace("kind: Pod", "kind: Deployment");
    let spec = "- {policy: no-latest, rule: tag, resources: [], result: fail, resourceSpecs: [{version: v1, kind: Pot, \
                namespace: default, name: bad}]}\n";
    let excluded = POLICY.replace("kinds: [Pod]", "kinds: [Pod], namespaces: [other]");
    let scratch = folder(&[
        ("a/kyverno-test.yaml", &doubtful),
        ("excluded.yaml", &excluded),
        (
            "b/kyverno-test.yaml",
            &test("excluded", "[../pods.yaml]", &entry("no-latest", "tag", "bad", "fail")),
        ),
        ("c/kyverno-test.yaml", &test("no-latest", "[../pods.yaml]", &(other + spec))),
    ]);
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "a", "b"]) else { return };
    assert_eq!(code, 1, "an unknown resource tests all others, of which one passes");
    assert!(out.contains("Test Summary: 4 tests passed and 1 tests failed"), "{out}");
    for said in [
        "a/kyverno-test.yaml:7: policy `no-latest` has no rule `tags`",
        "a/kyverno-test.yaml:8: there is no resource `worse`",
        "b/kyverno-test.yaml:7: rule `tag` of policy `no-latest` did not look at `v1/Pod/default/bad`",
        "3 successes in doubt: counted as passed",
    ] {
        assert!(err.contains(said), "{said}\n{err}");
    }
    let Some(Run { code, .. }) = run(scratch.path(), &["test", "b"]) else { return };
    let Some(Run { code: strict, err, .. }) = run(scratch.path(), &["test", "b", "--strict"]) else { return };
    assert_eq!((code, strict), (0, 1));
    assert!(err.contains("Error: 1 success in doubt"), "{err}");
    let Some(Run { code, .. }) = run(scratch.path(), &["test", "c"]) else { return };
    let Some(Run { code: strict, err, .. }) = run(scratch.path(), &["test", "c", "--strict"]) else { return };
    assert_eq!((code, strict), (0, 1), "{err}");
    for said in [
        "c/kyverno-test.yaml:7: there is no `Deployment` of that name: `v1/Pod/default/bad` is tested",
        "c/kyverno-test.yaml:8: there is no `Pot` of that name: `v1/Pod/default/bad` is tested",
    ] {
        assert!(err.contains(said), "{said}\n{err}");
    }
}

#[test]
fn a_test_file_that_is_written_passes_and_overwrites_nothing() {
    let scratch = folder(&[("label.yaml", MUTATE)]);
    let init =
        ["test", "--init", "new", "-p", "no-latest.yaml", "-p", "label.yaml,crash.yaml", "-r", "pods.yaml"];
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &init) else { return };
    assert_eq!((code, out.as_str()), (0, "new/kyverno-test.yaml\nnew/patched.yaml\n"), "{err}");
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "new", "--strict"]) else { return };
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Test Summary: 6 tests passed and 0 tests failed"), "{out}");
    let Some(Run { code, err, .. }) = run(scratch.path(), &init) else { return };
    assert_eq!(code, 1);
    assert!(err.contains("new/kyverno-test.yaml is already there"), "{err}");
}

#[test]
fn a_difference_between_objects_is_shown() {
    let patched = PODS.replace("{name: bad}", "{name: bad, labels: {team: shop}}");
    let results =
        entry("label", "label", "bad", "pass").replace("result", "patchedResources: patched.yaml, result");
    let scratch = folder(&[
        ("label.yaml", MUTATE),
        ("a/patched.yaml", &patched),
        ("a/kyverno-test.yaml", &test("label", "[../pods.yaml]", &results)),
    ]);
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "a"]) else { return };
    assert_eq!(code, 1);
    assert!(out.contains("│ Fail   │ Resource diff │"), "{out}");
    assert!(err.contains("-     team: shop\n+     team: web\n"), "{err}");
}

/// What the original says of these was looked at: all of them pass.
#[test]
fn operations_and_cluster_resources_are_followed() {
    let policy = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: stay}
spec:
  background: false
  rules:
  - name: stay
    match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}
    validate: {message: stay, deny: {}}
  - name: map
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - {name: map, configMap: {name: \"{{ request.object.metadata.name }}\", namespace: maps}}
    - {name: count, apiCall: {urlPath: /api/v1/namespaces/maps/configmaps, jmesPath: \"items | length(@)\"}}
    validate:
      message: \"{{ map.data.a }} of {{ count }}\"
      deny: {conditions: {all: [{key: \"{{ map.data.a }}\", operator: Equals, value: \"1\"}]}}
";
    let cluster = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: ClusterResource
spec:
  resources:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: bad, namespace: maps}, data: {a: \"1\"}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: good, namespace: maps}, data: {a: \"2\"}}
  - {apiVersion: v1, kind: Namespace, metadata: {name: default}}
";
    let deleted = entry("stay", "stay", "bad", "fail").replace("result", "operation: DELETE, result");
    let results = [
        deleted,
        entry("stay", "map", "bad", "fail"),
        entry("stay", "map", "good", "pass"),
        entry("stay", "stay", "good", "skip"),
    ]
    .concat();
    let file = test("stay", "[../pods.yaml]", &results)
        .replace("results:", "clusterResources: [cluster.yaml]\nresults:");
    let scratch =
        folder(&[("stay.yaml", policy), ("a/cluster.yaml", cluster), ("a/kyverno-test.yaml", &file)]);
    let arguments = ["test", "a", "--detailed-results", "--strict"];
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &arguments) else { return };
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Test Summary: 4 tests passed and 0 tests failed"), "{out}");
    assert!(out.contains("│ 1 of 2 "), "{out}");
    // Without cluster resources nobody has ConfigMaps.
    let scratch = folder(&[
        ("stay.yaml", policy),
        ("a/kyverno-test.yaml", &file.replace("clusterResources: [cluster.yaml]\n", "")),
    ]);
    let Some(Run { code, out, .. }) = run(scratch.path(), &arguments) else { return };
    assert_eq!(code, 1);
    assert!(out.contains("│ Want fail, got error │"), "{out}");
}

/// As `xargs podsieve test < classic-folders.txt` does it: the original needs a run for each folder.
#[test]
fn all_recorded_folders_of_classic_policies_are_one_run() {
    let Some(conformance) = recorded::folder_or_skip("the folders of classic policies") else { return };
    let trees = conformance.join("trees");
    let folders = recorded::text(&trees.join("classic-folders.txt")).unwrap();
    let arguments: Vec<&str> = std::iter::once("test").chain(folders.split_whitespace()).collect();
    assert!(arguments.len() > 180, "{} folders", arguments.len() - 1);
    let Some(Run { code, out, err, .. }) = run(&trees, &arguments) else { return };
    assert!(out.ends_with("\nTest Summary: 1350 tests passed and 0 tests failed\n\n"), "{err}");
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains("not supported yet") && !err.contains("error: "), "{err}");
}

/// As `podsieve test policies` does it, in one run; `VARYING` says of which folders the original's count changes.
#[test]
fn all_recorded_folders_of_policies_are_one_run_and_nothing_is_left_out() {
    let Some(conformance) = recorded::folder_or_skip("all recorded folders of policies") else { return };
    let trees = conformance.join("trees");
    let recorded = recorded::text(&trees.join("policies-original.txt")).unwrap();
    let lines = || recorded.lines().filter_map(|line| line.split_once(' ')?.1.split_once(' '));
    let passed = |summary: &str| -> Option<usize> {
        summary.strip_prefix("Test Summary: ")?.split(' ').next()?.parse().ok()
    };
    let settled: Vec<(&str, &str)> = lines().filter(|(folder, _)| !VARYING.contains(folder)).collect();
    let wanted: usize = settled.iter().filter_map(|(_, summary)| passed(summary)).sum();
    assert!(wanted > 3000, "{wanted}");
    let arguments: Vec<&str> =
        std::iter::once("test").chain(settled.iter().map(|(folder, _)| *folder)).collect();
    let all: Vec<&str> = std::iter::once("test").chain(lines().map(|(folder, _)| folder)).collect();
    for (arguments, wanted) in [(arguments, wanted.to_string()), (all, String::new())] {
        let Some(Run { code, out, err, .. }) = run(&trees, &arguments) else { return };
        let summary = format!("{wanted} tests passed and 0 tests failed\n\n");
        assert!(out.ends_with(summary.trim_start()), "{summary}{err}");
        assert!(!err.contains("not supported yet") && !err.contains("error: "), "{err}");
        assert_eq!(code, 0, "{err}");
    }
}

/// What answers for policies in a cluster, and is no rule that anything could be tested against here.
const ENTRY: &str = "\
apiVersion: kyverno.io/v2alpha1
kind: GlobalContextEntry
metadata: {name: proxy}
spec: {}
";

#[test]
fn folders_that_are_not_supported_yet_are_named_and_counted_and_stop_nothing() {
    let file = |policy: &str, entries: &str| test(policy, "[../pods.yaml]", entries);
    let scratch = folder(&[
        ("proxy.yaml", ENTRY),
        (
            "a/kyverno-test.yaml",
            &file("proxy", &(entry("proxy", "x", "good", "pass") + &entry("proxy", "x", "bad", "fail"))),
        ),
        ("b/kyverno-test.yaml", &file("no-latest", &entry("no-latest", "tag", "good", "pass"))),
    ]);
    let Some(Run { code, out, err, .. }) = run(scratch.path(), &["test", "."]) else { return };
    assert!(out.ends_with("\nTest Summary: 1 tests passed and 0 tests failed\n\n"), "{out}{err}");
    assert!(err.contains("not supported yet: a/kyverno-test.yaml: 2 tests: "), "{err}");
    assert!(err.contains("not supported yet: 2 tests in 1 file\n"), "{err}");
    assert!(err.contains("Error: 2 tests not supported yet\n"), "{err}");
    assert_eq!(code, 1, "what was not evaluated is not a pass");
}
