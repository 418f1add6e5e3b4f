//! What a path stands for in the commands that the original does not have: a file whatever its name is, the YAML and JSON
//! below a folder; and one that cannot be read keeps nothing else from being judged.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where a file is passed over, or a fault stops another.

use tests::program;
use tests::terminal::{POD, POLICY, Run, run};

const JSON: &str = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "json"},
  "spec": {"hostNetwork": true, "containers": [{"name": "a", "image": "a:latest"}]}}"#;
const FILES: [(&str, &str); 6] = [
    ("policy.txt", POLICY),
    ("pod.txt", JSON),
    ("all/sub/pod.json", JSON),
    ("all/web.yml", POD),
    ("all/note.txt", "no: ["),
    ("all/.git/pod.yaml", "no: ["),
];

#[test]
fn a_file_that_is_named_is_read_whatever_its_name_is() {
    let Some(program) = program::find_or_skip() else { return };
    let asked: [(&[&str], &str); 4] = [
        (&["psa", "check", "--level", "baseline", "-f", "pod.txt"], "pod.txt:1  Pod default/json: violates"),
        (&["psp", "check", "-f", "pod.txt"], "pod.txt:1  Pod default/json (account default): refused"),
        (&["explain", "policy.txt", "-r", "pod.txt"], "FAIL no-latest/tag on default/Pod/json"),
        (&["mesh", "inject", "--mesh", "istio@1.24", "-f", "pod.txt"], "name: istio-init"),
    ];
    for (arguments, words) in asked {
        let Run { out, err, .. } = run(&program, &FILES, arguments, "");
        assert!(out.contains(words), "{arguments:?}\n{out}{err}");
    }
}

#[test]
fn a_folder_is_walked_for_yaml_and_json() {
    let Some(program) = program::find_or_skip() else { return };
    let Run { code, out, err } = run(&program, &FILES, &["psa", "check", "-f", "all"], "");
    assert!(out.contains("all/sub/pod.json:1  Pod default/json"), "{out}");
    assert!(out.contains("objects: 2,"), "{out}");
    assert_eq!((code, err.as_str()), (0, ""));
    let Run { out, .. } = run(&program, &FILES, &["explain", "policy.txt", "-r", "pod.txt,all"], "");
    assert_eq!(out.matches("FAIL no-latest/tag").count(), 3, "{out}");
}

#[test]
fn a_path_that_stands_for_nothing_is_named_and_all_others_are_judged() {
    let Some(program) = program::find_or_skip() else { return };
    let asked: [(&[&str], &str); 3] = [
        (&["psa", "check", "-f", "nope.yaml,pod.txt"], "Pod default/json"),
        (&["psp", "check", "-f", "nope.yaml", "-f", "pod.txt"], "Pod default/json"),
        (&["explain", "policy.txt", "-r", "nope.yaml", "-r", "pod.txt"], "FAIL no-latest/tag"),
    ];
    for (arguments, words) in asked {
        let Run { code, out, err } = run(&program, &FILES, arguments, "");
        assert!(out.contains(words), "{arguments:?}\n{out}");
        let said = "error: `nope.yaml` cannot be read: open nope.yaml: no such file or directory\n";
        assert_eq!((code, err.as_str()), (1, said), "{arguments:?}");
    }
    // How wide an exemption is cannot be told of a part of the files.
    let Run { code, out, err } = run(&program, &FILES, &["sieve", "check", "policy.txt", "no/*.yaml"], "");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("no/"), "{err}");
}

/// The place is counted from the beginning of the line, however much of the line is shown.
#[test]
fn a_place_far_into_a_line_has_its_column() {
    let Some(program) = program::find_or_skip() else { return };
    for (before, column) in [(600, 639), (100_000, 100_039)] {
        let text = format!(
            "kind: Pod\nmetadata: {{annotations: {{a: \"{}\"}}, labels: {{a: *nope}}}}\n",
            "ü".repeat(before)
        );
        let Run { err, .. } = run(&program, &[("far.yaml", &text)], &["psa", "check", "-f", "far.yaml"], "");
        assert!(err.contains(&format!("--> far.yaml:2:{column}\n")), "{err}");
        assert!(err.contains("labels: {a: *nope}}"), "{err}");
    }
}
