//! Merges and patches on small objects.

use super::node::Node;
use super::typed::{Validation, listed};
use super::*;
use engine_json::{parse, to_json};

fn both(live: &str, patch: &str) -> String {
    let by = By::Kind { version: "v1", atomics: false, definitions: &[] };
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

/// A definition with a list of each kind, a map that is replaced as a whole, and fields that nobody declares.
const WIDGET: &str = r#"{"kind":"CustomResourceDefinition","spec":{"group":"ex.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
"versions":[{"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
"size":{"type":"integer"},"name":{"type":"string"},"at":{"type":"string","format":"date-time"},"on":{"type":"boolean"},
"port":{"x-kubernetes-int-or-string":true},
"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name","kind"],"items":{"type":"object",
"properties":{"name":{"type":"string"},"kind":{"type":"string","default":"plain"},"count":{"type":"integer"}}}},
"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
"steps":{"type":"array","items":{"type":"string"}},
"box":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},
"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"integer"}}},
"labels":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}]}}"#;

fn custom(live: &str, patch: &str, atomics: bool) -> String {
    let definitions = [parse(WIDGET).unwrap()];
    let by = By::Kind { version: "ex.com/v1", atomics, definitions: &definitions };
    let (live, patch) = (parse(live).unwrap(), Node::from(&parse(patch).unwrap()));
    match merged(&live, &patch, ("ex.com/v1", "Widget"), by) {
        Ok(value) => to_json(&value),
        Err(words) => words,
    }
}

#[test]
fn a_custom_kind_is_merged_by_its_definition() {
    for (live, patch, wanted) in [
        (r#"{"spec":{"size":1,"on":true}}"#, r#"{"spec":{"size":2}}"#, r#"{"spec":{"size":2,"on":true}}"#),
        // By two keys, of which one has a default.
        (
            r#"{"spec":{"parts":[{"name":"a","count":1},{"name":"b","kind":"x","count":1}]}}"#,
            r#"{"spec":{"parts":[{"name":"a","kind":"plain","count":2},{"name":"b","count":3}]}}"#,
            r#"{"spec":{"parts":[{"name":"a","count":2,"kind":"plain"},{"name":"b","kind":"x","count":1},{"name":"b","count":3}]}}"#,
        ),
        (
            r#"{"spec":{"tags":["a","b"]}}"#,
            r#"{"spec":{"tags":["b","c"]}}"#,
            r#"{"spec":{"tags":["a","b","c"]}}"#,
        ),
        (r#"{"spec":{"steps":["a","b"]}}"#, r#"{"spec":{"steps":["c"]}}"#, r#"{"spec":{"steps":["c"]}}"#),
        (r#"{"spec":{"box":{"a":1}}}"#, r#"{"spec":{"box":{"b":2}}}"#, r#"{"spec":{"box":{"b":2}}}"#),
        (
            r#"{"spec":{"free":{"x":{"y":1}}}}"#,
            r#"{"spec":{"free":{"x":{"z":[1]}}}}"#,
            r#"{"spec":{"free":{"x":{"y":1,"z":[1]}}}}"#,
        ),
        (
            r#"{"spec":{"labels":{"a":"1"}}}"#,
            r#"{"spec":{"labels":{"b":"2"}}}"#,
            r#"{"spec":{"labels":{"a":"1","b":"2"}}}"#,
        ),
        (r#"{"spec":{"port":1}}"#, r#"{"spec":{"port":"http"}}"#, r#"{"spec":{"port":"http"}}"#),
        (
            r#"{"metadata":{"name":"w","finalizers":["a"]}}"#,
            r#"{"metadata":{"labels":{"a":"b"},"finalizers":["c"]}}"#,
            r#"{"metadata":{"name":"w","finalizers":["a","c"],"labels":{"a":"b"}}}"#,
        ),
    ] {
        let got = custom(live, patch, true);
        assert_eq!(parse(&got).ok(), parse(wanted).ok(), "{live} with {patch}: {got}");
    }
}

#[test]
fn what_a_definition_does_not_have_is_refused() {
    let refused = "failed to convert patch object to typed object: ";
    for (patch, words) in [
        (r#"{"spec":{"sise":1}}"#, ".spec.sise: field not declared in schema"),
        (r#"{"spec":{"size":"1"}}"#, ".spec.size: expected numeric (int or float), got string"),
        (
            r#"{"spec":{"labels":{"a":1}}}"#,
            ".spec.labels.a: expected string, got &value.valueUnstructured{Value:1}",
        ),
        (
            r#"{"spec":{"parts":[{"count":1,"nme":"x"}]}}"#,
            r#".spec.parts[kind="plain"].nme: field not declared in schema"#,
        ),
    ] {
        assert_eq!(custom("{}", patch, true), format!("{refused}{words}"), "{patch}");
    }
    let guarded = custom("{}", r#"{"spec":{"steps":["a"],"box":{"a":1}}}"#, false);
    assert_eq!(
        guarded,
        "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.box, .spec.steps"
    );
}

#[test]
fn without_a_schema_that_is_in_order_nothing_is_merged() {
    let kinds = |definition: &str, version: &str, kind: &str| {
        let definitions = [parse(definition).unwrap()];
        let by = By::Kind { version, atomics: true, definitions: &definitions };
        merged(&parse("{}").unwrap(), &Node::from(&parse("{}").unwrap()), (version, kind), by).map(|_| ())
    };
    let no_types = Err("type converter must not be nil".to_owned());
    assert_eq!(kinds(WIDGET, "ex.com/v1", "Widget"), Ok(()));
    assert_eq!(kinds(WIDGET, "ex.com/v2", "Widget"), no_types);
    let no_kind =
        "failed to convert patch object to typed object: no corresponding type for ex.com/v1, Kind=Gadget";
    assert_eq!(kinds(WIDGET, "ex.com/v1", "Gadget"), Err(no_kind.to_owned()));
    for (right, wrong) in [
        (r#""x-kubernetes-list-map-keys":["name","kind"],"#, ""),
        (r#""x-kubernetes-list-type":"set""#, r#""x-kubernetes-list-type":"bag""#),
        (r#""x-kubernetes-map-type":"atomic""#, r#""x-kubernetes-map-type":"whole""#),
        (r#""type":"boolean""#, r#""type":"bool""#),
        (r#""steps":{"type":"array","items":{"type":"string"}}"#, r#""steps":{"type":"array"}"#),
    ] {
        assert_eq!(kinds(&WIDGET.replace(right, wrong), "ex.com/v1", "Widget"), no_types, "{wrong}");
    }
}
