//! Checks of the Pod alone, of volumes, and of annotations.
//!
//! In: a check and its revision. Out: its unit; `None` where all of it is excluded.

use super::exempt::{Lifted, Values, key_condition, lifted};
use super::settings::{Field, FieldValue, Setting, bad_profile, setting, texts};
use super::unit::{Fault, Maker, Unit};
use super::words::{all, in_quotes, like_any, list, named, not};
use crate::expressions::formula::quoted;

/// Sources of volumes that the restricted level allows.
const ALLOWED: &[&str] = &[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];
/// Sources that it names when it refuses them.
const RESTRICTED: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];
/// Sysctls that the baseline allows, and the version from which on.
const SYSCTLS: &[(u64, &str)] = &[
    (0, "kernel.shm_rmid_forced"),
    (0, "net.ipv4.ip_local_port_range"),
    (0, "net.ipv4.tcp_syncookies"),
    (0, "net.ipv4.ping_group_range"),
    (0, "net.ipv4.ip_unprivileged_port_start"),
    (27, "net.ipv4.ip_local_reserved_ports"),
    (29, "net.ipv4.tcp_keepalive_time"),
    (29, "net.ipv4.tcp_fin_timeout"),
    (29, "net.ipv4.tcp_keepalive_intvl"),
    (29, "net.ipv4.tcp_keepalive_probes"),
    (32, "net.ipv4.tcp_rmem"),
    (32, "net.ipv4.tcp_wmem"),
    (37, "net.ipv4.tcp_slow_start_after_idle"),
    (37, "net.ipv4.tcp_notsent_lowat"),
];
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

pub(super) fn host_namespaces(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let fields = ["hostNetwork", "hostPID", "hostIPC"];
    let left: Vec<&str> = fields
        .into_iter()
        .filter(|field| {
            let whole = format!("spec.{field}");
            lifted(&maker.exclusions, &whole, &Values::Constant("true"), None) != Lifted::Always
        })
        .collect();
    if left.is_empty() {
        return None;
    }
    let spec = maker.place.spec();
    let one = |field: &&str| format!("{spec}.?{field}.orValue(false) == true ? ['{field}=true'] : []");
    let parts: Vec<String> = left.iter().map(|field| format!("({})", one(field))).collect();
    unit.variable("hostNamespaces", parts.join(" +\n"));
    unit.expression = String::from("variables.hostNamespaces.size() == 0");
    unit.detail = String::from("variables.hostNamespaces.join(', ')");
    Some(())
}

pub(super) fn host_path(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let path = "volume.hostPath.?path.orValue('')";
    let fault = Fault::new("spec.volumes[*].hostPath", "has(volume.hostPath)", Values::Text(path.to_owned()));
    let of = format!("{}.?volumes.orValue([])", maker.place.spec());
    unit.variable("hostPathVolumes", maker.elements(&of, "volume", &fault)?);
    unit.expression = String::from("variables.hostPathVolumes.size() == 0");
    unit.detail = named("volume", "hostPathVolumes");
    Some(())
}

pub(super) fn volume_types(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let of = format!("{}.?volumes.orValue([])", maker.place.spec());
    let mut lifted_types: Vec<&str> = Vec::new();
    for kind in RESTRICTED.iter().chain(&["unknown"]) {
        let field = format!("spec.volumes[*].{kind}");
        if lifted(&maker.exclusions, &field, &Values::Missing, None) == Lifted::Always {
            lifted_types.push(kind);
        }
    }
    if lifted_types.len() == RESTRICTED.len() + 1 {
        return None;
    }
    unit.variable("allowedVolumeTypes", block(&list(ALLOWED)));
    unit.variable("restrictedVolumeTypes", block(&list(RESTRICTED)));
    let kind = "variables.restrictedVolumeTypes.filter(source, source in volume)";
    let mut parts = vec!["!variables.allowedVolumeTypes.exists(source, source in volume)".to_owned()];
    for known in &lifted_types {
        let is_it = match *known {
            "unknown" => format!("{kind}.size() == 0"),
            "hostPath" => "has(volume.hostPath)".to_owned(),
            // A volume with several types has the first.
            other => format!("({kind} + [''])[0] == {}", quoted(other)),
        };
        parts.push(not(&is_it));
    }
    unit.variable("restrictedVolumes", super::words::filter(&of, "volume", &parts));
    let types = format!("variables.restrictedVolumes.map(volume,\n    ({kind} + ['unknown'])[0])");
    unit.expression = String::from("variables.restrictedVolumes.size() == 0");
    unit.detail = format!(
        "{} +\n  (variables.restrictedVolumes.size() == 1 ? ' uses' : ' use') + ' restricted volume type ' +\n  {}",
        named("volume", "restrictedVolumes"),
        in_quotes(&types)
    );
    Some(())
}

/// A list that is the whole of an expression.
fn block(list: &str) -> String {
    list.replace("\n    ", "\n  ").replace("\n  ]", "\n]")
}

