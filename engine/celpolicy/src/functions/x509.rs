//! Certificates taken apart (Kyverno: `libs/x509`).

use super::native::{from_json, string};
use super::one;
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Numbers, Value};
use engine_json::Map;
use engine_values::base64;

/// The rows.
pub const ROWS: &[Function] = &[Function {
    name: "x509.decode",
    overloads: &[one("x509_decode_string", "(string) -> dyn", decode)],
    note: "The fields of a certificate or of a request for one, whose key is of RSA.",
    examples: &[],
}];

/// The fields of a certificate that the original hands on, in its order.
const FIELDS: &[&str] = &[
    "Raw",
    "RawTBSCertificate",
    "RawSubjectPublicKeyInfo",
    "RawSubject",
    "RawIssuer",
    "Signature",
    "PublicKeyAlgorithm",
    "PublicKey",
    "SerialNumber",
    "Issuer",
    "NotBefore",
    "NotAfter",
    "KeyUsage",
    "Extensions",
    "ExtraExtensions",
    "ExtKeyUsage",
    "BasicConstraintsValid",
    "IsCA",
    "MaxPathLen",
    "MaxPathLenZero",
    "AuthorityKeyId",
    "OCSPServer",
    "IssuingCertificateURL",
    "DNSNames",
    "EmailAddresses",
    "IPAddresses",
    "PermittedDNSDomainsCritical",
    "PermittedDNSDomains",
    "ExcludedDNSDomains",
    "PermittedIPRanges",
    "ExcludedIPRanges",
    "PermittedEmailAddresses",
    "ExcludedEmailAddresses",
    "PermittedURIDomains",
    "ExcludedURIDomains",
    "CRLDistributionPoints",
    "PolicyIdentifiers",
];

/// The low 64 bits of the serial number, which the original shows.
// Go: big.Int.Int64. The number is the first one behind the version, which is tagged.
fn serial(certificate: &str) -> Option<i64> {
    let bytes = base64::decode(certificate.as_bytes()).ok()?;
    let header = if *bytes.get(1)? < 0x80 { 2 } else { 2 + usize::from(bytes.get(1)? & 0x7f) };
    let mut at = header;
    if *bytes.get(at)? == 0xa0 {
        at += 2 + usize::from(*bytes.get(at + 1)?);
    }
    let length = usize::from(*bytes.get(at + 1)?);
    let number = bytes.get(at + 2..at + 2 + length)?;
    let low = number.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    Some(low.cast_signed())
}

fn decode<'v>(host: &mut Host<'_>, text: Value<'v>) -> Outcome<'v> {
    let text = string(&text).map_err(Error::text)?;
    host.charge(text.len())?;
    let mut decoded = engine_values::x509::decode(&text).map_err(Error::text)?;
    // What only a certificate has; a request is handed on whole.
    if let Some(fields) = decoded.as_object().filter(|fields| fields.get("RawTBSCertificate").is_some()) {
        let kept = FIELDS.iter().filter_map(|name| Some((*name, fields.get(name)?.clone())));
        let mut kept: Map = kept.collect();
        if let Some(serial) =
            fields.get("RawTBSCertificate").and_then(engine_json::Value::as_str).and_then(serial)
        {
            kept.insert("SerialNumber", serial.into());
        }
        decoded = kept.into();
    }
    Ok(from_json(&decoded, Numbers::Doubles))
}
