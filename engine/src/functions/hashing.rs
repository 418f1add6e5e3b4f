//! Hashes of texts in hexadecimal digits: `sha256`, `sha1`, `md5`.
//!
//! Example: `md5('a')` is `0cc175b9c0f1b6a831c399e269772661`.

use super::arguments::text;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt::Write;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "sha256",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "the SHA-256 hash of the text",
        examples: &[("sha256('a')", "\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\"")],
        run: hash::<Sha256>,
    },
    Function {
        name: "sha1",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "the SHA-1 hash of the text",
        examples: &[("sha1('a')", "\"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\"")],
        run: hash::<Sha1>,
    },
    Function {
        name: "md5",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "the MD5 hash of the text",
        examples: &[("md5('a')", "\"0cc175b9c0f1b6a831c399e269772661\"")],
        run: hash::<Md5>,
    },
];

fn hash<D: Digest>(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    Ok(digits(&D::digest(hashed(call, arguments)?)))
}

/// The bytes of the text that is to be hashed.
fn hashed<'t>(call: &mut Call<'_, '_>, arguments: &'t [Argument<'_>]) -> Result<&'t [u8], EvalError> {
    // Kyverno: the functions that hash and encode give their checks an empty name.
    let text = text("", arguments, 0)?;
    call.charge(text.len() / 16)?;
    call.check_bytes(text)?;
    Ok(text.as_bytes())
}

fn digits(hash: &[u8]) -> Value {
    let mut digits = String::new();
    for byte in hash {
        let _ = write!(digits, "{byte:02x}");
    }
    Value::from(digits)
}
