//! `podsieve mcp`: what an agent gets, and what nobody gets.
//!
//! In: the built `podsieve`, messages a line each, files in a folder of their own. Out: a failure where an answer differs.

use serde_json::{Value, json};
use tests::program::{self, Scratch};
use tests::terminal::{POD, POLICY, run_in};

/// The answers to messages, over a folder with a policy, a Pod, and a link and a folder that lead elsewhere.
fn answers(messages: &[String]) -> Option<Vec<Value>> {
    let program = program::find_or_skip()?;
    let (scratch, outside) = (Scratch::new().ok()?, Scratch::new().ok()?);
    outside.write("secret.yaml", "secret: 1").ok()?;
    scratch.write("inside/policy.yaml", POLICY).ok()?;
    scratch.write("inside/pod.yaml", POD).ok()?;
    scratch.write("inside/kyverno-test.yaml", TEST).ok()?;
    scratch.write("linked/policy.yaml", POLICY).ok()?;
    scratch.write("reaching/kyverno-test.yaml", TEST.replace("policy.yaml", "../../policy.yaml")).ok()?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), scratch.path().join("linked/link.yaml"))
        .ok()?;
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), scratch.path().join("folders-link")).ok()?;
    let run = run_in(&program, scratch.path(), &["mcp"], &(messages.join("\n") + "\n"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let lines: Vec<Value> = run.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(lines.len(), run.out.lines().count(), "{}", run.out);
    Some(lines)
}

/// A row that is as expected, and one that is not.
const TEST: &str = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: tags}
policies: [policy.yaml]
resources: [pod.yaml]
results:
- {policy: no-latest, rule: tag, resources: [web], kind: Pod, result: fail}
- {policy: no-latest, rule: tag, resources: [web], kind: Pod, result: pass}
";

