//! Which names Kubernetes takes for a namespace and for a runtime class.
//!
//! In: a name. Out: what is wrong with it, in the words of apimachinery: `must be no more than 63 characters`.
//!
//! Mirrors: k8s.io/apimachinery/pkg/util/validation/validation.go

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// What is wrong with a name that must be a DNS label.
pub fn dns_label(name: &str) -> Vec<String> {
    let mut errors = too_long(name, 63);
    if !is_label(name) {
        let dotted = name.split('.').all(is_label);
        errors.push(if dotted { "must not contain dots" } else { LABEL }.to_owned());
    }
    errors
}

/// What is wrong with a name that must be a DNS subdomain.
pub fn dns_subdomain(name: &str) -> Vec<String> {
    let mut errors = too_long(name, 253);
    if !name.split('.').all(is_label) {
        errors.push(SUBDOMAIN.to_owned());
    }
    errors
}

fn too_long(name: &str, most: usize) -> Vec<String> {
    if name.len() > most { vec![format!("must be no more than {most} characters")] } else { Vec::new() }
}

fn is_label(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.bytes().all(inner) && !name.is_empty() && !name.starts_with('-') && !name.ends_with('-')
}
