//! `verifyImages` rules: signatures, attestations and digests of the images of a resource.
//!
//! In: the images that a rule is for, and what is given of them. Out: results in Kyverno's words, digests to be written,
//! and the note about each image that the resource will carry.
//! Mirrors: pkg/engine/internal/imageverifier.go, pkg/engine/handlers/mutation/mutate_image.go.

use super::entries::{converted, entries, matching, references};
use super::metadata::{Metadata, verified_status};
use super::signatures::{self, Unverified};
use crate::context::{Image, JsonContext, variables};
use crate::policy::{Body, ImageConditions, VerifyImages};
use crate::resource::Resource;
use crate::rules::{
    RuleResult, RuleType, Status, Subject, conditions, evaluate_conditions, exceptions, gate, join_non_empty,
    properties,
};
use crate::trace::{Kind, Step, Trace};
use engine_json::{Map, Path, Value};

/// How deep attestors may nest.
const MAX_NESTING: usize = 32;
/// The new text of an image: its place and what is written there.
pub(crate) type DigestPatch = (String, String);

fn result(subject: &Subject<'_>, status: Status, message: impl Into<String>) -> RuleResult {
    RuleResult::new(subject.rule, status, message)
}

/// Runs a rule that matched, in the phase that verifies and writes digests.
pub(crate) fn run_verify<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    metadata: &mut Metadata,
    trace: &mut Trace,
) -> (Vec<RuleResult>, Vec<DigestPatch>) {
    let Body::VerifyImages(body) = &subject.rule.body else { return Default::default() };
    let only = |status: Status, message: String| (vec![result(subject, status, message)], Vec::new());
    let images = match matching(subject, context) {
        Err(error) => return only(Status::Error, format!("failed to instantiate handler: {error}")),
        Ok(images) if images.is_empty() => return Default::default(),
        Ok(images) => images,
    };
    if let Err((status, message)) = applies(subject, context, trace) {
        return only(status, message);
    }
    let mut patches = Vec::new();
    let results = properties::over(subject.rule, context, |context| {
        if let Some(skipped) = exceptions::skip(subject, context, trace) {
            return vec![skipped.with_type(RuleType::Mutation)];
        }
        let written = Value::array(entries(&subject.rule.raw).iter().map(without_conditions).collect());
        // Kyverno: it is the rule that is substituted, so paths begin with the field.
        let written = Value::object(Map::from_iter([("verifyImages", written)]));
        let entries = match variables::substitute(context, &written) {
            Ok(rule) => entries(&rule).to_vec(),
            Err(error) => {
                let message = format!("failed to substitute variables: {error}");
                return vec![result(subject, Status::Error, message)];
            }
        };
        let mut verifier =
            Verifier { subject, context, trace, metadata, body, results: Vec::new(), patches: Vec::new() };
        for (at, (entry, conditions)) in entries.iter().zip(&body.images).enumerate() {
            let place = subject.rule.path.join("verifyImages").join(at);
            verifier.entry(&converted(entry), (&place, conditions), &images);
        }
        patches = verifier.patches;
        verifier.results
    });
    (results, patches)
}

/// Whether context and preconditions let the rule speak.
pub(super) fn applies<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Result<(), (Status, String)> {
    gate::open(subject, &subject.rule.context, subject.rule.preconditions.as_ref(), context, trace)
}

/// The path of a pointer such as `/spec/containers/0/image`.
fn path_of(pointer: &str, root: &Value) -> Path {
    let mut path = Path::root();
    for part in pointer.split('/').skip(1) {
        let is_list = root.at_path(path.iter()).is_some_and(|value| value.as_array().is_some());
        path = match part.parse::<usize>() {
            Ok(at) if is_list => path.join(at),
            Ok(_) | Err(_) => path.join(part),
        };
    }
    path
}

/// The entry without what is evaluated later, into which no variables are put now.
// Kyverno: substituteVariables.
fn without_conditions(entry: &Value) -> Value {
    let mut fields = entry.as_object().cloned().unwrap_or_default();
    if let Some(list) = fields.get_mut("attestations").and_then(Value::array_mut) {
        for attestation in list.iter_mut().filter_map(Value::object_mut) {
            attestation.remove("conditions");
        }
    }
    if let Some(validate) = fields.get_mut("validate").and_then(Value::object_mut) {
        validate.remove("deny");
    }
    Value::object(fields)
}

