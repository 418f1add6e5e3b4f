//! What policies in CEL say beside the text of `apply`: reports in both forms, JUnit, SARIF, exceptions that are generated.
//!
//! In: the built `podsieve`, a policy of each kind, two Pods of which one is bad. Out: a failure where a result is missing, or where a
//! form holds what another does not. What Kyverno 1.19 prints of the same files is the same, line for line.

use tests::program;
use tests::terminal::run;

const PODS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: bad, namespace: shop}
spec: {containers: [{name: a, image: 'nginx:latest'}]}
---
apiVersion: v1
kind: Pod
metadata: {name: good, namespace: shop}
spec: {containers: [{name: a, image: 'nginx:1'}]}
";

const SELECTS: &str = "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}]}";
const HOLDS: &str = "\"object.spec.containers.all(c, !c.image.endsWith(':latest'))\"";

/// The kinds that say of the bad Pod that it is: kind, the rule of its row, the source in reports, the policy.
fn policies() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let of = |group: &str, kind: &str, spec: &str| {
        format!("apiVersion: {group}\nkind: {kind}\nmetadata: {{name: p}}\nspec:\n  {SELECTS}\n  {spec}\n")
    };
    let validations = format!("validations: [{{expression: {HOLDS}, message: name a version}}]");
    let rule = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    match: {{any: \
         [{{resources: {{kinds: [Pod]}}}}]}}\n    validate: {{cel: {{expressions: [{{expression: {HOLDS}, message: name a \
         version}}]}}}}\n"
    );
    let kyverno = "policies.kyverno.io/v1";
    let audits = format!(
        "{validations}\n  auditAnnotations: [{{key: who, valueExpression: string(object.metadata.name)}}]"
    );
    let deletes = format!("schedule: '0 1 * * *'\n  conditions: [{{name: c, expression: {HOLDS}}}]");
    let kubernetes = "admissionregistration.k8s.io/v1";
    vec![
        ("ValidatingPolicy", "", "KyvernoValidatingPolicy", of(kyverno, "ValidatingPolicy", &audits)),
        (
            "ValidatingAdmissionPolicy",
            "p",
            "ValidatingAdmissionPolicy",
            of(kubernetes, "ValidatingAdmissionPolicy", &validations),
        ),
        ("DeletingPolicy", "p", "kyverno", of(kyverno, "DeletingPolicy", &deletes)),
        ("ClusterPolicy", "r", "kyverno", rule),
    ]
}

fn with(policy: &str, flags: &[&str]) -> Option<(i32, String)> {
    let program = program::find_or_skip()?;
    let files = [("policy.yaml", policy), ("pods.yaml", PODS)];
    let ran = run(&program, &files, &[&["apply", "policy.yaml", "-r", "pods.yaml"], flags].concat(), "");
    Some((ran.code, ran.out))
}

#[test]
fn both_forms_of_reports_hold_both_results() {
    for (kind, rule, source, policy) in policies() {
        let Some((code, report)) = with(&policy, &["-p"]) else { return };
        assert_eq!(code, 1, "{kind}");
        assert!(report.contains(&format!("  source: {source}\n")), "{kind}: {report}");
        let named = report.matches(&format!("  rule: {rule}\n")).count();
        assert_eq!(named, if rule.is_empty() { 0 } else { 2 }, "{kind}: {report}");
        assert!(report.contains("  fail: 1\n") && report.contains("  pass: 1\n"), "{kind}: {report}");
        if kind == "ValidatingPolicy" {
            assert!(
                report.contains("    cel.validationIndex: \"0\"\n") && report.contains("    who: bad\n"),
                "{report}"
            );
        }
        let Some((_, other)) = with(&policy, &["--report-format", "wgpolicy"]) else { return };
        let words = ["result: fail", "result: pass", "name: bad", "name: good"];
        for word in words {
            assert!(other.contains(word), "{kind}: {word}: {other}");
        }
    }
}

#[test]
fn junit_and_sarif_hold_what_failed_and_where() {
    for (kind, _, _, policy) in policies() {
        let Some((code, junit)) = with(&policy, &["--report-format", "junit"]) else { return };
        let head = "<testsuites name=\"podsieve\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">";
        assert!(code == 1 && junit.contains(head), "{kind}: {junit}");
        assert!(junit.contains("file=\"pods.yaml\" line=\"1\">\n      <failure "), "{kind}: {junit}");
        let Some((_, sarif)) = with(&policy, &["--report-format", "sarif"]) else { return };
        assert_eq!(sarif.matches("\"ruleId\"").count(), 1, "{kind}: {sarif}");
        assert!(
            sarif.contains("\"uri\": \"pods.yaml\"") && sarif.contains("shop/Pod/bad: "),
            "{kind}: {sarif}"
        );
    }
}

// Kyverno: the CLI writes exceptions of its older group for every kind, and of the newer kinds no name of a rule.
#[test]
fn exceptions_are_generated_for_the_bad_one() {
    for (kind, rule, _, policy) in policies() {
        let Some((_, made)) = with(&policy, &["--generate-exceptions"]) else { return };
        assert_eq!(made.matches("kind: PolicyException\n").count(), 1, "{kind}: {made}");
        let named = if rule.is_empty() { "- \"\"\n".to_owned() } else { format!("- {rule}\n") };
        assert!(
            made.contains(&named) && made.contains("- bad\n") && !made.contains("- good\n"),
            "{kind}: {made}"
        );
    }
}

#[test]
fn what_a_cluster_would_do_is_said_of_each() {
    let effects = [
        ("ValidatingPolicy", "a cluster would refuse the request\n"),
        ("ClusterPolicy", "a cluster would let it in and report it\n"),
    ];
    for (wanted, effect) in effects {
        for (kind, _, _, policy) in policies().into_iter().filter(|(kind, ..)| *kind == wanted) {
            let Some((_, explained)) = with(&policy, &["--explain"]) else { return };
            assert!(explained.contains(effect), "{kind}: {explained}");
        }
    }
}

#[test]
fn an_exception_that_create_writes_exempts_what_its_condition_names() {
    let Some(program) = program::find_or_skip() else { return };
    let create = |args: &[&str]| run(&program, &[], &[&["create", "exception", "bad"], args].concat(), "");
    let refers = ["--policy-refs", "ValidatingPolicy/p"];
    let text = create(&[&refers[..], &["--condition", "object.metadata.name == 'bad'"]].concat());
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let policies = policies();
    let [(.., policy), ..] = policies.as_slice() else { panic!("no policy") };
    let files =
        [("policy.yaml", policy.as_str()), ("pods.yaml", PODS), ("exception.yaml", text.out.as_str())];
    let counts = |flags: &[&str]| {
        let ran = run(&program, &files, &[&["apply", "policy.yaml", "-r", "pods.yaml"], flags].concat(), "");
        ran.out.lines().last().unwrap_or_default().trim_end().to_owned()
    };
    assert_eq!(counts(&[]), "pass: 1, fail: 1, warn: 0, error: 0, skip: 0");
    assert_eq!(counts(&["--exception", "exception.yaml"]), "pass: 1, fail: 0, warn: 0, error: 0, skip: 1");
    let wrong = create(&["--policy-refs", "ClusterPolicy/p"]);
    assert!(wrong.code != 0 && wrong.err.contains("there is `--policy-rules`"), "{}", wrong.err);
}
