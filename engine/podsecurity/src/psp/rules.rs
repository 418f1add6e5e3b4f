//! The rules of a policy about users, groups and SELinux: what they set, and what they accept.
//!
//! In: `{rule: MustRunAs, ranges: [{min: 1, max: 10}]}`. Out: 1 for who says nothing, and
//! `must be in the ranges: [{1 10}]` for who says 50.
//!
//! Mirrors: pkg/security/podsecuritypolicy/{user,group,selinux}

use super::pod::SeLinux;
use super::policy::ranges;
use super::ranges::{Range, hold, ids_text, list_text};
use super::refusal::{At, Refusals};
use crate::place::{Bits, Findings, Keys, Place};
use engine_json::Str;
use engine_json::arrange::Arrange as _;

/// Who a container may run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UserRule {
    Any,
    NonRoot,
    Ranges(Vec<Range>),
}

impl UserRule {
    pub(super) fn read(place: &Place<'_>, f: &mut Findings, wrong: &mut Vec<String>) -> UserRule {
        let rule = place.text(&["runAsUser", "rule"], f).unwrap_or("");
        let ranges = ranges(place, &["runAsUser", "ranges"], Bits::Int64, f);
        match rule {
            "RunAsAny" => return UserRule::Any,
            "MustRunAsNonRoot" => return UserRule::NonRoot,
            "MustRunAs" if !ranges.is_empty() => return UserRule::Ranges(ranges),
            "MustRunAs" => wrong.push("MustRunAs requires at least one range".to_owned()),
            other => wrong.push(format!("Unrecognized RunAsUser strategy type {other}")),
        }
        UserRule::Any
    }

    /// The user for a container that names none.
    pub(super) fn default(&self) -> Option<i64> {
        match self {
            UserRule::Any | UserRule::NonRoot => None,
            UserRule::Ranges(ranges) => ranges.first().map(|range| range.min),
        }
    }

    /// Holds user and flag of a container against the rule; `at` makes the place of a field.
    pub(super) fn check<'a>(
        &self,
        user: Option<i64>,
        non_root: Option<bool>,
        at: &dyn Fn(&str) -> At<'a>,
        refusals: &mut Refusals,
    ) {
        match (self, user) {
            (UserRule::Ranges(_), None) => refusals.required(&at("runAsUser")),
            (UserRule::Ranges(ranges), Some(user)) if !hold(ranges, user) => {
                let detail = format!("must be in the ranges: {}", ids_text(ranges));
                refusals.invalid(&at("runAsUser"), &user.to_string(), &detail);
            }
            (UserRule::NonRoot, _) if non_root == Some(false) => {
                refusals.invalid(&at("runAsNonRoot"), "false", "must be true");
            }
            (UserRule::NonRoot, Some(0)) => {
                refusals.invalid(&at("runAsUser"), "0", "running with the root UID is forbidden");
            }
            (UserRule::Any | UserRule::NonRoot | UserRule::Ranges(_), _) => {}
        }
    }
}

/// Which groups are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    Any,
    May(Vec<Range>),
    Must(Vec<Range>),
}

