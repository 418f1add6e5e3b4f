//! Texts of which something cannot be used, reported by the terminal client: what stands behind a document, exceptions among
//! resources, names in autogen's annotation, rules that end in an error.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where verdict, exit code or advice differ.

use engine::world::StaticWorld;
use engine_lenses::wire::{ExplainInput, Input, PolicyResult, Text};
use tests::program;
use tests::terminal::{POD, POLICY, run};

const EXCEPTION: &str = "\
---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: lifted}
spec:
  exceptions: [{policyName: no-latest, ruleNames: [tag]}]
  match: {any: [{resources: {kinds: [Pod]}}]}
";
const WITHIN: [&str; 7] =
    ["apply", "policy.yaml", "-r", "all.yaml", "--exceptions-within-resources", "-t", "--detailed-results"];

#[test]
fn an_exception_among_resources_lies_in_the_default_namespace_as_they_do() {
    let Some(program) = program::find_or_skip() else { return };
    let all = [POD, EXCEPTION].concat();
    let ran = run(&program, &[("policy.yaml", POLICY), ("all.yaml", &all)], &WITHIN, "");
    assert!(ran.out.contains("to 2 resource(s) with 1 exception(s)"), "{}", ran.out);
    assert!(ran.out.contains("rule is skipped due to policy exceptionsdefault/lifted "), "{}", ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn an_exception_that_names_no_rule_there_is_warned_of() {
    let Some(program) = program::find_or_skip() else { return };
    let apply = |exception: &str| {
        let files = [("policy.yaml", POLICY), ("pod.yaml", POD), ("exception.yaml", exception)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "-e", "exception.yaml"], "").err
    };
    assert_eq!(apply(EXCEPTION), "");
    let rule =
        "warning: exception `lifted` exempts nothing: policy `no-latest` has no rule `tagg`; it has `tag`\n";
    assert_eq!(apply(&EXCEPTION.replace("[tag]", "[tagg]")), rule);
    let policy =
        "warning: exception `lifted` exempts nothing: no policy is called `latest` among the texts\n";
    assert_eq!(apply(&EXCEPTION.replace("no-latest", "latest")), policy);
}

#[test]
fn an_exception_among_resources_that_cannot_be_used_is_named_and_all_is_evaluated_without_it() {
    let Some(program) = program::find_or_skip() else { return };
    let changes = [("kyverno.io/v2", "kyverno.io/v2alpha1"), ("spec:\n", "spec:\n  until: tomorrow\n")];
    for ((from, to), line) in changes.into_iter().zip(["all.yaml:9", "all.yaml:13"]) {
        let all = [POD, &EXCEPTION.replacen(from, to, 1)].concat();
        let files = [("policy.yaml", POLICY), ("all.yaml", all.as_str())];
        let ran = run(&program, &files, &WITHIN, "");
        assert!(ran.out.contains("to 2 resource(s)...\n") && ran.out.contains("Fail"), "{}", ran.out);
        assert!(ran.err.starts_with("warning") && ran.err.contains(line), "{}", ran.err);
        assert!(ran.err.contains("everything is evaluated without this exception"), "{}", ran.err);
        assert_eq!(ran.code, 1);
        let pass = all.replace("nginx:latest", "nginx:1.29");
        let ran = run(&program, &[("policy.yaml", POLICY), ("all.yaml", &pass)], &WITHIN, "");
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

#[test]
fn text_behind_a_json_document_is_no_pass() {
    let Some(program) = program::find_or_skip() else { return };
    let pod =
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"image":"a:1"}]}}"#;
    let two = format!("{pod}\n{pod}\n");
    let files = [("policy.yaml", POLICY), ("two.yaml", two.as_str())];
    for arguments in [&["apply", "policy.yaml", "-r", "two.yaml"][..], &["psa", "check", "-f", "two.yaml"]] {
        let ran = run(&program, &files, arguments, "");
        assert!(ran.err.contains("error[unread-text]") && ran.err.contains("two.yaml:2"), "{}", ran.err);
        assert!(ran.err.contains("write a line `---` before each further document"), "{}", ran.err);
        assert_eq!(ran.code, 1);
    }
}

