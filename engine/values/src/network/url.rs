//! URLs taken apart, with Go's words where a text is none.
//!
//! In: `https://user@example.com:80/a%2Fb?q`. Out: the scheme, the host `example.com:80`, the path `/a/b`, the query;
//! `http://a b/` is refused with `parse "http://a b/": invalid character " " in host name`.
//!
//! Mirrors: Go's `net/url` (`Parse`, `Hostname`) of 1.26.

use super::address::Address;
use crate::go_text::go_text_of;
use crate::go_text::quote;
use engine_json::{Map, Value};
use std::fmt::Write;

/// Which part of a URL a text is: they may hold different characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Path, user or fragment.
    Other,
    Host,
    Zone,
}

/// A URL; the parts are without escapes unless they are called raw.
#[derive(Debug, Default)]
pub struct Url<'a> {
    scheme: String,
    opaque: &'a str,
    has_user: bool,
    user: &'a str,
    host: Vec<u8>,
    path: Vec<u8>,
    raw_path: &'a str,
    omits_host: bool,
    forces_query: bool,
    raw_query: &'a str,
    fragment: Vec<u8>,
    raw_fragment: &'a str,
}

impl<'a> Url<'a> {
    /// Takes a URL apart.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let error = |text: &str, reason: String| format!("parse {}: {reason}", quote(text));
        let mut url = Url::parse_before_fragment(before, false).map_err(|reason| error(before, reason))?;
        url.fragment = unescape(fragment, Part::Other).map_err(|reason| error(text, reason))?;
        let is_plain = escape(&url.fragment, b"$&+,/:;=?@!()*") == fragment;
        url.raw_fragment = if is_plain { "" } else { fragment };
        Ok(url)
    }

    /// Takes the URL of a request apart, which is absolute or a path and has no fragment, as `ParseRequestURI`.
    pub fn parse_request(text: &'a str) -> Result<Self, String> {
        Url::parse_before_fragment(text, true).map_err(|reason| format!("parse {}: {reason}", quote(text)))
    }

    fn parse_before_fragment(text: &'a str, is_request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".into());
        }
        if text.is_empty() && is_request {
            return Err("empty url".into());
        }
        let mut url = Url::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        url.forces_query = rest.find('?').is_some_and(|at| at + 1 == rest.len());
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        url.raw_query = query;
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                url.opaque = rest;
                return Ok(url);
            }
            if is_request {
                return Err("invalid URI for request".into());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".into());
            }
        }
        let mut path = rest;
        let has_authority = !scheme.is_empty() || !is_request && !rest.starts_with("///");
        if let Some(behind) = rest.strip_prefix("//").filter(|_| has_authority) {
            let end = behind.find('/').unwrap_or(behind.len());
            let (authority, behind) = behind.split_at_checked(end).unwrap_or((behind, ""));
            path = behind;
            url.user = authority.rsplit_once('@').map_or("", |(user, _)| user);
            url.has_user = authority.contains('@');
            url.host = host_of(&url.scheme, authority)?;
        } else {
            url.omits_host = !scheme.is_empty() && rest.starts_with('/');
        }
        url.path = unescape(path, Part::Other)?;
        let is_plain = escape(&url.path, b"$&+,/:;=@") == path;
        url.raw_path = if is_plain { "" } else { path };
        Ok(url)
    }

    /// The host without port and brackets; empty where there is none.
    pub fn host_name(&self) -> String {
        let colon = self.host.iter().rposition(|byte| *byte == b':');
        let name = match colon.and_then(|at| self.host.split_at_checked(at)) {
            Some((name, port)) if is_port(port) => name,
            _ => &self.host,
        };
        let inner = name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]"));
        go_text_of(inner.unwrap_or(name))
    }

    /// The host with port and brackets.
    pub fn host_text(&self) -> String {
        go_text_of(&self.host)
    }

    /// The scheme in small letters; empty where there is none.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// What stands before the host's `@`, as it was written.
    pub fn user(&self) -> &str {
        self.user
    }

    /// The port; empty where there is none.
    pub fn port(&self) -> String {
        let colon = self.host.iter().rposition(|byte| *byte == b':');
        match colon.and_then(|at| self.host.split_at_checked(at)) {
            Some((_, port)) if is_port(port) => go_text_of(port.get(1..).unwrap_or_default()),
            _ => String::new(),
        }
    }

    /// The path with escapes: as it was written where that is valid.
    pub fn escaped_path(&self) -> String {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@!'()*[]%".contains(&byte);
        if !self.raw_path.is_empty() && self.raw_path.bytes().all(is_allowed) {
            return self.raw_path.to_owned();
        }
        if self.path == b"*" { "*".to_owned() } else { escape(&self.path, b"$&+,/:;=@") }
    }

    /// The text of the URL as a client shows it: without a port that is empty, the password as `***`.
    // Go: URL.String, of what net/http's removeEmptyPort and stripPassword leave.
    pub fn shown_by_client(&self) -> String {
        let mut out = if self.scheme.is_empty() { String::new() } else { format!("{}:", self.scheme) };
        if self.opaque.is_empty() {
            let path = self.escaped_path();
            let has_place = !self.scheme.is_empty() && !self.omits_host && !path.is_empty();
            if has_place || self.has_user || !self.host.is_empty() {
                out.push_str("//");
            }
            let name = |text: &str| unescape(text, Part::Other).unwrap_or_default();
            match self.user.split_once(':') {
                Some((user, _)) => out.extend([&go_text_of(&name(user)), ":***@"]),
                None if self.has_user => out.extend([&escape(&name(self.user), b"$&+,;="), "@"]),
                None => {}
            }
            let host = self.host.strip_suffix(b":").unwrap_or(&self.host);
            out.push_str(&escape(host, b"!$&'()*+,;=:[]<>\""));
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            out.push_str(&path);
        } else {
            out.push_str(self.opaque);
        }
        if self.forces_query || !self.raw_query.is_empty() {
            out.extend(["?", self.raw_query]);
        }
        if !self.fragment.is_empty() {
            let plain = escape(&self.fragment, b"$&+,/:;=?@!()*");
            out.extend(["#", if self.raw_fragment.is_empty() { &plain } else { self.raw_fragment }]);
        }
        out
    }

    /// The names and values of the query in their order; pairs that cannot be read are left out.
    pub fn query(&self) -> Vec<(String, String)> {
        let read = |text: &str| unescape(&text.replace('+', " "), Part::Other).ok().map(|b| go_text_of(&b));
        let pairs = self.raw_query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.filter_map(|(name, value)| Some((read(name)?, read(value)?))).collect()
    }

    /// The fields of Go's `url.URL` as JSON shows them: nothing of a user but that there is one.
    pub fn to_value(&self) -> Value {
        let user = if self.has_user { Value::object(Map::new()) } else { Value::Null };
        Value::object(Map::from_iter([
            ("Scheme", Value::from(self.scheme.as_str())),
            ("Opaque", Value::from(self.opaque)),
            ("User", user),
            ("Host", Value::from(self.host_text())),
            ("Path", Value::from(go_text_of(&self.path))),
            ("Fragment", Value::from(go_text_of(&self.fragment))),
            ("RawQuery", Value::from(self.raw_query)),
            ("RawPath", Value::from(self.raw_path)),
            ("RawFragment", Value::from(self.raw_fragment)),
            ("ForceQuery", Value::Bool(self.forces_query)),
            ("OmitHost", Value::Bool(self.omits_host)),
        ]))
    }
}

/// A segment of a path with its escapes read, `+` among them as it is; the error is Go's.
// Go: url.PathUnescape.
pub fn unescape_path(text: &str) -> Result<String, String> {
    unescape(text, Part::Other).map(|bytes| go_text_of(&bytes))
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

/// A text for these bytes: letters, digits, `-_.~` and what else is allowed stand as they are.
fn escape(bytes: &[u8], allowed: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || allowed.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
