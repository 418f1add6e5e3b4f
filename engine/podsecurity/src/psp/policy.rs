//! Policies: read once, with their rules as types that cannot be wrong.
//!
//! In: PodSecurityPolicy objects. Out: [`Policies`], sorted by name; a policy whose rules cannot be built is set aside
//! with the reason, as the original drops it: `MustRunAs requires at least one range`.

use super::profiles::{AppArmor, Seccomp};
use super::ranges::Range;
use super::rules::{Groups, SeLinuxRule, UserRule};
use super::{Refusal, Release};
use crate::place::{Bits, Findings, Keys, Place};
use crate::words::quoted;
use engine_json::arrange::Arrange as _;
use engine_json::{Str, Value};

/// The policies of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// Those that can be used, by name.
    pub usable: Vec<Policy>,
    /// Those that cannot.
    pub unusable: Vec<Unusable>,
    pub(super) release: Release,
}

/// A policy that the admission leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// Why: one reason or several.
    pub reasons: Vec<String>,
}

/// One policy.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a policy is a list of switches")]
pub struct Policy {
    /// The name.
    pub name: String,
    pub(super) user: UserRule,
    pub(super) group: Groups,
    pub(super) supplemental: Groups,
    pub(super) fs_group: Groups,
    pub(super) se_linux: SeLinuxRule,
    pub(super) app_armor: AppArmor,
    pub(super) seccomp: Seccomp,
    pub(super) privileged: bool,
    pub(super) host_network: bool,
    pub(super) host_pid: bool,
    pub(super) host_ipc: bool,
    pub(super) host_ports: Vec<Range>,
    pub(super) volumes: Vec<Str>,
    /// Prefixes of host paths, and whether each is read-only; empty for all.
    pub(super) host_paths: Vec<(Str, bool)>,
    pub(super) flex_drivers: Vec<Str>,
    pub(super) csi_drivers: Vec<Str>,
    pub(super) default_add: Vec<Str>,
    pub(super) required_drop: Vec<Str>,
    pub(super) allowed_capabilities: Vec<Str>,
    pub(super) read_only_root: bool,
    pub(super) default_escalation: Option<bool>,
    pub(super) allow_escalation: bool,
    pub(super) proc_mounts: Vec<Str>,
    pub(super) unsafe_sysctls: Vec<Str>,
    pub(super) forbidden_sysctls: Vec<Str>,
    /// The default runtime class and the allowed ones, if the policy says anything of them.
    pub(super) runtime_class: Option<(Option<Str>, Vec<Str>)>,
    pub(super) release: Release,
}

impl Policies {
    /// These objects as policies of that release.
    pub fn new(objects: &[Value], release: Release) -> Policies {
        let mut policies = Policies { usable: Vec::new(), unusable: Vec::new(), release };
        for object in objects {
            let name = object.find_str(&["metadata", "name"]).to_owned();
            match Policy::read(object, release) {
                Ok(policy) => policies.usable.push(policy),
                Err(reasons) => policies.unusable.push(Unusable { name, reasons }),
            }
        }
        policies.usable.arrange_by(|a, b| a.name.cmp(&b.name));
        policies
    }
}

