//! Networks: an address and how many of its bits say which network.
//!
//! In: `192.168.0.5/24`. Out: address and length; what is none is refused with
//! `netip.ParsePrefix("192.168.0.5"): no '/'`.
//!
//! Mirrors: Go's `net/netip` (`ParsePrefix`, `Prefix`).

use super::address::Address;
use crate::go_text::{atoi, quote};
use std::fmt;

/// A network. The bits behind the length stay as they were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The address as it was written.
    pub address: Address,
    /// How many bits say which network.
    pub length: u32,
}

impl Prefix {
    /// Reads a network.
    pub fn parse(text: &str) -> Result<Prefix, String> {
        Prefix::read(text).map_err(|reason| format!("netip.ParsePrefix({}): {reason}", quote(text)))
    }

    fn read(text: &str) -> Result<Prefix, String> {
        let (before, bits) = text.rsplit_once('/').ok_or("no '/'")?;
        let address = Address::parse(before)?;
        if matches!(address, Address::V6(_)) && before.contains('%') {
            return Err("IPv6 zones cannot be present in a prefix".to_owned());
        }
        let wrong = || format!("bad bits after slash: {}", quote(bits));
        // Go: Atoi would take a sign and leading zeros.
        if bits.len() > 1 && !bits.starts_with(|c: char| matches!(c, '1'..='9')) {
            return Err(wrong());
        }
        let length = atoi(bits).map_err(|_| wrong())?;
        let most = address.bits().1;
        match u32::try_from(length) {
            Ok(length) if length <= most => Ok(Prefix { address, length }),
            _ => Err("prefix length out of range".to_owned()),
        }
    }

    /// The same network with zeros behind the length.
    #[must_use]
    pub fn masked(self) -> Prefix {
        let (bits, width) = self.address.bits();
        let hidden = width.saturating_sub(self.length);
        let bits = bits.checked_shr(hidden).and_then(|bits| bits.checked_shl(hidden)).unwrap_or(0);
        Prefix { address: self.address.with_bits(bits), ..self }
    }

    /// Whether an address lies in the network; never one of the other kind.
    pub fn contains(self, address: Address) -> bool {
        let ((own, width), (bits, other)) = (self.address.bits(), address.bits());
        let hidden = width.saturating_sub(self.length);
        width == other && own.checked_shr(hidden).unwrap_or(0) == bits.checked_shr(hidden).unwrap_or(0)
    }

    /// Whether two networks have an address in common.
    pub fn overlaps(self, other: Prefix) -> bool {
        let length = self.length.min(other.length);
        Prefix { length, ..self }.contains(other.address)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}