#[test]
fn what_was_not_evaluated_is_the_last_word_of_a_run_and_stands_in_its_reports() {
    let Some(program) = program::find_or_skip() else { return };
    let other =
        "---\napiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: signed}\n";
    let [whole, part] = [POLICY.to_owned(), format!("{POLICY}{other}")];
    let pod = POD.replace("nginx:latest", "nginx:1.29");
    let ask = |policy: &str, format: &[&str]| {
        let files = [("policy.yaml", policy), ("pod.yaml", pod.as_str())];
        run(&program, &files, &[&["apply", "policy.yaml", "-r", "pod.yaml"], format].concat(), "")
    };
    let (all, some) = (ask(&whole, &[]), ask(&part, &[]));
    assert_eq!((all.code, some.code), (0, 1));
    assert!(some.err.ends_with("whatever the counts are, this run is not a pass\n"), "{}", some.err);
    assert!(!all.err.contains("not a pass"), "{}", all.err);
    let report = ["--report-format", "wgpolicy"];
    assert!(ask(&part, &report).out.starts_with("# Not complete: "));
    assert!(!ask(&whole, &report).out.contains("# Not complete"));
    let scan = ["--report-format", "sarif"];
    for (policy, success) in [(&whole, true), (&part, false)] {
        let described = format!("\"executionSuccessful\": {success}");
        assert!(ask(policy, &scan).out.contains(&described));
    }
}

#[test]
fn what_is_wrong_in_many_places_is_shown_three_times_and_then_listed() {
    let Some(program) = program::find_or_skip() else { return };
    let list = "apiVersion: v1\nkind: List\nitems:\n- {}\n---\n";
    let ask = |count: usize| {
        let files = [("policy.yaml", POLICY), ("lists.yaml", &*list.repeat(count)), ("more.yaml", list)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "lists.yaml", "-r", "more.yaml"], "").err
    };
    let shown =
        "error[unopened-list]: a `List` is evaluated as one object; the object in it is not evaluated";
    let few = ask(2);
    assert_eq!((few.matches(shown).count(), few.contains("more times")), (3, false), "{few}");
    let many = ask(5);
    assert_eq!(many.matches(shown).count(), 3, "{many}");
    assert!(
        many.contains("\nerror[unopened-list]: the same 3 more times: lists.yaml:18, 23, more.yaml:3\n"),
        "{many}"
    );
    assert!(ask(30).contains(", 113 and 8 more\n"));
}

#[test]
fn fields_that_no_api_server_takes_are_named_where_that_is_asked_for() {
    let Some(program) = program::find_or_skip() else { return };
    let pod = POD.replace("containers:", "contaners:");
    let files = [("policy.yaml", POLICY), ("pod.yaml", pod.as_str())];
    let plain = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    let checked = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", "--check-resources"], "");
    assert_eq!((plain.out, plain.code, plain.err.as_str()), (checked.out, checked.code, ""));
    assert!(
        checked.err.starts_with("warning[unknown-field]: a Pod has no field `spec.contaners`"),
        "{}",
        checked.err
    );
    assert!(checked.err.contains("did you mean `containers`?"), "{}", checked.err);
}

#[test]
fn a_kind_with_a_slip_and_a_message_within_a_pattern_are_named_unasked() {
    let Some(program) = program::find_or_skip() else { return };
    let of = |from: &str, to: &str| {
        let policy = POLICY.replacen(from, to, 1);
        let files = [("policy.yaml", policy.as_str()), ("pod.yaml", POD)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "").err
    };
    let err = of("[Pod]", "[Podd, Deploymnet]");
    assert!(
        err.contains("Kubernetes has no kind `Deploymnet`") && err.contains("did you mean `Deployment`?"),
        "{err}"
    );
    let err = of("pattern: {", "pattern: {message: m, ");
    assert!(err.contains("help: `message` belongs beside `pattern`"), "{err}");
}

#[test]
fn arguments_that_do_not_parse_say_what_to_type() {
    let Some(program) = program::find_or_skip() else { return };
    let err = |arguments: &[&str]| run(&program, &[("pod.yaml", POD)], arguments, "").err;
    let of_group = err(&["psa", "-f", "pod.yaml"]);
    assert!(of_group.contains("`podsieve psa check -f …`: check, namespace, advise"), "{of_group}");
    let of_file = err(&["psa", "check", "pod.yaml"]);
    assert!(of_file.contains("`podsieve psa check -f pod.yaml`"), "{of_file}");
    assert!(!err(&["psa", "check", "-f", "pod.yaml", "--nonsense"]).contains("tip: files"));
}

