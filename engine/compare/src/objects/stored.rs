//! An object in the form in which an API server stores it, for comparing what two policies leave or make.
//!
//! In: an object as a policy leaves it. Out: the same as it is once it was decoded into Kubernetes' types, filled in and written again; of two
//! objects that a cluster cannot tell apart, the same. Of a custom kind only the metadata are known.
//! Source: encoding/json, which every type of k8s.io/api is decoded and written by: null is a field that is not there, as is in a field that is no
//! pointer what is zero or empty.

use crate::objects::defaults::defaulted;
use crate::objects::format::Format;
use crate::objects::schema::{Schema, Shape};
use crate::objects::zeros::{is_zero, leaves_out_zero};
use engine::value::base64::{decode, encode};
use engine::value::quantity::Quantity;
use engine_json::{Map, Str, Value, to_json};

/// Fields that are no pointers and not written as `omitempty`, in types that an API server takes without them: absent, they are zero.
// k8s.io/api core/v1 and scheduling/v1.
const ZERO_WHERE_ABSENT: [(&str, &str); 3] =
    [("core.v1.HTTPHeader", "value"), ("core.v1.Sysctl", "value"), ("scheduling.v1.PriorityClass", "value")];

/// Fields that are structs and no pointers to one in every type that has a field of this name but those: they are there, whether written or not.
const STRUCTS: [(&str, &[&str]); 11] = [
    ("backend", &[]),
    ("jobTemplate", &[]),
    ("metadata", &[]),
    ("metric", &[]),
    ("podSelector", &["networking.v1.NetworkPolicyPeer"]),
    ("resources", &["core.v1.PodSpec"]),
    ("spec", &[]),
    ("status", &[]),
    ("strategy", &[]),
    ("template", &["core.v1.ReplicationControllerSpec"]),
    ("updateStrategy", &[]),
];

/// The object as it is stored; nothing where an API server cannot read it.
pub(crate) fn stored(object: &Value, schema: &Schema) -> Option<Value> {
    let object = object.with_int_numbers();
    let Some(shape) = schema.of(&object) else { return of_custom(object, schema) };
    let read = read(&object, &shape, Format::Any, schema)?;
    // What is filled in is written in the same form.
    self::read(&defaulted(&read), &shape, Format::Any, schema)
}

fn of_custom(mut object: Value, schema: &Schema) -> Option<Value> {
    let Some(metadata) = object.get("metadata").filter(|metadata| !metadata.is_null()) else {
        return Some(object);
    };
    let metadata = read(metadata, &Schema::metadata(), Format::Any, schema)?;
    object.object_mut()?.insert("metadata", metadata);
    Some(object)
}

/// A value as it is written again once it was decoded; `None` where it cannot be.
fn read(value: &Value, shape: &Shape, format: Format, schema: &Schema) -> Option<Value> {
    match (shape, value) {
        (Shape::Any, value) => Some(value.clone()),
        (Shape::Object(of), Value::Object(map)) => read_fields(map, shape, of, schema),
        (Shape::Map(inner), Value::Object(map)) => {
            let mut made = Map::new();
            for (key, item) in map.iter() {
                made.insert(key.clone(), element(item, inner, format, schema)?);
            }
            Some(Value::object(made))
        }
        (Shape::List(inner), Value::Array(items)) => {
            let items = items.iter().map(|item| element(item, inner, format, schema));
            items.collect::<Option<Vec<Value>>>().map(Value::array)
        }
        (_, value) => scalar(value, shape, format),
    }
}

/// An element of a list or of a map, where null is what is zero.
fn element(value: &Value, shape: &Shape, format: Format, schema: &Schema) -> Option<Value> {
    if !value.is_null() {
        return read(value, shape, format, schema);
    }
    Some(match shape {
        Shape::Text => Value::from(""),
        Shape::Number => Value::from(0_i64),
        Shape::Truth => Value::Bool(false),
        Shape::Either if format == Format::Quantity => Value::from("0"),
        Shape::Object(_) | Shape::Map(_) => Value::object(Map::new()),
        Shape::Either | Shape::Any | Shape::List(_) => Value::Null,
    })
}

fn read_fields(map: &Map, shape: &Shape, of: &str, schema: &Schema) -> Option<Value> {
    let mut made = Map::new();
    for (key, value) in map.iter() {
        let Some(inner) = schema.tried(shape, key) else {
            // A newer API server may know a field that is not known here.
            made.insert(key.clone(), value.clone());
            continue;
        };
        if value.is_null() && inner != Shape::Any {
            continue;
        }
        let value = read(value, &inner, schema.format(shape, key), schema)?;
        if !is_absent(&value, &inner, of, key) {
            made.insert(key.clone(), value);
        }
    }
    Some(Value::object(made))
}

/// Whether a field holds what it also holds where it is not written.
fn is_absent(value: &Value, shape: &Shape, of: &str, key: &Str) -> bool {
    match (shape, value) {
        (Shape::List(_), Value::Array(items)) => items.is_empty(),
        (Shape::Map(_), Value::Object(map)) => map.is_empty(),
        (Shape::Object(_), Value::Object(map)) => map.is_empty() && is_struct(of, key),
        (_, value) => {
            is_zero(value) && (leaves_out_zero(of, key) || ZERO_WHERE_ABSENT.contains(&(of, key.as_str())))
        }
    }
}

