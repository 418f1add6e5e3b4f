//! Requests for certificates.
//!
//! In: the DER of a request. Out: the fields of Go's `x509.CertificateRequest` as JSON shows them.
//!
//! Mirrors: Go's `crypto/x509` (`parseCertificateRequest`). Go reads requests with an older reader, whose errors
//! about malformed bytes are not distinguished here.

use super::Fields;
use super::der::{self, Der, Element};
use super::extensions::{Extension, Names};
use super::key;
use super::name;
use crate::base64;
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Value};

const MALFORMED: &str = "asn1: structure error: malformed certificate request";
const EXTENSION_REQUEST: &str = "1.2.840.113549.1.9.14";

/// Reads a request with an RSA key.
pub(super) fn decode(bytes: &[u8]) -> Result<Map, String> {
    let mut fields = Fields::default();
    let mut outer = Der(bytes);
    let raw = outer.element(der::SEQUENCE).ok_or(MALFORMED)?;
    if !outer.is_empty() {
        return Err("asn1: syntax error: trailing data".into());
    }
    let mut input = Der(raw.content);
    let signed = input.element(der::SEQUENCE).ok_or(MALFORMED)?;
    let algorithm = key::algorithm(input.read(der::SEQUENCE).ok_or(MALFORMED)?)?;
    let signature = input.bits().ok_or(MALFORMED)?;
    fields.bytes("Raw", raw.whole);
    fields.bytes("RawTBSCertificateRequest", signed.whole);
    fields.bytes("Signature", &signature.aligned());
    fields.number("SignatureAlgorithm", algorithm.signature_number());
    let mut signed = Der(signed.content);
    fields.number("Version", signed.small_integer(der::INTEGER).ok_or(MALFORMED)?);
    let subject = signed.element(der::SEQUENCE).ok_or(MALFORMED)?;
    let info = signed.element(der::SEQUENCE).ok_or(MALFORMED)?;
    let attributes = signed.read(der::constructed(0)).ok_or(MALFORMED)?;
    fields.bytes("RawSubject", subject.whole);
    fields.bytes("RawSubjectPublicKeyInfo", info.whole);
    let public_key = match key::public_key(Der(info.content)) {
        Err(error) if error.starts_with("x509: ") => return Err(error),
        public_key => public_key,
    };
    fields.set("Subject", Value::object(name::fields(&name::parse(Der(subject.whole))?)));
    set_attributes(&mut fields, attributes)?;
    let public_key = public_key?.ok_or("certificate should use rsa algorithm")?;
    fields.number("PublicKeyAlgorithm", 1);
    fields.set("PublicKey", Value::object(public_key));
    Ok(fields.0)
}

fn set_attributes(fields: &mut Fields, mut list: Der<'_>) -> Result<(), String> {
    let mut shown = Vec::new();
    let mut extensions: Vec<Extension<'_>> = Vec::new();
    while !list.is_empty() {
        let attribute = list.any().ok_or(MALFORMED)?;
        shown.extend(pairs(attribute));
        if let Some(requested) = requested(attribute) {
            let requested = requested?;
            let is_known =
                |extension: &Extension<'_>| extensions.iter().any(|known| known.oid == extension.oid);
            if requested.iter().any(is_known) || has_duplicates(&requested) {
                return Err("x509: certificate request contains duplicate requested extensions".into());
            }
            extensions.extend(requested);
        }
    }
    let mut names = Names::default();
    for extension in extensions.iter().filter(|extension| extension.oid.is("2.5.29.17")) {
        names = Names::read(Der(extension.value))?;
    }
    names.set(fields);
    fields.list("Attributes", shown);
    fields.list("Extensions", extensions.iter().map(Extension::to_value).collect());
    fields.set("ExtraExtensions", Value::Null);
    Ok(())
}

fn has_duplicates(extensions: &[Extension<'_>]) -> bool {
    let mut oids: Vec<_> = extensions.iter().map(|extension| &extension.oid).collect();
    oids.arrange();
    oids.windows(2).any(|pair| pair.first() == pair.last())
}

/// The extensions in an attribute that asks for some; nothing for any other attribute.
fn requested(attribute: Element<'_>) -> Option<Result<Vec<Extension<'_>>, String>> {
    let mut parts = Der(attribute.content);
    let is_request = attribute.tag == der::SEQUENCE && parts.oid()?.is(EXTENSION_REQUEST);
    let mut values = parts.read(der::SET).filter(|values| is_request && !values.is_empty())?;
    let Some(mut list) = values.read(der::SEQUENCE) else { return Some(Err(MALFORMED.into())) };
    let mut extensions = Vec::new();
    while !list.is_empty() {
        let extension = list.read(der::SEQUENCE).ok_or_else(|| MALFORMED.to_owned());
        match extension.and_then(Extension::read) {
            Ok(extension) => extensions.push(extension),
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(extensions))
}

/// An attribute whose values are lists of types and values; others are not shown.
fn pairs(attribute: Element<'_>) -> Option<Value> {
    let mut parts = Der(attribute.content);
    let oid = (attribute.tag == der::SEQUENCE).then(|| parts.oid()).flatten()?;
    let mut values = parts.read(der::SET)?;
    let mut shown = Vec::new();
    while !values.is_empty() {
        let mut list = values.read(der::SEQUENCE)?;
        let mut pairs = Vec::new();
        while !list.is_empty() {
            let mut pair = list.read(der::SEQUENCE)?;
            let (kind, value) = (pair.oid()?, any_value(pair.any()?)?);
            pairs.push(Value::object(Map::from_iter([("Type", kind.value()), ("Value", value)])));
        }
        shown.push(Value::array(pairs));
    }
    Some(Value::object(Map::from_iter([("Type", oid.value()), ("Value", Value::array(shown))])))
}

/// A value of any simple type; null for others.
fn any_value(element: Element<'_>) -> Option<Value> {
    let mut whole = Der(element.whole);
    Some(match element.tag {
        der::BOOLEAN => Value::Bool(whole.boolean()?),
        der::INTEGER => Value::from(whole.small_integer(der::INTEGER)? as f64),
        der::OBJECT_IDENTIFIER => whole.oid()?.value(),
        der::OCTET_STRING => Value::from(base64::encode(element.content)),
        der::BIT_STRING => {
            let bits = whole.bits()?;
            let length = bits.bytes.len() * 8 - usize::from(bits.unused);
            let bytes = Value::from(base64::encode(bits.bytes));
            Value::object(Map::from_iter([("Bytes", bytes), ("BitLength", Value::from(length as f64))]))
        }
        tag if name::is_text(tag) => Value::from(name::text(tag, element.content).ok()?),
        _ => Value::Null,
    })
}
