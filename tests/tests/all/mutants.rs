//! `podsieve test --mutants`: mistakes that tests notice and that they do not, what shows those, and the tests that are written.
//!
//! In: policies with tests, made here. Out: a failure where a mistake counts as another, or where a written test does not notice it.

#![expect(clippy::unwrap_used, reason = "a test fails as it does")]

use engine::json::Value;
use engine_compare::mutants::{Mutant, mutants};
use tests::program::{self, Scratch};
use tests::terminal::{self, POD, POLICY, Run};

/// One Pod that fails, and one that passes.
fn resources() -> String {
    format!("{POD}---\n{}", POD.replace("name: web}", "name: good}").replace("nginx:latest", "nginx:1.27"))
}

fn test_file(pods: &[(&str, &str)]) -> String {
    let entry = |(pod, result): &(&str, &str)| {
        format!("- {{policy: no-latest, rule: tag, kind: Pod, resources: [{pod}], result: {result}}}\n")
    };
    let entries: String = pods.iter().map(entry).collect();
    format!(
        "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {{name: t}}\npolicies: [../p.yaml]\nresources: [pods.yaml]\nresults:\n{entries}"
    )
}

fn in_folder(pods: &[(&str, &str)], arguments: &[&str]) -> Option<(Run, Scratch)> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().ok()?;
    let files = [
        ("p.yaml", POLICY.to_owned()),
        ("t/pods.yaml", resources()),
        ("t/kyverno-test.yaml", test_file(pods)),
    ];
    for (name, text) in files {
        scratch.write(name, text).ok()?;
    }
    let run =
        terminal::run_in(&program, scratch.path(), &[&["test", "t", "--mutants"], arguments].concat(), "");
    Some((run, scratch))
}

/// How many mistakes are noticed, and those of a list of the first policy.
fn counts(run: &Run, list: &str) -> (i64, Vec<Value>) {
    let answer = engine::json::parse(&run.out).unwrap_or_default();
    let listed = answer.get("policies").and_then(|all| all.at(0)).and_then(|one| one.get(list));
    let listed = listed.and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default();
    (answer.get("noticed").and_then(Value::as_i64).unwrap_or(-1), listed)
}

fn all_mutants() -> Vec<Mutant> {
    let source = engine::yaml::Source {
        id: engine::yaml::SourceId(0),
        name: "p.yaml".to_owned(),
        text: POLICY.into(),
    };
    let parsed = engine::yaml::parse(&source, &engine::yaml::Options::default());
    mutants(&parsed.documents.first().unwrap().value)
}

const FAILS: (&str, &str) = ("web", "fail");
const PASSES: (&str, &str) = ("good", "pass");

#[test]
fn a_test_of_what_passes_misses_what_fails() {
    let Some((run, _)) = in_folder(&[PASSES], &["-o", "json"]) else { return };
    let (noticed, missed) = counts(&run, "missed");
    assert_eq!((run.code, noticed, missed.len()), (0, 1, 1), "{}{}", run.out, run.err);
    assert!(missed[0].find_str(&["mistake"]).contains("`containers` is forgotten"), "{}", run.out);
    assert_eq!(missed[0].find_str(&["object", "kind"]), "Pod", "{}", run.out);
    // A test has no updates.
    let (_, beyond) = counts(&run, "beyondTests");
    assert!(beyond[0].find_str(&["why"]).contains("this is an update"), "{}", run.out);
    let Some((run, _)) = in_folder(&[PASSES, FAILS], &["-o", "json"]) else { return };
    let (noticed, missed) = counts(&run, "missed");
    assert_eq!((run.code, noticed, missed.len()), (0, 2, 0), "{}{}", run.out, run.err);
}

#[test]
fn the_text_shows_what_is_missed() {
    let Some((run, _)) = in_folder(&[PASSES], &[]) else { return };
    for part in [
        "no-latest  p.yaml:1  1 of 2 mistakes noticed\n",
        "  not noticed: spec.rules[0].validate.pattern.spec: `containers` is forgotten\n",
        "    wider: creating this Pod is reported by the policy and allowed by the mistake\n",
        "          image: nginx:latest\n",
        "        result: fail\n",
        "  no test can notice: spec.rules[0].match.any[0].resources.operations: CREATE alone (",
        "\n1 of 2 mistakes noticed, in 1 policy\n",
        "1 mistake more: no test can notice any of them\n",
    ] {
        assert!(run.out.contains(part), "{part}\n{}", run.out);
    }
}

#[test]
fn written_tests_fail_on_the_mistake_alone() {
    let Some((run, scratch)) = in_folder(&[PASSES], &["-o", "json", "--write-tests", "more"]) else { return };
    let (_, missed) = counts(&run, "missed");
    assert_eq!((run.code, missed.len()), (0, 1), "{}{}", run.out, run.err);
    let program = program::find_or_skip().unwrap();
    let test = |folder: &str| terminal::run_in(&program, scratch.path(), &["test", folder], "");
    assert_eq!((test("t").code, test("more").code), (0, 0), "{}", test("more").out);
    let text = missed[0].find_str(&["mistake"]);
    let all = all_mutants();
    let mistaken = all.iter().find(|mutant| mutant.text == text).unwrap();
    scratch.write("p.yaml", engine::yaml::emit::to_yaml_ordered(&mistaken.policy)).unwrap();
    let more = test("more");
    assert_eq!((test("t").code, more.code), (0, 1), "{}{}", more.out, more.err);
    scratch.write("p.yaml", POLICY).unwrap();
    let both = ["test", "t", "more", "--mutants", "-o", "json"];
    let both = terminal::run_in(&program, scratch.path(), &both, "");
    assert_eq!(counts(&both, "missed").1.len(), 0, "{}{}", both.out, both.err);
    // What is there is not written over.
    let before = std::fs::read(scratch.path().join("more/no-latest-1/kyverno-test.yaml")).unwrap();
    let again = ["test", "t", "--mutants", "--write-tests", "more"];
    let again = terminal::run_in(&program, scratch.path(), &again, "");
    assert_eq!(again.code, 1, "{}", again.err);
    assert_eq!(std::fs::read(scratch.path().join("more/no-latest-1/kyverno-test.yaml")).unwrap(), before);
}

#[test]
fn too_few_noticed_is_a_failure() {
    for (pods, arguments, code, said) in [
        (&[PASSES][..], &["--min-noticed", "50"][..], 0, ""),
        (&[PASSES], &["--min-noticed", "51"], 1, "1 of 2 mistakes noticed, and --min-noticed is 51"),
        (&[PASSES, FAILS], &["--min-noticed", "100"], 0, ""),
        (&[("good", "fail")], &[], 1, "it does not pass as it is"),
        (&[PASSES], &["-o", "junit"], 1, "one output format beside its text: json"),
        (&[PASSES], &["--max-seconds", "0", "-o", "json"], 0, ""),
    ] {
        let Some((run, _)) = in_folder(pods, arguments) else { return };
        assert_eq!((run.code, run.err.contains(said)), (code, true), "{arguments:?} {}{}", run.out, run.err);
    }
    // A mistake that nothing was searched for counts as one that is missed.
    let Some((run, _)) = in_folder(&[PASSES], &["--max-seconds", "0", "-o", "json"]) else { return };
    assert_eq!(counts(&run, "missed").1.len(), 2, "{}", run.out);
}
