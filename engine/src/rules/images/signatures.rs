//! Who signed an image: given by the user, for no registry is asked.
//!
//! In: an attestor of a policy, and what is given of an image. Out: whether its signature is among those given. What is
//! not given was not checked, and that is never a pass.
//! Mirrors: pkg/image/verifiers/cpol/cosign/cosign.go, as far as it decides what is asked for.

use crate::functions::{is_pem, is_regex_match};
use crate::value::image::{ImageRef, ImageSettings};
use crate::value::wildcard;
use engine_json::{Str, Value};

/// Why a signature is not verified.
#[derive(Clone, Debug)]
pub(super) struct Unverified {
    pub(super) message: String,
    /// Whether the original would have failed on the way to the registry, which it says as an error.
    pub(super) is_network: bool,
}

/// What is given of an image, by the text of its reference.
pub(super) fn given<'g>(
    data: &'g [(Str, Value)],
    image: &str,
    settings: &ImageSettings,
) -> Option<&'g Value> {
    let names = |name: &str| {
        name == image || ImageRef::parse(name, settings).is_ok_and(|parsed| parsed.to_string() == image)
    };
    data.iter().find(|(name, _)| names(name)).map(|(_, value)| value)
}

/// The digest that is given: `digest`, or what stands behind the `@` of `resolvedImage`.
pub(super) fn digest(given: &Value) -> Option<&str> {
    let resolved = given.find_str(&["resolvedImage"]).split_once('@').map(|(_, digest)| digest);
    Some(given.find_str(&["digest"])).filter(|digest| !digest.is_empty()).or(resolved)
}

/// Whether the attestor's signature is among `signedBy` of what is given.
pub(super) fn verify(
    attestor: &Value,
    given: Option<&Value>,
    rule: &Value,
    image: &str,
) -> Result<(), Unverified> {
    let key = attestor.find_str(&["keys", "publicKeys"]).trim();
    if key.starts_with("-----BEGIN PUBLIC KEY-----") && !is_pem(key) {
        let message = "failed to load public key from PEM: pem to public key: PEM decoding failed".to_owned();
        return Err(Unverified { message, is_network: false });
    }
    let signatures = given.and_then(|given| given.get("signedBy")).and_then(Value::as_array);
    let Some(signatures) = signatures else {
        return Err(Unverified {
            message: format!(
                "no registry is asked from here, and the image data does not say who signed {image}"
            ),
            is_network: !needs_roots(attestor, rule),
        });
    };
    if signatures.iter().any(|signature| is_by(signature, attestor)) {
        return Ok(());
    }
    let message = format!("no matching signatures: none of those given for {image} is of this attestor");
    Err(Unverified { message, is_network: false })
}

/// The part of a path that says what kind of attestor it is.
pub(crate) fn kind(attestor: &Value) -> &'static str {
    let has = |key: &str| attestor.get(key).is_some_and(|value| !value.is_null());
    match () {
        () if has("keys") => ".keys",
        () if has("certificates") => ".certificates",
        () if has("keyless") => ".keyless",
        () => "",
    }
}

/// Whether the original needs Sigstore's roots of trust before it asks the registry; without a network it then fails
/// instead of saying an error.
// Kyverno: buildCosignOptions.
fn needs_roots(attestor: &Value, rule: &Value) -> bool {
    if rule.find_str(&["type"]) == "Notary" {
        return false;
    }
    let part = ["keys", "certificates", "keyless"].into_iter().find_map(|key| attestor.get(key));
    let Some(part) = part else { return true };
    let text = |keys: &[&str]| !part.find_str(keys).is_empty();
    let flag = |keys: &[&str]| part.find(keys).and_then(Value::as_bool).unwrap_or(false);
    let has_own = text(&["publicKeys"]) || text(&["cert"]) || text(&["certChain"]) || text(&["roots"]);
    let has_roots = has_own || !rule.find_str(&["roots"]).is_empty();
    !has_roots
        || !(flag(&["rekor", "ignoreTlog"]) || text(&["rekor", "pubkey"]))
        || !(flag(&["ctlog", "ignoreSCT"]) || text(&["ctlog", "pubkey"]))
}

/// Whether a given signature is one of the attestor's. An attestor that names nobody takes any.
fn is_by(signature: &Value, attestor: &Value) -> bool {
    let same = |name: &str, wanted: &str| {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        !wanted.is_empty() && plain(signature.find_str(&[name])) == plain(wanted)
    };
    let wanted = |keys: &[&str]| attestor.find_str(keys).to_owned();
    let annotations = attestor.get("annotations").and_then(Value::as_object);
    let annotated = annotations
        .into_iter()
        .flat_map(engine_json::Map::iter)
        .all(|(key, value)| signature.get("annotations").and_then(|known| known.get(key)) == Some(value));
    annotated
        && match kind(attestor) {
            ".keys" => {
                let secret = format!(
                    "{}/{}",
                    wanted(&["keys", "secret", "namespace"]),
                    wanted(&["keys", "secret", "name"])
                );
                same("publicKey", &wanted(&["keys", "publicKeys"]))
                    || same("kms", &wanted(&["keys", "kms"]))
                    || (secret != "/" && same("secret", &secret))
            }
            ".certificates" => {
                same("certificate", &wanted(&["certificates", "cert"]))
                    || same("certificate", &wanted(&["certificates", "certChain"]))
            }
            ".keyless" => is_keyless(signature, attestor.get("keyless").unwrap_or(&Value::Null)),
            _ => true,
        }
}

// Kyverno: matchSignatures of cosign.go: subject by wildcard, issuer as it stands, either by a regular expression.
fn is_keyless(signature: &Value, wanted: &Value) -> bool {
    let fits = |name: &str, pattern: &str, by: fn(&str, &str) -> bool| {
        let pattern = wanted.find_str(&[pattern]);
        pattern.is_empty() || by(pattern, signature.find_str(&[name]))
    };
    let extensions = wanted.get("additionalExtensions").and_then(Value::as_object);
    fits("issuer", "issuer", |wanted, found| wanted == found)
        && fits("subject", "subject", wildcard::matches)
        && fits("issuer", "issuerRegExp", is_regex_match)
        && fits("subject", "subjectRegExp", is_regex_match)
        && extensions
            .into_iter()
            .flat_map(engine_json::Map::iter)
            .all(|(key, value)| signature.get("extensions").and_then(|known| known.get(key)) == Some(value))
}
