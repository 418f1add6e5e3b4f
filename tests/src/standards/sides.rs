//! The implementations of the Pod Security Standards that can be run.
//!
//! In: the folder of recorded answers, for what lies beside it. Out: each with a way to ask it.

use super::cases::Case;
use crate::compiled::verdicts;
use engine::json::Value;
use engine::podsecurity::psp::{Access, Policies, Release, Request, Use, User, review};
use engine::podsecurity::{Level, PodView, Version, aggregate, evaluate, exclude};
use engine::yaml::parse_one;
use engine_convert::podsecurity::{Source, Target, compile};
use std::path::Path;

/// An implementation.
pub(crate) struct Side {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it is, in a sentence.
    pub(crate) about: &'static str,
    /// Whether it has a form for each version.
    pub(crate) knows_versions: bool,
    /// The last version it is for, where there is one.
    pub(crate) until: Option<u64>,
    kind: Kind,
}

enum Kind {
    Admission,
    Rule,
    Compiled(Target),
    /// Policies of baseline and of restricted.
    Texts(String, String),
    Profiles,
}

/// Policies of the library's classic set that are for the restricted level.
const STRICT: [&str; 6] = [
    "disallow-capabilities-strict",
    "disallow-privilege-escalation",
    "require-run-as-non-root-user",
    "require-run-as-nonroot",
    "restrict-seccomp-strict",
    "restrict-volume-types",
];
/// One that allows ports that somebody chose, in place of `disallow-host-ports`.
const CHOSEN: &str = "disallow-host-ports-range";

/// All implementations.
pub(crate) fn sides(folder: &Path) -> Result<Vec<Side>, String> {
    let trees = folder.join("trees/policies");
    let side = |name, about, kind| Side { name, about, knows_versions: true, until: None, kind };
    let fixed = |name, about, kind| Side { name, about, knows_versions: false, until: None, kind };
    let (baseline, restricted) = classic(&folder.join("../bench/pod-security"))?;
    let set = |name: &str| -> Result<Kind, String> {
        let read = |level: &str| nested(&trees.join(name).join(level));
        Ok(Kind::Texts(read("baseline")?, read("restricted")?))
    };
    Ok(vec![
        side(
            "PSA",
            "Pod Security Admission of Kubernetes v1.37, which all others are held against",
            Kind::Admission,
        ),
        side(
            "podSecurity",
            "Kyverno's `podSecurity` rule, of v1.19 to v1.32; behind them its `latest`, which is v1.34",
            Kind::Rule,
        ),
        fixed(
            "classic",
            "the classic policies of Kyverno's public library",
            Kind::Texts(baseline, restricted),
        ),
        fixed("classic CEL", "its ClusterPolicies in CEL", set("pod-security-cel")?),
        fixed("vpol", "its ValidatingPolicies", set("pod-security-vpol")?),
        Side {
            name: "PSP",
            about: "two PodSecurityPolicies of this repository that say of each level what such a policy can say, up to v1.24; what they set of themselves counts as let in",
            knows_versions: false,
            until: Some(24),
            kind: Kind::Profiles,
        },
        side(
            "ours, vpol",
            "`podsieve psa compile`, ValidatingPolicies",
            Kind::Compiled(Target::ValidatingPolicies),
        ),
        side(
            "ours, VAP",
            "`podsieve psa compile --to vap`, a ValidatingAdmissionPolicy",
            Kind::Compiled(Target::AdmissionPolicy),
        ),
        side(
            "ours, classic",
            "`podsieve psa compile --to classic-cel`, a ClusterPolicy",
            Kind::Compiled(Target::ClassicCel),
        ),
    ])
}

/// The texts of a folder: those of baseline, those of restricted.
fn classic(folder: &Path) -> Result<(String, String), String> {
    let (mut baseline, mut restricted) = (Vec::new(), Vec::new());
    for (name, text) in files(folder)? {
        let stem = name.trim_end_matches(".yaml");
        if STRICT.contains(&stem) {
            restricted.push(text);
        } else if stem != CHOSEN {
            baseline.push(text);
        }
    }
    Ok((baseline.join("\n---\n"), restricted.join("\n---\n")))
}

/// The policies of the folders below a folder, each in a file of the folder's name.
fn nested(folder: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map_err(failed)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name != CHOSEN)
        .collect();
    names.sort();
    let read = |name: &String| {
        std::fs::read_to_string(folder.join(name).join(format!("{name}.yaml"))).map_err(failed)
    };
    Ok(names.iter().map(read).collect::<Result<Vec<_>, _>>()?.join("\n---\n"))
}

