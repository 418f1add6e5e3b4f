//! The rules of a policy about AppArmor and seccomp profiles, which stand in its annotations.
//!
//! In: `seccomp.security.alpha.kubernetes.io/allowedProfileNames: runtime/default`. Out: what a Pod gets that says
//! nothing, and `unconfined is not an allowed seccomp profile. Valid values are runtime/default` for one that does.
//!
//! Mirrors: pkg/security/podsecuritypolicy/{apparmor,seccomp}/strategy.go

use super::Release;
use super::pod::{Container, Pod};
use super::refusal::{At, Refusals};
use engine_json::{Str, Value, format_smolstr, quote};

/// The annotation of a Pod about its seccomp profile.
pub(super) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const SECCOMP_DEFAULT: &str = "seccomp.security.alpha.kubernetes.io/defaultProfileName";
const SECCOMP_ALLOWED: &str = "seccomp.security.alpha.kubernetes.io/allowedProfileNames";
const APP_ARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
const APP_ARMOR_DEFAULT: &str = "apparmor.security.beta.kubernetes.io/defaultProfileName";
const APP_ARMOR_ALLOWED: &str = "apparmor.security.beta.kubernetes.io/allowedProfileNames";

/// Which AppArmor profiles are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AppArmor {
    default: Str,
    /// The list as written; `None` for all profiles.
    allowed: Option<Str>,
}

impl AppArmor {
    pub(super) fn read(annotations: &Value) -> AppArmor {
        let allowed = annotations.get(APP_ARMOR_ALLOWED).map(|list| Str::new(list.as_str().unwrap_or("")));
        AppArmor { default: Str::new(annotations.find_str(&[APP_ARMOR_DEFAULT])), allowed }
    }

    /// The annotation for a container that has none.
    pub(super) fn default(&self, pod: &Pod, container: &Container) -> Option<(Str, Str)> {
        let key = format_smolstr!("{APP_ARMOR_CONTAINER}{}", container.name);
        let is_set = pod.annotations.get(&key).is_some_and(|profile| !profile.is_empty());
        (!is_set && !self.default.is_empty()).then(|| (key, self.default.clone()))
    }

    pub(super) fn check(&self, pod: &Pod, container: &Container, refusals: &mut Refusals) {
        let Some(allowed) = &self.allowed else { return };
        let key = format!("{APP_ARMOR_CONTAINER}{}", container.name);
        let profile = pod.annotations.get(key.as_str()).map_or("", Str::as_str);
        if profile.is_empty() {
            refusals.forbidden(&At::annotation(&key), "AppArmor profile must be set");
        } else if !allowed.split(',').any(|allowed| allowed == profile) {
            let list = quote(allowed);
            let detail = format!("{profile} is not an allowed profile. Allowed values: {list}");
            refusals.forbidden(&At::annotation(&key), &detail);
        }
    }
}

/// Which seccomp profiles are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seccomp {
    default: Str,
    /// The list as written.
    written: Str,
    allowed: Vec<Str>,
    allows_any: bool,
    /// Whether fields count beside annotations.
    reads_fields: bool,
}

impl Seccomp {
    pub(super) fn read(annotations: &Value, release: Release) -> Seccomp {
        let list = annotations.get(SECCOMP_ALLOWED);
        let written = Str::new(list.and_then(Value::as_str).unwrap_or(""));
        let mut allowed: Vec<Str> = Vec::new();
        for profile in written.split(',').filter(|_| list.is_some()) {
            let both = ["runtime/default", "docker/default"];
            if both.contains(&profile) && release.has_seccomp_fields() {
                allowed.extend(both.map(Str::new_static));
            } else if profile != "*" {
                allowed.push(Str::new(profile));
            }
        }
        Seccomp {
            default: Str::new(annotations.find_str(&[SECCOMP_DEFAULT])),
            allows_any: written.split(',').any(|profile| profile == "*"),
            reads_fields: release.has_seccomp_fields(),
            written,
            allowed,
        }
    }

    /// The profile that the Pod's annotation gets; empty for none.
    pub(super) fn default(&self, pod: &Pod) -> Str {
        match (pod.annotations.get(SECCOMP_POD), &pod.shared.seccomp) {
            (Some(annotation), _) if !annotation.is_empty() => annotation.clone(),
            (_, Some(field)) if self.reads_fields => field.clone(),
            _ => self.default.clone(),
        }
    }

    pub(super) fn check_pod(&self, pod: &Pod, refusals: &mut Refusals) {
        let annotation = pod.annotations.get(SECCOMP_POD).filter(|annotation| !annotation.is_empty());
        let field = pod.shared.seccomp.as_ref().filter(|_| self.reads_fields);
        let profile = annotation.or(field).map_or("", Str::as_str);
        self.check(profile, SECCOMP_POD, refusals);
    }

    pub(super) fn check_container(&self, pod: &Pod, container: &Container, refusals: &mut Refusals) {
        let key = format!("{SECCOMP_CONTAINER}{}", container.name);
        let field = container.shared.seccomp.as_ref().filter(|_| self.reads_fields);
        let of_pod = pod.shared.seccomp.as_ref().filter(|_| self.reads_fields);
        let annotation = pod.annotations.get(key.as_str());
        let profile = field.or(annotation).or(of_pod).or_else(|| pod.annotations.get(SECCOMP_POD));
        self.check(profile.map_or("", Str::as_str), &key, refusals);
    }

    fn check(&self, profile: &str, key: &str, refusals: &mut Refusals) {
        let nothing_allowed = !self.allows_any && self.allowed.is_empty();
        let is_allowed = self.allows_any
            || (self.allowed.is_empty() && profile.is_empty())
            || self.allowed.iter().any(|allowed| allowed == profile);
        if nothing_allowed && !profile.is_empty() {
            refusals.forbidden(&At::annotation(key), "seccomp may not be set");
        } else if !is_allowed {
            let list = &self.written;
            let detail = format!("{profile} is not an allowed seccomp profile. Valid values are {list}");
            refusals.forbidden(&At::annotation(key), &detail);
        }
    }
}
