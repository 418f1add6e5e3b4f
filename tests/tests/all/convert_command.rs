//! `podsieve convert` and `podsieve legacy` as commands: exit codes, and the files that are written.
//!
//! In: policies. Out: a failure where a command ends or writes otherwise.

use tests::{program, terminal};

fn policy(rule: &str) -> String {
    let indented = rule.replace('\n', "\n    ");
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
         [{{resources: {{kinds: [Pod]}}}}]}}\n    {indented}\n"
    )
}

#[test]
fn the_commands_exit_by_what_became_of_each_policy() {
    let Some(program) = program::find_or_skip() else { return };
    let good = policy("validate: {message: m, pattern: {spec: {hostIPC: false}}}");
    let bad = policy("verifyImages: [{imageReferences: ['*']}]");
    let files = [("good.yaml", good.as_str()), ("bad.yaml", bad.as_str())];
    let run = |arguments: &[&str]| terminal::run(&program, &files, arguments, "");
    let ran = run(&["convert", "good.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\n"),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("good.yaml:2: ClusterPolicy `p`: same ("), "{}", ran.err);
    let checked = run(&["convert", "good.yaml", "bad.yaml", "--check"]);
    assert!(checked.code == 1 && checked.out.is_empty(), "{}", checked.out);
    assert!(checked.err.contains("bad.yaml:8: rule `r`: `spec.rules[0].verifyImages[0]`"), "{}", checked.err);
    let json = run(&["convert", "bad.yaml", "--format", "json"]);
    let parsed = engine::json::parse(&json.out).unwrap();
    let refused = parsed.get("policies").and_then(|all| all.at(0)?.get("refused")?.at(0)).unwrap();
    assert_eq!(refused.get("line").and_then(engine::json::Value::as_i64), Some(8));
    let legacy = run(&["legacy", "good.yaml", "bad.yaml"]);
    assert!(
        legacy.code == 1 && legacy.out.contains("policies: 2, rules: 2, convertible: 1"),
        "{}",
        legacy.out
    );
    let twice = [("a.yaml", good.as_str()), ("b.yaml", good.as_str())];
    let both = terminal::run(&program, &twice, &["convert", "a.yaml", "b.yaml", "-o", "made"], "");
    assert_eq!(both.code, 0, "{}", both.err);
    assert!(both.err.contains("p-2.yaml: a.yaml:2 and b.yaml:2 have the same kind"), "{}", both.err);
    let misspelt = bad.replace("kinds:", "kind:");
    let broken = terminal::run(&program, &[("m.yaml", misspelt.as_str())], &["convert", "m.yaml"], "");
    assert!(broken.code == 1 && broken.err.contains("did you mean `kinds`?"), "{}", broken.err);
    let pod =
        terminal::run(&program, &[], &["legacy", "-"], "{apiVersion: v1, kind: Pod, metadata: {name: p}}");
    assert!(
        pod.code == 0 && pod.out.starts_with("there is no ClusterPolicy, Policy, CleanupPolicy"),
        "{}",
        pod.out
    );
    let cleanup = "{apiVersion: kyverno.io/v2, kind: CleanupPolicy, metadata: {name: c, namespace: team}, spec: {schedule: '* * * * *', \
                   match: {any: [{resources: {kinds: [Pod]}}]}}}";
    let lost = terminal::run(&program, &[], &["legacy", "-"], cleanup);
    let says = lost.out.contains("CleanupPolicy `c`: can be converted\n  NamespacedDeletingPolicy\n");
    assert!(lost.code == 1 && says, "{}", lost.out);
    let vap = run(&["convert", "good.yaml", "--to", "ValidatingAdmissionPolicy"]);
    assert!(vap.code == 0 && vap.out.contains("kind: ValidatingAdmissionPolicyBinding"), "{}", vap.err);
    let none = run(&["convert", "good.yaml", "--to", "ValidatingPolicy"]);
    assert!(none.code != 0 && none.err.contains("no ValidatingAdmissionPolicy to convert"), "{}", none.err);
    let files = [("good.yaml", good.as_str()), ("broken.yaml", "a: [1\n")];
    let broken = terminal::run(&program, &files, &["convert", ".", "--check"], "");
    assert!(broken.code == 1 && broken.err.contains("not everything was read"), "{}", broken.err);
    let listed = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", good.trim().replace('\n', "\n  "));
    for text in [good, listed] {
        let piped = terminal::run(&program, &[], &["convert", "-"], &text);
        assert_eq!((piped.code, &piped.out), (0, &ran.out), "{}", piped.err);
    }
}

#[test]
fn files_that_are_in_the_way_are_named_before_the_work() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = program::Scratch::new().unwrap();
    for name in ["a", "b", "c"] {
        let text = policy("validate: {message: m, pattern: {spec: {hostIPC: false}}}");
        scratch.write(&format!("{name}.yaml"), text.replace("name: p}", &format!("name: {name}}}"))).unwrap();
    }
    for name in ["b", "c"] {
        scratch.write(&format!("made/{name}.yaml"), "mine").unwrap();
    }
    let arguments = ["convert", "a.yaml", "b.yaml", "c.yaml", "-o", "made"];
    let ran = terminal::run_in(&program, scratch.path(), &arguments, "");
    assert_eq!(ran.code, 2, "{}", ran.err);
    for name in ["b", "c"] {
        assert!(ran.err.contains(&format!("made/{name}.yaml is already there")), "{}", ran.err);
        assert_eq!(
            std::fs::read_to_string(scratch.path().join(format!("made/{name}.yaml"))).unwrap(),
            "mine"
        );
    }
    assert!(
        !ran.err.contains("ClusterPolicy `a`") && !scratch.path().join("made/a.yaml").exists(),
        "{}",
        ran.err
    );
    // What is only looked at is not in the way.
    let checked = terminal::run_in(&program, scratch.path(), &["convert", "b.yaml", "--check"], "");
    assert_eq!(checked.code, 0, "{}", checked.err);
}
