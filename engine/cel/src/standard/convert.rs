//! From one type to another.

use crate::cost;
use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::convert::{int_of_double, uint_of_double};
use crate::value::{Timestamp, Value, duration_text};
use engine_values::Duration;
use engine_values::go_text;
use engine_values::time::Time;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "type",
        overloads: &[Overload::new("type", "(A) -> type(A)").run(Run::One(type_of)).unguarded()],
        note: "The type of a value, as a value.",
        examples: &[("type(1) == int", "true")],
    },
    Function {
        name: "bool",
        overloads: &[
            Overload::new("bool_to_bool", "(bool) -> bool").run(Run::One(same)),
            Overload::new("string_to_bool", "(string) -> bool").run(Run::One(to_bool)),
        ],
        note: "A bool; `1`, `t`, `true`, `0`, `f`, `false` and their capitals as text.",
        examples: &[("bool('true')", "true")],
    },
    Function {
        name: "bytes",
        overloads: &[
            Overload::new("bytes_to_bytes", "(bytes) -> bytes").run(Run::One(same)),
            Overload::new("string_to_bytes", "(string) -> bytes").run(Run::One(to_bytes)).cost(cost::TEXT),
        ],
        note: "The bytes of a string in UTF-8.",
        examples: &[("bytes('a') == b'a'", "true")],
    },
    Function {
        name: "double",
        overloads: &[
            Overload::new("double_to_double", "(double) -> double").run(Run::One(same)),
            Overload::new("int64_to_double", "(int) -> double").run(Run::One(to_double)),
            Overload::new("string_to_double", "(string) -> double").run(Run::One(to_double)),
            Overload::new("uint64_to_double", "(uint) -> double").run(Run::One(to_double)),
        ],
        note: "A floating-point number.",
        examples: &[("double(3)", "3"), ("double('1e3')", "1000")],
    },
    Function {
        name: "duration",
        overloads: &[
            Overload::new("duration_to_duration", "(duration) -> duration").run(Run::One(same)),
            Overload::new("string_to_duration", "(string) -> duration").run(Run::One(to_duration)),
        ],
        note: "A duration, of text with units from `ns` to `h`.",
        examples: &[("duration('1h30m')", "\"5400s\"")],
    },
    Function {
        name: "dyn",
        overloads: &[Overload::new("to_dyn", "(A) -> dyn").run(Run::One(same))],
        note: "The same value, not checked for its type.",
        examples: &[("dyn(1) == 'a'", "false")],
    },
    Function {
        name: "int",
        overloads: &[
            Overload::new("int64_to_int64", "(int) -> int").run(Run::One(same)),
            Overload::new("double_to_int64", "(double) -> int").run(Run::One(to_int)),
            Overload::new("duration_to_int64", "(duration) -> int").run(Run::One(to_int)),
            Overload::new("string_to_int64", "(string) -> int").run(Run::One(to_int)),
            Overload::new("timestamp_to_int64", "(timestamp) -> int").run(Run::One(to_int)),
            Overload::new("uint64_to_int64", "(uint) -> int").run(Run::One(to_int)),
        ],
        note: "A whole number; of a time the seconds since 1970, of a duration the nanoseconds.",
        examples: &[("int('-12')", "-12"), ("int(1.9)", "1")],
    },
    Function {
        name: "string",
        overloads: &[
            Overload::new("string_to_string", "(string) -> string").run(Run::One(same)),
            Overload::new("bool_to_string", "(bool) -> string").run(Run::One(to_string)),
            Overload::new("bytes_to_string", "(bytes) -> string").run(Run::One(to_string)).cost(cost::TEXT),
            Overload::new("double_to_string", "(double) -> string").run(Run::One(to_string)),
            Overload::new("duration_to_string", "(duration) -> string").run(Run::One(to_string)),
            Overload::new("int64_to_string", "(int) -> string").run(Run::One(to_string)),
            Overload::new("timestamp_to_string", "(timestamp) -> string").run(Run::One(to_string)),
            Overload::new("uint64_to_string", "(uint) -> string").run(Run::One(to_string)),
        ],
        note: "The text of a value.",
        examples: &[("string(1.5)", "\"1.5\""), ("string(duration('1m'))", "\"60s\"")],
    },
    Function {
        name: "timestamp",
        overloads: &[
            Overload::new("timestamp_to_timestamp", "(timestamp) -> timestamp").run(Run::One(same)),
            Overload::new("int64_to_timestamp", "(int) -> timestamp").run(Run::One(to_timestamp)),
            Overload::new("string_to_timestamp", "(string) -> timestamp").run(Run::One(to_timestamp)),
        ],
        note: "A point in time, of RFC 3339 text or seconds since 1970.",
        examples: &[("timestamp('2024-02-29T12:30:45Z') == timestamp(1709209845)", "true")],
    },
    Function {
        name: "uint",
        overloads: &[
            Overload::new("uint64_to_uint64", "(uint) -> uint").run(Run::One(same)),
            Overload::new("double_to_uint64", "(double) -> uint").run(Run::One(to_uint)),
            Overload::new("int64_to_uint64", "(int) -> uint").run(Run::One(to_uint)),
            Overload::new("string_to_uint64", "(string) -> uint").run(Run::One(to_uint)),
        ],
        note: "A whole number without a sign.",
        examples: &[("uint('3') + 1u", "4")],
    },
];

