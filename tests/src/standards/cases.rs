//! Pods that differ from a hardened one in one thing.
//!
//! In: rows, a control with what is changed. Out: Pods, the smallest change first.

use engine::json::{Map, Value};
use engine::yaml::parse_one;

/// The Pod that every level lets in; the table says so.
pub const BASE: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: n}
spec:
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: a
    image: registry.example/app:1.0
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
";

/// What is changed: `C` of a container in each list, `P` of the Pod; with what holds beside it.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// Windows Pods, and Pods with users of their own.
const WINDOWS: &str = "P {spec: {os: {name: windows}}} + ";
const OWN_USERS: &str = "P {spec: {hostUsers: false}} + ";

const ROWS: &[Row] = &[
    ("Privileged Containers", "C {securityContext: {privileged: @}}", &["true", "false"]),
    ("Privilege Escalation", "C {securityContext: {allowPrivilegeEscalation: @}}", &["null", "true"]),
    ("Privilege Escalation", "W C {securityContext: {allowPrivilegeEscalation: @}}", &["null", "true"]),
    (
        "Capabilities",
        "C {securityContext: {capabilities: {add: [@]}}}",
        &["NET_BIND_SERVICE", "CHOWN", "SYS_ADMIN", "ALL", "MKNOD", "'NET_BIND_SERVICE', CHOWN", "CAP_CHOWN"],
    ),
    (
        "Capabilities",
        "C {securityContext: {capabilities: {drop: @}}}",
        &["null", "[NET_RAW]", "[NET_RAW, ALL]", "[all]", "[CAP_ALL]"],
    ),
    ("Capabilities", "C {securityContext: {capabilities: @}}", &["null"]),
    ("Capabilities", "W C {securityContext: {capabilities: @}}", &["null", "{drop: null, add: [SYS_ADMIN]}"]),
    (
        "Host Namespaces",
        "P {spec: {@}}",
        &["hostNetwork: true", "hostPID: true", "hostIPC: true", "hostPID: false"],
    ),
    ("HostPath Volumes", "P {spec: {volumes: [{name: v, @}]}}", &["hostPath: {path: /etc}", "emptyDir: {}"]),
    ("Host Ports", "C {ports: [{containerPort: 80, hostPort: @}]}", &["0", "80", "5000", "65535"]),
    (
        "Host Probes / Lifecycle Hooks",
        "C {@}",
        &[
            "livenessProbe: {httpGet: {port: 80, host: h}}",
            "readinessProbe: {tcpSocket: {port: 80, host: h}}",
            "startupProbe: {tcpSocket: {port: 80}}",
            "lifecycle: {preStop: {httpGet: {port: 80, host: h}}}",
        ],
    ),
    ("/proc Mount Type", "C {securityContext: {procMount: @}}", &["Default", "Unmasked"]),
    ("/proc Mount Type", "U C {securityContext: {procMount: @}}", &["Unmasked"]),
    (
        "SELinux",
        "B {securityContext: {seLinuxOptions: {@}}}",
        &[
            "type: ''",
            "type: container_t",
            "type: container_init_t",
            "type: container_kvm_t",
            "type: container_engine_t",
            "type: spc_t",
            "user: u",
            "role: r",
            "level: l",
            "user: ''",
        ],
    ),
    (
        "Seccomp",
        "B {securityContext: {seccompProfile: @}}",
        &["{type: Unconfined}", "{type: Localhost, localhostProfile: x}", "{type: RuntimeDefault}"],
    ),
    ("Seccomp", "P {spec: {securityContext: {seccompProfile: @}}}", &["null"]),
    ("Seccomp", "W P {spec: {securityContext: {seccompProfile: @}}}", &["null", "{type: Unconfined}"]),
    (
        "Seccomp",
        "P {metadata: {annotations: {@}}}",
        &[
            "seccomp.security.alpha.kubernetes.io/pod: unconfined",
            "seccomp.security.alpha.kubernetes.io/pod: runtime/default",
            "container.seccomp.security.alpha.kubernetes.io/a: unconfined",
        ],
    ),
    (
        "Sysctls",
        "P {spec: {securityContext: {sysctls: [{name: @, value: '1'}]}}}",
        &[
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.ping_group_range",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_notsent_lowat",
            "kernel.msgmax",
        ],
    ),
    ("HostProcess", "B {securityContext: {windowsOptions: {hostProcess: @}}}", &["true", "false"]),
    (
        "AppArmor",
        "B {securityContext: {appArmorProfile: @}}",
        &["{type: Unconfined}", "{type: Localhost, localhostProfile: x}", "{type: RuntimeDefault}"],
    ),
    (
        "AppArmor",
        "P {metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/@}}}",
        &["a: unconfined", "a: runtime/default", "a: localhost/x", "b: unconfined", "a: ''"],
    ),
    (
        "Volume Types",
        "P {spec: {volumes: [{name: v, @}]}}",
        &[
            "configMap: {name: c}",
            "csi: {driver: d}",
            "downwardAPI: {}",
            "emptyDir: {}",
            "ephemeral: {}",
            "image: {reference: r}",
            "persistentVolumeClaim: {claimName: c}",
            "projected: {}",
            "secret: {secretName: s}",
            "nfs: {server: s, path: /}",
            "gitRepo: {repository: r}",
            "iscsi: {lun: 1}",
            "rbd: {image: i}",
            "storageos: {}",
        ],
    ),
    ("Running as Non-root", "C {securityContext: {runAsNonRoot: @}}", &["true", "false"]),
    ("Running as Non-root", "P {spec: {securityContext: {runAsNonRoot: @}}}", &["null", "false"]),
    ("Running as Non-root", "U P {spec: {securityContext: {runAsNonRoot: @}}}", &["null", "false"]),
    ("Running as Non-root user", "B {securityContext: {runAsUser: @}}", &["0", "1000"]),
    ("Running as Non-root user", "U B {securityContext: {runAsUser: @}}", &["0"]),
];

