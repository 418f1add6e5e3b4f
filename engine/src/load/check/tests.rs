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
        ("match: {}\nvalidate: {failureAction: audit}", "`audit` is not one of `Audit`, `Enforce`"),
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
fn one_mistake_is_one_problem_and_says_that_the_policy_is_not_evaluated() {
    let described = |text: &str| -> Vec<(String, String)> {
        let (_, diagnostics) = read(text, Host::Cli);
        diagnostics.iter().map(|said| (said.message.clone(), said.hints.join("; "))).collect()
    };
    let pair = |message: &str, hints: &str| (message.to_owned(), hints.to_owned());
    let wrong = policy(&format!("{POD}\nvalidate: {{mesage: m, deny: {{}}}}"));
    let what = "is not evaluated: Kyverno would not load it";
    let first = pair("unknown field `mesage`", &format!("did you mean `message`?; policy `p` {what}"));
    assert_eq!(described(&wrong), [first]);
    let nameless = wrong.replace("metadata: {name: p}\n", "");
    let first = pair("`metadata.name` is required", &format!("this policy {what}"));
    assert_eq!(described(&nameless), [first, pair("unknown field `mesage`", "did you mean `message`?")]);
    // The rule that a refusal quotes stands beside it; the whole reason is kept.
    let twice = format!(
        "{}  - {{name: r, {POD}, validate: {{deny: {{}}}}}}\n",
        policy(&format!("{POD}\nvalidate: {{deny: {{}}}}"))
    );
    let (bundle, diagnostics) = read(&twice, Host::Cli);
    let short =
        "Kyverno refuses policy `p`: spec.rules[1].name: Invalid value: {…}: Duplicate rule name: 'r'";
    assert_eq!(diagnostics.first().map(|said| said.message.as_str()), Some(short));
    assert!(bundle.refused.first().is_some_and(|refused| refused.reason.contains(r#"{"name":"r","#)));
    // Whether the policy or the resource is refused must not be asked.
    let variable = policy(&format!("{POD}\nvalidate: {{message: '{{{{ foo }}}}', deny: {{}}}}"));
    let (_, diagnostics) = read(&variable, Host::Playground);
    let words =
        "a cluster refuses this policy itself, only the Playground evaluates it: policy contains invalid";
    assert!(diagnostics.first().is_some_and(|said| said.message.starts_with(words)));
}

#[test]
fn a_field_at_the_wrong_level_is_said_where_it_belongs() {
    let hint = |text: &str| {
        let (_, diagnostics) = read(text, Host::Cli);
        diagnostics.first().and_then(|said| said.hints.first().cloned()).unwrap_or_default()
    };
    let cases = [
        (format!("{POD}\nmessage: m\nvalidate: {{deny: {{}}}}"), "`message` belongs below `validate`"),
        (format!("{POD}\npattern: {{}}"), "`pattern` belongs below `validate`"),
        ("match: {kinds: [Pod]}\nvalidate: {deny: {}}".to_owned(), "`kinds` belongs below `any[].resources`"),
        (
            "match: {any: [{kinds: [Pod]}]}\nvalidate: {deny: {}}".to_owned(),
            "`kinds` belongs below `resources`",
        ),
        (
            format!("{POD}\nvalidate: {{preconditions: {{}}, deny: {{}}}}"),
            "`preconditions` belongs beside `validate`",
        ),
        (format!("{POD}\nvalidate: {{deny: {{message: m}}}}"), "`message` belongs beside `deny`"),
        (
            format!("{POD}\nvalidationFailureAction: Audit\nvalidate: {{deny: {{}}}}"),
            "`validationFailureAction` belongs beside `rules`",
        ),
        (format!("{POD}\nvalidate: {{mesage: m, deny: {{}}}}"), "did you mean `message`?"),
    ];
    for (rule, words) in cases {
        assert_eq!(hint(&policy(&rule)), words, "{rule}");
    }
    let whole = policy(&format!("{POD}\nvalidate: {{deny: {{}}}}"));
    let at = |from: &str, to: &str| hint(&whole.replace(from, to));
    assert_eq!(at("spec:\n", "labels: {a: b}\nspec:\n"), "`labels` belongs below `metadata`");
    assert_eq!(at("spec:\n", "rules: []\nspec:\n"), "`rules` belongs below `spec`");
    assert_eq!(at("spec:\n", "spec:\n  validate: {}\n"), "`validate` belongs below `rules[]`");
    assert_eq!(at("spec:\n", "spec:\n  pattern: {}\n"), "`pattern` belongs below `rules[].validate`");
    // What stands nowhere else gets no hint but that of the policy.
    assert!(at("spec:\n", "spec:\n  nonsense: {}\n").starts_with("policy `p` is not evaluated"));
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

#[test]
fn expressions_that_are_always_wrong_are_named() {
    let said = |body: &str| -> Vec<(String, Vec<String>)> {
        let (_, diagnostics) = read(&policy(&format!("{POD}\n{body}")), Host::Cli);
        diagnostics.into_iter().filter(|d| d.code == Code::Suspicious).map(|d| (d.message, d.hints)).collect()
    };
    let one = |message: &str, hint: &str| vec![(message.to_owned(), vec![hint.to_owned()])];
    let denied = |key: &str| {
        format!("validate: {{deny: {{conditions: {{any: [{{key: '{key}', operator: Equals, value: 1}}]}}}}}}")
    };
    assert_eq!(said(&denied("{{ length(request.object.metadata.{{ request.operation }}) }}")), []);
    assert_eq!(
        said(&denied("{{ lenght(request.object.spec) }}")),
        one("no function is called `lenght`: the expression is an error", "did you mean `length`?")
    );
    assert_eq!(
        said(&denied("{{ request.objct.spec }}")),
        one("no request of a cluster has a field `objct`", "did you mean `object`?")
    );
    assert_eq!(
        said(&denied("{{ request.object.spec }")),
        one("`{{` is never closed: this is no variable but a text", "write `}}` behind the expression")
    );
    assert_eq!(said("validate: {message: 'a \\{{ brace', deny: {}}"), []);
    let context = "context: [{name: a, variable: {jmesPath: 'to_uper(@)', value: a}}]\nvalidate: {deny: {}}";
    assert_eq!(
        said(context),
        one("no function is called `to_uper`: the expression is an error", "did you mean `to_upper`?")
    );
}

#[test]
fn the_operator_that_is_meant_is_named() {
    let body = "validate: {deny: {conditions: {any: [{key: a, operator: AnyNotInn, value: b}]}}}";
    let (_, diagnostics) = read(&policy(&format!("{POD}\n{body}")), Host::Cli);
    let hints: Vec<String> = diagnostics.into_iter().flat_map(|d| d.hints).collect();
    assert_eq!(hints, ["write `AnyNotIn` for `AnyNotInn`"]);
}