fn files(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let text = std::fs::read_to_string(entry.path()).map_err(failed)?;
        all.push((entry.file_name().to_string_lossy().into_owned(), text));
    }
    all.sort();
    Ok(all)
}

impl Side {
    /// Which Pods are let in; `None` where there is no such version.
    pub(crate) fn ask(&self, level: Level, minor: u64, cases: &[Case]) -> Option<Vec<bool>> {
        let pods = || cases.iter().map(|case| case.pod.clone()).collect::<Vec<Value>>();
        let allowed =
            |text: &str| verdicts(text, &pods()).into_iter().map(|verdict| verdict.allowed).collect();
        match &self.kind {
            Kind::Admission => {
                let of = |case: &Case| evaluate(level, Version::Minor(minor), &PodView::whole(&case.pod));
                Some(cases.iter().map(|case| aggregate::is_allowed(&of(case))).collect())
            }
            Kind::Rule if minor < 19 => None,
            Kind::Rule => {
                let version = if minor > 32 { Version::Latest } else { Version::Minor(minor) };
                let of = |case: &Case| exclude::evaluate((level, version), &PodView::whole(&case.pod));
                Some(cases.iter().map(|case| of(case).is_empty()).collect())
            }
            Kind::Compiled(target) => {
                Some(allowed(&compile(&Source::new(level, Version::Minor(minor)), *target).text()))
            }
            Kind::Texts(baseline, _) if level == Level::Baseline => Some(allowed(baseline)),
            Kind::Texts(baseline, restricted) => Some(allowed(&format!("{baseline}\n---\n{restricted}"))),
            Kind::Profiles => Some(cases.iter().map(|case| is_admitted(level, &case.pod)).collect()),
        }
    }
}

/// Who may use every policy.
struct Everybody;

impl Access for Everybody {
    fn may(&self, _: &Use<'_>) -> bool {
        true
    }
}

/// What a PodSecurityPolicy can say of a level.
const PROFILES: [(Level, &str); 2] = [
    (
        Level::Baseline,
        "{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: {name: baseline, annotations: \
         {seccomp.security.alpha.kubernetes.io/allowedProfileNames: 'runtime/default,docker/default,localhost/*', \
         apparmor.security.beta.kubernetes.io/allowedProfileNames: 'runtime/default,localhost/x', \
         apparmor.security.beta.kubernetes.io/defaultProfileName: runtime/default}}, spec: {privileged: false, \
         allowedCapabilities: [AUDIT_WRITE, CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, MKNOD, NET_BIND_SERVICE, SETFCAP, SETGID, SETPCAP, \
         SETUID, SYS_CHROOT], volumes: [configMap, csi, downwardAPI, emptyDir, ephemeral, persistentVolumeClaim, projected, secret, nfs, iscsi, \
         rbd, gitRepo, storageos], hostNetwork: false, hostIPC: false, hostPID: false, runAsUser: {rule: RunAsAny}, seLinux: {rule: RunAsAny}, \
         supplementalGroups: {rule: RunAsAny}, fsGroup: {rule: RunAsAny}}}",
    ),
    (
        Level::Restricted,
        "{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: {name: restricted, annotations: \
         {seccomp.security.alpha.kubernetes.io/allowedProfileNames: 'runtime/default,localhost/*', \
         apparmor.security.beta.kubernetes.io/allowedProfileNames: 'runtime/default,localhost/x', \
         apparmor.security.beta.kubernetes.io/defaultProfileName: runtime/default}}, spec: {privileged: false, allowPrivilegeEscalation: false, \
         requiredDropCapabilities: [ALL], allowedCapabilities: [NET_BIND_SERVICE], volumes: [configMap, csi, downwardAPI, emptyDir, ephemeral, \
         persistentVolumeClaim, projected, secret], hostNetwork: false, hostIPC: false, hostPID: false, runAsUser: {rule: MustRunAsNonRoot}, \
         seLinux: {rule: RunAsAny}, supplementalGroups: {rule: RunAsAny}, fsGroup: {rule: RunAsAny}}}",
    ),
];

fn is_admitted(level: Level, pod: &Value) -> bool {
    let text = PROFILES.iter().find(|(of, _)| *of == level).map_or("", |(_, text)| text);
    let Ok(policy) = parse_one(text) else { return false };
    let policies = Policies::new(&[policy], Release::default());
    review(&Request::create(pod, "n", User::named("u")), &policies, &Everybody).allowed
}
