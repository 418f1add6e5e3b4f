//! The terminal client as a program, and the commands that README.md names.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where output, exit code or advice differ.

use engine::json::{Value, parse};
use std::path::Path;
use tests::terminal::{POD, POLICY, run};
use tests::{program, recorded};

const FILES: &[(&str, &str)] = &[("policy.yaml", POLICY), ("pod.yaml", POD)];
const FAILED: &str = "policy no-latest -> resource default/Pod/web failed:\n1 - tag validation error: name a version. rule tag failed at path /spec/containers/0/image/\n";

#[test]
fn a_failure_is_told_in_the_words_of_the_original() {
    let Some(program) = program::find_or_skip() else { return };
    let run = run(&program, FILES, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    let expected = format!(
        "\nApplying 3 policy rule(s) to 1 resource(s)...\n{FAILED}\npass: 0, fail: 1, warn: 0, error: 0, skip: 0 \n"
    );
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (1, expected.as_str(), ""));
}

/// A large file is read and evaluated piece by piece; with `--explain` all of it is read first. Both say the same.
#[test]
fn a_large_file_is_judged_piece_by_piece_as_it_is_as_a_whole() {
    let Some(program) = program::find_or_skip() else { return };
    let mut large = String::new();
    for n in 0..4_000 {
        large.push_str(
            &POD.replace("web}", &format!("web-{n}}}"))
                .replace(":latest", if n % 3 == 0 { ":latest" } else { ":1" }),
        );
        large.push_str(if n % 997 == 5 { "---\nkind: [\n---\n" } else { "---\n" });
    }
    assert!(large.len() > 6 * 64 * 1024);
    let files = [("policy.yaml", POLICY), ("pods.yaml", large.as_str())];
    let [pieces, whole] = [
        &["apply", "policy.yaml", "-r", "pods.yaml"][..],
        &["apply", "policy.yaml", "-r", "pods.yaml", "--explain"],
    ]
    .map(|arguments| run(&program, &files, arguments, ""));
    let start = "\nApplying 3 policy rule(s) to 4000 resource(s)...\npolicy no-latest -> resource default/Pod/web-0 failed:\n";
    assert!(pieces.out.starts_with(start), "{}", pieces.out.lines().take(3).collect::<String>());
    assert!(pieces.out.ends_with("\npass: 2666, fail: 1334, warn: 0, error: 0, skip: 0 \n"));
    assert!(whole.out.starts_with(&pieces.out));
    assert_eq!((pieces.code, &pieces.err), (whole.code, &whole.err));
    assert!(pieces.err.contains("pods.yaml:") && pieces.err.matches("error").count() >= 5, "{}", pieces.err);
}

#[test]
fn resources_come_from_standard_input_folders_and_patterns() {
    let Some(program) = program::find_or_skip() else { return };
    let piped = run(&program, FILES, &["apply", "policy.yaml", "-r", "-"], POD);
    assert!(piped.out.contains(FAILED), "{}", piped.out);
    let files = [("policy.yaml", POLICY), ("a/b/one.yaml", POD), ("a/two.yml", POD), ("a/note.txt", "no: [")];
    let found = |paths: &[&str]| {
        let arguments: Vec<&str> = ["apply", "policy.yaml"].iter().chain(paths).copied().collect();
        let run = run(&program, &files, &arguments, "");
        run.out.lines().nth(1).unwrap_or("").to_owned()
    };
    assert_eq!(found(&["-r", "a"]), "Applying 3 policy rule(s) to 1 resource(s)...");
    assert_eq!(found(&["-r", "a/**/*.yaml"]), "Applying 3 policy rule(s) to 1 resource(s)...");
    assert_eq!(found(&["-r", "a/**/*.y*ml"]), "Applying 3 policy rule(s) to 2 resource(s)...");
    assert_eq!(found(&["-r", "a/two.yml,a/b/one.yaml"]), "Applying 3 policy rule(s) to 2 resource(s)...");
}

