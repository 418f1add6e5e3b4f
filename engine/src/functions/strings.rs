//! Functions on texts.

use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "to_upper",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "all letters in upper case",
        examples: &[("to_upper('nginx')", "\"NGINX\"")],
        run: |_, args| text(args, str::to_uppercase),
    },
    Function {
        name: "to_lower",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "all letters in lower case",
        examples: &[("to_lower('Nginx')", "\"nginx\"")],
        run: |_, args| text(args, str::to_lowercase),
    },
];

fn text(args: &[Argument<'_>], change: fn(&str) -> String) -> Result<Value, EvalError> {
    let text = args.first().and_then(Argument::text).unwrap_or("");
    Ok(Value::from(change(text)))
}

const _: fn(&mut Call<'_, '_>) = |_| {};
