//! The lists of a policy: known names, no contradictions.
//!
//! In: the spec of a policy. Out: errors such as
//! `allowedCapabilities: Invalid value: "KILL": capability is listed in allowedCapabilities and requiredDropCapabilities`.

use super::{invalid, items, texts, unsupported};
use crate::admission::dns_subdomain;
use crate::psp::pod::volume_types;
use engine_json::ordered::OrderedSet;
use engine_json::{Value, quote};

const SYSCTL_PATTERN: &str = r"must have at most 253 characters and match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]";

pub(super) fn check(spec: &Value, errors: &mut Vec<String>) {
    volumes(spec, errors);
    capabilities(spec, errors);
    let escalation = |key| spec.get(key).and_then(Value::as_bool);
    if escalation("defaultAllowPrivilegeEscalation") == Some(true)
        && escalation("allowPrivilegeEscalation") == Some(false)
    {
        errors.push("spec.defaultAllowPrivilegeEscalation: Invalid value: true: Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true".to_owned());
    }
    for (at, name) in texts(spec, &["allowedProcMountTypes"]).into_iter().enumerate() {
        if !matches!(name, "Default" | "Unmasked") {
            errors.push(unsupported(
                &format!("spec.allowedProcMountTypes[{at}]"),
                name,
                &["Default", "Unmasked"],
            ));
        }
    }
    host_paths(spec, errors);
    drivers(spec, errors);
    let (allowed, forbidden) = (texts(spec, &["allowedUnsafeSysctls"]), texts(spec, &["forbiddenSysctls"]));
    sysctls("spec.allowedUnsafeSysctls", &allowed, errors);
    sysctls("spec.forbiddenSysctls", &forbidden, errors);
    sysctls_overlap(&allowed, &forbidden, errors);
    runtime_class(spec, errors);
}

fn volumes(spec: &Value, errors: &mut Vec<String>) {
    let known: OrderedSet<&str> = engine_json::arrange::set(volume_types().chain(["*"]));
    let known: Vec<&str> = known.into_iter().collect();
    for name in texts(spec, &["volumes"]) {
        if !known.contains(&name) {
            errors.push(unsupported("spec.volumes", name, &known));
        }
    }
}

fn capabilities(spec: &Value, errors: &mut Vec<String>) {
    let dropped = texts(spec, &["requiredDropCapabilities"]);
    if !dropped.is_empty() && texts(spec, &["allowedCapabilities"]).contains(&"*") {
        let list: Vec<String> = dropped.iter().map(|name| quote(name)).collect();
        let list = format!("[]core.Capability{{{}}}", list.join(", "));
        let why = "must be empty when all capabilities are allowed by a wildcard";
        errors.push(format!("requiredDropCapabilities: Invalid value: {list}: {why}"));
    }
    for key in ["defaultAddCapabilities", "allowedCapabilities"] {
        for name in texts(spec, &[key]).into_iter().filter(|name| dropped.contains(name)) {
            let why = format!("capability is listed in {key} and requiredDropCapabilities");
            errors.push(invalid(key, name, &why));
        }
    }
}

fn host_paths(spec: &Value, errors: &mut Vec<String>) {
    for (at, allowed) in items(spec, &["allowedHostPaths"]).iter().enumerate() {
        let (field, prefix) = (format!("spec.allowedHostPaths[{at}]"), allowed.find_str(&["pathPrefix"]));
        if prefix.is_empty() {
            errors.push(format!("{field}: Required value: is required"));
            break;
        }
        if prefix.split('/').any(|part| part == "..") {
            errors.push(invalid(&field, prefix, "must not contain '..'"));
        }
    }
}

fn drivers(spec: &Value, errors: &mut Vec<String>) {
    for (at, volume) in items(spec, &["allowedFlexVolumes"]).iter().enumerate() {
        if volume.find_str(&["driver"]).is_empty() {
            let field = format!("spec.allowedFlexVolumes.allowedFlexVolumes[{at}].driver");
            errors.push(format!("{field}: Required value: must specify a driver"));
        }
    }
    for (at, driver) in items(spec, &["allowedCSIDrivers"]).iter().enumerate() {
        let (field, name) =
            (format!("spec.allowedCSIDrivers.allowedCSIDriver[{at}].name"), driver.find_str(&["name"]));
        if name.is_empty() {
            errors.push(format!("{field}: Required value"));
        }
        if name.len() > 63 {
            errors.push(format!("{field}: Too long: must have at most 63 bytes"));
        }
        errors.extend(dns_subdomain(&name.to_lowercase()).iter().map(|why| invalid(&field, name, why)));
    }
}

