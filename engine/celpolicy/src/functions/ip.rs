//! IP addresses (Kubernetes: `library/ip.go`).

use super::{held, one, opaque, text};
use engine_cel::cost::{self, Cost};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::go_text::quote;
use engine_values::network::address::Address;
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "ip",
        overloads: &[one("string_to_ip", "(string) -> net.IP", ip).cost_by_name(cost::TEXT)],
        note: "The address that a text is.",
        examples: &[("ip('2001:DB8::0') == ip('2001:db8::')", "true")],
    },
    Function {
        name: "isIP",
        overloads: &[one("is_ip", "(string) -> bool", is_ip).cost_by_name(cost::TEXT)],
        note: "Whether a text is an address.",
        examples: &[("isIP('10.0.0.256')", "false")],
    },
    Function {
        name: "ip.isCanonical",
        overloads: &[one("ip_is_canonical", "(string) -> bool", is_canonical).cost_by_name(cost::TEXT_TWICE)],
        note: "Whether a text is an address as it is usually written.",
        examples: &[("ip.isCanonical('2001:DB8::1')", "false")],
    },
    Function {
        name: "family",
        overloads: &[one("ip_family", "net.IP.() -> int", family)],
        note: "4 or 6.",
        examples: &[("ip('::1').family()", "6")],
    },
    Function {
        name: "isUnspecified",
        overloads: &[one("ip_is_unspecified", "net.IP.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.is_unspecified()))
        })],
        note: "Whether the address is all zeros.",
        examples: &[("ip('0.0.0.0').isUnspecified()", "true")],
    },
    Function {
        name: "isLoopback",
        overloads: &[one("ip_is_loopback", "net.IP.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.is_loopback()))
        })],
        note: "Whether the address is this machine.",
        examples: &[("ip('127.0.0.1').isLoopback()", "true")],
    },
    Function {
        name: "isLinkLocalMulticast",
        overloads: &[one("ip_is_link_local_multicast", "net.IP.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.is_link_local_multicast()))
        })],
        note: "Whether the address is a group's on the same link.",
        examples: &[("ip('224.0.0.1').isLinkLocalMulticast()", "true")],
    },
    Function {
        name: "isLinkLocalUnicast",
        overloads: &[one("ip_is_link_local_unicast", "net.IP.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.is_link_local()))
        })],
        note: "Whether the address reaches only the same link.",
        examples: &[("ip('169.254.1.1').isLinkLocalUnicast()", "true")],
    },
    Function {
        name: "isGlobalUnicast",
        overloads: &[one("ip_is_global_unicast", "net.IP.() -> bool", |_, value| {
            Ok(Value::Bool(read(&value)?.is_global_unicast()))
        })],
        note: "Whether the address is one machine's and not bound to a link.",
        examples: &[("ip('10.0.0.1').isGlobalUnicast()", "true")],
    },
    Function {
        name: "string",
        overloads: &[one("ip_to_string", "(net.IP) -> string", |_, value| {
            Ok(Value::text(&read(&value)?.to_string()))
        })],
        note: "The address as text.",
        examples: &[("string(ip('::1'))", "\"::1\"")],
    },
];

/// What the accessors of an address of a network cost.
pub(super) const NOMINAL: Cost = Cost::One;

/// An address as a value.
#[derive(Debug)]
pub struct IpValue(pub Address);

impl Opaque for IpValue {
    fn type_name(&self) -> &'static str {
        "net.IP"
    }

    fn go_type(&self) -> &'static str {
        "cel.IP"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equal(&self, other: &Value<'_>) -> Equality {
        read(other).map_or(Equality::NoOverload, |other| (self.0 == *other).into())
    }

    fn show(&self) -> String {
        self.0.to_string()
    }

    fn size(&self) -> Option<u64> {
        Some(u64::from(self.0.bits().1 / 8))
    }
}

pub(super) fn read<'a>(value: &'a Value<'_>) -> Result<&'a Address, Box<Error>> {
    held::<IpValue>(value).map(|value| &value.0)
}

/// An address without a zone, and not one of IPv4 in IPv6.
pub(super) fn parse(text: &str) -> Result<Address, String> {
    let shown = quote(text);
    let address = Address::parse(text).map_err(|reason| {
        format!("IP Address {shown} parse error during conversion from string: {reason}")
    })?;
    if text.contains('%') {
        return Err(format!("IP address {shown} with zone value is not allowed"));
    }
    if address.is_mapped() {
        return Err(format!("IPv4-mapped IPv6 address {shown} is not allowed"));
    }
    Ok(address)
}

fn ip<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    parse(text(&value)).map(|address| opaque(IpValue(address))).map_err(Error::text)
}

fn is_ip<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(parse(text(&value)).is_ok()))
}

fn is_canonical<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    let address = parse(text(&value)).map_err(Error::text)?;
    Ok(Value::Bool(address.to_string() == text(&value)))
}

fn family<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    Ok(Value::Int(if matches!(read(&value)?, Address::V4(_)) { 4 } else { 6 }))
}
