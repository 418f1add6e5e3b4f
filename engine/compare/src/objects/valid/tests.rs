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
    assert!(takes("{apiVersion: example.com/v1, kind: Any, metadata: {name: a.b}, spec: {any: [1]}}"));
    assert!(!takes("{apiVersion: example.com/v1, kind: Any, metadata: {name: 'A:b'}, spec: {any: [1]}}"));
    assert!(takes(
        "{apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview, metadata: {name: 'A:b'}}"
    ));
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
fn constraints_of_spreading_are_not_repeated() {
    let spread = |one: &str, other: &str| {
        let all =
            [one, other].map(|answer| format!("{{maxSkew: 1, topologyKey: a, whenUnsatisfiable: {answer}}}"));
        pod(&format!("containers: [{{name: c, image: i}}], topologySpreadConstraints: [{}]", all.join(", ")))
    };
    assert!(takes(&spread("DoNotSchedule", "ScheduleAnyway")));
    assert!(!takes(&spread("DoNotSchedule", "DoNotSchedule")));
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

#[test]
fn what_one_of_several_fields_means_is_said_and_is_there() {
    let context =
        |profile: &str| pod(&format!("containers: [{{name: c, image: i}}], securityContext: {{{profile}}}"));
    for profile in
        ["seccompProfile: {type: RuntimeDefault}", "appArmorProfile: {type: Localhost, localhostProfile: a}"]
    {
        assert!(takes(&context(profile)), "{profile}");
    }
    for profile in [
        "seccompProfile: {}",
        "seccompProfile: {type: Other}",
        "seccompProfile: {type: Localhost}",
        "seccompProfile: {type: Localhost, localhostProfile: ../a}",
        "appArmorProfile: {type: RuntimeDefault, localhostProfile: a}",
    ] {
        assert!(!takes(&context(profile)), "{profile}");
    }
    let volume =
        |source: &str| pod(&format!("containers: [{{name: c, image: i}}], volumes: [{{name: v, {source}}}]"));
    assert!(takes(&volume("gitRepo: {repository: r}")) && takes(&volume("hostPath: {path: /x, type: File}")));
    for source in [
        "gitRepo: {}",
        "rbd: {}",
        "hostPath: {path: /a/../b}",
        "hostPath: {path: /x, type: Other}",
        "emptyDir: {}, configMap: {name: x}",
        "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}",
    ] {
        assert!(!takes(&volume(source)), "{source}");
    }
}

#[test]
fn settings_of_a_pod_go_together() {
    let with = |settings: &str, container: &str| {
        pod(&format!("containers: [{{name: c, image: i, {container}}}], {settings}"))
    };
    for (settings, container) in [
        ("hostNetwork: true", "ports: [{containerPort: 80}]"),
        ("os: {name: windows}, securityContext: {runAsNonRoot: true}", ""),
        ("hostUsers: false", "securityContext: {procMount: Unmasked}"),
        ("dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.1]}", ""),
    ] {
        assert!(takes(&with(settings, container)), "{settings} {container}");
    }
    for (settings, container) in [
        ("hostNetwork: true", "ports: [{containerPort: 80, hostPort: 81}]"),
        ("os: {name: windows}", "securityContext: {privileged: false}"),
        ("os: {name: windows}, hostPID: true", ""),
        ("os: {name: linux}, securityContext: {windowsOptions: {hostProcess: true}}", ""),
        ("os: {name: bsd}", ""),
        ("hostUsers: false, hostPID: true", ""),
        ("hostPID: true", "securityContext: {procMount: Unmasked}"),
        ("dnsPolicy: None", ""),
        ("hostname: a_b", ""),
        ("activeDeadlineSeconds: 0", ""),
        (
            "terminationGracePeriodSeconds: 1",
            "readinessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 1}",
        ),
        ("dnsPolicy: Default", "ports: [{containerPort: 80, hostPort: 1}, {containerPort: 81, hostPort: 1}]"),
        ("dnsPolicy: Default", "env: [{name: 'a=b', value: x}]"),
    ] {
        assert!(!takes(&with(settings, container)), "{settings} {container}");
    }
}

#[test]
fn kinds_have_what_they_need() {
    let of = |version: &str, kind: &str, spec: &str| {
        format!(
            "{{apiVersion: {version}, kind: {kind}, metadata: {{name: x, namespace: default}}, spec: {{{spec}}}}}"
        )
    };
    let claim = "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}";
    let scaled = "scaleTargetRef: {kind: Deployment, name: x}, maxReplicas: 2";
    let backend = "backend: {service: {name: s, port: {number: 80}}}";
    for (version, kind, spec) in [
        ("v1", "Service", "ports: [{port: 80}]"),
        ("v1", "Service", "clusterIP: None"),
        ("v1", "Service", "type: ExternalName, externalName: example.com"),
        ("v1", "PersistentVolumeClaim", claim),
        ("autoscaling/v2", "HorizontalPodAutoscaler", scaled),
        (
            "networking.k8s.io/v1",
            "Ingress",
            &format!("rules: [{{http: {{paths: [{{pathType: Prefix, path: /, {backend}}}]}}}}]"),
        ),
        ("policy/v1", "PodDisruptionBudget", "maxUnavailable: 100%"),
    ] {
        assert!(takes(&of(version, kind, spec)), "{kind} {spec}");
    }
    for (version, kind, spec) in [
        ("v1", "Service", ""),
        ("v1", "Service", "type: NodePort, clusterIP: None"),
        ("v1", "Service", "ports: [{port: 80}, {port: 81}]"),
        ("v1", "Service", "ports: [{port: 80}], externalTrafficPolicy: Local"),
        ("v1", "Service", "ports: [{port: 80}], loadBalancerSourceRanges: [10.0.0.0/8]"),
        ("v1", "Service", "ports: [{port: 80}], externalIPs: [x]"),
        ("v1", "PersistentVolumeClaim", "accessModes: [ReadWriteOnce]"),
        ("v1", "PersistentVolumeClaim", "resources: {requests: {storage: 1Gi}}"),
        ("v1", "PersistentVolume", "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "maxReplicas: 2"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", &format!("{scaled}, minReplicas: 3")),
        ("autoscaling/v2", "HorizontalPodAutoscaler", &format!("{scaled}, metrics: [{{type: Resource}}]")),
        ("networking.k8s.io/v1", "Ingress", ""),
        (
            "networking.k8s.io/v1",
            "Ingress",
            &format!("rules: [{{http: {{paths: [{{pathType: Prefix, path: x, {backend}}}]}}}}]"),
        ),
        ("networking.k8s.io/v1", "Ingress", "defaultBackend: {service: {name: s}}"),
        ("networking.k8s.io/v1", "NetworkPolicy", "podSelector: {}, egress: [{ports: [{endPort: 3}]}]"),
        ("policy/v1", "PodDisruptionBudget", "maxUnavailable: 101%"),
        (
            "apps/v1",
            "StatefulSet",
            "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: C, image: i}]}}",
        ),
    ] {
        assert!(!takes(&of(version, kind, spec)), "{kind} {spec}");
    }
}

#[test]
fn workloads_have_what_they_need() {
    let of = |version: &str, kind: &str, spec: &str| {
        format!(
            "{{apiVersion: {version}, kind: {kind}, metadata: {{name: x, namespace: default}}, spec: {{{spec}}}}}"
        )
    };
    let job =
        "jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}";
    assert!(takes(&of("batch/v1", "CronJob", &format!("schedule: '@daily', {job}"))));
    assert!(
        !takes(&of("batch/v1", "CronJob", job))
            && !takes(&of("batch/v1", "CronJob", &format!("schedule: x, {job}")))
    );
    let deployed = "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";
    assert!(takes(&of(
        "apps/v1",
        "Deployment",
        &format!("{deployed}, strategy: {{rollingUpdate: {{maxSurge: 1}}}}")
    )));
    for more in [
        "strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}",
        "strategy: {type: Other}",
        "replicas: -1",
    ] {
        assert!(!takes(&of("apps/v1", "Deployment", &format!("{deployed}, {more}"))), "{more}");
    }
}

#[test]
fn secrets_have_the_keys_of_their_type() {
    let secret = |fields: &str| {
        format!("{{apiVersion: v1, kind: Secret, metadata: {{name: s, namespace: default}}, {fields}}}")
    };
    for fields in [
        "type: kubernetes.io/tls, data: {tls.crt: '', tls.key: ''}",
        "type: kubernetes.io/tls, data: {tls.crt: ''}, stringData: {tls.key: a}",
        "type: kubernetes.io/dockerconfigjson, data: {.dockerconfigjson: e30=}",
        "type: kubernetes.io/dockercfg, stringData: {.dockercfg: '{}'}",
        "type: kubernetes.io/basic-auth, data: {password: ''}",
        "type: kubernetes.io/ssh-auth, data: {ssh-privatekey: eA==}",
        "type: bootstrap.kubernetes.io/token",
        "data: {a: eA==}",
    ] {
        assert!(takes(&secret(fields)), "{fields}");
    }
    for fields in [
        "type: kubernetes.io/tls, data: {tls.crt: eA==}",
        "type: kubernetes.io/tls",
        "type: kubernetes.io/dockerconfigjson, data: {a: e30=}",
        "type: kubernetes.io/dockerconfigjson, data: {.dockerconfigjson: eA==}",
        "type: kubernetes.io/dockercfg, data: {.dockerconfigjson: e30=}",
        "type: kubernetes.io/basic-auth, data: {a: eA==}",
        "type: kubernetes.io/ssh-auth, data: {ssh-privatekey: ''}",
        "type: kubernetes.io/service-account-token, data: {token: eA==}",
    ] {
        assert!(!takes(&secret(fields)), "{fields}");
        let mut made = object(&secret(fields));
        complete(&mut made, &Schema::new());
        assert!(is_valid(&Request::of(made.clone()), false, &Schema::new()), "{made:?}");
    }
}
