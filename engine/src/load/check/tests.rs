//! Refusals with their lines: one case each for what the recorded suites do not hold.

use crate::diag::{Code, Diagnostic, Severity};
use crate::load::{Bundle, Host, Role, load};
use engine_yaml::{Source, SourceId};

fn read(text: &str, host: Host) -> (Bundle, Vec<Diagnostic>) {
    let source = Source { id: SourceId(0), name: "policy.yaml".to_owned(), text: text.into() };
    load(vec![(Role::Policies, source)], host)
}

fn policy(rule: &str) -> String {
    let head = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n";
    format!("{head}  - name: r\n    {}\n", rule.trim().replace('\n', "\n    "))
}

/// The reason and the line of the refusal, counted from 1 at the first line after the name of the rule.
#[track_caller]
fn refusal(rule: &str) -> (String, usize) {
    let text = policy(rule);
    let (bundle, diagnostics) = read(&text, Host::Cli);
    let refused = bundle.refused.first().expect("refused");
    assert!(bundle.policies.is_empty());
    let diagnostic = diagnostics.iter().find(|d| d.code == Code::Refused).expect("a diagnostic");
    let start = diagnostic.span.expect("a span").start as usize;
    let breaks = text.bytes().take(start).filter(|b| *b == b'\n').count();
    (refused.reason.clone(), breaks - 5)
}

const POD: &str = "match: {any: [{resources: {kinds: [Pod]}}]}";

#[track_caller]
fn check(rule: &str, reason: &str) {
    assert_eq!(refusal(&format!("{POD}\n{rule}")).0, reason);
}

#[test]
fn structs_print_in_the_order_of_go_with_defaults() {
    check(
        "validate: {deny: {}}\nmutate: {targets: []}",
        r#"spec.rules[0]: Invalid value: {"name":"r","match":{"any":[{"resources":{"kinds":["Pod"]}}],"resources":{}},"mutate":{},"validate":{"allowExistingViolations":true,"deny":{}},"skipBackgroundRequests":true}: Multiple operations defined in the rule 'r', only one operation (mutate,validate,generate,verifyImages) is allowed per rule"#,
    );
    check(
        "verifyImages: [{imageReferences: [a], mutateDigest: false, attestors: [{entries: [{keyless: {subject: s}}]}]}]",
        r#"spec.rules[0].verifyImages[0].attestors[0].entries[0].keyless: Invalid value: {"subject":"s"}: Either Rekor URL or roots are required"#,
    );
}

#[test]
fn a_refusal_points_at_its_line() {
    let (reason, line) =
        refusal(&format!("{POD}\nvalidate:\n  pattern:\n    metadata:\n      +(labels): {{}}"));
    assert_eq!(
        reason,
        "path: spec.rules[0].validate.pattern.//metadata/+(labels).: unsupported anchor +(labels)"
    );
    assert_eq!(line, 5);
    let (reason, line) = refusal(&format!("{POD}\nvalidate:\n  message: \"{{{{ foo }}}}\"\n  deny: {{}}"));
    assert!(reason.starts_with(
        "policy contains invalid variables: variable substitution failed for rule r: variable foo must match"
    ));
    assert_eq!(line, 3);
}

#[test]
fn variables_are_looked_at_before_fields() {
    check(
        "validate: {message: '{{ request.userInfo.username }}'}",
        "only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule: variable {{ request.userInfo.username }} is not allowed ",
    );
    check(
        "validate: {message: '{{ request.a[ }}', deny: {}}",
        "policy contains invalid variables: variable substitution failed for rule r: failed to resolve request.a[ at path /validate/message: invalid JMESPath query request.a[: SyntaxError: Expected tStar, received: tEOF",
    );
    check(
        "validate: {message: '{{ element.name }}', deny: {}}",
        "variable 'element.name' present outside of foreach at path /validate/message",
    );
}

#[test]
fn patches_are_read() {
    check(
        "mutate: {patchesJson6902: '- {op: foo, path: /a}'}",
        r#"path must begin with a forward slash: spec.rules[0]: invalid operation {"op":"foo","path":"/a"}: unsupported operation"#,
    );
    check(
        "mutate: {patchesJson6902: '- {op: remove, path: a}'}",
        "path must begin with a forward slash: spec.rules[0]: a",
    );
}

#[test]
fn the_schema_comes_first_and_a_policy_it_refuses_is_no_error_of_kyverno() {
    let cases = [
        ("match: {any: [], all: []}\nvalidate: {deny: {}}", "`any` and `all` exclude each other"),
        ("match: {}\nvalidate: {failureAction: audit}", "`audit` is none of `Audit`, `Enforce`"),
        (
            "match: {}\ncontext: [{name: a}]",
            "exactly one of `configMap`, `apiCall`, `imageRegistry`, `variable`, `globalReference` must be given, here are 0",
        ),
        ("validate: {deny: {}}", "`match` is required"),
        ("match: {any: [null]}", "an item of this list must not be null"),
    ];
    for (rule, message) in cases {
        let (bundle, diagnostics) = read(&policy(rule), Host::Cli);
        assert!(bundle.policies.is_empty() && bundle.refused.is_empty(), "{rule}");
        let first = diagnostics.first().expect("a diagnostic");
        assert_eq!((first.message.as_str(), first.severity), (message, Severity::Error));
    }
}

#[test]
fn the_playground_refuses_errors_about_fields_alone() {
    let variable = policy(&format!("{POD}\nvalidate: {{message: '{{{{ foo }}}}', deny: {{}}}}"));
    let (bundle, diagnostics) = read(&variable, Host::Playground);
    assert_eq!((bundle.policies.len(), bundle.refused.len()), (1, 0));
    assert_eq!(diagnostics.first().map(|d| (d.code, d.severity)), Some((Code::Refused, Severity::Warning)));
    let (bundle, _) = read(&policy(POD), Host::Playground);
    assert_eq!((bundle.policies.len(), bundle.refused.len()), (0, 1));
}

#[test]
fn what_can_hardly_be_meant_is_named() {
    let warnings = |rule: &str| -> Vec<String> {
        let (bundle, diagnostics) = read(&policy(rule), Host::Cli);
        assert_eq!(bundle.policies.len(), 1, "{:?}", bundle.refused);
        diagnostics.into_iter().filter(|d| d.code == Code::Suspicious).map(|d| d.message).collect()
    };
    let demand = "validate: {deny: {}}";
    assert_eq!(warnings(&format!("{POD}\n{demand}")), [""; 0]);
    assert_eq!(
        warnings(&format!("{POD}\nexclude: {{any: [{{resources: {{kinds: [Job]}}}}]}}\n{demand}")),
        ["the rule matches none of these kinds: this takes nothing out"]
    );
    assert_eq!(
        warnings(&format!(
            "match: {{any: [{{resources: {{kinds: [v1/pods], namespaces: [Foo]}}}}]}}\n{demand}"
        )),
        [
            "no kind is called `pods`: this never matches",
            "no namespace can be called `Foo`: this never matches"
        ]
    );
    assert_eq!(
        warnings(&format!(
            "match: {{all: [{{resources: {{kinds: [Pod]}}}}, {{resources: {{kinds: [Job]}}}}]}}\n{demand}"
        )),
        ["no object has a kind of this filter and one of the first: together they never match"]
    );
}
