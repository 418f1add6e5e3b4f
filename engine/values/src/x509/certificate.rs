//! Certificates.
//!
//! In: the DER of a certificate. Out: the fields of Go's `x509.Certificate` as JSON shows them.
//!
//! Mirrors: Go's `crypto/x509` (`parseCertificate`).

use super::Fields;
use super::der::{self, Der};
use super::extensions::{self, Extension};
use super::key;
use super::name;
use crate::time::Time;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Value};

const SECOND_LAYOUT: &str = "20060102150405Z0700";
const MINUTE_LAYOUT: &str = "200601021504Z0700";

/// Reads a certificate with an RSA key.
pub(super) fn decode(bytes: &[u8]) -> Result<Map, String> {
    const MALFORMED: &str = "x509: malformed certificate";
    let mut fields = Fields::default();
    let mut outer = Der(bytes);
    let raw = outer.element(der::SEQUENCE).ok_or(MALFORMED)?;
    let mut input = Der(raw.content);
    let signed = input.element(der::SEQUENCE).ok_or("x509: malformed tbs certificate")?;
    fields.bytes("Raw", raw.whole);
    fields.bytes("RawTBSCertificate", signed.whole);
    let mut signed = Der(signed.content);
    let version = version(&mut signed)?;
    fields.number("Version", version);
    let serial = signed.integer(der::INTEGER).ok_or("x509: malformed serial number")?;
    if serial.first().is_some_and(|byte| *byte >= 0x80) {
        return Err("x509: negative serial number".into());
    }
    fields.set("SerialNumber", float_of(serial)?);
    let inner = signed.element(der::SEQUENCE).ok_or("x509: malformed signature algorithm identifier")?;
    let algorithm = input.element(der::SEQUENCE).ok_or("x509: malformed algorithm identifier")?;
    if inner.content != algorithm.content {
        return Err("x509: inner and outer signature algorithm identifiers don't match".into());
    }
    fields.number("SignatureAlgorithm", key::algorithm(Der(inner.content))?.signature_number());
    person(&mut fields, &mut signed, "Issuer")?;
    validity(&mut fields, &mut signed)?;
    person(&mut fields, &mut signed, "Subject")?;
    let info = signed.element(der::SEQUENCE).ok_or("x509: malformed spki")?;
    fields.bytes("RawSubjectPublicKeyInfo", info.whole);
    let public_key = key::public_key(Der(info.content));
    // What Kyverno finds wrong with the key it says after the certificate has been read.
    let public_key = match public_key {
        Err(error) if error.starts_with("x509: ") => return Err(error),
        public_key => public_key,
    };
    let extensions = if version > 1 { read_extensions(&mut signed, version)? } else { Vec::new() };
    extensions::set(&mut fields, &extensions)?;
    let signature = input.bits().ok_or("x509: malformed signature")?;
    fields.bytes("Signature", &signature.aligned());
    if !outer.is_empty() {
        return Err("x509: trailing data".into());
    }
    let public_key = public_key?.ok_or("certificate should use rsa algorithm")?;
    fields.number("PublicKeyAlgorithm", 1);
    fields.set("PublicKey", Value::object(public_key));
    Ok(fields.0)
}

/// The version, counted from 1.
fn version(signed: &mut Der<'_>) -> Result<i64, String> {
    const MALFORMED: &str = "x509: malformed version";
    let version = match signed.optional(der::constructed(0)).ok_or(MALFORMED)? {
        None => 0,
        Some(mut inner) => {
            let version = inner.small_integer(der::INTEGER).filter(|_| inner.is_empty());
            version.filter(|version| *version >= 0).ok_or(MALFORMED)?
        }
    };
    if version > 2 { Err("x509: invalid version".into()) } else { Ok(version + 1) }
}

/// A positive number of any length, as JSON reads it back.
fn float_of(bytes: &[u8]) -> Result<f64, String> {
    const MAX_SERIAL: usize = 1024;
    if bytes.len() > MAX_SERIAL {
        return Err(format!("the serial number exceeds {MAX_SERIAL} bytes"));
    }
    let digits = key::decimal(bytes);
    let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("json: cannot unmarshal number {digits} into Go value of type float64"))
}

fn person(fields: &mut Fields, signed: &mut Der<'_>, field: &str) -> Result<(), String> {
    // Go: the subject too is called issuer here.
    let raw = signed.element(der::SEQUENCE).ok_or("x509: malformed issuer")?;
    let attributes = name::parse(Der(raw.whole))?;
    fields.bytes(&format!("Raw{field}"), raw.whole);
    fields.set(field, Value::object(name::fields(&attributes)));
    Ok(())
}

fn validity(fields: &mut Fields, signed: &mut Der<'_>) -> Result<(), String> {
    let mut times = signed.read(der::SEQUENCE).ok_or("x509: malformed validity")?;
    for field in ["NotBefore", "NotAfter"] {
        fields.set(field, time(&mut times)?);
    }
    Ok(())
}

/// A time in RFC 3339.
fn time(der: &mut Der<'_>) -> Result<String, String> {
    let malformed = |kind: &str| format!("x509: malformed {kind}");
    let (kind, is_short) = match der.0.first() {
        Some(&der::UTC_TIME) => ("UTCTime", true),
        Some(&der::GENERALIZED_TIME) => ("GeneralizedTime", false),
        _ => return Err("x509: unsupported time format".into()),
    };
    let bytes = der.any().ok_or_else(|| malformed(kind))?.content;
    let text = std::str::from_utf8(bytes).map_err(|_| malformed(kind))?;
    // Two digits of a year stand for 1950 to 2049.
    let century = match text.as_bytes().first() {
        _ if !is_short => "",
        Some(b'5'..=b'9') => "19",
        _ => "20",
    };
    let text = format!("{century}{text}");
    let layouts: &[&str] = if is_short { &[SECOND_LAYOUT, MINUTE_LAYOUT] } else { &[SECOND_LAYOUT] };
    let parsed = layouts.iter().find_map(|layout| Time::parse(layout, &text).ok().map(|time| (time, layout)));
    match parsed {
        Some((time, layout)) if time.format(layout) == text => Ok(time.to_rfc3339()),
        _ => Err(malformed(kind)),
    }
}

fn read_extensions<'a>(signed: &mut Der<'a>, version: i64) -> Result<Vec<Extension<'a>>, String> {
    const MALFORMED: &str = "x509: malformed extensions";
    signed.optional(der::context(1)).ok_or("x509: malformed issuerUniqueID")?;
    signed.optional(der::context(2)).ok_or("x509: malformed subjectUniqueID")?;
    if version != 3 {
        return Ok(Vec::new());
    }
    let Some(mut outer) = signed.optional(der::constructed(3)).ok_or(MALFORMED)? else {
        return Ok(Vec::new());
    };
    let mut list = outer.read(der::SEQUENCE).ok_or(MALFORMED)?;
    let mut extensions = Vec::new();
    let mut known = OrderedSet::new();
    while !list.is_empty() {
        let extension = Extension::read(list.read(der::SEQUENCE).ok_or("x509: malformed extension")?)?;
        if !known.insert(extension.oid.clone()) {
            let oid = extension.oid.text();
            return Err(format!("x509: certificate contains duplicate extension with OID \"{oid}\""));
        }
        extensions.push(extension);
    }
    Ok(extensions)
}