fn sysctls(field: &str, patterns: &[&str], errors: &mut Vec<String>) {
    for (at, pattern) in patterns.iter().enumerate() {
        let field = format!("{field}[{at}]");
        if pattern.is_empty() {
            errors.push(invalid(&field, pattern, "empty sysctl not allowed"));
        } else if !is_sysctl_pattern(pattern) {
            errors.push(invalid(&field, pattern, SYSCTL_PATTERN));
        }
    }
    if patterns.len() > 1
        && patterns.iter().any(|pattern| pattern.starts_with('*') && is_sysctl_pattern(pattern))
    {
        errors.push(format!("{field}.items: Forbidden: if '*' is present, must not specify other sysctls"));
    }
}

fn is_sysctl_pattern(pattern: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let inner = |text: &str| text.chars().all(|c| alphanumeric(c) || matches!(c, '-' | '_'));
    let segment = |text: &str| inner(text) && text.starts_with(alphanumeric) && text.ends_with(alphanumeric);
    let (segments, last) = match pattern.rsplit_once('.') {
        Some((segments, last)) => (segments.split('.').collect(), last),
        None => (Vec::new(), pattern),
    };
    let mut rest = last.chars();
    let end = rest.next_back();
    let begin = rest.as_str();
    pattern.len() <= 253
        && segments.into_iter().all(segment)
        && end.is_some_and(|c| alphanumeric(c) || c == '*')
        && (begin.is_empty() || (begin.starts_with(alphanumeric) && inner(begin)))
}

fn sysctls_overlap(allowed: &[&str], forbidden: &[&str], errors: &mut Vec<String>) {
    for (i, a) in allowed.iter().enumerate() {
        for (j, f) in forbidden.iter().enumerate() {
            let of_allowed = || {
                invalid(&format!("spec.allowedUnsafeSysctls[{i}]"), a, &format!("sysctl overlaps with {f}"))
            };
            let of_forbidden =
                || invalid(&format!("spec.forbiddenSysctls[{j}]"), f, &format!("sysctl overlaps with {a}"));
            let error = match (a.strip_suffix('*'), f.strip_suffix('*')) {
                (Some(a), Some(f)) if a.starts_with(f) => of_allowed(),
                (Some(a), Some(f)) if f.starts_with(a) => of_forbidden(),
                (Some(a), None) if f.starts_with(a) => of_forbidden(),
                (None, Some(f)) if a.starts_with(f) => of_allowed(),
                (None, None) if a == f => of_allowed(),
                (Some(_) | None, Some(_) | None) => continue,
            };
            errors.push(error);
        }
    }
}

fn runtime_class(spec: &Value, errors: &mut Vec<String>) {
    if spec.get("runtimeClass").is_none_or(Value::is_null) {
        return;
    }
    let field = "spec.runtimeClass.allowedRuntimeClassNames";
    let names = texts(spec, &["runtimeClass", "allowedRuntimeClassNames"]);
    for (at, name) in names.iter().enumerate() {
        let field = format!("{field}[{at}]");
        if *name != "*" {
            errors.extend(dns_subdomain(name).iter().map(|why| invalid(&field, name, why)));
        }
        if names.iter().take(at).any(|before| before == name) {
            errors.push(format!("{field}: Duplicate value: {}", quote(name)));
        }
    }
    if let Some(default) = spec.find(&["runtimeClass", "defaultRuntimeClassName"]).and_then(Value::as_str) {
        let of_default = "spec.runtimeClass.defaultRuntimeClassName";
        errors.extend(dns_subdomain(default).iter().map(|why| invalid(of_default, default, why)));
        if !names.contains(&default) && !names.contains(&"*") {
            errors.push(format!("{field}: Required value: default {} must be allowed", quote(default)));
        }
    }
    if names.contains(&"*") && names.len() > 1 {
        let list: Vec<String> = names.iter().map(|name| quote(name)).collect();
        let why = "if '*' is present, must not specify other RuntimeClass names";
        errors.push(format!("{field}: Invalid value: []string{{{}}}: {why}", list.join(", ")));
    }
}
