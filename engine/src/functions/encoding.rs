//! Base64 in the standard alphabet with padding: `base64_decode`, `base64_encode`.
//!
//! In: `aGk=`. Out: `hi`; or `illegal base64 data at input byte 3`. Bytes that are not UTF-8 become U+FFFD each: the
//! values of this engine are texts, where Go's hold any bytes until they are printed.
//!
//! Mirrors: Go's `encoding/base64` (`StdEncoding`), whose error names a byte in ways of its own.

use super::arguments::text;
use crate::value::base64::{decode, encode};
use crate::value::go_text::go_text_of;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "base64_decode",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "the text that the base64 stands for; each byte that is not UTF-8 is U+FFFD in it",
        examples: &[("base64_decode('aGVsbG8=')", "\"hello\"")],
        run: base64_decode,
    },
    Function {
        name: "base64_encode",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "the text as base64",
        examples: &[("base64_encode('hello')", "\"aGVsbG8=\""), ("base64_encode('')", "\"\"")],
        run: base64_encode,
    },
];

fn base64_decode(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    // Kyverno: the functions that hash and encode give their checks an empty name.
    let encoded = text("", arguments, 0)?;
    call.charge(encoded.len() / 16)?;
    let bytes = decode(encoded.as_bytes())
        .map_err(|at| EvalError::other(format!("illegal base64 data at input byte {at}")))?;
    if std::str::from_utf8(&bytes).is_err() {
        call.lose_bytes();
    }
    let decoded = go_text_of(&bytes);
    call.check_text(decoded.len())?;
    Ok(Value::from(decoded))
}

fn base64_encode(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let plain = text("", arguments, 0)?;
    call.charge(plain.len() / 16)?;
    call.check_bytes(plain)?;
    call.check_text(plain.len() / 3 * 4 + 4)?;
    Ok(Value::from(encode(plain.as_bytes())))
}
