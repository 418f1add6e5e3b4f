//! `validate.manifests`: is the object what somebody signed?
//!
//! In: the rule's attestors and the object with its signatures. Out: the verdict in Kyverno's words. The signatures
//! themselves are checked by the [`World`](crate::world::World): a host that cannot do it leaves an error, never a pass.
//! Mirrors: pkg/engine/handlers/validation/validate_manifest.go.

use super::images::{kind, one_key_each, required};
use super::{RuleResult, Status, Subject};
use crate::context::JsonContext;
use crate::trace::{Kind, Step, Trace};
use crate::world::SignatureAnswer;
use engine_json::Value;

/// How deep attestors may nest.
const MAX_NESTING: usize = 8;

/// What a set of attestors says, or one of them: the reason why it is satisfied, or why it is not.
type Reason = Result<String, Unverified>;

/// Why a set of attestors is not satisfied.
enum Unverified {
    /// Something is not signed as it should be.
    Failed(String),
    /// It could not be decided.
    Undecided(Vec<String>),
}

/// Runs a `manifests` rule whose preconditions hold.
pub(super) fn run(
    subject: &Subject<'_>,
    manifests: &Value,
    context: &mut JsonContext<'_>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    if subject.operation == "DELETE" {
        return None;
    }
    if context.query("request.dryRun") == Ok(Value::Bool(true)) {
        let message = "allowed because of DryRun request";
        return Some(RuleResult::new(subject.rule, Status::Pass, message));
    }
    let verifier = Verifier { subject, manifests, context };
    let sets = manifests.get("attestors").and_then(Value::as_array).unwrap_or_default();
    let mut reasons = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let path = format!(".attestors[{at}]");
        let reason = verifier.set(set, &path, 0);
        let holds = reason.is_ok();
        trace.record(|| Step::new(Kind::Condition, holds, format!("attestors[{at}]: {}", text(&reason))));
        let (status, message) = match reason {
            Ok(reason) => {
                reasons.push(reason);
                continue;
            }
            Err(Unverified::Failed(reason)) => (Status::Fail, reason),
            Err(Unverified::Undecided(errors)) => {
                (Status::Error, format!("error occurred during manifest verification: {}", errors.join("; ")))
            }
        };
        let mut result = RuleResult::new(subject.rule, status, message);
        let place = subject.rule.path.join("validate").join("manifests").join("attestors");
        result.policy_paths.push(place.join(at));
        return Some(result);
    }
    let message = format!("verified manifest signatures; {}", reasons.join(","));
    Some(RuleResult::new(subject.rule, Status::Pass, message))
}

fn text(reason: &Reason) -> String {
    match reason {
        Ok(reason) | Err(Unverified::Failed(reason)) => reason.clone(),
        Err(Unverified::Undecided(errors)) => errors.join("; "),
    }
}

struct Verifier<'v, 'a> {
    subject: &'v Subject<'a>,
    manifests: &'v Value,
    context: &'v JsonContext<'a>,
}

impl Verifier<'_, '_> {
    // Kyverno: verifyManifestAttestorSet.
    fn set(&self, set: &Value, path: &str, depth: usize) -> Reason {
        if depth > MAX_NESTING {
            let message = format!("{path}: attestors nest deeper than {MAX_NESTING} sets: flatten them");
            return Err(Unverified::Undecided(vec![message]));
        }
        let written = set.get("entries").and_then(Value::as_array).unwrap_or_default();
        let entries: Vec<Value> = written.iter().flat_map(one_key_each).collect();
        let required = required(set, entries.len());
        let (mut verified, mut failed, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (at, attestor) in entries.iter().enumerate() {
            let path = format!("{path}.entries[{at}]");
            let outcome = match attestor.get("attestor").filter(|nested| !nested.is_null()) {
                Some(nested) => {
                    let path = format!("{path}.attestor");
                    self.set(nested, &path, depth + 1).map_err(|unverified| match unverified {
                        Unverified::Undecided(errors) => Unverified::Undecided(vec![format!(
                            "failed to verify signature; {path}: {}",
                            errors.join("; ")
                        )]),
                        failed @ Unverified::Failed(_) => failed,
                    })
                }
                None => self.attestor(attestor, &format!("{path}{}", kind(attestor))),
            };
            match outcome {
                Ok(reason) => verified.push(reason),
                Err(Unverified::Failed(reason)) => failed.push(reason),
                Err(Unverified::Undecided(of_entry)) => errors.extend(of_entry),
            }
            if verified.len() >= required {
                return Ok(format!(
                    "manifest verification succeeded; verifiedCount {}; requiredCount {required}; message {}",
                    verified.len(),
                    verified.join(",")
                ));
            }
        }
        if !errors.is_empty() {
            return Err(Unverified::Undecided(errors));
        }
        Err(Unverified::Failed(format!(
            "manifest verification failed; verifiedCount {}; requiredCount {required}; message {}",
            verified.len(),
            failed.join(",")
        )))
    }

    // Kyverno: k8sVerifyResource.
    fn attestor(&self, attestor: &Value, path: &str) -> Reason {
        let object = &self.subject.resource.value;
        if let Some(mismatch) = annotation_mismatch(object, attestor) {
            return Err(Unverified::Undecided(vec![mismatch]));
        }
        let undecided = |why: &str| Err(Unverified::Undecided(vec![format!("{path}: {why}")]));
        let key = attestor.find_str(&["keys", "publicKeys"]);
        if kind(attestor) != ".keys" {
            return undecided(
                "certificates and keyless signatures are not checked from here, which has no network",
            );
        }
        if !key.starts_with("-----BEGIN PUBLIC KEY-----") {
            return undecided("only public keys that the policy holds as PEM can be checked here");
        }
        match self.context.evaluator.world().manifest_signature(object, self.manifests, attestor) {
            // Kyverno: the misspelling is the original's; a key has no name.
            Some(SignatureAnswer::Valid) => Ok("singed by a valid signer: ".to_owned()),
            Some(SignatureAnswer::Invalid(why)) => Err(Unverified::Failed(format!("{path}: {why}"))),
            Some(SignatureAnswer::Undecided(why)) => undecided(&why),
            None => undecided("signatures of manifests are not checked here; `podsieve` in a terminal does"),
        }
    }
}

// Kyverno: checkManifestAnnotations; of several the first by its name.
fn annotation_mismatch(object: &Value, attestor: &Value) -> Option<String> {
    let wanted = attestor.get("annotations").and_then(Value::as_object)?;
    wanted.sorted().into_iter().find_map(|(key, wanted)| {
        let (found, wanted) =
            (object.find_str(&["metadata", "annotations", key]), wanted.as_str().unwrap_or_default());
        let message =
            || format!("annotations mismatch: {found} does not match expected value {wanted} for key {key}");
        (found != wanted).then(message)
    })
}
