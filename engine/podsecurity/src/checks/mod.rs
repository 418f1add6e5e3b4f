//! The checks, one file each.
//!
//! In: a Pod. Out: findings. A file lists the restricted fields and the allowed values, names the section of the
//! Pod Security Standards they come from, and has one function for each version in which the rule changed.
//! A new check is a new file and its line in [`CHECKS`]; a new revision is a new function and its row.

use crate::Check;

mod allow_privilege_escalation;
mod app_armor_profile;
mod capabilities_baseline;
mod capabilities_restricted;
mod host_namespaces;
mod host_path_volumes;
mod host_ports;
mod host_probes_and_host_lifecycle;
mod privileged;
mod proc_mount;
mod proc_mount_restricted;
mod restricted_volumes;
mod run_as_non_root;
mod run_as_user;
mod se_linux_options;
mod seccomp_profile_baseline;
mod seccomp_profile_restricted;
mod sysctls;
mod windows_host_process;

/// Every check in the order of the results: baseline, then restricted, each by the bytes of its id.
pub static CHECKS: [&Check; 19] = [
    &app_armor_profile::CHECK,
    &capabilities_baseline::CHECK,
    &host_namespaces::CHECK,
    &host_path_volumes::CHECK,
    &host_ports::CHECK,
    &host_probes_and_host_lifecycle::CHECK,
    &privileged::CHECK,
    &proc_mount::CHECK,
    &se_linux_options::CHECK,
    &seccomp_profile_baseline::CHECK,
    &sysctls::CHECK,
    &windows_host_process::CHECK,
    &allow_privilege_escalation::CHECK,
    &capabilities_restricted::CHECK,
    &proc_mount_restricted::CHECK,
    &restricted_volumes::CHECK,
    &run_as_non_root::CHECK,
    &run_as_user::CHECK,
    &seccomp_profile_restricted::CHECK,
];
