//! The names that an authority may give certificates for.
//!
//! In: the extension with permitted and excluded subtrees. Out: eight lists, such as `PermittedDNSDomains`.
//!
//! Mirrors: Go's `crypto/x509` (`parseNameConstraintsExtension`, `domainNameValid`).

use super::Fields;
use super::der::{self, Der};
use super::extensions::{Extension, address, ascii};
use crate::base64;
use crate::go_text::quote;
use crate::network::address::Address;
use engine_json::{Map, Value};
use std::fmt::Write;

/// The lists of one of both sides.
#[derive(Default)]
struct Subtrees {
    hosts: Vec<Value>,
    ranges: Vec<Value>,
    emails: Vec<Value>,
    urls: Vec<Value>,
    /// Whether there is a constraint of a kind that Go does not know.
    has_unknown: bool,
}

/// What the fields hold without the extension.
pub(super) fn set_defaults(fields: &mut Fields) {
    Subtrees::default().set(fields, "Permitted");
    Subtrees::default().set(fields, "Excluded");
}

/// Sets the lists; says whether all constraints are known.
pub(super) fn set(fields: &mut Fields, extension: &Extension<'_>) -> Result<bool, String> {
    let (permitted, excluded) = split(extension.value).ok_or("x509: invalid NameConstraints extension")?;
    let is_empty = |side: &Option<Der<'_>>| side.is_none_or(|side| side.is_empty());
    if is_empty(&permitted) && is_empty(&excluded) {
        return Err("x509: empty name constraints extension".into());
    }
    let mut is_known = true;
    for (side, prefix) in [(permitted, "Permitted"), (excluded, "Excluded")] {
        let subtrees = Subtrees::read(side.unwrap_or(Der(&[])))?;
        is_known &= !subtrees.has_unknown;
        subtrees.set(fields, prefix);
    }
    fields.set("PermittedDNSDomainsCritical", extension.is_critical);
    Ok(is_known)
}

type Sides<'a> = (Option<Der<'a>>, Option<Der<'a>>);

fn split(bytes: &[u8]) -> Option<Sides<'_>> {
    let mut outer = Der(bytes);
    let mut inner = outer.read(der::SEQUENCE).filter(|_| outer.is_empty())?;
    let permitted = inner.optional(der::constructed(0))?;
    let excluded = inner.optional(der::constructed(1))?;
    inner.is_empty().then_some((permitted, excluded))
}

impl Subtrees {
    fn read(mut list: Der<'_>) -> Result<Self, String> {
        let mut subtrees = Subtrees::default();
        while !list.is_empty() {
            let name = list.read(der::SEQUENCE).and_then(|mut subtree| subtree.any());
            let name = name.ok_or("x509: invalid NameConstraints extension")?;
            subtrees.add(name.tag, name.content)?;
        }
        Ok(subtrees)
    }

    fn add(&mut self, tag: u8, bytes: &[u8]) -> Result<(), String> {
        let text = || {
            let shown = || quote(&crate::go_text::go_text_of(bytes));
            ascii(bytes).ok_or_else(|| {
                format!("x509: invalid constraint value: x509: {} cannot be encoded as an IA5String", shown())
            })
        };
        let failed =
            |kind: &str, text: &str| format!("x509: failed to parse {kind} constraint {}", quote(text));
        match tag ^ 0x80 {
            2 => {
                let host = text()?;
                if !is_domain(host, true) {
                    return Err(failed("dnsName", host));
                }
                self.hosts.push(host.into());
            }
            1 => {
                let email = text()?;
                let is_right = match email.rsplit_once('@') {
                    Some((user, host)) => !user.is_empty() && !host.is_empty() && is_domain(host, false),
                    None => is_domain(email, true),
                };
                if !is_right {
                    return Err(failed("rfc822Name", email));
                }
                self.emails.push(email.into());
            }
            6 => {
                let host = text()?;
                if Address::parse(host).is_ok() {
                    return Err(failed("URI", host) + ": cannot be IP address");
                }
                if !is_domain(host, true) {
                    return Err(failed("URI", host));
                }
                self.urls.push(host.into());
            }
            7 => self.ranges.push(range(bytes)?),
            _ => self.has_unknown = true,
        }
        Ok(())
    }

    fn set(self, fields: &mut Fields, prefix: &str) {
        fields.list(&format!("{prefix}DNSDomains"), self.hosts);
        fields.list(&format!("{prefix}IPRanges"), self.ranges);
        fields.list(&format!("{prefix}EmailAddresses"), self.emails);
        fields.list(&format!("{prefix}URIDomains"), self.urls);
    }
}

/// An address and a mask.
fn range(bytes: &[u8]) -> Result<Value, String> {
    let half = bytes.len() / 2;
    let parts = bytes.split_at_checked(half).filter(|_| matches!(bytes.len(), 8 | 32));
    let parts = parts.and_then(|(start, mask)| Some((address(start)?, mask)));
    let (start, mask) =
        parts.ok_or_else(|| format!("x509: IP constraint contained value of length {}", bytes.len()))?;
    let ones = mask.iter().map(|byte| byte.leading_ones()).take_while(|ones| *ones == 8).count();
    let mut rest = mask.iter().skip(ones);
    let is_partial = |byte: &u8| byte.leading_ones() + byte.trailing_zeros() >= 8;
    if !rest.next().is_none_or(is_partial) || rest.any(|byte| *byte != 0) {
        let mut digits = String::new();
        for byte in mask {
            let _ = write!(digits, "{byte:02x}");
        }
        return Err(format!("x509: IP constraint contained invalid mask {digits}"));
    }
    Ok(Value::object(Map::from_iter([("IP", Value::from(start)), ("Mask", base64::encode(mask).into())])))
}

/// Whether a text may be a domain; a constraint may begin with a point.
pub(super) fn is_domain(text: &str, is_constraint: bool) -> bool {
    let labels = if is_constraint { text.strip_prefix('.').unwrap_or(text) } else { text };
    text.is_empty()
        || labels
            .split('.')
            .all(|label| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_graphic()))
}
