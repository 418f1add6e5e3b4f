//! The names of issuers and subjects, and the texts in them.
//!
//! In: a sequence of sets of types and values. Out: a map with `CommonName`, `Organization` and so on, and all pairs
//! in order under `Names`.
//!
//! Mirrors: Go's `crypto/x509` (`parseName`, `parseASN1String`) and `crypto/x509/pkix` (`FillFromRDNSequence`).

use super::Fields;
use super::der::{self, Der, Oid};
use engine_json::{Map, Value};

/// A type and its value.
pub(super) type Attribute = (Oid, Value);

/// Reads a name: a sequence with its tag.
pub(super) fn parse(mut der: Der<'_>) -> Result<Vec<Attribute>, String> {
    const INVALID: &str = "x509: invalid RDNSequence";
    let mut sets = der.read(der::SEQUENCE).ok_or(INVALID)?;
    let mut attributes = Vec::new();
    while !sets.is_empty() {
        let mut set = sets.read(der::SET).ok_or(INVALID)?;
        while !set.is_empty() {
            let reason = |what: &str| format!("{INVALID}: invalid attribute{what}");
            let mut pair = set.read(der::SEQUENCE).ok_or_else(|| reason(""))?;
            let oid = pair.oid().ok_or_else(|| reason(" type"))?;
            let value = pair.any().ok_or_else(|| reason(" value"))?;
            let text = text(value.tag, value.content)
                .map_err(|error| format!("{INVALID}: invalid attribute value: {error}"))?;
            attributes.push((oid, Value::from(text)));
        }
    }
    Ok(attributes)
}

/// Whether a tag is that of a text.
pub(super) fn is_text(tag: u8) -> bool {
    matches!(
        tag,
        der::T61_STRING
            | der::PRINTABLE_STRING
            | der::IA5_STRING
            | der::NUMERIC_STRING
            | der::UTF8_STRING
            | der::BMP_STRING
    )
}

/// A text in one of its encodings.
pub(super) fn text(tag: u8, bytes: &[u8]) -> Result<String, String> {
    let ascii = |is_allowed: fn(u8) -> bool, name: &str| match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(|byte| is_allowed(*byte)) => Ok(text.to_owned()),
        _ => Err(format!("invalid {name}")),
    };
    match tag {
        der::T61_STRING => Ok(bytes.iter().map(|byte| char::from(*byte)).collect()),
        der::PRINTABLE_STRING => ascii(is_printable, "PrintableString"),
        der::IA5_STRING => ascii(|byte| byte.is_ascii(), "IA5String"),
        der::NUMERIC_STRING => ascii(|byte| byte.is_ascii_digit() || byte == b' ', "NumericString"),
        der::UTF8_STRING => {
            std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| "invalid UTF-8 string".to_owned())
        }
        der::BMP_STRING => wide_text(bytes).ok_or_else(|| "invalid BMPString".to_owned()),
        _ => Err(format!("unsupported string type: {tag}")),
    }
}

/// Letters, digits and what Go allows beside them.
fn is_printable(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'\''..=b')' | b'+'..=b'/' | b' ' | b':' | b'=' | b'?' | b'*' | b'&')
}

/// Characters of two bytes each, with or without a zero at the end.
fn wide_text(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_suffix(&[0, 0]).filter(|_| bytes.len().is_multiple_of(2)).unwrap_or(bytes);
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let wide =
        bytes.chunks_exact(2).map(|pair| pair.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)));
    let is_character = |code: &u32| !matches!(code, 0xfffe | 0xffff | 0xfdd0..=0xfdef);
    wide.map(|code| Some(code).filter(is_character).and_then(char::from_u32)).collect()
}

/// The map of a name.
pub(super) fn fields(attributes: &[Attribute]) -> Map {
    let mut fields = Fields::default();
    for (number, field) in [
        (6, "Country"),
        (10, "Organization"),
        (11, "OrganizationalUnit"),
        (7, "Locality"),
        (8, "Province"),
        (9, "StreetAddress"),
        (17, "PostalCode"),
    ] {
        fields.list(field, texts(attributes, number).collect());
    }
    for (number, field) in [(5, "SerialNumber"), (3, "CommonName")] {
        let last = texts(attributes, number).last();
        fields.set(field, last.unwrap_or_else(|| Value::from("")));
    }
    let pairs = attributes
        .iter()
        .map(|(oid, value)| Value::object(Map::from_iter([("Type", oid.value()), ("Value", value.clone())])));
    fields.list("Names", pairs.collect());
    fields.set("ExtraNames", Value::Null);
    fields.0
}

/// The texts of the type `2.5.4.number`.
fn texts(attributes: &[Attribute], number: u32) -> impl Iterator<Item = Value> {
    let is_its = move |oid: &Oid| oid.0 == [2, 5, 4, number];
    attributes
        .iter()
        .filter(move |(oid, value)| is_its(oid) && value.as_str().is_some())
        .map(|(_, value)| value.clone())
}