pub(super) fn sysctls(maker: &Maker<'_>, unit: &mut Unit, since: u64) -> Option<()> {
    let allowed = SYSCTLS.iter().filter(|(from, _)| *from <= since).map(|(_, name)| name);
    unit.variable("allowedSysctls", block(&list(allowed)));
    let name = "sysctl.?name.orValue('')";
    let fault = Fault::new(
        "spec.securityContext.sysctls[*].name",
        format!("!({name} in variables.allowedSysctls)"),
        Values::Text(name.to_owned()),
    );
    let of = format!("{}.?securityContext.?sysctls.orValue([])", maker.place.spec());
    unit.variable("forbiddenSysctls", maker.elements(&of, "sysctl", &fault)?);
    unit.expression = String::from("variables.forbiddenSysctls.size() == 0");
    unit.detail = String::from("variables.forbiddenSysctls.map(sysctl, sysctl.name).join(', ')");
    Some(())
}

/// What lifts an annotation; `None` where everything does.
fn lifted_annotation(maker: &Maker<'_>) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for exclusion in maker.exclusions.iter().filter(|exclusion| exclusion.images.is_empty()) {
        let value = if exclusion.values.is_empty() {
            None
        } else {
            like_any("variables.annotations[key]", &exclusion.values)
        };
        match (key_condition(&exclusion.restricted_field), value) {
            (None | Some(Lifted::Never), _) => {}
            (Some(Lifted::Always), None) => return None,
            (Some(Lifted::When(only)), None) | (Some(Lifted::Always), Some(only)) => parts.push(not(&only)),
            (Some(Lifted::When(key)), Some(value)) => parts.push(not(&all(&[key, value]))),
        }
    }
    Some(parts)
}

pub(super) fn app_armor(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let names =
        Setting { of_pod: "podHasAppArmor", of_containers: "withAppArmor", setters: "appArmorSetters" };
    let (bad, value) = bad_profile("appArmorProfile");
    let field = Field {
        of_pod: "spec.securityContext.appArmorProfile.type",
        of_container: "securityContext.appArmorProfile.type",
        bad,
        value: FieldValue::Text(value.clone()),
    };
    let can = setting(maker, unit, &names, &[field]);
    let mut setters = Vec::new();
    let mut values = Vec::new();
    if can != (false, false) {
        setters.push(format!("variables.{}", names.setters));
        values.push(texts(maker, &names, can, &value));
    }
    if let Some(more) = lifted_annotation(maker) {
        unit.variable("annotations", maker.place.annotations().to_owned());
        let mut parts = vec![
            format!("key.startsWith({})", quoted(APP_ARMOR)),
            "!(variables.annotations[key] in ['', 'runtime/default'])".to_owned(),
            "!variables.annotations[key].startsWith('localhost/')".to_owned(),
        ];
        parts.extend(more);
        let found = super::words::filter("variables.annotations", "key", &parts);
        unit.variable("appArmorAnnotations", found);
        let one = "(variables.appArmorAnnotations.size() == 1 ? ['annotation'] : ['annotations'])";
        setters.push(format!("(variables.appArmorAnnotations.size() == 0 ? [] :\n  {one})"));
        values.push(
            "variables.appArmorAnnotations.map(key,\n    key + '=\"' + variables.annotations[key] + '\"')"
                .to_owned(),
        );
    }
    if setters.is_empty() {
        return None;
    }
    unit.variable("appArmorFaults", setters.join(" +\n"));
    unit.expression = String::from("variables.appArmorFaults.size() == 0");
    unit.detail = format!(
        "variables.appArmorFaults.join(' and ') + ' must not set AppArmor profile type to ' +\n  {}",
        in_quotes(&format!("({})", values.join(" +\n   ")))
    );
    Some(())
}

/// Seccomp before it had a field.
pub(super) fn seccomp_annotations(maker: &Maker<'_>, unit: &mut Unit) -> Option<()> {
    let more = lifted_annotation(maker)?;
    unit.variable("annotations", maker.place.annotations().to_owned());
    unit.variable("allContainers", maker.all_containers());
    let mut parts = vec![
        format!(
            "(key == {} ||\n   variables.allContainers.exists(container, key == {} + container.name))",
            quoted(SECCOMP_POD),
            quoted(SECCOMP_CONTAINER)
        ),
        "!(variables.annotations[key] in ['runtime/default', 'docker/default'])".to_owned(),
        "!variables.annotations[key].startsWith('localhost/')".to_owned(),
    ];
    parts.extend(more);
    unit.variable("seccompAnnotations", super::words::filter("variables.annotations", "key", &parts));
    unit.expression = String::from("variables.seccompAnnotations.size() == 0");
    unit.detail = String::from(
        "(variables.seccompAnnotations.size() == 1 ? 'forbidden annotation ' : 'forbidden annotations ') +\n  variables.seccompAnnotations.map(key, key + '=\"' + variables.annotations[key] + '\"').join(', ')",
    );
    Some(())
}
