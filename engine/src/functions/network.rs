//! `is_external_url`: whether a URL points out of the private networks.
//!
//! In: `http://10.0.0.1/`. Out: false. Addresses are decided; a name would have to be looked up, which this engine
//! never does: apart from `localhost` it is an error that says so.
//!
//! Mirrors: pkg/engine/jmespath/functions.go (`jpIsExternalURL`) and Go's `net`.

use super::arguments::text;
use crate::value::network::address::Address;
use crate::value::network::url::Url;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "is_external_url",
    args: &[Arg::STRING],
    returns: &[Kind::Bool],
    note: "whether the address in the URL is neither a private one nor this machine",
    examples: &[
        ("is_external_url('https://8.8.8.8/dns')", "true"),
        ("is_external_url('http://192.168.1.1:80')", "false"),
        ("is_external_url('http://[::1]/')", "false"),
    ],
    run: is_external_url,
}];

fn is_external_url(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    // Kyverno: the check of this argument names path_canonicalize.
    let url = text("path_canonicalize", arguments, 0)?;
    call.charge(url.len() / 4)?;
    let host = Url::parse(url).map(|url| url.host_name()).map_err(EvalError::other)?;
    if let Ok(address) = Address::parse(&host) {
        return Ok(Value::Bool(!(address.is_loopback() || address.is_private())));
    }
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(Value::Bool(false));
    }
    let reason = if is_domain_name(&host) { "names are not looked up here" } else { "no such host" };
    Err(EvalError::other(format!("lookup {host}: {reason}")))
}

/// Whether a name may be asked for at all.
// Go: net/dnsclient.go isDomainName.
fn is_domain_name(name: &str) -> bool {
    if name == "." {
        return true;
    }
    let labels = name.strip_suffix('.').unwrap_or(name);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(is_letter)
    };
    labels.len() < 254
        && labels.split('.').all(is_label)
        && labels.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'.')
}
