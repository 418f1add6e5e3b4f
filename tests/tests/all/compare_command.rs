//! `podsieve compare` as a command: tests that it writes, flags, exit codes, words.
//!
//! In: policies written here, the built `podsieve`. Out: a failure where a written test does not show the difference, or a flag or an exit code
//! does not do what docs/compare.md says.

use engine_compare::{Comparison, Operation, Options, compare, test_folder};
use engine_lenses::wire::Text;
use tests::{program, terminal};

/// A ClusterPolicy for Pods: its action, what it matches beside `kinds`, and the pattern.
fn classic(action: &str, more: &str, pattern: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p, annotations: {{pod-policies.kyverno.io/autogen-controllers: none}}}}\n\
         spec:\n  rules:\n  - name: r\n    match: {{any: [{{resources: {{kinds: [Pod]{more}}}}}]}}\n    validate:\n      failureAction: {action}\n      \
         allowExistingViolations: false\n      message: m\n      pattern: {pattern}\n"
    )
}

const NETWORK: &str = "{spec: {=(hostNetwork): false}}";

/// An exception for Pods of these names.
fn exception(names: &str) -> String {
    format!(
        "---\napiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: e, namespace: default}}\nspec:\n  exceptions:\n  \
         - {{policyName: p, ruleNames: [r]}}\n  match: {{any: [{{resources: {{kinds: [Pod], names: ['{names}']}}}}]}}\n"
    )
}

fn text(text: &str) -> Vec<Text> {
    vec![Text { name: "policy.yaml".into(), text: text.into() }]
}

fn compared(old: &str, new: &str, operation: Operation) -> Comparison {
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { operations: vec![operation], mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

/// The exit codes of `podsieve test` over a written test with the old side and with the new; or why none is written.
fn tested(old: &str, new: &str, operation: Operation) -> Result<(i32, i32), &'static str> {
    let answer = compared(old, new, operation);
    let finding = answer.findings.first().ok_or("no difference")?;
    let folder = test_folder(&text(old), &text(new), &finding.request, 0)?;
    let Some(program) = program::find_or_skip() else { return Ok((0, 1)) };
    let with = |side: &str| {
        let (policies, exceptions) = side.split_once("---\n").unwrap_or((side, ""));
        let of_side = |name: &str| match name {
            "policies.yaml" => Some(policies.to_owned()),
            "exceptions.yaml" => Some(exceptions.to_owned()),
            _ => None,
        };
        let files: Vec<(String, String)> = folder
            .files
            .iter()
            .map(|file| (file.name.clone(), of_side(&file.name).unwrap_or_else(|| file.text.clone())))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        terminal::run(&program, &files, &["test", "."], "").code
    };
    Ok((with(old), with(new)))
}

/// A rule that refuses what a user does.
fn denied(user: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  background: false\n  rules:\n  - name: r\n    \
         match: {{any: [{{resources: {{kinds: [ConfigMap]}}}}]}}\n    validate:\n      failureAction: Enforce\n      message: m\n      \
         deny: {{conditions: {{any: [{{key: '{{{{ request.userInfo.username }}}}', operator: Equals, value: {user}}}]}}}}\n"
    )
}

#[test]
fn a_written_test_passes_with_the_old_side_and_fails_with_the_new() {
    let old = classic("Enforce", "", NETWORK);
    let sides = [
        (old.clone(), classic("Enforce", "", "{spec: {=(hostPID): false}}")),
        (old.clone() + &exception("debug-*"), old.clone() + &exception("trial-*")),
        (denied("bob"), denied("alice")),
    ];
    for (old, new) in sides {
        assert_eq!(tested(&old, &new, Operation::Create), Ok((0, 1)), "{old}{new}");
    }
}

