//! Floats as go-yaml writes them: as Go's `%g`, with names of their own for what is not a number.

use engine_json::float::{FloatFormat, float_v, format_float32};

/// The text of a float.
pub(crate) fn float(number: f64) -> String {
    named(number).map_or_else(|| float_v(number), str::to_owned)
}

/// The text of a float of 32 bits.
pub(crate) fn float32(number: f32) -> String {
    named(f64::from(number)).map_or_else(|| format_float32(number, FloatFormat::General), str::to_owned)
}

fn named(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some(".inf"),
        f64::NEG_INFINITY => Some("-.inf"),
        _ if number.is_nan() => Some(".nan"),
        _ => None,
    }
}