/// The same value.
pub(super) fn same<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(value)
}

fn type_of<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(match value {
        Value::Map(map) if map.type_name.is_some() => Value::Type("type"),
        Value::Opaque(opaque) => Value::Type(opaque.asked_type().map_err(Error::text)?),
        other => Value::Type(built_in(&other)),
    })
}

/// The name of a type that every environment has.
fn built_in(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null_type",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Uint(_) => "uint",
        Value::Double(_) => "double",
        Value::Str(_) | Value::Text(_) => "string",
        Value::Bytes(_) | Value::Octets(_) => "bytes",
        Value::Duration(_) => "google.protobuf.Duration",
        Value::Timestamp(_) => "google.protobuf.Timestamp",
        Value::Type(_) => "type",
        Value::Optional(_) => "optional_type",
        Value::JsonList(..) | Value::List(_) => "list",
        Value::JsonMap(..) | Value::Map(_) | Value::Opaque(_) => "map",
    }
}

/// The error of a conversion that fails.
fn fails<'v>(of: &Value<'_>, to: &str) -> Outcome<'v> {
    Err(Error::text(format!("type conversion error from '{}' to '{to}'", of.type_name())))
}

// Go: strconv.ParseBool.
fn to_bool<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value.as_str() {
        Some("1" | "t" | "T" | "TRUE" | "true" | "True") => Ok(Value::Bool(true)),
        Some("0" | "f" | "F" | "FALSE" | "false" | "False") => Ok(Value::Bool(false)),
        _ => fails(&value, "bool"),
    }
}

fn to_bytes<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match &value {
        Value::Str(text) => Ok(Value::Bytes(text.as_bytes())),
        Value::Text(text) => {
            host.charge(text.len())?;
            Ok(Value::Octets(text.as_bytes().into()))
        }
        _ => fails(&value, "bytes"),
    }
}

fn to_double<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match &value {
        Value::Int(i) => Ok(Value::Double(*i as f64)),
        Value::Uint(u) => Ok(Value::Double(*u as f64)),
        other => match other.as_str().map(go_text::parse_float) {
            Some(Ok(double)) => Ok(Value::Double(double)),
            _ => fails(&value, "double"),
        },
    }
}

fn to_int<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let overflow = || Error::text("integer overflow");
    match &value {
        Value::Double(d) => int_of_double(*d).map(Value::Int).ok_or_else(overflow),
        Value::Uint(u) => i64::try_from(*u).map(Value::Int).map_err(|_| overflow()),
        Value::Duration(nanoseconds) => Ok(Value::Int(*nanoseconds)),
        Value::Timestamp(at) => Ok(Value::Int(at.seconds)),
        other => match other.as_str().map(go_text::parse_int) {
            Some(Ok(int)) => Ok(Value::Int(int)),
            _ => fails(&value, "int"),
        },
    }
}

fn to_uint<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let overflow = || Error::text("unsigned integer overflow");
    match &value {
        Value::Double(d) => uint_of_double(*d).map(Value::Uint).ok_or_else(overflow),
        Value::Int(i) => u64::try_from(*i).map(Value::Uint).map_err(|_| overflow()),
        other => match other.as_str().map(go_text::parse_uint) {
            Some(Ok(uint)) => Ok(Value::Uint(uint)),
            _ => fails(&value, "uint"),
        },
    }
}