struct Verifier<'v, 'a> {
    subject: &'v Subject<'a>,
    context: &'v mut JsonContext<'a>,
    trace: &'v mut Trace,
    metadata: &'v mut Metadata,
    body: &'a VerifyImages,
    results: Vec<RuleResult>,
    patches: Vec<DigestPatch>,
}

impl<'a> Verifier<'_, 'a> {
    fn given(&self, image: &str) -> Option<&'a Value> {
        signatures::given(self.subject.image_data, image, self.subject.image_settings)
    }

    // Kyverno: imageVerifier.Verify.
    fn entry(&mut self, entry: &Value, (place, conditions): (&Path, &'a ImageConditions), images: &[Image]) {
        let has = |key: &str| entry.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
        let asks = has("attestors") || has("attestations");
        for image in images {
            let mut text = image.reference.to_string();
            if self.is_known_from_before(image, &text) {
                self.metadata.add_scoped(&self.subject.rule.name, &text, "pass");
                continue;
            }
            let (mut spoken, digest) = if asks {
                let (spoken, digest) = self.verify(entry, conditions, image, &text);
                (Some(spoken), digest)
            } else {
                (None, None)
            };
            let mutates = entry.get("mutateDigest").and_then(Value::as_bool).unwrap_or(false);
            if mutates && image.reference.digest.is_empty() {
                let known =
                    digest.or_else(|| self.given(&text).and_then(signatures::digest).map(str::to_owned));
                match known {
                    Some(digest) => {
                        spoken = spoken.or_else(|| Some(result(self.subject, Status::Pass, "mutated image digest")));
                        self.patches.push((image.pointer.clone(), format!("{text}@{digest}")));
                        let name = text.rsplit_once(':').map_or(text.as_str(), |(name, _)| name);
                        text = format!("{name}@{digest}");
                    }
                    None => self.results.push(result(
                        self.subject,
                        Status::Error,
                        format!(
                            "failed to update digest: failed to fetch image reference: {text}, error: no registry is asked from here, and no image data is given"
                        ),
                    )),
                }
            }
            if let Some(spoken) = spoken {
                if asks {
                    let status = match spoken.status {
                        Status::Pass => "pass",
                        Status::Skip | Status::Warn => "skip",
                        Status::Fail | Status::Error => "fail",
                    };
                    self.metadata.add_scoped(&self.subject.rule.name, &text, status);
                }
                self.trace.record(|| {
                    Step::new(
                        Kind::Verdict,
                        spoken.status == Status::Pass,
                        format!("image `{text}`: {}", spoken.message),
                    )
                    .in_policy(place)
                    .in_resource(&path_of(&image.pointer, &self.subject.resource.value))
                });
                self.results.push(spoken);
            }
        }
    }

    /// Whether an update leaves an image alone that was verified when it came.
    // Kyverno: HasChanged, isPreviouslyVerified.
    fn is_known_from_before(&self, image: &Image, text: &str) -> bool {
        let Some(old) = self.subject.old_resource else { return false };
        let at = |resource: &Resource| {
            let parts = image.pointer.split('/').skip(1);
            let mut value = resource.value.clone();
            for part in parts {
                let inner = value.get(part).or_else(|| value.at(part.parse().ok()?)).cloned();
                value = inner.unwrap_or_default();
            }
            value
        };
        let (before, now) = (at(old), at(self.subject.resource));
        let status = verified_status(self.subject, old, text);
        !now.is_null() && before == now && matches!(status.as_deref(), Ok("pass" | "skip"))
    }

    // Kyverno: verifyImage.
    fn verify(
        &mut self,
        entry: &Value,
        conditions: &'a ImageConditions,
        image: &Image,
        text: &str,
    ) -> (RuleResult, Option<String>) {
        let info = image.reference.to_map();
        self.context.add(&["image"], Value::object(info));
        let skips = references(entry, "skipImageReferences", text);
        if skips || !references(entry, "imageReferences", text) {
            let (policy, rule) = (&self.subject.policy.name, &self.subject.rule.name);
            let message = format!("skipping image reference image {text}, policy {policy} ruleName {rule}");
            if skips {
                self.metadata.add(text, "skip");
            }
            return (result(self.subject, Status::Skip, message), None);
        }
        let given = self.given(text);
        let digest = given.and_then(signatures::digest).map(str::to_owned);
        let list = |key: &str| entry.get(key).and_then(Value::as_array).unwrap_or_default();
        for (at, set) in list("attestors").iter().enumerate() {
            let outcome = attestor_set(set, entry, given, text, &format!(".attestors[{at}]"), 0);
            if let Err(Unverified { message, is_network }) = outcome {
                let status = if is_network { Status::Error } else { Status::Fail };
                let message = format!("failed to verify image {text}: {message}");
                return (result(self.subject, status, message), None);
            }
        }
        if list("attestations").is_empty() {
            let message = format!("verified image signatures for {text}");
            return (result(self.subject, Status::Pass, message), digest);
        }
        match self.attestations(list("attestations"), entry, conditions, text) {
            Ok(message) => (result(self.subject, Status::Pass, message), digest),
            Err(message) => (result(self.subject, Status::Fail, message), None),
        }
    }

    // Kyverno: verifyAttestations.
    fn attestations(
        &mut self,
        attestations: &[Value],
        entry: &Value,
        conditions: &'a ImageConditions,
        image: &str,
    ) -> Result<String, String> {
        for (at, attestation) in attestations.iter().enumerate() {
            let wanted = match attestation.find_str(&["type"]) {
                "" => attestation.find_str(&["predicateType"]),
                wanted => wanted,
            };
            if wanted.is_empty() {
                return Err(format!(".attestations[{at}]: missing type"));
            }
            let anybody = [Value::object(
                [("entries", Value::array(vec![Value::object(Map::new())]))].into_iter().collect::<Map>(),
            )];
            let sets = attestation.get("attestors").and_then(Value::as_array).unwrap_or_default();
            let sets = if sets.is_empty() { &anybody } else { sets };
            let holds = conditions.attestations.get(at).map_or(&[][..], Vec::as_slice);
            for (place, set) in sets.iter().enumerate() {
                let entries = set.get("entries").and_then(Value::as_array).unwrap_or_default();
                let required = required(set, entries.len());
                let (mut verified, mut errors) = (0, Vec::new());
                for attestor in entries {
                    // Kyverno: the place of the attestation stands where that of the attestor should.
                    let path = format!(
                        ".attestations[{at}].attestors[{place}].entries[{at}]{}",
                        signatures::kind(attestor)
                    );
                    // Kyverno: what cannot be fetched is said without its place.
                    if self.given(image).is_none() {
                        errors.push(format!(
                            "no registry is asked from here, and no attestation of {image} is given"
                        ));
                        continue;
                    }
                    match self.statement(attestor, wanted, attestation.find_str(&["name"]), holds, image) {
                        Ok(()) => verified += 1,
                        Err(error) => errors.push(format!("{path}: {error}")),
                    }
                    if verified >= required {
                        break;
                    }
                }
                if verified < required {
                    let error = if errors.is_empty() {
                        "attestations verification failed".to_owned()
                    } else {
                        errors.join("; ")
                    };
                    return Err(format!(
                        "image attestations verification failed, verifiedCount: {verified}, requiredCount: {required}, error: {error}"
                    ));
                }
            }
        }
        if !self.body.images.iter().any(|images| images.has_validate) {
            return Ok(format!("verified image attestations for {image}"));
        }
        self.deny(entry)?;
        Ok(format!("verifyImages validation is passed in {} rule", self.subject.rule.name))
    }

    /// Whether what this attestor stated of the image is given and satisfies the conditions.
    fn statement(
        &mut self,
        attestor: &Value,
        wanted: &str,
        name: &str,
        holds: &'a [crate::policy::Conditions],
        image: &str,
    ) -> Result<(), String> {
        let given = self.given(image).and_then(|given| given.get("attestations"));
        let list = given.and_then(Value::as_array).unwrap_or_default();
        let of_type = |statement: &&Value| {
            statement.find_str(&["type"]) == wanted || statement.find_str(&["predicateType"]) == wanted
        };
        let mut found = 0;
        for statement in list.iter().filter(of_type) {
            let is_signed = signatures::kind(attestor).is_empty()
                || signatures::verify(attestor, Some(statement), &Value::Null, image).is_ok();
            if !is_signed {
                continue;
            }
            found += 1;
            let predicate = statement.get("predicate").cloned().unwrap_or_default();
            if !name.is_empty() {
                self.context.add_entry(name, &predicate)?;
            }
            if holds.is_empty() {
                continue;
            }
            let Value::Object(fields) = &predicate else {
                return Err(
                    "failed to check attestations: failed to extract predicate from statement".to_owned()
                );
            };
            self.context.checkpoint();
            for (key, value) in fields.iter() {
                self.context.add(&[key], value.with_float_numbers());
            }
            let mut outcome = Ok((true, String::new()));
            for conditions in holds {
                let decided =
                    evaluate_conditions(self.context, Some(conditions), self.trace, conditions::Role::Deny);
                outcome = decided.map(|decided| (decided.holds, self.described(decided.message)));
                if !matches!(outcome, Ok((true, _))) {
                    break;
                }
            }
            self.context.restore();
            match outcome {
                Err(error) => return Err(format!("failed to check attestations: {error}")),
                Ok((false, message)) => {
                    return Err(format!(
                        "attestation checks failed for {image} and predicate {wanted}: {message}"
                    ));
                }
                Ok((true, _)) => {}
            }
        }
        if found == 0 { Err(format!("attestions not found for predicate type {wanted}")) } else { Ok(()) }
    }

    /// A condition's message with its variables put in.
    fn described(&mut self, message: String) -> String {
        match variables::substitute(self.context, &Value::from(message.as_str())) {
            Ok(Value::String(text)) => text.to_string(),
            _ => message,
        }
    }

    // Kyverno: validate, validateDeny.
    fn deny(&mut self, entry: &Value) -> Result<(), String> {
        for images in &self.body.images {
            let Some(deny) = &images.deny else { continue };
            let failed = |error: String| format!("validation in verifyImages failed: {error}");
            let outcome = evaluate_conditions(self.context, Some(deny), self.trace, conditions::Role::Deny)
                .map_err(|error| failed(format!("failed to check deny conditions: {error}")))?;
            if !outcome.holds {
                continue;
            }
            let written = entry.find_str(&["validate", "message"]);
            if written.is_empty() && outcome.message.is_empty() {
                return Err(failed("validation error: imageVerify  failed".to_owned()));
            }
            let message = join_non_empty(&[written, &outcome.message], "; ");
            return Err(failed(match variables::substitute(self.context, &Value::from(message)) {
                Ok(Value::String(text)) => text.to_string(),
                Ok(_) => "the produced message didn't resolve to a string, check your policy definition."
                    .to_owned(),
                Err(_) => outcome.message,
            }));
        }
        Ok(())
    }
}