#[test]
fn what_cannot_be_used_is_named_with_its_line_and_ends_with_1() {
    let Some(program) = program::find_or_skip() else { return };
    let broken = POLICY.replace("pattern:", "patern:");
    let files = [("policy.yaml", broken.as_str()), ("pod.yaml", POD)];
    let policy = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    assert_eq!(policy.code, 1);
    assert!(policy.err.contains("policy.yaml:10"), "{}", policy.err);
    assert!(
        policy.err.contains("`patern`") && policy.err.contains("did you mean `pattern`?"),
        "{}",
        policy.err
    );
    assert!(policy.out.contains("Applying 0 policy rule(s) to 1 resource(s)..."));

    let absent = run(&program, FILES, &["apply", "other.yaml", "-r", "pod.yaml"], "");
    assert_eq!(absent.code, 1);
    assert!(absent.err.contains("`other.yaml` cannot be read"), "{}", absent.err);

    let files = [("policy.yaml", POLICY), ("pod.yaml", "kind: Pod\n  metadata: x\n"), ("good.yaml", POD)];
    let resource = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "-r", "good.yaml"], "");
    assert!(resource.err.contains("pod.yaml:2"), "{}", resource.err);
    assert!(resource.out.contains(FAILED), "the rest is evaluated: {}", resource.out);
}

#[test]
fn reasons_stand_behind_the_verdicts() {
    let Some(program) = program::find_or_skip() else { return };
    let run = run(&program, FILES, &["apply", "policy.yaml", "-r", "pod.yaml", "--explain"], "");
    assert!(run.out.contains("decided at policy.yaml:10, pod.yaml:7"), "{}", run.out);
}

/// A name with a line break in it cannot forge a heading of its own.
#[test]
fn a_heading_of_explain_is_one_line() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = POLICY.replace("- name: tag", "- name: \"tag\\nPASS forged/rule\"");
    let run = run(
        &program,
        &[("policy.yaml", &policy), ("pod.yaml", POD)],
        &["explain", "policy.yaml", "-r", "pod.yaml"],
        "",
    );
    assert!(run.out.contains("tag\\nPASS forged/rule on default/Pod/web"), "{}", run.out);
    assert!(!run.out.lines().any(|line| line.starts_with("PASS forged")), "{}", run.out);
}

#[test]
fn the_rules_of_autogen_are_shown_with_the_rule_they_come_from() {
    let Some(program) = program::find_or_skip() else { return };
    let arguments = ["apply", "policy.yaml", "-r", "pod.yaml", "--show-autogen"];
    let shown = run(&program, FILES, &arguments, "").out;
    let made =
        "  autogen-cronjob-tag, made of tag (policy.yaml:6) for CronJob\n    name: autogen-cronjob-tag\n";
    assert!(shown.contains(made), "{shown}");
    let named = POLICY.replace("kinds: [Pod]", "kinds: [Pod], names: [web]");
    let hindered = run(&program, &[("policy.yaml", &named), ("pod.yaml", POD)], &arguments, "").out;
    assert!(hindered.contains("  no rules: rule `tag` selects by `names`"), "{hindered}");
    assert!(hindered.contains(" (policy.yaml:7)\n"), "{hindered}");
}

#[test]
fn what_was_there_before_is_updated() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = POLICY.replace("kinds: [Pod]", "kinds: [Pod], operations: [UPDATE]");
    let files = [("policy.yaml", policy.as_str()), ("pod.yaml", POD), ("old.yaml", POD)];
    let arguments = ["apply", "policy.yaml", "-r", "pod.yaml"];
    assert!(!run(&program, &files, &arguments, "").out.contains(FAILED));
    let update = [&arguments[..], &["--old-resource", "old.yaml"]].concat();
    let run = run(&program, &files, &update, "");
    assert!(run.out.contains(FAILED), "{}", run.out);
}

