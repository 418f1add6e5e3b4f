//! What a Pod may ask for that a rule might refuse: one row each.
//!
//! In: a row and a place in a Pod. Out: the edits that put it there, and expressions that find it. A row is tried on the
//! engine before anything is said of it: a policy that does not mind it makes no attack of it.

use super::edit::Edit;
use engine_json::{Path, Value};

/// Where it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldOwner {
    Container,
    Pod,
}

/// How it is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Put {
    Set,
    Push,
}

/// Something to ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct RiskyField {
    /// In a few words: `privileged: true`.
    pub(super) text: &'static str,
    /// The control of the Pod Security Standards that forbids it; empty for none.
    pub(super) control: &'static str,
    pub(super) place: FieldOwner,
    put: Put,
    /// The way to the field from the container or from the spec.
    keys: &'static [&'static str],
    /// The value as JSON, `$` for what varies.
    json: &'static str,
    /// What stands for `$`.
    pub(super) value: &'static str,
    /// A JMESPath expression over the container or the spec that finds it.
    pub(super) finds: &'static str,
    /// The same in CEL, `$` for the container or the spec.
    pub(super) cel: &'static str,
}

impl RiskyField {
    /// The edits that ask for it at this container or spec, with its own value or another.
    pub(super) fn edits(&self, at: &Path, value: Option<&str>) -> Vec<Edit> {
        let path: Path = at.iter().cloned().chain(self.keys.iter().map(|key| (*key).into())).collect();
        let text = self.json.replace('$', value.unwrap_or(self.value));
        let value = engine_json::parse(&text).unwrap_or_default();
        vec![match self.put {
            Put::Set => Edit::Set(path, value),
            Put::Push => Edit::Push(path, value),
        }]
    }

    /// Whether it is a capability.
    pub(super) fn is_capability(&self) -> bool {
        self.control == "Capabilities"
    }
}

/// The edits that give a container just these capabilities.
pub(super) fn capabilities(at: &Path, names: &[&str]) -> Vec<Edit> {
    let add = Value::array(names.iter().map(|name| Value::from(*name)).collect());
    vec![Edit::Set(at.join("securityContext").join("capabilities").join("add"), add)]
}

/// The row of a control.
pub(super) fn of_control(control: &str) -> Option<&'static RiskyField> {
    RISKY_FIELDS.iter().find(|risky| risky.control == control)
}

/// Of a container, set to its value.
const fn field(
    text: &'static str,
    control: &'static str,
    keys: &'static [&'static str],
    json: (&'static str, &'static str),
    finds: (&'static str, &'static str),
) -> RiskyField {
    RiskyField {
        text,
        control,
        place: FieldOwner::Container,
        put: Put::Set,
        keys,
        json: json.0,
        value: json.1,
        finds: finds.0,
        cel: finds.1,
    }
}

/// The same of the Pod's spec.
const fn of_pod(risky: RiskyField) -> RiskyField {
    RiskyField { place: FieldOwner::Pod, ..risky }
}

const fn pushed(risky: RiskyField) -> RiskyField {
    RiskyField { put: Put::Push, ..risky }
}

const ADD: &[&str] = &["securityContext", "capabilities", "add"];

