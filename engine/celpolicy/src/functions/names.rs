//! Kubernetes' rules for names, with its words for what breaks them.
//!
//! In: a text. Out: what is wrong with it, a sentence each; nothing where it is a name.
//!
//! Mirrors: k8s.io/apimachinery pkg/util/validation and pkg/api/validate/content, pkg/api/validation (prefixes).

use engine_values::re2::Regex;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const OLD_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

const LABEL_RULE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const OLD_LABEL_RULE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// Whether a whole text fits; a pattern that cannot be read, or that takes too long, fits nothing.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let regex = Regex::new(&format!("^(?:{pattern})$"));
    regex.is_ok_and(|regex| regex.is_match(text).is_ok_and(|answer| answer.value))
}

fn broken(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

/// A DNS label of RFC 1123.
pub fn label(text: &str) -> Vec<String> {
    let mut wrong = too_long(text, 63, "characters");
    if !fits(LABEL, text) {
        wrong.push(if fits(SUBDOMAIN, text) {
            "must not contain dots".to_owned()
        } else {
            broken(LABEL_RULE, LABEL, &["my-name", "123-abc"])
        });
    }
    wrong
}

/// A DNS subdomain of RFC 1123.
pub fn subdomain(text: &str) -> Vec<String> {
    subdomain_in(text, "characters")
}

fn subdomain_in(text: &str, unit: &str) -> Vec<String> {
    let mut wrong = too_long(text, 253, unit);
    if !fits(SUBDOMAIN, text) {
        wrong.push(broken(SUBDOMAIN_RULE, SUBDOMAIN, &["example.com"]));
    }
    wrong
}

/// A DNS label of RFC 1035, which begins with a letter.
pub fn old_label(text: &str) -> Vec<String> {
    let mut wrong = too_long(text, 63, "characters");
    if !fits(OLD_LABEL, text) {
        wrong.push(broken(OLD_LABEL_RULE, OLD_LABEL, &["my-name", "abc-123"]));
    }
    wrong
}

/// The key of a label: a name, and maybe a domain before it.
pub fn label_key(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let rule = || broken(KEY_RULE, KEY, &["MyName", "my.name", "123-abc"]);
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        ["", name] => {
            wrong.push("prefix part must be non-empty".to_owned());
            *name
        }
        [prefix, name] => {
            let parts = subdomain_in(prefix, "bytes").into_iter();
            wrong.extend(parts.map(|reason| format!("prefix part {reason}")));
            *name
        }
        _ => {
            let rule = rule();
            let domain = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {rule} {domain}")];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    }
    wrong.extend(too_long(name, 63, "bytes").into_iter().map(|reason| format!("name part {reason}")));
    if !fits(KEY, name) {
        wrong.push(format!("name part {}", rule()));
    }
    wrong
}

/// The value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = too_long(text, 63, "bytes");
    if !fits(VALUE, text) {
        wrong.push(broken(VALUE_RULE, VALUE, &["MyValue", "my_value", "12345"]));
    }
    wrong
}

fn too_long(text: &str, most: usize, unit: &str) -> Vec<String> {
    let too_long = text.len() > most;
    too_long.then(|| format!("must be no more than {most} {unit}")).into_iter().collect()
}

/// A name to which something will be appended: a dash at its end is no fault.
// Kubernetes: maskTrailingDash drops two bytes where it means one.
pub fn before_suffix(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut kept = rest.to_owned();
            kept.pop();
            kept.push('a');
            kept
        }
        _ => text.to_owned(),
    }
}
