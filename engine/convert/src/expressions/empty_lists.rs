//! Lists for which an API server writes null where they are empty, of a value that an expression reads.
//!
//! In: a shape or a kind, and a field. Out: whether its list is null rather than empty or absent: the table is that of the comparison.

use crate::named_kind::Kind;
use engine_compare::null_lists;
use engine_compare::schema::Shape;

/// Whether the field of a type is such a list.
pub(crate) fn is_null_list(shape: &Shape, key: &str) -> bool {
    matches!(shape, Shape::Object(name) if null_lists::is_null_list(name, key))
}

/// Such fields of a kind.
pub(crate) fn null_fields(kind: &Kind) -> Vec<&'static str> {
    null_lists::null_lists_of(&kind.group, &kind.name).collect()
}
