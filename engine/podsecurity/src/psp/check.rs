//! What a policy has against a Pod, in the order in which the original says it.
//!
//! In: a Pod with the defaults of the policy. Out: refusals, none when the policy accepts it.
//!
//! Mirrors: pkg/security/podsecuritypolicy/provider.go ValidatePod, sysctl/mustmatchpatterns.go

use super::pod::Pod;
use super::policy::Policy;
use super::refusal::{At, Refusal, Refusals};
use super::{containers, volumes};
use engine_json::{Str, quote};

const SAFE_SYSCTLS: [&str; 4] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
];

/// Everything the policy refuses.
pub(super) fn check(policy: &Policy, pod: &Pod) -> Vec<Refusal> {
    let refusals = &mut Refusals::default();
    let fs_group: Vec<i64> = pod.fs_group.into_iter().collect();
    policy.fs_group.check(&fs_group, &|| At::field("spec.securityContext.fsGroup"), refusals);
    let groups = pod.supplemental_groups.as_deref().unwrap_or(&[]);
    policy.supplemental.check(groups, &|| At::field("spec.securityContext.supplementalGroups"), refusals);
    policy.seccomp.check_pod(pod, refusals);
    let options = |part: &str| At::owned(format!("spec.securityContext.seLinuxOptions{part}"));
    policy.se_linux.check(pod.shared.se_linux.as_ref(), &options, refusals);
    namespaces(policy, pod, refusals);
    sysctls(policy, pod, refusals);
    volumes::check(policy, pod, refusals);
    runtime_class(policy, pod, refusals);
    for container in &pod.containers {
        containers::check(policy, pod, container, refusals);
    }
    std::mem::take(&mut refusals.0)
}

fn namespaces(policy: &Policy, pod: &Pod, refusals: &mut Refusals) {
    let each = [
        (pod.host_network, policy.host_network, "hostNetwork", "Host network is not allowed to be used"),
        (pod.host_pid, policy.host_pid, "hostPID", "Host PID is not allowed to be used"),
        (pod.host_ipc, policy.host_ipc, "hostIPC", "Host IPC is not allowed to be used"),
    ];
    for (is_used, is_allowed, name, detail) in each {
        if is_used && !is_allowed {
            // Go: the internal Pod keeps these three in its security context.
            let (field, path) = (format!("spec.securityContext.{name}"), format!("spec.{name}"));
            refusals.invalid(&At::printed(&field, &path), "true", detail);
        }
    }
}

fn sysctls(policy: &Policy, pod: &Pod, refusals: &mut Refusals) {
    for (at, name) in pod.sysctls.iter().enumerate() {
        let (field, path) = (
            format!("pod.spec.securityContext.sysctls[{at}]"),
            format!("spec.securityContext.sysctls[{at}]"),
        );
        let is_safe = SAFE_SYSCTLS.contains(&name.as_str())
            || (name == "net.ipv4.ip_unprivileged_port_start" && policy.release.has_safe_port_start());
        if any_covers(&policy.forbidden_sysctls, name) {
            refusals
                .forbidden(&At::printed(&field, &path), &format!("sysctl {} is not allowed", quote(name)));
        } else if !is_safe && !any_covers(&policy.unsafe_sysctls, name) {
            let detail = format!("unsafe sysctl {} is not allowed", quote(name));
            refusals.forbidden(&At::printed(&field, &path), &detail);
        }
    }
}

/// Whether one of the patterns is the name, or ends in `*` and begins it.
fn any_covers(patterns: &[Str], name: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    })
}

fn runtime_class(policy: &Policy, pod: &Pod, refusals: &mut Refusals) {
    let (Some((_, allowed)), Some(name)) = (&policy.runtime_class, &pod.runtime_class) else { return };
    if !allowed.iter().any(|allowed| allowed == "*" || allowed == name) {
        refusals.invalid_text(&At::field("spec.runtimeClassName"), name, "");
    }
}
