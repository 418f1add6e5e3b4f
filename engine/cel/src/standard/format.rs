//! `format`: `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` (cel-go: `ext/formatting.go`).
//!
//! In: a text with clauses and a list of values. Out: the text with the values in it. Doubles are written as English has
//! them, with separators of thousands.

use super::convert::to_string;
use crate::error::{Error, Outcome};
use crate::function::Host;
use crate::value::{ListRef, MapRef, Value, duration_text};
use engine_json::arrange::Arrange as _;
use engine_values::go_text::{self, FloatFormat};
use std::fmt::Write;

/// More decimals are never written.
const MAX_PRECISION: usize = 100_000;

/// What is written for a clause: its letter, its precision, the argument.
pub(super) type Clause = fn(&mut Host<'_>, char, Option<usize>, &Value<'_>) -> Result<String, String>;

/// The text with all clauses replaced.
pub(super) fn format<'v>(host: &mut Host<'_>, text: Value<'v>, args: Value<'v>) -> Outcome<'v> {
    filled(host, &text, &args, write_clause)
}

/// The text with each clause replaced by what is written for it.
pub(super) fn filled<'v>(
    host: &mut Host<'_>,
    text: &Value<'v>,
    args: &Value<'v>,
    write: Clause,
) -> Outcome<'v> {
    let (Some(text), Some(args)) = (text.as_str(), args.as_list()) else { return Err(Error::no_overload()) };
    let mut out = String::new();
    let mut rest = text;
    let mut next = 0;
    while let Some((before, clause)) = rest.split_once('%') {
        out.push_str(before);
        if let Some(behind) = clause.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let arg = args.get(next).ok_or_else(|| Error::text(format!("index {next} out of range")))?;
        if clause.is_empty() {
            return Err(Error::text("unexpected end of string"));
        }
        let parsed =
            parse(clause).map_err(|e| Error::text(format!("could not parse formatting clause: {e}")))?;
        let (letter, precision, behind) = parsed;
        let written = write(host, letter, precision, &arg);
        let written = written.map_err(|e| Error::text(format!("error during formatting: {e}")))?;
        host.charge(written.len())?;
        out.push_str(&written);
        rest = behind;
        next += 1;
    }
    out.push_str(rest);
    host.charge(out.len())?;
    Ok(Value::Text(out.into()))
}

/// A clause behind its `%`: the letter, the precision, and what follows.
// cel-go: parseFormattingClause, byte by byte: of a longer character the first byte is named.
pub(super) fn parse(clause: &str) -> Result<(char, Option<usize>, &str), String> {
    let mut rest = clause;
    let mut precision = None;
    if let Some(behind) = clause.strip_prefix('.') {
        let end = behind.bytes().position(|byte| !byte.is_ascii_digit());
        let Some((digits, behind)) = end.and_then(|end| behind.split_at_checked(end)) else {
            return Err("error while parsing precision: could not find end of precision specifier".to_owned());
        };
        let number = go_text::atoi(digits).map_err(|error| {
            format!("error while parsing precision: error while converting precision to integer: {error}")
        })?;
        precision = Some(usize::try_from(number).unwrap_or(usize::MAX).min(MAX_PRECISION));
        rest = behind;
    }
    let letter = rest.bytes().next().map_or('\0', char::from);
    match letter {
        's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' => Ok((letter, precision, rest.get(1..).unwrap_or(""))),
        other => Err(format!("unrecognized formatting clause \"{other}\"")),
    }
}

fn write_clause(
    host: &mut Host<'_>,
    letter: char,
    precision: Option<usize>,
    arg: &Value<'_>,
) -> Result<String, String> {
    match letter {
        's' => string(host, arg),
        'd' => decimal(arg),
        'f' => {
            Ok(fixed(number(arg, "fixed-point clause can only be used on doubles")?, precision.unwrap_or(6)))
        }
        'e' => {
            let value = number(arg, "scientific clause can only be used on doubles")?;
            Ok(scientific(value, precision.unwrap_or(6)))
        }
        'b' => match arg {
            Value::Bool(b) => Ok(u8::from(*b).to_string()),
            _ => whole(arg, "only integers and bools can be formatted as binary", |n| format!("{n:b}")),
        },
        'o' => whole(arg, "octal clause can only be used on integers", |n| format!("{n:o}")),
        upper => hex(arg, "only integers, byte buffers, and strings can be formatted as hex", upper == 'X'),
    }
}

/// A whole number by its size, a minus before it.
pub(super) fn whole(arg: &Value<'_>, wrong: &str, write: fn(u64) -> String) -> Result<String, String> {
    match arg {
        Value::Int(i) if *i < 0 => Ok(format!("-{}", write(i.unsigned_abs()))),
        Value::Int(i) => Ok(write(i.unsigned_abs())),
        Value::Uint(u) => Ok(write(*u)),
        other => Err(format!("{wrong}, was given {}", other.type_name())),
    }
}

