//! `verifyImages` and its attestors.
//! Mirrors: api/kyverno/v1/image_verification_types.go.

use super::refusal::{FieldError, FieldPath, Refusal, aggregate};
use super::schema::{ATTESTOR, ATTESTOR_SET, CERTIFICATES, IMAGE, KEYLESS, KEYS, go_json};
use super::{Subject, field, given, has_image_validate, has_verify_images, items, text};
use crate::policy::{Action, Rule};
use engine_json::{Map, Value};

/// How deep attestors may nest; the original has no bound.
const MAX_NESTING: usize = 32;

/// An expression on image names and the change of digests exclude each other.
// Kyverno: validateRuleImageExtractorsJMESPath.
pub(super) fn check_extractors(rule: &Rule, at: usize) -> Result<(), Refusal> {
    let raw = &rule.raw;
    let extractors = field(raw, "imageExtractors").as_object();
    let mutates =
        items(raw, "verifyImages").iter().any(|image| field(image, "mutateDigest").as_bool() == Some(true));
    let expression = |list: &Value| {
        let list = list.as_array().unwrap_or_default();
        list.iter().any(|extractor| !text(extractor, "jmesPath").is_empty())
    };
    if mutates && extractors.is_some_and(|map| map.values().any(expression)) {
        let words = "jmespath may not be used in an image extractor when mutating digests with verify images";
        return Err(Refusal::new(
            format!("path: spec.rules[{at}]: {words}"),
            rule.path.join("imageExtractors"),
        ));
    }
    Ok(())
}

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(subject: &Subject<'_>, rule: &Rule, at: usize) -> Result<(), Refusal> {
    if !has_verify_images(&rule.raw) {
        return Ok(());
    }
    let place = FieldPath::new(format!("spec.rules[{at}].verifyImages"), rule.path.join("verifyImages"));
    let images = items(&rule.raw, "verifyImages");
    if has_image_validate(&rule.raw)
        && let Some(bare) = images.iter().position(|image| given(field(image, "validate"), "deny").is_none())
    {
        let reason = "verifyImages.validate without deny: the Kyverno CLI crashes on such a rule";
        return Err(Refusal::new(reason, place.index(bare).path().clone()));
    }
    let mut errors = Vec::new();
    let mut audit = subject.policy.failure_action == Action::Audit;
    for (at, image) in images.iter().enumerate() {
        if let Some(action) = given(image, "failureAction").and_then(Value::as_str) {
            audit = Action::from_text(action) == Action::Audit;
        }
        check_image(image, audit, &place.index(at), &mut errors);
    }
    aggregate(errors)
}

// Kyverno: ImageVerification.Validate, over the old fields put into attestors.
fn check_image(image: &Value, audit: bool, place: &FieldPath, errors: &mut Vec<FieldError>) {
    if audit && field(image, "mutateDigest").as_bool() == Some(true) {
        let detail = "mutateDigest must be set to false for ‘Audit’ failure action";
        errors.push(place.child("mutateDigest").invalid("true", detail));
    }
    if items(image, "imageReferences").is_empty() && text(image, "image").is_empty() {
        errors.push(place.invalid(&go_json(image, &IMAGE), "An image reference is required"));
    }
    for (at, attestation) in items(image, "attestations").iter().enumerate() {
        check_sets(
            items(attestation, "attestors"),
            &place.child("attestations").index(at).child("attestors"),
            errors,
        );
    }
    check_sets(items(image, "attestors"), &place.child("attestors"), errors);
    if items(image, "attestations").is_empty()
        && let Some(attestor) = old_attestor(image)
    {
        let at = items(image, "attestors").len();
        check_attestor(&attestor, &place.child("attestors").index(at).named("entries[0]"), 0, errors);
    }
    if text(image, "type") == "Notary" {
        let place = place.child("attestors");
        for attestor in items(image, "attestors").iter().flat_map(|set| items(set, "entries")) {
            if given(attestor, "keyless").is_some() {
                errors.push(
                    place.invalid(&go_json(image, &IMAGE), "Keyless field is not allowed for type notary"),
                );
            }
            if given(attestor, "keys").is_some() {
                errors.push(
                    place.invalid(&go_json(image, &IMAGE), "Keys field is not allowed for type notary"),
                );
            }
        }
    }
}

