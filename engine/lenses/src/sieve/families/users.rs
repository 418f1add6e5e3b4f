//! Other users that the subjects of an exemption take: by wildcard, or by a group that everybody is in.

use super::{Attack, What};
use crate::sieve::find::{Exemption, On};
use crate::sieve::legit::{Base, subject};
use crate::sieve::runner::Case;
use engine_json::Str;

/// Groups in which whoever creates Pods is, or every service account.
const BROAD: [&str; 3] = ["system:authenticated", "system:unauthenticated", "system:serviceaccounts"];

pub(super) fn make(exemption: &Exemption, base: &Base) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for selector in &exemption.selectors {
        let On::Subject(kind, namespace) = &selector.on else { continue };
        let is_open = selector.pattern.contains(['*', '?']);
        if !is_open && !BROAD.contains(&selector.pattern.as_str()) {
            continue;
        }
        let mut user = subject(kind, namespace, &selector.pattern.replace('*', "evil").replace('?', "x"));
        if kind == "Group" {
            user.username = Str::new("mallory");
        }
        if base.case.user.as_ref() == Some(&user) {
            continue;
        }
        let text = match user.groups.first() {
            Some(group) if kind == "Group" => format!("user `{}` of group `{group}`", user.username),
            _ => format!("user `{}`", user.username),
        };
        let case = Case { user: Some(user), ..base.case.clone() };
        attacks.push(Attack::new(text, case, What::User));
    }
    attacks
}
