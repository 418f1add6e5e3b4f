//! PolicyExceptions of policies in CEL.

use super::Policy;
use super::decode::{items, pairs, texts};
use engine::value::time::Time;
use engine_json::{Str, Value, quote};

/// Why the original does not load an exception, in its words: required fields, enumerations, the form of a date.
// Kyverno: kubectl-validate over the CRD `policyexceptions.policies.kyverno.io`.
pub fn refusal(value: &Value) -> Option<String> {
    let spec = value.get("spec").unwrap_or(&Value::Null);
    let mut wrong = Vec::new();
    if let Some(at) = spec.get("expiresAt").filter(|at| !at.is_null()) {
        let text = at.as_str().unwrap_or("");
        if Time::parse_rfc3339(text).is_err() {
            let text = quote(text);
            let detail = "spec.expiresAt in body must be of type date-time";
            wrong.push(format!("spec.expiresAt: Invalid value: {text}: {detail}: {text}"));
        }
    }
    if spec.get("policyRefs").is_none_or(Value::is_null) {
        wrong.push("spec.policyRefs: Required value".to_owned());
    }
    for (at, reference) in items(spec.get("policyRefs")).enumerate() {
        for field in ["kind", "name"] {
            if reference.get(field).is_none_or(Value::is_null) {
                wrong.push(format!("spec.policyRefs[{at}].{field}: Required value"));
            }
        }
    }
    let result = spec.find_str(&["reportResult"]);
    if !matches!(result, "" | "skip" | "pass") {
        let result = quote(result);
        let known = r#"supported values: "skip", "pass""#;
        wrong.push(format!("spec.reportResult: Unsupported value: {result}: {known}"));
    }
    let list = match wrong.as_slice() {
        [] => return None,
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let name = quote(value.find_str(&["metadata", "name"]));
    Some(format!(
        "failed to validate resource (PolicyException.policies.kyverno.io {name} is invalid: {list})"
    ))
}

/// An exception.
#[derive(Clone, Debug, Default)]
pub struct Exception {
    /// Its name.
    pub name: Str,
    /// Its namespace.
    pub namespace: Str,
    /// The policies it is for: name and kind.
    pub policies: Vec<(Str, Str)>,
    /// Names and expressions.
    pub match_conditions: Vec<(Str, Str)>,
    /// Images that the policy may let through.
    pub images: Vec<Str>,
    /// Values that the policy may let through.
    pub allowed_values: Vec<Str>,
    /// Whether what it exempts passes, and is not skipped.
    pub passes: bool,
    /// Which of several exceptions decides: the highest.
    pub priority: i64,
    /// When it ends, in seconds since 1970 (UTC); nothing where it does not.
    pub expires_at: Option<i64>,
}

impl Exception {
    /// The exception that a document of this kind is.
    pub fn read(value: &Value) -> Self {
        let text = |item: &Value, field: &str| Str::from(item.find_str(&[field]));
        let label = value.find_str(&["metadata", "labels", "polex.kyverno.io/priority"]);
        Exception {
            name: Str::from(value.find_str(&["metadata", "name"])),
            namespace: Str::from(value.find_str(&["metadata", "namespace"])),
            policies: items(value.find(&["spec", "policyRefs"]))
                .map(|item| (text(item, "name"), text(item, "kind")))
                .collect(),
            match_conditions: pairs(value.find(&["spec", "matchConditions"]), "name", "expression"),
            images: texts(value.find(&["spec", "images"])),
            allowed_values: texts(value.find(&["spec", "allowedValues"])),
            passes: value.find_str(&["spec", "reportResult"]) == "pass",
            priority: label.parse().unwrap_or(0),
            expires_at: Time::parse_rfc3339(value.find_str(&["spec", "expiresAt"]))
                .ok()
                .map(|time| time.unix),
        }
    }

    /// `namespace/name`, or the name alone.
    pub fn key(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// Whether it exempts from the whole policy, and not only allows some images or values.
    pub fn is_full(&self) -> bool {
        self.images.is_empty() && self.allowed_values.is_empty()
    }

    /// Whether it has ended at this time, in nanoseconds since 1970 (UTC): a cluster then does not know it.
    // Kyverno: PolicyException.IsExpired, asked by ListExceptions and not by the CLI.
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|end| now.div_euclid(1_000_000_000) >= end)
    }

    /// How often it is for a policy.
    pub fn times_for(&self, policy: &Policy) -> usize {
        self.policies.iter().filter(|(name, kind)| *name == policy.name && *kind == policy.kind).count()
    }
}