/// The attestor that the old fields of an image make.
// Kyverno: ImageVerification.Convert; what it makes for attestations is lost again.
fn old_attestor(image: &Value) -> Option<Value> {
    let (key, issuer) = (text(image, "key"), text(image, "issuer"));
    let annotations =
        given(image, "annotations").filter(|map| map.as_object().is_some_and(|map| !map.is_empty()));
    let any = !(key.is_empty() && issuer.is_empty());
    if !any && (text(image, "image").is_empty() || annotations.is_none()) {
        return None;
    }
    let mut attestor: Map = annotations.map(|map| ("annotations", map.clone())).into_iter().collect();
    if !key.is_empty() {
        let keys: Map = [("publicKeys", Value::from(key))].into_iter().collect();
        attestor.insert("keys", Value::object(keys));
    } else if !issuer.is_empty() {
        let kept = ["issuer", "subject", "roots"].into_iter().map(|key| (key, field(image, key).clone()));
        attestor.insert("keyless", Value::object(kept.collect()));
    }
    Some(Value::object(attestor))
}

fn check_sets(sets: &[Value], place: &FieldPath, errors: &mut Vec<FieldError>) {
    for (at, set) in sets.iter().enumerate() {
        check_set(set, &place.index(at), 0, errors);
    }
}

// Kyverno: validateAttestorSet.
fn check_set(set: &Value, place: &FieldPath, depth: usize, errors: &mut Vec<FieldError>) {
    let entries = items(set, "entries");
    let count = field(set, "count").as_i64().and_then(|count| usize::try_from(count).ok());
    if count.is_some_and(|count| count > entries.len()) {
        errors.push(place.invalid(&go_json(set, &ATTESTOR_SET), "Count cannot exceed length of entries"));
    }
    if entries.is_empty() {
        errors.push(place.invalid(&go_json(set, &ATTESTOR_SET), "An entry is required"));
    }
    for (at, attestor) in entries.iter().enumerate() {
        check_attestor(attestor, &place.child("entries").index(at), depth, errors);
    }
}

// Kyverno: Attestor.Validate.
fn check_attestor(attestor: &Value, place: &FieldPath, depth: usize, errors: &mut Vec<FieldError>) {
    let ways = ["keys", "certificates", "keyless", "attestor"];
    if ways.iter().filter(|way| given(attestor, way).is_some()).count() != 1 {
        let detail = "keys, certificates, keyless, or a nested attestor is required";
        errors.push(place.invalid(&go_json(attestor, &ATTESTOR), detail));
    }
    if let Some(keys) = given(attestor, "keys") {
        check_keys(keys, &place.child("keys"), errors);
    }
    if let Some(certificates) = given(attestor, "certificates")
        && ["cert", "certChain"].iter().all(|key| text(certificates, key).is_empty())
    {
        let json = go_json(certificates, &CERTIFICATES);
        errors.push(place.child("certificates").invalid(&json, "cert or certChain required"));
    }
    if let Some(keyless) = given(attestor, "keyless") {
        check_keyless(keyless, &place.child("keyless"), errors);
    }
    if let Some(nested) = given(attestor, "attestor")
        && depth < MAX_NESTING
    {
        check_set(nested, &place.child("attestor"), depth + 1, errors);
    }
}

fn check_keys(keys: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let public = !text(keys, "publicKeys").is_empty();
    if !public && text(keys, "kms").is_empty() && given(keys, "secret").is_none() {
        errors.push(place.invalid(&go_json(keys, &KEYS), "A public key, kms key or secret is required"));
    }
    let known = matches!(text(keys, "signatureAlgorithm"), "" | "sha224" | "sha256" | "sha384" | "sha512");
    if public && !known {
        errors.push(place.invalid(&go_json(keys, &KEYS), "Invalid signature algorithm provided"));
    }
}

fn check_keyless(keyless: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let rekor = given(keyless, "rekor");
    if rekor.is_none() && text(keyless, "roots").is_empty() {
        errors.push(place.invalid(&go_json(keyless, &KEYLESS), "Either Rekor URL or roots are required"));
    }
    if rekor.is_some_and(|rekor| text(rekor, "url").is_empty()) {
        errors.push(place.invalid(&go_json(keyless, &KEYLESS), "An URL is required"));
    }
}
