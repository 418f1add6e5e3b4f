//! What becomes of objects that are changed or replaced, and which are not valid.

use engine_json::{Value, parse};
use engine_kubernetes::{Creation, invalid, patched, stored, updated};

const CREATION: Creation<'static> =
    Creation { uid: "new", time: "2026-01-01T00:00:00Z", suffix: "", address: "10.96.0.1", node_port: 30000 };

fn object(kind: &str, metadata: &str, spec: &str) -> Value {
    let text = format!(
        r#"{{"apiVersion": "v1", "kind": "{kind}", "metadata": {{"name": "o"{metadata}}}, "spec": {{{spec}}}}}"#
    );
    parse(&text).unwrap()
}

#[test]
fn an_update_keeps_what_is_there() {
    let metadata = r#", "uid": "old", "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 3"#;
    let given = r#""type": "NodePort", "clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"], "ports": [{"port": 80, "protocol": "TCP", "nodePort": 31000}]"#;
    let old = object("Service", metadata, given);
    let new = stored(&object(
        "Service",
        "",
        r#""type": "NodePort", "ports": [{"port": 80}, {"port": 81, "name": "b"}]"#,
    ));
    let made = updated(&new.object, &old, &CREATION);
    assert_eq!(made.find_str(&["metadata", "uid"]), "old");
    assert_eq!(made.find(&["metadata", "generation"]).and_then(Value::as_i64), Some(3));
    assert_eq!(made.find_str(&["spec", "clusterIP"]), "10.0.0.7");
    let ports = made.find(&["spec", "ports"]).and_then(Value::as_array).unwrap();
    let nodes: Vec<_> =
        ports.iter().filter_map(|port| port.get("nodePort").and_then(Value::as_i64)).collect();
    assert_eq!(nodes, [31000, 30000]);
}

#[test]
fn a_changed_object_is_filled_in_and_not_admitted() {
    let made = patched(&object("Pod", "", r#""containers": [{"name": "c", "image": "x"}]"#)).object;
    let container = made.find(&["spec", "containers"]).and_then(|containers| containers.at(0)).unwrap();
    assert_eq!(container.find_str(&["imagePullPolicy"]), "Always");
    assert!(made.find(&["spec", "tolerations"]).is_none());
}

#[test]
fn texts_that_a_field_may_not_hold_are_named() {
    let spec = r#""dnsPolicy": "Here", "containers": [{"name": "c", "image": "", "imagePullPolicy": "Never"}], "tolerations": [{"effect": "X"}]"#;
    let wanted = [
        r#"spec.dnsPolicy: Unsupported value: "Here": supported values: "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None""#,
        "spec.containers[0].image: Required value",
        r#"spec.tolerations[0].effect: Unsupported value: "X": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule""#,
    ];
    assert_eq!(invalid(&object("Pod", "", spec)), wanted);
}

#[test]
fn what_is_stored_stays_when_it_is_stored_again() {
    let spec = r#""containers": [{"name": "c", "image": "x", "resources": {"limits": {"cpu": 0.5}}}], "hostNetwork": false"#;
    let once = stored(&object("Pod", "", spec));
    let again = stored(&once.object);
    assert_eq!((again.object, again.filled), (once.object, 0));
}
