//! Standards, Baseline, "Host Probes / Lifecycle Hooks (v1.34+)": the kubelet calls a container's own address only.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `httpGet.host` and `tcpSocket.host` of `livenessProbe`, `readinessProbe`, `startupProbe`, `lifecycle.postStart` and `lifecycle.preStop` of every container | unset, empty |
//!
//! `livenessProbe: {tcpSocket: {host: db}}` gives `container "a" uses probe or lifecycle host "db"`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Keys, Pod};
use crate::words::{Found, container_names, plural, quoted, values};
use engine_json::ordered::OrderedSet;

const HOSTS: [&Keys; 10] = [
    &["livenessProbe", "httpGet", "host"],
    &["livenessProbe", "tcpSocket", "host"],
    &["readinessProbe", "httpGet", "host"],
    &["readinessProbe", "tcpSocket", "host"],
    &["startupProbe", "httpGet", "host"],
    &["startupProbe", "tcpSocket", "host"],
    &["lifecycle", "postStart", "httpGet", "host"],
    &["lifecycle", "postStart", "tcpSocket", "host"],
    &["lifecycle", "preStop", "httpGet", "host"],
    &["lifecycle", "preStop", "tcpSocket", "host"],
];

pub(super) static CHECK: Check = Check {
    id: "hostProbesAndHostLifecycle",
    level: Level::Baseline,
    section: "Host Probes / Lifecycle Hooks",
    fields: &[
        "spec.initContainers[*].*.httpGet.host",
        "spec.initContainers[*].*.tcpSocket.host",
        "spec.containers[*].*.httpGet.host",
        "spec.containers[*].*.tcpSocket.host",
        "spec.ephemeralContainers[*].*.httpGet.host",
        "spec.ephemeralContainers[*].*.tcpSocket.host",
    ],
    revisions: &[Revision::new(34, host_probes_and_host_lifecycle_1_34)],
    reason: Reason::Fixed("probe or lifecycle host"),
    detail,
    fork_detail: None,
    // Kyverno: the fork gives this check no list of field errors.
    lists_fields: false,
};

fn host_probes_and_host_lifecycle_1_34(pod: &Pod<'_>, findings: &mut Findings) {
    for container in pod.containers(findings) {
        for keys in HOSTS {
            match container.text(keys, findings) {
                None | Some("") => {}
                Some(host) => container.forbid(keys, host, findings),
            }
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    // Go: the only check that sorts the names of the containers.
    let names: OrderedSet<&str> = engine_json::arrange::set(container_names(found));
    let hosts = values(found);
    let who = plural(names.len(), "container", "containers");
    let uses = plural(names.len(), "uses", "use");
    let noun = plural(hosts.len(), "probe or lifecycle host", "probe or lifecycle hosts");
    format!("{who} {} {uses} {noun} {}", quoted(names), quoted(hosts))
}
