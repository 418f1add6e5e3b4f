//! `x509_decode`: a certificate, or the request for one, as a map.
//!
//! In: the PEM text of a certificate with an RSA key. Out: a map with the fields of Go's `x509.Certificate`, bytes
//! in base64. Signatures are shown, not checked.
//!
//! Mirrors: pkg/engine/jmespath/functions.go (`jpX509Decode`) and Go's `crypto/x509`.

use super::arguments::text;
use crate::value::x509;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

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
    x509::decode(text).map_err(EvalError::other)
}
