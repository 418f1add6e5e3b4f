//! Random texts (Kyverno: `libs/random`).

use super::native::string;
use super::{one, outside};
use engine_cel::error::{Error, Kind, Outcome};
use engine_cel::function::{Function, Host, Overload, Run};
use engine_cel::value::Value;
use engine_values::re2::{RandomError, random_text};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "random",
        overloads: &[
            one("random_string_non_prefixed", "(string) -> string", random),
            Overload::new("random_string_default_expr_non_prefixed", "() -> string").run(Run::Zero(default)),
        ],
        note: "A random text that fits a regular expression; without one eight digits and small letters.",
        examples: &[("random('ab{2}c')", "\"abbc\""), ("size(random())", "8")],
    },
    Function {
        name: "random.random",
        overloads: &[
            one("random_string_prefixed", "(string) -> string", random),
            Overload::new("random_string_default_expr_prefixed", "() -> string").run(Run::Zero(default)),
        ],
        note: "A random text that fits a regular expression; without one eight digits and small letters.",
        examples: &[("size(random.random('[a-z]{5}'))", "5")],
    },
];

fn random<'v>(host: &mut Host<'_>, pattern: Value<'v>) -> Outcome<'v> {
    generated(host, &string(&pattern).map_err(Error::text)?)
}

fn default(host: &mut Host<'_>) -> Outcome<'static> {
    generated(host, "[0-9a-z]{8}")
}

fn generated(host: &mut Host<'_>, pattern: &str) -> Outcome<'static> {
    let outside = host.outside;
    let mut bits = move || match outside::ask(outside, "random", &[]) {
        Ok(Value::Uint(bits)) => bits,
        _ => 0,
    };
    let made = random_text(pattern, &mut bits).map_err(|error| match error {
        RandomError::Pattern(reason) => Error::text(reason),
        RandomError::Refused(_) => Error::new(Kind::Bound("the parts of a random text")),
    })?;
    host.charge(made.value.len())?;
    Ok(Value::text(&made.value))
}
