//! Answers of the original to small patches: anchors, then merge keys.

use super::apply;
use engine_json::{MAX_DEPTH, Value, to_json};
use engine_yaml::parse_one;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}";

#[test]
fn answers_are_those_of_the_original() {
    for (what, resource, patch, answer) in CASES {
        let resource = parse_one(resource).unwrap();
        let found = match apply(&resource, &parse_one(patch).unwrap()) {
            Ok(None) => "unchanged".to_owned(),
            Ok(Some(patched)) => to_json(&patched),
            Err(error) if error.contains("(Kyverno crashes here)") => "crash".to_owned(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(found, *answer, "{what}");
    }
}

#[test]
fn keys_stay_as_written_and_new_ones_follow_as_written() {
    let resource = parse_one("{spec: {z: 1, b: 2}, kind: Pod, apiVersion: v1}").unwrap();
    let patch = parse_one("{spec: {w: {d: 1, c: 2}, b: 3, a: 4}}").unwrap();
    let patched = apply(&resource, &patch).unwrap().unwrap();
    let answer = "spec:\n  z: 1\n  b: 3\n  w:\n    d: 1\n    c: 2\n  a: 4\nkind: Pod\napiVersion: v1\n";
    assert_eq!(engine_yaml::emit::to_yaml_ordered(&patched), answer);
}

#[test]
fn a_merge_without_end_is_an_error() {
    let list = |name: &str, n: usize| format!("[{}]", vec![format!("{{{name}: {{a: 1}}}}"); n].join(", "));
    let resource = parse_one(&format!("{{spec: {{a: {}}}}}", list("name", 3000))).unwrap();
    let patch = parse_one(&format!("{{spec: {{a: {}}}}}", list("+(b)", 3000))).unwrap();
    assert!(apply(&resource, &patch).unwrap_err().contains("the patch grows beyond"));
}

#[test]
fn a_merge_that_nests_too_deep_is_an_error() {
    let resource = parse_one("{kind: Pod}").unwrap();
    let nested = |levels: usize| {
        (0..levels).fold(Value::from("a"), |value, _| Value::object([("a", value)].into_iter().collect()))
    };
    assert!(apply(&resource, &nested(MAX_DEPTH)).is_ok());
    let error = apply(&resource, &nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error, "the patched resource nests deeper than 256 levels: put a flatter value in");
}

/// What it shows, the resource, the patch, the answer.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "a condition that holds chooses items by name",
        POD,
        "{spec: {containers: [{(image): nginx*, imagePullPolicy: Always}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","imagePullPolicy":"Always","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "a condition on a map that does not hold empties the patch",
        POD,
        "{metadata: {(labels): {a: w}, annotations: {b: c}}}",
        "unchanged",
    ),
    (
        "a condition on a missing key does not hold",
        POD,
        "{spec: {(hostNetwork): true, dnsPolicy: None}}",
        "unchanged",
    ),
    (
        "a global condition of an item stops all, if no item fits",
        POD,
        "{metadata: {labels: {new: z}}, spec: {containers: [{<(image): x, name: c}]}}",
        "unchanged",
    ),
    (
        "a global condition of an item needs one item that fits",
        POD,
        "{metadata: {labels: {new: z}}, spec: {containers: [{<(image): redis}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x","new":"z"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "a field is added where it is absent",
        POD,
        "{metadata: {labels: {+(a): w, +(b): w}}, spec: {+(hostNetwork): false}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x","b":"w"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}],"hostNetwork":false}}"#,
    ),
    (
        "a field is added to each item without it",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis, stdin: true}]}}",
        "{spec: {containers: [{(name): '*', +(stdin): false}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c","stdin":false},{"image":"redis","name":"d","stdin":false}]}}"#,
    ),
    (
        "an absent field below a condition replaces its test",
        POD,
        "{spec: {containers: [{(name): c, securityContext: {+(privileged): false}}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c","securityContext":{"privileged":false}},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "several items with anchors of which too few fit crash the original",
        POD,
        "{spec: {containers: [{(name): x, image: w}, {(name): z, image: w}]}}",
        "crash",
    ),
    (
        "behind the first of several items with anchors a wrong one goes",
        POD,
        "{spec: {containers: [{(name): c, image: w}, {(name): d, image: z}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"z","name":"d"}]}}"#,
    ),
    (
        "an empty map of the patch goes",
        POD,
        "{spec: {volumes: [{name: v, emptyDir: {}}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}],"volumes":[{"name":"v"}]}}"#,
    ),
    (
        "an item of an unknown kind takes the place of the list",
        "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}",
        "{spec: {containers: [{(image): nginx, imagePullPolicy: Always}]}}",
        r#"{"apiVersion":"ex.io/v1","kind":"Foo","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"imagePullPolicy":"Always","name":"c"}]}}"#,
    ),
    (
        "an object inside of an unknown kind has its own keys",
        "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {pod: {apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}}}",
        "{spec: {pod: {spec: {containers: [{name: d, image: new}]}}}}",
        r#"{"apiVersion":"ex.io/v1","kind":"Foo","metadata":{"name":"f"},"spec":{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"new","name":"d"},{"image":"nginx","name":"c"}]}}}}"#,
    ),
    (
        "new items come first, in their order",
        POD,
        "{spec: {containers: [{name: w}, {name: d, tty: true}, {name: x}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"name":"w"},{"image":"redis","name":"d","tty":true},{"name":"x"},{"image":"nginx","name":"c"}]}}"#,
    ),
    (
        "ports are merged by number and protocol, if any has one",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, ports: [{containerPort: 80, protocol: TCP}, {containerPort: 81}]}]}}",
        "{spec: {containers: [{name: d, ports: [{containerPort: 80, name: lost}, {containerPort: 81, name: found}, {containerPort: 80, protocol: UDP}]}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"name":"d","ports":[{"containerPort":80,"protocol":"UDP"},{"containerPort":80,"protocol":"TCP"},{"containerPort":81,"name":"found"}]},{"image":"nginx","name":"c"}]}}"#,
    ),
    (
        "ports without protocols are merged by number",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, ports: [{containerPort: 80}]}]}}",
        "{spec: {containers: [{name: d, ports: [{containerPort: 80, name: found}]}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"name":"d","ports":[{"containerPort":80,"name":"found"}]},{"image":"nginx","name":"c"}]}}"#,
    ),
    (
        "scalars of a set are merged",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, finalizers: [f, g]}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}",
        "{metadata: {finalizers: [h, g]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["h","g","f"],"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "other lists are replaced",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {tolerations: [{key: a}, {key: b}], containers: [{name: c, image: nginx}, {name: d, image: redis}]}}",
        "{spec: {tolerations: [{key: c}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}],"tolerations":[{"key":"c"}]}}"#,
    ),
    (
        "an item without its key drops those before it",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {image: redis}]}}",
        "{spec: {containers: [{name: c, tty: true}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"image":"redis"}]}}"#,
    ),
    (
        "null deletes",
        POD,
        "{metadata: {labels: null}, spec: {containers: [{name: c, image: null}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "directives delete and replace",
        POD,
        "{metadata: {labels: {$patch: replace, b: z}}, spec: {containers: [{name: d, $patch: delete}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"z"},"name":"p"},"spec":{"containers":[{"image":"nginx","name":"c"}]}}"#,
    ),
    (
        "a directive of a list replaces it",
        POD,
        "{spec: {containers: [{name: x}, {$patch: replace}]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"containers":[{"name":"x"}]}}"#,
    ),
    (
        "an unknown directive is an error",
        POD,
        "{spec: {$patch: keep}}",
        "error: unknown patch strategy 'keep'",
    ),
    (
        "other directives are fields",
        POD,
        "{spec: {$retainKeys: [a]}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p"},"spec":{"$retainKeys":["a"],"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    ("the whole cannot be deleted", POD, "{$patch: delete}", "error: filter cannot create or delete objects"),
    (
        "a number in place of a string is a string",
        POD,
        "{metadata: {name: 7, labels: {a: true, b: 5}}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"true","b":5},"name":"7"},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
    (
        "a list in place of a map is an error",
        POD,
        "{spec: [1]}",
        "error: wrong node kind: expected MappingNode but got SequenceNode: node contents:\n[1]\n",
    ),
    (
        "a map in place of a list is an error",
        POD,
        "{spec: {containers: {name: c}}}",
        "error: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{\"name\": \"c\"}\n",
    ),
    (
        "a key that both add and set name is an error",
        POD,
        "{spec: {securityContext: {+(a): 1, a: 2}}}",
        "error: yaml: unmarshal errors:\n  line 1: mapping key \"a\" already defined at line 1",
    ),
    (
        "a patch that is not a map is an error",
        POD,
        "[{a: b}]",
        "error: failed to preProcess rule: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"labels\": {\"a\": \"x\"}, \"name\": \"p\"}, \"spec\": {\"containers\": [{\"image\": \"nginx\", \"name\": \"c\"}, {\"image\": \"redis\", \"name\": \"d\"}]}}\n",
    ),
    (
        "a null of the resource stays",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, x: null, labels: {a: x}}, spec: {containers: [{name: c, image: nginx}, {name: d, image: redis}]}}",
        "{metadata: {w: z}}",
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"},"name":"p","w":"z","x":null},"spec":{"containers":[{"image":"nginx","name":"c"},{"image":"redis","name":"d"}]}}"#,
    ),
];
