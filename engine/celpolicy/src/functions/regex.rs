//! What regular expressions find (Kubernetes: `library/regex.go`).

use super::{many, text, two};
use engine_cel::cost;
use engine_cel::error::{Error, Kind, Outcome};
use engine_cel::function::{Function, Host, PatternErrors};
use engine_cel::value::Value;
use engine_values::re2::Refusal;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "find",
        overloads: &[two("string_find_string", "string.(string) -> string", find)
            .cost_by_name(cost::PATTERN)
            .pattern(1, PatternErrors::Always)],
        note: "What a regular expression fits first; empty where it fits nothing.",
        examples: &[("'abc 123'.find('[0-9]+')", "\"123\"")],
    },
    Function {
        name: "findAll",
        overloads: &[
            two("string_find_all_string", "string.(string) -> list(string)", |host, value, pattern| {
                find_all(host, &value, &pattern, -1)
            })
            .cost_by_name(cost::PATTERN)
            .pattern(1, PatternErrors::Always),
            many("string_find_all_string_int", "string.(string, int) -> list(string)", |host, args| {
                let [value, pattern, Value::Int(limit)] = args else { return Err(Error::no_overload()) };
                find_all(host, value, pattern, *limit)
            })
            .cost_by_name(cost::PATTERN)
            .pattern(1, PatternErrors::Always),
        ],
        note: "All that a regular expression fits, or so many of them.",
        examples: &[("'a1 b2 c3'.findAll('[0-9]', 2)", "[\"1\",\"2\"]")],
    },
];

fn found(
    host: &mut Host<'_>,
    value: &Value<'_>,
    pattern: &Value<'_>,
    limit: usize,
) -> Result<Vec<String>, Box<Error>> {
    let regex = host.regex(text(pattern)).map_err(|error| Error::text(format!("Illegal regex: {error}")))?;
    let refused = |_: Refusal| Error::new(Kind::Bound("the steps of a regular expression"));
    let found = regex.find_all(text(value), limit).map_err(refused)?;
    Ok(found.iter().map(|found| found.group(0).unwrap_or("").to_owned()).collect())
}

fn find<'v>(host: &mut Host<'_>, value: Value<'v>, pattern: Value<'v>) -> Outcome<'v> {
    Ok(Value::text(found(host, &value, &pattern, 1)?.first().map_or("", String::as_str)))
}

fn find_all<'v>(host: &mut Host<'_>, value: &Value<'_>, pattern: &Value<'_>, limit: i64) -> Outcome<'v> {
    // Go: FindAllString gives nothing for 0 and everything for what is below.
    let limit = if limit < 0 { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) };
    let found = if limit == 0 { Vec::new() } else { found(host, value, pattern, limit)? };
    host.charge(found.iter().map(|text| text.len() + size_of::<Value<'_>>() * 2).sum())?;
    Ok(Value::list(found.iter().map(|text| Value::text(text)).collect()))
}
