//! Objects as a real API server 1.36.3 gave them back, against those of this crate.
//!
//! In: the recorded rows of `cluster`, in `tests/recorded` or in the folder of answers beside the clone. Out: nothing; a row that differs
//! ends the test. A file that is not there is skipped by name.

use engine_json::{Map, Value, parse};
use engine_kubernetes::{Creation, created, read_back, stored};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What the recorder wrote for everything that differs from request to request.
const CREATION: Creation<'static> =
    Creation { uid: "0", time: "2026-01-01T00:00:00Z", suffix: "", address: "10.96.0.0", node_port: 30000 };

fn text(file: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["tests/recorded/cluster", "../shared/conformance/cluster"];
    let bytes = folders.iter().find_map(|folder| std::fs::read(root.join(folder).join(file)).ok())?;
    let mut text = String::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    Some(text)
}

/// Takes away what a server gives anew at each request: uids, versions, the addresses and ports of Services, generated names.
fn settled(mut object: Value) -> Value {
    if let Some(map) = object.object_mut() {
        clear(map, &["metadata", "resourceVersion"]);
        clear(map, &["status", "lastPhaseTransitionTime"]);
        if map.get("metadata").is_some_and(|metadata| metadata.get("generateName").is_some()) {
            clear(map, &["metadata", "name"]);
        }
        if map.get("kind").and_then(Value::as_str) == Some("Job") {
            for labels in [
                &["spec", "selector", "matchLabels"][..],
                &["spec", "template", "metadata", "labels"],
                &["metadata", "labels"],
            ] {
                for key in ["controller-uid", "batch.kubernetes.io/controller-uid"] {
                    clear(map, &[labels, &[key]].concat());
                }
            }
        }
        if map.get("kind").and_then(Value::as_str) == Some("Service") {
            let ports =
                map.get_mut("spec").and_then(Value::object_mut).and_then(|spec| spec.get_mut("ports"));
            for port in ports.and_then(Value::array_mut).into_iter().flatten().filter_map(Value::object_mut) {
                port.remove("nodePort");
            }
            let spec = map.get_mut("spec").and_then(Value::object_mut);
            if let Some(spec) = spec.filter(|spec| {
                spec.get("clusterIP").and_then(Value::as_str).is_some_and(|ip| ip.starts_with("10.96."))
            }) {
                spec.remove("clusterIP");
                spec.remove("clusterIPs");
            }
            clear(map, &["spec", "healthCheckNodePort"]);
        }
    }
    object
}

fn clear(map: &mut Map, path: &[&str]) {
    match path {
        [key] => {
            map.remove(key);
        }
        [key, rest @ ..] => {
            if let Some(inner) = map.get_mut(key).and_then(Value::object_mut) {
                clear(inner, rest);
            }
        }
        [] => {}
    }
}

/// The paths at which two values differ.
fn differences(ours: &Value, theirs: &Value, path: &str, into: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one.iter() {
                match other.get(key) {
                    Some(theirs) => differences(value, theirs, &format!("{path}.{key}"), into),
                    None => into.push(format!("{path}.{key} is ours alone: {}", engine_json::to_json(value))),
                }
            }
            let alone = other.iter().filter(|(key, _)| !one.contains_key(key));
            into.extend(alone.map(|(key, value)| {
                format!("{path}.{key} is theirs alone: {}", engine_json::to_json(value))
            }));
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter()
                .zip(other.iter())
                .for_each(|(ours, theirs)| differences(ours, theirs, &format!("{path}[]"), into));
        }
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => {
            into.push(format!("{path}: {} is {}", engine_json::to_json(ours), engine_json::to_json(theirs)));
        }
    }
}

/// How many objects of a file there are, and those that differ, made of what was sent or, where they are stored again, of what is stored.
fn compared(text: &str, made: fn(&Value, &Value) -> Value) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let row = parse(line).unwrap();
        for request in row.get("requests").and_then(Value::as_array).unwrap_or_default() {
            let (Some(raw), Some(seen)) = (request.get("raw"), request.get("seen")) else { continue };
            if raw.is_null() || seen.is_null() {
                continue;
            }
            count += 1;
            let ours = settled(made(raw, seen));
            let mut found = Vec::new();
            differences(&ours, &settled(seen.clone()), "", &mut found);
            let id = row.find_str(&["id"]);
            wrong.extend(found.into_iter().map(|found| format!("{id} {} {found}", seen.find_str(&["kind"]))));
        }
    }
    (count, wrong)
}

