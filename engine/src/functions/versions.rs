//! `semver_compare`: whether a version lies in a range.
//!
//! Example: `semver_compare('1.2.3', '>=1.0.0 <2.0.0')` is true; a text that is not a version counts as 0.0.0.

use super::arguments::text;
use crate::value::semver::{Range, Version};
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "semver_compare",
    args: &[Arg::STRING, Arg::STRING],
    returns: &[Kind::Bool],
    note: "whether the version lies in the range",
    examples: &[
        ("semver_compare('4.1.3', '>=4.1.x')", "true"),
        ("semver_compare('1.2.3', '>2.0.0 || <1.0.0')", "false"),
        ("semver_compare('v1.2.3', '<0.0.1')", "true"),
    ],
    run: semver_compare,
}];

fn semver_compare(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (version, range) = (text("semver_compare", arguments, 0)?, text("semver_compare", arguments, 1)?);
    call.charge((version.len() + range.len()) / 4)?;
    // Kyverno: jpSemverCompare drops the error of the version and goes on with 0.0.0.
    let version = Version::parse(version).unwrap_or_default();
    let range = Range::parse(range).map_err(|error| EvalError::other(error.to_string()))?;
    Ok(Value::Bool(range.contains(&version)))
}
