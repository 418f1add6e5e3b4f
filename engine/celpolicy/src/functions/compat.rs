//! What Kyverno's `orValue` becomes (Kyverno: `pkg/cel/compiler/env.go`).

use engine_cel::function::{Function, Overload, Run};
use engine_cel::syntax::Macro;

/// The method that is written.
pub const MACROS: &[Macro] = &[Macro::method_to_function("orValue", 1, "__orValueCompat__")];

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "__orValueCompat__",
    overloads: &[Overload::new("__orValueCompat___dyn_dyn", "(dyn, dyn) -> dyn").run(Run::Held)],
    note: "What `x.orValue(y)` becomes: what `x` holds, else `y`; `x` itself where it is not optional.",
    examples: &[("optional.none().orValue(2)", "2"), ("1.orValue(2)", "1")],
}];
