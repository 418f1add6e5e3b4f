//! Signatures of Kubernetes manifests: is an object what somebody signed?
//!
//! In: an object whose annotations carry the signed manifest and its signatures, a public key, and the fields that may
//! differ. Out: whether the manifest is the object's and one of the signatures the key's, in the original's words.
//!
//! Only what needs no network is decided: keys given as PEM (ECDSA on P-256 or P-384), messages in annotations. For the
//! rest [`verify`] says what is missing.
//!
//! Mirrors: github.com/sigstore/k8s-manifest-sigstore pkg/k8smanifest (VerifyResource), as Kyverno calls it.
//!
//! Reading order: `settings` (what a rule says), `message` (the signed manifest), `flat` and `diff` (object against
//! manifest), `ignore` (fields that may differ), `key` (the signature itself).

mod key;
mod settings;
mod ignore;
mod flat;
mod diff;
mod message;

pub use settings::Settings;

use engine::json::Value;
use engine::world::SignatureAnswer;

/// Answers [`World::manifest_signature`](engine::world::World::manifest_signature): for
/// [`StaticWorld::signatures`](engine::world::StaticWorld::signatures).
pub fn check(object: &Value, manifests: &Value, attestor: &Value) -> SignatureAnswer {
    verify(object, attestor.find_str(&["keys", "publicKeys"]), &Settings::read(manifests, attestor))
}

/// Whether `object` is what the owner of `key` (PEM) signed.
///
/// [`SignatureAnswer::Invalid`] where there is no message or no signature, or where the object differs from the signed manifest;
/// [`SignatureAnswer::Undecided`] where the signature is not the key's (the original says that as an error) or something is out of
/// reach from here.
// k8smanifest: VerifyResource; Kyverno: k8sVerifyResource.
pub fn verify(object: &Value, key: &str, settings: &Settings) -> SignatureAnswer {
    let annotations = object.find(&["metadata", "annotations"]);
    let annotation = |name: &str| annotations.and_then(|map| map.get(name)).and_then(Value::as_str);
    let bundle = annotation(&settings.annotation("resourceBundleRef")).unwrap_or(&settings.repository);
    if !bundle.is_empty() {
        return SignatureAnswer::Undecided(format!(
            "the signed manifest is in image `{bundle}`: no registry is asked from here"
        ));
    }
    let ignored = ignore::fields_for(object, settings);
    let missing = |why: String| format!("YAML manifest not found for this resource: {why}");
    let Some(encoded) = annotation(&settings.annotation("message")) else {
        return SignatureAnswer::Invalid(missing("message not found".to_owned()));
    };
    let signed = match message::Message::decode(encoded) {
        Ok(signed) => signed,
        Err(why) => return SignatureAnswer::Undecided(missing(why)),
    };
    let undecided = |why: String| SignatureAnswer::Undecided(format!("failed to verify signature: {why}"));
    let mut budget = flat::Budget::default();
    let candidates = match message::manifests_of(&signed.manifests, object, &ignored, &mut budget) {
        Ok(candidates) => candidates,
        Err(why) => return undecided(why),
    };
    if candidates.is_empty() {
        return SignatureAnswer::Invalid(missing(
            "failed to find a YAML manifest in the gzipped message".to_owned(),
        ));
    }
    let differences = candidates.iter().map(|manifest| diff::diff(manifest, object, &ignored, &mut budget));
    let differences = match differences.collect::<Result<Vec<_>, _>>() {
        Ok(differences) => differences,
        Err(why) => return undecided(why),
    };
    let is_same = differences.iter().any(Vec::is_empty);
    // k8smanifest: `signature`, `signature_1`, `signature_2` and so on, to the first that is not there.
    let signatures: Vec<&str> =
        (0..MAX_SIGNATURES).map_while(|at| annotation(&settings.numbered("signature", at))).collect();
    if signatures.is_empty() {
        return SignatureAnswer::Invalid("failed to verify signature: signature not found".to_owned());
    }
    if let Err(why) = key::verify_any(key, &signed.bytes, &signatures) {
        return undecided(why);
    }
    match differences.first() {
        Some(first) if !is_same => {
            SignatureAnswer::Invalid(format!("failed to verify signature. diff found; {}", diff::text(first)))
        }
        _ => SignatureAnswer::Valid,
    }
}

/// How many signatures of one object are tried.
const MAX_SIGNATURES: usize = 64;
