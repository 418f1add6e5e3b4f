//! What a policy has against a container.
//!
//! In: a container and its Pod, both with the defaults of the policy. Out: refusals, in the order of the original.
//!
//! Mirrors: pkg/security/podsecuritypolicy/provider.go validateContainer, capabilities/capabilities.go

use super::pod::{Container, Pod};
use super::policy::Policy;
use super::ranges::{hold, ports_text};
use super::refusal::{At, Refusals};

pub(super) fn check(policy: &Policy, pod: &Pod, container: &Container, refusals: &mut Refusals) {
    let (own, of_pod) = (&container.shared, &pod.shared);
    let context = |field: &str| At::below(container, &format!("securityContext.{field}"));
    let user = own.run_as_user.or(of_pod.run_as_user);
    policy.user.check(user, own.run_as_non_root.or(of_pod.run_as_non_root), &context, refusals);
    let groups: Vec<i64> = own.run_as_group.or(of_pod.run_as_group).into_iter().collect();
    // Go: the path of a group ends at the security context.
    let group = || At::below_printed(container, "securityContext", "securityContext.runAsGroup");
    policy.group.check(&groups, &group, refusals);
    let options = |part: &str| At::below(container, &format!("securityContext.seLinuxOptions{part}"));
    policy.se_linux.check(own.se_linux.as_ref().or(of_pod.se_linux.as_ref()), &options, refusals);
    policy.app_armor.check(pod, container, refusals);
    policy.seccomp.check_container(pod, container, refusals);
    if container.privileged && !policy.privileged {
        refusals.invalid(&context("privileged"), "true", "Privileged containers are not allowed");
    }
    proc_mount(policy, container, refusals);
    capabilities(policy, container, refusals);
    host_ports(policy, container, refusals);
    if policy.read_only_root && container.read_only_root == Some(false) {
        let detail = "ReadOnlyRootFilesystem must be set to true";
        refusals.invalid(&context("readOnlyRootFilesystem"), "false", detail);
    }
    if !policy.allow_escalation && container.allow_escalation != Some(false) {
        let value = if container.allow_escalation.is_some() { "true" } else { "null" };
        let detail = "Allowing privilege escalation for containers is not allowed";
        refusals.invalid(&context("allowPrivilegeEscalation"), value, detail);
    }
}

fn proc_mount(policy: &Policy, container: &Container, refusals: &mut Refusals) {
    let found = container.proc_mount.as_deref().unwrap_or("Default");
    let is_allowed = match policy.proc_mounts.as_slice() {
        [] => found == "Default",
        allowed => allowed.iter().any(|allowed| allowed == found),
    };
    if !is_allowed {
        let at = At::below(container, "securityContext.procMount");
        refusals.invalid_text(&at, found, "ProcMountType is not allowed");
    }
}

/// Added capabilities only: what must be dropped has been dropped by the defaults.
fn capabilities(policy: &Policy, container: &Container, refusals: &mut Refusals) {
    if policy.allowed_capabilities.iter().any(|allowed| allowed == "*") {
        return;
    }
    for name in container.capabilities.iter().flat_map(|capabilities| &capabilities.add) {
        if !policy.default_add.contains(name) && !policy.allowed_capabilities.contains(name) {
            let at = At::below(container, "securityContext.capabilities.add");
            refusals.invalid_text(&at, name, "capability may not be added");
        }
    }
}

fn host_ports(policy: &Policy, container: &Container, refusals: &mut Refusals) {
    for (at, port) in container.host_ports.iter().enumerate() {
        if *port > 0 && !hold(&policy.host_ports, *port) {
            let allowed = ports_text(&policy.host_ports);
            let detail = format!("Host port {port} is not allowed to be used. Allowed ports: [{allowed}]");
            // Go: the path names the container alone.
            let at = At::below_printed(container, "hostPort", &format!("ports[{at}].hostPort"));
            refusals.invalid(&at, &port.to_string(), &detail);
        }
    }
}