fn is_struct(of: &str, key: &str) -> bool {
    STRUCTS.iter().any(|(field, but)| *field == key && !but.contains(&of))
}

fn scalar(value: &Value, shape: &Shape, format: Format) -> Option<Value> {
    match (format, value) {
        (Format::Quantity, Value::String(_) | Value::Number(_)) => {
            let written = value.as_str().map_or_else(|| to_json(value), str::to_owned);
            Quantity::parse(written.trim()).ok().map(|amount| Value::from(amount.to_string()))
        }
        (Format::Bytes, Value::String(text)) => {
            decode(text.as_bytes()).ok().map(|bytes| Value::from(encode(&bytes)))
        }
        (Format::Time, Value::String(text)) => format.takes(text).then(|| value.clone()),
        (Format::Any, Value::String(_)) => {
            matches!(shape, Shape::Text | Shape::Either).then(|| value.clone())
        }
        (Format::Any, Value::Number(_)) => {
            matches!(shape, Shape::Number | Shape::Either).then(|| value.clone())
        }
        (Format::Any, Value::Bool(_)) => (*shape == Shape::Truth).then(|| value.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::stored;
    use crate::objects::schema::Schema;
    use engine::yaml::parse_one;

    fn of(text: &str) -> Option<String> {
        let object = parse_one(text).unwrap_or_default();
        stored(&object, &Schema::new()).map(|object| engine_json::to_json(&object))
    }

    fn of_pod(spec: &str) -> Option<String> {
        of(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, image: i}}], {spec}}}}}"
        ))
    }

    #[test]
    fn what_a_cluster_cannot_tell_apart_is_stored_alike() {
        for (one, other) in [
            ("nodeSelector: null", ""),
            ("nodeSelector: {}", ""),
            ("volumes: []", ""),
            ("initContainers: null, hostNetwork: false", "initContainers: []"),
            ("securityContext: {}", "securityContext: null"),
            ("nodeName: ''", ""),
            ("overhead: {cpu: 1000m, memory: 1024Mi}", "overhead: {cpu: 1, memory: 1Gi}"),
            ("priority: 1.0", "priority: 1"),
            (
                "ephemeralContainers: [{name: d, image: i, resources: {}, imagePullPolicy: Always}]",
                "ephemeralContainers: [{name: d, image: i}]",
            ),
            ("nodeSelector: {a: null}", "nodeSelector: {a: ''}"),
        ] {
            assert!(of_pod(one).is_some(), "{one}");
            assert_eq!(of_pod(one), of_pod(other), "{one} {other}");
        }
        let secret =
            |more: &str| of(&format!("{{apiVersion: v1, kind: Secret, metadata: {{name: s}}, {more}}}"));
        assert_eq!(secret("stringData: {a: b}"), secret("type: Opaque, data: {a: Yg==}"));
        let service = |more: &str| {
            of(&format!("{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {{{more}}}}}"))
        };
        assert_eq!(
            service("ports: [{port: 80}]"),
            service("sessionAffinity: None, ports: [{port: 80, protocol: TCP, targetPort: 80, nodePort: 0}]")
        );
        let role = |more: &str| {
            of(&format!(
                "{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: r}}, {more}}}"
            ))
        };
        assert_eq!(role("rules: []"), role("rules: null"));
        assert_eq!(role("rules: []"), role(""));
    }

    #[test]
    fn what_differs_in_a_cluster_differs() {
        for (one, other) in [
            ("automountServiceAccountToken: false", ""),
            ("securityContext: {runAsUser: 0}", "securityContext: {}"),
            ("affinity: {}", ""),
            ("overhead: {cpu: 100m}", "overhead: {cpu: 1}"),
            ("nodeSelector: {a: ''}", ""),
            ("priority: 0", ""),
            ("terminationGracePeriodSeconds: 0", ""),
            ("notKnown: {}", ""),
        ] {
            assert_ne!(of_pod(one), of_pod(other), "{one} {other}");
        }
        let port = |port: &str| {
            of(&format!(
                "{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {{ports: [{{port: 80, targetPort: {port}}}]}}}}"
            ))
        };
        assert_ne!(port("80"), port("'80'"));
    }

    #[test]
    fn what_an_api_server_cannot_read_is_not_stored() {
        for refused in [
            "hostNetwork: 'true'",
            "nodeName: 5",
            "nodeSelector: {a: true}",
            "volumes: {}",
            "containers: [{name: c, image: i, resources: {limits: {cpu: much}}}]",
            "securityContext: []",
        ] {
            assert_eq!(of_pod(refused), None, "{refused}");
        }
        assert_eq!(of("{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: '!'}}"), None);
        assert_eq!(of("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, labels: {a: 1}}}"), None);
    }

    #[test]
    fn of_a_custom_kind_only_the_metadata_are_known() {
        let custom = |more: &str, metadata: &str| {
            of(&format!(
                "{{apiVersion: example.com/v1, kind: Thing, metadata: {{name: t{metadata}}}, spec: {{{more}}}}}"
            ))
        };
        assert_eq!(custom("", ", labels: {}, annotations: null"), custom("", ""));
        assert_ne!(custom("a: null", ""), custom("", ""));
        assert_ne!(custom("a: []", ""), custom("", ""));
        assert_eq!(custom("a: 1.0", ""), custom("a: 1", ""));
    }
}
