//! The names that operators have as functions (cel-go: `common/operators/operators.go`).

/// `a && b`.
pub const LOGICAL_AND: &str = "_&&_";
/// `a || b`.
pub const LOGICAL_OR: &str = "_||_";
/// `!a`.
pub const LOGICAL_NOT: &str = "!_";
/// `c ? a : b`.
pub const CONDITIONAL: &str = "_?_:_";
/// `a == b`.
pub const EQUALS: &str = "_==_";
/// `a != b`.
pub const NOT_EQUALS: &str = "_!=_";
/// `a < b`.
pub const LESS: &str = "_<_";
/// `a <= b`.
pub const LESS_EQUALS: &str = "_<=_";
/// `a > b`.
pub const GREATER: &str = "_>_";
/// `a >= b`.
pub const GREATER_EQUALS: &str = "_>=_";
/// `a + b`.
pub const ADD: &str = "_+_";
/// `a - b`.
pub const SUBTRACT: &str = "_-_";
/// `a * b`.
pub const MULTIPLY: &str = "_*_";
/// `a / b`.
pub const DIVIDE: &str = "_/_";
/// `a % b`.
pub const MODULO: &str = "_%_";
/// `-a`.
pub const NEGATE: &str = "-_";
/// `a[b]`.
pub const INDEX: &str = "_[_]";
/// `a[?b]`.
pub const OPTIONAL_INDEX: &str = "_[?_]";
/// `a.?b`.
pub const OPTIONAL_SELECT: &str = "_?._";
/// `a in b`.
pub const IN: &str = "@in";
/// The condition of `all` and `exists`, which goes on at an error.
pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
/// How `transformMap` adds an entry.
pub const MAP_INSERT: &str = "cel.@mapInsert";
