//! `podsieve fix test` as a program: old test files in today's form, with their comments, and what it refuses.
//!
//! In: the built `podsieve`, test files of older forms. Out: a failure where the files, the words or the exit code differ.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails as it does")]

use tests::program::{self, Scratch};
use tests::terminal::{self, POLICY, Run};

const OLD: &str = "\
# Labels.
name: labels

policies: [../no-latest.yaml]
resources: [pods.yaml]
variables: values.yaml
results:
# The good one.
- policy: no-latest
  rule: tag
  resource: good # by its name
  namespace: shop
  kind: Pod
  status: pass   # as it should
- {policy: no-latest, rule: tag, resource: bad, namespace: elsewhere, kind: Pod, status: fail}
";
const NEW: &str = "\
# Labels.
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata:
  name: labels

policies: [../no-latest.yaml]
resources: [pods.yaml]
variables: values.yaml
results:
# The good one.
- policy: no-latest
  rule: tag
  resources:
  - shop/good # by its name
  kind: Pod
  result: pass   # as it should
- {policy: no-latest, rule: tag, resources: [bad], kind: Pod, result: fail}
";
const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: bad, namespace: shop}
spec: {containers: [{name: web, image: \"nginx:latest\"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: good, namespace: shop}
spec: {containers: [{name: web, image: \"nginx:1.29\"}]}
";

fn folder(test: &str) -> Scratch {
    let scratch = Scratch::new().unwrap();
    let files = [
        ("no-latest.yaml", POLICY),
        ("a/pods.yaml", PODS),
        ("a/values.yaml", "# None.\nglobalValues: {x: y}\n"),
    ];
    for (name, text) in files.into_iter().chain([("a/kyverno-test.yaml", test)]) {
        scratch.write(name, text).unwrap();
    }
    scratch
}

fn run(scratch: &Scratch, arguments: &[&str]) -> Option<Run> {
    Some(terminal::run_in(&program::find_or_skip()?, scratch.path(), arguments, ""))
}

fn text(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.path().join(name)).unwrap()
}

#[test]
fn an_old_test_file_runs_after_it_is_fixed() {
    let scratch = folder(OLD);
    let Some(before) = run(&scratch, &["test", "."]) else { return };
    assert_eq!(before.code, 1);
    assert!(
        before.err.contains("hint: 1 test file of a form before Kyverno 1.15: `podsieve fix test .`"),
        "{}",
        before.err
    );
    let shown = run(&scratch, &["fix", "test", "."]).unwrap();
    assert!(shown.out.contains("  lines 11, 15: `resource` is `resources` now\n"), "{}", shown.out);
    assert!(
        shown.out.contains("  line 12: `namespace` is a part of `resources` now: `shop/good`\n"),
        "{}",
        shown.out
    );
    assert_eq!((shown.code, text(&scratch, "a/kyverno-test.yaml").as_str()), (0, OLD));
    assert_eq!(run(&scratch, &["fix", "test", ".", "--check"]).unwrap().code, 1);
    assert_eq!(run(&scratch, &["fix", "test", ".", "--save"]).unwrap().code, 0);
    assert_eq!(text(&scratch, "a/kyverno-test.yaml"), NEW);
    let values = "# None.\napiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nglobalValues: {x: y}\n";
    assert_eq!(text(&scratch, "a/values.yaml"), values);
    let after = run(&scratch, &["test", "."]).unwrap();
    assert!(
        after.out.contains("Test Summary: 2 tests passed and 0 tests failed"),
        "{}{}",
        after.out,
        after.err
    );
    assert_eq!(run(&scratch, &["fix", "test", ".", "--check"]).unwrap().code, 0);
}

#[test]
fn two_verdicts_of_one_entry_are_left_to_a_person() {
    let scratch = folder(&NEW.replace("result: fail", "result: fail, status: pass"));
    let Some(Run { code, err, .. }) = run(&scratch, &["fix", "test", ".", "--save"]) else { return };
    assert_eq!(code, 1);
    assert!(
        err.contains("error: a/kyverno-test.yaml: line 18: `status` and `result` say two things: keep one"),
        "{err}"
    );
}

#[test]
fn a_file_that_is_no_yaml_stops_no_other() {
    let scratch = folder(OLD);
    scratch.write("b/kyverno-test.yaml", "name: [\n").unwrap();
    let Some(Run { code, err, .. }) = run(&scratch, &["fix", "test", ".", "--save"]) else { return };
    assert_eq!((code, text(&scratch, "a/kyverno-test.yaml").as_str()), (1, NEW));
    assert!(err.contains("error: b/kyverno-test.yaml: line 2: "), "{err}");
}

#[test]
fn a_folder_without_tests_is_an_error_with_advice() {
    let scratch = folder(OLD);
    let Some(Run { code, err, .. }) = run(&scratch, &["fix", "test", ".", "-f", "tests.yaml"]) else {
        return;
    };
    assert_eq!(code, 1);
    assert!(err.contains("no test file is named `tests.yaml`"), "{err}");
}
