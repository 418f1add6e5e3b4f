//! What an API server refuses of its own policies and bindings, and of the webhooks that Kyverno makes of its policies in CEL.
//!
//! In: a document. Out: the places that are refused, with the words of the API server. Who writes such a policy has none.
// k8s.io/kubernetes/pkg/apis/admissionregistration/validation/validation.go. Kyverno: pkg/controllers/webhook/validating.go, buildWebhookRules.

mod found;
mod rules;

use crate::objects::valid::names::{is_dns_subdomain, is_path_segment, is_qualified_name};
use crate::settings::{IN_CEL, is_asked_on_admission};
use engine_json::{Path, Value};
use found::{At, Found, duplicates};
use rules::{OPERATIONS, match_resources, of_webhook};

const MUTATING_OPERATIONS: [&str; 4] = ["*", "CREATE", "UPDATE", "CONNECT"];
const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
/// How many match conditions there may be.
const MAX_CONDITIONS: usize = 64;
/// What names of variables may not be (`celReserved`).
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The places of a document that are refused, and why.
pub(crate) fn refused(document: &Value) -> Vec<(Path, String)> {
    let (version, kind) = (document.find_str(&["apiVersion"]), document.find_str(&["kind"]));
    let nothing = Value::Null;
    let mut found = Found::default();
    let spec = At { value: document.get("spec").unwrap_or(&nothing), path: Path::from_keys(&["spec"]) };
    if version.starts_with("admissionregistration.k8s.io/") {
        match kind {
            "ValidatingAdmissionPolicy" => policy(&spec, &mut found),
            "MutatingAdmissionPolicy" => mutating_policy(&spec, &mut found),
            "ValidatingAdmissionPolicyBinding" => {
                binding(&spec, &mut found);
                actions(&spec.at("validationActions"), &mut found);
            }
            "MutatingAdmissionPolicyBinding" => {
                binding(&spec, &mut found);
                mutating_operations(&spec.at("matchResources"), &mut found);
            }
            _ => {}
        }
    }
    let has_webhook = version.starts_with("policies.kyverno.io/") && IN_CEL.contains(&kind);
    if has_webhook && is_asked_on_admission(document) {
        let names_operations = !kind.contains("Generating");
        for rule in spec.at("matchConstraints").at("resourceRules").items() {
            of_webhook(&rule, names_operations, &mut found);
        }
    }
    found.0
}

fn policy(spec: &At<'_>, found: &mut Found) {
    shared(spec, found);
    let (validations, annotations) = (spec.at("validations").items(), spec.at("auditAnnotations").items());
    if validations.is_empty() && annotations.is_empty() {
        found.required(
            &spec.at("validations"),
            "validations or auditAnnotations must contain at least one item",
        );
    }
    for validation in &validations {
        if !validation.at("expression").has_text() {
            found.required(&validation.at("expression"), "expression is not specified");
        }
        for field in ["message", "messageExpression"] {
            let text = validation.at(field);
            if !text.text().is_empty() && !text.has_text() {
                found.invalid(&text, "must be non-empty if specified");
            }
        }
        if validation.at("message").text().trim().contains(['\n', '\r']) {
            found.invalid(&validation.at("message"), "must not contain line breaks");
        }
        let reason = validation.at("reason");
        if !reason.is_missing() {
            found.one_of(&reason, &REASONS);
        }
    }
    duplicates(annotations.iter().map(|annotation| annotation.at("key")), found);
    for annotation in annotations.iter().filter(|annotation| !annotation.at("valueExpression").has_text()) {
        found.required(&annotation.at("valueExpression"), "valueExpression is not specified");
    }
}

fn mutating_policy(spec: &At<'_>, found: &mut Found) {
    shared(spec, found);
    mutating_operations(&spec.at("matchConstraints"), found);
    let mutations = spec.at("mutations").items();
    if mutations.is_empty() {
        found.required(&spec.at("mutations"), "mutations must contain at least one item");
    }
    for mutation in &mutations {
        let kind = mutation.at("patchType");
        let (own, other) = match kind.text() {
            "JSONPatch" => ("jsonPatch", "applyConfiguration"),
            "ApplyConfiguration" => ("applyConfiguration", "jsonPatch"),
            _ if kind.is_missing() => {
                found.required(&kind, "");
                continue;
            }
            _ => {
                found.one_of(&kind, &["ApplyConfiguration", "JSONPatch"]);
                continue;
            }
        };
        if mutation.at(own).is_missing() {
            found
                .required(&mutation.at(own), &format!("must be specified when patchType is {}", kind.text()));
        } else if !mutation.at(own).at("expression").has_text() {
            found.required(&mutation.at(own).at("expression"), "");
        }
        if !mutation.at(other).is_missing() {
            let words = format!("must not be specified when patchType is {}", kind.text());
            found.invalid(&mutation.at(other), &words);
        }
    }
    let again = spec.at("reinvocationPolicy");
    if again.text().is_empty() {
        found.required(&again, "");
    } else {
        found.one_of(&again, &["IfNeeded", "Never"]);
    }
}

