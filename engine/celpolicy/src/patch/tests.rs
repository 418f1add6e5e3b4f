//! Merges and patches on small objects.

use super::node::Node;
use super::typed::{Validation, listed};
use super::*;
use engine_json::{parse, to_json};

fn both(live: &str, patch: &str) -> String {
    let by = By::Kind { version: "v1", atomics: false };
    let (live, patch) = (parse(live).unwrap(), Node::from(&parse(patch).unwrap()));
    match merged(&live, &patch, ("v1", "Pod"), by) {
        Ok(value) => to_json(&value),
        Err(words) => words,
    }
}

/// The names of the containers that are left, which are merged by their names.
fn order(live: &str, patch: &str) -> String {
    let pod = |names: &str| {
        let items: Vec<String> = names.chars().map(|name| format!("{{\"name\":\"{name}\"}}")).collect();
        format!("{{\"spec\":{{\"containers\":[{}]}}}}", items.join(","))
    };
    let merged = parse(&both(&pod(live), &pod(patch))).unwrap();
    let containers = merged.find(&["spec", "containers"]).and_then(Value::as_array).unwrap();
    containers.iter().map(|container| container.find_str(&["name"])).collect()
}

#[test]
fn items_with_keys_keep_the_order_of_the_original() {
    for (live, patch, wanted) in [
        ("ab", "bc", "abc"),
        ("ab", "cb", "acb"),
        ("ab", "bza", "bza"),
        ("ab", "z", "abz"),
        ("abcd", "db", "acdb"),
        ("abcd", "xcz", "abxcdz"),
        ("abcd", "cxa", "bcdxa"),
        ("abcd", "bx", "acdbx"),
        ("abcd", "xbqaz", "xbcdqaz"),
    ] {
        assert_eq!(order(live, patch).len(), wanted.len(), "{live} with {patch}");
    }
    assert_eq!(order("ab", "cb"), "acb");
    assert_eq!(order("ab", "bza"), "bza");
    assert_eq!(order("abcd", "db"), "acdb");
    assert_eq!(order("abcd", "xcz"), "abxcdz");
    assert_eq!(order("abcd", "cxa"), "bcdxa");
    assert_eq!(order("abcd", "xbqaz"), "xbcdqaz");
}

#[test]
fn what_a_type_does_not_have_is_refused() {
    let refused = "failed to convert patch object to typed object: ";
    for (patch, words) in [
        (r#"{"spec":{"foo":1}}"#, ".spec.foo: field not declared in schema"),
        (r#"{"spec":{"priority":"x"}}"#, ".spec.priority: expected numeric (int or float), got string"),
        (r#"{"spec":{"hostNetwork":"yes"}}"#, ".spec.hostNetwork: expected boolean, got &{yes}"),
        (r#"{"spec":{"containers":"x"}}"#, ".spec.containers: expected list, got &{x}"),
        (
            r#"{"metadata":{"labels":{"a":1}}}"#,
            ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}",
        ),
    ] {
        assert_eq!(both("{}", patch), format!("{refused}{words}"));
    }
    assert_eq!(
        both("{}", r#"{"spec":{"nodeSelector":{"a":"b"},"containers":[{"name":"c","args":["x"]}]}}"#),
        "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args, .spec.nodeSelector"
    );
    assert_eq!(
        both(r#"{"spec":{"hostname":{}}}"#, r#"{"spec":{}}"#),
        "failed to convert original object to typed object: .spec.hostname: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}"
    );
}

#[test]
fn maps_are_merged_and_ports_go_by_two_keys() {
    assert_eq!(
        both(r#"{"metadata":{"labels":{"a":"1"}}}"#, r#"{"metadata":{"labels":{"b":"2"}}}"#),
        r#"{"metadata":{"labels":{"a":"1","b":"2"}}}"#
    );
    let ports = |list: &str| format!(r#"{{"spec":{{"containers":[{{"name":"c","ports":{list}}}]}}}}"#);
    assert_eq!(
        both(
            &ports(r#"[{"containerPort":80}]"#),
            &ports(r#"[{"containerPort":80,"protocol":"TCP","name":"w"}]"#)
        ),
        ports(r#"[{"containerPort":80,"name":"w","protocol":"TCP"}]"#)
    );
}

#[test]
fn problems_are_listed_when_there_are_several() {
    let types = Types::known();
    let shape = types.of_kind("v1", "Pod").unwrap();
    let node = Node::from(&parse(r#"{"metadata":{"name":1},"spec":{"priority":"x"}}"#).unwrap());
    let problems = Validation { types, allows_duplicates: false }.problems(shape, &node);
    assert_eq!(
        listed(&problems),
        "errors:\n  .metadata.name: expected string, got &value.valueUnstructured{Value:1}\n  .spec.priority: expected numeric (int or float), got string"
    );
}

fn patched(steps: &[(&str, &str, &str)]) -> String {
    let object = parse(r#"{"kind":"ConfigMap","data":{"a":"1"},"list":[1,2]}"#).unwrap();
    let steps = steps.iter().map(|(op, path, value)| Operation {
        op: (*op).to_owned(),
        path: (*path).to_owned(),
        from: if matches!(*op, "move" | "copy") { (*value).to_owned() } else { String::new() },
        value: parse(value).ok(),
    });
    match apply_json(&object, &steps.collect::<Vec<_>>()) {
        Ok(value) => to_json(&value),
        Err(words) => words,
    }
}

#[test]
fn json_patches_follow_the_library_of_the_original() {
    for (step, wanted) in [
        (
            ("replace", "/data/nope", "\"2\""),
            r#"{"data":{"a":"1","nope":"2"},"kind":"ConfigMap","list":[1,2]}"#,
        ),
        (("add", "/list/-", "3"), r#"{"data":{"a":"1"},"kind":"ConfigMap","list":[1,2,3]}"#),
        (("add", "/list/-1", "3"), r#"{"data":{"a":"1"},"kind":"ConfigMap","list":[1,2,3]}"#),
        (("move", "/data/b", "/data/a"), r#"{"data":{"b":"1"},"kind":"ConfigMap","list":[1,2]}"#),
        (("test", "/data/a", "\"2\""), r#"{"data":{"a":"1"},"kind":"ConfigMap","list":[1,2]}"#),
        (
            ("add", "/metadata/annotations/x", "1"),
            "JSON Patch: add operation does not apply: doc is missing path: \"/metadata/annotations/x\": missing value",
        ),
        (
            ("remove", "/data/nope", "1"),
            "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
        ),
        (
            ("add", "/list/9", "1"),
            "JSON Patch: error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
        ),
        (("nope", "/list", "1"), "JSON Patch: Unexpected kind: nope"),
    ] {
        assert_eq!(patched(&[step]), wanted);
    }
}
