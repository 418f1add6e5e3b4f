//! What a policy sets in a Pod that says nothing.
//!
//! In: a Pod. Out: the same with the defaults of the policy; equal to the first where there was nothing to set.
//!
//! Mirrors: pkg/security/podsecuritypolicy/provider.go MutatePod

use super::pod::{Capabilities, Container, Pod};
use super::policy::Policy;
use super::profiles::SECCOMP_POD;
use super::rules::UserRule;
use engine_json::Str;
use engine_json::ordered::OrderedSet;

/// Sets the defaults of the policy, in the order of the original.
pub(super) fn apply(policy: &Policy, pod: &mut Pod) {
    if pod.supplemental_groups.is_none() {
        pod.supplemental_groups = policy.supplemental.default().map(|group| vec![group]);
    }
    pod.fs_group = pod.fs_group.or(policy.fs_group.default());
    if pod.shared.se_linux.is_none() {
        pod.shared.se_linux = policy.se_linux.default();
    }
    let profile = policy.seccomp.default(pod);
    if !profile.is_empty() {
        pod.annotations.insert(Str::new_static(SECCOMP_POD), profile);
    }
    if let (Some((default, _)), None) = (&policy.runtime_class, &pod.runtime_class) {
        pod.runtime_class.clone_from(default);
    }
    let mut containers = std::mem::take(&mut pod.containers);
    for container in &mut containers {
        of_container(policy, pod, container);
    }
    pod.containers = containers;
}

fn of_container(policy: &Policy, pod: &mut Pod, container: &mut Container) {
    if let Some((key, profile)) = policy.app_armor.default(pod, container) {
        pod.annotations.insert(key, profile);
    }
    let (shared, of_pod) = (&mut container.shared, &pod.shared);
    if shared.run_as_user.or(of_pod.run_as_user).is_none() {
        shared.run_as_user = policy.user.default();
    }
    if shared.run_as_group.or(of_pod.run_as_group).is_none() {
        shared.run_as_group = policy.group.default();
    }
    if shared.se_linux.is_none() && of_pod.se_linux.is_none() {
        shared.se_linux = policy.se_linux.default();
    }
    let says_nothing = shared.run_as_non_root.or(of_pod.run_as_non_root).is_none()
        && shared.run_as_user.or(of_pod.run_as_user).is_none();
    if policy.user == UserRule::NonRoot && says_nothing {
        shared.run_as_non_root = Some(true);
    }
    capabilities(policy, &mut container.capabilities);
    if policy.read_only_root {
        container.read_only_root.get_or_insert(true);
    }
    if let Some(default) = policy.default_escalation {
        container.allow_escalation.get_or_insert(default);
    }
    if !policy.allow_escalation {
        container.allow_escalation.get_or_insert(false);
    }
}

/// Adds what the policy adds by default and does not see dropped, and drops what it requires to be dropped.
fn capabilities(policy: &Policy, capabilities: &mut Option<Capabilities>) {
    let set = |list: &[Str]| engine_json::arrange::set(list.iter().cloned());
    let (own_add, own_drop) =
        capabilities.as_ref().map_or_else(Default::default, |own| (set(&own.add), set(&own.drop)));
    let defaults = policy.default_add.iter().filter(|name| !own_drop.contains(*name));
    let add: OrderedSet<Str> = engine_json::arrange::set(own_add.iter().chain(defaults).cloned());
    let drop: OrderedSet<Str> =
        engine_json::arrange::set(own_drop.iter().chain(&policy.required_drop).cloned());
    if add.len() != own_add.len() || drop.len() != own_drop.len() {
        *capabilities =
            Some(Capabilities { add: add.into_iter().collect(), drop: drop.into_iter().collect() });
    }
}