fn made_of_raw(raw: &Value, _: &Value) -> Value {
    read_back(&created(&stored(raw).object, &CREATION))
}

#[test]
fn stored_objects_stay_as_they_are() {
    for file in ["probes", "admission", "public", "converted"] {
        let Some(text) = text(&format!("{file}.jsonl.gz")) else { continue };
        let (_, wrong) = compared(&text, |_, seen| read_back(&stored(seen).object));
        assert!(wrong.is_empty(), "{file}:\n{}", wrong.join("\n").chars().take(6000).collect::<String>());
    }
}

#[test]
fn recorded_objects_are_stored_alike() {
    for file in ["probes", "admission", "public", "converted"] {
        let Some(text) = text(&format!("{file}.jsonl.gz")) else {
            eprintln!("skipped: {file} is not in this clone");
            continue;
        };
        let (count, wrong) = compared(&text, made_of_raw);
        assert!(
            wrong.is_empty(),
            "{file}: {} differences in {count} objects:\n{}",
            wrong.len(),
            wrong.join("\n").chars().take(6000).collect::<String>()
        );
    }
}

/// Generated objects of all kinds that a server takes, and what it gave back: `{"raw": …, "seen": …}` a line. `KUBERNETES_OBJECTS` names
/// another file of the same form.
#[test]
fn generated_objects_are_stored_alike() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/objects.jsonl.gz");
    let path = std::env::var_os("KUBERNETES_OBJECTS").map_or(kept, PathBuf::from);
    let bytes = std::fs::read(&path).unwrap();
    let mut rows = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut rows).unwrap();
    } else {
        rows = String::from_utf8(bytes).unwrap();
    }
    let rows: Vec<String> =
        rows.lines().map(|row| format!("{{\"id\": \"generated\", \"requests\": [{row}]}}")).collect();
    let (count, wrong) = compared(&rows.join("\n"), made_of_raw);
    assert!(
        count > 100 && wrong.is_empty(),
        "{} differences in {count} objects:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What a 1.36.3 server answered to objects that it cannot read.
const REFUSED: &[(&str, &str)] = &[
    (
        r#""hostNetwork": "true""#,
        "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool",
    ),
    (
        r#""nodeSelector": {"a": true}"#,
        "json: cannot unmarshal bool into Go struct field PodSpec.spec.nodeSelector of type string",
    ),
    (
        r#""nodeSelector": []"#,
        "json: cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type map[string]string",
    ),
    (
        r#""volumes": "x""#,
        "json: cannot unmarshal string into Go struct field PodSpec.spec.volumes of type []v1.Volume",
    ),
    (
        r#""volumes": [5]"#,
        "json: cannot unmarshal number into Go struct field PodSpec.spec.volumes of type v1.Volume",
    ),
    (
        r#""dnsPolicy": 1"#,
        "json: cannot unmarshal number into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy",
    ),
    (
        r#""priority": 99999999999"#,
        "json: cannot unmarshal number 99999999999 into Go struct field PodSpec.spec.priority of type int32",
    ),
    (
        r#""overhead": {"cpu": "much"}"#,
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ),
    (
        r#""initContainers": [{"livenessProbe": {"httpGet": {"port": 1.5}}}]"#,
        "json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.initContainers.livenessProbe.ProbeHandler.httpGet.port of type int32",
    ),
    (
        r#""containers": [{"zz": 1}], "bogus": 1, "affinity": {"x": 1}"#,
        r#"strict decoding error: unknown field "spec.affinity.x", unknown field "spec.bogus", unknown field "spec.containers[0].zz""#,
    ),
];

#[test]
fn refusals_have_the_words_of_the_server() {
    for (spec, words) in REFUSED {
        let pod = parse(&format!(r#"{{"apiVersion": "v1", "kind": "Pod", "spec": {{{spec}}}}}"#)).unwrap();
        let expected = format!(r#"Pod in version "v1" cannot be handled as a Pod: {words}"#);
        assert_eq!(stored(&pod).refusal(), Some(expected), "{spec}");
    }
}
