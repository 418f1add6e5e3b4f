//! Networks: `10.0.0.0/8` (Kubernetes: `library/cidr.go`).

use super::ip::{IpValue, NOMINAL};
use super::{held, ip, one, opaque, text, two};
use engine_cel::cost::{self, Cost, traversal};
use engine_cel::error::{Error, Outcome};
use engine_cel::function::{Function, Host};
use engine_cel::value::{Equality, Opaque, Value};
use engine_values::go_text::quote;
use engine_values::network::prefix::Prefix;
use std::any::Any;

/// The rows.
pub const ROWS: &[Function] = &[
    Function {
        name: "cidr",
        overloads: &[one("string_to_cidr", "(string) -> net.CIDR", cidr).cost_by_name(cost::TEXT)],
        note: "The network that a text is.",
        examples: &[("cidr('10.0.0.0/8').prefixLength()", "8")],
    },
    Function {
        name: "isCIDR",
        overloads: &[one("is_cidr", "(string) -> bool", |_, value| {
            Ok(Value::Bool(parse(text(&value)).is_ok()))
        })
        .cost_by_name(cost::TEXT)],
        note: "Whether a text is a network.",
        examples: &[("isCIDR('10.0.0.0')", "false")],
    },
    Function {
        name: "containsIP",
        overloads: &[
            two("cidr_contains_ip_string", "net.CIDR.(string) -> bool", contains_ip_text)
                .cost_by_name(CONTAINS)
                .cost(CONTAINS_TEXT),
            two("cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool", contains_ip).cost_by_name(CONTAINS),
        ],
        note: "Whether an address lies in the network.",
        examples: &[("cidr('192.168.0.0/24').containsIP('192.168.0.1')", "true")],
    },
    Function {
        name: "containsCIDR",
        overloads: &[
            two("cidr_contains_cidr_string", "net.CIDR.(string) -> bool", contains_cidr_text)
                .cost_by_name(CONTAINS_CIDR)
                .cost(CONTAINS_CIDR_TEXT),
            two("cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool", contains_cidr)
                .cost_by_name(CONTAINS_CIDR),
        ],
        note: "Whether another network lies in this one.",
        examples: &[("cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", "true")],
    },
    Function {
        name: "ip",
        overloads: &[one("cidr_ip", "net.CIDR.() -> net.IP", |_, value| {
            Ok(opaque(IpValue(read(&value)?.address)))
        })
        .cost_by_name(NOMINAL)],
        note: "The address of the network as it was written.",
        examples: &[("string(cidr('192.168.0.5/24').ip())", "\"192.168.0.5\"")],
    },
    Function {
        name: "prefixLength",
        overloads: &[one("cidr_prefix_length", "net.CIDR.() -> int", |_, value| {
            Ok(Value::Int(read(&value)?.length.into()))
        })],
        note: "How many bits say which network.",
        examples: &[("cidr('::/0').prefixLength()", "0")],
    },
    Function {
        name: "masked",
        overloads: &[one("cidr_masked", "net.CIDR.() -> net.CIDR", |_, value| {
            Ok(opaque(CidrValue(read(&value)?.masked())))
        })],
        note: "The network with zeros behind its length.",
        examples: &[("string(cidr('192.168.0.5/24').masked())", "\"192.168.0.0/24\"")],
    },
    Function {
        name: "string",
        overloads: &[one("cidr_to_string", "(net.CIDR) -> string", |_, value| {
            Ok(Value::text(&read(&value)?.to_string()))
        })],
        note: "The network as text.",
        examples: &[("string(cidr('10.0.0.0/8'))", "\"10.0.0.0/8\"")],
    },
];

/// What version 1 of the library adds.
pub const MASKS: &[Function] = &[Function {
    name: "isMask",
    overloads: &[one("cidr_is_mask", "net.CIDR.() -> bool", |_, value| {
        let network = read(&value)?;
        Ok(Value::Bool(*network == network.masked()))
    })
    .cost_by_name(NOMINAL)],
    note: "Whether a network has nothing but zeros behind its length.",
    examples: &[("cidr('192.168.0.1/24').isMask()", "false")],
}];

/// The network's bytes twice.
const CONTAINS: Cost = Cost::Args(|args| traversal(size(args, 0) * 2, 1));
/// The same, and the text.
const CONTAINS_TEXT: Cost = Cost::Args(|args| traversal(size(args, 0) * 2, 1) + traversal(size(args, 1), 1));
/// The network's bytes three times.
const CONTAINS_CIDR: Cost =
    Cost::Args(|args| traversal(size(args, 0) * 2, 1) + traversal(size(args, 0), 1) + 1);
/// The same, and the text.
const CONTAINS_CIDR_TEXT: Cost = Cost::Args(|args| {
    traversal(size(args, 0) * 2, 1) + traversal(size(args, 0), 1) + 1 + traversal(size(args, 1), 1)
});

fn size(args: &[Value<'_>], at: usize) -> u64 {
    args.get(at).map_or(1, cost::size)
}

/// A network as a value.
#[derive(Debug)]
pub struct CidrValue(pub Prefix);

impl Opaque for CidrValue {
    fn type_name(&self) -> &'static str {
        "net.CIDR"
    }

    fn go_type(&self) -> &'static str {
        "cel.CIDR"
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
        Some(u64::from(self.0.length).div_ceil(8))
    }
}

fn read<'a>(value: &'a Value<'_>) -> Result<&'a Prefix, Box<Error>> {
    held::<CidrValue>(value).map(|value| &value.0)
}

const PREFIX: &str = "network address parse error during conversion from string";

fn parse(text: &str) -> Result<Prefix, String> {
    let prefix = Prefix::parse(text).map_err(|reason| format!("{PREFIX}: {reason}"))?;
    if prefix.address.is_mapped() {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
    }
    Ok(prefix)
}

/// The network of a text; the original says twice what it was doing.
fn parsed(value: &Value<'_>) -> Result<Prefix, Box<Error>> {
    parse(text(value)).map_err(|reason| Error::text(format!("{PREFIX}: {reason}")))
}

fn cidr<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    parsed(&value).map(|prefix| opaque(CidrValue(prefix)))
}

// Kubernetes: the error of the address is lost, what is left is that it is no address.
fn contains_ip_text<'v>(_: &mut Host<'_>, network: Value<'v>, address: Value<'v>) -> Outcome<'v> {
    let address = ip::parse(text(&address)).map_err(|_| Error::no_overload())?;
    Ok(Value::Bool(read(&network)?.contains(address)))
}

fn contains_ip<'v>(_: &mut Host<'_>, network: Value<'v>, address: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(read(&network)?.contains(*ip::read(&address)?)))
}

fn contains_cidr_text<'v>(_: &mut Host<'_>, network: Value<'v>, other: Value<'v>) -> Outcome<'v> {
    let other = parsed(&other)?;
    Ok(Value::Bool(holds(*read(&network)?, other)))
}

fn contains_cidr<'v>(_: &mut Host<'_>, network: Value<'v>, other: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(holds(*read(&network)?, *read(&other)?)))
}

fn holds(network: Prefix, other: Prefix) -> bool {
    network.overlaps(other) && network.length <= other.length
}