#[test]
fn reports_point_at_the_lines() {
    let Some(program) = program::find_or_skip() else { return };
    let report = |format: &str| {
        let arguments = ["apply", "policy.yaml", "-r", "pod.yaml", "--report-format", format];
        run(&program, FILES, &arguments, "").out
    };
    let sarif = parse(&report("sarif")).unwrap();
    let result =
        sarif.get("runs").and_then(|runs| runs.at(0)).and_then(|run| run.get("results")?.at(0)).unwrap();
    let location = result.get("locations").and_then(|list| list.at(0)).unwrap();
    let region = location.find(&["physicalLocation", "region"]).unwrap();
    assert_eq!(region.get("startLine").and_then(Value::as_i64), Some(7));
    assert_eq!(location.find_str(&["physicalLocation", "artifactLocation", "uri"]), "pod.yaml");
    assert!(report("junit").contains(
        "<testcase name=\"tag default/Pod/web\" classname=\"no-latest\" file=\"pod.yaml\" line=\"7\">"
    ));
    let cluster = engine::yaml::parse_one(&report("wgpolicy")).unwrap();
    assert_eq!(cluster.find_str(&["apiVersion"]), "wgpolicyk8s.io/v1alpha2");
    assert_eq!(cluster.find_str(&["scope", "name"]), "web");
}

#[test]
fn a_link_goes_round_and_a_cut_one_says_so() {
    let Some(program) = program::find_or_skip() else { return };
    let link =
        run(&program, FILES, &["share", "encode", "--policy", "policy.yaml", "-r", "pod.yaml"], "").out;
    let back = run(&program, &[], &["share", "decode", link.trim()], "");
    assert_eq!(back.out, format!("# policy\n{POLICY}\n# resource\n{POD}\n"));
    let cut: String = link.chars().take(link.len() / 2).collect();
    let cut = run(&program, &[], &["share", "decode", "-"], &cut);
    assert_eq!(cut.code, 1);
    assert!(cut.err.contains("link-cut") && cut.err.contains("saved"), "{}", cut.err);
    let opened = run(&program, &[], &["share", "open", link.trim()], "");
    assert!(
        opened.out.starts_with("fail  no-latest/tag  Pod/web  validation error: name a version."),
        "{}",
        opened.out
    );
    assert_eq!(opened.code, 1);
}

/// A terminal gets them shown instead, see `terminal.rs` of the client.
#[test]
fn control_characters_of_a_link_go_into_a_pipe_as_they_are() {
    let Some(program) = program::find_or_skip() else { return };
    let text = "kind: A # \u{1b}[2J\u{1b}[31m\u{9b}\r\n";
    let link = run(&program, &[("a.yaml", text)], &["share", "encode", "--policy", "a.yaml"], "").out;
    let back = run(&program, &[], &["share", "decode", link.trim()], "");
    assert_eq!(back.out, format!("# policy\n{text}\n"));
}

#[test]
fn a_name_cannot_forge_a_line() {
    let Some(program) = program::find_or_skip() else { return };
    let pod = POD.replace("name: web", "name: \"web\\npass: 9, fail: 0\\n::warning::\"");
    let run = run(
        &program,
        &[("policy.yaml", POLICY), ("pod.yaml", &pod)],
        &["apply", "policy.yaml", "-r", "pod.yaml"],
        "",
    );
    assert_eq!(run.out.lines().filter(|line| line.starts_with("pass:")).count(), 1, "{}", run.out);
    assert!(!run.out.lines().any(|line| line.starts_with("::")), "{}", run.out);
}

#[test]
fn flags_take_values_as_those_of_the_original_do() {
    let Some(program) = program::find_or_skip() else { return };
    let off = run(&program, FILES, &["apply", "policy.yaml", "-r", "pod.yaml", "--table=false"], "");
    assert!(off.out.contains(FAILED));
    let warned = run(
        &program,
        FILES,
        &["apply", "policy.yaml", "--resources=pod.yaml", "--audit-warn=true", "--warn-exit-code", "3"],
        "",
    );
    assert_eq!(warned.code, 3);
    assert!(
        warned.out.ends_with("\npass: 0, fail: 0, warn: 1, error: 0, skip: 0 \nexit as warnExitCode is 3")
    );
    let twice = [
        "apply",
        "policy.yaml",
        "-t",
        "-r",
        "policy.yaml",
        "-r",
        "pod.yaml",
        "-t",
        "-v",
        "3",
        "--v=0",
        "--logtostderr",
    ];
    let twice = run(&program, FILES, &twice, "");
    assert!(
        twice.out.contains("to 2 resource(s)") && twice.out.contains("│ POLICY"),
        "{}{}",
        twice.out,
        twice.err
    );
}

