//! The extensions of certificates.
//!
//! In: the extensions in order. Out: the fields that Go makes of those it knows, and all of them under `Extensions`.
//!
//! Mirrors: Go's `crypto/x509` (`processExtensions`). The constraints on names are in `constraints`.

use super::Fields;
use super::constraints;
use super::der::{self, Bits, Der, Element, Oid};
use crate::base64;
use crate::go_text::go_text_of;
use crate::go_text::quote;
use crate::network::url::Url;
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Value};
use std::net::{Ipv4Addr, Ipv6Addr};

/// One extension.
#[derive(Debug)]
pub(super) struct Extension<'a> {
    pub(super) oid: Oid,
    pub(super) is_critical: bool,
    pub(super) value: &'a [u8],
}

impl<'a> Extension<'a> {
    /// Reads what is in the sequence of an extension.
    pub(super) fn read(mut der: Der<'a>) -> Result<Self, String> {
        let oid = der.oid().ok_or("x509: malformed extension OID field")?;
        let mut is_critical = false;
        if der.is_next(der::BOOLEAN) {
            is_critical = der.boolean().ok_or("x509: malformed extension critical field")?;
        }
        let value = der.read(der::OCTET_STRING).ok_or("x509: malformed extension value field")?.0;
        Ok(Extension { oid, is_critical, value })
    }

    pub(super) fn to_value(&self) -> Value {
        Value::object(Map::from_iter([
            ("Id", self.oid.value()),
            ("Critical", Value::Bool(self.is_critical)),
            ("Value", Value::from(base64::encode(self.value))),
        ]))
    }
}

