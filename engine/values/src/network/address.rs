//! IP addresses from text, with Go's words where a text is none.
//!
//! In: `fe80::1%en0`. Out: the address; `::g` is refused with
//! `ParseAddr("::g"): each colon-separated field must have at least one digit (at "g")`.
//!
//! Mirrors: Go's `net/netip` (`ParseAddr`).

use crate::go_text::quote;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address; a zone has been checked and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// Four bytes.
    V4(Ipv4Addr),
    /// Sixteen bytes.
    V6(Ipv6Addr),
}

impl Address {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Address, String> {
        let fault = match text.find(['.', ':', '%']).and_then(|at| text.as_bytes().get(at)) {
            Some(b'.') => match v4(text) {
                Ok(bytes) => return Ok(Address::V4(Ipv4Addr::from(bytes))),
                Err(fault) => fault,
            },
            Some(b':') => match v6(text) {
                Ok(groups) => return Ok(Address::V6(Ipv6Addr::from(groups))),
                Err(fault) => fault,
            },
            Some(_) => Fault::new("missing IPv6 address", ""),
            None => Fault::new("unable to parse IP", ""),
        };
        let at = if fault.at.is_empty() { String::new() } else { format!(" (at {})", quote(fault.at)) };
        Err(format!("ParseAddr({}): {}{at}", quote(text), fault.reason))
    }

    /// The IPv4 address that this is or wraps.
    fn as_v4(self) -> Option<Ipv4Addr> {
        match self {
            Address::V4(address) => Some(address),
            Address::V6(address) => address.to_ipv4_mapped(),
        }
    }

    /// The same address, as one of IPv4 where it wraps one: `::ffff:10.0.0.1`.
    #[must_use]
    pub fn unmapped(self) -> Address {
        self.as_v4().map_or(self, Address::V4)
    }

    /// The IPv4 address that stands in one of IPv6 by another way of writing: `::10.0.0.1`, `64:ff9b::10.0.0.1`,
    /// `2002:a00:1::`.
    pub fn embedded_v4(self) -> Option<Address> {
        let Address::V6(address) = self.unmapped() else { return None };
        let groups = match address.segments() {
            [0, 0, 0, 0, 0, 0, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] | [0x2002, a, b, ..] => [a, b],
            _ => return None,
        };
        let [high, low] = groups.map(u32::from);
        Some(Address::V4(Ipv4Addr::from(high << 16 | low)))
    }

    fn first_group(self) -> u16 {
        match self {
            Address::V4(_) => 0,
            Address::V6(address) => address.segments().first().copied().unwrap_or(0),
        }
    }

    /// Whether it is an address of IPv4 written as one of IPv6.
    pub fn is_mapped(self) -> bool {
        matches!(self, Address::V6(address) if address.to_ipv4_mapped().is_some())
    }

    /// The bits, and how many there are.
    pub fn bits(self) -> (u128, u32) {
        match self {
            Address::V4(address) => (u128::from(u32::from(address)), 32),
            Address::V6(address) => (u128::from(address), 128),
        }
    }

    /// The address of these bits, of the same kind as this one.
    #[must_use]
    pub fn with_bits(self, bits: u128) -> Address {
        match self {
            Address::V4(_) => Address::V4(Ipv4Addr::from(u32::try_from(bits).unwrap_or(u32::MAX))),
            Address::V6(_) => Address::V6(Ipv6Addr::from(bits)),
        }
    }

    /// Whether it is all zeros.
    pub fn is_unspecified(self) -> bool {
        self.bits().0 == 0
    }

    /// Whether it reaches only the same link: `169.254.0.0/16`, `fe80::/10`.
    pub fn is_link_local(self) -> bool {
        self.as_v4().map_or_else(|| self.first_group() & 0xffc0 == 0xfe80, |address| address.is_link_local())
    }

    /// Whether it is a group's on the same link: `224.0.0.0/24`, `ff02::/16` with any flags.
    pub fn is_link_local_multicast(self) -> bool {
        let of_group = || self.first_group() & 0xff0f == 0xff02;
        self.as_v4().map_or_else(of_group, |address| u32::from(address) & 0xffff_ff00 == 0xe000_0000)
    }

    /// Whether it is one machine's and not bound to a link: neither a group, nor the broadcast, nor this machine.
    // Go: netip.Addr.IsGlobalUnicast; private networks count.
    pub fn is_global_unicast(self) -> bool {
        let is_multicast = self
            .as_v4()
            .map_or_else(|| self.first_group() & 0xff00 == 0xff00, |address| address.is_multicast());
        let is_broadcast = matches!(self, Address::V4(address) if address.is_broadcast());
        let is_local = self.is_loopback() || self.is_link_local();
        !(is_multicast || is_broadcast || is_local || self.is_unspecified())
    }

    /// Whether it is this machine.
    pub fn is_loopback(self) -> bool {
        match (self.as_v4(), self) {
            (Some(address), _) => address.is_loopback(),
            (None, address) => address == Address::V6(Ipv6Addr::LOCALHOST),
        }
    }

