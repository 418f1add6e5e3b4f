//! Lists for which an API server writes null where they are empty.
//!
//! In: a type of Kubernetes, or a kind, and a field. Out: whether its list is null rather than empty or absent.
//! Source: the `types.go` of each group in k8s.io/api v0.36.3: Go writes a list without `omitempty` as null where there is none. Listed are
//! those that an API server takes without elements: a Pod without containers, a rule without verbs and the like are never stored.

/// Groups, types and fields; the group is its first word, as in the names of types.
const NULL_LISTS: [(&str, &str, &str); 9] = [
    ("rbac", "Role", "rules"),
    ("rbac", "ClusterRole", "rules"),
    ("discovery", "EndpointSlice", "endpoints"),
    ("discovery", "EndpointSlice", "ports"),
    ("core", "LimitRangeSpec", "limits"),
    ("core", "ProjectedVolumeSource", "sources"),
    ("storage", "CSINodeSpec", "drivers"),
    ("storage", "CSINodeDriver", "topologyKeys"),
    ("flowcontrol", "ResourcePolicyRule", "namespaces"),
];

/// Whether the field of a type (`rbac.v1.Role`) is such a list.
pub fn is_null_list(of: &str, field: &str) -> bool {
    let mut words = of.split('.');
    let (group, name) = (words.next(), words.next_back());
    NULL_LISTS.iter().any(|row| (group, name, field) == (Some(row.0), Some(row.1), row.2))
}

/// Such fields of a kind, which stand in its objects themselves.
pub fn null_lists_of(group: &str, kind: &str) -> impl Iterator<Item = &'static str> {
    let first = group.split('.').next().unwrap_or("");
    NULL_LISTS.iter().filter(move |row| (row.0, row.1) == (first, kind)).map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::{NULL_LISTS, is_null_list, null_lists_of};
    use crate::objects::schema::Schema;

    #[test]
    fn each_row_is_a_list_of_a_type_in_every_version_that_has_it() {
        let schema = Schema::new();
        for (group, name, field) in NULL_LISTS {
            let types = schema.types_named(group, name);
            assert!(!types.is_empty(), "{group} {name}");
            for of in types {
                assert!(schema.is_list(of, field) && is_null_list(of, field), "{of} {field}");
            }
        }
    }

    #[test]
    fn kinds_are_known_by_their_group() {
        let of = |group: &str, kind: &str| null_lists_of(group, kind).collect::<Vec<_>>();
        assert_eq!(of("rbac.authorization.k8s.io", "Role"), ["rules"]);
        assert_eq!(of("discovery.k8s.io", "EndpointSlice"), ["endpoints", "ports"]);
        assert!(of("example.com", "Role").is_empty());
    }
}
