//! What `apply` and `test` say of kinds that Kyverno will remove, as a program.
//!
//! In: the built `podsieve`, policies and exceptions of such kinds. Out: a failure where a line, the number or the exit code differs.

use tests::program;
use tests::terminal::{POD, POLICY, Run, run};

const EXCEPTION: &str = "\
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  exceptions: [{policyName: no-latest, ruleNames: [tag]}]
  match: {any: [{resources: {kinds: [Pod]}}]}
";
const VPOL: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: 'true'}]
";
const TEST: &str = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
policies: [p.yaml]
resources: [r.yaml]
results: [{policy: no-latest, rule: tag, kind: Pod, resources: [web], result: fail}]
";

/// The line for a file.
fn line(path: &str, what: &str, targets: &str) -> String {
    format!(
        "Warning: {path}: {what} is deprecated and will be removed in a future release; migrate to {targets} \
         (policies.kyverno.io), see https://kyverno.io/docs/guides/migration-to-cel/"
    )
}

fn of_policy(path: &str) -> String {
    line(
        path,
        "kyverno.io/v1 ClusterPolicy",
        "ValidatingPolicy, MutatingPolicy, GeneratingPolicy or ImageValidatingPolicy",
    )
}

const NOTE: &str = "note: `podsieve convert` writes such policies in CEL and compares each with its source\n";

#[track_caller]
fn says(run: &Run, expected: &[String]) {
    let expected: String = expected.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    let expected = if expected.is_empty() { expected } else { expected + NOTE };
    assert_eq!(run.deprecated, expected, "{run:?}");
}

#[test]
fn a_kind_of_a_file_is_told_once() {
    let Some(program) = program::find_or_skip() else { return };
    let two = format!("{POLICY}---\n{}", POLICY.replace("no-latest", "other"));
    let files = [("p.yaml", two.as_str()), ("r.yaml", POD), ("e.yaml", EXCEPTION)];
    let arguments = ["apply", "p.yaml", "-r", "r.yaml", "-e", "e.yaml"];
    let exception = line("e.yaml", "kyverno.io/v2 PolicyException", "PolicyException");
    let both = [of_policy("p.yaml") + " (2 documents)", exception.clone()];
    let ran = run(&program, &files, &arguments, "");
    says(&ran, &both);
    assert!(!ran.out.contains("deprecated"), "{ran:?}");
    let refused = |ran: &Run, count: usize| {
        let words = format!("Error: found {count} deprecation warning(s) and --warnings-as-errors is set\n");
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (1, "", words.as_str()));
    };
    // The run ends at the policies, before an exception is read.
    let as_errors: Vec<&str> = arguments.into_iter().chain(["--warnings-as-errors"]).collect();
    let ran = run(&program, &files, &as_errors, "");
    refused(&ran, 2);
    says(&ran, &both[..1]);
    let files = [("p.yaml", VPOL), ("r.yaml", POD), ("e.yaml", EXCEPTION)];
    let ran = run(&program, &files, &as_errors, "");
    refused(&ran, 1);
    says(&ran, &[exception]);
    let ran = run(&program, &files, &["apply", "p.yaml", "-r", "r.yaml", "--warnings-as-errors"], "");
    assert_eq!((ran.code, ran.deprecated.as_str()), (0, ""), "{ran:?}");
}

#[test]
fn what_kyverno_does_not_load_is_not_counted() {
    let Some(program) = program::find_or_skip() else { return };
    let count = |text: &str| {
        let files = [("d/p.yaml", text), ("d/q.yaml", POLICY), ("r.yaml", POD)];
        let one = run(&program, &files, &["apply", "d/p.yaml", "-r", "r.yaml"], "").deprecated;
        let all = run(&program, &files, &["apply", "d", "-r", "r.yaml"], "").deprecated;
        (one.matches("Warning: ").count(), all.matches("Warning: ").count())
    };
    // An unknown field loses the file, and the folder that was named; so does a kind that is known and not a policy.
    assert_eq!(count(&format!("{POLICY}---\n{POLICY}  nope: 1\n")), (0, 0));
    assert_eq!(
        count(&format!("{POLICY}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x}}\n")),
        (0, 0)
    );
    // A document of a wrong type, of an unknown version or with a key twice loses itself.
    assert_eq!(count(&format!("{POLICY}---\n{POLICY}  background: 1\n")), (1, 2));
    assert_eq!(count(&POLICY.replace("kyverno.io/v1", "kyverno.io/v2alpha1")), (0, 1));
    assert_eq!(count(&format!("{POLICY}  background: true\n  background: true\n")), (0, 1));
    // Items of a list are counted whatever they hold.
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: kyverno.io/v9, kind: Policy}\n- {apiVersion: v1, kind: Pod}\n";
    assert_eq!(count(list), (1, 2));
}

#[test]
fn many_files_are_listed_in_one_line() {
    let Some(program) = program::find_or_skip() else { return };
    let names: Vec<String> = (10..40).map(|at| format!("d/{at}.yaml")).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), POLICY)).chain([("r.yaml", POD)]).collect();
    let ran = run(&program, &files, &["apply", "d", "-r", "r.yaml"], "");
    let named = names[3..23].join(", ");
    let more =
        format!("Warning: kyverno.io/v1 ClusterPolicy is deprecated in 27 more files: {named} and 7 more");
    says(&ran, &[of_policy("d/10.yaml"), of_policy("d/11.yaml"), of_policy("d/12.yaml"), more]);
}

#[test]
fn a_run_of_tests_ends_at_the_first_old_kind() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [
        ("a/kyverno-test.yaml", TEST),
        ("a/p.yaml", POLICY),
        ("a/r.yaml", POD),
        ("b/kyverno-test.yaml", TEST),
        ("b/p.yaml", POLICY),
        ("b/r.yaml", POD),
    ];
    let ran = run(&program, &files, &["test", ".", "--remove-color"], "");
    says(&ran, &[of_policy("a/p.yaml"), of_policy("b/p.yaml")]);
    assert!(ran.code == 0 && ran.out.contains("2 tests passed and 0 tests failed"), "{ran:?}");
    let ran = run(&program, &files, &["test", ".", "--warnings-as-errors"], "");
    let out =
        "Loading test  ( a/kyverno-test.yaml ) ...\n  Loading values/variables ...\n  Loading policies ...\n";
    let err = "Error: failed to run test (found 1 deprecation warning(s) and --warnings-as-errors is set)\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (1, out, err));
    says(&ran, &[of_policy("a/p.yaml")]);
}
