//! Base64 and JSON text (cel-go: `ext/encoders.go`).

use crate::cost;
use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;
use engine_json::{Number, to_json};
use engine_values::base64;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "base64.decode",
        overloads: &[Overload::new("base64_decode_string", "(string) -> bytes")
            .run(Run::One(decode))
            .cost(cost::TEXT_AND_CALL)],
        note: "The bytes of base64 text.",
        examples: &[("string(base64.decode('aGVsbG8='))", "\"hello\"")],
    },
    Function {
        name: "base64.encode",
        overloads: &[Overload::new("base64_encode_bytes", "(bytes) -> string")
            .run(Run::One(encode))
            .cost(cost::TEXT_AND_CALL)],
        note: "Bytes as base64 text.",
        examples: &[("base64.encode(b'hello')", "\"aGVsbG8=\"")],
    },
    Function {
        name: "json.encode",
        overloads: &[Overload::new("json_encode_dyn", "(dyn) -> string")
            .run(Run::One(json_text))
            .cost(cost::MAXIMUM)],
        note: "A value as JSON text. It costs more than a policy with a limit of cost has.",
        examples: &[("json.encode({'a': [1, 2]})", "\"{\\\"a\\\":[1,2]}\"")],
    },
];

fn encode<'v>(host: &mut Host<'_>, bytes: Value<'v>) -> Outcome<'v> {
    let text = base64::encode(bytes.as_bytes().unwrap_or_default());
    host.charge(text.len())?;
    Ok(Value::Text(text.into()))
}

// cel-go: ext/encoders.go base64DecodeString; without padding it is tried again, and that error is given.
fn decode<'v>(host: &mut Host<'_>, text: Value<'v>) -> Outcome<'v> {
    let text = text.as_str().unwrap_or("");
    host.charge(text.len())?;
    match base64::decode(text.as_bytes()).or_else(|_| unpadded(text)) {
        Ok(bytes) => Ok(Value::Octets(bytes.into())),
        Err(at) => Err(Error::text(format!("illegal base64 data at input byte {at}"))),
    }
}

// Go: base64.RawStdEncoding.
fn unpadded(text: &str) -> Result<Vec<u8>, usize> {
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    if let Some(at) = text.bytes().position(|byte| !is_line_end(&byte) && !is_letter(&byte)) {
        return Err(at);
    }
    let letters = text.bytes().filter(is_letter).count();
    if letters % 4 == 1 {
        return Err(text.len().saturating_sub(1));
    }
    base64::decode(format!("{text}{}", "=".repeat((4 - letters % 4) % 4)).as_bytes())
}

/// The value as protobuf's JSON has it, keys sorted.
fn json_text<'v>(host: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let text = to_json(&exact(&value.to_json()));
    host.charge(text.len())?;
    Ok(Value::Text(text.into()))
}

/// Whole numbers that a double does not hold become text.
// cel-go: int.go ConvertToNative.
fn exact(value: &engine_json::Value) -> engine_json::Value {
    const SAFE: u64 = (1 << 53) - 1;
    match value {
        engine_json::Value::Number(Number::Int(i)) if i.unsigned_abs() > SAFE => {
            engine_json::Value::from(i.to_string())
        }
        engine_json::Value::Number(Number::Uint(u)) => engine_json::Value::from(u.to_string()),
        engine_json::Value::Array(list) => engine_json::Value::array(list.iter().map(exact).collect()),
        engine_json::Value::Object(map) => {
            engine_json::Value::object(map.iter().map(|(key, value)| (key.clone(), exact(value))).collect())
        }
        other => other.clone(),
    }
}
