//! Keys and algorithms.
//!
//! In: the key of a certificate. Out: `{"N":"…decimal digits…","E":65537}`; the numbers that Go gives algorithms.
//!
//! Mirrors: Go's `crypto/x509` (`parsePublicKey`, `getSignatureAlgorithmFromAI`).

use super::der::{self, Der, Oid};
use engine_json::{Map, Value};
use std::fmt::Write;

const RSA: &str = "1.2.840.113549.1.1.1";
const RSA_PSS: &str = "1.2.840.113549.1.1.10";
const ED25519: &str = "1.3.101.112";
const NULL: [u8; 2] = [5, 0];

/// How many bytes the product of the primes may have.
const MAX_MODULUS: usize = 4096;

/// An algorithm and the bytes of its parameters.
pub(super) struct Algorithm<'a> {
    pub(super) oid: Oid,
    parameters: &'a [u8],
}

/// Reads what is in an algorithm identifier.
pub(super) fn algorithm(mut der: Der<'_>) -> Result<Algorithm<'_>, String> {
    let oid = der.oid().ok_or("x509: malformed OID")?;
    if der.is_empty() {
        return Ok(Algorithm { oid, parameters: &[] });
    }
    let parameters = der.any().ok_or("x509: malformed parameters")?;
    Ok(Algorithm { oid, parameters: parameters.whole })
}

impl Algorithm<'_> {
    /// The number of Go's `SignatureAlgorithm`; 0 for one it does not know.
    pub(super) fn signature_number(&self) -> i64 {
        match self.oid.text().as_str() {
            "1.2.840.113549.1.1.4" => 2,
            "1.2.840.113549.1.1.5" | "1.3.14.3.2.29" => 3,
            "1.2.840.113549.1.1.11" => 4,
            "1.2.840.113549.1.1.12" => 5,
            "1.2.840.113549.1.1.13" => 6,
            "1.2.840.10040.4.3" => 7,
            "2.16.840.1.101.3.4.3.2" => 8,
            "1.2.840.10045.4.1" => 9,
            "1.2.840.10045.4.3.2" => 10,
            "1.2.840.10045.4.3.3" => 11,
            "1.2.840.10045.4.3.4" => 12,
            RSA_PSS => self.pss_number().unwrap_or(0),
            ED25519 if self.parameters.is_empty() => 16,
            _ => 0,
        }
    }

    /// The three uses of PSS that have a number.
    fn pss_number(&self) -> Option<i64> {
        let mut parameters = Der(self.parameters).read(der::SEQUENCE)?;
        let hash = algorithm(parameters.read(der::constructed(0))?.read(der::SEQUENCE)?).ok()?;
        let mask = algorithm(parameters.read(der::constructed(1))?.read(der::SEQUENCE)?).ok()?;
        let salt = parameters.read(der::constructed(2))?.small_integer(der::INTEGER)?;
        let trailer = match parameters.optional(der::constructed(3))? {
            Some(mut trailer) => trailer.small_integer(der::INTEGER)?,
            None => 1,
        };
        let mask_hash = algorithm(Der(mask.parameters).read(der::SEQUENCE)?).ok()?;
        let is_plain = |algorithm: &Algorithm<'_>| matches!(algorithm.parameters, [] | [5, 0]);
        let is_usual = is_plain(&hash)
            && is_plain(&mask_hash)
            && mask.oid.is("1.2.840.113549.1.1.8")
            && mask_hash.oid == hash.oid
            && trailer == 1;
        match (hash.oid.text().as_str(), salt) {
            _ if !is_usual => None,
            ("2.16.840.1.101.3.4.2.1", 32) => Some(13),
            ("2.16.840.1.101.3.4.2.2", 48) => Some(14),
            ("2.16.840.1.101.3.4.2.3", 64) => Some(15),
            _ => None,
        }
    }
}

/// The key in a sequence of algorithm and bits; the error is Go's, or Kyverno's for a key that is not RSA.
///
/// Other keys are refused whatever they hold: Go would first complain of a point that is not on its curve.
pub(super) fn public_key(mut info: Der<'_>) -> Result<Option<Map>, String> {
    let parts = info.read(der::SEQUENCE).ok_or("x509: malformed public key algorithm identifier")?;
    let algorithm = algorithm(parts)?;
    let bits = info.bits().ok_or("x509: malformed subjectPublicKey")?;
    if !algorithm.oid.is(RSA) {
        return Ok(None);
    }
    if algorithm.parameters != NULL {
        return Err("x509: RSA key missing NULL parameters".into());
    }
    let aligned = bits.aligned();
    let mut outer = Der(&aligned);
    let mut key = outer.read(der::SEQUENCE).ok_or("x509: invalid RSA public key")?;
    let modulus = key.integer(der::INTEGER).ok_or("x509: invalid RSA modulus")?;
    let exponent = key.small_integer(der::INTEGER).ok_or("x509: invalid RSA public exponent")?;
    if modulus == [0] || modulus.first().is_some_and(|byte| *byte >= 0x80) {
        return Err("x509: RSA modulus is not a positive number".into());
    }
    if exponent <= 0 {
        return Err("x509: RSA public exponent is not a positive number".into());
    }
    // Kyverno: reads the key once more, from the bits as they stand and with Go's older reader.
    if exponent > i64::from(i32::MAX) || bits.unused != 0 || !outer.is_empty() {
        return Err("failed to parse subject public key info".into());
    }
    if modulus.len() > MAX_MODULUS {
        return Err(format!("the modulus of the key exceeds {MAX_MODULUS} bytes"));
    }
    Ok(Some(Map::from_iter([("N", Value::from(decimal(modulus))), ("E", Value::from(exponent as f64))])))
}

/// A positive number in decimal digits.
pub(super) fn decimal(bytes: &[u8]) -> String {
    const BASE: u64 = 1_000_000_000;
    // Nine digits each, the lowest first.
    let mut parts: Vec<u64> = vec![0];
    for byte in bytes {
        let mut carry = u64::from(*byte);
        for part in &mut parts {
            let sum = *part * 256 + carry;
            *part = sum % BASE;
            carry = sum / BASE;
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let mut parts = parts.iter().rev();
    let mut digits = parts.next().map(u64::to_string).unwrap_or_default();
    for part in parts {
        let _ = write!(digits, "{part:09}");
    }
    digits
}