fn message(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(tool: &str, arguments: &Value) -> String {
    message(1, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

#[test]
fn both_eras_of_the_protocol_are_spoken() {
    let modern = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let unknown = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}});
    let Some(answers) = answers(&[
        message(1, "initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        message(2, "initialize", &json!({"protocolVersion": "1999-01-01"})),
        message(3, "server/discover", &modern),
        message(4, "tools/list", &modern),
        message(5, "tools/list", &unknown),
        message(6, "ping", &json!({})),
    ]) else {
        return;
    };
    let [old, newest, discovered, listed, refused, pong] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!(at(old, "/result/protocolVersion"), "2025-06-18");
    assert_eq!(at(newest, "/result/protocolVersion"), "2025-11-25");
    assert_eq!(at(discovered, "/result/supportedVersions/0"), "2026-07-28");
    assert_eq!(at(discovered, "/result/resultType"), "complete");
    let tools = at(listed, "/result/tools").as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(tools.len() == 9 && tools.iter().all(|tool| at(tool, "/annotations/readOnlyHint") == true));
    assert_eq!(at(refused, "/error/code"), -32022);
    assert_eq!(at(pong, "/id"), 6);
}

#[test]
fn a_verdict_has_its_lines_and_an_explanation_its_edit() {
    let files = json!({"policies": ["inside/policy.yaml"], "resources": ["inside/pod.yaml"]});
    let Some(answers) = answers(&[call("evaluate", &files), call("explain", &files)]) else { return };
    let [verdict, reason] = answers.as_slice() else { panic!("{answers:?}") };
    let verdict = at(verdict, "/result/structuredContent");
    assert_eq!(at(verdict, "/counts/fail"), 1);
    assert_eq!(at(verdict, "/findings/0/resource"), "Pod default/web");
    assert_eq!(at(verdict, "/findings/0/resourceAt/0"), "inside/pod.yaml:7");
    assert_eq!(at(verdict, "/leftOut"), &json!([]));
    let edit = at(reason, "/result/structuredContent/explanations/0/edits/0");
    assert_eq!(at(edit, "/path"), "spec.containers[0].image");
}

#[test]
fn every_answer_has_the_fields_that_its_schema_names() {
    let files = json!({"policies": ["inside/policy.yaml"], "resources": ["inside/pod.yaml"]});
    let list = message(1, "tools/list", &json!({}));
    let calls = [
        ("evaluate", files.clone()),
        ("explain", files.clone()),
        ("check", files.clone()),
        ("test", json!({"paths": ["inside"]})),
        ("compare", json!({"old": ["inside/policy.yaml"], "new": ["inside/policy.yaml"], "seconds": 5})),
        ("convert", json!({"policies": ["inside/policy.yaml"]})),
        ("narrow", files),
        ("advise", json!({"resources": ["inside/pod.yaml"]})),
        ("functions", json!({"word": "base64"})),
    ];
    let messages: Vec<String> =
        std::iter::once(list).chain(calls.iter().map(|(tool, arguments)| call(tool, arguments))).collect();
    let Some(answers) = answers(&messages) else { return };
    let (first, rest) = answers.split_first().unwrap_or_else(|| panic!("{answers:?}"));
    let tools = at(first, "/result/tools").as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!((tools.len(), rest.len()), (calls.len(), calls.len()));
    for ((tool, (name, _)), answer) in tools.iter().zip(&calls).zip(rest) {
        assert_eq!(at(tool, "/name"), name);
        let answer = at(answer, "/result/structuredContent");
        let required = at(tool, "/outputSchema/required").as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(required.len() > 1, "{tool}");
        for field in required.iter().filter_map(Value::as_str) {
            let kind = match answer.get(field) {
                Some(Value::Array(_)) => "array",
                Some(Value::Object(_)) => "object",
                Some(Value::Bool(_)) => "boolean",
                Some(Value::String(_)) => "string",
                Some(Value::Number(number)) if number.is_u64() => "integer",
                _ => "none",
            };
            assert_eq!(at(tool, &format!("/outputSchema/properties/{field}/type")), kind, "{name}.{field}");
        }
    }
}

#[test]
fn a_test_that_fails_says_what_it_wanted() {
    let Some(answers) = answers(&[
        call("test", &json!({"paths": ["inside"]})),
        call("test", &json!({"paths": ["reaching"]})),
        call("test", &json!({"paths": ["."]})),
        call("test", &json!({"paths": "inside"})),
    ]) else {
        return;
    };
    let [ran, reaching, linked, wrong] = answers.as_slice() else { panic!("{answers:?}") };
    let ran = at(ran, "/result/structuredContent");
    assert_eq!(at(ran, "/counts"), &json!({"pass": 1, "fail": 1, "notRun": 0}), "{ran}");
    assert_eq!(at(ran, "/complete"), true);
    assert_eq!(at(ran, "/failures/0/file"), "inside/kyverno-test.yaml");
    assert_eq!(at(ran, "/failures/0/reason"), "Want pass, got fail");
    let reaching = at(reaching, "/result/structuredContent");
    assert_eq!((at(reaching, "/complete"), at(reaching, "/counts/pass")), (&json!(false), &json!(0)));
    let why = at(reaching, "/errors/0/message").as_str().unwrap_or_default();
    assert!(why.contains("is not below the roots"), "{reaching}");
    let words = |answer| at(answer, "/result/content/0/text").as_str().unwrap_or_default().to_owned();
    assert!(words(linked).contains("is a link, and no link is followed"), "{linked}");
    assert!(words(wrong).contains("`paths`"), "{wrong}");
}

#[test]
fn no_path_leads_out_of_the_roots() {
    let of = |path: &str| call("check", &json!({"policies": [path]}));
    let paths =
        ["../secret.yaml", "/etc/passwd", "inside/../../x", "linked/link.yaml", "linked", "nowhere.yaml"];
    let Some(answers) = answers(&paths.map(of)) else { return };
    for (path, answer) in paths.iter().zip(&answers) {
        assert_eq!(at(answer, "/result/isError"), true, "{path}: {answer}");
        let words = at(answer, "/result/content/0/text").as_str().unwrap_or_default();
        assert!(words.contains("is not below the roots"), "{path}: {words}");
    }
}

#[test]
fn what_is_no_message_gets_an_error_and_the_next_an_answer() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(5_000_000));
    let Some(answers) = answers(&[
        "nonsense".to_owned(),
        long,
        "{\"jsonrpc\":\"2.0\",\"id\":1}".to_owned(),
        message(2, "nothing", &json!({})),
        message(3, "tools/call", &json!({"name": "nothing"})),
        call("evaluate", &json!({"polices": []})),
        call("evaluate", &json!({"policies": [1], "resources": []})),
        call("evaluate", &json!({"policies": [], "resources": [], "host": "moon"})),
        message(4, "ping", &json!({})),
    ]) else {
        return;
    };
    let codes: Vec<i64> = answers.iter().filter_map(|answer| at(answer, "/error/code").as_i64()).collect();
    assert_eq!(codes, [-32700, -32600, -32600, -32601, -32602]);
    let wrong = answers.iter().filter(|answer| at(answer, "/result/isError") == true);
    assert_eq!(wrong.count(), 3);
    assert_eq!(answers.last().map(|answer| at(answer, "/id")), Some(&json!(4)));
}

#[test]
fn a_long_answer_says_what_it_left_out() {
    let pods: Vec<String> =
        (0..300).map(|n| POD.replace("name: web}", &format!("name: web-{n}}}"))).collect();
    let pods = json!([{"text": pods.join("---\n")}]);
    let asked = |detail: &str| {
        call("evaluate", &json!({"policies": ["inside/policy.yaml"], "resources": pods, "detail": detail}))
    };
    let Some(answers) = answers(&[asked("short"), asked("all")]) else { return };
    let [short, all] = answers.as_slice() else { panic!() };
    let (short, all) = (at(short, "/result/structuredContent"), at(all, "/result/structuredContent"));
    let count = |answer: &Value| at(answer, "/findings").as_array().map_or(0, Vec::len);
    assert_eq!((count(all), at(all, "/leftOut")), (300, &json!([])));
    assert!(short.to_string().len() < 16_000);
    assert_eq!(at(short, "/leftOut/0"), &json!(format!("findings: {} of 300", count(short))));
    assert_eq!(at(short, "/counts/fail"), 300);
}
