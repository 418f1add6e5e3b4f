//! All checks that run, in CEL.
//!
//! In: a source. Out: its units, in the order of the checks; what a reader should know of them.

use super::source::{Source, Standard};
use super::unit::{Maker, Place, Unit};
use super::{containers, parts, settings, silent};
use engine_podsecurity::exclude::{self, Exclusion};
use engine_podsecurity::{Check, Level, Revision};

/// The checks of a source, as far as something of them is left.
pub(crate) fn units(source: &Source, place: Place) -> Vec<Unit> {
    let policy = (source.level, source.version);
    let checks: Vec<(&'static Check, &'static Revision)> = match (source.standard, source.level) {
        (Standard::Kubernetes, Level::Privileged) => Vec::new(),
        (Standard::Kubernetes, _) => engine_podsecurity::applicable(policy.0, policy.1).collect(),
        (Standard::Kyverno, _) => exclude::applicable(policy),
    };
    checks.into_iter().filter_map(|(check, revision)| unit(source, place, check, revision.since)).collect()
}

/// Names of checks in names of policies.
const SLUGS: &[(&str, &str)] = &[
    ("appArmorProfile", "apparmor"),
    ("capabilities_baseline", "capabilities"),
    ("hostNamespaces", "host-namespaces"),
    ("hostPathVolumes", "host-path-volumes"),
    ("hostPorts", "host-ports"),
    ("hostProbesAndHostLifecycle", "host-probes"),
    ("privileged", "privileged-containers"),
    ("procMount", "proc-mount"),
    ("seLinuxOptions", "selinux"),
    ("seccompProfile_baseline", "seccomp"),
    ("sysctls", "sysctls"),
    ("windowsHostProcess", "host-process"),
    ("allowPrivilegeEscalation", "privilege-escalation"),
    ("capabilities_restricted", "capabilities-restricted"),
    ("procMount_restricted", "proc-mount"),
    ("restrictedVolumes", "volume-types"),
    ("runAsNonRoot", "run-as-non-root"),
    ("runAsUser", "run-as-user"),
    ("seccompProfile_restricted", "seccomp-restricted"),
];

/// Which Pods a revision does not ask.
fn gate(id: &str, since: u64) -> Option<&'static str> {
    match id {
        "allowPrivilegeEscalation" | "capabilities_restricted" | "seccompProfile_restricted"
            if since >= 25 =>
        {
            Some("isWindows")
        }
        "procMount" | "runAsNonRoot" | "runAsUser" if since >= 35 => Some("hasUserNamespace"),
        _ => None,
    }
}

fn unit(source: &Source, place: Place, check: &'static Check, since: u64) -> Option<Unit> {
    let slug = SLUGS.iter().find(|(id, _)| *id == check.id).map_or(check.id, |(_, slug)| slug);
    let control = control(check.id);
    let exclusions: Vec<&Exclusion> =
        source.exclusions.iter().filter(|exclusion| exclusion.control == control).collect();
    let maker = Maker { place, exclusions };
    let mut unit = Unit { slug, title: check.section, reason: reason(check), ..Unit::default() };
    let gate = gate(check.id, since);
    let spec = place.spec();
    match gate {
        Some("isWindows") => {
            unit.variable("isWindows", format!("{spec}.?os.?name.orValue('') == 'windows'"));
        }
        Some(_) => {
            unit.variable("hasUserNamespace", format!("{spec}.?hostUsers.orValue(true) == false"));
        }
        None => {}
    }
    made(&maker, &mut unit, check.id, since)?;
    if let Some(gate) = gate {
        let inner = &unit.expression;
        unit.expression = if inner.contains("&&") {
            format!("variables.{gate} ||\n({inner})")
        } else {
            format!("variables.{gate} || {inner}")
        };
    }
    Some(unit)
}

/// The control of a check; Kyverno has none for the youngest.
fn control(id: &str) -> &'static str {
    match id {
        "procMount_restricted" => "/proc Mount Type",
        other => exclude::control_of(other).map_or("", |control| control.name),
    }
}

fn reason(check: &Check) -> &'static str {
    match check.reason {
        engine_podsecurity::Reason::Fixed(reason) => reason,
        engine_podsecurity::Reason::Counted { one, .. } => one,
    }
}

fn made(maker: &Maker<'_>, unit: &mut Unit, id: &str, since: u64) -> Option<()> {
    match id {
        "appArmorProfile" => parts::app_armor(maker, unit),
        "capabilities_baseline" => containers::capabilities_baseline(maker, unit),
        "hostNamespaces" => parts::host_namespaces(maker, unit),
        "hostPathVolumes" => parts::host_path(maker, unit),
        "hostPorts" => containers::host_ports(maker, unit),
        "hostProbesAndHostLifecycle" => containers::host_probes(maker, unit),
        "privileged" => containers::privileged(maker, unit),
        "procMount" | "procMount_restricted" => containers::proc_mount(maker, unit),
        "seLinuxOptions" => settings::se_linux(maker, unit, since),
        "seccompProfile_baseline" if since < 19 => parts::seccomp_annotations(maker, unit),
        "seccompProfile_baseline" => settings::seccomp_baseline(maker, unit),
        "sysctls" => parts::sysctls(maker, unit, since),
        "windowsHostProcess" => settings::host_process(maker, unit),
        "allowPrivilegeEscalation" => containers::escalation(maker, unit),
        "capabilities_restricted" => containers::capabilities_restricted(maker, unit),
        "restrictedVolumes" => parts::volume_types(maker, unit),
        "runAsNonRoot" => silent::run_as_non_root(maker, unit),
        "runAsUser" => settings::run_as_user(maker, unit),
        "seccompProfile_restricted" => silent::seccomp_restricted(maker, unit),
        _ => None,
    }
}

/// The note of a rule that reads annotations.
pub(crate) const OF_JOBS: &str = "of a CronJob Kyverno reads the annotations of the template of Jobs; here those of the template of Pods are read, and such CronJobs are not compared";

/// What a reader should know of what becomes of a rule of Kyverno.
pub(crate) fn notes(source: &Source) -> Vec<String> {
    let mut notes = Vec::new();
    let requires = ["Running as Non-root", "Seccomp"];
    let of_pods = source.exclusions.iter().any(|one| {
        one.images.is_empty()
            && requires.contains(&&*one.control)
            && (one.restricted_field.is_empty() || one.restricted_field.starts_with("spec.containers"))
    });
    if source.standard == Standard::Kyverno && source.level != Level::Baseline && of_pods {
        notes.push(
            "an exclude without images lifts in Kyverno the fault of one container of `containers` too; here it is about the Pod alone"
                .to_owned(),
        );
    }
    let by_image = source.exclusions.iter().any(|one| !one.images.is_empty() && one.control == "Seccomp");
    if source.standard == Standard::Kyverno && source.level != Level::Baseline && by_image {
        notes.push(
            "where an excluded container sets a forbidden seccomp profile, Kyverno asks no other container for one; here each is asked"
                .to_owned(),
        );
    }
    let has_annotations =
        source.exclusions.iter().all(|one| one.control != "AppArmor" || !one.images.is_empty());
    if source.standard == Standard::Kyverno
        && has_annotations
        && source.controllers.iter().any(|one| one == "cronjobs")
    {
        notes.push(OF_JOBS.to_owned());
    }
    notes
}
