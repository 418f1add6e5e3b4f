//! What policies are converted to.
//!
//! In: the old policies as they are written. Out: the names that `convert` of `engine/wasm-compare` has for its targets.

use serde::Serialize;

use crate::words::compare as w;

/// A target of a conversion, in the order of the choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) enum To {
    /// Kyverno's classic kinds become its kinds in CEL.
    #[default]
    #[serde(rename = "cel")]
    Cel,
    /// ValidatingPolicies become policies of the API server.
    ValidatingAdmissionPolicy,
    /// Policies of the API server become those of Kyverno.
    ValidatingPolicy,
}

impl To {
    pub(super) const ALL: [To; 3] = [To::Cel, To::ValidatingAdmissionPolicy, To::ValidatingPolicy];

    /// What these policies can become, as far as their kinds tell at a glance; who wants another target chooses it.
    pub(super) fn of(policies: &str) -> To {
        let has = |wanted: &str| {
            policies.lines().filter_map(|line| line.strip_prefix("kind:")).any(|kind| kind.trim() == wanted)
        };
        let is_new = has("ValidatingPolicy") || has("NamespacedValidatingPolicy");
        let is_classic =
            ["ClusterPolicy", "Policy", "PolicyException", "ClusterCleanupPolicy", "CleanupPolicy"]
                .into_iter()
                .any(has);
        match () {
            () if is_classic => To::Cel,
            () if is_new => To::ValidatingAdmissionPolicy,
            () if has("ValidatingAdmissionPolicy") => To::ValidatingPolicy,
            () => To::Cel,
        }
    }

    /// The kind or kinds, in a word.
    pub(super) fn name(self) -> &'static str {
        match self {
            To::Cel => w::TO_CEL,
            To::ValidatingAdmissionPolicy => "ValidatingAdmissionPolicy",
            To::ValidatingPolicy => "ValidatingPolicy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::To;

    #[test]
    fn the_target_follows_the_kinds_that_are_there() {
        let kinds = |kinds: &[&str]| {
            let all: Vec<_> = kinds.iter().map(|kind| format!("apiVersion: x/v1\nkind: {kind}\n")).collect();
            To::of(&all.join("---\n"))
        };
        assert_eq!(kinds(&["ClusterPolicy", "ValidatingPolicy"]), To::Cel);
        assert_eq!(kinds(&["ValidatingPolicy"]), To::ValidatingAdmissionPolicy);
        assert_eq!(
            kinds(&["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]),
            To::ValidatingPolicy
        );
        assert_eq!(kinds(&["Pod"]), To::Cel);
        assert_eq!(To::of(""), To::Cel);
    }
}
