//! `jsonpatch.escapeKey` (Kubernetes: `pkg/cel/library/jsonpatch.go`).

use super::{one, text};
use engine_cel::error::Outcome;
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "jsonpatch.escapeKey",
    overloads: &[one("string_jsonpatch_escapeKey_string", "(string) -> string", escape)],
    note: "A key as it stands in the path of a JSON patch.",
    examples: &[("jsonpatch.escapeKey('a/b~c')", "\"a~1b~0c\"")],
}];

fn escape<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::text(&text(&value).replace('~', "~0").replace('/', "~1")))
}
