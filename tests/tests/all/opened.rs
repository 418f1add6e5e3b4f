//! What a path stands for in the commands that the original does not have: a file whatever its name is, the YAML and JSON
//! below a folder; and one that cannot be read keeps nothing else from being evaluated.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where a file is passed over, or a fault stops another.

use tests::program;
use tests::terminal::{POD, POLICY, Run, run, run_in};

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
        (&["mesh", "inject", "--mesh", "istio@1.24", "-f", "pod.txt"], "name: json"),
    ];
    for (arguments, words) in asked {
        let Run { out, err, .. } = run(&program, &FILES, arguments, "");
        assert!(out.contains(words), "{arguments:?}\n{out}{err}");
    }
}

#[test]
fn a_folder_is_walked_for_yaml_and_json() {
    let Some(program) = program::find_or_skip() else { return };
    let Run { code, out, err, .. } = run(&program, &FILES, &["psa", "check", "-f", "all"], "");
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
        let Run { code, out, err, .. } = run(&program, &FILES, arguments, "");
        assert!(out.contains(words), "{arguments:?}\n{out}");
        let said = "error: `nope.yaml` cannot be read: open nope.yaml: no such file or directory\n";
        assert_eq!((code, err.as_str()), (1, said), "{arguments:?}");
    }
    // How wide an exemption is cannot be said of a part of the files.
    let Run { code, out, err, .. } =
        run(&program, &FILES, &["sieve", "check", "policy.txt", "no/*.yaml"], "");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("no/"), "{err}");
}

/// The place is counted from the beginning of the line, however much of the line is shown.
#[test]
fn a_place_far_into_a_line_has_its_column() {
    let Some(program) = program::find_or_skip() else { return };
    for before in [600, 100_000] {
        let head = format!("metadata: {{annotations: {{a: \"{}\"}}, labels: {{a: ", "ü".repeat(before));
        let column = head.chars().count() + 1;
        let text = format!("kind: Pod\n{head}*nope}}}}\n");
        let Run { err, .. } = run(&program, &[("far.yaml", &text)], &["psa", "check", "-f", "far.yaml"], "");
        assert!(err.contains(&format!("--> far.yaml:2:{column}\n")), "{err}");
        assert!(err.contains("labels: {a: *nope}}"), "{err}");
    }
}

/// A folder with links: `l1` to itself, `sub/l2` back to it, `sub/far` to a folder beside it.
#[cfg(unix)]
fn circles() -> std::io::Result<program::Scratch> {
    use std::os::unix::fs::symlink;
    let scratch = program::Scratch::new()?;
    let files =
        [("loop/pod.yaml", POD), ("loop/sub/two.yaml", POD), ("far/three.yaml", POD), ("p.yaml", POLICY)];
    files.iter().try_for_each(|(name, text)| scratch.write(name, text))?;
    symlink(".", scratch.path().join("loop/l1"))?;
    symlink("..", scratch.path().join("loop/sub/l2"))?;
    symlink("../../far", scratch.path().join("loop/sub/far"))?;
    Ok(scratch)
}

/// A run that followed the links round would not end.
#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_a_circle() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = circles().unwrap();
    let Run { code, out, err, .. } = run_in(&program, scratch.path(), &["psa", "check", "-f", "loop"], "");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("objects: 3,"), "{out}");
    for name in ["loop/pod.yaml:1", "loop/sub/two.yaml:1", "loop/sub/far/three.yaml:1"] {
        assert!(out.contains(name), "{name}\n{out}");
    }
    let arguments = ["apply", "p.yaml", "-r", "loop/**/*.yaml", "--detailed-results"];
    let Run { out, err, .. } = run_in(&program, scratch.path(), &arguments, "");
    assert!(out.contains("to 3 resource(s)"), "{out}{err}");
}

/// The original refuses the folder too, once the system does: no policy of it is read.
#[cfg(unix)]
#[test]
fn an_entry_that_loses_a_folder_of_policies_is_named() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = circles().unwrap();
    scratch.write("pl/p.yaml", POLICY).unwrap();
    std::os::unix::fs::symlink("nowhere", scratch.path().join("pl/x.yaml")).unwrap();
    let lost = [
        ("pl", "pl/x.yaml", "stat pl/x.yaml: no such file or directory"),
        ("loop", "loop/l1", "stat loop/l1: too many levels of symbolic links"),
    ];
    for (folder, entry, why) in lost {
        let Run { code, out, err, .. } =
            run_in(&program, scratch.path(), &["apply", folder, "-r", "far/three.yaml"], "");
        assert!(out.contains("Applying 0 policy rule(s) to 1 resource(s)"), "{out}");
        let said =
            format!("error: policy file `{entry}` cannot be read: {why}; so no file of `{folder}` is read\n");
        assert_eq!((code, err.starts_with(&said)), (1, true), "{err}");
    }
    // Where the original has no say, the rest is evaluated.
    let Run { code, out, err, .. } =
        run_in(&program, scratch.path(), &["explain", "pl", "-r", "far/three.yaml"], "");
    assert!(out.contains("FAIL no-latest/tag"), "{out}");
    let said = "error: `pl/x.yaml` cannot be read: open pl/x.yaml: no such file or directory\n";
    assert_eq!((code, err.as_str()), (1, said));
}

#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
fn scratch() -> program::Scratch {
    let scratch = program::Scratch::new().unwrap();
    for (name, text) in [("policy.yaml", POLICY), ("pod.yaml", POD)] {
        scratch.write(name, text).unwrap();
    }
    scratch
}

#[test]
#[cfg(unix)]
fn what_is_not_a_file_is_named_and_passed_over() {
    let Some(program) = program::find_or_skip() else { return };
    let folder = scratch();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.yaml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.yaml")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo makes a pipe");
    let arguments = ["apply", "policy.yaml", "-r", "zero.yaml", "-r", "pipe.yaml", "-r", "pod.yaml"];
    let run = run_in(&program, folder.path(), &arguments, "");
    assert!(run.out.contains("policy no-latest -> resource default/Pod/web failed:"), "{}", run.out);
    for name in ["zero.yaml", "pipe.yaml"] {
        let words = format!("open {name}: this is a pipe, a socket or a device, not a file");
        assert!(run.err.contains(&words), "{}", run.err);
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_and_stays_as_it_is() {
    let Some(program) = program::find_or_skip() else { return };
    let folder = scratch();
    for resource in ["pod.yaml", ".", "p*.yaml"] {
        let arguments = ["apply", "policy.yaml", "-r", resource, "-o", "pod.yaml"];
        let run = run_in(&program, folder.path(), &arguments, "");
        assert_eq!(run.code, 1, "{resource}: {}", run.out);
        assert!(run.err.contains("--output pod.yaml is read as a part of"), "{}", run.err);
        assert_eq!(std::fs::read_to_string(folder.path().join("pod.yaml")).unwrap(), POD);
    }
}

#[test]
fn explain_is_pointed_to_and_says_what_is_only_proposed() {
    let Some(program) = program::find_or_skip() else { return };
    let run =
        |arguments: &[&str]| run(&program, &[("policy.yaml", POLICY), ("pod.yaml", POD)], arguments, "");
    assert!(
        run(&["explain", "policy.yaml", "-r", "pod.yaml"]).out.contains("(tried; the value is a proposal)")
    );
    let tip = run(&["explain", "policy.yaml", "pod.yaml"]).err;
    assert!(tip.contains("`podsieve explain policy.yaml -r pod.yaml`"), "{tip}");
    assert!(
        run(&["apply", "policy.yaml", "-r", "pod.yaml", "--explain"]).out.contains("`podsieve explain` ")
    );
}