impl Groups {
    /// The rule at the two places, `rule` and `ranges`.
    pub(super) fn read(
        place: &Place<'_>,
        name: &str,
        [rule, list]: &[&'static Keys; 2],
        f: &mut Findings,
        wrong: &mut Vec<String>,
    ) -> Groups {
        let ranges = ranges(place, list, Bits::Int64, f);
        match place.text(rule, f).unwrap_or("") {
            "RunAsAny" => return Groups::Any,
            "MayRunAs" if !ranges.is_empty() => return Groups::May(ranges),
            "MustRunAs" if !ranges.is_empty() => return Groups::Must(ranges),
            known @ ("MayRunAs" | "MustRunAs") => wrong.push(format!("ranges must be supplied for {known}")),
            other => wrong.push(format!("Unrecognized {name} strategy type {other}")),
        }
        Groups::Any
    }

    /// The rule for the primary group, which may be missing.
    pub(super) fn read_optional(place: &Place<'_>, f: &mut Findings, wrong: &mut Vec<String>) -> Groups {
        if place.map(&["runAsGroup"], f).is_none() {
            return Groups::Any;
        }
        let keys: [&'static Keys; 2] = [&["runAsGroup", "rule"], &["runAsGroup", "ranges"]];
        Groups::read(place, "RunAsGroup", &keys, f, wrong)
    }

    /// The group for who names none.
    pub(super) fn default(&self) -> Option<i64> {
        match self {
            Groups::Any | Groups::May(_) => None,
            Groups::Must(ranges) => ranges.first().map(|range| range.min),
        }
    }

    /// Holds groups against the rule.
    pub(super) fn check<'a>(&self, groups: &[i64], at: &dyn Fn() -> At<'a>, refusals: &mut Refusals) {
        let ranges = match self {
            Groups::Any => return,
            Groups::May(ranges) => ranges,
            Groups::Must(ranges) => {
                if groups.is_empty() {
                    let detail = "unable to validate empty groups against required ranges";
                    refusals.invalid(&at(), &list_text(groups), detail);
                }
                ranges
            }
        };
        for group in groups.iter().filter(|group| !hold(ranges, **group)) {
            let detail = format!("group {group} must be in the ranges: {}", ids_text(ranges));
            refusals.invalid(&at(), &list_text(groups), &detail);
        }
    }
}

/// Which SELinux options are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SeLinuxRule {
    Any,
    Must(SeLinux),
}

impl SeLinuxRule {
    pub(super) fn read(place: &Place<'_>, f: &mut Findings, wrong: &mut Vec<String>) -> SeLinuxRule {
        let has_options = place.map(&["seLinux", "seLinuxOptions"], f).is_some();
        let mut part = |keys: &'static Keys| Str::new(place.text(keys, f).unwrap_or(""));
        let options = SeLinux {
            level: part(&["seLinux", "seLinuxOptions", "level"]),
            role: part(&["seLinux", "seLinuxOptions", "role"]),
            kind: part(&["seLinux", "seLinuxOptions", "type"]),
            user: part(&["seLinux", "seLinuxOptions", "user"]),
        };
        match part(&["seLinux", "rule"]).as_str() {
            "RunAsAny" => return SeLinuxRule::Any,
            "MustRunAs" if has_options => return SeLinuxRule::Must(options),
            "MustRunAs" => wrong.push("MustRunAs requires SELinuxOptions".to_owned()),
            other => wrong.push(format!("Unrecognized SELinuxContext strategy type {other}")),
        }
        SeLinuxRule::Any
    }

    /// The options for who names none.
    pub(super) fn default(&self) -> Option<SeLinux> {
        match self {
            SeLinuxRule::Any => None,
            SeLinuxRule::Must(options) => Some(options.clone()),
        }
    }

    /// Holds options against the rule; `at` makes the place of the options (`""`) or of a part.
    pub(super) fn check<'a>(
        &self,
        options: Option<&SeLinux>,
        at: &dyn Fn(&str) -> At<'a>,
        refusals: &mut Refusals,
    ) {
        let SeLinuxRule::Must(wanted) = self else { return };
        let Some(options) = options else { return refusals.required(&at("")) };
        let parts = [
            ("level", &options.level, &wanted.level),
            ("role", &options.role, &wanted.role),
            ("type", &options.kind, &wanted.kind),
            ("user", &options.user, &wanted.user),
        ];
        for (name, found, wanted) in parts {
            if found != wanted && !(name == "level" && same_level(found, wanted)) {
                refusals.invalid_text(&at(&format!(".{name}")), found, &format!("must be {wanted}"));
            }
        }
    }
}

/// Whether two levels differ in nothing but the order of their categories.
fn same_level(a: &str, b: &str) -> bool {
    let (Some((a, of_a)), Some((b, of_b))) = (a.split_once(':'), b.split_once(':')) else { return false };
    let sorted = |categories: &'_ str| {
        let mut list: Vec<String> = categories.split(',').map(str::to_owned).collect();
        list.arrange();
        list
    };
    a == b && sorted(of_a) == sorted(of_b)
}