/// A Pod, and how it differs from [`BASE`].
#[derive(Clone, Debug)]
pub struct Case {
    /// The control.
    pub control: &'static str,
    /// The change, in words of YAML.
    pub change: String,
    /// The Pod.
    pub pod: Value,
}

/// All Pods, those with the smallest change first.
pub fn cases() -> Vec<Case> {
    let mut all: Vec<Case> =
        ROWS.iter().flat_map(|row| row.2.iter().flat_map(|value| of(row, value))).collect();
    all.sort_by_key(|case| case.change.len());
    all
}

fn of((control, change, _): &Row, value: &str) -> Vec<Case> {
    let (beside, change) = match change.split_once(' ') {
        Some(("W", rest)) => (WINDOWS, rest),
        Some(("U", rest)) => (OWN_USERS, rest),
        _ => ("", *change),
    };
    let Some((whose, change)) = change.split_once(' ') else { return Vec::new() };
    let change = change.replace('@', value);
    let mut changes = Vec::new();
    if whose == "P" {
        changes.push(format!("P {change}"));
    }
    if whose == "B" {
        changes.push(format!("P {{spec: {change}}}"));
    }
    if whose != "P" {
        changes.extend(
            ["containers", "initContainers", "ephemeralContainers"].map(|list| format!("{list} {change}")),
        );
    }
    changes
        .into_iter()
        .filter_map(|change| {
            let whole = format!("{beside}{change}");
            let mut pod = parse_one(BASE).ok()?;
            for part in whole.split(" + ") {
                pod = changed(&pod, part)?;
            }
            let said = whole
                .replace(WINDOWS, "os.name windows, ")
                .replace(OWN_USERS, "hostUsers false, ")
                .replace("P {", "{");
            Some(Case { control, change: said, pod })
        })
        .collect()
}

/// The Pod with a part changed: `P {…}`, `initContainers {…}`.
fn changed(pod: &Value, part: &str) -> Option<Value> {
    let (whose, change) = part.split_once(' ')?;
    let change = parse_one(change).ok()?;
    if whose == "P" {
        return Some(merged(pod, &change));
    }
    let main = pod.find(&["spec", "containers"])?.at(0)?;
    let mut container = merged(main, &change);
    if whose != "containers" {
        container.object_mut()?.insert("name", Value::from("b"));
    }
    let list: Map = [(whose, Value::array(vec![container]))].into_iter().collect();
    let spec: Map = [("spec", Value::object(list))].into_iter().collect();
    Some(merged(pod, &Value::object(spec)))
}

/// A merge patch: null takes away.
fn merged(value: &Value, patch: &Value) -> Value {
    let Some(changes) = patch.as_object() else { return patch.clone() };
    let mut map = value.as_object().cloned().unwrap_or_default();
    for (key, change) in changes.iter() {
        if change.is_null() {
            map.remove(key);
        } else {
            let old = map.get(key).cloned().unwrap_or_default();
            map.insert(key.clone(), merged(&old, change));
        }
    }
    Value::object(map)
}
