//! The action: its scripts, run with the variables that a runner sets.
//!
//! In: the built `podsieve`, files in a folder of their own, inputs. Out: a failure where an exit code, an output, a file or the summary differs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use std::path::Path;
use std::process::Command;
use tests::program::{self, Scratch};
use tests::terminal::{POD, POLICY};

struct Step {
    code: Option<i32>,
    out: String,
    outputs: String,
    summary: String,
    scratch: Scratch,
}

/// Inputs, the exit code, the outputs.
type Row<'a> = (&'a [(&'a str, &'a str)], i32, &'a str);

/// Runs the step with inputs by the names of their variables.
fn step(inputs: &[(&str, &str)]) -> Option<Step> {
    let program = program::find_or_skip()?;
    let scratch = Scratch::new().unwrap();
    scratch.write("old/policy.yaml", POLICY.replace("!*:latest", "*")).unwrap();
    scratch.write("new/policy.yaml", POLICY).unwrap();
    scratch.write("app/pod.yaml", POD).unwrap();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-eo", "pipefail"]).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../action/run.sh"));
    bash.current_dir(scratch.path()).env("PATH", path).envs(inputs.iter().copied());
    bash.env("GITHUB_OUTPUT", scratch.path().join("output"));
    bash.env("GITHUB_STEP_SUMMARY", scratch.path().join("summary"));
    let output = bash.output().unwrap();
    let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap_or_default();
    let out = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let (outputs, summary) = (read("output"), read("summary"));
    Some(Step { code: output.status.code(), out, outputs, summary, scratch })
}

#[test]
fn each_mode_gives_its_exit_code_and_verdict() {
    let rows: [Row<'_>; 5] = [
        (&[("PODSIEVE_POLICIES", "new"), ("PODSIEVE_RESOURCES", "app")], 1, "exit-code=1\nverdict=fail\n"),
        (
            &[("PODSIEVE_POLICIES", "\nold\n"), ("PODSIEVE_RESOURCES", "app\r\n")],
            0,
            "exit-code=0\nverdict=pass\n",
        ),
        (
            &[("PODSIEVE_MODE", "test"), ("PODSIEVE_POLICIES", "app"), ("PODSIEVE_ARGS", "--require-tests")],
            1,
            "exit-code=1\nverdict=fail\n",
        ),
        (&[("PODSIEVE_MODE", "convert"), ("PODSIEVE_POLICIES", "new")], 0, "exit-code=0\nverdict=pass\n"),
        (
            &[("PODSIEVE_MODE", "impact"), ("PODSIEVE_POLICIES", "old\nold"), ("PODSIEVE_RESOURCES", "app")],
            0,
            "exit-code=0\nverdict=pass\ncomment=podsieve-comment.md\n",
        ),
    ];
    for (inputs, code, outputs) in rows {
        let Some(step) = step(inputs) else { return };
        assert_eq!((step.code, step.outputs.as_str()), (Some(code), outputs), "{inputs:?}: {}", step.out);
        assert!(!step.summary.is_empty(), "{inputs:?}");
    }
}

#[test]
fn a_change_fails_only_where_the_input_says_so() {
    let inputs = [
        ("PODSIEVE_MODE", "impact"),
        ("PODSIEVE_POLICIES", "old\nnew"),
        ("PODSIEVE_RESOURCES", "app"),
        ("PODSIEVE_SARIF", "i.sarif"),
    ];
    let Some(reported) = step(&inputs) else { return };
    assert_eq!(reported.code, Some(0), "{}", reported.out);
    assert_eq!(
        reported.outputs,
        "exit-code=2\nverdict=changed\ncomment=podsieve-comment.md\nsarif=i.sarif\n"
    );
    let comment = std::fs::read_to_string(reported.scratch.path().join("podsieve-comment.md")).unwrap();
    assert!(comment.contains("newly reported") && reported.summary == comment, "{comment}");
    let Some(failed) = step(&[&inputs[..], &[("PODSIEVE_FAIL_ON", "newly-reported")]].concat()) else {
        return;
    };
    assert_eq!(failed.code, Some(2), "{}", failed.out);
}

#[test]
fn an_input_is_an_argument_whatever_is_in_it() {
    for hostile in
        ["$(touch run)", "`touch run`", "a; touch run", "--version", "-r", "' \"", "::set-output name=a::b"]
    {
        for name in ["PODSIEVE_POLICIES", "PODSIEVE_RESOURCES", "PODSIEVE_MODE", "PODSIEVE_FOLDER"] {
            let mut inputs = vec![("PODSIEVE_POLICIES", "new"), ("PODSIEVE_RESOURCES", "app")];
            inputs.retain(|(known, _)| *known != name);
            inputs.push((name, hostile));
            let Some(step) = step(&inputs) else { return };
            assert_eq!(step.code, Some(1), "{name}={hostile}: {}", step.out);
            assert!(!step.scratch.path().join("run").exists(), "{name}={hostile}");
            assert!(!step.outputs.contains("verdict=pass"), "{name}={hostile}");
        }
    }
    let Some(broken) = step(&[("PODSIEVE_POLICIES", "new"), ("PODSIEVE_SARIF", "a\nverdict=pass")]) else {
        return;
    };
    assert_eq!((broken.code, broken.outputs.as_str()), (Some(1), ""), "{}", broken.out);
}

#[test]
fn a_file_for_code_scanning_is_written_beside_the_verdict() {
    let inputs = [("PODSIEVE_POLICIES", "new"), ("PODSIEVE_RESOURCES", "app"), ("PODSIEVE_SARIF", "a.sarif")];
    let Some(step) = step(&inputs) else { return };
    assert_eq!(step.outputs, "exit-code=1\nverdict=fail\nsarif=a.sarif\n", "{}", step.out);
    let sarif = std::fs::read_to_string(step.scratch.path().join("a.sarif")).unwrap();
    assert!(sarif.contains("\"app/pod.yaml\""), "{sarif}");
    assert!(step.summary.starts_with("### podsieve apply: fail\n\n    "), "{}", step.summary);
}

#[test]
fn every_input_of_the_action_reaches_its_script() {
    let read = |name: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
    };
    let (action, scripts) = (read("action.yml"), read("action/run.sh") + &read("action/setup.sh"));
    let names: Vec<&str> =
        action.lines().filter_map(|line| line.trim().strip_prefix("PODSIEVE_")?.split(':').next()).collect();
    assert!(names.len() >= 11, "{names:?}");
    for name in names {
        assert!(scripts.contains(&format!("${{PODSIEVE_{name}:-")), "{name}");
    }
    let steps = action.split("run: bash").skip(1);
    assert!(
        steps.clone().count() == 2
            && steps.clone().all(|step| !step.lines().next().unwrap_or_default().contains("${{"))
    );
}