#[test]
fn rules_for_controllers_of_odd_names_are_counted_as_the_original_does_and_are_for_nothing() {
    let Some(program) = program::find_or_skip() else { return };
    let cron = "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: \"a:latest\"}]}}}}}
";
    let of = |names: &str| {
        let policy = POLICY.replacen(
            "{name: no-latest}",
            &format!("{{name: no-latest, annotations: {{pod-policies.kyverno.io/autogen-controllers: \"{names}\"}}}}"),
            1,
        );
        let files = [("policy.yaml", policy.as_str()), ("cron.yaml", cron)];
        let ran = run(&program, &files, &["apply", "policy.yaml", "-r", "cron.yaml"], "");
        let rules =
            ran.out.trim_start().strip_prefix("Applying ").and_then(|rest| rest.get(..1)).map(str::to_owned);
        (rules.unwrap_or_default(), ran.code)
    };
    let cases = [
        ("Deployment, CronJob", "3", 0),
        // Refused, and counted all the same.
        ("all", "3", 1),
        ("", "1", 0),
        (",", "1", 0),
        ("CronJob,", "2", 1),
        ("CronJob", "2", 1),
        ("Deployment,CronJob", "3", 1),
        ("Deployment,", "2", 0),
        ("small", "3", 0),
    ];
    for (names, rules, code) in cases {
        assert_eq!(of(names), (rules.to_owned(), code), "{names:?}");
    }
}

/// Kyverno reads it and does not use it, without a word.
#[test]
fn an_exception_among_policies_that_is_not_used_is_named() {
    let Some(program) = program::find_or_skip() else { return };
    let exception = "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: team}\nspec:\n  \
                     exceptions:\n  - {policyName: no-latest, ruleNames: [tag]}\n  match: {any: [{resources: {kinds: [Pod]}}]}\n";
    let files = [("policy.yaml", POLICY), ("pod.yaml", POD), ("exception.yaml", exception)];
    let apply = |more: &[&str]| {
        let both = ["apply", "policy.yaml", "exception.yaml", "-r", "pod.yaml"];
        run(&program, &files, &[&both, more].concat(), "").err
    };
    let said = "warning: PolicyException `team/e` among the policies is not used: give the file with --exception, or add \
                --exceptions-within-policies\n";
    assert_eq!(apply(&[]), said);
    assert_eq!(apply(&["--exceptions-within-policies"]), "");
    assert_eq!(apply(&["-e", "exception.yaml"]), "");
}

/// What is given to change the verdicts and holds nothing is said: for values and user info in the words of the original.
#[test]
fn an_empty_file_of_values_user_info_or_exceptions_is_described() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("policy.yaml", POLICY), ("pod.yaml", POD), ("empty.yaml", "# later\n")];
    let apply =
        |flag| run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", flag, "empty.yaml"], "");
    let deprecated = |what| {
        format!("\nWARNING: {what} file (empty.yaml) uses a deprecated schema that will be removed in 1.15\n")
    };
    let values = apply("-f");
    assert_eq!(values.out, deprecated("values"));
    let refusal = "Error: failed to decode yaml (values file empty.yaml uses a deprecated schema — please migrate to the latest format)";
    assert!(values.code == 1 && values.err.contains(refusal), "{}", values.err);
    let user = apply("-u");
    assert!(user.code == 1 && user.out.starts_with(&deprecated("user infos")), "{}", user.out);
    assert!(user.out.ends_with("fail: 1, warn: 0, error: 0, skip: 0 \n"), "{}", user.out);
    let exceptions = apply("-e");
    assert_eq!(
        (exceptions.code, exceptions.err.as_str()),
        (1, "warning: `empty.yaml` holds no PolicyException\n")
    );
}

