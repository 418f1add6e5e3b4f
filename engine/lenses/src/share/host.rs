//! As whom the texts of a link are evaluated: as it says, else as is usual for its policies.

use super::State;

/// The name under which a link of podsieve says it; the original passes over a name that it does not know.
pub const FIELD: &str = "host";

/// The hosts by the names that they have everywhere, in the order in which they are offered.
pub const NAMES: [&str; 3] = ["cluster", "cli", "playground"];

/// What the link says, where that is a host.
pub fn chosen(state: &State) -> Option<&'static str> {
    let chosen = state.get(FIELD)?;
    NAMES.into_iter().find(|name| *name == chosen)
}

/// As whom policies are evaluated where nobody says it: as a cluster does where one is of Kubernetes or in CEL, else as the
/// Playground does.
pub fn usual(policies: &str) -> &'static str {
    if holds_cel(policies) { "cluster" } else { "playground" }
}

/// Whether a text of policies may hold one in CEL, or what belongs to it: the group of Kyverno's, that of Kubernetes' own, or a
/// rule with `cel`.
pub fn holds_cel(text: &str) -> bool {
    let is_field = |(at, field): (usize, &str)| {
        let (before, behind) =
            (text.get(..at).unwrap_or_default(), text.get(at + field.len()..).unwrap_or_default());
        let behind = behind.trim_start_matches(['"', '\'', ' ']);
        behind.starts_with(':') && !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
    };
    // With the version: annotations of classic policies begin with the same name.
    text.contains("policies.kyverno.io/v1")
        || text.contains("admissionregistration.k8s.io/v1")
        || text.match_indices("cel").any(is_field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_in_cel_is_known_by_its_group_or_its_field() {
        assert!(holds_cel("apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy"));
        assert!(holds_cel("apiVersion: admissionregistration.k8s.io/v1"));
        assert!(holds_cel("    validate:\n      cel:\n        expressions: []"));
        assert!(holds_cel("validate: {cel: {}}") && holds_cel("{\"validate\": {\"cel\": {}}}"));
        assert!(!holds_cel(
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {annotations: {policies.kyverno.io/title: x}}\n# cancel: 1"
        ));
    }

    #[test]
    fn what_a_link_says_is_a_host_or_nothing() {
        let mut state = State::new();
        assert_eq!(chosen(&state), None);
        state.set(FIELD, "cli");
        assert_eq!(chosen(&state), Some("cli"));
        state.set(FIELD, "Cluster");
        assert_eq!(chosen(&state), None);
        assert_eq!((usual("kind: ClusterPolicy"), usual("cel: {}")), ("playground", "cluster"));
    }
}
