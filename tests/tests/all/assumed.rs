//! Verdicts that rest on an answer nobody has given, such as a list of objects of which none is at hand.
//!
//! In: the built `podsieve`, a rule that passes because such a list is empty. Out: a failure where an output does not mark
//! it, or where it counts as a pass under `--strict`.

use tests::program;
use tests::terminal::{POD, run};

const BUDGETS: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: budgets}
spec:
  background: false
  rules:
  - name: none
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: budgets
      apiCall: {urlPath: /apis/policy/v1/namespaces/default/poddisruptionbudgets, jmesPath: items}
    validate:
      message: too many
      deny: {conditions: {any: [{key: '{{ length(budgets) }}', operator: GreaterThan, value: 0}]}}
";
const BUDGET: &str =
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: other}\n";
const MARK: &str = "(assumed: no `poddisruptionbudgets` are given, so their list is taken for empty)";
const WARNED: &str = "the verdict rests on an assumed answer: no `poddisruptionbudgets` are given";

#[test]
fn a_verdict_that_rests_on_an_assumed_answer_is_marked_in_every_output() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("policy.yaml", BUDGETS), ("pod.yaml", POD), ("budget.yaml", BUDGET)];
    let apply = ["apply", "policy.yaml", "-r", "pod.yaml"];
    for form in [
        &["-p"][..],
        &["-t", "--detailed-results"],
        &["--report-format", "wgpolicy"],
        &["--report-format", "junit"],
        &["--explain"],
    ] {
        let ran = run(&program, &files, &[&apply[..], form].concat(), "");
        assert_eq!(ran.code, 0, "{form:?}: {}", ran.err);
        let words: String = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(MARK), "{form:?}: {}", ran.out);
        assert!(ran.err.contains(WARNED), "{form:?}: {}", ran.err);
    }
    let explained = run(&program, &files, &["explain", "policy.yaml", "-r", "pod.yaml"], "");
    assert!(explained.out.contains("are given, so their list is taken for empty"), "{}", explained.out);
    let fails = BUDGETS.replace("value: 0", "value: -1");
    let files = [("policy.yaml", fails.as_str()), ("pod.yaml", POD)];
    let text = run(&program, &files, &apply, "");
    assert!(text.code == 1 && text.out.contains(MARK), "{}", text.out);
    let sarif = run(&program, &files, &[&apply[..], &["--report-format", "sarif"]].concat(), "");
    assert!(sarif.out.contains(MARK), "{}", sarif.out);
}

#[test]
fn an_assumed_answer_is_no_pass_under_strict() {
    let Some(program) = program::find_or_skip() else { return };
    let test = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\npolicies: [policy.yaml]\n\
                resources: [pod.yaml]\nclusterResources: [cluster.yaml]\nresults: [{policy: budgets, rule: none, \
                resources: [web], kind: Pod, result: pass}]\n";
    let cluster = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Context\nmetadata: {name: c}\nspec:\n  resources:\n  \
                   - {apiVersion: v1, kind: Namespace, metadata: {name: default}}\n";
    let files = [
        ("policy.yaml", BUDGETS),
        ("pod.yaml", POD),
        ("budget.yaml", BUDGET),
        ("cluster.yaml", cluster),
        ("kyverno-test.yaml", test),
    ];
    let apply = ["apply", "policy.yaml", "-r", "pod.yaml"];
    let ran = |arguments: &[&str]| run(&program, &files, arguments, "");
    let strict = ran(&[&apply[..], &["--strict"]].concat());
    assert_eq!(strict.code, 1);
    assert!(strict.err.contains("1 verdicts rest on an assumed answer"), "{}", strict.err);
    assert_eq!(ran(&apply).code, 0);
    let given = ran(&[&apply[..], &["--strict", "--target-resource", "budget.yaml"]].concat());
    assert_eq!((given.code, given.err.as_str()), (0, ""), "{}", given.out);
    let free = ran(&["test", "."]);
    assert_eq!(free.code, 0, "{}{}", free.out, free.err);
    let strict = ran(&["test", ".", "--strict"]);
    assert!(strict.code == 1 && strict.err.contains("in doubt"), "{}", strict.err);
}
