//! Policies that answer requests of HTTP and of Envoy: `--http-payload`, `--envoy-payload`, and requests of test folders.
//!
//! In: the built `podsieve`, a policy and a request. Out: a failure where a verdict, its words or the exit code differ from what
//! Kyverno 1.19 says of the same files.

use std::path::Path;
use tests::program;
use tests::terminal::run;

const HTTP: &str = r#"{"attributes": {"method": "GET", "path": "/shop", "header": {"X-Token": ["a", "b"]}, "query": {"q": ["1"]},
 "contentLength": 5, "body": "aGVsbG8="}}"#;

const ENVOY: &str = r#"{"attributes": {"source": {"address": {"socketAddress": {"address": "10.0.0.1", "portValue": 80}}},
 "request": {"time": "2026-01-02T03:04:05Z", "http": {"path": "/shop", "size": "12", "rawBody": "aGk=", "headers":
 {"authorization": "bearer eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYWRtaW4ifQ.VTOT4HnM0Sou4fHkG3u2QWpIart7cdHV8l_7aH0VmL0"}}},
 "contextExtensions": {"c": "d"}, "metadataContext": {"filterMetadata": {"f": {"s": "t"}}}}}"#;

/// A policy of this mode with one validation.
fn policy(mode: &str, expression: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {{name: p}}\nspec:\n  evaluation: {{mode: {mode}}}\n  \
         variables:\n  - {{name: two, expression: 1 + 1}}\n  validations:\n  - expression: |-\n      {expression}\n"
    )
}

/// The exit code and what stands in the first row of the report: verdict and message.
fn said(program: &Path, mode: &str, expression: &str) -> (i32, String) {
    let policy = policy(mode, expression);
    let flag = if mode == "HTTP" { "--http-payload" } else { "--envoy-payload" };
    let request = if mode == "HTTP" { HTTP } else { ENVOY };
    let files = [("policy.yaml", policy.as_str()), ("request.json", request)];
    let ran = run(program, &files, &["apply", "policy.yaml", flag, "request.json", "-p"], "");
    let field = |name: &str| {
        let line = ran.out.lines().find_map(|line| line.trim_start_matches([' ', '-']).strip_prefix(name));
        line.unwrap_or("").trim_matches('\'').to_owned()
    };
    let row = format!("{} {}", field("result: "), field("message: "));
    (ran.code, if row == " " { ran.err } else { row })
}

fn hold(mode: &str, cases: &[(&str, i32, &str)]) {
    let Some(program) = program::find_or_skip() else { return };
    for (expression, code, wanted) in cases {
        let (got, row) = said(&program, mode, expression);
        assert!(got == *code && row.contains(wanted), "{expression}: {got} {row}, not {code} {wanted}");
    }
}

#[test]
fn requests_of_http_are_answered() {
    hold(
        "HTTP",
        &[
            ("http.Allowed().Response()", 0, "pass request allowed"),
            ("'null' == '' ? http.Allowed().Response() : null", 0, "skip request does not match"),
            (
                "object.attributes.Header('x-token').size() == variables.two ? http.Denied('no').Response() : null",
                1,
                "fail request denied, reason: no",
            ),
            (
                "http.Denied(string(object.attributes.body) + object.attributes.QueryParam('q')[0]).Response()",
                1,
                "fail request denied, reason: hello1",
            ),
            ("http.CheckResponse{denied: http.CheckResponseDenied{reason: 'own'}}", 1, "reason: own"),
            ("has(object.attributes.fragment) ? null : http.Denied('none').Response()", 1, "reason: none"),
            ("object.attributes.header['none'][0] == '' ? null : null", 1, "error no such key: none"),
            ("object.attributes.?path.hasValue() ? null : null", 1, "error no such field: path"),
            (
                "json.Unmarshal('{\"a\": 1}').a == 1.0 ? http.Denied(mcp.ToolsCallMethod).Response() : null",
                1,
                "reason: tools/call",
            ),
            (
                "resource.Get('v1', 'pods', 'a', 'b') == null ? http.Allowed().Response() : null",
                1,
                "no matching overload for '_==_'",
            ),
            ("object.attributes.nope == 1 ? null : null", 1, "undefined field 'nope'"),
            ("true", 1, "rule response output is expected to be of type http.CheckResponse"),
            ("request.operation == '' ? null : null", 1, "undeclared reference to 'request'"),
        ],
    );
}

