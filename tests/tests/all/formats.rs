//! What is wrong with files is said in every format, and in every format the exit code is the same: a scan of what could
//! not be read must not look clean.
//!
//! In: the built `podsieve`, files of which some cannot be read and some are refused. Out: a failure where a document does not
//! parse, or leaves out what people are said.

use engine::json::{Value, parse};
use tests::program::{self, Scratch};
use tests::terminal::{self, Run};

const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labelled}
spec:
  rules:
  - name: label
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {seen: by}}}}
";
const REFUSED: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: empty}
spec:
  rules:
  - name: nothing
    match: {any: [{resources: {kinds: [Pod]}}]}
";
const DOUBTFUL: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: open, namespace: team}
metadata: {name: twice, namespace: team}
spec:
  hostNetwork: true
  containers: [{name: a, image: a}]
";
const PSP: &str = "\
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: good}
spec:
  hostNetwork: true
  fsGroup: {rule: RunAsAny}
  runAsUser: {rule: RunAsAny}
  seLinux: {rule: RunAsAny}
  supplementalGroups: {rule: RunAsAny}
  volumes: ['*']
";

#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn run(files: &[(&str, &[u8])], arguments: &[&str]) -> Option<Run> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    for (name, bytes) in files {
        scratch.write(name, bytes).unwrap();
    }
    Some(terminal::run_in(&program, scratch.path(), arguments, ""))
}

/// A folder in which one file is not UTF-8, one no YAML, one is in doubt.
fn files() -> Vec<(&'static str, &'static [u8])> {
    vec![
        ("policy.yaml", POLICY.as_bytes()),
        ("refused.yaml", REFUSED.as_bytes()),
        ("psp.yaml", PSP.as_bytes()),
        ("doubtful.yaml", DOUBTFUL.as_bytes()),
        ("broken.yaml", b"kind: Pod\n\tspec: {}\n"),
        ("binary.yaml", b"kind: \xff\xfe\n"),
    ]
}

/// Rule, level, and file with line of each result of a SARIF document.
fn results(text: &str) -> Vec<(String, String, String)> {
    let document = parse(text).unwrap_or_default();
    let run = document.get("runs").and_then(|runs| runs.at(0)).cloned().unwrap_or_default();
    let rules = run.find(&["tool", "driver", "rules"]).and_then(Value::as_array).unwrap_or_default().to_vec();
    let described = |result: &Value| {
        let id = result.find_str(&["ruleId"]);
        assert!(rules.iter().any(|rule| rule.find_str(&["id"]) == id), "no rule `{id}` in {text}");
        let place = result.get("locations").and_then(|list| list.at(0)?.get("physicalLocation"));
        let place = place.map(|place| {
            let line = place.find(&["region", "startLine"]).and_then(Value::as_i64).unwrap_or_default();
            format!("{}:{line}", place.find_str(&["artifactLocation", "uri"]))
        });
        (id.to_owned(), result.find_str(&["level"]).to_owned(), place.unwrap_or_default())
    };
    let results = run.get("results").and_then(Value::as_array);
    assert!(results.is_some(), "no SARIF: {text}");
    results.unwrap_or_default().iter().map(described).collect()
}

fn holds(results: &[(String, String, String)], id: &str, level: &str, place: &str) {
    let wanted = (id.to_owned(), level.to_owned(), place.to_owned());
    assert!(results.contains(&wanted), "{wanted:?} is not among {results:#?}");
}

const APPLY: [&str; 10] = [
    "apply",
    "policy.yaml",
    "refused.yaml",
    "binary.yaml",
    "nowhere.yaml",
    "-r",
    "doubtful.yaml,broken.yaml",
    "--target-resource",
    "binary.yaml",
    "--report-format",
];

#[test]
fn sarif_of_apply_tells_all_that_is_wrong_with_the_files_and_nothing_stands_beside_it() {
    let Some(Run { code, out, err, .. }) = run(&files(), &[&APPLY[..], &["sarif"]].concat()) else { return };
    let results = results(&out);
    holds(&results, "unreadable", "error", "binary.yaml:1");
    holds(&results, "unreadable", "error", "nowhere.yaml:1");
    holds(&results, "refused", "error", "refused.yaml:6");
    holds(&results, "yaml-syntax", "error", "broken.yaml:2");
    holds(&results, "duplicate-key", "warning", "doubtful.yaml:4");
    assert_eq!(code, 1);
    // What else there is to say is not lost.
    assert!(err.contains("seen: by"), "{err}");
}