// Kyverno: AttestorSet.RequiredCount.
pub(crate) fn required(set: &Value, entries: usize) -> usize {
    let count = set.get("count").and_then(Value::as_i64).and_then(|count| usize::try_from(count).ok());
    count.filter(|count| *count > 0).unwrap_or(entries)
}

// Kyverno: verifyAttestorSet.
fn attestor_set(
    set: &Value,
    rule: &Value,
    given: Option<&Value>,
    image: &str,
    path: &str,
    depth: usize,
) -> Result<(), Unverified> {
    if depth > MAX_NESTING {
        let message = format!("{path}: attestors nest deeper than {MAX_NESTING} sets: flatten them");
        return Err(Unverified { message, is_network: false });
    }
    let written = set.get("entries").and_then(Value::as_array).unwrap_or_default();
    let entries: Vec<Value> = written.iter().flat_map(one_key_each).collect();
    let required = required(set, entries.len());
    let (mut verified, mut errors) = (0, Vec::new());
    for (at, attestor) in entries.iter().enumerate() {
        let path = format!("{path}.entries[{at}]");
        let outcome = match attestor.get("attestor").filter(|nested| !nested.is_null()) {
            Some(nested) => attestor_set(nested, rule, given, image, &format!("{path}.attestor"), depth + 1),
            None => signatures::verify(attestor, given, rule, image).map_err(|unverified| Unverified {
                message: format!("{path}{}: {}", signatures::kind(attestor), unverified.message),
                ..unverified
            }),
        };
        match outcome {
            Ok(()) => verified += 1,
            Err(error) => errors.push(error),
        }
        if verified >= required {
            return Ok(());
        }
    }
    Err(Unverified {
        message: errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; "),
        is_network: errors.iter().any(|error| error.is_network),
    })
}

/// An attestor for each of its public keys.
// Kyverno: ExpandStaticKeys.
pub(crate) fn one_key_each(attestor: &Value) -> Vec<Value> {
    const END: &str = "-----END PUBLIC KEY-----";
    let keys: Vec<&str> = attestor
        .find_str(&["keys", "publicKeys"])
        .split_inclusive(END)
        .filter(|key| key.contains(END))
        .collect();
    if keys.len() < 2 {
        return vec![attestor.clone()];
    }
    let with = |key: &&str| {
        let mut copy = attestor.clone();
        if let Some(fields) =
            copy.object_mut().and_then(|fields| fields.get_mut("keys")).and_then(Value::object_mut)
        {
            fields.insert("publicKeys", Value::from(key.trim()));
        }
        copy
    };
    keys.iter().map(with).collect()
}
