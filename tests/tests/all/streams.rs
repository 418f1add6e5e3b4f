//! `apply --open-lists`: lists and streams of objects, read item by item.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where an object is not evaluated, a fault is no error, or a
//! Secret is printed.

use tests::program;
use tests::terminal::{POLICY, Run, run};

const GOOD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"good"},"spec":{"containers":[{"name":"a","image":"a:1"}]}}"#;
const BAD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad","uid":"u1"},"spec":{"containers":[{"name":"a","image":"a:latest"}]}}"#;
/// Written by an API server: the items say no kind.
const TYPED: &str = r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"typed"},"spec":{"containers":[{"name":"a","image":"a:latest"}]}}]}"#;

fn apply(files: &[(&str, &str)], arguments: &[&str], input: &str) -> Option<Run> {
    let program = program::find_or_skip()?;
    let mut all = vec![("policy.yaml", POLICY)];
    all.extend_from_slice(files);
    let arguments: Vec<&str> =
        ["apply", "policy.yaml", "--open-lists"].iter().chain(arguments).copied().collect();
    Some(run(&program, &all, &arguments, input))
}

#[test]
fn each_item_of_each_form_is_evaluated() {
    let list = format!("{{\"apiVersion\":\"v1\",\"items\":[{GOOD},{BAD}],\"kind\":\"List\"}}\n");
    let lines = format!("{GOOD}\n{BAD}\n");
    let yaml = format!("apiVersion: v1\nitems:\n- {GOOD}\n- {BAD}\nkind: List\n");
    for input in [list, lines, yaml, format!("{GOOD}{BAD}")] {
        let Some(Run { code, out, .. }) = apply(&[], &["-r", "-"], &input) else { return };
        assert!(out.contains("policy no-latest -> resource default/Pod/bad failed:"), "{input}\n{out}");
        assert!(out.contains("\npass: 1, fail: 1, warn: 0, error: 0, skip: 0 \n"), "{input}\n{out}");
        assert_eq!(code, 1);
    }
}

#[test]
fn items_have_the_kind_of_their_list() {
    let Some(Run { out, .. }) = apply(&[], &["-r", "-"], TYPED) else { return };
    assert!(out.contains("resource default/Pod/typed failed:"), "{out}");
}

#[test]
fn without_the_flag_a_list_is_one_object_and_the_error_names_it() {
    let Some(program) = program::find_or_skip() else { return };
    let list = format!("{{\"apiVersion\":\"v1\",\"items\":[{BAD}],\"kind\":\"List\"}}");
    let files = [("policy.yaml", POLICY), ("list.json", list.as_str())];
    let Run { code, err, .. } = run(&program, &files, &["apply", "policy.yaml", "-r", "list.json"], "");
    assert!(err.contains("unopened-list") && err.contains("--open-lists"), "{err}");
    assert_eq!(code, 1);
}

#[test]
fn a_cut_stream_is_no_pass() {
    let input = format!("{GOOD}\n{{\"kind\":\"Pod\",\"meta");
    let Some(Run { code, out, err, .. }) = apply(&[], &["-r", "-"], &input) else { return };
    assert!(out.contains("pass: 1, fail: 0"), "{out}");
    assert!(err.contains("error: -:2: the text ends") && err.contains("is not a pass"), "{err}");
    assert_eq!(code, 1);
}

#[test]
fn what_is_no_object_is_named_and_the_rest_evaluated() {
    let input = format!("{{\"a\":1}}\n{GOOD}\n{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"x\":}}\n{BAD}\n");
    let Some(Run { code, out, err, .. }) = apply(&[], &["-r", "-"], &input) else { return };
    assert!(out.contains("pass: 1, fail: 1"), "{out}");
    assert!(err.contains("error: -:1: object 1: a resource needs `kind`"), "{err}");
    assert!(err.contains("error: -:3: object 3 is not JSON: "), "{err}");
    assert_eq!(code, 1);
}

#[test]
fn each_verdict_is_a_line_and_the_last_has_the_counts() {
    let arguments = ["-r", "-", "--report-format", "ndjson", "--cluster-name", "east"];
    let Some(Run { code, out, .. }) = apply(&[], &arguments, &format!("{GOOD}\n{BAD}\noops\n")) else {
        return;
    };
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |at: usize, name: &str| lines[at][name].as_str().unwrap_or_default().to_owned();
    let types: Vec<String> = (0..lines.len()).map(|at| text(at, "type")).collect();
    assert_eq!(types, ["error", "result", "result", "end"], "{out}");
    let fields = [
        "cluster",
        "namespace",
        "group",
        "version",
        "kind",
        "name",
        "uid",
        "policy",
        "rule",
        "result",
        "path",
    ];
    let wanted = ["east", "default", "", "v1", "Pod", "bad", "u1", "no-latest", "tag", "fail", "policy.yaml"];
    assert_eq!(fields.map(|field| text(2, field)), wanted);
    assert_eq!((&lines[2]["line"], &lines[2]["item"]), (&6.into(), &2.into()));
    assert_eq!(
        (&lines[3]["complete"], &lines[3]["pass"], &lines[3]["fail"]),
        (&false.into(), &1.into(), &1.into())
    );
    assert_eq!(code, 1);
    let Some(Run { out, .. }) =
        apply(&[], &["-r", "-", "--report-format", "ndjson", "--failures-only"], GOOD)
    else {
        return;
    };
    assert_eq!(out.lines().count(), 1, "{out}");
}

