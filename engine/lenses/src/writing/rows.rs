//! Functions as those see them who write: how one is called, what it does, examples.
//!
//! In: rows. Out: texts and JSON.

use engine_json::{Map, Value};

/// So many examples are shown.
const MAX_EXAMPLES: usize = 3;

/// `startsWith` and `string.(string) -> bool` as `string.startsWith(string) -> bool`.
pub(super) fn signature(name: &str, overload: &str) -> String {
    match overload.split_once(".(") {
        Some((receiver, rest)) if !overload.starts_with('(') => format!("{receiver}.{name}({rest}"),
        _ => format!("{name}{overload}"),
    }
}

/// Expressions and their values.
pub(super) fn examples(rows: &[(&str, &str)]) -> Value {
    let example = |(expression, value): &(&str, &str)| {
        let fields = [("expression", Value::from(*expression)), ("value", Value::from(*value))];
        Value::object(fields.into_iter().collect::<Map>())
    };
    Value::array(rows.iter().take(MAX_EXAMPLES).map(example).collect())
}