/// Sets all fields that come from extensions.
pub(super) fn set(fields: &mut Fields, extensions: &[Extension<'_>]) -> Result<(), String> {
    set_defaults(fields);
    let mut unhandled = Vec::new();
    for extension in extensions {
        let is_handled = match *extension.oid.0 {
            [2, 5, 29, number] => standard(fields, extension, number)?,
            [1, 3, 6, 1, 5, 5, 7, 1, 1] => {
                authority_info(fields, extension)?;
                true
            }
            _ => false,
        };
        if !is_handled && extension.is_critical {
            unhandled.push(extension.oid.value());
        }
    }
    fields.list("Extensions", extensions.iter().map(Extension::to_value).collect());
    fields.list("UnhandledCriticalExtensions", unhandled);
    Ok(())
}

/// What the fields hold where their extension is missing.
fn set_defaults(fields: &mut Fields) {
    for name in
        ["KeyUsage", "MaxPathLen", "InhibitAnyPolicy", "InhibitPolicyMapping", "RequireExplicitPolicy"]
    {
        fields.number(name, 0);
    }
    for name in [
        "BasicConstraintsValid",
        "IsCA",
        "MaxPathLenZero",
        "InhibitAnyPolicyZero",
        "InhibitPolicyMappingZero",
        "RequireExplicitPolicyZero",
        "PermittedDNSDomainsCritical",
    ] {
        fields.set(name, false);
    }
    for name in [
        "ExtraExtensions",
        "ExtKeyUsage",
        "UnknownExtKeyUsage",
        "SubjectKeyId",
        "AuthorityKeyId",
        "OCSPServer",
        "IssuingCertificateURL",
        "CRLDistributionPoints",
        "PolicyIdentifiers",
        "Policies",
        "PolicyMappings",
    ] {
        fields.set(name, Value::Null);
    }
    Names::default().set(fields);
    constraints::set_defaults(fields);
}

/// An extension of the standard, `2.5.29.number`; says whether it is known.
fn standard(fields: &mut Fields, extension: &Extension<'_>, number: u32) -> Result<bool, String> {
    let der = Der(extension.value);
    match number {
        14 => subject_key(fields, extension)?,
        15 => fields.number("KeyUsage", key_usage(der).ok_or("x509: invalid key usage")?),
        17 => {
            let names = Names::read(der)?;
            let is_known = names != Names::default();
            names.set(fields);
            return Ok(is_known);
        }
        19 => basic_constraints(fields, der).ok_or("x509: invalid basic constraints")?,
        30 => return constraints::set(fields, extension),
        31 => distribution_points(fields, der)?,
        32 => policies(fields, der).ok_or("x509: invalid certificate policies")?,
        33 => policy_mappings(fields, der).ok_or("x509: invalid policy mappings extension")?,
        35 => authority_key(fields, extension)?,
        36 => policy_constraints(fields, der).ok_or("x509: invalid policy constraints extension")?,
        37 => extended_usages(fields, der).ok_or("x509: invalid extended key usages")?,
        54 => {
            let mut der = der;
            let skip = der.small_integer(der::INTEGER).ok_or("x509: invalid inhibit any policy extension")?;
            fields.number("InhibitAnyPolicy", skip);
            fields.set("InhibitAnyPolicyZero", skip == 0);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn key_usage(mut der: Der<'_>) -> Option<i64> {
    let bits: Bits<'_> = der.bits()?;
    Some((0..9).filter(|&at| bits.is_set(at)).map(|at| 1 << at).sum())
}

fn basic_constraints(fields: &mut Fields, mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(der::SEQUENCE)?;
    let is_authority = if der.is_next(der::BOOLEAN) { der.boolean()? } else { false };
    let mut length = -1;
    if der.is_next(der::INTEGER) {
        length = der.small_integer(der::INTEGER).filter(|length| *length >= 0)?;
    }
    fields.set("IsCA", is_authority);
    fields.number("MaxPathLen", length);
    fields.set("BasicConstraintsValid", true);
    fields.set("MaxPathLenZero", length == 0);
    Some(())
}

fn subject_key(fields: &mut Fields, extension: &Extension<'_>) -> Result<(), String> {
    if extension.is_critical {
        return Err("x509: subject key identifier incorrectly marked critical".into());
    }
    let key = Der(extension.value).read(der::OCTET_STRING).ok_or("x509: invalid subject key identifier")?;
    fields.bytes("SubjectKeyId", key.0);
    Ok(())
}

fn authority_key(fields: &mut Fields, extension: &Extension<'_>) -> Result<(), String> {
    const INVALID: &str = "x509: invalid authority key identifier";
    if extension.is_critical {
        return Err("x509: authority key identifier incorrectly marked critical".into());
    }
    let mut identifier = Der(extension.value).read(der::SEQUENCE).ok_or(INVALID)?;
    if let Some(key) = identifier.optional(der::context(0)).ok_or(INVALID)? {
        fields.bytes("AuthorityKeyId", key.0);
    }
    Ok(())
}

fn authority_info(fields: &mut Fields, extension: &Extension<'_>) -> Result<(), String> {
    if extension.is_critical {
        return Err("x509: authority info access incorrectly marked critical".into());
    }
    let (mut responders, mut issuers) = (Vec::new(), Vec::new());
    let mut read = || {
        let mut list = Der(extension.value).read(der::SEQUENCE)?;
        while !list.is_empty() {
            let mut access = list.read(der::SEQUENCE)?;
            let method = access.oid()?;
            if let Some(url) = access.optional(der::context(6))? {
                let url = Value::from(go_text_of(url.0));
                match method.text().as_str() {
                    "1.3.6.1.5.5.7.48.1" => responders.push(url),
                    "1.3.6.1.5.5.7.48.2" => issuers.push(url),
                    _ => {}
                }
            }
        }
        Some(())
    };
    read().ok_or("x509: invalid authority info access")?;
    fields.list("OCSPServer", responders);
    fields.list("IssuingCertificateURL", issuers);
    Ok(())
}

fn distribution_points(fields: &mut Fields, mut der: Der<'_>) -> Result<(), String> {
    const INVALID: &str = "x509: invalid CRL distribution point";
    let mut points = Vec::new();
    let mut list = der.read(der::SEQUENCE).ok_or("x509: invalid CRL distribution points")?;
    while !list.is_empty() {
        let mut point = list.read(der::SEQUENCE).ok_or(INVALID)?;
        let Some(mut name) = point.optional(der::constructed(0)).ok_or(INVALID)? else { continue };
        let mut names = name.read(der::constructed(0)).ok_or(INVALID)?;
        while names.is_next(der::context(6)) {
            let url = names.read(der::context(6)).ok_or(INVALID)?;
            points.push(Value::from(go_text_of(url.0)));
        }
    }
    fields.list("CRLDistributionPoints", points);
    Ok(())
}

fn policies(fields: &mut Fields, mut der: Der<'_>) -> Option<()> {
    let mut list = der.read(der::SEQUENCE)?;
    let (mut texts, mut small) = (Vec::new(), Vec::new());
    let mut known = OrderedSet::new();
    while !list.is_empty() {
        let bytes = list.read(der::SEQUENCE)?.read(der::OBJECT_IDENTIFIER)?.0;
        if !known.insert(bytes) {
            return None;
        }
        texts.push(Value::from(long_oid(bytes)?));
        small.extend(der::oid(bytes).map(|oid| oid.value()));
    }
    fields.list("Policies", texts);
    // Go: this list is made, if only as an empty one.
    fields.set("PolicyIdentifiers", Value::array(small));
    Some(())
}

/// An object identifier with numbers of any size; nothing where one of them is not well formed or very large.
fn long_oid(bytes: &[u8]) -> Option<String> {
    let mut numbers: Vec<String> = Vec::new();
    let (mut number, mut is_inside) = (0_u128, false);
    for &byte in bytes {
        if !is_inside && byte == 0x80 || number >> 120 != 0 {
            return None;
        }
        number = number << 7 | u128::from(byte & 0x7f);
        is_inside = byte & 0x80 != 0;
        if !is_inside {
            if numbers.is_empty() {
                let first = (number / 40).min(2);
                numbers.push(first.to_string());
                number -= first * 40;
            }
            numbers.push(number.to_string());
            number = 0;
        }
    }
    (!is_inside && !numbers.is_empty()).then(|| numbers.join("."))
}

fn policy_mappings(fields: &mut Fields, mut der: Der<'_>) -> Option<()> {
    let mut list = der.read(der::SEQUENCE)?;
    let mut mappings = Vec::new();
    while !list.is_empty() {
        let mut pair = list.read(der::SEQUENCE)?;
        let mut policy =
            || Some(Value::from(long_oid(pair.read(der::OBJECT_IDENTIFIER)?.0).unwrap_or_default()));
        let (issuer, subject) = (policy()?, policy()?);
        let mapping = [("IssuerDomainPolicy", issuer), ("SubjectDomainPolicy", subject)];
        mappings.push(Value::object(Map::from_iter(mapping)));
    }
    fields.list("PolicyMappings", mappings);
    Some(())
}

fn policy_constraints(fields: &mut Fields, mut der: Der<'_>) -> Option<()> {
    let mut der = der.read(der::SEQUENCE)?;
    for (tag, field) in [(0, "RequireExplicitPolicy"), (1, "InhibitPolicyMapping")] {
        if der.is_next(der::context(tag)) {
            let skip = der.small_integer(der::context(tag))?;
            fields.number(field, skip);
            fields.set(&format!("{field}Zero"), skip == 0);
        }
    }
    Some(())
}

/// The usages that have a number in Go, by their place.
const USAGES: [&str; 14] = [
    "2.5.29.37.0",
    "1.3.6.1.5.5.7.3.1",
    "1.3.6.1.5.5.7.3.2",
    "1.3.6.1.5.5.7.3.3",
    "1.3.6.1.5.5.7.3.4",
    "1.3.6.1.5.5.7.3.5",
    "1.3.6.1.5.5.7.3.6",
    "1.3.6.1.5.5.7.3.7",
    "1.3.6.1.5.5.7.3.8",
    "1.3.6.1.5.5.7.3.9",
    "1.3.6.1.4.1.311.10.3.3",
    "2.16.840.1.113730.4.1",
    "1.3.6.1.4.1.311.2.1.22",
    "1.3.6.1.4.1.311.61.1.1",
];

fn extended_usages(fields: &mut Fields, mut der: Der<'_>) -> Option<()> {
    let mut list = der.read(der::SEQUENCE)?;
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    while !list.is_empty() {
        let oid = list.oid()?;
        match USAGES.iter().position(|usage| oid.is(usage)) {
            Some(number) => known.push(Value::from(number as f64)),
            None => unknown.push(oid.value()),
        }
    }
    fields.list("ExtKeyUsage", known);
    fields.list("UnknownExtKeyUsage", unknown);
    Some(())
}

/// Other names of the subject.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Names {
    hosts: Vec<Value>,
    emails: Vec<Value>,
    addresses: Vec<Value>,
    urls: Vec<Value>,
}

impl Names {
    pub(super) fn read(mut der: Der<'_>) -> Result<Self, String> {
        let mut list = der.read(der::SEQUENCE).ok_or("x509: invalid subject alternative names")?;
        let mut names = Names::default();
        while !list.is_empty() {
            names.add(list.any().ok_or("x509: invalid subject alternative name")?)?;
        }
        Ok(names)
    }

    fn add(&mut self, name: Element<'_>) -> Result<(), String> {
        let text = |kind: &str| ascii(name.content).ok_or_else(|| format!("x509: SAN {kind} is malformed"));
        match name.tag ^ 0x80 {
            1 => self.emails.push(text("rfc822Name")?.into()),
            2 => self.hosts.push(text("dNSName")?.into()),
            6 => {
                let text = text("uniformResourceIdentifier")?;
                let invalid = |reason| format!("x509: cannot parse URI {}: {reason}", quote(text));
                let url = Url::parse(text).map_err(invalid)?;
                let host = url.host_text();
                if !constraints::is_domain(&host, false) {
                    return Err(invalid("invalid domain".into()));
                }
                self.urls.push(url.to_value());
            }
            7 => {
                let address = address(name.content);
                let length = name.content.len();
                self.addresses.push(
                    address
                        .ok_or_else(|| format!("x509: cannot parse IP address of length {length}"))?
                        .into(),
                );
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn set(self, fields: &mut Fields) {
        fields.list("DNSNames", self.hosts);
        fields.list("EmailAddresses", self.emails);
        fields.list("IPAddresses", self.addresses);
        fields.list("URIs", self.urls);
    }
}

/// The text of bytes that are all of ASCII.
pub(super) fn ascii(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii())
}

/// An address as Go's `net.IP` prints it.
pub(super) fn address(bytes: &[u8]) -> Option<String> {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Some(Ipv4Addr::from(bytes).to_string());
    }
    let address = Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?);
    Some(address.to_ipv4_mapped().map_or_else(|| address.to_string(), |address| address.to_string()))
}
