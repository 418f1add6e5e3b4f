//! What Kyverno's `orValue` becomes (Kyverno: `pkg/cel/compiler/env.go`).

use super::two;
use engine_cel::error::Outcome;
use engine_cel::function::{Function, Host};
use engine_cel::syntax::Macro;
use engine_cel::value::Value;

/// The method that is written.
pub const MACROS: &[Macro] = &[Macro::method_to_function("orValue", 1, "__orValueCompat__")];

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "__orValueCompat__",
    overloads: &[two("__orValueCompat___dyn_dyn", "(dyn, dyn) -> dyn", or_value)],
    note: "What `x.orValue(y)` becomes: what `x` holds, else `y`; `x` itself where it is not optional.",
    examples: &[("optional.none().orValue(2)", "2"), ("1.orValue(2)", "1")],
}];

fn or_value<'v>(_: &mut Host<'_>, value: Value<'v>, other: Value<'v>) -> Outcome<'v> {
    Ok(match value {
        Value::Optional(Some(value)) => (*value).clone(),
        Value::Optional(None) => other,
        value => value,
    })
}