/// The commands of README.md: indented lines that begin with `podsieve `, and the sub-commands of xtask.
#[test]
fn the_commands_of_the_readme_exist() {
    let Some(program) = program::find_or_skip() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok(readme) = std::fs::read_to_string(root.join("README.md")) else {
        return recorded::say("skipped: there is no README.md");
    };
    let link = "https://playground.kyverno.io/#/?content=…";
    let made =
        run(&program, FILES, &["share", "encode", "--policy", "policy.yaml", "-r", "pod.yaml"], "").out;
    let mut count = 0;
    for line in readme.lines().filter_map(|line| line.strip_prefix("    ")?.trim().strip_prefix("podsieve "))
    {
        let words: Vec<String> = line
            .split_whitespace()
            .take_while(|word| !word.starts_with('#'))
            .map(|word| word.trim_matches(['\'', '"']).replace(link, made.trim()))
            .collect();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        // There is no cluster to ask.
        if words.contains(&"--cluster") {
            words.push("--help");
        }
        let test = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: tag}\npolicies: [../policy.yaml]\n\
                    resources: [../pod.yaml]\nresults:\n- {policy: no-latest, rule: tag, kind: Pod, resources: [web], result: fail}\n";
        let folders = [("policies/kyverno-test.yaml", test), ("manifests/pod.yaml", POD), ("pods.yaml", POD)];
        let files = [FILES, &folders, &["old.yaml", "new.yaml"].map(|name| (name, POLICY))].concat();
        let run = run(&program, &files, &words, "");
        let is_described = ["Usage:", "Error:", "error:"].iter().any(|word| run.err.contains(word));
        assert!(!is_described, "podsieve {line}\n{}", run.err);
        count += 1;
    }
    let tool = std::fs::read_to_string(root.join("xtask/src/main.rs")).unwrap_or_default();
    for command in
        readme.lines().filter_map(|line| line.strip_prefix("    ")?.trim().strip_prefix("cargo xtask "))
    {
        let name = command.split_whitespace().next().unwrap_or("");
        let is_there = tool.contains(&format!("\"{name}\""));
        assert!(is_there, "README.md names `cargo xtask {name}`, which xtask/src/main.rs does not know");
    }
    assert!(count > 0, "README.md shows no command of podsieve");
}

const CLEANUP: &str = "\
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata:
  name: done
spec:
  match:
    any:
    - resources:
        kinds: [Pod]
        names: [\"job-*\"]
  schedule: \"0 2 * * *\"
  deletionPropagationPolicy: Orphan
";
const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: job-1}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
";

#[test]
fn cleanup_tells_what_goes_when_and_why_and_apply_counts_as_the_original_does() {
    let Some(program) = program::find_or_skip() else { return };
    let files = &[("cleanup.yaml", CLEANUP), ("pods.yaml", PODS)];
    let at = &["cleanup", "cleanup.yaml", "-r", "pods.yaml", "--at", "2026-12-31T03:00:00Z"];
    let described = run(&program, files, at, "");
    assert_eq!(
        described.out,
        "ClusterCleanupPolicy done (`0 2 * * *`, Orphan): due 2027-01-01T02:00:00Z, 2027-01-02T02:00:00Z, \
         2027-01-03T02:00:00Z\n  delete  default/Pod/job-1: it matches, and there are no conditions\n  keep    \
         default/Pod/web: name is `web`, the rule wants `job-*`\n"
    );
    assert_eq!(described.code, 0);
    let applied = run(&program, files, &["apply", "cleanup.yaml", "-r", "pods.yaml"], "");
    assert_eq!(
        applied.out,
        "\nApplying 1 policy rule(s) to 2 resource(s)...\npolicy done -> resource default/Pod/web failed:\n1 - done \
         resource did not match\n\npass: 1, fail: 1, warn: 0, error: 0, skip: 0 \n"
    );
    assert_eq!(applied.code, 1);
    let never = CLEANUP.replace("0 2 * * *", "every day");
    let never = run(&program, &[("cleanup.yaml", &*never), ("pods.yaml", PODS)], at, "");
    assert_eq!(
        (never.code, never.out.as_str()),
        (
            1,
            "ClusterCleanupPolicy done (`every day`, Orphan): never due: a schedule has 5 fields, this one has 2; a cluster \
             refuses the policy, and nothing is deleted\n"
        )
    );
}

