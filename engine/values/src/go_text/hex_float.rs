//! Hexadecimal floats such as `0x1.8p+3`: the texts that Go reads and Rust's own reader does not.
//!
//! In: the text without underscores. Out: the nearest float, half to even; infinite when it is too large; `None`
//! when the text is not of this form. `parse("0x1.8p1")` is 3.
//!
//! Mirrors: Go's `strconv.ParseFloat` (internal/strconv `readFloat`, `atofHex`).

/// How many hexadecimal digits of the mantissa 64 bits hold; later ones only decide the rounding.
const MANTISSA_DIGITS: usize = 16;

/// Whether the text is to be read as hexadecimal.
pub(super) fn is_hex(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    body.starts_with("0x") || body.starts_with("0X")
}

/// Reads sign, `0x`, digits with at most one point, and the exponent, which Go demands.
pub(super) fn parse(text: &str) -> Option<f64> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let body = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X"))?;
    let (mantissa, exponent) = body.split_once(['p', 'P'])?;
    let exponent = read_exponent(exponent)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut bits: u64 = 0;
    let (mut held, mut dropped, mut is_inexact) = (0, 0_i64, false);
    for c in whole.chars().chain(fraction.chars()) {
        let digit = c.to_digit(16)?;
        if held == 0 && digit == 0 {
            continue;
        }
        if held < MANTISSA_DIGITS {
            bits = bits << 4 | u64::from(digit);
            held += 1;
        } else {
            dropped += 1;
            is_inexact |= digit != 0;
        }
    }
    let places = i64::try_from(fraction.len()).ok()?;
    let value = round(bits, exponent + 4 * (dropped - places), is_inexact);
    Some(if text.starts_with('-') { -value } else { value })
}

/// The decimal exponent, held where every float has long become zero or infinite.
fn read_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(
        0,
        |size: i64, byte| {
            if size < 10_000 { size * 10 + i64::from(byte - b'0') } else { size }
        },
    );
    Some(if text.starts_with('-') { -size } else { size })
}

/// `bits × 2^exponent`, plus a little if `is_inexact`, as the nearest float.
fn round(bits: u64, exponent: i64, is_inexact: bool) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let width = i64::from(64 - bits.leading_zeros());
    let leading = exponent.saturating_add(width - 1);
    if leading > 1023 {
        return f64::INFINITY;
    }
    // Below the normal range a float has fewer bits than 53.
    let kept = if leading >= -1022 { 53 } else { 53 - (-1022 - leading) };
    if kept < 0 {
        return 0.0;
    }
    let shift = width - kept;
    if shift <= 0 {
        return scale(bits, exponent);
    }
    let (high, rest, half) = match u32::try_from(shift) {
        Ok(shift @ 1..64) => (bits >> shift, bits & ((1 << shift) - 1), 1_u64 << (shift - 1)),
        _ => (0, bits, 1 << 63),
    };
    let is_up = rest > half || rest == half && (is_inexact || high & 1 == 1);
    scale(high + u64::from(is_up), exponent + shift)
}

/// `bits × 2^exponent`, which is a float or beyond the largest; two steps, so that no half-way result is subnormal.
fn scale(bits: u64, exponent: i64) -> f64 {
    let power = |n: i64| f64::from_bits(u64::try_from(n.clamp(-1022, 1023) + 1023).unwrap_or(0) << 52);
    let first = exponent / 2;
    bits as f64 * power(first) * power(exponent - first)
}