#[test]
fn where_a_test_would_pass_with_both_sides_none_is_written() {
    let old = classic("Enforce", "", NETWORK);
    let why = |new: &str, operation| tested(&old, new, operation).unwrap_err();
    let narrower = why(&classic("Enforce", ", names: ['web-*']", NETWORK), Operation::Create);
    assert!(narrower.contains("counts as passed"), "{narrower}");
    let audited = why(&classic("Audit", "", NETWORK), Operation::Create);
    assert!(audited.contains("the same verdict"), "{audited}");
    let renamed = why(&classic("Audit", "", NETWORK).replace("{name: p,", "{name: q,"), Operation::Create);
    assert!(renamed.contains("no policy of that name"), "{renamed}");
    let updated = why(&old.replace("Violations: false", "Violations: true"), Operation::Update);
    assert!(updated.contains("this is an update"), "{updated}");
}

#[test]
fn the_command_says_which_difference_no_test_shows() {
    let Some(program) = program::find_or_skip() else { return };
    let (old, new) = (classic("Enforce", "", NETWORK), classic("Audit", "", NETWORK));
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let ran =
        terminal::run(&program, &files, &["compare", "old.yaml", "new.yaml", "--write-test", "test"], "");
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.err.contains(
            "no test is written: new.yaml: wider: creating this Pod is refused by OLD and reported by NEW"
        ),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("written: test"), "{}", ran.err);
}

/// The same in CEL.
const REWRITE: &str = "\
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p}
spec:
  validationActions: [Deny]
  autogen: {podControllers: {controllers: []}}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  validations:
  - {message: m, expression: '!object.spec.?hostNetwork.orValue(false)'}
";

#[test]
fn gaps_between_the_kinds_of_policies_can_be_left_out() {
    let Some(program) = program::find_or_skip() else { return };
    let old = classic("Enforce", "", NETWORK)
        .replace("allowExistingViolations: false", "allowExistingViolations: true");
    let files = [("old.yaml", old.as_str()), ("new.yaml", REWRITE)];
    let run = |more: &[&str]| {
        let arguments =
            [&["compare", "old.yaml", "new.yaml", "--mutants", "0", "--format", "json"], more].concat();
        terminal::run(&program, &files, &arguments, "")
    };
    let grade = |out: &str| {
        let pairs = engine::json::parse(out).unwrap();
        pairs
            .get("pairs")
            .and_then(|pairs| pairs.at(0))
            .map(|pair| pair.find_str(&["grade"]).to_owned())
            .unwrap()
    };
    let counted = run(&[]);
    assert_eq!((counted.code, grade(&counted.out).as_str()), (1, "different"), "{}", counted.out);
    for gaps in ["all", "existing-violations", "replication-controllers,existing-violations"] {
        let ran = run(&["--ignore-gaps", gaps]);
        assert_eq!((ran.code, grade(&ran.out).as_str()), (0, "no difference found"), "{gaps}: {}", ran.out);
        assert!(ran.out.contains("not counted: ClusterPolicies let in updates"), "{}", ran.out);
    }
    assert_eq!(run(&["--ignore-gaps", "ephemeral-containers"]).code, 1);
}

#[test]
fn what_keeps_the_command_from_its_work_is_not_a_difference() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = classic("Enforce", "", NETWORK);
    let files = [("p.yaml", policy.as_str()), ("empty/a.txt", ""), ("bare.yaml", "a: b\n")];
    let wrong: [(&[&str], &str); 5] = [
        (&["compare", "p.yaml"], "required"),
        (&["compare", "p.yaml", "p.yaml", "--nonsense"], "--nonsense"),
        (&["compare", "p.yaml", "p.yaml", "-r", "missing.yaml"], "missing.yaml"),
        (&["compare", "p.yaml", "p.yaml", "-r", "bare.yaml"], "there is no object in bare.yaml"),
        (&["compare", "empty", "empty"], "there is nothing to compare"),
    ];
    for (arguments, words) in wrong {
        let ran = terminal::run(&program, &files, arguments, "");
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
    }
    // Kyverno: a wrong argument of its own commands is 1.
    assert_eq!(terminal::run(&program, &files, &["apply", "--nonsense"], "").code, 1);
}

