//! Standards, Restricted, "Volume Types": only volumes that carry configuration, data of the Pod or a claim.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `spec.volumes[*]` | a volume with one of the sources in `ALLOWED` |
//!
//! `nfs: {…}` in the volume `data` gives `volume "data" uses restricted volume type "nfs"`. Overrides the baseline check of
//! hostPath volumes. A volume without a source is `unknown`: the API server makes it an emptyDir, an offline reader does not.

use super::host_path_volumes::names;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Keys, Pod};
use crate::words::{Found, plural, quoted};
use crate::{Fault, Level};
use engine_json::Segment;
use engine_json::ordered::OrderedSet;

/// The sources a volume may have; one of them is enough, whatever stands beside it.
const ALLOWED: [&Keys; 9] = [
    &["configMap"],
    &["csi"],
    &["downwardAPI"],
    &["emptyDir"],
    &["ephemeral"],
    &["image"],
    &["persistentVolumeClaim"],
    &["projected"],
    &["secret"],
];

/// The other sources, in the order in which they are looked for.
const RESTRICTED: [&Keys; 21] = [
    &["hostPath"],
    &["gcePersistentDisk"],
    &["awsElasticBlockStore"],
    &["gitRepo"],
    &["nfs"],
    &["iscsi"],
    &["glusterfs"],
    &["rbd"],
    &["flexVolume"],
    &["cinder"],
    &["cephfs"],
    &["flocker"],
    &["fc"],
    &["azureFile"],
    &["vsphereVolume"],
    &["quobyte"],
    &["azureDisk"],
    &["photonPersistentDisk"],
    &["portworxVolume"],
    &["scaleIO"],
    &["storageos"],
];

pub(super) static CHECK: Check = Check {
    id: "restrictedVolumes",
    level: Level::Restricted,
    section: "Volume Types",
    fields: &["spec.volumes[*]"],
    revisions: &[Revision { since: 0, overrides: &["hostPathVolumes"], run: restricted_volumes_1_0 }],
    reason: Reason::Fixed("restricted volume types"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn restricted_volumes_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    for volume in pod.volumes(findings) {
        let before = findings.violations.len();
        if ALLOWED.iter().any(|keys| volume.map(keys, findings).is_some()) {
            continue;
        }
        let restricted = RESTRICTED.iter().find(|keys| volume.map(keys, findings).is_some());
        if findings.violations.len() == before {
            volume.note(restricted.unwrap_or(&(&["unknown"] as &Keys)), None, Fault::Forbidden, findings);
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    let sources = found.iter().filter_map(|violation| match violation.path.last() {
        Some(Segment::Key(key)) => Some(key.as_str()),
        Some(Segment::Index(_)) | None => None,
    });
    let types: OrderedSet<&str> = engine_json::arrange::set(sources);
    let volumes = plural(found.len(), "volume", "volumes");
    let uses = plural(found.len(), "uses", "use");
    let noun = plural(types.len(), "restricted volume type", "restricted volume types");
    format!("{volumes} {} {uses} {noun} {}", quoted(names(found)), quoted(types))
}
