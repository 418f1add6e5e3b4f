//! Numbers from text, as Go's `strconv` reads them.
//!
//! In: `0x1p4`, `1_0`, `Inf`, `1e400`. Out: 16, 10, infinity, nothing.

/// What `strconv.ParseFloat(text, 64)` gives; `None` where it reports an error, also for numbers beyond the range.
pub fn parse_float(text: &str) -> Option<f64> {
    if text.contains('_') {
        return if underscores_separate_digits(text) { parse_plain(&text.replace('_', "")) } else { None };
    }
    parse_plain(text)
}

fn parse_plain(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let value = parse_hex(digits)?;
        return Some(if negative { -value } else { value });
    }
    let lower = unsigned.to_ascii_lowercase();
    if lower == "nan" {
        return (unsigned.len() == text.len()).then_some(f64::NAN);
    }
    if lower == "inf" || lower == "infinity" {
        return Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether each underscore stands between digits, or between the prefix of a base and a digit.
// Go: strconv/atoi.go underscoreOK.
fn underscores_separate_digits(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase();
    let prefixed = ["0x", "0o", "0b"].into_iter().find_map(|prefix| unsigned.strip_prefix(prefix));
    let is_hex = unsigned.starts_with("0x");
    let (mut after_digit, mut after_underscore) = (prefixed.is_some(), false);
    for c in prefixed.unwrap_or(&unsigned).chars() {
        let is_digit = c.is_ascii_digit() || is_hex && c.is_ascii_hexdigit();
        if c == '_' && !after_digit || after_underscore && !is_digit {
            return false;
        }
        (after_digit, after_underscore) = (is_digit, c == '_');
    }
    !after_underscore
}

/// The digits, point and binary exponent behind `0x`.
// Go: strconv/atof.go readFloat and atofHex.
fn parse_hex(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let exponent = binary_exponent(exponent)?;
    let (mut mantissa, mut scale, mut seen, mut point) = (0_u64, 0_i64, false, false);
    for c in digits.chars() {
        if c == '.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16)?);
        seen = true;
        if mantissa >> 59 == 0 {
            mantissa = mantissa << 4 | digit;
            scale -= if point { 4 } else { 0 };
        } else {
            mantissa |= u64::from(digit != 0); // keeps the rounding right
            scale += if point { 0 } else { 4 };
        }
    }
    let value = scale_by_two(mantissa, scale.saturating_add(exponent));
    (seen && value.is_finite()).then_some(value)
}

fn binary_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().unwrap_or(i64::MAX).min(100_000);
    Some(if text.starts_with('-') { -size } else { size })
}

/// `mantissa * 2^exponent`, rounded once for all but subnormal results.
fn scale_by_two(mantissa: u64, exponent: i64) -> f64 {
    let mut value = mantissa as f64;
    let mut left = exponent.clamp(-3000, 3000);
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-1000, 1000);
        value *= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        left -= step;
    }
    value
}

/// What `strconv.Atoi` gives; the error is its text without the function's name.
pub fn parse_int(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("parsing {text:?}: invalid syntax"));
    }
    text.parse().map_err(|_| format!("parsing {text:?}: value out of range"))
}
