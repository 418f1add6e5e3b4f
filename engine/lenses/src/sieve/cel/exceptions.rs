//! PolicyExceptions for policies in CEL: whom they are for, what they allow, and how one is written.

use super::guards::condition_of;
use super::listed;
use super::parts::{atoms, with_exceptions};
use super::policies::{is_policy, nothing, shown, workload};
use super::reader::{Allowed, Reader};
use super::subject::patterns;
use super::written::read;
use crate::sieve::found::{Documents, Found, FoundKind, FoundSelector, Guard, Room, Site};
use engine::resource::DocumentId;
use engine_celpolicy::policy::Exception;
use engine_json::{Map, Path, Str, Value};

/// An exception as an exemption.
pub(super) fn of_exception(document: DocumentId, value: &Value, documents: &Documents<'_>) -> Found {
    let exception = Exception::read(value);
    let is_named = |policy: &Value| {
        exception.policies.iter().any(|(name, kind)| {
            *name == policy.find_str(&["metadata", "name"]) && *kind == policy.find_str(&["kind"])
        })
    };
    let policies: Vec<&(DocumentId, String, &Value)> =
        documents.policies.iter().filter(|(_, _, policy)| is_policy(policy) && is_named(policy)).collect();
    let spec = Path::from_keys(&["spec"]);
    let mut found = Found {
        policies: policies.iter().map(|(_, key, _)| key.clone()).collect(),
        ..nothing(FoundKind::Exception, document, Path::root())
    };
    found.selectors = conditions(&exception, &spec);
    for (_, _, policy) in &policies {
        found.workload = found.workload.or_else(|| workload(policy));
        for selector in allowed(&exception, policy, &spec) {
            if !found.selectors.contains(&selector) {
                found.selectors.push(selector);
            }
        }
    }
    let is_capability =
        |value: &&Str| value.chars().all(|c| c.is_ascii_uppercase() || c == '_') && value.len() > 2;
    found.capabilities = exception.allowed_values.iter().filter(is_capability).map(Str::to_string).collect();
    found.text = text(&exception);
    found.room = Room::Conditions(spec.join("matchConditions"));
    if policies.is_empty() {
        let named = exception.policies.iter().map(|(name, _)| name.as_str());
        found.idle = Some(format!("no policy of the kind is called {} among the texts", listed(named)));
    }
    if exception.is_expired(documents.now) {
        let ends = value.find_str(&["spec", "expiresAt"]);
        found.notes.push(format!("it expired at {ends}: a cluster ignores it, the CLI does not"));
    }
    found
}

fn text(exception: &Exception) -> String {
    let mut parts =
        vec![format!("policies {}", listed(exception.policies.iter().map(|(name, _)| name.as_str())))];
    for (what, list) in [("images", &exception.images), ("values", &exception.allowed_values)] {
        if !list.is_empty() {
            parts.push(format!("{what} {}", listed(list.iter().map(Str::as_str))));
        }
    }
    let conditions: Vec<String> =
        exception.match_conditions.iter().map(|(_, text)| format!("`{}`", shown(text))).collect();
    if !conditions.is_empty() {
        parts.push(format!("where {}", conditions.join(" and ")));
    }
    parts.join(", ")
}

/// What its conditions look at.
fn conditions(exception: &Exception, spec: &Path) -> Vec<FoundSelector> {
    let mut reader = Reader::default();
    let written = exception.match_conditions.iter().enumerate();
    let roots: Vec<_> = written
        .filter_map(|(at, (_, text))| {
            reader.add(spec.join("matchConditions").join(at).join("expression"), text)
        })
        .collect();
    let all = roots.into_iter().flat_map(|root| atoms(&reader, root));
    all.collect::<Vec<_>>().iter().flat_map(|atom| atom.selectors(&reader)).collect()
}

/// What a policy compares with the images and values of the exception.
fn allowed(exception: &Exception, policy: &Value, spec: &Path) -> Vec<FoundSelector> {
    let written = read(policy);
    let atoms = written.iter().flat_map(|written| {
        let roots = written.conditions.iter().chain(&written.validations);
        roots.flat_map(|root| with_exceptions(&written.reader, *root))
    });
    let mut found = Vec::new();
    for atom in atoms {
        let (field, list) = match atom.allowed {
            Some(Allowed::Images) => ("images", &exception.images),
            Some(Allowed::Values) => ("allowedValues", &exception.allowed_values),
            None => continue,
        };
        for (at, text) in list.iter().enumerate() {
            let one = |pattern| FoundSelector {
                on: atom.on.clone(),
                path: spec.join(field).join(at),
                pattern,
                site: Site::Argument(atom.compares),
            };
            found.extend(patterns(atom.compares, text).into_iter().map(one));
        }
    }
    found
}

/// An exception for a policy, with conditions.
pub(in crate::sieve) fn written(policy: &Value, name: &str, guards: &[Guard], spec: &Path) -> Option<Value> {
    // Kyverno: Kubernetes' own policies take none.
    if !is_policy(policy) || policy.find_str(&["kind"]) == "ValidatingAdmissionPolicy" {
        return None;
    }
    let text = |text: &str| Value::from(text);
    let object = |entries: Vec<(&str, Value)>| Value::object(entries.into_iter().collect::<Map>());
    let conditions: Vec<Value> = guards
        .iter()
        .map(|guard| {
            let (name, expression) = condition_of(guard, spec)?;
            Some(object(vec![("name", text(name)), ("expression", text(&expression))]))
        })
        .collect::<Option<_>>()?;
    let reference = object(vec![
        ("name", text(policy.find_str(&["metadata", "name"]))),
        ("kind", text(policy.find_str(&["kind"]))),
    ]);
    let mut spec = vec![("policyRefs", Value::array(vec![reference]))];
    if !conditions.is_empty() {
        spec.push(("matchConditions", Value::array(conditions)));
    }
    let namespace = policy.find_str(&["metadata", "namespace"]);
    let namespace = if namespace.is_empty() { "kyverno" } else { namespace };
    Some(object(vec![
        ("apiVersion", text("policies.kyverno.io/v1")),
        ("kind", text("PolicyException")),
        ("metadata", object(vec![("name", text(name)), ("namespace", text(namespace))])),
        ("spec", object(spec)),
    ]))
}
