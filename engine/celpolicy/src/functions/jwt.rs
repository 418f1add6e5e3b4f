//! Tokens that a request carries (kyverno-authz: `libs/jwt`, `libs/jwk`).
//!
//! In: a token and the secret that signed it. Out: its claims, and whether it holds at this time. Only secrets shared by both sides
//! are known here (`HS256`, `HS384`, `HS512`); keys of a server are nobody's to fetch, and asking for them is an error.

use super::message::Message;
use super::outside::{ask, now};
use super::shapes::TOKEN;
use super::{opaque, text, two};
use crate::functions::one;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::Value;
use engine_json::{Map, Value as Json};
use sha2::digest::block_api::BlockSizeUser;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "jwt.Decode",
        overloads: &[
            two("decode_string_string", "(string, string) -> jwt.Token", decode),
            two("decode_string_set", "(string, jwk.Set) -> jwt.Token", |host, token, keys| {
                ask(host.outside, "jwt.Decode", &[token, keys])
            }),
        ],
        note: "The claims of a token, and whether it holds now.",
        examples: &[],
    },
    Function {
        name: "jwks.Fetch",
        overloads: &[one("fetch_string", "(string) -> jwk.Set", |host, url| {
            ask(host.outside, "jwks.Fetch", &[url])
        })],
        note: "The keys of a server.",
        examples: &[],
    },
];

fn decode<'v>(host: &mut Host<'_>, token: Value<'v>, key: Value<'v>) -> Outcome<'v> {
    let token = text(&token);
    host.charge(token.len())?;
    let claims = claims(token, text(&key).as_bytes())
        .map_err(|why| Error::text(format!("jwt.Parse: failed to parse token: {why}")))?;
    let is_valid = match now(host)? {
        Value::Timestamp(at) => holds_at(&claims, at.seconds),
        _ => false,
    };
    let document: Map =
        [("Claims", Json::object(claims)), ("Valid", Json::Bool(is_valid))].into_iter().collect();
    Message::read(&TOKEN, &Json::object(document)).map(opaque).map_err(Error::text)
}

/// Whether a token holds at this time, in seconds since 1970.
// jwx: jwt.Validate looks at the times alone where nothing else is asked.
fn holds_at(claims: &Map, now: i64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "times of tokens are doubles in JSON")]
    let now = now as f64;
    let time = |name: &str| match claims.get(name) {
        Some(Json::Number(at)) => Some(at.as_f64()),
        _ => None,
    };
    time("exp").is_none_or(|at| now < at)
        && time("nbf").is_none_or(|at| now >= at)
        && time("iat").is_none_or(|at| now >= at)
}

/// The claims of a token whose signature is that of the secret.
fn claims(token: &str, secret: &[u8]) -> Result<Map, String> {
    let parts: Vec<&str> = token.split('.').collect();
    let [header, payload, signature] = parts.as_slice() else {
        return Err("unknown payload type (payload is not JWS?)".to_owned());
    };
    let (signed, _) = token.rsplit_once('.').unwrap_or_default();
    let algorithm = document(header)?;
    let made = match algorithm.find_str(&["alg"]) {
        "HS256" => signature_of::<Sha256>(secret, signed.as_bytes()),
        "HS384" => signature_of::<Sha384>(secret, signed.as_bytes()),
        "HS512" => signature_of::<Sha512>(secret, signed.as_bytes()),
        other => return Err(format!("no signature of `{other}` is one of a shared secret")),
    };
    if made != bytes(signature)? {
        return Err("could not verify message using any of the signatures or keys".to_owned());
    }
    document(payload)?.as_object().cloned().ok_or_else(|| "the claims are not a map".to_owned())
}

fn document(part: &str) -> Result<Json, String> {
    let text = String::from_utf8(bytes(part)?).map_err(|error| error.to_string())?;
    engine_json::parse(&text).map_err(|error| error.to_string())
}

/// Base64 in the letters of URLs, without padding.
fn bytes(part: &str) -> Result<Vec<u8>, String> {
    let mut usual = part.replace('-', "+").replace('_', "/");
    while !usual.len().is_multiple_of(4) {
        usual.push('=');
    }
    engine_values::base64::decode(usual.as_bytes())
        .map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// HMAC of RFC 2104.
fn signature_of<D: Digest + BlockSizeUser>(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut key = if secret.len() > D::block_size() { D::digest(secret).to_vec() } else { secret.to_vec() };
    key.resize(D::block_size(), 0);
    let with = |mask: u8| key.iter().map(|byte| byte ^ mask).collect::<Vec<u8>>();
    let inner = D::new().chain_update(with(0x36)).chain_update(message).finalize();
    D::new().chain_update(with(0x5c)).chain_update(inner).finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::{Sha256, claims, holds_at, signature_of};
    use engine_values::base64;

    // RFC 4231, test case 2.
    #[test]
    fn a_signature_is_that_of_the_rfc() {
        let made = signature_of::<Sha256>(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(base64::encode(&made), "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
    }

    #[test]
    fn a_token_is_read_with_its_secret_alone() {
        let plain = |text: &str| base64::encode(text.as_bytes()).trim_end_matches('=').replace('+', "-");
        let signed = format!("{}.{}", plain(r#"{"alg":"HS256"}"#), plain(r#"{"role":"admin","exp":100}"#));
        let made = base64::encode(&signature_of::<Sha256>(b"secret", signed.as_bytes()));
        let made = made.trim_end_matches('=').replace('+', "-").replace('/', "_");
        let token = format!("{signed}.{made}");
        let found = claims(&token, b"secret").unwrap();
        assert_eq!(found.get("role").and_then(|role| role.as_str()), Some("admin"));
        assert!(holds_at(&found, 99) && !holds_at(&found, 100));
        assert!(claims(&token, b"other").is_err());
        assert!(claims("abc", b"secret").is_err());
    }
}
