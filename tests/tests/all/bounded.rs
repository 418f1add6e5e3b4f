//! What a run of the terminal client keeps and prints is bounded by bytes, and its time by `--timeout`.
//!
//! In: the built `podsieve`, policies that say much of little. Out: a failure where more is printed than may be, or where
//! what is left out is not said.

use tests::program;
use tests::terminal::{POD, POLICY, run};

/// Pods with these numbers.
fn pods(count: usize) -> String {
    (0..count).map(|n| POD.replace("name: web}", &format!("name: web-{n}}}")) + "---\n").collect()
}

#[test]
fn a_long_message_is_cut_and_says_so() {
    let Some(program) = program::find_or_skip() else { return };
    let long = "x".repeat(300_000);
    let policy =
        POLICY.replace("name a version", &format!("\"{{{{ request.object.metadata.name }}}} {long}\""));
    let pods = pods(20);
    let files = [("policy.yaml", policy.as_str()), ("pods.yaml", pods.as_str())];
    for form in [&[][..], &["-p"], &["-t", "--detailed-results"], &["--report-format", "junit"]] {
        let arguments = [&["apply", "policy.yaml", "-r", "pods.yaml"][..], form].concat();
        let ran = run(&program, &files, &arguments, "");
        assert_eq!(ran.code, 1, "{form:?}: {}", ran.err);
        assert!(ran.out.contains("bytes, the rest is not shown)"), "{form:?}");
        assert!(ran.out.len() < 5 << 20, "{form:?}: {} bytes", ran.out.len());
    }
    let ran = run(&program, &files, &["apply", "policy.yaml", "-r", "pods.yaml"], "");
    assert!(ran.out.ends_with("pass: 0, fail: 20, warn: 0, error: 0, skip: 0 \n"));
}

#[test]
fn generated_objects_are_bounded_by_their_bytes() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: g}}\nspec:\n  rules:\n  - name: r\n    \
         match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}\n    generate:\n      foreach:\n      - list: \
         \"split(request.object.metadata.annotations.list, ',')\"\n        apiVersion: v1\n        kind: ConfigMap\n        \
         name: \"c{{{{ elementIndex }}}}\"\n        namespace: default\n        data: {{data: {{x: {}}}}}\n",
        "x".repeat(37_000)
    );
    let list = vec!["a"; 2_500].join(",");
    let pod = POD.replace(
        "metadata: {name: web}",
        &format!("metadata: {{name: web, annotations: {{list: '{list}'}}}}"),
    );
    let files = [("policy.yaml", policy.as_str()), ("pod.yaml", pod.as_str())];
    let ran = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    assert!(ran.out.len() < 80 << 20, "{} bytes", ran.out.len());
    assert!(ran.err.contains("the objects that are generated take more than 67108864 bytes"), "{}", ran.err);
}

#[test]
fn a_run_ends_where_its_time_is_over() {
    let Some(program) = program::find_or_skip() else { return };
    let pods = pods(20_000);
    let files = [("policy.yaml", POLICY), ("pods.yaml", pods.as_str()), ("pod.yaml", POD)];
    let ran = run(&program, &files, &["apply", "policy.yaml", "-r", "pods.yaml", "--timeout", "1ms"], "");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.err, "Error: the run took longer than --timeout 1ms and is not complete\n");
    let arguments = ["apply", "policy.yaml", "-r", "pod.yaml"];
    let [free, limited] = [&[][..], &["--timeout", "1h"]]
        .map(|limit| run(&program, &files, &[&arguments[..], limit].concat(), ""));
    assert_eq!((free.code, free.out, free.err), (limited.code, limited.out, limited.err));
    for wrong in ["soon", "0s", "-1s"] {
        let flag = format!("--timeout={wrong}");
        let words = format!("Error: invalid argument \"{wrong}\" for \"--timeout\" flag: ");
        // The 1 of `compare` says that policies differ.
        for (code, arguments) in [
            (1, ["jp", "query", "a", "-i", "pod.yaml", &flag].as_slice()),
            (1, &["apply", "policy.yaml", "-r", "pod.yaml", &flag]),
            (2, &["compare", "policy.yaml", "policy.yaml", &flag]),
            (2, &[&flag, "compare", "policy.yaml", "policy.yaml"]),
        ] {
            let ran = run(&program, &files, arguments, "");
            assert!(ran.code == code && ran.err.starts_with(&words), "{} {}", ran.code, ran.err);
        }
    }
}

#[test]
fn a_run_of_compare_without_an_answer_does_not_say_that_policies_differ() {
    let Some(program) = program::find_or_skip() else { return };
    let other = POLICY.replace("name a version", "name another version");
    let files = [("policy.yaml", POLICY), ("other.yaml", other.as_str())];
    for (arguments, words) in [
        (
            ["--timeout", "1us", "compare", "policy.yaml", "other.yaml"].as_slice(),
            "Error: the run took longer",
        ),
        (&["--timeout", "5s", "compare", "--no-such-flag"], "error: unexpected argument '--no-such-flag'"),
    ] {
        let ran = run(&program, &files, arguments, "");
        assert!(ran.code == 2 && ran.err.starts_with(words), "{} {}", ran.code, ran.err);
    }
}
