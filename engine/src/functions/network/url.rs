//! The host in a URL, with Go's words where a text is none.
//!
//! In: `https://user@example.com:80/a`. Out: `example.com`; `http://a b/` is refused with
//! `parse "http://a b/": invalid character " " in host name`.
//!
//! Mirrors: Go's `net/url` (`Parse`, `Hostname`) of 1.26.

use super::address::Address;
use crate::functions::encoding::go_text_of;
use crate::value::go_text::quote;

/// Which part of a URL a text is: they may hold different characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Path, user or fragment.
    Other,
    Host,
    Zone,
}

/// The host name or address; empty where there is none.
pub(super) fn host(url: &str) -> Result<String, String> {
    let (before, fragment) = url.split_once('#').unwrap_or((url, ""));
    let error = |url: &str, reason: String| format!("parse {}: {reason}", quote(url));
    let host = parse(before).map_err(|reason| error(before, reason))?;
    unescape(fragment, Part::Other).map_err(|reason| error(url, reason))?;
    Ok(go_text_of(&host_name(&host)))
}

/// What stands between user and path, escapes taken away.
fn parse(url: &str) -> Result<Vec<u8>, String> {
    if url.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if url == "*" {
        return Ok(Vec::new());
    }
    let (scheme, rest) = scheme(url)?;
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(Vec::new());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    let mut path = rest;
    let mut host = Vec::new();
    let has_authority = !scheme.is_empty() || !rest.starts_with("///");
    if let Some(behind) = rest.strip_prefix("//").filter(|_| has_authority) {
        let end = behind.find('/').unwrap_or(behind.len());
        let (authority, behind) = behind.split_at_checked(end).unwrap_or((behind, ""));
        path = behind;
        host = host_of(&scheme.to_ascii_lowercase(), authority)?;
    }
    unescape(path, Part::Other)?;
    Ok(host)
}

/// What stands before the first colon, if that can be a scheme, and what stands behind it.
fn scheme(url: &str) -> Result<(&str, &str), String> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let rest = url.trim_start_matches(is_letter);
    let scheme = url.strip_suffix(rest).unwrap_or("");
    match rest.strip_prefix(':') {
        Some(_) if scheme.is_empty() => Err("missing protocol scheme".into()),
        Some(rest) if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok((scheme, rest)),
        Some(_) | None => Ok(("", url)),
    }
}

fn host_of(scheme: &str, authority: &str) -> Result<Vec<u8>, String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return parse_host(scheme, authority);
    };
    let host = parse_host(scheme, host)?;
    let is_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(is_user) {
        return Err("net/url: invalid userinfo".into());
    }
    // The name and the password are read apart.
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    unescape(name, Part::Other)?;
    unescape(password, Part::Other)?;
    Ok(host)
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return bracketed(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    let is_strict = matches!(scheme, "http" | "https");
    let colon = if is_strict { host.find(':') } else { host.rfind(':') };
    if let Some(port) = colon.and_then(|at| host.get(at..)) {
        check_port(port)?;
    }
    unescape(host, Part::Host)
}

/// An address of IPv6 in brackets, and a port.
fn bracketed(host: &str) -> Result<Vec<u8>, String> {
    let Some((name, port)) = host.strip_prefix('[').and_then(|host| host.rsplit_once(']')) else {
        return Err("missing ']' in host".into());
    };
    check_port(port)?;
    let mut port = unescape(port, Part::Host)?;
    let address = match name.find("%25").and_then(|at| name.split_at_checked(at)) {
        Some((address, zone)) => [unescape(address, Part::Host)?, unescape(zone, Part::Zone)?].concat(),
        None => unescape(name, Part::Host)?,
    };
    match Address::parse(&go_text_of(&address)) {
        Err(reason) => return Err(format!("invalid host: {reason}")),
        Ok(Address::V4(_)) => return Err("invalid IP-literal".into()),
        Ok(Address::V6(_)) => {}
    }
    let mut host = [b"[".as_slice(), &address, b"]"].concat();
    host.append(&mut port);
    Ok(host)
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port.as_bytes()) { Ok(()) } else { Err(format!("invalid port {} after host", quote(port))) }
}

/// Whether this is nothing, or a colon and digits.
fn is_port(port: &[u8]) -> bool {
    match port.split_first() {
        None => true,
        Some((b':', digits)) => digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

/// The host without port and brackets.
fn host_name(host: &[u8]) -> Vec<u8> {
    let colon = host.iter().rposition(|byte| *byte == b':');
    let name = match colon.and_then(|at| host.split_at_checked(at)) {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    let inner = name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]"));
    inner.unwrap_or(name).to_vec()
}

/// The bytes that a text with `%41` and the like stands for.
fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        if byte == b'%' {
            let escape = rest.get(..3);
            let value = escape.and_then(escaped_byte).filter(|value| is_escape_allowed(*value, part));
            let Some(value) = value else {
                let shown = rest.get(..3).unwrap_or(rest);
                return Err(format!("invalid URL escape {}", quote(&go_text_of(shown))));
            };
            bytes.push(value);
            rest = rest.get(3..).unwrap_or(&[]);
            continue;
        }
        if part != Part::Other && byte.is_ascii() && !is_host_byte(byte) {
            let shown = quote(&char::from(byte).to_string());
            return Err(format!("invalid character {shown} in host name"));
        }
        bytes.push(byte);
        rest = behind;
    }
    Ok(bytes)
}

fn escaped_byte(escape: &[u8]) -> Option<u8> {
    let digit = |at: usize| escape.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    u8::try_from(digit(1)? * 16 + digit(2)?).ok()
}

/// A host may escape only what is not of ASCII, a zone what a host may hold.
fn is_escape_allowed(value: u8, part: Part) -> bool {
    match part {
        Part::Other => true,
        Part::Host => value >= 0x80 || value == b'%',
        Part::Zone => value == b'%' || value == b' ' || is_host_byte(value),
    }
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~".contains(&byte)
}