pub(super) fn hex(arg: &Value<'_>, wrong: &str, upper: bool) -> Result<String, String> {
    let lower = match arg.as_str().map(str::as_bytes).or_else(|| arg.as_bytes()) {
        Some(bytes) => bytes.iter().fold(String::new(), |mut out, byte| {
            // Writing to a string cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        }),
        None => whole(arg, wrong, |n| format!("{n:x}"))?,
    };
    Ok(if upper { lower.to_ascii_uppercase() } else { lower })
}

fn decimal(arg: &Value<'_>) -> Result<String, String> {
    match arg {
        Value::Int(i) => Ok(i.to_string()),
        Value::Uint(u) => Ok(u.to_string()),
        other => Err(format!("decimal clause can only be used on integers, was given {}", other.type_name())),
    }
}

/// The double of `%f` and `%e`, for which three words stand too.
fn number(arg: &Value<'_>, wrong: &str) -> Result<f64, String> {
    match (arg, arg.as_str()) {
        (Value::Double(d), _) => Ok(*d),
        (_, Some("NaN")) => Ok(f64::NAN),
        (_, Some("Infinity")) => Ok(f64::INFINITY),
        (_, Some("-Infinity")) => Ok(f64::NEG_INFINITY),
        (other, _) => Err(format!("{wrong}, was given {}", other.type_name())),
    }
}

/// What English writes for a double that is not a number.
fn not_finite(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

// golang.org/x/text/message with the locale en_US.
fn fixed(value: f64, precision: usize) -> String {
    if let Some(word) = not_finite(value) {
        return word.to_owned();
    }
    let text = go_text::format_float(value.abs(), FloatFormat::Fixed, Some(precision));
    let (digits, decimals) = text.split_once('.').map_or((text.as_str(), ""), |(d, r)| (d, r));
    let mut out = String::from(if value < 0.0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !decimals.is_empty() {
        out.push('.');
        out.push_str(decimals);
    }
    out
}

/// The precision is taken as a least width; the digits are always six.
fn scientific(value: f64, width: usize) -> String {
    let text = if let Some(word) = not_finite(value) {
        word.to_owned()
    } else {
        let text = go_text::format_float(value, FloatFormat::LowerExponent, Some(6));
        let text = if value == 0.0 { text.trim_start_matches('-').to_owned() } else { text };
        let (digits, exponent) = text.split_once('e').unwrap_or((text.as_str(), "+00"));
        format!("{digits}×10{}", exponent.chars().filter_map(superscript).collect::<String>())
    };
    let missing = width.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(missing))
}

fn superscript(c: char) -> Option<char> {
    match c {
        '-' => Some('⁻'),
        '0' => Some('⁰'),
        '1' => Some('¹'),
        '2' => Some('²'),
        '3' => Some('³'),
        '4' => Some('⁴'),
        '5' => Some('⁵'),
        '6' => Some('⁶'),
        '7' => Some('⁷'),
        '8' => Some('⁸'),
        '9' => Some('⁹'),
        _ => None,
    }
}

// cel-go: FormatString.
fn string(host: &mut Host<'_>, arg: &Value<'_>) -> Result<String, String> {
    match arg {
        Value::Null => Ok("null".to_owned()),
        Value::List(_) | Value::JsonList(..) | Value::Map(_) | Value::JsonMap(..) => nested(host, arg),
        Value::Optional(_) | Value::Opaque(_) => {
            let what = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
            Err(format!("{what}, was given {}", arg.type_name()))
        }
        other => match to_string(host, other.clone()) {
            Ok(text) => Ok(text.as_str().unwrap_or("").to_owned()),
            Err(error) => {
                Err(format!("could not convert argument {} to string", go_text::quote(&error.to_string())))
            }
        },
    }
}

/// A value within a list or a map, as it would be written in an expression. The depth is that of the value.
// cel-go: clauseForType, quoteForCEL.
fn nested(host: &mut Host<'_>, value: &Value<'_>) -> Result<String, String> {
    if let Some(list) = value.as_list() {
        return elements(host, list);
    }
    if let Some(map) = value.as_map() {
        return entries(host, map);
    }
    match value {
        Value::Double(d) if d.is_finite() => Ok(go_text::format_float(*d, FloatFormat::Fixed, Some(6))),
        Value::Double(d) => Ok(go_text::quote(&go_text::float_f(*d))),
        Value::Timestamp(at) => Ok(format!("timestamp({})", go_text::quote(&at.to_rfc3339()))),
        Value::Duration(d) => Ok(format!("duration({})", go_text::quote(&duration_text(*d)))),
        Value::Optional(_) | Value::Opaque(_) => {
            Err(format!("no formatting function for {}", value.type_name()))
        }
        Value::Str(_) | Value::Text(_) => Ok(go_text::quote(value.as_str().unwrap_or(""))),
        Value::Bytes(_) | Value::Octets(_) => Ok(format!("b{}", go_text::quote(&string(host, value)?))),
        other => string(host, other),
    }
}

fn elements(host: &mut Host<'_>, list: ListRef<'_, '_>) -> Result<String, String> {
    let mut parts = Vec::with_capacity(list.len());
    for element in list.iter() {
        parts.push(nested(host, &element)?);
    }
    Ok(format!("[{}]", parts.join(", ")))
}

fn entries(host: &mut Host<'_>, map: MapRef<'_, '_>) -> Result<String, String> {
    let mut parts = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        let key = match &key {
            Value::Str(_) | Value::Text(_) | Value::Bool(_) => nested(host, &key)?,
            Value::Int(_) | Value::Uint(_) => decimal(&key)?,
            other => return Err(format!("no formatting function for map key of type {}", other.type_name())),
        };
        parts.push((key, nested(host, &value)?));
    }
    parts.arrange();
    let parts: Vec<String> = parts.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(format!("{{{}}}", parts.join(", ")))
}
