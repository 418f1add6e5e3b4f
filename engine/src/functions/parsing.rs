//! Texts as values: `parse_json`, `parse_yaml`.
//!
//! In: `'{"a": 012}'` as YAML. Out: `{"a":10}`; every number is a `float64`, as where Go reads JSON.

use super::arguments::text;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "parse_json",
        args: &[Arg::STRING],
        returns: &[Kind::Any],
        note: "the value that the JSON text stands for",
        examples: &[("parse_json('[1,{\"a\":null}]')", r#"[1,{"a":null}]"#)],
        run: parse_json,
    },
    Function {
        name: "parse_yaml",
        args: &[Arg::STRING],
        returns: &[Kind::Any],
        note: "the value that the YAML text stands for, read as Kubernetes reads it",
        examples: &[
            ("parse_yaml('a: yes')", r#"{"a":true}"#),
            ("parse_yaml('[012, 1_0, ~]')", "[10,10,null]"),
        ],
        run: parse_yaml,
    },
];

fn parse_json(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let json = text("parse_json", arguments, 0)?;
    call.charge(json.len() / 4)?;
    let value = engine_json::parse(json).map_err(|error| EvalError::other(error.message))?;
    Ok(value.with_float_numbers())
}

fn parse_yaml(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let yaml = text("parse_yaml", arguments, 0)?;
    call.charge(yaml.len() / 2)?;
    let value = engine_yaml::parse_one(yaml).map_err(|error| EvalError::other(error.original))?;
    Ok(value.with_float_numbers())
}