#[test]
fn an_object_that_is_given_twice_is_evaluated_once() {
    let Some(Run { out, err, .. }) = apply(&[("a.json", BAD), ("b.json", BAD)], &["-r", "a.json,b.json"], "")
    else {
        return;
    };
    assert!(out.contains("pass: 0, fail: 1,"), "{out}");
    assert!(err.contains("note: 1 object is given more than once"), "{err}");
    // Another object under the same uid is not taken for it.
    let other = BAD.replace("\"bad\"", "\"other\"");
    let Some(Run { out, .. }) = apply(&[("a.json", BAD), ("b.json", &other)], &["-r", "a.json,b.json"], "")
    else {
        return;
    };
    assert!(out.contains("pass: 0, fail: 2,"), "{out}");
}

#[test]
fn dumps_are_known_by_their_shape() {
    let dump = [
        ("info/nodes.json", r#"{"kind":"NodeList","apiVersion":"v1","items":[]}"#),
        ("info/default/pods.json", TYPED),
        ("info/default/web/logs.txt", "oops"),
    ];
    let gathered = [
        (
            "gather/image/cluster-scoped-resources/core/nodes.yaml",
            "apiVersion: v1\nkind: NodeList\nitems: []\n",
        ),
        ("gather/image/namespaces/default/core/pods.yaml", TYPED),
        ("gather/image/namespaces/default/pods/typed/typed.yaml", BAD),
        ("gather/image/etcd_info/health.json", "[1]"),
    ];
    let archive = [
        ("velero/metadata/version", "1.1.0"),
        ("velero/resources/pods/namespaces/default/web.json", BAD),
        ("velero/resources/pods/v1-preferredversion/namespaces/default/web.json", BAD),
    ];
    for (files, folder) in [(&dump[..], "info"), (&gathered[..], "gather"), (&archive[..], "velero")] {
        let Some(Run { out, err, .. }) = apply(files, &["-r", folder], "") else { return };
        assert!(out.contains("pass: 0, fail: 1,"), "{folder}\n{out}{err}");
        assert!(!err.contains("error"), "{folder}\n{err}");
    }
}

#[test]
fn what_a_secret_holds_is_not_printed() {
    let policy = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: leaks}
spec:
  rules:
  - name: message
    match: {any: [{resources: {kinds: [Secret]}}]}
    validate:
      message: \"is {{ request.object.data.key }} and {{ base64_decode(request.object.data.key) }}\"
      deny: {conditions: {any: [{key: \"{{ request.object.data.key }}\", operator: NotEquals, value: x}]}}
  - name: plain
    match: {any: [{resources: {kinds: [Secret]}}]}
    validate: {message: no secrets, deny: {}}
  - name: change
    match: {any: [{resources: {kinds: [Secret]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}
";
    let secret =
        r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"key":"aHVudGVyMg=="}}"#;
    for further in [
        &["-r", "-"][..],
        &["-r", "-", "--report-format", "ndjson"],
        &["-r", "-", "--table", "--detailed-results"],
    ] {
        let arguments: Vec<&str> = ["leaks.yaml"].iter().chain(further).copied().collect();
        let Some(Run { out, err, .. }) = apply(&[("leaks.yaml", policy)], &arguments, secret) else { return };
        assert!(out.contains("no secrets") && out.contains("is withheld)"), "{out}{err}");
        assert!(!out.contains("hunter2") && !out.contains("aHVudGVy"), "{out}");
        assert!(!err.contains("hunter2") && !err.contains("aHVudGVy"), "{err}");
    }
}

#[test]
fn policies_that_look_at_others_see_all_items() {
    let policy = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labelled}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}]}
    validate: {message: not here, deny: {}}
";
    let namespace =
        r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","labels":{"a":"b"}}}"#;
    let input = format!("{namespace}\n{BAD}\n");
    let Some(program) = program::find_or_skip() else { return };
    let arguments = ["apply", "p.yaml", "--open-lists", "-r", "-"];
    let Run { out, err, .. } = run(&program, &[("p.yaml", policy)], &arguments, &input);
    assert!(out.contains(" to 2 resource(s)"), "{out}{err}");
}
