//! A Pod with the fields that PodSecurityPolicy reads and sets.
//!
//! In: a Pod as a value. Out: a [`Pod`], or what cannot be read as Kubernetes would read it.

use super::Refusal;
use crate::PodView;
use crate::place::{Bits, Findings, Keys, Place, Pod as Locations};
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Str, Value};

/// A Pod, as far as policies care.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pod {
    pub(super) annotations: OrderedMap<Str, Str>,
    pub(super) service_account: Str,
    pub(super) runtime_class: Option<Str>,
    pub(super) host_network: bool,
    pub(super) host_pid: bool,
    pub(super) host_ipc: bool,
    pub(super) supplemental_groups: Option<Vec<i64>>,
    pub(super) fs_group: Option<i64>,
    pub(super) sysctls: Vec<Str>,
    /// What containers inherit.
    pub(super) shared: Shared,
    pub(super) volumes: Vec<Volume>,
    pub(super) containers: Vec<Container>,
}

/// The part of a security context that Pods and containers both have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shared {
    pub(super) run_as_user: Option<i64>,
    pub(super) run_as_group: Option<i64>,
    pub(super) run_as_non_root: Option<bool>,
    pub(super) se_linux: Option<SeLinux>,
    /// The seccomp profile as the annotation that means it; empty where there is no such annotation.
    pub(super) seccomp: Option<Str>,
}

/// Options of SELinux; unset parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SeLinux {
    pub(super) level: Str,
    pub(super) role: Str,
    pub(super) kind: Str,
    pub(super) user: Str,
}

/// A container of any list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Container {
    /// The field that holds it: `spec.containers[0]`.
    pub(super) field: String,
    /// The list that holds it.
    pub(super) list: &'static str,
    /// Its place in the list.
    pub(super) at: usize,
    pub(super) name: Str,
    pub(super) shared: Shared,
    pub(super) privileged: bool,
    pub(super) proc_mount: Option<Str>,
    pub(super) capabilities: Option<Capabilities>,
    pub(super) read_only_root: Option<bool>,
    pub(super) allow_escalation: Option<bool>,
    /// For each port the port of the node, zero for none, and the port of the container.
    pub(super) ports: Vec<(i64, i64)>,
    /// The volumes it mounts, and whether each is mounted read-only.
    pub(super) mounts: Vec<(Str, bool)>,
}

/// What a container adds and drops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) add: Vec<Str>,
    pub(super) drop: Vec<Str>,
}

/// A volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Volume {
    pub(super) name: Str,
    /// The type, as a policy calls it.
    pub(super) kind: &'static str,
    pub(super) source: Value,
}

/// The sources of a volume, in the order in which they are looked for: the field, and the type that policies say.
const SOURCES: [(&Keys, &str); 29] = [
    (&["hostPath"], "hostPath"),
    (&["emptyDir"], "emptyDir"),
    (&["gcePersistentDisk"], "gcePersistentDisk"),
    (&["awsElasticBlockStore"], "awsElasticBlockStore"),
    (&["gitRepo"], "gitRepo"),
    (&["secret"], "secret"),
    (&["nfs"], "nfs"),
    (&["iscsi"], "iscsi"),
    (&["glusterfs"], "glusterfs"),
    (&["persistentVolumeClaim"], "persistentVolumeClaim"),
    (&["rbd"], "rbd"),
    (&["flexVolume"], "flexVolume"),
    (&["cinder"], "cinder"),
    // Go: the only type that is spelled otherwise than its field.
    (&["cephfs"], "cephFS"),
    (&["flocker"], "flocker"),
    (&["downwardAPI"], "downwardAPI"),
    (&["fc"], "fc"),
    (&["azureFile"], "azureFile"),
    (&["configMap"], "configMap"),
    (&["vsphereVolume"], "vsphereVolume"),
    (&["quobyte"], "quobyte"),
    (&["azureDisk"], "azureDisk"),
    (&["photonPersistentDisk"], "photonPersistentDisk"),
    (&["storageos"], "storageos"),
    (&["projected"], "projected"),
    (&["portworxVolume"], "portworxVolume"),
    (&["scaleIO"], "scaleIO"),
    (&["csi"], "csi"),
    (&["ephemeral"], "ephemeral"),
];

/// The names of all types of volumes.
pub(super) fn volume_types() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|(_, kind)| *kind)
}

impl Pod {
    /// The Pod of a value, or each field that has the wrong type.
    pub(super) fn read(value: &Value) -> Result<Pod, Vec<Refusal>> {
        let view = PodView::whole(value);
        let places = Locations::new(&view);
        let mut findings = Findings::default();
        let pod = read(&places, &mut findings);
        let unread = findings.violations.into_iter();
        let unread: Vec<Refusal> = unread
            .map(|violation| Refusal { text: violation.error_text(&violation.field()), path: violation.path })
            .collect();
        if unread.is_empty() { Ok(pod) } else { Err(unread) }
    }
}

