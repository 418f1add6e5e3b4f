//! Lists for which an API server writes null where they are empty.
//!
//! In: a type of Kubernetes and a field. Out: whether its list is null rather than empty or absent.
//!
//! Go writes a list without `omitempty` as null where there is none (k8s.io/api, `types.go` of each group). Listed are those that an API
//! server takes without elements: a Pod without containers, a rule without verbs and the like are never stored.

use crate::named_kind::Kind;
use engine_compare::schema::Shape;

/// Types and fields, each without the group and the version.
const NULL_LISTS: [(&str, &str); 8] = [
    ("Role", "rules"),
    ("ClusterRole", "rules"),
    ("EndpointSlice", "endpoints"),
    ("EndpointSlice", "ports"),
    ("LimitRangeSpec", "limits"),
    ("ProjectedVolumeSource", "sources"),
    ("CSINodeSpec", "drivers"),
    ("ResourcePolicyRule", "namespaces"),
];

/// Groups of Kubernetes in which these kinds are.
const GROUPS: [&str; 2] = ["rbac.authorization.k8s.io", "discovery.k8s.io"];

/// Whether the field of a type is such a list.
pub(crate) fn is_null_list(shape: &Shape, key: &str) -> bool {
    let Shape::Object(name) = shape else { return false };
    let name = name.rsplit('.').next().unwrap_or(name);
    NULL_LISTS.contains(&(name, key))
}

/// Such fields of a kind.
pub(crate) fn null_fields(kind: &Kind) -> Vec<&'static str> {
    let of_kind =
        NULL_LISTS.iter().filter(|(name, _)| *name == kind.name && GROUPS.contains(&kind.group.as_str()));
    of_kind.map(|(_, field)| *field).collect()
}
