//! What an API server takes and what it refuses, as Kubernetes' validation says it.

use super::{complete, is_valid};
use crate::objects::schema::Schema;
use crate::request::Request;
use engine_json::Value;

fn object(text: &str) -> Value {
    engine::yaml::parse_one(text).unwrap_or_default().with_int_numbers()
}

fn takes(text: &str) -> bool {
    is_valid(&Request::of(object(text)), false, &Schema::new())
}

fn pod(spec: &str) -> String {
    format!("{{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: default}}, spec: {{{spec}}}}}")
}

fn container(fields: &str) -> String {
    pod(&format!("containers: [{{name: c, image: i, {fields}}}], volumes: [{{name: v, emptyDir: {{}}}}]"))
}

#[test]
fn what_an_api_server_takes_is_taken() {
    for fields in [
        "ports: [{containerPort: 80, name: http}]",
        "env: [{name: A, value: b}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}]",
        "volumeMounts: [{name: v, mountPath: /x}]",
        "resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}",
        "securityContext: {privileged: true, runAsUser: 0}",
        "securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [NET_ADMIN]}}",
        "livenessProbe: {httpGet: {port: web}}",
    ] {
        assert!(takes(&container(fields)), "{fields}");
    }
    assert!(takes(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a.b, labels: {a/b: ''}, annotations: {Example.com/X: '*'}}}"
    ));
    assert!(takes(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: 'system:x'}, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}"
    ));
    assert!(takes("{apiVersion: example.com/v1, kind: Any, metadata: {name: 'A:b'}, spec: {any: [1]}}"));
    assert!(takes(
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {rules: [{host: '*.example.com'}]}}"
    ));
}

#[test]
fn what_it_refuses_is_refused() {
    for fields in [
        "ports: [{containerPort: 0}]",
        "env: [{name: B, valueFrom: {secretKeyRef: {name: '', key: k}}}]",
        "env: [{name: B, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
        "volumeMounts: [{name: other, mountPath: /x}]",
        "resources: {limits: {memory: -1}}",
        "resources: {limits: {memory: 1Gi}, requests: {memory: 2Gi}}",
        "securityContext: {privileged: true, allowPrivilegeEscalation: false}",
        "securityContext: {runAsUser: true}",
        "livenessProbe: {}",
        "imagePullPolicy: Sometimes",
    ] {
        assert!(!takes(&container(fields)), "{fields}");
    }
    for text in [
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: '-test'}}, spec: {containers: [{name: c, image: i}]}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}], initContainers: [{name: c, image: i}]}}",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER}}",
        "{apiVersion: example.com/v1, kind: Any, metadata: {name: n, labels: {'*': x}}}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{}]}",
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {rules: [{host: '*'}]}}",
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: i}, spec: {podSelector: {}, ingress: [{from: [{}]}]}}",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}, spec: {containers: [{name: c, image: i}]}}}}",
        "{apiVersion: batch/v1, kind: Job, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}",
    ] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn what_is_completed_is_taken() {
    for text in [
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels: {team: '-x'}}, spec: {template: {spec: {containers: [{name: c, image: i, \
         volumeMounts: [{}], ports: [{}], env: [{valueFrom: {secretKeyRef: {}}}], livenessProbe: {}}], initContainers: [{name: c, image: i}]}}}}",
        "{apiVersion: v1, kind: ReplicationController, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}",
        "{apiVersion: batch/v1, kind: CronJob, metadata: {name: d}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}}}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r}, subjects: [{}]}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{}]}",
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {rules: [{host: '*'}, {host: .example.com}]}}",
    ] {
        let mut whole = object(text);
        complete(&mut whole, &Schema::new());
        assert!(
            is_valid(&Request::of(whole.clone()), false, &Schema::new()),
            "{}",
            engine_json::to_json(&whole)
        );
    }
}

#[test]
fn a_toleration_is_of_a_key_or_of_all() {
    let tolerating = |one: &str| pod(&format!("containers: [{{name: c, image: i}}], tolerations: [{one}]"));
    for one in ["{key: a/b, value: x}", "{operator: Exists}", "{key: a, operator: Exists}"] {
        assert!(takes(&tolerating(one)), "{one}");
    }
    for one in ["{}", "{value: x}", "{key: '*'}", "{key: a, operator: Exists, value: x}"] {
        assert!(!takes(&tolerating(one)), "{one}");
    }
}
