//! JSON written and read by Go (Kyverno: `libs/json`).

use super::native::{from_json, json_text, string};
use super::two;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Numbers, Value};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "unmarshal",
        overloads: &[two("unmarshal_string_dyn", "json.Json.(dyn) -> dyn", unmarshal)],
        note: "The value that a JSON text is; its numbers are doubles.",
        examples: &[("json.unmarshal('{\"a\": [1]}').a[0]", "1")],
    },
    Function {
        name: "marshal",
        overloads: &[two("marshal_dyn_string", "json.Json.(dyn) -> string", marshal)],
        note: "The value as JSON text.",
        examples: &[("json.marshal([1, 2])", "\"[1,2]\"")],
    },
];

pub(super) fn unmarshal<'v>(host: &mut Host<'_>, _: Value<'v>, text: Value<'v>) -> Outcome<'v> {
    let text = string(&text).map_err(Error::text)?;
    host.charge(text.len())?;
    let value = engine_json::parse_floats(&text).map_err(|error| Error::text(error.to_string()))?;
    Ok(from_json(&value, Numbers::Doubles))
}

fn marshal<'v>(host: &mut Host<'_>, _: Value<'v>, value: Value<'v>) -> Outcome<'v> {
    let text = json_text(&value).map_err(Error::text)?;
    host.charge(text.len())?;
    Ok(Value::text(&text))
}
