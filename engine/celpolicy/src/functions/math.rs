//! `math.round` (Kyverno: `libs/math`).

use super::two;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;
use engine_values::go_text::power_of_ten;

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "math.round",
    overloads: &[two("math_round_float_int", "(double, int) -> double", round)],
    note: "The number rounded to so many decimals.",
    examples: &[
        ("math.round(10.125, 2)", "10.13"),
        ("math.round(12345.6, -2)", "12300"),
        ("math.round(1e300, -300) > 1e300", "true"),
    ],
}];

fn round<'v>(_: &mut Host<'_>, value: Value<'v>, places: Value<'v>) -> Outcome<'v> {
    let (Value::Double(value), Value::Int(places)) = (value, places) else {
        return Err(Error::no_overload());
    };
    let shift = power_of_ten(places);
    Ok(Value::Double((value * shift).round() / shift))
}