const LABELS: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: labels
spec:
  rules:
  - name: team
    match:
      any:
      - resources:
          kinds: [Pod]
    mutate:
      patchStrategicMerge:
        metadata:
          labels:
            team: web
";

#[test]
fn drift_tells_the_fields_that_a_tool_must_leave_alone() {
    let Some(program) = program::find_or_skip() else { return };
    let files = &[("labels.yaml", LABELS), ("pods.yaml", PODS)];
    let described = run(&program, files, &["apply", "labels.yaml", "-r", "pods.yaml", "--drift"], "");
    let block = "\nfor the Application of Argo CD, where the changes are wanted:\nignoreDifferences:\n- kind: Pod\n  name: \
                 job-1\n  namespace: default\n  jqPathExpressions:\n  - .metadata.labels\n- kind: Pod\n  name: web\n";
    assert!(described.out.contains(
        "\ndrift: default/Pod/job-1 in a cluster is not what git has\n  added    .metadata.labels\n"
    ));
    assert!(described.out.contains(block), "{}", described.out);
}

/// Enough Pods that several threads evaluate them: what each of them changes is one object all the same.
#[test]
fn drift_of_a_target_that_many_resources_change_is_told_once() {
    const TARGET: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: seen, namespace: default}}";
    let Some(program) = program::find_or_skip() else { return };
    let policy = LABELS.replace(
        "    mutate:\n",
        "    mutate:\n      targets: [{apiVersion: v1, kind: ConfigMap, name: seen, namespace: default}]\n",
    );
    let pods: String = (0..400).map(|n| POD.replace("web}", &format!("web-{n}}}")) + "---\n").collect();
    let files = &[("labels.yaml", policy.as_str()), ("pods.yaml", &pods), ("target.yaml", TARGET)];
    let arguments =
        &["apply", "labels.yaml", "-r", "pods.yaml", "--target-resource", "target.yaml", "--drift"];
    let described = run(&program, files, arguments, "");
    assert_eq!(described.code, 0, "{}", described.err);
    assert_eq!(described.out.matches("drift: default/ConfigMap/seen").count(), 1, "{}", described.out);
}