#[test]
fn requests_of_envoy_are_answered() {
    let http = "object.attributes.request.http";
    let token = format!("jwt.Decode({http}.headers['authorization'].split(' ')[1], 'secret')");
    hold(
        "Envoy",
        &[
            (
                "envoy.Allowed().WithHeader('a', 'b').Response().WithMetadata({'a': 'b'})",
                0,
                "pass request allowed",
            ),
            ("envoy.Denied(403).WithBody('no').Response()", 1, "fail request denied with status code 403"),
            ("envoy.Denied(envoy.type.v3.StatusCode.Unauthorized).Response()", 1, "status code 401"),
            (
                &format!("{http}.size == 12 && {http}.raw_body == b'hi' ? envoy.Denied(1).Response() : null"),
                1,
                "status code 1",
            ),
            (
                "envoy.Denied(int(object.attributes.source.address.socket_address.port_value)).Response()",
                1,
                "status code 80",
            ),
            ("has(object.attributes.destination) ? null : envoy.Denied(2).Response()", 1, "status code 2"),
            (
                "object.attributes.metadata_context.filter_metadata['f'].s == 't' ? envoy.Denied(3).Response() : null",
                1,
                "status code 3",
            ),
            (
                "object.attributes.request.time == timestamp('2026-01-02T03:04:05Z') ? envoy.Denied(4).Response() : null",
                1,
                "status code 4",
            ),
            (
                &format!(
                    "{token}.Claims.role == 'admin' && {token}.Valid ? envoy.Allowed().Response() : null"
                ),
                0,
                "pass",
            ),
            (
                &format!("{}.Valid ? null : null", token.replace("secret", "other")),
                1,
                "error jwt.Parse: failed",
            ),
            (
                "envoy.service.auth.v3.CheckResponse{ok_response: envoy.service.auth.v3.OkHttpResponse{}}",
                1,
                "error rule result is expected to be *authv3.CheckResponse",
            ),
        ],
    );
}

#[test]
fn a_failure_policy_and_conditions_leave_a_request_alone() {
    let Some(program) = program::find_or_skip() else { return };
    let with = |more: &str, expression: &str| {
        let policy = policy("HTTP", expression).replace("spec:\n", &format!("spec:\n  {more}\n"));
        let files = [("policy.yaml", policy.as_str()), ("request.json", HTTP)];
        let ran = run(&program, &files, &["apply", "policy.yaml", "--http-payload", "request.json"], "");
        (ran.code, ran.out)
    };
    let broken = "object.attributes.header['none'][0] == '' ? null : null";
    let skip =
        "\nApplying 1 policy rule(s) to 0 resource(s)...\n\npass: 0, fail: 0, warn: 0, error: 0, skip: 1 \n";
    assert_eq!(with("failurePolicy: Ignore", broken), (0, skip.to_owned()));
    let other = "matchConditions: [{name: a, expression: \"object.attributes.method == 'PUT'\"}]";
    assert_eq!(with(other, "http.Denied('no').Response()"), (0, skip.to_owned()));
    let unbound = "matchConditions: [{name: a, expression: variables.two == 2}]";
    let (code, _) = with(unbound, "http.Allowed().Response()");
    assert_eq!(code, 1, "conditions see no variables");
}

#[test]
fn a_request_that_cannot_be_read_ends_the_run_in_the_words_of_go() {
    let Some(program) = program::find_or_skip() else { return };
    let policy = policy("HTTP", "http.Allowed().Response()");
    let with = |request: &str| {
        let files = [("policy.yaml", policy.as_str()), ("request.json", request)];
        run(&program, &files, &["apply", "policy.yaml", "--http-payload", "request.json"], "")
    };
    let wrong = with(r#"{"attributes": {"method": 1}}"#);
    let words = "Error: failed to parse HTTP payload from request.json: json: cannot unmarshal number into Go struct field \
                 CheckRequestAttributes.attributes.method of type string\n";
    assert_eq!((wrong.code, wrong.err.as_str()), (1, words));
    let wrong = with(r#"{"attributes": {"body": "!!"}}"#);
    assert!(wrong.err.contains("illegal base64 data at input byte 0"), "{}", wrong.err);
    assert_eq!(with(r#"{"Attributes": {"METHOD": "GET"}, "more": 1}"#).code, 0);
}

#[test]
fn a_test_folder_has_requests() {
    let Some(program) = program::find_or_skip() else { return };
    let test = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\npolicies: [policy.yaml]\nhttpPayloads: \
                [./request.json]\nresults:\n- {policy: p, result: fail}\n";
    let policy = policy("HTTP", "http.Denied('no').Response()");
    let files = [("policy.yaml", policy.as_str()), ("request.json", HTTP), ("kyverno-test.yaml", test)];
    let ran = run(&program, &files, &["test", "."], "");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("  Loading HTTP payloads ...\n"), "{}", ran.out);
    assert!(ran.out.contains("  Applying 0 policies to 0 resources with 0 exceptions ...\n"), "{}", ran.out);
    assert!(ran.out.contains("│ 1  │ p      │ p    │ request.json │ Pass   │ Ok     │\n"), "{}", ran.out);
}

#[test]
fn resources_and_requests_do_not_meet() {
    let Some(program) = program::find_or_skip() else { return };
    let answering = policy("HTTP", "http.Allowed().Response()");
    let json = policy("JSON", "object.attributes.method == 'GET'").replace("name: p", "name: j");
    let both = format!("{answering}---\n{json}");
    let files = [
        ("policy.yaml", both.as_str()),
        ("request.json", HTTP),
        ("pod.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: a}}"),
    ];
    let args = ["apply", "policy.yaml", "--http-payload", "request.json", "-r", "pod.yaml"];
    let ran = run(&program, &files, &args, "");
    let summary = "Applying 2 policy rule(s) to 1 resource(s)...\n";
    assert!(
        ran.out.contains(summary) && ran.out.ends_with("pass: 1, fail: 0, warn: 0, error: 1, skip: 0 \n"),
        "{}",
        ran.out
    );
}
