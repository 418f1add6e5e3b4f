//! Standards, Baseline, "Host Ports": no container takes a port of the node.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `ports[*].hostPort` of every container | unset, 0 |
//!
//! `hostPort: 443` gives `container "a" uses hostPort 443`; several ports are sorted as texts: `1000, 443`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Bits, Findings, Pod};
use crate::words::{Found, container_names, containers, plural, values};

pub(super) static CHECK: Check = Check {
    id: "hostPorts",
    level: Level::Baseline,
    section: "Host Ports",
    fields: &[
        "spec.initContainers[*].ports[*].hostPort",
        "spec.containers[*].ports[*].hostPort",
        "spec.ephemeralContainers[*].ports[*].hostPort",
    ],
    revisions: &[Revision::new(0, host_ports_1_0)],
    reason: Reason::Fixed("hostPort"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn host_ports_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    for container in pod.containers(findings) {
        for port in container.items(&["ports"], findings) {
            match port.integer(&["hostPort"], Bits::Int32, findings) {
                None | Some(0) => {}
                Some(number) => port.forbid(&["hostPort"], number, findings),
            }
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    let uses = plural(container_names(found).len(), "uses", "use");
    let ports = values(found);
    let noun = plural(ports.len(), "hostPort", "hostPorts");
    format!("{} {uses} {noun} {}", containers(found), ports.into_iter().collect::<Vec<_>>().join(", "))
}