const CEL: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: expressions}
spec:
  rules:
  - name: never
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, cel: {expressions: [{expression: \"false\"}]}}
";

/// A rule of a kind that is not evaluated may refuse the request: that it matches is reported, and nothing is claimed.
#[test]
fn a_rule_that_is_not_evaluated_and_matches_is_not_decided() {
    let text = |name: &str, text: &str| Text { name: name.into(), text: text.into() };
    let service = POD.replace("kind: Pod", "kind: Service");
    let input = Input {
        policies: vec![text("policy.yaml", CEL)],
        resources: vec![text("pod.yaml", POD), text("service.yaml", &service)],
        ..Input::default()
    };
    let world = StaticWorld::at(1_790_000_000_000_000_000);
    let output = engine_lenses::run(&input, &world);
    let said = |result: &PolicyResult| (result.effect.clone(), result.no_match.clone());
    let wanted = "rule `never` matches and is of a kind that is not supported yet".to_owned();
    assert_eq!(
        output.results.iter().map(said).collect::<Vec<_>>(),
        [("unknown".to_owned(), Some(wanted)), ("allow".to_owned(), None)]
    );
    let explained = engine_lenses::explain::run(&ExplainInput { input, ..ExplainInput::default() }, &world);
    let verdicts: Vec<&str> = explained.explanations.iter().map(|said| said.verdict.as_str()).collect();
    assert_eq!(verdicts, ["undecided", "noMatch"]);

    // The terminal client evaluates what the engine alone does not.
    let Some(program) = program::find_or_skip() else { return };
    let files = [("policy.yaml", CEL), ("pod.yaml", POD)];
    let applied = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    assert!(
        applied.code == 1 && applied.out.contains("1 - never failed expression: false\n"),
        "{}",
        applied.out
    );
    let explained = run(&program, &files, &["explain", "policy.yaml", "-r", "pod.yaml"], "");
    assert!(explained.out.starts_with("FAIL expressions/never on default/Pod/web\n"), "{}", explained.out);
}

/// What stands wrong below `userInfo`, or twice, decides nothing: the run ends, as the original's does.
#[test]
fn user_info_and_values_that_cannot_be_meant_end_the_run() {
    let Some(program) = program::find_or_skip() else { return };
    let asked = [
        ("-u", "userInfo: {user: joe}\n", "unknown field `user`"),
        ("-u", "userInfo: joe\n", "`userInfo` must be a map, this is a string"),
        ("-u", "userInfo: {extra: {a: b}}\n", "must be a list, this is a string"),
        ("-u", "userInfo: {}\nuserInfo: {}\n", "key \"userInfo\" already set in map"),
        ("-f", "kind: Values\nkind: Values\n", "key \"kind\" already set in map"),
    ];
    for (flag, text, words) in asked {
        let files = [("policy.yaml", POLICY), ("pod.yaml", POD), ("settings.yaml", text)];
        let ran =
            run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml", flag, "settings.yaml"], "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{text}{}", ran.err);
        assert!(ran.err.contains(words), "{text}{}", ran.err);
    }
}

#[test]
fn flags_are_taken_and_refused_as_the_original_does() {
    let Some(program) = program::find_or_skip() else { return };
    let files = [("policy.yaml", POLICY), ("pod.yaml", POD)];
    let apply = |more: &[&str]| {
        run(&program, &files, &[&["apply", "policy.yaml", "-r", "pod.yaml"], more].concat(), "")
    };
    let refused = apply(&["--generated-exception-ttl", "1d"]);
    let words = "Error: invalid argument \"1d\" for \"--generated-exception-ttl\" flag: time: unknown unit \"d\" in duration \"1d\"\n";
    assert_eq!((refused.code, refused.out.as_str(), refused.err.as_str()), (1, "", words));
    let plain = apply(&[]);
    for more in
        [["--generated-exception-ttl", "-1h"], ["--kubeconfig", "x"], ["--set", "request.operation=FOO"]]
    {
        assert_eq!((apply(&more).code, apply(&more).out), (1, plain.out.clone()), "{more:?}");
    }
}

/// Kinds that Kubernetes does not know, documents that are not objects, and kinds that it knows.
const BESIDE: &[(&str, &str)] = &[
    ("policies/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"),
    ("policies/values.yaml", "resources: [policy.yaml]\n"),
    ("policies/a/artifacthub-pkg.yml", "version: 1.0.0\nname: policies\n"),
    (
        "policies/a/role.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\n",
    ),
    ("policies/kyverno-test.yaml", "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\n"),
    ("policies/list.yaml", "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap}]\n"),
];

#[test]
fn what_is_no_policy_beside_policies_in_a_folder_is_a_warning() {
    let Some(program) = program::find_or_skip() else { return };
    let good = POD.replace(":latest", ":1");
    let files = [&[("policies/policy.yaml", POLICY), ("pod.yaml", good.as_str())][..], BESIDE].concat();
    let ran = run(&program, &files, &["apply", "policies", "-r", "pod.yaml"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("pass: 1, fail: 0,"), "{}", ran.out);
    assert_eq!(ran.err.matches("warning[").count(), BESIDE.len(), "{}", ran.err);
    for (name, _) in BESIDE {
        assert!(ran.err.contains(name), "{name} is named: {}", ran.err);
        let named = run(&program, &files, &["apply", name, "policies/policy.yaml", "-r", "pod.yaml"], "");
        assert_eq!(named.code, 1, "{name} by its name: {}", named.err);
    }
}

#[test]
fn a_policy_of_a_version_that_is_not_there_stays_an_error_in_a_folder() {
    let Some(program) = program::find_or_skip() else { return };
    let good = POD.replace(":latest", ":1");
    let item = "{apiVersion: kyverno.io/v3, kind: ClusterPolicy}";
    let list = format!("apiVersion: v1\nkind: List\nitems: [{item}]\n");
    let files = [
        ("v3/policy.yaml", &*POLICY.replace("kyverno.io/v1", "kyverno.io/v3")),
        ("none/policy.yaml", &*POLICY.replace("apiVersion: kyverno.io/v1\n", "")),
        ("kindless/policy.yaml", &*POLICY.replace("kind: ClusterPolicy\n", "")),
        ("list/policy.yaml", &*list),
        ("pod.yaml", &*good),
    ];
    for folder in ["v3", "none", "kindless", "list"] {
        let ran = run(&program, &files, &["apply", folder, "-r", "pod.yaml"], "");
        assert!(ran.code == 1 && ran.err.contains("error["), "{folder}: {}", ran.err);
    }
}

/// `kyverno apply` ends with `Object 'Kind' is missing in '---\n'` on each of these.
#[test]
fn a_document_of_resources_that_holds_nothing_is_no_pass() {
    let Some(program) = program::find_or_skip() else { return };
    let good = POD.replace(":latest", ":1");
    let ran = |text: &str| {
        let files = [("policy.yaml", POLICY), ("pods.yaml", text)];
        run(&program, &files, &["apply", "policy.yaml", "-r", "pods.yaml"], "")
    };
    for (before, after) in [
        ("---\n---\n", ""),
        ("---\n# Source: a.yaml\n---\n", ""),
        ("---\nnull\n---\n", ""),
        ("", "---\n---\n"),
    ] {
        let ran = ran(&[before, &good, after].concat());
        assert_eq!(ran.code, 1, "{before:?} {after:?}: {}", ran.out);
        assert!(ran.err.contains("error[no-kind]"), "{}", ran.err);
        assert!(ran.out.contains("pass: 1, fail: 0,"), "the rest is evaluated: {}", ran.out);
    }
    for before in ["", "---\n", "\n---\n---\n", "# a\n---\n# b\n---\n"] {
        let ran = ran(&[before, &good].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{before:?}");
    }
}

/// The original counts an error of a rule that validates and does not say why; standard error does.
#[test]
fn an_error_says_why_on_standard_error() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {message: m, deny: {conditions: {any: [{key: '{{ request.object.nope }}', operator: Equals, value: x}]}}}\n";
    let files = [("policy.yaml", policy), ("pod.yaml", POD)];
    let run = run(&program, &files, &["apply", "policy.yaml", "-r", "pod.yaml"], "");
    assert!(run.out.contains("error: 1"), "{}", run.out);
    assert!(run.err.contains("error: rule `r` of policy `p` for default/Pod/web: "), "{}", run.err);
    assert!(run.err.contains("nope"), "{}", run.err);
    assert!(!run.out.contains("nope"), "{}", run.out);
}