/// What both kinds of policies have.
fn shared(spec: &At<'_>, found: &mut Found) {
    let failure = spec.at("failurePolicy");
    if !failure.is_missing() {
        found.one_of(&failure, &["Fail", "Ignore"]);
    }
    let parameters = spec.at("paramKind");
    if !parameters.is_missing() {
        for field in ["apiVersion", "kind"] {
            if parameters.at(field).text().is_empty() {
                found.required(&parameters.at(field), "");
            }
        }
    }
    let constraints = spec.at("matchConstraints");
    if constraints.is_missing() {
        found.required(&constraints, "");
    } else {
        match_resources(&constraints, found);
        if constraints.at("resourceRules").items().is_empty() {
            found.required(&constraints.at("resourceRules"), "");
        }
    }
    let conditions = spec.at("matchConditions").items();
    if conditions.len() > MAX_CONDITIONS {
        let text = format!("Too many: {}: must have at most {MAX_CONDITIONS} items", conditions.len());
        found.0.push((spec.at("matchConditions").path, text));
    }
    for condition in &conditions {
        if !condition.at("expression").has_text() {
            found.required(&condition.at("expression"), "");
        }
        let name = condition.at("name");
        if name.text().is_empty() {
            found.required(&name, "");
        } else if !is_qualified_name(name.text()) {
            found.invalid(&name, "must be a qualified name");
        }
    }
    duplicates(conditions.iter().map(|condition| condition.at("name")), found);
    for variable in spec.at("variables").items() {
        let name = variable.at("name");
        if !name.has_text() {
            found.required(&name, "name is not specified");
        } else if !is_identifier(name.text()) {
            found.invalid(&name, "must be a valid CEL identifier");
        }
        if !variable.at("expression").has_text() {
            found.required(&variable.at("expression"), "expression is not specified");
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
        && !RESERVED.contains(&name)
}

fn binding(spec: &At<'_>, found: &mut Found) {
    let name = spec.at("policyName");
    if name.text().is_empty() {
        found.required(&name, "");
    } else if !is_dns_subdomain(name.text()) {
        found.invalid(&name, "must be a lowercase RFC 1123 subdomain");
    }
    let reference = spec.at("paramRef");
    if !reference.is_missing() {
        param_ref(&reference, found);
    }
    let resources = spec.at("matchResources");
    if !resources.is_missing() {
        match_resources(&resources, found);
    }
}

fn param_ref(reference: &At<'_>, found: &mut Found) {
    let (name, selector) = (reference.at("name"), reference.at("selector"));
    if !name.text().is_empty() && !is_path_segment(name.text()) {
        found.invalid(&name, "must be a name in a path");
    }
    match (!name.text().is_empty(), !selector.is_missing()) {
        (true, true) => {
            found.0.push((
                selector.path.clone(),
                "Forbidden: name and selector are mutually exclusive".to_owned(),
            ));
        }
        (false, false) => found.required(reference, "one of name or selector must be specified"),
        _ => {}
    }
    rules::selector(&selector, found);
    let action = reference.at("parameterNotFoundAction");
    if action.text().is_empty() {
        found.required(&action, "");
    } else {
        found.one_of(&action, &["Deny", "Allow"]);
    }
}

fn actions(actions: &At<'_>, found: &mut Found) {
    let items = actions.items();
    if items.is_empty() {
        found.required(actions, "at least one validation action is required");
    }
    for action in &items {
        found.one_of(action, &ACTIONS);
    }
    let has = |word: &str| items.iter().any(|action| action.text() == word);
    if has("Deny") && has("Warn") {
        found.invalid(
            actions,
            "must not contain both Deny and Warn (repeating the same validation failure information in the API \
             response and headers serves no purpose)",
        );
    }
    duplicates(items.into_iter(), found);
}

/// What is done with objects that a policy changes.
fn mutating_operations(resources: &At<'_>, found: &mut Found) {
    for rule in resources.at("resourceRules").items() {
        for operation in rule.at("operations").items() {
            // What is none at all is said above.
            if OPERATIONS.contains(&operation.text()) {
                found.one_of(&operation, &MUTATING_OPERATIONS);
            }
        }
    }
}
