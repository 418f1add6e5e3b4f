//! `x509_decode`: a certificate, or the request for one, as a map.
//!
//! In: the PEM text of a certificate with an RSA key. Out: a map with the fields of Go's `x509.Certificate`, bytes
//! in base64. Signatures are shown, not checked.
//!
//! Reading order: `pem`, `der`, `name`, `key`, `extensions`, `constraints`, `certificate`, `request`. The reader is
//! ours because the answer is Go's structure field by field, with the raw bytes of its parts: a package would add
//! its own 45 kB and still leave this to do.
//!
//! Mirrors: pkg/engine/jmespath/functions.go (`jpX509Decode`) and Go's `crypto/x509`.

mod certificate;
mod constraints;
mod der;
mod extensions;
mod key;
mod name;
mod pem;
mod request;

use super::arguments::text;
use super::encoding;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::{Map, Value};

/// Whether a text holds a whole PEM block.
pub(super) fn is_pem(text: &str) -> bool {
    pem::decode(text).is_some()
}

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "x509_decode",
    args: &[Arg::STRING],
    returns: &[Kind::Object],
    note: "the certificate or certificate request in the PEM text as a map; its key must be an RSA key",
    examples: &[(
        "x509_decode(`\"-----BEGIN CERTIFICATE-----\\n\
             MIIBGDCBwwIUD7y7p6wnk0ldtx2xrBF3BuRAhF0wDQYJKoZIhvcNAQELBQAwDjEM\\n\
             MAoGA1UEAwwDd2ViMB4XDTI2MTEyMjAwMTU1NVoXDTM2MTExOTAwMTU1NVowDjEM\\n\
             MAoGA1UEAwwDd2ViMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAJgC2jyDSEWHp5ha\\n\
             GOGTF03UkfBf1RsmUvbG9rGdiOupneOSRDSsMwuJFV2DM4AMMCI5UHxMTHrOOxtY\\n\
             PRZItGcCAwEAATANBgkqhkiG9w0BAQsFAANBAANf0/cVa7b6cZU2u1Fu/CL9bF7g\\n\
             /D9364XJgz4G1qEF+ep0fKjxLsN9I6n4u/BICUZ/3qZDD6ca/kPXQn16axU=\\n\
             -----END CERTIFICATE-----\"`).Subject.CommonName",
        "\"web\"",
    )],
    run: x509_decode,
}];

fn x509_decode(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let text = text("x509_decode", arguments, 0)?;
    call.charge(text.len())?;
    let block = pem::decode(text).ok_or_else(|| EvalError::other("failed to decode PEM block"))?;
    let fields = match block.kind {
        "CERTIFICATE" => certificate::decode(&block.bytes),
        "CERTIFICATE REQUEST" => request::decode(&block.bytes),
        _ => return Err(EvalError::other("PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST")),
    };
    fields.map(Value::object).map_err(EvalError::other)
}

/// The fields of a structure under the names that Go gives them.
#[derive(Default)]
struct Fields(Map);

impl Fields {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name, value.into());
    }

    fn number(&mut self, name: &str, number: i64) {
        self.set(name, number as f64);
    }

    /// Bytes in base64.
    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        self.set(name, encoding::encode(bytes));
    }

    /// A list; null where it is empty, as Go's `nil`.
    fn list(&mut self, name: &str, list: Vec<Value>) {
        self.set(name, if list.is_empty() { Value::Null } else { Value::array(list) });
    }
}
