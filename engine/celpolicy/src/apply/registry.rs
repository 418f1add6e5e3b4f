//! What a registry would say of an image, as it is given: none is asked.
//!
//! In: image data, an image, an attestor, an attestation. Out: what a registry holds of the image, and whether a signature of the attestor
//! is among those given. What is not given was not checked, and that is an error.
//! Mirrors: `pkg/image/verifiers/ivpol` of Kyverno 1.19, as far as it decides what is asked for.

use engine_json::{Map, Str, Value};
use engine_values::image::registry::RegistryImage;
use engine_values::re2::Regex;
use engine_values::x509;

/// What is given of one image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image<'g> {
    given: &'g Value,
}

/// Why nothing can be said.
const NO_REGISTRY: &str = "no registry is asked from here";

impl<'g> Image<'g> {
    /// What is given of an image, by its reference, or by its digest.
    ///
    /// # Errors
    /// It is not a reference, or nothing is given.
    pub(super) fn find(all: &'g [(Str, Value)], image: &str) -> Result<Self, String> {
        let wanted = RegistryImage::parse(image)?;
        let is_it = |(name, given): &&(Str, Value)| {
            if *name == image {
                return true;
            }
            let Ok(known) = RegistryImage::parse(name) else { return false };
            let is_one = known.registry == wanted.registry && known.repository() == wanted.repository();
            is_one
                && (known.identifier() == wanted.identifier()
                    || !wanted.digest.is_empty() && digest(given) == Some(&wanted.digest))
        };
        let found = all.iter().find(|(name, _)| *name == image).or_else(|| all.iter().find(is_it));
        found
            .map(|(_, given)| Image { given })
            .ok_or_else(|| format!("{NO_REGISTRY}, and no image data is given for {image}"))
    }

    /// What a registry holds, under the names that expressions use.
    // Kyverno: ImageDescriptor of imagedataloader.
    pub(super) fn data(self, image: &str) -> Result<Value, String> {
        let read = RegistryImage::parse(image)?;
        let digest = digest(self.given).unwrap_or(&read.digest).to_owned();
        let name = format!("{}/{}", read.registry, read.repository());
        let tag = if read.tag.is_empty() { String::new() } else { format!(":{}", read.tag) };
        let texts = [
            ("image", image.to_owned()),
            (
                "resolvedImage",
                if digest.is_empty() { String::new() } else { format!("{name}{tag}@{digest}") },
            ),
            ("registry", read.registry.clone()),
            ("repository", read.repository()),
            ("identifier", read.identifier().to_owned()),
            ("tag", read.tag.clone()),
            ("digest", digest),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let mut data: Map = texts.map(|(name, text)| (Str::new_static(name), Value::from(text))).collect();
        for (name, given) in
            [("imageIndex", "manifestList"), ("manifest", "manifest"), ("config", "configData")]
        {
            if let Some(value) = self.given.get(given).filter(|value| !value.is_null()) {
                data.insert(name, value.clone());
            }
        }
        Ok(Value::object(data))
    }

    /// Who signed the image, as it is given; or of which type its attestations are, and who signed each.
    pub(super) fn signers(self, is_of_attestations: bool) -> Value {
        if !is_of_attestations {
            return self.given.get("signedBy").cloned().unwrap_or_default();
        }
        let attestations = self.given.get("attestations").and_then(Value::as_array).unwrap_or_default();
        let one = |attestation: &Value| {
            let parts = ["type", "signedBy"].map(|name| Some((name, attestation.get(name)?.clone())));
            Value::object(parts.into_iter().flatten().collect::<Map>())
        };
        Value::array(attestations.iter().map(one).collect())
    }

    /// Whether the image is signed by the attestor.
    ///
    /// # Errors
    /// Nothing is given of its signatures.
    pub(super) fn is_signed_by(self, image: &str, attestor: &Value) -> Result<bool, String> {
        is_signed(self.given, attestor, || {
            format!("{NO_REGISTRY}, and the image data does not say who signed {image}")
        })
    }

    /// The attestation of a type that the attestor signed.
    ///
    /// # Errors
    /// Nothing is given of attestations, or of the signatures of this one.
    pub(super) fn attested_by(
        self,
        image: &str,
        of: &str,
        attestor: &Value,
    ) -> Result<Option<&'g Value>, String> {
        for attestation in self.attestations(image)?.iter().filter(|one| one.find_str(&["type"]) == of) {
            let no_answer = || {
                format!(
                    "{NO_REGISTRY}, and the image data does not say who signed the attestation {of} of {image}"
                )
            };
            if is_signed(attestation, attestor, no_answer)? {
                return Ok(Some(attestation));
            }
        }
        Ok(None)
    }

    /// What the first attestation of a type says.
    ///
    /// # Errors
    /// There is none, or nothing is given of attestations.
    pub(super) fn attached(self, image: &str, of: &str) -> Result<Value, String> {
        let found = self.attestations(image)?.iter().find(|one| one.find_str(&["type"]) == of);
        let predicate = found.and_then(|one| one.get("predicate")).cloned();
        predicate.ok_or_else(|| format!("artifact of type {of} not found"))
    }

