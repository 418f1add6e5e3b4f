//! Certificates and requests for one, as maps with the fields of Go's `x509.Certificate`, bytes in base64. Signatures are
//! shown, not checked.
//!
//! In: the PEM text of a certificate with an RSA key. Out: the map, or the error of the original.
//!
//! Reading order: `pem`, `der`, `name`, `key`, `extensions`, `constraints`, `certificate`, `request`. The reader is
//! ours because the answer is Go's structure field by field, with the raw bytes of its parts: a package would add
//! its own 45 kB and still leave this to do.
//!
//! Mirrors: Go's `crypto/x509` and Kyverno's pkg/engine/jmespath/functions.go (`jpX509Decode`).

mod certificate;
mod constraints;
mod der;
mod extensions;
mod key;
mod name;
mod pem;
mod request;

use crate::base64;
use engine_json::{Map, Value};

/// Whether a text holds a whole PEM block.
pub fn is_pem(text: &str) -> bool {
    pem::decode(text).is_some()
}

/// Whether a text begins with a certificate that Go reads, whatever its key is.
pub fn is_certificate(text: &str) -> bool {
    let Some(block) = pem::decode(text).filter(|block| block.kind == "CERTIFICATE") else { return false };
    // What only Kyverno cannot show of a key is said without the package's name.
    certificate::decode(&block.bytes).err().is_none_or(|error| !error.starts_with("x509: "))
}

/// The certificate or request in a PEM text.
///
/// # Errors
/// The original's words for a text that holds none, or one that cannot be read.
pub fn decode(text: &str) -> Result<Value, String> {
    let block = pem::decode(text).ok_or("failed to decode PEM block")?;
    let fields = match block.kind {
        "CERTIFICATE" => certificate::decode(&block.bytes),
        "CERTIFICATE REQUEST" => request::decode(&block.bytes),
        _ => return Err("PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST".to_owned()),
    };
    fields.map(Value::object)
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
        self.set(name, base64::encode(bytes));
    }

    /// A list; null where it is empty, as Go's `nil`.
    fn list(&mut self, name: &str, list: Vec<Value>) {
        self.set(name, if list.is_empty() { Value::Null } else { Value::array(list) });
    }
}