/// The text of a value, as `string()` gives it.
pub(super) fn to_string<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let text = match &value {
        Value::Str(_) | Value::Text(_) => return Ok(value),
        Value::Bool(b) => return Ok(Value::Str(if *b { "true" } else { "false" })),
        Value::Duration(nanoseconds) => duration_text(*nanoseconds),
        Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Timestamp(_) | Value::Type(_) => {
            value.to_string()
        }
        other => match other.as_bytes().map(std::str::from_utf8) {
            Some(Ok(text)) => text.to_owned(),
            Some(Err(_)) => return Err(Error::text("invalid UTF-8 in bytes, cannot convert to string")),
            None => return fails(&value, "string"),
        },
    };
    host.charge(text.len())?;
    Ok(Value::Text(text.into()))
}

pub(super) fn to_duration<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value.as_str().map(Duration::parse) {
        Some(Ok(duration)) => Ok(Value::Duration(duration.0)),
        _ => fails(&value, "google.protobuf.Duration"),
    }
}

fn to_timestamp<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value.as_str() {
        Some(text) if !is_strict(text.as_bytes()) => {
            Err(Error::text(format!("invalid RFC 3339 timestamp {}", go_text::quote(text))))
        }
        _ => to_any_timestamp(host, value),
    }
}

/// The same of whatever Go's reader takes.
fn to_any_timestamp<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    const OVERFLOW: &str = "timestamp overflow";
    if let Value::Int(seconds) = value {
        return Timestamp::from_seconds(seconds).map(Value::Timestamp).ok_or_else(|| Error::text(OVERFLOW));
    }
    let text = value.as_str().unwrap_or("");
    match Time::parse_rfc3339(text) {
        Ok(at) if !(Timestamp::MIN..=Timestamp::MAX).contains(&at.unix) => Err(Error::text(OVERFLOW)),
        Ok(at) => Ok(Value::Timestamp(Timestamp {
            seconds: at.unix,
            nanoseconds: at.nanoseconds,
            offset: at.offset,
        })),
        Err(_) => fails(&value, "google.protobuf.Timestamp"),
    }
}

/// `timestamp` as cel-go had it before 0.30, and has it where `StrictTimestampParsing` is off.
pub(super) const ANY_TIMESTAMP: &[Function] = &[Function {
    name: "timestamp",
    overloads: &[
        Overload::new("timestamp_to_timestamp", "(timestamp) -> timestamp").run(Run::One(same)),
        Overload::new("int64_to_timestamp", "(int) -> timestamp").run(Run::One(to_any_timestamp)),
        Overload::new("string_to_timestamp", "(string) -> timestamp").run(Run::One(to_any_timestamp)),
    ],
    note: "A point in time, of text as Go reads RFC 3339, or of seconds since 1970.",
    examples: &[("timestamp('2024-02-29T12:30:45,5Z') > timestamp(1709209845)", "true")],
}];

/// Whether a text has the shape of RFC 3339, which Go's reader takes less strictly.
// cel-go: timestamp.go isStrictRFC3339.
fn is_strict(text: &[u8]) -> bool {
    let number = |from: usize, most: u32, least: u32| {
        let digits = text.get(from..from + 2).unwrap_or(b"");
        let value = digits
            .iter()
            .try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')));
        !digits.is_empty() && value.is_some_and(|value| (least..=most).contains(&value))
    };
    let is = |at: usize, byte: u8| text.get(at).is_some_and(|found| found.eq_ignore_ascii_case(&byte));
    let date = number(0, 99, 0) && number(2, 99, 0) && is(4, b'-') && number(5, 12, 1) && is(7, b'-');
    let time = number(8, 31, 1) && is(10, b'T') && number(11, 23, 0) && is(13, b':') && number(14, 59, 0);
    if !(date && time && is(16, b':') && number(17, 60, 0)) {
        return false;
    }
    let mut at = 19;
    if is(at, b'.') {
        let digits = text.iter().skip(20).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        at = 20 + digits;
    }
    if text.len() == at + 1 {
        return is(at, b'Z');
    }
    text.len() == at + 6
        && (is(at, b'+') || is(at, b'-'))
        && number(at + 1, 23, 0)
        && is(at + 3, b':')
        && number(at + 4, 59, 0)
}