    fn attestations(self, image: &str) -> Result<&'g [Value], String> {
        let list = self.given.get("attestations").and_then(Value::as_array);
        list.ok_or_else(|| {
            format!("{NO_REGISTRY}, and the image data does not say what is attested of {image}")
        })
    }
}

/// What the statement of an attestation is.
// cosign: AttestationToPayloadJSON.
pub(super) fn statement(attestation: &Value, of: &str) -> Value {
    let mut statement = Map::new();
    for name in ["_type", "subject"] {
        if let Some(value) = attestation.get(name) {
            statement.insert(name, value.clone());
        }
    }
    statement.insert("predicateType", Value::from(of));
    statement.insert("predicate", attestation.get("predicate").cloned().unwrap_or_default());
    Value::object(statement)
}

/// The digest that is given: `digest`, or what stands behind the `@` of `resolvedImage`.
fn digest(given: &Value) -> Option<&str> {
    let resolved = given.find_str(&["resolvedImage"]).split_once('@').map(|(_, digest)| digest);
    Some(given.find_str(&["digest"])).filter(|digest| !digest.is_empty()).or(resolved)
}

fn is_signed(given: &Value, attestor: &Value, no_answer: impl Fn() -> String) -> Result<bool, String> {
    let Some(wanted) = Wanted::of(attestor) else { return Ok(false) };
    let signatures = given.get("signedBy").and_then(Value::as_array).ok_or_else(no_answer)?;
    let annotations = attestor.find(&["cosign", "annotations"]).and_then(Value::as_object);
    Ok(signatures.iter().any(|signature| {
        let has = |(key, value): (&Str, &Value)| {
            signature.get("annotations").and_then(|known| known.get(key)) == Some(value)
        };
        wanted.is_of(signature) && annotations.into_iter().flat_map(Map::iter).all(has)
    }))
}

/// Whose signature an attestor wants.
enum Wanted<'a> {
    /// That of a key.
    Key { pem: &'a str, kms: &'a str },
    /// That of a certificate, or of one below it.
    Certificate(Vec<&'a str>),
    /// That of one of these identities; of anybody who has one, where there is none.
    Identities(&'a [Value]),
}

impl<'a> Wanted<'a> {
    /// Nothing where the attestor names no signer.
    // Kyverno: checkOptions in cosign/opts.go; the order of its questions.
    fn of(attestor: &'a Value) -> Option<Self> {
        let part = |path: &[&str]| attestor.find(path).filter(|part| !part.is_null());
        let texts = |paths: &[&[&str]]| {
            let texts = paths.iter().map(|path| attestor.find_str(path)).filter(|text| !text.is_empty());
            Some(texts.collect::<Vec<_>>()).filter(|texts| !texts.is_empty()).map(Wanted::Certificate)
        };
        if part(&["cosign"]).is_none() {
            return texts(&[&["notary", "certs", "value"]]);
        }
        if let Some(keyless) = part(&["cosign", "keyless"]) {
            let list = keyless.get("identities").and_then(Value::as_array).unwrap_or_default();
            return Some(Wanted::Identities(list));
        }
        if let Some(key) = part(&["cosign", "key"]) {
            let (pem, kms) = (key.find_str(&["data"]), key.find_str(&["kms"]));
            let is_usable = if pem.is_empty() { !kms.is_empty() } else { x509::is_pem(pem) };
            return is_usable.then_some(Wanted::Key { pem, kms });
        }
        texts(&[
            &["cosign", "certificate", "cert", "value"],
            &["cosign", "certificate", "certChain", "value"],
        ])
    }

    fn is_of(&self, signature: &Value) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let said = |name: &str| signature.find_str(&[name]);
        match self {
            Wanted::Key { pem: "", kms } => said("kms") == *kms,
            Wanted::Key { pem, .. } => {
                let key = plain(said("publicKey"));
                !key.is_empty() && key == plain(pem)
            }
            Wanted::Certificate(known) => {
                let certificate = plain(said("certificate"));
                !certificate.is_empty() && known.iter().any(|text| plain(text).contains(&certificate))
            }
            Wanted::Identities(identities) => {
                let has_one = !said("issuer").is_empty() || !said("subject").is_empty();
                has_one && (identities.is_empty() || identities.iter().any(|one| is_identity(one, signature)))
            }
        }
    }
}

/// Whether a signature is by an identity: texts as they stand, or regular expressions for parts of them.
// cosign: CheckCertificateIdentity.
fn is_identity(identity: &Value, signature: &Value) -> bool {
    ["issuer", "subject"].into_iter().all(|name| {
        let said = signature.find_str(&[name]);
        let (text, pattern) = (identity.find_str(&[name]), identity.find_str(&[&format!("{name}RegExp")]));
        if !pattern.is_empty() {
            return Regex::new(pattern)
                .is_ok_and(|regex| regex.is_match(said).is_ok_and(|answer| answer.value));
        }
        text.is_empty() || text == said
    })
}
