//! Whether the API server would have stored a policy.
//!
//! In: a PodSecurityPolicy object. Out: its errors, in the order and the words of the original, such as
//! `spec.fsGroup.rule: Unsupported value: "Nope": supported values: "MayRunAs", "MustRunAs", "RunAsAny"`. Admission does
//! not ask: a stored policy that is wrong is used as far as it goes.
//!
//! Mirrors: pkg/apis/policy/validation/validation.go ValidatePodSecurityPolicy

mod lists;
mod rules;

use crate::admission::dns_subdomain;
use engine_json::{Value, quote};

/// What is wrong with a policy; nothing when it is valid.
pub fn validity(policy: &Value) -> Vec<String> {
    let mut errors = metadata(policy);
    annotations(policy, &mut errors);
    let spec = policy.get("spec").unwrap_or(&Value::Null);
    rules::check(spec, &mut errors);
    lists::check(spec, &mut errors);
    errors
}

/// Errors in one text, as the API server answers: the only one as it is, several in brackets.
pub fn aggregate(errors: &[String]) -> String {
    match errors {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

fn metadata(policy: &Value) -> Vec<String> {
    let name = policy.find_str(&["metadata", "name"]);
    let mut errors = Vec::new();
    if name.is_empty() {
        errors.push("metadata.name: Required value: name or generateName is required".to_owned());
    } else {
        errors.extend(dns_subdomain(name).iter().map(|why| invalid("metadata.name", name, why)));
    }
    if !policy.find_str(&["metadata", "namespace"]).is_empty() {
        errors.push("metadata.namespace: Forbidden: not allowed on this type".to_owned());
    }
    errors
}

fn annotations(policy: &Value, errors: &mut Vec<String>) {
    let app_armor = |profile: &str, _: &str| {
        let known =
            matches!(profile, "" | "runtime/default" | "unconfined") || profile.starts_with("localhost/");
        if known { Vec::new() } else { vec![format!("invalid AppArmor profile name: {}", quote(profile))] }
    };
    let each =
        |key: &str, list: bool, wrong: &dyn Fn(&str, &str) -> Vec<String>, errors: &mut Vec<String>| {
            let text = policy.find_str(&["metadata", "annotations", key]);
            let profiles = if list { text.split(',').collect() } else { vec![text] };
            for profile in profiles.into_iter().filter(|_| !text.is_empty()) {
                errors.extend(wrong(profile, text));
            }
        };
    for (name, list) in [("default", false), ("allowed", true)] {
        let key =
            format!("apparmor.security.beta.kubernetes.io/{name}ProfileName{}", if list { "s" } else { "" });
        let field = format!("metadata.annotations[{key}]");
        let wrong = |profile: &str, text: &str| -> Vec<String> {
            app_armor(profile, text).iter().map(|why| invalid(&field, text, why)).collect()
        };
        each(&key, list, &wrong, errors);
    }
    for (name, list) in [("default", false), ("allowed", true)] {
        let key =
            format!("seccomp.security.alpha.kubernetes.io/{name}ProfileName{}", if list { "s" } else { "" });
        let field = format!("metadata.annotations[{key}]");
        each(
            &key,
            list,
            &|profile, _| if list && profile == "*" { Vec::new() } else { seccomp(profile, &field) },
            errors,
        );
    }
}

fn seccomp(profile: &str, field: &str) -> Vec<String> {
    if matches!(profile, "runtime/default" | "docker/default" | "unconfined") {
        return Vec::new();
    }
    let Some(path) = profile.strip_prefix("localhost/") else {
        return vec![invalid(field, profile, "must be a valid seccomp profile")];
    };
    let mut errors = Vec::new();
    if path.starts_with('/') {
        errors.push(invalid(field, path, "must be a relative path"));
    }
    if path.split('/').any(|part| part == "..") {
        errors.push(invalid(field, path, "must not contain '..'"));
    }
    errors
}

/// An error about a text.
fn invalid(field: &str, value: &str, why: &str) -> String {
    format!("{field}: Invalid value: {}: {why}", quote(value))
}

/// An error about a text that is none of those known.
fn unsupported(field: &str, value: &str, supported: &[&str]) -> String {
    let supported: Vec<String> = supported.iter().map(|text| quote(text)).collect();
    format!("{field}: Unsupported value: {}: supported values: {}", quote(value), supported.join(", "))
}

/// The texts of a list.
fn texts<'v>(spec: &'v Value, keys: &[&str]) -> Vec<&'v str> {
    items(spec, keys).iter().map(|item| item.as_str().unwrap_or("")).collect()
}

/// The items of a list.
fn items<'v>(spec: &'v Value, keys: &[&str]) -> &'v [Value] {
    spec.find(keys).and_then(Value::as_array).unwrap_or(&[])
}

/// The number under a key, zero where there is none.
fn number(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or(0)
}