#[test]
fn a_search_that_notices_too_few_mistakes_says_so_and_can_fail_a_pipeline() {
    let Some(program) = program::find_or_skip() else { return };
    let old = classic("Enforce", "", NETWORK);
    // A message with a variable can fail a rule, so a search is needed, and no case can be told.
    let new = old.replace("message: m", "message: 'm {{ request.object.kind }}'");
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let run = |more: &[&str]| {
        let options = ["compare", "old.yaml", "new.yaml", "--operations", "create", "--mutants", "0"];
        terminal::run(&program, &files, &[&options, more].concat(), "")
    };
    let ran = run(&[]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.starts_with("? no difference found"), "{}", ran.out);
    assert!(ran.out.contains("nothing says how far to trust this"), "{}", ran.out);
    let strict = run(&["--min-noticed", "50"]);
    assert_eq!(strict.code, 2, "{}", strict.out);
    let words = "too few mistakes are noticed: old.yaml → new.yaml: 0 of 0, and --min-noticed is 50";
    assert!(strict.err.contains(words), "{}", strict.err);
    let measured = run(&["--mutants", "4", "--min-noticed", "1"]);
    assert_eq!(measured.code, 0, "{}{}", measured.out, measured.err);
    assert!(measured.out.starts_with("✓ no difference found"), "{}", measured.out);
}

#[test]
fn both_let_in_and_leave_different_objects() {
    let Some(program) = program::find_or_skip() else { return };
    let mutating = |label: &str| {
        format!(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    \
             match: {{any: [{{resources: {{kinds: [ConfigMap]}}}}]}}\n    mutate: {{patchStrategicMerge: {{metadata: {{labels: {{a: {label}}}}}}}}}\n"
        )
    };
    let (old, new) = (mutating("b"), mutating("c"));
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let ran = terminal::run(&program, &files, &["compare", "old.yaml", "new.yaml", "--mutants", "0"], "");
    assert!(
        ran.out.contains("creating this ConfigMap is allowed by both, but they leave different objects"),
        "{}",
        ran.out
    );
}

#[test]
fn three_differences_are_shown_and_the_others_counted() {
    let Some(program) = program::find_or_skip() else { return };
    let labelled = |kinds: [&str; 3]| {
        let rules = kinds.map(|kind| {
            let name = kind.to_lowercase();
            format!(
                "\n  - name: {name}\n    match: {{any: [{{resources: {{kinds: [{kind}]}}}}]}}\n    validate: {{failureAction: Enforce, \
                 message: a, pattern: {{metadata: {{labels: {{a: '?*'}}}}}}}}"
            )
        });
        let head = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:";
        format!("{head}{}\n", rules.concat())
    };
    let old = labelled(["ConfigMap", "Secret", "ServiceAccount"]);
    let new = labelled(["Endpoints", "Role", "LimitRange"]);
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let shown = |more: &[&str]| {
        let arguments = [&["compare", "old.yaml", "new.yaml", "--mutants", "0"], more].concat();
        let ran = terminal::run(&program, &files, &arguments, "");
        (
            ran.out.matches("\n  wider: ").count() + ran.out.matches("\n  stricter: ").count(),
            ran.out.contains("  3 more: --all"),
        )
    };
    assert_eq!(shown(&["--all"]), (6, false));
    assert_eq!(shown(&[]), (3, true));
}

#[test]
fn subresources_are_named_where_they_are_why_nothing_is_compared() {
    let Some(program) = program::find_or_skip() else { return };
    let (old, new) = (classic("Enforce", "", NETWORK), classic("Audit", "", NETWORK));
    let status = |policy: &str| policy.replace("kinds: [Pod]", "kinds: [Pod/status]");
    let (old, new) = (status(&old), status(&new));
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let ran = terminal::run(&program, &files, &["compare", "old.yaml", "new.yaml"], "");
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.out.contains("left out: subresources (`Pod/status`)"), "{}", ran.out);
}