    /// Whether it is in a private network.
    pub fn is_private(self) -> bool {
        self.as_v4().map_or_else(|| self.first_group() & 0xfe00 == 0xfc00, |address| address.is_private())
    }
}

impl fmt::Display for Address {
    /// The canonical text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::V4(address) => address.fmt(f),
            Address::V6(address) => address.fmt(f),
        }
    }
}

/// What is wrong, and from where on.
struct Fault<'a> {
    reason: &'static str,
    at: &'a str,
}

impl<'a> Fault<'a> {
    fn new(reason: &'static str, at: &'a str) -> Self {
        Fault { reason, at }
    }
}

fn v4(text: &str) -> Result<[u8; 4], Fault<'_>> {
    let mut bytes = [0; 4];
    let (mut value, mut digits, mut place) = (0_u16, 0, 0);
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or("");
        if let Some(digit) = c.to_digit(10) {
            if digits == 1 && value == 0 {
                return Err(Fault::new("IPv4 field has octet with leading zero", ""));
            }
            value = value * 10 + u16::try_from(digit).unwrap_or(0);
            digits += 1;
            if value > 255 {
                return Err(Fault::new("IPv4 field has value >255", ""));
            }
        } else if c == '.' {
            if digits == 0 || rest.len() == 1 {
                return Err(Fault::new("IPv4 field must have at least one digit", rest));
            }
            if place == 3 {
                return Err(Fault::new("IPv4 address too long", ""));
            }
            set(&mut bytes, place, value);
            (value, digits, place) = (0, 0, place + 1);
        } else {
            return Err(Fault::new("unexpected character", rest));
        }
    }
    if place < 3 {
        return Err(Fault::new("IPv4 address too short", ""));
    }
    set(&mut bytes, place, value);
    Ok(bytes)
}

fn set(bytes: &mut [u8; 4], place: usize, value: u16) {
    if let Some(byte) = bytes.get_mut(place) {
        *byte = u8::try_from(value).unwrap_or(u8::MAX);
    }
}

fn v6(text: &str) -> Result<[u16; 8], Fault<'_>> {
    let mut rest = match text.split_once('%') {
        Some((_, "")) => return Err(Fault::new("zone must be a non-empty string", "")),
        Some((address, _)) => address,
        None => text,
    };
    let mut groups = Vec::with_capacity(8);
    let mut gap = None;
    if let Some(behind) = rest.strip_prefix("::") {
        (gap, rest) = (Some(0), behind);
    }
    while groups.len() < 8 && !(rest.is_empty() && gap.is_some()) {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
        if digits > 4 {
            return Err(Fault::new("each group must have 4 or less digits", rest));
        }
        let (Some((group, behind)), true) = (rest.split_at_checked(digits), digits > 0) else {
            return Err(Fault::new("each colon-separated field must have at least one digit", rest));
        };
        if behind.starts_with('.') {
            groups.extend(embedded_v4(rest, groups.len(), gap.is_some())?);
            rest = "";
            break;
        }
        groups.push(u16::from_str_radix(group, 16).unwrap_or(0));
        if behind.is_empty() {
            rest = behind;
            break;
        }
        rest = match behind.strip_prefix(':') {
            None => return Err(Fault::new("unexpected character, want colon", behind)),
            Some("") => return Err(Fault::new("colon must be followed by more characters", behind)),
            Some(rest) => rest,
        };
        if let Some(behind) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Err(Fault::new("multiple :: in address", rest));
            }
            (gap, rest) = (Some(groups.len()), behind);
        }
    }
    if !rest.is_empty() {
        return Err(Fault::new("trailing garbage after address", rest));
    }
    filled(groups, gap)
}

/// The two groups of an IPv4 address at the end.
fn embedded_v4(text: &str, before: usize, has_gap: bool) -> Result<[u16; 2], Fault<'_>> {
    if !has_gap && before != 6 {
        let reason = "embedded IPv4 address must replace the final 2 fields of the address";
        return Err(Fault::new(reason, text));
    }
    if before > 6 {
        let reason = "too many hex fields to fit an embedded IPv4 at the end of the address";
        return Err(Fault::new(reason, text));
    }
    let [a, b, c, d] = v4(text)?;
    Ok([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])])
}

/// Eight groups, the gap filled with zeros.
fn filled<'a>(mut groups: Vec<u16>, gap: Option<usize>) -> Result<[u16; 8], Fault<'a>> {
    match (gap, groups.len()) {
        (None, 0..8) => return Err(Fault::new("address string too short", "")),
        (Some(_), 8..) => {
            return Err(Fault::new("the :: must expand to at least one field of zeros", ""));
        }
        (Some(gap), missing) => {
            groups.splice(gap..gap, std::iter::repeat_n(0, 8 - missing));
        }
        (None, _) => {}
    }
    groups.try_into().map_err(|_| Fault::new("address string too short", ""))
}