#[test]
fn junit_of_apply_tells_all_that_is_wrong_with_the_files_and_nothing_stands_beside_it() {
    let Some(Run { code, out, .. }) = run(&files(), &[&APPLY[..], &["junit"]].concat()) else { return };
    assert!(out.starts_with("<?xml") && out.ends_with("</testsuites>\n"), "{out}");
    for words in [
        "<testcase name=\"binary.yaml\" classname=\"input\" file=\"binary.yaml\" line=\"1\">\n      <error type=\"unreadable\"",
        "<testcase name=\"nowhere.yaml\" classname=\"input\" file=\"nowhere.yaml\" line=\"1\">\n      <error type=\"unreadable\"",
        "file=\"broken.yaml\" line=\"2\">\n      <error type=\"yaml-syntax\"",
        "file=\"doubtful.yaml\" line=\"4\">\n      <system-out>warning: ",
        "<error type=\"refused\" message=\"spec.rules[0]: ",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
    assert_eq!(code, 1);
}

#[test]
fn reports_for_a_cluster_are_documents_by_themselves() {
    let arguments =
        ["apply", "policy.yaml", "refused.yaml", "-r", "doubtful.yaml", "--report-format", "wgpolicy"];
    let Some(Run { code, out, err, .. }) = run(&files(), &arguments) else { return };
    assert!(!out.contains("Policies Skipped") && !out.contains("Mutation"), "{out}");
    assert!(code == 1 && err.contains("refused"), "{err}");
}

#[test]
fn a_policy_that_kubernetes_refuses_is_an_error_of_psp_in_every_format() {
    let bad = PSP
        .replace("name: good", "name: worse")
        .replace("runAsUser: {rule: RunAsAny}", "runAsUser: {rule: Any}");
    let pod = DOUBTFUL.replacen("metadata: {name: open, namespace: team}\n", "", 1);
    let files = [("bad.yaml", bad.as_bytes()), ("psp.yaml", PSP.as_bytes()), ("pod.yaml", pod.as_bytes())];
    let arguments = ["psp", "check", "-f", "psp.yaml,pod.yaml,bad.yaml", "--format"];
    let ask = |format: &'static str| run(&files, &[&arguments[..], &[format]].concat());
    let Some(Run { code, out, .. }) = ask("text") else { return };
    assert!(code == 1 && out.contains("allowed: 1, refused: 0"), "{out}");
    assert!(
        out.contains("bad.yaml:7  Error: PodSecurityPolicy worse: spec.runAsUser.rule: Unsupported value"),
        "{out}"
    );
    assert!(out.contains("bad.yaml:1  Error: PodSecurityPolicy worse cannot be used: "), "{out}");
    let Run { code, out, .. } = ask("sarif").unwrap_or_default();
    let results = results(&out);
    holds(&results, "refused", "error", "bad.yaml:7");
    holds(&results, "refused", "error", "bad.yaml:1");
    assert_eq!((code, results.len()), (1, 2), "{out}");
    let Run { code, out, .. } = ask("json").unwrap_or_default();
    let policies = parse(&out).unwrap_or_default();
    let worse = policies.get("policies").and_then(|policies| policies.at(1)).cloned().unwrap_or_default();
    assert_eq!((code, worse.find_str(&["name"])), (1, "worse"));
    assert!(worse.get("unusable").and_then(|list| list.at(0)).is_some(), "{out}");
}

/// The commands that evaluate files by something else than policies of Kyverno.
const OTHERS: [&[&str]; 4] = [
    &["psp", "check", "-f", "psp.yaml,doubtful.yaml,broken.yaml,binary.yaml", "--format"],
    &["psa", "check", "-f", "doubtful.yaml,broken.yaml,binary.yaml", "--format"],
    &["psa", "namespace", "-f", "doubtful.yaml,broken.yaml,binary.yaml", "--format"],
    &["psa", "advise", "-f", "doubtful.yaml,broken.yaml,binary.yaml", "--format"],
];

#[test]
fn sarif_tells_what_cannot_be_read() {
    for arguments in OTHERS {
        let Some(Run { code, out, .. }) = run(&files(), &[arguments, &["sarif"]].concat()) else { return };
        let results = results(&out);
        holds(&results, "unreadable", "error", "binary.yaml:1");
        holds(&results, "yaml-syntax", "error", "broken.yaml:2");
        holds(&results, "duplicate-key", "warning", "doubtful.yaml:4");
        assert_eq!(code, 1, "{arguments:?}");
    }
}

#[test]
fn json_tells_what_cannot_be_read() {
    let more: [&[&str]; 3] = [
        &["mesh", "inject", "-f", "doubtful.yaml,broken.yaml,binary.yaml", "--mesh", "istio", "--format"],
        &["explain", "policy.yaml", "-r", "doubtful.yaml", "-r", "broken.yaml", "-r", "binary.yaml", "-o"],
        &["sieve", "check", "policy.yaml", "doubtful.yaml", "broken.yaml", "--format"],
    ];
    for arguments in OTHERS.into_iter().chain(more) {
        let Some(Run { code, out, .. }) = run(&files(), &[arguments, &["json"]].concat()) else { return };
        let answer = parse(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error:?}\n{out}"));
        let said = answer.get("diagnostics").and_then(Value::as_array).unwrap_or_default();
        let is_described = |code: &str| said.iter().any(|said| said.find_str(&["code"]) == code);
        assert!(is_described("yaml-syntax") && is_described("duplicate-key"), "{arguments:?}: {said:?}");
        assert!(
            is_described("unreadable") || !arguments.concat().contains("binary"),
            "{arguments:?}: {said:?}"
        );
        let wanted = if arguments.contains(&"sieve") { 2 } else { 1 };
        assert_eq!(code, wanted, "{arguments:?}");
    }
}

#[test]
fn a_file_that_the_sieve_cannot_read_is_told_as_json() {
    let arguments = ["sieve", "check", "policy.yaml", "binary.yaml", "--format", "json"];
    let Some(Run { code, out, .. }) = run(&files(), &arguments) else { return };
    let answer = parse(&out).unwrap_or_default();
    let said = answer.get("diagnostics").and_then(|said| said.at(0)).cloned().unwrap_or_default();
    assert_eq!((code, said.find_str(&["code"])), (2, "unreadable"), "{out}");
}

#[test]
fn without_a_level_findings_are_warnings_as_the_exit_code_says() {
    let arguments = ["psa", "check", "-f", "doubtful.yaml", "--format", "sarif"];
    let Some(Run { code, out, .. }) = run(&files(), &arguments) else { return };
    let level = |out: &str| {
        results(out).into_iter().filter(|(id, ..)| id == "hostNamespaces").map(|(_, level, _)| level).next()
    };
    assert_eq!((code, level(&out).as_deref()), (0, Some("warning")), "{out}");
    let Run { code, out, .. } =
        run(&files(), &[&arguments[..], &["--level", "baseline"]].concat()).unwrap_or_default();
    assert_eq!((code, level(&out).as_deref()), (1, Some("error")), "{out}");
}