#[test]
fn two_policies_of_one_name_are_both_written_and_named() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = classic("Enforce", "", NETWORK);
    let two = format!("{policy}---\n{policy}");
    let scratch = program::Scratch::new().unwrap();
    scratch.write("two.yaml", &two).unwrap();
    let arguments = ["convert", "two.yaml", "-o", "made", "--no-compare"];
    let ran = terminal::run_in(&program, scratch.path(), &arguments, "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("two.yaml:2 and two.yaml:15"), "{}", ran.err);
    for file in ["made/p.yaml", "made/p-2.yaml"] {
        assert!(scratch.path().join(file).exists(), "{file}: {}", ran.err);
    }
}

#[test]
fn an_exception_beside_policies_is_said_to_belong_among_exceptions() {
    let Some(program) = program::find_or_skip() else { return };
    let exception = "---\napiVersion: policies.kyverno.io/v1\nkind: PolicyException\nmetadata: {name: e, namespace: default}\nspec:\n  \
                     policyRefs: [{name: p, kind: ValidatingPolicy}]\n";
    let policies = format!("{REWRITE}{exception}");
    let files = [("p.yaml", policies.as_str()), ("pod.yaml", terminal::POD)];
    let ran = terminal::run(&program, &files, &["apply", "p.yaml", "-r", "pod.yaml"], "");
    assert!(ran.err.contains("is not read among policies"), "{}", ran.err);
    assert!(ran.err.contains("`--exceptions`"), "{}", ran.err);
}

#[test]
fn a_refusal_is_said_once_by_convert() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = denied("bob").replace("  background: false\n", "");
    let ran = terminal::run(&program, &[("p.yaml", policy.as_str())], &["convert", "p.yaml", "--check"], "");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(ran.err.matches("only select variables are allowed").count(), 1, "{}", ran.err);
}

#[test]
fn tests_of_several_differences_lie_in_the_folder_that_is_named() {
    let Some(program) = program::find_or_skip() else { return };
    let scratch = program::Scratch::new().unwrap();
    scratch.write("old.yaml", classic("Enforce", "", NETWORK)).unwrap();
    scratch.write("new.yaml", classic("Enforce", "", "{spec: {=(hostPID): false}}")).unwrap();
    scratch.write("pairs.txt", "old.yaml new.yaml\nnew.yaml old.yaml\n").unwrap();
    let compare = |more: &[&str]| {
        let arguments = [&["compare", "--operations", "create"], more].concat();
        terminal::run_in(&program, scratch.path(), &arguments, "")
    };
    let ran = compare(&["old.yaml", "new.yaml", "--write-test", "made"]);
    for file in ["made/1-wider-pod/kyverno-test.yaml", "made/2-stricter-pod/kyverno-test.yaml"] {
        assert!(ran.err.contains(&format!("written: {file}")), "{}", ran.err);
        assert!(scratch.path().join(file).exists(), "{file}");
    }
    let ran = compare(&["--pairs", "pairs.txt", "--write-test", "of-pairs"]);
    for file in
        ["of-pairs/001-new/1-wider-pod/policies.yaml", "of-pairs/002-old/2-stricter-pod/policies.yaml"]
    {
        assert!(ran.err.contains(&format!("written: {file}")), "{}", ran.err);
    }
    let beside = std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut beside: Vec<String> = beside.map(|name| name.to_string_lossy().into_owned()).collect();
    beside.sort();
    assert_eq!(beside, ["made", "new.yaml", "of-pairs", "old.yaml", "pairs.txt"]);
    // What is there already keeps all of it from being written.
    let again = compare(&["old.yaml", "new.yaml", "--write-test", "made"]);
    assert!(again.err.contains("already there") && !again.err.contains("\nwritten:"), "{}", again.err);
    let ran = terminal::run_in(&program, scratch.path(), &["test", "made"], "");
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn a_file_that_cannot_be_read_is_said_to_be_so() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = classic("Enforce", "", NETWORK);
    let broken = policy.replace("spec:", "spec: [");
    for (old, new) in [("a: [b\n", &*policy), (&*policy, "a: [b\n"), (&*broken, &*broken)] {
        let scratch = program::Scratch::new().unwrap();
        scratch.write("old/p.yaml", old).unwrap();
        scratch.write("new/p.yaml", new).unwrap();
        for more in [&["--whole"][..], &[]] {
            if !more.is_empty() && old != new {
                continue;
            }
            let arguments = [&["compare", "old", "new", "--mutants", "0"], more].concat();
            let ran = terminal::run_in(&program, scratch.path(), &arguments, "");
            let place = if old == policy { "new/p.yaml:" } else { "old/p.yaml:" };
            assert!(ran.out.contains(place) && !ran.out.contains("no such file"), "{}", ran.out);
        }
    }
}

