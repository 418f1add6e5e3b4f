//! Hashes of texts in hexadecimal digits (Kyverno: `libs/hash`).

use super::{one, text};
use engine_cel::error::Outcome;
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "sha1",
        overloads: &[one("sha1_string_non_prefixed", "(string) -> string", hash::<Sha1>)],
        note: "The SHA-1 hash of a text.",
        examples: &[("sha1('a')", "\"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\"")],
    },
    Function {
        name: "sha256",
        overloads: &[one("sha256_string_non_prefixed", "(string) -> string", hash::<Sha256>)],
        note: "The SHA-256 hash of a text.",
        examples: &[("sha256('a')", "\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\"")],
    },
    Function {
        name: "md5",
        overloads: &[one("md5_string_non_prefixed", "(string) -> string", hash::<Md5>)],
        note: "The MD5 hash of a text.",
        examples: &[("md5('a')", "\"0cc175b9c0f1b6a831c399e269772661\"")],
    },
    Function {
        name: "hash.sha1",
        overloads: &[one("sha1_string_prefixed", "(string) -> string", hash::<Sha1>)],
        note: "The SHA-1 hash of a text.",
        examples: &[("hash.sha1('a') == sha1('a')", "true")],
    },
    Function {
        name: "hash.sha256",
        overloads: &[one("sha256_string_prefixed", "(string) -> string", hash::<Sha256>)],
        note: "The SHA-256 hash of a text.",
        examples: &[("hash.sha256('a') == sha256('a')", "true")],
    },
    Function {
        name: "hash.md5",
        overloads: &[one("md5_string_prefixed", "(string) -> string", hash::<Md5>)],
        note: "The MD5 hash of a text.",
        examples: &[("hash.md5('a') == md5('a')", "true")],
    },
];

fn hash<'v, D: Digest>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let mut digits = String::new();
    for byte in D::digest(text(&value).as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(Value::text(&digits))
}