/// What the original says of these was looked at: it ends with 1 for each of them, and says no line.
#[test]
fn a_values_file_with_a_mistake_ends_the_run_and_says_where_it_is() {
    let Some(program) = program::find_or_skip() else { return };
    let of = |value: &str| format!("apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\n{value}\n");
    let rule = |value: &str| of(&format!("policies:\n- name: p\n  rules:\n  - {{name: r, {value}}}"));
    for (values, line, said) in [
        (of("globalValues: [a]"), 3, "`globalValues` must be a map, this is a list"),
        (of("policies: [text]"), 3, "must be a map, this is a string"),
        (rule("values: a"), 6, "`values` must be a map, this is a string"),
        (rule("foreachValues: [a]"), 6, "`foreachValues` must be a map, this is a list"),
        (rule("foreachValues: {x: 1}"), 6, "`x` must be a list, this is a number"),
        (rule("foreachValues: {x: []}"), 6, "`x` must hold a value"),
        (of("namespaceSelector:\n- {name: a, labels: [b]}"), 4, "`labels` must be a map, this is a list"),
        (of("namespaceSelector:\n- {name: a, labels: {b: 1}}"), 4, "`b` must be a string, this is a number"),
        (of("namespaceSelector:\n- {name: a, label: {b: c}}"), 4, "unknown field `label`"),
        (of("namespaces:\n- metadata: {name: a, labels: [b]}"), 4, "`labels` must be a map, this is a list"),
        (of("namespaces:\n- metadata: {name: a, labls: {b: c}}"), 4, "unknown field `labls`"),
        (of("subresources:\n- {subresource: text}"), 4, "`subresource` must be a map, this is a string"),
        (of("subresources:\n- {subresource: {kin: Scale}}"), 4, "unknown field `kin`"),
        (of("globalValues:\n  request.operation: PATCH"), 4, "invalid request.operation value \"PATCH\""),
    ] {
        let files = &[FILES[0], FILES[1], ("values.yaml", values.as_str())];
        let run = run(&program, files, &["apply", "policy.yaml", "-r", "pod.yaml", "-f", "values.yaml"], "");
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{values}{}", run.err);
        assert!(run.err.contains(&format!(" values.yaml:{line}:")), "{values}{}", run.err);
        assert!(run.err.contains(said), "{values}{}", run.err);
    }
    // Taken as it is by the original, and warned about by ours.
    let values = rule("values: {request.operation: PATCH}");
    let files = &[FILES[0], FILES[1], ("values.yaml", values.as_str())];
    let run = run(&program, files, &["apply", "policy.yaml", "-r", "pod.yaml", "-f", "values.yaml"], "");
    assert!(run.out.contains(FAILED), "{}", run.err);
    assert!(run.err.contains("no API server knows the operation `\"PATCH\"`"), "{}", run.err);
}

#[test]
fn the_sieve_takes_resources_as_apply_does() {
    let Some(program) = program::find_or_skip() else { return };
    let policy =
        POLICY.replace("    validate:", "    exclude: {any: [{resources: {names: [web]}}]}\n    validate:");
    let files = &[("policy.yaml", policy.as_str()), FILES[1]];
    let [beside, flagged] = [&["pod.yaml"][..], &["-r", "pod.yaml"]]
        .map(|resources| run(&program, files, &[&["sieve", "check", "policy.yaml"], resources].concat(), ""));
    assert!(flagged.out.contains("meant for Pod default/web"), "{}{}", flagged.out, flagged.err);
    assert_eq!((beside.code, &beside.out), (flagged.code, &flagged.out));
}

/// A full disk cuts an answer off: that is not a success, and no panic either.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error() {
    use std::process::{Command, Stdio};
    let Some(program) = program::find_or_skip() else { return };
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for arguments in [&["version"][..], &["apply", "--help"], &["completion", "bash"]] {
        let output = Command::new(&program).args(arguments).stdout(full()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        let words = "Error: standard output cannot be written: No space left on device";
        assert!(err.starts_with(words) && !err.contains("panicked"), "{arguments:?}: {err}");
    }
    for arguments in [&["apply"][..], &["no-such-command"]] {
        let output = Command::new(&program).args(arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away_is_no_error() {
    use std::process::{Command, Stdio};
    let Some(program) = program::find_or_skip() else { return };
    for arguments in [&["version"][..], &["apply", "--help"], &["completion", "bash"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(&program).args(arguments).stdout(Stdio::from(writer)).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn standard_input_is_read_once() {
    let Some(program) = program::find_or_skip() else { return };
    for arguments in [
        &["apply", "-", "-r", "-"][..],
        &["explain", "-", "-r", "-"],
        &["cleanup", "-", "-r", "-"],
        &["sieve", "check", "-", "-r", "-"],
    ] {
        let run = run(&program, &[], arguments, POLICY);
        let words = "Error: a stdin pipe can be used for either policies or resources, not both\n";
        assert_eq!((run.code, run.err.as_str()), (1, words), "{arguments:?}");
    }
}

#[test]
fn a_group_of_commands_alone_prints_its_help_as_the_original_does() {
    let Some(program) = program::find_or_skip() else { return };
    for arguments in [&["jp"][..], &["create"], &[]] {
        let run = run(&program, &[], arguments, "");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        assert!(run.out.contains("Usage:"), "{}", run.out);
    }
    assert!(run(&program, &[], &["version"], "").out.starts_with("Version: "));
}
