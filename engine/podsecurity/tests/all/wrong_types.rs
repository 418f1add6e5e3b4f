//! A field of the wrong type is a finding, never a silent pass. The typed Pod that Kubernetes publishes is the oracle:
//! what it cannot read we report, and what we report it cannot read.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_json::{Segment, Value, parse, to_json};
use engine_podsecurity::{CHECKS, Level, PodView, Version, aggregate, evaluate};
use k8s_openapi::api::core::v1::Pod;

/// A value of each type that Kubernetes might find.
const CANDIDATES: [&str; 9] = ["true", "1", "1.5", "4294967296", r#""x""#, r#"["x"]"#, "[1]", "[{}]", "{}"];

/// The versions at which every revision that reads other fields runs.
const VERSIONS: [Version; 3] = [Version::Minor(18), Version::Minor(24), Version::Latest];

fn is_readable(pod: &Value) -> bool {
    serde_json::from_str::<Pod>(&to_json(pod)).is_ok()
}

/// Whether every level and version could read all the fields it asked for.
fn we_read(pod: &Value) -> bool {
    VERSIONS.iter().all(|version| {
        let results = evaluate(Level::Restricted, *version, &PodView::whole(pod));
        results.iter().flat_map(|result| &result.violations).all(engine_podsecurity::Violation::is_readable)
    })
}

/// A Pod with the value at a restricted field: `[*]` is the first item, a star as a key some key that is there.
fn pod_with(field: &str, value: &str) -> Value {
    let mut text = value.to_owned();
    let field = field.replace(".*.", ".livenessProbe.");
    let (path, annotation) = match field.split_once('[') {
        Some(("metadata.annotations", key)) => {
            ("metadata.annotations", Some(key.trim_end_matches(']').replace('*', "c")))
        }
        _ => (field.as_str(), None),
    };
    if let Some(key) = annotation {
        text = format!("{{\"{key}\":{text}}}");
    }
    for key in path.rsplit('.') {
        text = match key.strip_suffix("[*]") {
            Some(key) => format!("{{\"{key}\":[{text}]}}"),
            None => format!("{{\"{key}\":{text}}}"),
        };
    }
    let mut pod = parse(&text).unwrap();
    // The annotation of a container counts when there is such a container.
    if pod.get("metadata").is_some() {
        let spec = parse(r#"{"containers":[{"name":"c"}]}"#).unwrap();
        pod.object_mut().unwrap().insert("spec", spec);
    }
    pod
}

#[test]
fn we_report_exactly_the_types_that_the_typed_pod_refuses() {
    let mut refused = 0;
    for check in CHECKS {
        for field in check.fields {
            for value in CANDIDATES {
                let pod = pod_with(field, value);
                assert_eq!(we_read(&pod), is_readable(&pod), "{} {}", check.id, to_json(&pod));
                refused += usize::from(!is_readable(&pod));
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn every_step_on_the_way_to_a_field_is_reported_too() {
    for check in CHECKS {
        for field in check.fields {
            let steps: Vec<&str> = field.split('.').collect();
            for depth in 1..steps.len() {
                let path = steps[..depth].join(".");
                if path.ends_with('*') || path.starts_with("metadata.annotations[") {
                    continue;
                }
                let path = path.trim_end_matches("[*]");
                for value in ["true", r#""x""#, "7"] {
                    let pod = pod_with(path, value);
                    assert!(!is_readable(&pod) && !we_read(&pod), "{} {}", check.id, to_json(&pod));
                }
            }
        }
    }
}

#[test]
fn every_restricted_field_is_one_that_kubernetes_knows() {
    for check in CHECKS {
        for field in check.fields.iter().filter(|field| !field.ends_with("[*]")) {
            let survives = CANDIDATES.iter().any(|value| {
                let pod = pod_with(field, value);
                let Ok(typed) = serde_json::from_str::<Pod>(&to_json(&pod)) else { return false };
                let back = parse(&serde_json::to_string(&typed).unwrap()).unwrap();
                let last = field.rsplit(['.', '[']).next().unwrap().trim_end_matches(']').replace('*', "c");
                holds_key(&back, &last)
            });
            assert!(survives, "{}: {field}", check.id);
        }
    }
}

fn holds_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(k, v)| k == key || k.ends_with(key) || holds_key(v, key)),
        Value::Array(list) => list.iter().any(|item| holds_key(item, key)),
        _ => false,
    }
}

#[test]
fn a_wrong_type_says_where_and_what() {
    let pod =
        parse(r#"{"spec":{"hostNetwork":"true","containers":[{"name":"a","ports":[{"hostPort":"80"}]}]}}"#)
            .unwrap();
    let results = evaluate(Level::Baseline, Version::Latest, &PodView::whole(&pod));
    assert_eq!(
        aggregate::detail(&results),
        "host namespaces (spec.hostNetwork: Invalid value: \"string\": must be of type boolean), \
         hostPort (spec.containers[0].ports[0].hostPort: Invalid value: \"string\": must be of type int32)"
    );
    let port = results.iter().find(|result| result.check.id == "hostPorts").unwrap();
    assert_eq!(port.violations[0].container(), Some("a"));
    assert_eq!(port.violations[0].path.last(), Some(&Segment::from("hostPort")));
}