impl Policy {
    /// The policy of an object, or why it has no use.
    fn read(object: &Value, release: Release) -> Result<Policy, Vec<String>> {
        let mut findings = Findings::default();
        let (place, f) = (Place::root(object.get("spec").unwrap_or(&Value::Null), "spec"), &mut findings);
        let mut wrong = Vec::new();
        let user = UserRule::read(&place, f, &mut wrong);
        let group = Groups::read_optional(&place, f, &mut wrong);
        let se_linux = SeLinuxRule::read(&place, f, &mut wrong);
        let fs_group = Groups::read(&place, "FSGroup", &FS_GROUP, f, &mut wrong);
        let supplemental = Groups::read(&place, "SupplementalGroups", &SUPPLEMENTAL, f, &mut wrong);
        let annotations = object.find(&["metadata", "annotations"]).unwrap_or(&Value::Null);
        let policy = Policy {
            name: object.find_str(&["metadata", "name"]).to_owned(),
            user,
            group,
            supplemental,
            fs_group,
            se_linux,
            app_armor: AppArmor::read(annotations),
            seccomp: Seccomp::read(annotations, release),
            privileged: place.bool(&["privileged"], f).unwrap_or(false),
            host_network: place.bool(&["hostNetwork"], f).unwrap_or(false),
            host_pid: place.bool(&["hostPID"], f).unwrap_or(false),
            host_ipc: place.bool(&["hostIPC"], f).unwrap_or(false),
            host_ports: ranges(&place, &["hostPorts"], Bits::Int32, f),
            volumes: texts(&place, &["volumes"], f),
            host_paths: host_paths(&place, f),
            flex_drivers: names(&place, &["allowedFlexVolumes"], &["driver"], f),
            csi_drivers: names(&place, &["allowedCSIDrivers"], &["name"], f),
            default_add: texts(&place, &["defaultAddCapabilities"], f),
            required_drop: texts(&place, &["requiredDropCapabilities"], f),
            allowed_capabilities: texts(&place, &["allowedCapabilities"], f),
            read_only_root: place.bool(&["readOnlyRootFilesystem"], f).unwrap_or(false),
            default_escalation: place.bool(&["defaultAllowPrivilegeEscalation"], f),
            allow_escalation: place.bool(&["allowPrivilegeEscalation"], f).unwrap_or(true),
            proc_mounts: texts(&place, &["allowedProcMountTypes"], f),
            unsafe_sysctls: texts(&place, &["allowedUnsafeSysctls"], f),
            forbidden_sysctls: texts(&place, &["forbiddenSysctls"], f),
            runtime_class: place.map(&["runtimeClass"], f).is_some().then(|| {
                let default = place.text(&["runtimeClass", "defaultRuntimeClassName"], f).map(Str::new);
                (default, texts(&place, &["runtimeClass", "allowedRuntimeClassNames"], f))
            }),
            release,
        };
        wrong.extend(findings.violations.iter().map(|violation| violation.error_text(&violation.field())));
        if wrong.is_empty() { Ok(policy) } else { Err(wrong) }
    }

    /// Whether the policy names a type of volume, or all.
    pub(super) fn allows_volumes(&self, kind: &str) -> bool {
        self.volumes.iter().any(|allowed| allowed == kind || allowed == "*")
    }
}

const FS_GROUP: [&Keys; 2] = [&["fsGroup", "rule"], &["fsGroup", "ranges"]];
const SUPPLEMENTAL: [&Keys; 2] = [&["supplementalGroups", "rule"], &["supplementalGroups", "ranges"]];

/// The texts of a list, owned.
pub(super) fn texts(place: &Place<'_>, keys: &'static Keys, f: &mut Findings) -> Vec<Str> {
    place.texts(keys, f).unwrap_or_default().into_iter().map(Str::new).collect()
}

/// The ranges of a list.
pub(super) fn ranges(place: &Place<'_>, keys: &'static Keys, bits: Bits, f: &mut Findings) -> Vec<Range> {
    let mut read = Vec::new();
    for range in place.items(keys, f) {
        let min = range.integer(&["min"], bits, f).unwrap_or(0);
        read.push(Range { min, max: range.integer(&["max"], bits, f).unwrap_or(0) });
    }
    read
}

fn names(place: &Place<'_>, keys: &'static Keys, name: &'static Keys, f: &mut Findings) -> Vec<Str> {
    place.items(keys, f).iter().map(|item| Str::new(item.text(name, f).unwrap_or(""))).collect()
}

fn host_paths(place: &Place<'_>, f: &mut Findings) -> Vec<(Str, bool)> {
    let mut paths = Vec::new();
    for allowed in place.items(&["allowedHostPaths"], f) {
        let prefix = Str::new(allowed.text(&["pathPrefix"], f).unwrap_or(""));
        paths.push((prefix, allowed.bool(&["readOnly"], f).unwrap_or(false)));
    }
    paths
}

/// The names of unusable policies in one text, for a hint beside the message of the original.
pub(super) fn unusable_hint(unusable: &[Unusable]) -> Option<Refusal> {
    let names = quoted(unusable.iter().map(|policy| &policy.name));
    (!unusable.is_empty()).then(|| Refusal {
        path: engine_json::Path::root(),
        text: format!("these policies cannot be used and were left out: {names}"),
    })
}