fn read(pod: &Locations<'_>, f: &mut Findings) -> Pod {
    let spec = &pod.spec;
    let annotations = pod.annotations(|_| true, f);
    let mut containers: Vec<Container> = pod.containers(f).iter().map(|place| container(place, f)).collect();
    let host_network = spec.bool(&["hostNetwork"], f).unwrap_or(false);
    if host_network {
        containers.iter_mut().for_each(Container::take_ports_of_the_node);
    }
    Pod {
        annotations: annotations.into_iter().map(|(key, text)| (key.clone(), Str::new(text))).collect(),
        service_account: text(spec, &["serviceAccountName"], f).unwrap_or_default(),
        runtime_class: text(spec, &["runtimeClassName"], f),
        host_network,
        host_pid: spec.bool(&["hostPID"], f).unwrap_or(false),
        host_ipc: spec.bool(&["hostIPC"], f).unwrap_or(false),
        supplemental_groups: spec.integers(&["securityContext", "supplementalGroups"], f),
        fs_group: spec.integer(&["securityContext", "fsGroup"], Bits::Int64, f),
        sysctls: {
            let sysctls = spec.items(&["securityContext", "sysctls"], f);
            sysctls.iter().map(|sysctl| text(sysctl, &["name"], f).unwrap_or_default()).collect()
        },
        shared: shared(spec, f),
        volumes: pod.volumes(f).iter().map(|place| volume(place, f)).collect(),
        containers,
    }
}

impl Container {
    /// In the network of the node every port is one of the node: the API server fills it in before the admission.
    // Go: pkg/apis/core/v1/defaults.go defaultHostNetworkPorts, which leaves ephemeral containers alone.
    fn take_ports_of_the_node(&mut self) {
        if self.list == "ephemeralContainers" {
            return;
        }
        for (host, own) in self.ports.iter_mut().filter(|(host, _)| *host == 0) {
            *host = *own;
        }
    }
}

fn text(place: &Place<'_>, keys: &'static Keys, f: &mut Findings) -> Option<Str> {
    place.text(keys, f).map(Str::new)
}

fn shared(place: &Place<'_>, f: &mut Findings) -> Shared {
    let se_linux = place.map(&["securityContext", "seLinuxOptions"], f).is_some();
    let seccomp = place.map(&["securityContext", "seccompProfile"], f).is_some();
    let mut part = |keys| text(place, keys, f).unwrap_or_default();
    let options = SeLinux {
        level: part(&["securityContext", "seLinuxOptions", "level"]),
        role: part(&["securityContext", "seLinuxOptions", "role"]),
        kind: part(&["securityContext", "seLinuxOptions", "type"]),
        user: part(&["securityContext", "seLinuxOptions", "user"]),
    };
    let profile = part(&["securityContext", "seccompProfile", "type"]);
    let local = text(place, &["securityContext", "seccompProfile", "localhostProfile"], f);
    let annotation = match (profile.as_str(), local) {
        ("Unconfined", _) => Str::new("unconfined"),
        ("RuntimeDefault", _) => Str::new("runtime/default"),
        ("Localhost", Some(local)) => engine_json::format_smolstr!("localhost/{local}"),
        _ => Str::default(),
    };
    Shared {
        run_as_user: place.integer(&["securityContext", "runAsUser"], Bits::Int64, f),
        run_as_group: place.integer(&["securityContext", "runAsGroup"], Bits::Int64, f),
        run_as_non_root: place.bool(&["securityContext", "runAsNonRoot"], f),
        se_linux: se_linux.then_some(options),
        seccomp: seccomp.then_some(annotation),
    }
}

fn container(place: &Place<'_>, f: &mut Findings) -> Container {
    let has_capabilities = place.map(&["securityContext", "capabilities"], f).is_some();
    let mut names =
        |keys| -> Vec<Str> { place.texts(keys, f).unwrap_or_default().into_iter().map(Str::new).collect() };
    let add = names(&["securityContext", "capabilities", "add"]);
    let drop = names(&["securityContext", "capabilities", "drop"]);
    let ports = place.items(&["ports"], f);
    let mounts = place.items(&["volumeMounts"], f);
    let (list, at) = place.list_and_index();
    Container {
        field: format!("spec.{list}[{at}]"),
        list,
        at,
        name: Str::new(place.container_name()),
        shared: shared(place, f),
        privileged: place.bool(&["securityContext", "privileged"], f).unwrap_or(false),
        proc_mount: text(place, &["securityContext", "procMount"], f),
        capabilities: has_capabilities.then_some(Capabilities { add, drop }),
        read_only_root: place.bool(&["securityContext", "readOnlyRootFilesystem"], f),
        allow_escalation: place.bool(&["securityContext", "allowPrivilegeEscalation"], f),
        ports: ports
            .iter()
            .map(|port| {
                let host = port.integer(&["hostPort"], Bits::Int32, f).unwrap_or(0);
                (host, port.integer(&["containerPort"], Bits::Int32, f).unwrap_or(0))
            })
            .collect(),
        mounts: mounts
            .iter()
            .map(|mount| {
                let name = text(mount, &["name"], f).unwrap_or_default();
                (name, mount.bool(&["readOnly"], f).unwrap_or(false))
            })
            .collect(),
    }
}

fn volume(place: &Place<'_>, f: &mut Findings) -> Volume {
    let name = text(place, &["name"], f).unwrap_or_default();
    let found = SOURCES.iter().find(|(keys, _)| place.map(keys, f).is_some());
    // The API server makes a volume without a source it knows an emptyDir.
    let (keys, kind) = found.copied().unwrap_or((&["emptyDir"], "emptyDir"));
    let source = place.find(keys, f).cloned().unwrap_or_default();
    // The texts that rules compare, read for their types.
    for keys in [&["hostPath", "path"] as &Keys, &["flexVolume", "driver"], &["csi", "driver"]] {
        place.text(keys, f);
    }
    Volume { name, kind, source }
}

/// The path of a container's field in the Pod.
pub(super) fn container_path(container: &Container) -> Path {
    Path::from(vec!["spec".into(), container.list.into(), container.at.into()])
}
