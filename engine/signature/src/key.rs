//! The signature itself.
//!
//! In: a public key as PEM, the bytes that were signed, signatures as base64 of their ASN.1 form. Out: whether one of them
//! is the key's, or the original's words why none is.
//! Mirrors: k8smanifest BlobSignatureVerifier.Verify, cosign's VerifyBlobCmd with a key: SHA-256 whatever the curve.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::json::{Value, to_json};
use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
use p256::pkcs8::DecodePublicKey as _;
use sha2::{Digest as _, Sha256};

/// A key of a kind that is known here.
enum Key {
    P256(p256::ecdsa::VerifyingKey),
    P384(p384::ecdsa::VerifyingKey),
}

/// Whether one of the signatures is the key's.
pub(crate) fn verify_any(pem: &str, message: &[u8], signatures: &[&str]) -> Result<(), String> {
    let Some(key) = read(pem) else {
        return Err(
            "the public key is none that can be used here: ECDSA on P-256 or P-384, as PEM".to_owned()
        );
    };
    let digest = Sha256::digest(message);
    let count = signatures.len();
    let mut trials = Vec::new();
    for (at, signature) in signatures.iter().enumerate() {
        match verify(&key, &digest, signature) {
            Ok(()) => return Ok(()),
            Err(why) => trials.push(Value::from(format!(
                "[publickey 1/1] [signature {}/{count}] error: cosign.VerifyBlobCmd.Exec() returned an error: {why}",
                at + 1
            ))),
        }
    }
    let trials = to_json(&Value::array(trials));
    Err(format!("verification failed for {count} signature. all trials: {trials}"))
}

fn read(pem: &str) -> Option<Key> {
    let p256 = p256::ecdsa::VerifyingKey::from_public_key_pem(pem).map(Key::P256).ok();
    p256.or_else(|| p384::ecdsa::VerifyingKey::from_public_key_pem(pem).map(Key::P384).ok())
}

fn verify(key: &Key, digest: &[u8], signature: &str) -> Result<(), &'static str> {
    const INVALID: &str = "invalid signature when validating ASN.1 encoded signature";
    let bytes = STANDARD.decode(signature).map_err(|_| INVALID)?;
    let is_valid = match key {
        Key::P256(key) => p256::ecdsa::Signature::from_der(&bytes)
            .is_ok_and(|signature| key.verify_prehash(digest, &signature).is_ok()),
        Key::P384(key) => p384::ecdsa::Signature::from_der(&bytes)
            .is_ok_and(|signature| key.verify_prehash(digest, &signature).is_ok()),
    };
    if is_valid { Ok(()) } else { Err(INVALID) }
}
