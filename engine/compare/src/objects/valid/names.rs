//! Names as Kubernetes writes them: of objects, containers, labels, ports.
//!
//! In: a text. Out: whether it is a name of that sort.
//! Mirrors: k8s.io/apimachinery/pkg/util/validation/validation.go

/// How long a label of DNS and the name part of a qualified name may be.
const MAX_LABEL: usize = 63;
/// How long a name of DNS may be.
const MAX_SUBDOMAIN: usize = 253;
/// How long the name of a port may be.
const MAX_PORT_NAME: usize = 15;

/// `IsDNS1123Label`: lower-case letters, digits, hyphens between them.
pub(super) fn is_dns_label(text: &str) -> bool {
    let is_end =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let bytes = text.as_bytes();
    text.len() <= MAX_LABEL
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
}

/// `IsDNS1123Subdomain`: labels of DNS with points between them.
// A part of one may be longer than a label alone may be.
pub(crate) fn is_dns_subdomain(text: &str) -> bool {
    let is_part = |part: &str| is_dns_label(part) || part.len() > MAX_LABEL && is_long_part(part);
    text.len() <= MAX_SUBDOMAIN && text.split('.').all(is_part)
}

fn is_long_part(part: &str) -> bool {
    let (begin, end) = part.split_at_checked(MAX_LABEL).unwrap_or((part, ""));
    let is_inner = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    is_inner(part) && !begin.starts_with('-') && !end.ends_with('-')
}

/// `IsWildcardDNS1123Subdomain`: `*.` and a name of DNS.
pub(super) fn is_wildcard_subdomain(text: &str) -> bool {
    text.len() <= MAX_SUBDOMAIN && text.strip_prefix("*.").is_some_and(is_dns_subdomain)
}

/// Letters, digits, `-`, `_` and `.` between letters and digits.
fn is_name_part(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    text.len() <= MAX_LABEL
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// `IsQualifiedName`: a name, or a name of DNS, a slash and a name.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        None => is_name_part(text),
        Some((prefix, name)) => is_dns_subdomain(prefix) && is_name_part(name),
    }
}

/// `IsValidLabelValue`: empty, or such a name.
pub(crate) fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name_part(text)
}

/// `IsValidPortName`: short, with a letter, hyphens between others alone.
pub(super) fn is_port_name(text: &str) -> bool {
    text.len() <= MAX_PORT_NAME
        && is_dns_label(text)
        && !text.contains("--")
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// `IsConfigMapKey`: letters, digits, `-`, `_` and `.`.
pub(super) fn is_config_map_key(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_SUBDOMAIN
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && text != "."
        && !text.starts_with("..")
}

/// `path.IsValidPathSegmentName`: what may stand between two slashes of a URL.
pub(crate) fn is_path_segment(text: &str) -> bool {
    !text.is_empty() && !matches!(text, "." | "..") && !text.contains(['/', '%'])
}

#[cfg(test)]
mod tests {
    use super::{is_dns_label, is_dns_subdomain, is_label_value, is_port_name, is_qualified_name};

    #[test]
    fn names_are_those_of_apimachinery() {
        assert!(is_dns_label("a-1") && !is_dns_label("-a") && !is_dns_label("A") && !is_dns_label(""));
        assert!(is_dns_subdomain("a.b-c") && !is_dns_subdomain("a..b") && !is_dns_subdomain("a_b"));
        assert!(is_dns_subdomain(&"a".repeat(253)) && !is_dns_subdomain(&"a".repeat(254)));
        assert!(
            is_label_value("")
                && is_label_value("A_b.c")
                && !is_label_value("-test")
                && !is_label_value("a b")
        );
        assert!(is_qualified_name("example.com/team") && is_qualified_name("Team"));
        assert!(!is_qualified_name("/team") && !is_qualified_name("a/b/c") && !is_qualified_name("*"));
        assert!(is_port_name("http-1") && !is_port_name("1") && !is_port_name("a--b"));
    }
}