#[test]
fn exceptions_bindings_and_parameters_of_a_folder_count_for_its_policies() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = classic("Enforce", "", NETWORK);
    let pods = exception("ok*");
    let services = exception("no*");
    let native = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec:\n  \
                  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], \
                  operations: [CREATE], resources: [pods]}]}\n  validations:\n  - {expression: \"object.metadata.name != params.data.key\"}\n";
    let bound = |action: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec: {{policyName: a, \
             validationActions: [{action}], paramRef: {{name: c, namespace: default, parameterNotFoundAction: Deny}}}}\n"
        )
    };
    let parameter = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c, namespace: default}}, data: {{key: {name}}}}}\n"
        )
    };
    let (deny, warn, one, other) = (bound("Deny"), bound("Warn"), parameter("one"), parameter("other"));
    for (old, new) in [
        (vec![("p.yaml", &*policy)], vec![("p.yaml", &*policy), ("e.yaml", &*pods)]),
        (
            vec![("p.yaml", &*policy), ("e.yaml", &*services)],
            vec![("p.yaml", &*policy), ("below/e.yaml", &*pods)],
        ),
        (
            vec![("p.yaml", native), ("b.yaml", &*deny), ("c.yaml", &*one)],
            vec![("p.yaml", native), ("b.yaml", &*warn), ("c.yaml", &*one)],
        ),
        (
            vec![("p.yaml", native), ("b.yaml", &*deny), ("c.yaml", &*one)],
            vec![("p.yaml", native), ("b.yaml", &*deny), ("c.yaml", &*other)],
        ),
    ] {
        let scratch = program::Scratch::new().unwrap();
        for (folder, files) in [("old", &old), ("new", &new)] {
            for (name, text) in files {
                scratch.write(&format!("{folder}/{name}"), *text).unwrap();
            }
        }
        for more in [&["--whole"][..], &[]] {
            let arguments = [&["compare", "old", "new", "--operations", "create"], more].concat();
            let ran = terminal::run_in(&program, scratch.path(), &arguments, "");
            assert_eq!(ran.code, 1, "{more:?} {new:?}\n{}{}", ran.out, ran.err);
            assert!(ran.out.contains("different: 1, not compared: 0"), "{more:?} {new:?}\n{}", ran.out);
        }
    }
}

#[test]
fn a_search_that_its_time_ended_says_so() {
    let Some(program) = program::find_or_skip() else { return };
    let (old, new) = (classic("Enforce", "", NETWORK), classic("Enforce", "", "{spec: {=(hostPID): false}}"));
    let files = [("old.yaml", old.as_str()), ("new.yaml", new.as_str())];
    let with = |seconds: &str| {
        terminal::run(&program, &files, &["compare", "old.yaml", "new.yaml", "--max-seconds", seconds], "")
            .out
    };
    let said = "ended after 0 s (--max-seconds): what was not tried by then is not known";
    assert!(with("0").contains(said), "{}", with("0"));
    assert!(!with("600").contains("ended after"));
}
