//! Base64 and JSON text (cel-go: `ext/encoders.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "base64.decode",
        overloads: &[Overload::new("base64_decode_string", "(string) -> bytes")],
        note: "The bytes of base64 text.",
        examples: &[("string(base64.decode('aGVsbG8='))", "\"hello\"")],
    },
    Function {
        name: "base64.encode",
        overloads: &[Overload::new("base64_encode_bytes", "(bytes) -> string")],
        note: "Bytes as base64 text.",
        examples: &[("base64.encode(b'hello')", "\"aGVsbG8=\"")],
    },
    Function {
        name: "json.encode",
        overloads: &[Overload::new("json_encode_dyn", "(dyn) -> string")],
        note: "A value as JSON text.",
        examples: &[("json.encode({'a': [1, 2]})", "\"{\\\"a\\\":[1,2]}\"")],
    },
];
