//! Floats as Go prints them with `%g`.
//!
//! In: a float and its shortest digits in Rust's `{:e}`. Out: `1e+06` for 1000000, `0.0001`, `.inf`.

/// The text of `number`, whose shortest form is `scientific`, such as `1.5e-7`.
// Go: strconv.FormatFloat(f, 'g', -1, …): an exponent below -4 or from 6 on is written as one.
pub(crate) fn go_float(number: f64, scientific: &str) -> String {
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        return with_exponent(mantissa, exponent);
    }
    plain(mantissa, exponent)
}

fn digits_of(mantissa: &str) -> i32 {
    i32::try_from(mantissa.bytes().filter(u8::is_ascii_digit).count()).unwrap_or(i32::MAX)
}

fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", zeros(-exponent - 1));
    }
    let whole = usize::try_from(exponent).unwrap_or(0) + 1;
    match digits.split_at_checked(whole) {
        Some((digits, "")) => format!("{sign}{digits}"),
        Some((head, tail)) => format!("{sign}{head}.{tail}"),
        None => format!("{sign}{digits}{}", zeros(exponent + 1 - digits_of(&digits))),
    }
}
