//! Answers of the original to small patches: JSON 6902.

use super::apply;
use engine_json::to_json;
use engine_yaml::parse_one;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}";

#[test]
fn answers_are_those_of_the_original() {
    for (what, resource, patch, answer) in CASES {
        let resource = parse_one(resource).unwrap();
        let found = match apply(&resource, patch) {
            Ok(None) => "unchanged".to_owned(),
            Ok(Some(patched)) => to_json(&patched),
            Err(error) if error.contains("(Kyverno crashes here)") => "crash".to_owned(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, *answer, "{what}");
    }
}

#[test]
fn keys_stay_as_written_and_new_ones_follow() {
    let resource = parse_one("{spec: {z: 1, b: 2}, kind: Pod, apiVersion: v1}").unwrap();
    let patched = apply(&resource, "- {op: add, path: /spec/a, value: {d: 1, c: 2}}");
    let answer = "spec:\n  z: 1\n  b: 2\n  a:\n    c: 2\n    d: 1\nkind: Pod\napiVersion: v1\n";
    assert_eq!(engine_yaml::emit::to_yaml_ordered(&patched.unwrap().unwrap()), answer);
}

#[test]
fn limits_are_errors() {
    let resource = parse_one("{a: {b: c}}").unwrap();
    let error = |text: &str| apply(&resource, text).unwrap_err();
    let fills = "- {op: add, path: /x/999999999/y, value: 1}";
    assert_eq!(error(fills), "a path of the patch leaves more than 10000 places of a list empty");
    let doubles = "- {op: copy, from: /a, path: /a/c}\n- {op: copy, from: /a, path: /a/d}\n".repeat(40);
    assert_eq!(error(&doubles), "the patch copies or moves more than 2000000 values");
    let nests = "- {op: copy, from: /a, path: /a/c}\n".repeat(300);
    let too_deep = "the patched resource nests deeper than 256 levels: put a flatter value in";
    assert_eq!(error(&nests), too_deep);
    let deep_value = format!("- {{op: replace, path: /a/b, value: {}{}}}", "[".repeat(254), "]".repeat(254));
    assert_eq!(error(&deep_value), too_deep);
    let deep = format!("- {{op: remove, path: {}}}", "/x".repeat(300));
    assert_eq!(error(&deep), "the path of an operation has more than 256 parts: shorten it");
}

/// What it shows, the resource, the patch, the answer.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "parents are made",
        POD,
        "- {op: add, path: /metadata/annotations/a~1b, value: c}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a/b":"c"},"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "a list is filled up",
        POD,
        "- {op: add, path: /spec/volumes/1/name, value: v}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}],"volumes":[null,{"name":"v"}]}}"#,
    ),
    (
        "a dash appends and a number inserts",
        POD,
        "- {op: add, path: /spec/containers/-, value: 1}\n- {op: add, path: /spec/containers/0, value: 2}\n- {op: add, path: /spec/containers/-2, value: 3}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[2,{"image":"nginx","name":"c"},{"image":"redis","name":"d"},3,1]}}"#,
    ),
    (
        "what is missing need not be removed",
        POD,
        "- {op: remove, path: /spec/x/y}\n- {op: remove, path: /spec/containers/9}",
        "unchanged",
    ),
    (
        "what is missing cannot be replaced",
        POD,
        "- {op: replace, path: /spec/x, value: 1}",
        "error: replace operation does not apply: doc is missing key: /spec/x: missing value",
    ),
    (
        "values are moved and copied",
        POD,
        "- {op: move, from: /metadata/labels, path: /metadata/annotations}\n- {op: copy, from: /spec/containers/1, path: /spec/containers/0}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"redis","name":"d"},{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "a test that holds changes nothing",
        POD,
        "- {op: test, path: /spec/containers, value: [{image: nginx, name: c}, {image: redis, name: d}]}",
        "unchanged",
    ),
    (
        "a test that fails ends the patch",
        POD,
        "- {op: test, path: /metadata/name, value: q}",
        "error: testing value /metadata/name failed: test failed",
    ),
    ("a missing value is null to a test", POD, "- {op: test, path: /metadata/x, value: null}", "unchanged"),
    (
        "no parent is made for a copy",
        POD,
        "- {op: copy, from: /metadata/name, path: /x/y}",
        "error: copy operation does not apply: doc is missing destination path: /x/y: missing value",
    ),
    (
        "a scalar has nothing beneath",
        POD,
        "- {op: add, path: /metadata/name/x, value: 1}",
        "error: invalid state detected",
    ),
    (
        "a list has numbers for keys",
        POD,
        "- {op: add, path: /spec/containers/x, value: 1}",
        r#"error: error in add for path: '/spec/containers/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax"#,
    ),
    (
        "JSON keeps a float",
        POD,
        r#"[{"op": "add", "path": "/spec/x", "value": 5.0}]"#,
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}],"x":5}}"#,
    ),
    (
        "keys in another order are a change",
        POD,
        r#"[{"op": "add", "path": "/spec/containers/0", "value": {"name": "e", "image": "f"}}, {"op": "remove", "path": "/spec/containers/0"}, {"op": "replace", "path": "/spec/containers/0", "value": {"name": "c", "image": "nginx"}}]"#,
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "an unknown operation is an error",
        POD,
        "- {op: merge, path: /x}",
        r#"error: failed to decode patches: invalid operation {"op":"merge","path":"/x"}: unsupported operation"#,
    ),
    (
        "an operation needs its fields",
        POD,
        "- {op: add, path: /x}",
        r#"error: failed to decode patches: invalid operation {"op":"add","path":"/x"}: failed to decode 'value': operation, missing value field: missing value"#,
    ),
    (
        "a patch is a list",
        POD,
        "{op: add}",
        "error: failed to decode patches: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
    ),
    (
        "a text that is not YAML is an error",
        POD,
        "- [",
        "error: failed to convert patchesJSON6902 to JSON: yaml: line 1: did not find expected node content",
    ),
    (
        "a text that is not JSON is an error",
        POD,
        "[{",
        "error: failed to decode patches: invalid state detected",
    ),
    (
        "the part before the first slash does not count",
        POD,
        "- {op: add, path: a/b, value: 1}",
        r#"{"apiVersion":"v1","b":1,"kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
];