/// All rows; the first of a control is the one that a Pod is made with.
pub(super) static RISKY_FIELDS: &[RiskyField] = &[
    pushed(field(
        "the capability SYS_ADMIN",
        "Capabilities",
        ADD,
        (r#""$""#, "SYS_ADMIN"),
        (
            "contains(securityContext.capabilities.add || `[]`, 'SYS_ADMIN')",
            "'SYS_ADMIN' in $.?securityContext.?capabilities.?add.orValue([])",
        ),
    )),
    pushed(field(
        "the capability NET_ADMIN",
        "Capabilities",
        ADD,
        (r#""$""#, "NET_ADMIN"),
        (
            "contains(securityContext.capabilities.add || `[]`, 'NET_ADMIN')",
            "'NET_ADMIN' in $.?securityContext.?capabilities.?add.orValue([])",
        ),
    )),
    field(
        "`privileged: true`",
        "Privileged Containers",
        &["securityContext", "privileged"],
        ("$", "true"),
        ("securityContext.privileged == `true`", "$.?securityContext.?privileged.orValue(false) == true"),
    ),
    field(
        "`allowPrivilegeEscalation: true`",
        "Privilege Escalation",
        &["securityContext", "allowPrivilegeEscalation"],
        ("$", "true"),
        (
            "securityContext.allowPrivilegeEscalation == `true`",
            "$.?securityContext.?allowPrivilegeEscalation.orValue(false) == true",
        ),
    ),
    field(
        "`runAsUser: 0`",
        "Running as Non-root user",
        &["securityContext", "runAsUser"],
        ("$", "0"),
        ("securityContext.runAsUser == `0`", "$.?securityContext.?runAsUser.orValue(1) == 0"),
    ),
    field(
        "`runAsNonRoot: false`",
        "Running as Non-root",
        &["securityContext", "runAsNonRoot"],
        ("$", "false"),
        (
            "securityContext.runAsNonRoot == `false`",
            "$.?securityContext.?runAsNonRoot.orValue(true) == false",
        ),
    ),
    field(
        "an unconfined seccomp profile",
        "Seccomp",
        &["securityContext", "seccompProfile"],
        (r#"{"type":"$"}"#, "Unconfined"),
        (
            "securityContext.seccompProfile.type == 'Unconfined'",
            "$.?securityContext.?seccompProfile.?type.orValue('') == 'Unconfined'",
        ),
    ),
    field(
        "an unconfined AppArmor profile",
        "AppArmor",
        &["securityContext", "appArmorProfile"],
        (r#"{"type":"$"}"#, "Unconfined"),
        (
            "securityContext.appArmorProfile.type == 'Unconfined'",
            "$.?securityContext.?appArmorProfile.?type.orValue('') == 'Unconfined'",
        ),
    ),
    field(
        "the SELinux type `spc_t`",
        "SELinux",
        &["securityContext", "seLinuxOptions"],
        (r#"{"type":"$"}"#, "spc_t"),
        (
            "securityContext.seLinuxOptions.type == 'spc_t'",
            "$.?securityContext.?seLinuxOptions.?type.orValue('') == 'spc_t'",
        ),
    ),
    field(
        "the SELinux type `unconfined_t`",
        "SELinux",
        &["securityContext", "seLinuxOptions"],
        (r#"{"type":"$"}"#, "unconfined_t"),
        (
            "securityContext.seLinuxOptions.type == 'unconfined_t'",
            "$.?securityContext.?seLinuxOptions.?type.orValue('') == 'unconfined_t'",
        ),
    ),
    field(
        "`procMount: Unmasked`",
        "/proc Mount Type",
        &["securityContext", "procMount"],
        (r#""$""#, "Unmasked"),
        (
            "securityContext.procMount == 'Unmasked'",
            "$.?securityContext.?procMount.orValue('') == 'Unmasked'",
        ),
    ),
    pushed(field(
        "port 22 of the node",
        "Host Ports",
        &["ports"],
        (r#"{"containerPort":$,"hostPort":$}"#, "22"),
        ("ports[?hostPort == `22`]", "$.?ports.orValue([]).exists(port, port.?hostPort.orValue(0) == 22)"),
    )),
    pushed(field(
        "port 10250 of the node",
        "Host Ports",
        &["ports"],
        (r#"{"containerPort":$,"hostPort":$}"#, "10250"),
        (
            "ports[?hostPort == `10250`]",
            "$.?ports.orValue([]).exists(port, port.?hostPort.orValue(0) == 10250)",
        ),
    )),
    field(
        "`hostProcess: true`",
        "HostProcess",
        &["securityContext", "windowsOptions"],
        (r#"{"hostProcess":$}"#, "true"),
        (
            "securityContext.windowsOptions.hostProcess == `true`",
            "$.?securityContext.?windowsOptions.?hostProcess.orValue(false) == true",
        ),
    ),
    field(
        "a writable root file system",
        "",
        &["securityContext", "readOnlyRootFilesystem"],
        ("$", "false"),
        (
            "securityContext.readOnlyRootFilesystem == `false`",
            "$.?securityContext.?readOnlyRootFilesystem.orValue(true) == false",
        ),
    ),
    of_pod(field(
        "`hostNetwork: true`",
        "Host Namespaces",
        &["hostNetwork"],
        ("$", "true"),
        ("hostNetwork", "$.?hostNetwork.orValue(false) == true"),
    )),
    of_pod(field(
        "`hostPID: true`",
        "Host Namespaces",
        &["hostPID"],
        ("$", "true"),
        ("hostPID", "$.?hostPID.orValue(false) == true"),
    )),
    of_pod(field(
        "`hostIPC: true`",
        "Host Namespaces",
        &["hostIPC"],
        ("$", "true"),
        ("hostIPC", "$.?hostIPC.orValue(false) == true"),
    )),
    pushed(of_pod(field(
        "the node's file system `/`",
        "HostPath Volumes",
        &["volumes"],
        (r#"{"name":"host","hostPath":{"path":"$"}}"#, "/"),
        (
            "volumes[?hostPath.path == '/']",
            "$.?volumes.orValue([]).exists(volume, volume.?hostPath.?path.orValue('') == '/')",
        ),
    ))),
    pushed(of_pod(field(
        "a volume of type nfs",
        "Volume Types",
        &["volumes"],
        (r#"{"name":"far","nfs":{"server":"$","path":"/"}}"#, "evil.example"),
        ("volumes[?nfs]", "$.?volumes.orValue([]).exists(volume, has(volume.nfs))"),
    ))),
    pushed(of_pod(field(
        "the sysctl `kernel.msgmax`",
        "Sysctls",
        &["securityContext", "sysctls"],
        (r#"{"name":"$","value":"65536"}"#, "kernel.msgmax"),
        (
            "securityContext.sysctls[?name == 'kernel.msgmax']",
            "$.?securityContext.?sysctls.orValue([]).exists(sysctl, sysctl.name == 'kernel.msgmax')",
        ),
    ))),
];
