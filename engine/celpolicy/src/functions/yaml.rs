//! YAML read as Kubernetes does (Kyverno: `libs/yaml`).

use super::native::from_json;
use super::{text, two};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Numbers, Value};

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "parse",
    overloads: &[two("parse_string_dyn", "yaml.Yaml.(string) -> dyn", parse)],
    note: "The value that a YAML text is; its numbers are doubles.",
    examples: &[("yaml.parse('a: [1, yes]').a", "[1,true]")],
}];

fn parse<'v>(host: &mut Host<'_>, _: Value<'v>, value: Value<'v>) -> Outcome<'v> {
    let text = text(&value);
    host.charge(text.len())?;
    let value = engine_yaml::parse_one(text).map_err(|error| {
        let original = &error.original;
        Error::text(format!("error converting YAML to JSON: {original}"))
    })?;
    Ok(from_json(&value, Numbers::Doubles))
}
